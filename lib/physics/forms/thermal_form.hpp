// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FORMS_THERMAL_FORM_HPP
#define TESSERA_PHYSICS_FORMS_THERMAL_FORM_HPP

/// \file
/// Diffusion whose coefficient D and capacity c depend on the solution T, as device functors of one element.
///
/// Newton's method: element matrix and load are those of the system whose solution is the next iterate. At the iterate
/// T with the derivatives D' and c', and with storage at the rate r from the values w before,
///   K = int D grad N_b . grad N_a + N_b (D' grad T) . grad N_a + r (c + c' (T - w)) N_a N_b,
///   f = int s N_a + T (D' grad T) . grad N_a + r (c w + c' (T - w) T) N_a,
/// so that f - K T is the residual. K is not symmetric.

#include "physics/forms/diffusion_form.hpp"

namespace tessera::physics {

/// The base class is diffusion with D and c at the iterate: what is derived from a solution, and residuals, are those
/// of the base class. `row` and `system` give the same bits.
template <int Dim, int Order, class MemorySpace> struct ThermalDiffusion : GeneralDiffusion<Dim, Order, MemorySpace> {
  using Base = GeneralDiffusion<Dim, Order, MemorySpace>;
  using Base::n_nodes;
  using Base::n_pairs;
  using Base::n_vertices;
  using typename Base::element;
  using typename Base::Map;
  using typename Base::OffDiagonal;
  using typename Base::volume_rule;
  static constexpr bool is_symmetric = false;
  static constexpr int temperature = Dim; ///< columns of `state`
  static constexpr int capacity_slope = Dim + 1;

  /// At the quadrature points of all elements: D' grad T, T, c'.
  Array<double * [Dim + 2], MemorySpace> state;
  /// The values that the base class has, of all elements.
  Array<double* [Dim], MemorySpace> all_coefficients;
  Array<double* [n_pairs], MemorySpace> all_off_diagonals; ///< empty: D is diagonal
  Array<double*, MemorySpace> all_capacities;              ///< empty: no storage
  Array<const index_t*, MemorySpace> numbers;              ///< of the elements of a part among all; empty: all

  template <class ExecutionSpace> ThermalDiffusion<Dim, Order, HostMemory> to_host(const ExecutionSpace& exec) const {
    ThermalDiffusion<Dim, Order, HostMemory> host;
    static_cast<GeneralDiffusion<Dim, Order, HostMemory>&>(host) = Base::to_host(exec);
    const detail::CopyToHost<ExecutionSpace> copy{exec};
    visit_own(*this, host, copy);
    copy(numbers, host.numbers);
    return host;
  }
  template <class Form, class Other, class Visit> static void visit_data(Form& form, Other& other, Visit&& visit) {
    Base::visit_data(form, other, visit);
    visit_own(form, other, visit);
  }
  template <class Form, class Other, class Visit> static void visit_own(Form& form, Other& other, Visit&& visit) {
    visit(form.state, other.state);
    visit(form.all_coefficients, other.all_coefficients);
    visit(form.all_off_diagonals, other.all_off_diagonals);
    visit(form.all_capacities, other.all_capacities);
  }

  /// As in GeneralDiffusion; the linearisation stays that of all elements.
  template <class ExecutionSpace>
  ThermalDiffusion part(const ExecutionSpace& exec, const Array<const index_t*, ExecutionSpace>& elements) const {
    ThermalDiffusion form = *this;
    static_cast<Base&>(form) = Base::part(exec, elements);
    form.numbers = numbers.extent(0) > 0 ? gather_rows(exec, numbers, elements) : elements;
    return form;
  }

  TESSERA_NOINLINE KOKKOS_FUNCTION void system(index_t e, const index_t (&n)[n_nodes], double (&K)[n_nodes][n_nodes],
                                               double (&f)[n_nodes]) const {
    double facets[n_nodes][n_nodes];
    for (int a = 0; a < n_nodes; ++a) {
      f[a] = 0.;
      for (int b = 0; b < n_nodes; ++b)
        K[a][b] = facets[a][b] = 0.;
    }
    Map map;
    map.load(this->coordinates.data(), n, this->is_curved(e));
    for (int q = 0; q < volume_rule::n_points; ++q) {
      const Point point = make_point(e, n, q, map);
      for (int a = 0; a < n_nodes; ++a) {
        const double drift = drift_of(point, a);
        f[a] += load_of(point, a, drift);
        for (int b = 0; b < n_nodes; ++b)
          K[a][b] += entry_of(point, a, b, drift);
      }
    }
    this->add_facets(e, n, map, facets, f);
    for (int a = 0; a < n_nodes; ++a)
      for (int b = 0; b < n_nodes; ++b)
        K[a][b] += facets[a < b ? a : b][a < b ? b : a];
  }

  TESSERA_NOINLINE KOKKOS_FUNCTION double row(index_t e, int a, index_t (&n)[n_nodes], double (&k)[n_nodes]) const {
    double facets[n_nodes];
    for (int b = 0; b < n_nodes; ++b)
      k[b] = facets[b] = 0.;
    double load = 0.;
    this->nodes(e, n);
    Map map;
    map.load(this->coordinates.data(), n, this->is_curved(e));
    for (int q = 0; q < volume_rule::n_points; ++q) {
      const Point point = make_point(e, n, q, map);
      const double drift = drift_of(point, a);
      load += load_of(point, a, drift);
      for (int b = 0; b < n_nodes; ++b)
        k[b] += entry_of(point, a, b, drift);
    }
    this->facet_row(e, a, n, map, facets, load);
    for (int b = 0; b < n_nodes; ++b)
      k[b] += facets[b];
    return load;
  }

private:
  /// A quadrature point with its data; what belongs to storage is 0 without it.
  struct Point {
    double weight;
    double source;
    double D[Dim];
    OffDiagonal off;
    double drift[Dim]; ///< D' grad T
    double T;
    double stored;        ///< r (c + c' (T - w))
    double stored_before; ///< r (c w + c' (T - w) T)
    double N[n_nodes];
    double gradient[n_nodes][Dim];
  };

  KOKKOS_FUNCTION Point make_point(index_t e, const index_t (&n)[n_nodes], int q, Map& map) const {
    Point point{};
    double lambda[n_vertices];
    point.weight = this->volume_point(e, n, q, map, lambda, point.D, point.source);
    const std::int64_t number = numbers.extent(0) > 0 ? numbers(e) : e;
    const std::int64_t at = number * volume_rule::n_points + q;
    for (int d = 0; d < Dim; ++d) {
      point.D[d] = all_coefficients(at, d);
      point.drift[d] = state(at, d);
    }
    for (int i = 0; this->has_tensors() && i < n_pairs; ++i)
      point.off.entry[i] = all_off_diagonals(at, i);
    point.T = state(at, temperature);
    double before = 0.;
    for (int a = 0; a < n_nodes; ++a) {
      point.N[a] = element::value(a, lambda);
      element::gradient(a, lambda, map.grad_lambda, point.gradient[a]);
      if (this->has_storage())
        before += this->earlier(n[a]) * point.N[a];
    }
    if (this->has_storage()) {
      const double c = all_capacities(at);
      const double change = state(at, capacity_slope) * (point.T - before);
      point.stored = this->rate(0) * (c + change);
      point.stored_before = this->rate(0) * (c * before + change * point.T);
    }
    return point;
  }
  KOKKOS_FUNCTION static double drift_of(const Point& point, int a) {
    double sum = 0.;
    for (int d = 0; d < Dim; ++d)
      sum += point.drift[d] * point.gradient[a][d];
    return sum;
  }
  KOKKOS_FUNCTION static double load_of(const Point& point, int a, double drift) {
    return point.weight * (drift * point.T + (point.source + point.stored_before) * point.N[a]);
  }
  KOKKOS_FUNCTION double entry_of(const Point& point, int a, int b, double drift) const {
    return point.weight * (this->flux_product(point.D, point.off, point.gradient[a], point.gradient[b]) +
                           (drift + point.stored * point.N[a]) * point.N[b]);
  }
};

} // namespace tessera::physics

#endif
