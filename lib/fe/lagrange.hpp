// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_LAGRANGE_HPP
#define TESSERA_FE_LAGRANGE_HPP

/// \file
/// Lagrange elements of order 1 and 2 on triangles and tetrahedra, in barycentric coordinates.

#include "mesh/simplex.hpp"

namespace tessera::fe {

/// Nodes: the vertices, then (order 2) the edges in the order of mesh::Simplex.
template <int Dim, int Order> struct Lagrange {
  static_assert(Order == 1 || Order == 2, "orders 1 and 2");
  using simplex = mesh::Simplex<Dim>;
  static constexpr int dimension = Dim;
  static constexpr int order = Order;
  static constexpr int n_vertices = Dim + 1;
  static constexpr int n_nodes = Order == 1 ? Dim + 1 : Dim + 1 + simplex::n_edges;

  /// Node at vertex k of the element.
  KOKKOS_FUNCTION static constexpr int vertex_node(int k) { return k; }

  /// Value of shape function i at barycentric coordinates `lambda`.
  KOKKOS_FUNCTION static double value(int i, const double (&lambda)[Dim + 1]) {
    if (Order == 1)
      return lambda[i];
    if (i < n_vertices)
      return lambda[i] * (2. * lambda[i] - 1.);
    return 4. * lambda[simplex::edge_begin(i - n_vertices)] * lambda[simplex::edge_end(i - n_vertices)];
  }

  /// Gradient of shape function i at `lambda`, from the gradients grad_lambda[vertex][Dim] of the barycentric
  /// coordinates.
  KOKKOS_FUNCTION static void gradient(int i, const double (&lambda)[Dim + 1],
                                       const double (&grad_lambda)[Dim + 1][Dim], double (&gradient)[Dim]) {
    if (Order == 1) {
      for (int d = 0; d < Dim; ++d)
        gradient[d] = grad_lambda[i][d];
    } else if (i < n_vertices) {
      const double factor = 4. * lambda[i] - 1.;
      for (int d = 0; d < Dim; ++d)
        gradient[d] = factor * grad_lambda[i][d];
    } else {
      const int k = simplex::edge_begin(i - n_vertices);
      const int l = simplex::edge_end(i - n_vertices);
      for (int d = 0; d < Dim; ++d)
        gradient[d] = 4. * (lambda[k] * grad_lambda[l][d] + lambda[l] * grad_lambda[k][d]);
    }
  }

  /// Barycentric coordinates of node i.
  KOKKOS_FUNCTION static void node_position(int i, double (&lambda)[Dim + 1]) {
    for (int k = 0; k <= Dim; ++k)
      lambda[k] = 0.;
    if (i < n_vertices) {
      lambda[i] = 1.;
    } else {
      lambda[simplex::edge_begin(i - n_vertices)] = 0.5;
      lambda[simplex::edge_end(i - n_vertices)] = 0.5;
    }
  }
};

} // namespace tessera::fe

#endif
