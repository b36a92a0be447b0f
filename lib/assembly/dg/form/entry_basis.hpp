// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_FORM_ENTRY_BASIS_HPP
#define TESSERA_ASSEMBLY_DG_FORM_ENTRY_BASIS_HPP

/// \file
/// Single basis functions of a modal space for kernels that compute a matrix entry by entry: a thread keeps the
/// coefficients of their one-dimensional factors in registers and evaluates them by fused multiply-adds (section 3.2 of
/// Dong, Georgoulis, Kappas). Coordinates are those of the element's box, in [-1, 1], and of the step in time.

#include "assembly/dg/form/form.hpp"

#include <cmath>
#include <type_traits>

namespace tessera::assembly::dg {

/// a b + c in single or double precision, rounded once on every backend.
template <class Number> KOKKOS_INLINE_FUNCTION Number multiply_add(Number a, Number b, Number c) {
  if constexpr (std::is_same_v<Number, float>)
    return ::fmaf(a, b, c);
  else
    return ::fma(a, b, c);
}

/// fe::LegendrePowers, rounded.
template <class Number> struct LegendrePowers {
  Number c[fe::LegendrePowers::max_degree + 1][fe::LegendrePowers::max_degree + 1];

  LegendrePowers() {
    const fe::LegendrePowers powers;
    for (int k = 0; k <= fe::LegendrePowers::max_degree; ++k)
      for (int m = 0; m <= fe::LegendrePowers::max_degree; ++m)
        c[k][m] = static_cast<Number>(powers.c[k][m]);
  }
};

/// A function of space at a point, and its gradient in the coordinates of the box.
template <int Dim, class Number> struct FunctionInSpace {
  Number value;
  Number gradient[Dim];
};

/// A basis function, of degree P at most: kernels for a larger P give the same bits.
template <int Dim, int P, class Number> struct BasisFunction {
  Number c[Dim + 1][P + 1]; ///< the factors in powers of the coordinates, time last

  /// Loads function i of a step.
  template <class MemorySpace>
  KOKKOS_FUNCTION void load(const fe::ModalSpace<Dim, MemorySpace>& space, const LegendrePowers<Number>& powers,
                            int i) {
    for (int d = 0; d <= Dim; ++d) {
      const int degree = space.indices(i, d);
      for (int m = 0; m <= P; ++m)
        c[d][m] = powers.c[degree][m];
    }
  }

  /// Factor in direction d, Dim for time.
  KOKKOS_FUNCTION Number factor(int d, Number x) const {
    Number value = c[d][P];
    for (int m = P - 1; m >= 0; --m)
      value = multiply_add(value, x, c[d][m]);
    return value;
  }
  KOKKOS_FUNCTION Number factor(int d, Number x, Number& derivative) const {
    Number value = c[d][P];
    derivative = Number(0);
    for (int m = P - 1; m >= 0; --m) {
      derivative = m == P - 1 ? value : multiply_add(derivative, x, value);
      value = multiply_add(value, x, c[d][m]);
    }
    return value;
  }
  KOKKOS_FUNCTION Number value_in_space(const Number (&x)[Dim]) const {
    Number value = factor(0, x[0]);
    for (int d = 1; d < Dim; ++d)
      value *= factor(d, x[d]);
    return value;
  }
  KOKKOS_FUNCTION FunctionInSpace<Dim, Number> in_space(const Number (&x)[Dim]) const {
    Number f[Dim];
    Number s[Dim];
    for (int d = 0; d < Dim; ++d)
      f[d] = factor(d, x[d], s[d]);
    FunctionInSpace<Dim, Number> result;
    if constexpr (Dim == 2) {
      result.value = f[0] * f[1];
      result.gradient[0] = s[0] * f[1];
      result.gradient[1] = f[0] * s[1];
    } else {
      const Number last = f[1] * f[2];
      result.value = f[0] * last;
      result.gradient[0] = s[0] * last;
      result.gradient[1] = f[0] * s[1] * f[2];
      result.gradient[2] = f[0] * f[1] * s[2];
    }
    return result;
  }
};

/// Vertices of a simplex or of a face in the coordinates of an element's box.
template <int Dim, int NVertices, class Number> struct VerticesInBox {
  Number x[NVertices][Dim];

  /// The nodes are in row `item` of an array.
  template <class MemorySpace, class Nodes>
  KOKKOS_FUNCTION void load(const Form<Dim, MemorySpace>& form, index_t e, const Nodes& nodes, index_t item) {
    for (int k = 0; k < NVertices; ++k)
      for (int d = 0; d < Dim; ++d)
        x[k][d] = static_cast<Number>(form.space.box_coordinate(e, d, form.coordinates(nodes(item, k), d)));
  }
  /// The point with the barycentric coordinates in row `row` of a rule.
  template <class Points> KOKKOS_FUNCTION void point(const Points& points, int row, Number (&result)[Dim]) const {
    for (int d = 0; d < Dim; ++d)
      result[d] = Number(0);
    for (int k = 0; k < NVertices; ++k) {
      const Number lambda = points(row, k);
      for (int d = 0; d < Dim; ++d)
        result[d] = multiply_add(lambda, x[k][d], result[d]);
    }
  }
};

/// Points and weights of the rules of a form in a precision.
template <int NVertices, class Number, class Space> struct EntryRule {
  Array<const Number* [NVertices], Space> points;
  Array<const Number*, Space> weights;
};
template <int Dim, class Number, class Space> struct EntryRules {
  EntryRule<Dim + 1, Number, Space> volume;
  EntryRule<Dim, Number, Space> face;
  EntryRule<2, Number, Space> time;
};

namespace detail {
template <int NVertices, class Space> struct RoundRule {
  EntryRule<NVertices, double, Space> rule;
  Array<float* [NVertices], Space> points;
  Array<float*, Space> weights;
  KOKKOS_FUNCTION void operator()(index_t q) const {
    weights(q) = static_cast<float>(rule.weights(q));
    for (int k = 0; k < NVertices; ++k)
      points(q, k) = static_cast<float>(rule.points(q, k));
  }
};

template <class Number, int NVertices, class ExecutionSpace, class Space>
EntryRule<NVertices, Number, Space> entry_rule(const ExecutionSpace& exec,
                                               const fe::SimplexRules<NVertices, Space>& rules) {
  if constexpr (std::is_same_v<Number, double>) {
    return {rules.points, rules.weights};
  } else {
    const auto n = static_cast<index_t>(rules.weights.extent(0));
    const auto points = make_array<Array<float* [NVertices], Space>>(exec, "assembly::dg::rule_points", n);
    const auto weights = make_array<Array<float*, Space>>(exec, "assembly::dg::rule_weights", n);
    for_each("tessera::assembly::dg::round_rule", exec, n,
             RoundRule<NVertices, Space>{{rules.points, rules.weights}, points, weights});
    return {points, weights};
  }
}
} // namespace detail

template <class Number, class ExecutionSpace, int Dim>
EntryRules<Dim, Number, typename ExecutionSpace::memory_space>
entry_rules(const ExecutionSpace& exec, const Form<Dim, typename ExecutionSpace::memory_space>& form) {
  return {detail::entry_rule<Number>(exec, form.volume_rules), detail::entry_rule<Number>(exec, form.face_rules),
          detail::entry_rule<Number>(exec, form.time_rules)};
}

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
template <class Number> struct StepCoordinate {
  Number scale;
  Number shift;
  KOKKOS_FUNCTION StepCoordinate(const Rule& rule, int n_steps, int step)
      : scale(Number(2 * n_steps) / Number(rule.n_steps)), shift(-Number(1 + 2 * step)) {}
  KOKKOS_FUNCTION Number operator()(int k, Number tau) const { return multiply_add(scale, Number(k) + tau, shift); }
};

} // namespace tessera::assembly::dg

#endif
