// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_BOUNDARY_NEIGHBOURS_HPP
#define TESSERA_DRIVER_PROBLEM_BOUNDARY_NEIGHBOURS_HPP

#include "io/case.hpp"
#include "io/imported_mesh.hpp"

#include <vector>

namespace tessera::driver {

/// What lies at the facets of boundary groups.
struct BoundaryNeighbours {
  std::vector<bool> is_inner;             ///< [n_boundaries]: some facet lies between two elements
  std::vector<std::vector<bool>> regions; ///< [n_boundaries][n_regions]: those of the elements at facets
};

/// Finds it for the groups that `asked`, [n_boundaries], names; others have nothing. A pass over the mesh if any are.
BoundaryNeighbours find_boundary_neighbours(const io::ImportedMesh& mesh, const std::vector<bool>& asked);

/// Refuses asymptotic, periodic and antiperiodic conditions within the mesh, and asymptotic ones at shells: what they
/// stand for would be there twice.
void check_outer_conditions(const io::Case& input, const io::ImportedMesh& imported);

} // namespace tessera::driver

#endif
