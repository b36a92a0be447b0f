// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_FUNCTION_SPACE_HPP
#define TESSERA_FE_FUNCTION_SPACE_HPP

/// \file
/// Continuous Lagrange space on a mesh: its nodes.

#include "fe/lagrange.hpp"
#include "mesh/mesh.hpp"

namespace tessera::mesh {
struct StraightEdges;
} // namespace tessera::mesh

namespace tessera::fe {

/// Nodes of a Lagrange space. Node numbers: the mesh's nodes, then (order 2) n_mesh_nodes + edge number.
template <int Dim, int Order, class MemorySpace> struct FunctionSpace {
  using memory_space = MemorySpace;
  using element = Lagrange<Dim, Order>;
  static constexpr int nodes_per_facet = Order == 1 ? Dim : (Dim == 2 ? 3 : 6);

  Array<index_t * [element::n_nodes], MemorySpace> element_nodes; ///< [n_elements][n_nodes]; order 1: the mesh's array
  Array<index_t* [nodes_per_facet], MemorySpace> facet_nodes;     ///< [n_facets][..], vertices first
  Array<double* [Dim], MemorySpace> coordinates;                  ///< of all nodes, [n_nodes][Dim], metres
  /// [n_elements][Dim + 1], the mesh's array: the vertices that define the elements' geometry, in any space. The index
  /// of a vertex is that of its node.
  Array<index_t * [Dim + 1], MemorySpace> element_vertices;
  /// [n_elements], 1 if an edge is curved; empty if all elements are affine.
  Array<std::uint8_t*, MemorySpace> curved_elements;
  index_t n_vertices = 0;

  index_t n_nodes() const { return static_cast<index_t>(coordinates.extent(0)); }
  index_t n_elements() const { return static_cast<index_t>(element_nodes.extent(0)); }
};

/// Numbers the nodes of a space on the device. Nodes of order 2 follow curved boundaries (Mesh::curved); edges of
/// elements that this folds stay straight, which is recorded in `straight`.
template <int Order, class ExecutionSpace, int Dim>
FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>
make_space(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
           mesh::StraightEdges& straight);

/// The same; throws if elements are folded.
template <int Order, class ExecutionSpace, int Dim>
FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>
make_space(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh);

} // namespace tessera::fe

#endif
