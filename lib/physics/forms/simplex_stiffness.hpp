// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FORMS_SIMPLEX_STIFFNESS_HPP
#define TESSERA_PHYSICS_FORMS_SIMPLEX_STIFFNESS_HPP

/// \file
/// Closed forms of element matrices for constant data on an affine simplex.
///
/// With G_kl = measure * grad lambda_k . D grad lambda_l, every entry of the P1 and P2 stiffness matrices is a
/// combination of the G_kl, because the integral of lambda_k lambda_l is m_kl = (1 + delta_kl) / ((Dim + 1)(Dim + 2))
/// times the measure.

#include "fe/geometry.hpp"
#include "fe/lagrange.hpp"

namespace tessera::physics {

/// Normals c and weights w with grad lambda_k . D grad lambda_l * measure = sum_d w[d] c[k][d] c[l][d]; returns the
/// measure.
template <int Dim>
KOKKOS_INLINE_FUNCTION double weighted_normals(const double (&p)[Dim + 1][Dim], const double* D,
                                               double (&c)[Dim + 1][Dim], double (&weight)[Dim]) {
  const double det = fe::simplex_normals(p, c);
  constexpr double factorial = Dim == 2 ? 2. : 6.;
  const double size = det < 0. ? -det : det;
  const double scale = 1. / (factorial * size);
  for (int d = 0; d < Dim; ++d)
    weight[d] = D[d] * scale;
  return size / factorial;
}

/// G[k][l] = measure * grad lambda_k . D grad lambda_l; returns the measure. Rows sum to zero, which gives the
/// diagonal.
template <int Dim>
KOKKOS_INLINE_FUNCTION double vertex_stiffness(const double (&p)[Dim + 1][Dim], const double* D,
                                               double (&G)[Dim + 1][Dim + 1]) {
  double c[Dim + 1][Dim];
  double weight[Dim];
  const double measure = weighted_normals<Dim>(p, D, c, weight);
  for (int k = 0; k <= Dim; ++k)
    G[k][k] = 0.;
  for (int k = 0; k <= Dim; ++k)
    for (int l = k + 1; l <= Dim; ++l) {
      double sum = 0.;
      for (int d = 0; d < Dim; ++d)
        sum += weight[d] * c[k][d] * c[l][d];
      G[k][l] = sum;
      G[l][k] = sum;
      G[k][k] -= sum;
      G[l][l] -= sum;
    }
  return measure;
}

/// Entry (a, b) of the stiffness matrix from G (symmetric).
template <int Dim, int Order>
KOKKOS_INLINE_FUNCTION double stiffness_entry(const double (&G)[Dim + 1][Dim + 1], int a, int b) {
  using Simplex = mesh::Simplex<Dim>;
  constexpr int nv = Dim + 1;
  if (Order == 1)
    return G[a][b];
  constexpr double off = 1. / ((Dim + 1) * (Dim + 2));
  constexpr double mean = 1. / (Dim + 1);
  if (a < nv && b < nv) {
    // (4 lambda_a - 1)(4 lambda_b - 1)
    const double m = a == b ? 2. * off : off;
    return (16. * m - 8. * mean + 1.) * G[a][b];
  }
  if (a < nv || b < nv) {
    // (4 lambda_i - 1) grad lambda_i . D 4 (lambda_k grad lambda_l + lambda_l grad lambda_k)
    const int i = a < nv ? a : b;
    const int edge = (a < nv ? b : a) - nv;
    const int k = Simplex::edge_begin(edge);
    const int l = Simplex::edge_end(edge);
    const double with_k = 4. * (4. * (i == k ? 2. * off : off) - mean);
    const double with_l = 4. * (4. * (i == l ? 2. * off : off) - mean);
    return with_k * G[i][l] + with_l * G[i][k];
  }
  const int i = Simplex::edge_begin(a - nv);
  const int j = Simplex::edge_end(a - nv);
  const int k = Simplex::edge_begin(b - nv);
  const int l = Simplex::edge_end(b - nv);
  const double ik = i == k ? 2. * off : off;
  const double il = i == l ? 2. * off : off;
  const double jk = j == k ? 2. * off : off;
  const double jl = j == l ? 2. * off : off;
  return 16. * (ik * G[j][l] + il * G[j][k] + jk * G[i][l] + jl * G[i][k]);
}

/// Vertex at position i if the simplex is renumbered so that local node a becomes node 0 (a vertex) or the first edge,
/// from vertex 0 to vertex 1.
template <int Dim> KOKKOS_INLINE_FUNCTION int leading_vertex(int a, int i) {
  constexpr int nv = Dim + 1;
  if (a < nv)
    return a + i < nv ? a + i : a + i - nv;
  const int edge = a - nv;
  if (Dim == 2 || edge < 3)
    return i == 3 ? 3 : (edge + i < 3 ? edge + i : edge + i - 3);
  // Edge (m, 3): m, 3, then the other two.
  const int j = edge - 3 + (i == 0 ? 0 : i - 1);
  return i == 1 ? 3 : (j < 3 ? j : j - 3);
}

/// Local node at position i in the same renumbering.
template <int Dim, int Order> KOKKOS_INLINE_FUNCTION int leading_node(int a, int i) {
  using Simplex = mesh::Simplex<Dim>;
  constexpr int nv = Dim + 1;
  if (i < nv)
    return leading_vertex<Dim>(a, i);
  return nv + Simplex::edge_of(leading_vertex<Dim>(a, Simplex::edge_begin(i - nv)),
                               leading_vertex<Dim>(a, Simplex::edge_end(i - nv)));
}

/// Integral of shape function a over the simplex, divided by its measure.
template <int Dim, int Order> KOKKOS_INLINE_FUNCTION double shape_integral(int a) {
  if (Order == 1)
    return 1. / (Dim + 1);
  if (a <= Dim)
    return Dim == 2 ? 0. : -1. / 20.;
  return Dim == 2 ? 1. / 3. : 1. / 5.;
}

} // namespace tessera::physics

#endif
