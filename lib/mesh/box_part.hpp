// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_BOX_PART_HPP
#define TESSERA_MESH_BOX_PART_HPP

/// \file
/// Makes the part of a box that one of several processes has, without the whole.

#include "mesh/mesh.hpp"

#include <array>
#include <cstdint>

namespace tessera::mesh {

/// What one of several processes has of a mesh: all elements at its own nodes, all facets that touch these elements,
/// and the elements of these facets, so that it knows which boundaries any node of the former lies on. Own nodes are
/// neighbours along the Morton curve; every node of the whole is the own node of one process.
template <int Dim, class MemorySpace> struct MeshPart {
  /// Nodes and elements in the order that order_mesh() gives the whole. `original_node` and `original_element` are
  /// numbers in the unordered whole; the latter is empty where these do not fit.
  Mesh<Dim, MemorySpace> mesh;
  index_t first_own = 0; ///< among the part's nodes
  index_t n_own = 0;
  Array<int*, MemorySpace> owner; ///< process of each node
  /// Of each node, with layers around: whether the part has all elements at it. Else empty: those at own nodes.
  Array<std::uint8_t*, MemorySpace> is_surrounded;
  /// Elements whose first node in the order is an own one, ascending: those of all parts are the whole.
  Array<index_t*, MemorySpace> own_elements;
  Array<index_t*, MemorySpace> own_facets; ///< of these elements
  std::int64_t n_nodes_of_all = 0;
  std::int64_t n_elements_of_all = 0;
  std::int64_t n_facets_of_all = 0;
};

/// The part of process `rank` of `n_parts` of the box of make_box(); parts have about the same number of nodes. Time is
/// that of looking at all nodes and cells of the box, memory that of the part. `n_layers`: the part has all elements at
/// nodes that are so many cells or fewer away from own ones, too, and the facets accordingly. A part without nodes is
/// an error of kind input, and so are more nodes than an index counts.
template <int Dim, class ExecutionSpace>
MeshPart<Dim, typename ExecutionSpace::memory_space>
make_box_part(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells, const std::array<double, Dim>& lower,
              const std::array<double, Dim>& upper, int rank, int n_parts, int n_layers = 0);

} // namespace tessera::mesh

#endif
