// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_CHECKS_CURVED_SURFACES_HPP
#define TESSERA_MESH_CHECKS_CURVED_SURFACES_HPP

/// \file
/// Detects surfaces of a mesh that approximate curved ones, by the angles between neighbouring facets.

#include "mesh/surface.hpp"

#include <vector>

namespace tessera::mesh {

/// Facets of a region's surface that approximate a curved surface.
struct CurvedSurface {
  group_t region = 0;
  std::vector<index_t> facets; ///< indices in the Surface
  double angle = 0.;           ///< degrees, mean of the angles between these facets and their neighbours
};

/// Finds such facets by region. A facet is included if each of its nodes is on a ridge (2D: is a corner) where the
/// surface turns by 0.06 to 46 degrees in one direction, and a neighbour across such a ridge is included, too. A circle
/// is hence detected from eight facets on; polygons whose sides have two facets or more, and single chamfers, are not.
/// Cost: n log n in the number of facets.
template <int Dim> std::vector<CurvedSurface> find_curved_surfaces(const Surface<Dim>& surface);

} // namespace tessera::mesh

#endif
