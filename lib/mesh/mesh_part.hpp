// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_MESH_PART_HPP
#define TESSERA_MESH_MESH_PART_HPP

#include "mesh/mesh.hpp"
#include "mesh/morton_curve.hpp"
#include "mesh/nested_nodes.hpp"

#include <cstdint>
#include <vector>

namespace tessera::mesh {

/// Groups of boundary facets, and regions, all of whose nodes a part has with all elements at them, whoever owns these:
/// their unknowns are one, or those of nodes elsewhere.
struct WholeGroups {
  std::vector<group_t> boundaries;
  std::vector<group_t> regions;

  bool any() const { return !boundaries.empty() || !regions.empty(); }
};

/// What one of several processes has of a mesh: all elements at its own nodes, all facets that touch these elements,
/// and the elements of these facets, so that it knows which boundaries any node of the former lies on; more elements
/// around them do no harm. Own nodes are neighbours along the Morton curve; every node of the whole is the own node of
/// one process.
template <int Dim, class MemorySpace> struct MeshPart {
  /// Nodes and elements in the order that order_mesh() gives the whole. `original_node` is a number that no other node
  /// of the whole has, the same in all processes; `original_element` is the number in the unordered whole, empty where
  /// that does not fit. `node_parents`, if coarser elements were asked for, is that of the next coarser mesh alone:
  /// its nodes that the part has, numbered so that the ends of an edge have their order there; -1 twice where the part
  /// lacks one of the two.
  Mesh<Dim, MemorySpace> mesh;
  MortonCurve<Dim> curve{};
  index_t first_own = 0; ///< among the part's nodes
  index_t n_own = 0;
  Array<int*, MemorySpace> owner; ///< process of each node
  /// Whether the part has all elements at a node, with layers around or whole groups. Else empty: it has those at
  /// own nodes.
  Array<std::uint8_t*, MemorySpace> is_surrounded;
  /// Elements whose first node in the order is an own one, ascending: those of all parts are the whole.
  Array<index_t*, MemorySpace> own_elements;
  Array<index_t*, MemorySpace> own_facets; ///< of these elements
  NestedPart<MemorySpace> nested;          ///< of own nodes, if coarser nodes or elements were asked for
  std::int64_t n_nodes_of_all = 0;
  std::int64_t n_elements_of_all = 0;
  std::int64_t n_facets_of_all = 0;
};

} // namespace tessera::mesh

#endif
