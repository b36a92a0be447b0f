// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_BINDING_BOUNDARY_NEIGHBOURS_HPP
#define TESSERA_DRIVER_PROBLEM_BINDING_BOUNDARY_NEIGHBOURS_HPP

#include "io/input/case.hpp"
#include "io/mesh_files/imported_mesh.hpp"

#include <array>
#include <vector>

namespace tessera::driver {

/// Neighbours of the facets of boundary groups.
struct BoundaryNeighbours {
  std::vector<bool> is_outer;                  ///< [n_boundaries]: some facet bounds the mesh
  std::vector<bool> is_inner;                  ///< [n_boundaries]: some facet lies between two elements
  std::vector<bool> is_within;                 ///< [n_boundaries]: some facet lies between two elements of one region
  std::vector<group_t> within;                 ///< [n_boundaries]: that region
  std::vector<std::array<group_t, 2>> between; ///< [n_boundaries]: regions of the elements at the first such facet
  std::vector<std::vector<bool>> regions;      ///< [n_boundaries][n_regions]: regions of the elements at facets
};

/// Finds the neighbours of the groups marked in `requested`, [n_boundaries]; others have none. One pass over the mesh
/// if any are marked.
BoundaryNeighbours find_boundary_neighbours(const io::ImportedMesh& mesh, const std::vector<bool>& requested);

/// Refuses conditions inside the mesh that represent something outside of it: exchange (robin, contact, convection),
/// radiation, asymptotic, periodic and antiperiodic conditions, and with dg all; asymptotic ones at shells; and joints
/// that do not lie between two regions.
void check_outer_conditions(const io::Case& input, const io::ImportedMesh& imported);

} // namespace tessera::driver

#endif
