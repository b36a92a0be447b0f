// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_PARTS_MESH_PART_HPP
#define TESSERA_MESH_PARTS_MESH_PART_HPP

#include "mesh/mesh.hpp"
#include "mesh/morton_curve.hpp"
#include "mesh/refine/nested_nodes.hpp"

#include <cstdint>
#include <vector>

namespace tessera::mesh {

/// Groups of boundary facets, and regions, all of whose nodes, with all elements at them, are in every part, whoever
/// owns them: their unknowns are tied, or identified with those of other nodes.
struct WholeGroups {
  std::vector<group_t> boundaries;
  std::vector<group_t> regions;

  bool any() const { return !boundaries.empty() || !regions.empty(); }
};

/// The part of a mesh that a process has: all elements at its owned nodes, all facets that touch these elements, and
/// the elements of these facets, so that the boundaries at any node of the former are known; further elements around
/// them are harmless. Owned nodes are contiguous along the Morton curve; every node of the mesh is owned by one
/// process.
template <int Dim, class MemorySpace> struct MeshPart {
  /// Nodes and elements are in the order that order_mesh() gives the whole mesh. `original_node` is unique in the whole
  /// mesh and the same in all processes; `original_element` is the index in the unordered whole mesh, empty if that
  /// does not fit. `node_parents`, if coarser elements were requested, has the next coarser mesh only: its nodes that
  /// are in the part, numbered so that the ends of an edge have the same order; -1 twice if one of the two is not in
  /// the part.
  Mesh<Dim, MemorySpace> mesh;
  MortonCurve<Dim> curve{};
  index_t first_owned = 0; ///< index among the part's nodes
  index_t n_owned = 0;
  Array<int*, MemorySpace> owner; ///< process of each node
  /// Whether the part has all elements at a node; with layers or whole groups. Otherwise empty: true for owned nodes.
  Array<std::uint8_t*, MemorySpace> is_surrounded;
  /// Elements whose first node in the order is owned, ascending: each element of the whole mesh is in one part's list.
  Array<index_t*, MemorySpace> owned_elements;
  Array<index_t*, MemorySpace> owned_facets; ///< of these elements
  NestedPart<MemorySpace> nested;            ///< of owned nodes, if coarser nodes or elements were requested
  std::int64_t n_nodes_of_all = 0;
  std::int64_t n_elements_of_all = 0;
  std::int64_t n_facets_of_all = 0;
};

} // namespace tessera::mesh

#endif
