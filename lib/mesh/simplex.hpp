// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_SIMPLEX_HPP
#define TESSERA_MESH_SIMPLEX_HPP

/// \file
/// Local numbering of triangles and tetrahedra, as in VTK's quadratic cells.

#include "core/types.hpp"

namespace tessera::mesh {

/// Vertices of local edges. Triangle: (0,1) (1,2) (2,0); tetrahedron: (0,1) (1,2) (2,0) (0,3) (1,3) (2,3). A triangle's
/// edges are the first three of a tetrahedron's, so one table serves both.
template <int Dim> struct Simplex {
  static constexpr int n_vertices = Dim + 1;
  static constexpr int n_edges = Dim == 2 ? 3 : 6;
  KOKKOS_FUNCTION static constexpr int edge_begin(int edge) { return edge < 3 ? edge : edge - 3; }
  KOKKOS_FUNCTION static constexpr int edge_end(int edge) { return edge < 3 ? (edge == 2 ? 0 : edge + 1) : 3; }

  /// Local edge that joins two local vertices.
  KOKKOS_FUNCTION static constexpr int edge_of(int a, int b) {
    if (a == 3)
      return 3 + b;
    if (b == 3)
      return 3 + a;
    return a + b == 1 ? 0 : (a + b == 3 ? 1 : 2);
  }
};

/// Signed area of a triangle: positive if its vertices run counterclockwise.
KOKKOS_INLINE_FUNCTION double signed_measure(const double (&p)[3][2]) {
  return 0.5 * ((p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]));
}

/// Signed volume of a tetrahedron: positive if vertices 0, 1, 2 run counterclockwise seen from vertex 3.
KOKKOS_INLINE_FUNCTION double signed_measure(const double (&p)[4][3]) {
  double e[3][3];
  for (int i = 0; i < 3; ++i)
    for (int d = 0; d < 3; ++d)
      e[i][d] = p[i + 1][d] - p[0][d];
  return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
          e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
         6.;
}

} // namespace tessera::mesh

#endif
