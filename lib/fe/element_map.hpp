// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_ELEMENT_MAP_HPP
#define TESSERA_FE_ELEMENT_MAP_HPP

/// \file
/// Map from barycentric coordinates to an element: affine, or isoparametric of order 2 for curved elements.
///
/// With the bend b_e of edge e = (k, l), its node minus the midpoint of its ends, the isoparametric map of order 2 is
///   x = sum lambda_k p_k + sum 4 lambda_k lambda_l b_e.
/// Its derivatives at a point are those of the affine map of a simplex, the tangent simplex of the point, with vertices
///   P_k = p_k + sum over the edges e = (k, l) at k of 4 lambda_l b_e,     and  2 x = sum lambda_k (p_k + P_k).
/// Gradients and the measures of elements and facets thus follow from the formulas for straight simplices.

#include "fe/geometry.hpp"
#include "fe/lagrange.hpp"

namespace tessera::fe {

/// Map of one element, evaluated at one point if the element is curved.
template <class Element> struct ElementMap {
  static constexpr int Dim = Element::dimension;
  static constexpr int n_vertices = Dim + 1;
  static constexpr int n_nodes = Element::n_nodes;

  double p[n_vertices][Dim];           ///< vertices
  double grad_lambda[n_vertices][Dim]; ///< of the barycentric coordinates; curved elements: at the current point
  double measure;                      ///< of the element; curved elements: of the current point's tangent simplex
  double tangent[n_vertices][Dim];     ///< curved elements only: vertices of the tangent simplex
  bool is_curved;

  /// Loads the vertices; gradients and measure are those of the straight element until move_to().
  KOKKOS_FUNCTION void load(const double* coordinates, const index_t (&n)[n_nodes], bool curved) {
    load_vertices<Element>(coordinates, n, p);
    is_curved = Element::order == 2 && curved;
    measure = simplex_gradients(p, grad_lambda);
  }

  /// Moves to a point; changes nothing in a straight element.
  KOKKOS_FUNCTION void move_to(const double* coordinates, const index_t (&n)[n_nodes],
                               const double (&lambda)[n_vertices]) {
    if constexpr (Element::order == 2) {
      if (!is_curved)
        return;
      set_tangent(coordinates, n, lambda);
      measure = simplex_gradients(tangent, grad_lambda);
    }
  }

  /// Coordinate d of the point with barycentric coordinates lambda, to which the map was moved.
  KOKKOS_FUNCTION double coordinate(int d, const double (&lambda)[n_vertices]) const {
    double sum = 0.;
    for (int k = 0; k < n_vertices; ++k)
      sum += lambda[k] * p[k][d];
    if constexpr (Element::order == 2) {
      if (!is_curved)
        return sum;
      double other = 0.;
      for (int k = 0; k < n_vertices; ++k)
        other += lambda[k] * tangent[k][d];
      sum = 0.5 * (sum + other);
    }
    return sum;
  }

  /// Length or area of the facet opposite to a vertex; in a curved element that of the tangent simplex's facet.
  KOKKOS_FUNCTION double facet_size(int opposite) const {
    return Element::order == 2 && is_curved ? facet_measure(tangent, opposite) : facet_measure(p, opposite);
  }

  /// Finds the barycentric coordinates of x by Newton's method, and moves there. Returns whether it converged within
  /// 1e-12 of the element's size.
  KOKKOS_FUNCTION bool find(const double* coordinates, const index_t (&n)[n_nodes], const double* x,
                            double (&lambda)[n_vertices]) {
    for (int k = 0; k < n_vertices; ++k)
      lambda[k] = 1. / n_vertices;
    double size = 0.;
    for (int d = 0; d < Dim; ++d)
      for (int k = 1; k < n_vertices; ++k) {
        const double width = p[k][d] < p[0][d] ? p[0][d] - p[k][d] : p[k][d] - p[0][d];
        size = width > size ? width : size;
      }
    constexpr int n_steps = 25; // an affine map needs one step, a curved element of a usable mesh about four
    for (int step = 0; step < n_steps; ++step) {
      move_to(coordinates, n, lambda);
      double residual[Dim];
      double largest = 0.;
      for (int d = 0; d < Dim; ++d) {
        residual[d] = x[d] - coordinate(d, lambda);
        const double own = residual[d] < 0. ? -residual[d] : residual[d];
        largest = own > largest ? own : largest;
      }
      if (largest <= 1e-12 * size)
        return true;
      for (int k = 0; k < n_vertices; ++k)
        for (int d = 0; d < Dim; ++d)
          lambda[k] += grad_lambda[k][d] * residual[d];
    }
    return false;
  }

private:
  KOKKOS_FUNCTION void set_tangent(const double* coordinates, const index_t (&n)[n_nodes],
                                   const double (&lambda)[n_vertices]) {
    using simplex = typename Element::simplex;
    for (int k = 0; k < n_vertices; ++k)
      for (int d = 0; d < Dim; ++d)
        tangent[k][d] = p[k][d];
    for (int edge = 0; edge < simplex::n_edges; ++edge) {
      const int k = simplex::edge_begin(edge);
      const int l = simplex::edge_end(edge);
      const Point<Dim> middle = point_at<Dim>(coordinates, n[n_vertices + edge]);
      for (int d = 0; d < Dim; ++d) {
        const double bend = 4. * (middle.x[d] - 0.5 * (p[k][d] + p[l][d]));
        tangent[k][d] += lambda[l] * bend;
        tangent[l][d] += lambda[k] * bend;
      }
    }
  }
};

} // namespace tessera::fe

#endif
