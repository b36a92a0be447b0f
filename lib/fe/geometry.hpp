// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_GEOMETRY_HPP
#define TESSERA_FE_GEOMETRY_HPP

/// \file
/// Affine geometry of a simplex: measure and gradients of the barycentric coordinates.

#include "core/types.hpp"

#include <cmath>
#include <cstdint>

namespace tessera::fe {

/// Coordinates of a point, loaded as a whole.
template <int Dim> struct alignas(Dim == 2 ? 16 : 8) Point { double x[Dim]; };

/// Point i of packed coordinates [n_points][Dim].
template <int Dim> KOKKOS_INLINE_FUNCTION const Point<Dim>& point_at(const double* coordinates, std::int64_t i) {
  return reinterpret_cast<const Point<Dim>*>(coordinates)[i];
}

/// Loads the vertices p[vertex][Dim] of a simplex from its nodes; `Element` defines which nodes are vertices.
template <class Element, int NNodes, int NVertices, int Dim>
KOKKOS_INLINE_FUNCTION void load_vertices(const double* coordinates, const index_t (&nodes)[NNodes],
                                          double (&p)[NVertices][Dim]) {
  static_assert(NNodes == Element::n_nodes && NVertices == Element::n_vertices);
  for (int k = 0; k < NVertices; ++k) {
    const Point<Dim> point = point_at<Dim>(coordinates, nodes[Element::vertex_node(k)]);
    for (int d = 0; d < Dim; ++d)
      p[k][d] = point.x[d];
  }
}

/// Computes from vertex coordinates p[vertex][Dim] the normals c[vertex][Dim] with grad lambda_k = c[k] / det; returns
/// det, Dim! times the signed measure.
KOKKOS_INLINE_FUNCTION double simplex_normals(const double (&p)[3][2], double (&c)[3][2]) {
  const double e1x = p[1][0] - p[0][0];
  const double e1y = p[1][1] - p[0][1];
  const double e2x = p[2][0] - p[0][0];
  const double e2y = p[2][1] - p[0][1];
  c[0][0] = e1y - e2y;
  c[0][1] = e2x - e1x;
  c[1][0] = e2y;
  c[1][1] = -e2x;
  c[2][0] = -e1y;
  c[2][1] = e1x;
  return e1x * e2y - e1y * e2x;
}

/// The same for a tetrahedron.
KOKKOS_INLINE_FUNCTION double simplex_normals(const double (&p)[4][3], double (&c)[4][3]) {
  double e[3][3];
  for (int i = 0; i < 3; ++i)
    for (int d = 0; d < 3; ++d)
      e[i][d] = p[i + 1][d] - p[0][d];
  for (int i = 0; i < 3; ++i) { // e2 x e3, e3 x e1, e1 x e2
    const double(&u)[3] = e[(i + 1) % 3];
    const double(&v)[3] = e[(i + 2) % 3];
    c[i + 1][0] = u[1] * v[2] - u[2] * v[1];
    c[i + 1][1] = u[2] * v[0] - u[0] * v[2];
    c[i + 1][2] = u[0] * v[1] - u[1] * v[0];
  }
  for (int d = 0; d < 3; ++d)
    c[0][d] = -(c[1][d] + c[2][d] + c[3][d]);
  return e[0][0] * c[1][0] + e[0][1] * c[1][1] + e[0][2] * c[1][2];
}

/// Returns the measure (positive for either orientation) and sets grad_lambda[vertex][Dim].
template <int NVertices, int Dim>
KOKKOS_INLINE_FUNCTION double simplex_gradients(const double (&p)[NVertices][Dim],
                                                double (&grad_lambda)[NVertices][Dim]) {
  const double det = simplex_normals(p, grad_lambda);
  const double inverse = 1. / det;
  for (int k = 0; k < NVertices; ++k)
    for (int d = 0; d < Dim; ++d)
      grad_lambda[k][d] *= inverse;
  return (det < 0. ? -det : det) / (Dim == 2 ? 2. : 6.);
}

/// Length or area of the facet opposite to vertex `opposite`.
KOKKOS_INLINE_FUNCTION double facet_measure(const double (&p)[3][2], int opposite) {
  const int a = (opposite + 1) % 3;
  const int b = (opposite + 2) % 3;
  const double dx = p[b][0] - p[a][0];
  const double dy = p[b][1] - p[a][1];
  return std::sqrt(dx * dx + dy * dy);
}

/// The same for a tetrahedron: area of a face.
KOKKOS_INLINE_FUNCTION double facet_measure(const double (&p)[4][3], int opposite) {
  const int a = (opposite + 1) % 4;
  double u[3];
  double v[3];
  for (int d = 0; d < 3; ++d) {
    u[d] = p[(opposite + 2) % 4][d] - p[a][d];
    v[d] = p[(opposite + 3) % 4][d] - p[a][d];
  }
  const double nx = u[1] * v[2] - u[2] * v[1];
  const double ny = u[2] * v[0] - u[0] * v[2];
  const double nz = u[0] * v[1] - u[1] * v[0];
  return 0.5 * std::sqrt(nx * nx + ny * ny + nz * nz);
}

} // namespace tessera::fe

#endif
