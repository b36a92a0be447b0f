// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_REFINE_CHILDREN_HPP
#define TESSERA_MESH_REFINE_CHILDREN_HPP

/// \file
/// Subdivision of a simplex by uniform refinement.

#include "core/types.hpp"

namespace tessera::mesh {

/// Children in terms of a parent's vertices (0 .. Dim) and of the midpoints of its edges (Dim + 1 + edge).
template <int Dim> struct Children;

template <> struct Children<2> {
  static constexpr int count = 4;
  KOKKOS_FUNCTION static int node(int child, int a) {
    constexpr int table[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};
    return table[child][a];
  }
};

template <> struct Children<3> {
  static constexpr int count = 8;
  KOKKOS_FUNCTION static int node(int child, int a) {
    constexpr int table[8][4] = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3},
                                 {4, 6, 7, 8}, {5, 6, 4, 8}, {6, 7, 8, 9}, {8, 5, 6, 9}};
    return table[child][a];
  }
};

/// Local node a of a facet's child in the same terms; a line's midpoint is its node 2.
template <int Dim> KOKKOS_INLINE_FUNCTION int facet_child_node(int child, int a) {
  return Dim == 2 ? (child == 0 ? 2 * a : 2 - a) : Children<2>::node(child, a);
}

} // namespace tessera::mesh

#endif
