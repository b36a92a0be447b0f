// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_EDGES_HPP
#define TESSERA_MESH_EDGES_HPP

/// \file
/// Finds the edges of a mesh, each once.

#include "graph/incidence.hpp"
#include "mesh/mesh.hpp"
#include "mesh/simplex.hpp"

namespace tessera::mesh {

/// Edges by their lower node: edge k of node a (offsets(a) <= k < offsets(a + 1)) joins a and upper(k) > a. The upper
/// nodes of a node ascend, so that edges are numbered by (lower node, upper node).
template <class MemorySpace> struct Edges {
  using memory_space = MemorySpace;
  Array<index_t*, memory_space> offsets; ///< [n_nodes + 1]
  Array<index_t*, memory_space> upper;   ///< [n_edges]

  KOKKOS_FUNCTION index_t n_edges() const { return static_cast<index_t>(upper.extent(0)); }

  /// Returns the index of the edge between nodes a and b, or -1. For device code.
  KOKKOS_FUNCTION index_t edge_number(index_t a, index_t b) const {
    const index_t low = a < b ? a : b;
    const index_t high = a < b ? b : a;
    index_t begin = offsets(low);
    index_t end = offsets(low + 1);
    while (end - begin > 8) { // bisect long rows, then search linearly
      const index_t middle = begin + (end - begin) / 2;
      if (upper(middle) > high)
        end = middle;
      else
        begin = middle;
    }
    for (; begin < end; ++begin)
      if (upper(begin) == high)
        return begin;
    return -1;
  }
};

/// Table of element edges: [n_elements][Simplex<Dim>::n_edges] edge indices in the order of Simplex<Dim>.
template <int Dim, class MemorySpace> using ElementEdges = Array<index_t * [Simplex<Dim>::n_edges], MemorySpace>;

/// Finds the edges from the elements at the nodes (graph::build_incidence with an empty node_rows).
template <class ExecutionSpace, int Dim>
Edges<typename ExecutionSpace::memory_space>
build_edges(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
            const graph::Incidence<typename ExecutionSpace::memory_space>& node_incidence);

/// The same with a temporary incidence.
template <class ExecutionSpace, int Dim>
Edges<typename ExecutionSpace::memory_space> build_edges(const ExecutionSpace& exec,
                                                         const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh);

/// Makes the table of each element's edges.
template <class ExecutionSpace, int Dim>
ElementEdges<Dim, typename ExecutionSpace::memory_space>
build_element_edges(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                    const Edges<typename ExecutionSpace::memory_space>& edges);

/// Elements at every node of a mesh.
template <class ExecutionSpace, int Dim>
graph::Incidence<typename ExecutionSpace::memory_space>
build_node_incidence(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  return graph::build_incidence<ExecutionSpace>(
      exec, Array<const index_t*, ExecutionSpace>(mesh.elements.data(), mesh.elements.size()), Dim + 1, {},
      mesh.n_nodes());
}

} // namespace tessera::mesh

#endif
