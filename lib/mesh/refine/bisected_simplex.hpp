// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_REFINE_BISECTED_SIMPLEX_HPP
#define TESSERA_MESH_REFINE_BISECTED_SIMPLEX_HPP

/// \file
/// Simplices some of whose edges are bisected. Edges are bisected in a global order, the longest first: the cuts of a
/// face therefore depend on its edges only and are the same from both sides.

#include "mesh/edges.hpp"

namespace tessera::mesh {

/// Nodes at the midpoints of all edges or of some.
template <class MemorySpace> struct EdgeMidpoints {
  Edges<MemorySpace> edges;
  index_t first = 0;                         ///< node of edge 0, if all edges have midpoints
  Array<const index_t*, MemorySpace> number; ///< node of each edge's midpoint, -1: none; empty: all edges have one, in
                                             ///< order
  Array<const double*, MemorySpace> length;  ///< squared length of each edge, m^2; empty if all edges have midpoints

  /// Midpoint of an edge; -1 as argument or result: none.
  KOKKOS_FUNCTION index_t node(index_t edge) const {
    return edge < 0 ? -1 : number.extent(0) > 0 ? number(edge) : first + edge;
  }
  /// The strict order in which edges are bisected: by length, equal lengths by edge index.
  KOKKOS_FUNCTION bool comes_before(index_t a, index_t b) const {
    return length(a) != length(b) ? length(a) > length(b) : a > b;
  }
};

/// Vertices of local edge k of a simplex of N vertices: of a line (0,1), else those of Simplex.
template <int N> struct SimplexEdges {
  static constexpr int count = N * (N - 1) / 2;
  KOKKOS_FUNCTION static constexpr int begin(int k) { return N == 2 ? 0 : Simplex<3>::edge_begin(k); }
  KOKKOS_FUNCTION static constexpr int end(int k) { return N == 2 ? 1 : Simplex<3>::edge_end(k); }
};

/// Parts of a simplex of N vertices: local points are its vertices 0 .. N - 1 and the midpoints N + k of its edges k.
/// Every part has the orientation of the simplex.
template <int N> struct Parts {
  static constexpr int most = N == 2 ? 2 : N == 3 ? 4 : 8;
  signed char point[most][N];
  int count = 1;

  KOKKOS_FUNCTION Parts() {
    for (int a = 0; a < N; ++a)
      point[0][a] = static_cast<signed char>(a);
  }

  /// Bisects each part that contains the whole edge.
  KOKKOS_FUNCTION void halve(int edge) {
    const int n = count;
    for (int part = 0; part < n; ++part) {
      int at_begin = -1;
      int at_end = -1;
      for (int a = 0; a < N; ++a) {
        at_begin = point[part][a] == SimplexEdges<N>::begin(edge) ? a : at_begin;
        at_end = point[part][a] == SimplexEdges<N>::end(edge) ? a : at_end;
      }
      if (at_begin < 0 || at_end < 0)
        continue;
      for (int a = 0; a < N; ++a)
        point[count][a] = point[part][a];
      point[part][at_end] = static_cast<signed char>(N + edge);
      point[count][at_begin] = static_cast<signed char>(N + edge);
      ++count;
    }
  }
};

/// Cuts a simplex, given the indices of its local edges (-1: none), at the existing midpoints.
template <int N, class MemorySpace>
KOKKOS_INLINE_FUNCTION Parts<N> parts_of(const EdgeMidpoints<MemorySpace>& midpoints,
                                         const index_t (&edge)[SimplexEdges<N>::count]) {
  constexpr int n_edges = SimplexEdges<N>::count;
  int order[n_edges];
  int n = 0;
  for (int k = 0; k < n_edges; ++k) {
    if (midpoints.node(edge[k]) < 0)
      continue;
    int position = n++;
    for (; position > 0 && midpoints.comes_before(edge[k], edge[order[position - 1]]); --position)
      order[position] = order[position - 1];
    order[position] = k;
  }
  Parts<N> parts;
  for (int i = 0; i < n; ++i)
    parts.halve(order[i]);
  return parts;
}

/// Indices of a simplex's edges.
template <int N, class MemorySpace>
KOKKOS_INLINE_FUNCTION void find_edges(const Edges<MemorySpace>& edges, const index_t (&nodes)[N],
                                       index_t (&edge)[SimplexEdges<N>::count]) {
  for (int k = 0; k < SimplexEdges<N>::count; ++k)
    edge[k] = edges.edge_number(nodes[SimplexEdges<N>::begin(k)], nodes[SimplexEdges<N>::end(k)]);
}

} // namespace tessera::mesh

#endif
