// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_FORM_ENTRY_BASIS_HPP
#define TESSERA_ASSEMBLY_DG_FORM_ENTRY_BASIS_HPP

/// \file
/// Single basis functions of a modal space for kernels that compute a matrix entry by entry: a thread keeps the
/// coefficients of their one-dimensional factors in registers and evaluates them by fused multiply-adds (section 3.2 of
/// Dong, Georgoulis, Kappas). Coordinates are those of the element's box, in [-1, 1], and of the step in time.

#include "assembly/dg/form/form.hpp"

namespace tessera::assembly::dg {

/// A function of space at a point, and its gradient in the coordinates of the box.
template <int Dim> struct FunctionInSpace {
  double value;
  double gradient[Dim];
};

/// A basis function, of degree P at most: kernels for a larger P give the same bits.
template <int Dim, int P> struct BasisFunction {
  double c[Dim + 1][P + 1]; ///< the factors in powers of the coordinates, time last

  /// Loads function i of a step.
  template <class MemorySpace>
  KOKKOS_FUNCTION void load(const fe::ModalSpace<Dim, MemorySpace>& space, const fe::LegendrePowers& powers, int i) {
    for (int d = 0; d <= Dim; ++d) {
      const int degree = space.indices(i, d);
      for (int m = 0; m <= P; ++m)
        c[d][m] = powers.c[degree][m];
    }
  }

  /// Factor in direction d, Dim for time.
  KOKKOS_FUNCTION double factor(int d, double x) const {
    double value = c[d][P];
    for (int m = P - 1; m >= 0; --m)
      value = ::fma(value, x, c[d][m]);
    return value;
  }
  KOKKOS_FUNCTION double factor(int d, double x, double& derivative) const {
    double value = c[d][P];
    derivative = 0.;
    for (int m = P - 1; m >= 0; --m) {
      derivative = m == P - 1 ? value : ::fma(derivative, x, value);
      value = ::fma(value, x, c[d][m]);
    }
    return value;
  }
  KOKKOS_FUNCTION double value_in_space(const double (&x)[Dim]) const {
    double value = factor(0, x[0]);
    for (int d = 1; d < Dim; ++d)
      value *= factor(d, x[d]);
    return value;
  }
  KOKKOS_FUNCTION FunctionInSpace<Dim> in_space(const double (&x)[Dim]) const {
    double f[Dim];
    double s[Dim];
    for (int d = 0; d < Dim; ++d)
      f[d] = factor(d, x[d], s[d]);
    FunctionInSpace<Dim> result;
    if constexpr (Dim == 2) {
      result.value = f[0] * f[1];
      result.gradient[0] = s[0] * f[1];
      result.gradient[1] = f[0] * s[1];
    } else {
      const double last = f[1] * f[2];
      result.value = f[0] * last;
      result.gradient[0] = s[0] * last;
      result.gradient[1] = f[0] * s[1] * f[2];
      result.gradient[2] = f[0] * f[1] * s[2];
    }
    return result;
  }
};

/// Vertices of a simplex or of a face in the coordinates of an element's box.
template <int Dim, int NVertices> struct VerticesInBox {
  double x[NVertices][Dim];

  /// The nodes are in row `item` of an array.
  template <class MemorySpace, class Nodes>
  KOKKOS_FUNCTION void load(const Form<Dim, MemorySpace>& form, index_t e, const Nodes& nodes, index_t item) {
    for (int k = 0; k < NVertices; ++k)
      for (int d = 0; d < Dim; ++d)
        x[k][d] = form.space.box_coordinate(e, d, form.coordinates(nodes(item, k), d));
  }
  /// The point with the barycentric coordinates in row `row` of a rule.
  template <class Points> KOKKOS_FUNCTION void point(const Points& points, int row, double (&result)[Dim]) const {
    for (int d = 0; d < Dim; ++d)
      result[d] = 0.;
    for (int k = 0; k < NVertices; ++k) {
      const double lambda = points(row, k);
      for (int d = 0; d < Dim; ++d)
        result[d] = ::fma(lambda, x[k][d], result[d]);
    }
  }
};

/// The steps of a rule that are in a step of an element.
struct StepTimes {
  int first;
  int end;
  KOKKOS_FUNCTION StepTimes(const Rule& rule, int n_steps, int step) : first(0), end(rule.n_steps) {
    limit(rule, n_steps, step);
  }

  /// Limits them to those in a step of another element, which has `n_steps`, too.
  KOKKOS_FUNCTION void limit(const Rule& rule, int n_steps, int step) {
    const int of_step = rule.n_steps / n_steps;
    first = first < step * of_step ? step * of_step : first;
    end = end > (step + 1) * of_step ? (step + 1) * of_step : end;
  }
};

/// Map from the times of a rule to the coordinate of an element's step: point tau in [0, 1] of step k of the rule is at
/// scale (k + tau) + shift.
struct StepCoordinate {
  double scale;
  double shift;
  KOKKOS_FUNCTION StepCoordinate(const Rule& rule, int n_steps, int step)
      : scale(2. * n_steps / rule.n_steps), shift(-(1. + 2. * step)) {}
  KOKKOS_FUNCTION double operator()(int k, double tau) const { return ::fma(scale, k + tau, shift); }
};

} // namespace tessera::assembly::dg

#endif
