// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_RADIAL_EXTENT_HPP
#define TESSERA_MESH_RADIAL_EXTENT_HPP

#include "mesh/mesh.hpp"

#include <array>

namespace tessera::mesh {

/// How a region or a boundary of a plane mesh lies about a point.
struct RadialExtent {
  double smallest = 0.; ///< distance of the nearest node, m
  double largest = 0.;  ///< distance of the farthest node, m
  double angle = 0.;    ///< rad, the largest one that an edge is seen under from the point
  double measure = 0.;  ///< area (m^2) or length (m)
  bool is_empty = true; ///< no element or facet; the rest is then 0
};

/// Of a region's elements.
template <class ExecutionSpace>
RadialExtent region_extent(const ExecutionSpace& exec, const Mesh<2, typename ExecutionSpace::memory_space>& mesh,
                           group_t region, const std::array<double, 2>& center);

/// Of a boundary's facets.
template <class ExecutionSpace>
RadialExtent boundary_extent(const ExecutionSpace& exec, const Mesh<2, typename ExecutionSpace::memory_space>& mesh,
                             group_t boundary, const std::array<double, 2>& center);

} // namespace tessera::mesh

#endif
