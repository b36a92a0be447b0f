// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_MESH_MESH_GROUPS_HPP
#define TESSERA_DRIVER_MESH_MESH_GROUPS_HPP

#include "io/mesh_files/imported_mesh.hpp"

#include <array>
#include <set>
#include <string>
#include <vector>

namespace tessera::driver {

/// A region or boundary of a mesh, as listed for users.
struct MeshGroup {
  std::string name;
  bool is_region = false;
  std::int64_t n_elements = 0;    ///< or facets
  double measure = 0.;            ///< m, m^2 or m^3
  std::array<double, 3> lowest{}; ///< m, bounding box of the nodes
  std::array<double, 3> highest{};
  std::set<std::string> neighbours; ///< of a region: regions that share facets with it; of a boundary: adjacent regions
  std::int64_t n_outer_facets = 0;  ///< of a region: faces of its elements that belong to no other element and no
                                    ///< boundary
};

/// Length, area or volume of a simplex with `n` nodes, by Gram's determinant.
double simplex_measure(const io::ImportedMesh& mesh, const index_t* nodes, int n);

/// Regions, then boundaries, in the order of the mesh. Curved ones are measured between their vertices.
std::vector<MeshGroup> mesh_groups(const io::ImportedMesh& mesh);

} // namespace tessera::driver

#endif
