// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_FORM_ENTRY_INTEGRALS_HPP
#define TESSERA_ASSEMBLY_DG_FORM_ENTRY_INTEGRALS_HPP

/// \file
/// Entries of the matrices and loads of single simplices and faces, each by a loop over the quadrature points that
/// evaluates the basis for every entry (algorithm 3.1 of Dong, Georgoulis, Kappas): common to the paper's two
/// approaches to assembly. As there, a kernel is compiled for a degree, and faces belong to the larger degree of their
/// elements (section 3.1). Coefficients are evaluated at every point unless they are constant in the region.

#include "assembly/dg/form/entry_basis.hpp"
#include "assembly/dg/form/face_terms.hpp"
#include "linalg/blocks/block_crs_matrix.hpp"

#include <type_traits>

namespace tessera::assembly::dg {

/// Kinds of boundary faces, by the paper's kernels.
enum class BoundaryKind { dirichlet, inflow, natural };

/// The kernels of the kinds, by the suffixes of their names.
constexpr struct {
  BoundaryKind kind;
  const char* name;
} boundary_kinds[] = {{BoundaryKind::dirichlet, "dirichlet"},
                      {BoundaryKind::inflow, "inflow"},
                      {BoundaryKind::natural, "natural"}}; // Neumann or outflow

/// What is integrated over an item: the entries or the loads of a simplex, the entries of an interior face, or both of
/// a boundary face (from 0).
enum class Integral { volume, loads, interior, boundary };

/// Degree of the kernel that computes items of a degree: the largest degree of its items.
template <int Dim> KOKKOS_INLINE_FUNCTION constexpr int kernel_of(int degree) {
  return degree <= 1 ? 1 : degree <= 3 ? degree : degree <= 5 ? 5 : fe::max_modal_degree<Dim>;
}

/// Limits the registers of a kernel for entries, so that enough threads hide the latency of its operations. Those that
/// evaluate expressions would have more.
template <int P> using EntryBounds = Kokkos::LaunchBounds<128, P <= 3 ? 4 : P <= 5 ? 3 : 2>;

/// Calls f with the degree of a kernel as a constant.
template <int Dim, class Function> void visit_kernel(int kernel, const Function& f) {
  constexpr int largest = fe::max_modal_degree<Dim>;
  kernel == 1   ? f(std::integral_constant<int, 1>())
  : kernel == 2 ? f(std::integral_constant<int, 2>())
  : kernel == 3 ? f(std::integral_constant<int, 3>())
  : kernel == 5 ? f(std::integral_constant<int, 5>())
                : f(std::integral_constant<int, largest>());
}

/// Coefficients at a point, for gradients in the coordinates of an element's box.
template <int Dim, class Number> struct VolumeTerms {
  Number A[Dim][Dim] = {};
  Number b[Dim] = {};
  Number c = 0;
};

/// Factors of a face term at a point (face_terms.hpp) between test and trial functions of given sides, for gradients in
/// the coordinates of the elements' boxes.
template <int Dim, class Number> struct PairTerms {
  Number alpha = 0;
  Number beta = 0;
  Number gamma = 0;
  Number test_flux[Dim] = {};
  Number trial_flux[Dim] = {};
};

/// Calls of a sink `block(row, column)` for the block of two elements, `add(block, i, j, value)` for entries of basis
/// functions i and j in it, and `add_load(row, i, value)` for loads. Entries are computed in the precision of `Number`,
/// with `rules` in it; coefficients, measures and loads in double precision.
template <int Dim, class Space, class Number = double> struct EntryIntegrals {
  using Coefficients = physics::AdvectionCoefficients<Dim, Space>;
  Form<Dim, Space> form;
  bool with_matrix;
  EntryRules<Dim, Number, Space> rules = {};
  LegendrePowers<Number> powers = {};
  struct None {};
  std::conditional_t<std::is_same_v<Number, double>, None, LegendrePowers<double>> double_powers = {};

  /// Degree of the kernel that computes an item.
  template <Integral Which> KOKKOS_FUNCTION int kernel_of(index_t item) const {
    const int degree =
        Which == Integral::volume ? form.space.degrees(form.element_of(item)) : form.face_rule(item).degree;
    return dg::kernel_of<Dim>(degree);
  }
  /// Adds the entries and loads of an item to a sink. Boundary faces are numbered from 0.
  template <Integral Which, int P, class Sink> KOKKOS_FUNCTION void add(index_t item, const Sink& sink) const {
    if constexpr (Which == Integral::volume)
      add_volume_entries<P>(item, sink);
    else if constexpr (Which == Integral::loads)
      add_volume_loads<P>(item, sink);
    else if constexpr (Which == Integral::interior)
      add_interior_face<P>(item, sink);
    else
      add_boundary_face<P>(form.faces.n_interior + item, sink);
  }

  /// Kernel of a boundary face: the part of the boundary to which its first point belongs.
  KOKKOS_FUNCTION BoundaryKind kind_of(index_t face) const {
    const index_t e = form.element(face, 0);
    double n[Dim];
    double x[Dim + 1];
    double flux[Dim];
    double trace;
    form.face_normal(face, n);
    form.face_point(face, form.face_rule(face), 0, x);
    const double an = detail::normal_flux(form, e, x, n, 1., flux, trace);
    const double bn = detail::normal_advection(form, e, x, n, 1.);
    const auto condition = form.coefficients.condition(form.boundary_group(face));
    const physics::BoundaryPart part = physics::boundary_part(condition, an, trace, bn);
    return part == physics::BoundaryPart::dirichlet ? BoundaryKind::dirichlet
           : part == physics::BoundaryPart::inflow  ? BoundaryKind::inflow
                                                    : BoundaryKind::natural;
  }

private:
  static constexpr int load_tile = 8; ///< loads that are integrated at a time, with one evaluation of the data
  /// Trial functions that are integrated at a time, with one evaluation of coefficients that are not constant: these
  /// take longer than the functions, as they are expressions, not compiled code as in the paper.
  template <bool Constant> static constexpr int trial_tile = Constant ? 1 : 5;

  /// Trial functions `first`, `first` + 1, ... of a step, N or what there are.
  template <int P, int N> struct TrialTile {
    const EntryIntegrals& integrals;
    int first;
    int n;
    BasisFunction<Dim, P, Number> only; ///< of a tile of one

    KOKKOS_FUNCTION TrialTile(const EntryIntegrals& integrals_, int first_, int step_size)
        : integrals(integrals_), first(first_), n(step_size - first_ < N ? step_size - first_ : N) {
      if constexpr (N == 1)
        only.load(integrals.form.space, integrals.powers, first);
    }
    /// The last function instead of those that do not exist.
    KOKKOS_FUNCTION BasisFunction<Dim, P, Number> operator()(int t) const {
      if constexpr (N == 1)
        return only;
      BasisFunction<Dim, P, Number> w;
      w.load(integrals.form.space, integrals.powers, first + (t < n ? t : n - 1));
      return w;
    }
  };

  /// Whether the coefficients up to a slot are constant in a region.
  KOKKOS_FUNCTION bool is_constant(group_t region, int end_slot) const {
    bool found = true;
    for (int slot = 0; slot < end_slot; ++slot)
      found = found && form.coefficients.programs(region * Coefficients::n_stored + slot) < 0;
    return found;
  }
  KOKKOS_FUNCTION const LegendrePowers<double>& load_powers() const {
    if constexpr (std::is_same_v<Number, double>)
      return powers;
    else
      return double_powers;
  }
  /// d tau / d t of the coordinate tau of an element's steps.
  KOKKOS_FUNCTION double time_scale(index_t e) const {
    return form.is_slab() ? 2. * form.space.n_steps(e) / (form.space.to - form.space.from) : 0.;
  }
  /// Time that a step of a rule takes; 1 in a steady problem.
  KOKKOS_FUNCTION double step_measure(const Rule& rule) const { return form.time_measure() / rule.n_steps; }
  /// Step of an element to which a basis function belongs.
  KOKKOS_FUNCTION int step_of(int i, int step_size) const { return form.space.largest_steps == 1 ? 0 : i / step_size; }

  /// At point q of a rule in a simplex, at time q_time. Not inlined: it evaluates expressions.
  KOKKOS_FUNCTION TESSERA_NOINLINE VolumeTerms<Dim, Number> volume_terms(index_t simplex, Rule rule, int q,
                                                                         int q_time) const {
    const index_t e = form.element_of(simplex);
    const group_t region = form.regions(e);
    double x[Dim + 1];
    form.initial_point(simplex, rule, q, x);
    form.set_time(rule, q_time, x);
    double A[Coefficients::n_diffusion];
    VolumeTerms<Dim, Number> terms;
    form.coefficients.diffusion(region, x, A);
    double b[Dim];
    form.coefficients.advection(region, x, b);
    terms.c = static_cast<Number>(form.coefficients.value(region, Coefficients::reaction_slot, x));
    int k = 0;
    for (int i = 0; i < Dim; ++i) {
      for (int j = i; j < Dim; ++j, ++k)
        terms.A[i][j] = terms.A[j][i] = static_cast<Number>(A[k] * (form.space.scale(e, i) * form.space.scale(e, j)));
      terms.b[i] = static_cast<Number>(b[i] * form.space.scale(e, i));
    }
    return terms;
  }

  /// Constant coefficients have a loop of their own, which keeps its registers: no call interrupts it.
  template <int P, class Sink> KOKKOS_FUNCTION void add_volume_entries(index_t simplex, const Sink& sink) const {
    const index_t e = form.element_of(simplex);
    if (is_constant(form.regions(e), Coefficients::source_slot))
      add_volume_entries<P, true>(simplex, e, volume_terms(simplex, form.element_rule(e), 0, 0), sink);
    else
      add_volume_entries<P, false>(simplex, e, {}, sink);
  }
  template <int P, bool Constant, class Sink>
  KOKKOS_FUNCTION void add_volume_entries(index_t simplex, index_t e, const VolumeTerms<Dim, Number>& terms,
                                          const Sink& sink) const {
    const int size = form.space.size(e);
    const int step_size = form.space.step_size(e);
    const auto measure = static_cast<Number>(form.simplex_measure(simplex));
    VerticesInBox<Dim, Dim + 1, Number> vertices;
    vertices.load(form, e, form.simplices, simplex);
    const auto block = sink.block(e, e);
    for (int i = 0; i < size; ++i) {
      const int step = step_of(i, step_size);
      BasisFunction<Dim, P, Number> v;
      v.load(form.space, powers, i - step * step_size);
      for (int trial_step = 0; trial_step * step_size < size; ++trial_step)
        for (int first = 0; first < step_size; first += trial_tile<Constant>) {
          const TrialTile<P, trial_tile<Constant>> trials(*this, first, step_size);
          Number values[trial_tile<Constant>] = {};
          if (trial_step == step)
            volume_entries<Constant>(simplex, vertices, v, trials, step, terms, values);
          for (int t = 0; t < trials.n; ++t) {
            if (trial_step == step - 1)
              values[t] = -start_entry(e, vertices, v, trials(t), Number(1));
            sink.add(block, i, trial_step * step_size + first + t, measure * values[t]);
          }
        }
    }
  }

  /// Entries of functions of a step, per measure of the simplex.
  template <bool Constant, int P, int N>
  KOKKOS_FUNCTION void volume_entries(index_t simplex, const VerticesInBox<Dim, Dim + 1, Number>& vertices,
                                      const BasisFunction<Dim, P, Number>& v, const TrialTile<P, N>& trials, int step,
                                      VolumeTerms<Dim, Number> terms, Number (&values)[N]) const {
    const index_t e = form.element_of(simplex);
    const Rule rule = form.element_rule(e);
    const StepTimes times(rule, form.space.n_steps(e), step);
    const StepCoordinate<Number> coordinate(rule, form.space.n_steps(e), step);
    const int n_times = form.n_times_of_step(rule);
    const int n_points = form.n_points_in_space(rule);
    const int first_point = form.volume_rules.offsets(rule.degree);
    const int first_time = form.time_rules.offsets(rule.degree);
    const auto derivative_scale = static_cast<Number>(time_scale(e));
    // At the start of the step, the jump from the step or slab before.
    const auto at_start = [&](const BasisFunction<Dim, P, Number>& w) {
      return v.factor(Dim, Number(-1)) * w.factor(Dim, Number(-1)) / static_cast<Number>(step_measure(rule));
    };
    for (int q = 0; q < n_points; ++q) {
      Number x[Dim];
      vertices.point(rules.volume.points, first_point + q, x);
      const FunctionInSpace<Dim, Number> test = v.in_space(x);
      FunctionInSpace<Dim, Number> only;
      if constexpr (N == 1)
        only = trials(0).in_space(x);
      Number in_time[N] = {};
      for (int k = times.first; k < times.end; ++k)
        for (int r = 0; r < n_times; ++r) {
          if constexpr (!Constant)
            terms = volume_terms(simplex, rule, q, k * n_times + r);
          const Number tau = coordinate(k, rules.time.points(first_time + r, 1));
          const Number test_factor = v.factor(Dim, tau);
          const Number weight = rules.time.weights(first_time + r);
          TESSERA_UNROLL
          for (int t = 0; t < N; ++t) {
            const BasisFunction<Dim, P, Number> w = trials(t);
            const FunctionInSpace<Dim, Number> trial = N == 1 ? only : w.in_space(x);
            Number derivative;
            const Number trial_factor = w.factor(Dim, tau, derivative);
            if (form.is_slab() && k == times.first && r == 0)
              in_time[t] = at_start(w) * (test.value * trial.value);
            Number trial_terms =
                multiply_add(terms.c, trial.value * trial_factor, trial.value * derivative * derivative_scale);
            Number flux_terms = Number(0);
            for (int d = 0; d < Dim; ++d) {
              const Number gradient = trial.gradient[d] * trial_factor;
              trial_terms = multiply_add(terms.b[d], gradient, trial_terms);
              Number flux = terms.A[0][d] * test.gradient[0];
              for (int other = 1; other < Dim; ++other)
                flux = multiply_add(terms.A[other][d], test.gradient[other], flux);
              flux_terms = d == 0 ? flux * gradient : multiply_add(flux, gradient, flux_terms);
            }
            const Number value = multiply_add(trial_terms, test.value * test_factor, flux_terms * test_factor);
            in_time[t] = multiply_add(weight, value, in_time[t]);
          }
        }
      TESSERA_UNROLL
      for (int t = 0; t < N; ++t)
        values[t] = multiply_add(rules.volume.weights(first_point + q), in_time[t], values[t]);
    }
    for (int t = 0; t < N; ++t)
      values[t] *= static_cast<Number>(step_measure(rule));
  }

  /// Integral over a simplex, per its measure, of a test function at the start of its step times a trial function at
  /// `trial_time` of its own.
  template <int P>
  KOKKOS_FUNCTION Number start_entry(index_t e, const VerticesInBox<Dim, Dim + 1, Number>& vertices,
                                     const BasisFunction<Dim, P, Number>& v, const BasisFunction<Dim, P, Number>& w,
                                     Number trial_time) const {
    const Rule rule = form.element_rule(e);
    const int first_point = form.volume_rules.offsets(rule.degree);
    Number sum = Number(0);
    for (int q = 0; q < form.n_initial_points(rule); ++q) {
      Number x[Dim];
      vertices.point(rules.volume.points, first_point + q, x);
      sum = multiply_add(rules.volume.weights(first_point + q), v.value_in_space(x) * w.value_in_space(x), sum);
    }
    return v.factor(Dim, Number(-1)) * w.factor(Dim, trial_time) * sum;
  }

  template <int P, class Sink> KOKKOS_FUNCTION void add_volume_loads(index_t simplex, const Sink& sink) const {
    const index_t e = form.element_of(simplex);
    const double measure = form.simplex_measure(simplex);
    VerticesInBox<Dim, Dim + 1, double> vertices;
    vertices.load(form, e, form.simplices, simplex);
    const Rule rule = form.element_rule(e);
    const int size = form.space.size(e);
    const int n_times = form.n_times_of_step(rule);
    const int n_initial = form.n_initial_points(rule);
    const int first_point = form.volume_rules.offsets(rule.degree);
    const int first_time = form.time_rules.offsets(rule.degree);
    for (int first = 0; first < size; first += load_tile) {
      double sums[load_tile] = {};
      for (int q = 0; q < form.n_points_in_space(rule); ++q) {
        double box[Dim];
        double x[Dim + 1];
        vertices.point(form.volume_rules.points, first_point + q, box);
        const double weight = form.initial_point(simplex, rule, q, x);
        const double before = q < n_initial ? weight * form.previous_value(e, x) / step_measure(rule) : 0.;
        for (int k = 0; k < rule.n_steps; ++k)
          for (int r = 0; r < n_times; ++r) {
            form.set_time(rule, k * n_times + r, x);
            const double source = weight * form.time_rules.weights(first_time + r) *
                                  form.coefficients.value(form.regions(e), Coefficients::source_slot, x);
            const double initial = k == 0 && r == 0 ? before : 0.;
            add_to_loads<P>(e, first, box, rule, k, form.time_rules.points(first_time + r, 1), source, initial, sums);
          }
      }
      for (int k = 0; k < load_tile; ++k)
        if (first + k < size)
          sink.add_load(e, first + k, measure * step_measure(rule) * sums[k]);
    }
  }
  /// Adds `source` times the functions from `first` on at a point of step `step` of the rule, and `initial` times those
  /// of the first step at its start.
  template <int P>
  KOKKOS_FUNCTION void add_to_loads(index_t e, int first, const double (&x)[Dim], const Rule& rule, int step,
                                    double tau, double source, double initial, double (&sums)[load_tile]) const {
    const int step_size = form.space.step_size(e);
    const int step_of_point = step / (rule.n_steps / form.space.n_steps(e));
    TESSERA_UNROLL
    for (int k = 0; k < load_tile; ++k) {
      const int i = first + k;
      const int step_of_function = step_of(i, step_size);
      if (i >= form.space.size(e) || step_of_function != step_of_point)
        continue;
      BasisFunction<Dim, P, double> v;
      v.load(form.space, load_powers(), i - step_of_function * step_size);
      double factor =
          source * v.factor(Dim, StepCoordinate<double>(rule, form.space.n_steps(e), step_of_function)(step, tau));
      if (initial != 0.)
        factor = ::fma(initial, v.factor(Dim, -1.), factor);
      sums[k] = ::fma(factor, v.value_in_space(x), sums[k]);
    }
  }

  /// At point q of the face's rule at time q_time. Not inlined: it evaluates expressions.
  KOKKOS_FUNCTION TESSERA_NOINLINE PairTerms<Dim, Number> pair_terms(index_t face, Rule rule, int q, int q_time,
                                                                     int row, int column) const {
    const index_t e = form.element(face, row);
    const index_t other = form.element(face, 1 - row);
    const index_t of_column = row == column ? e : other;
    double n[Dim];
    double x[Dim + 1];
    form.face_normal(face, n);
    for (int d = 0; d < Dim; ++d)
      n[d] = row == 0 ? n[d] : -n[d];
    form.initial_face_point(face, rule, q, x);
    form.set_time(rule, q_time, x);
    const FaceTerms<Dim> at_point =
        other < 0 ? boundary_terms(form, face, e, x, n) : interior_terms(form, face, e, other, x, n);
    const double sign = row == column ? 1. : -1.;
    PairTerms<Dim, Number> terms;
    terms.alpha = static_cast<Number>(sign * at_point.alpha);
    terms.beta = static_cast<Number>(at_point.beta);
    terms.gamma = static_cast<Number>(sign * at_point.gamma);
    for (int d = 0; d < Dim; ++d) {
      terms.test_flux[d] = static_cast<Number>(at_point.flux[d] * form.space.scale(e, d));
      terms.trial_flux[d] = static_cast<Number>((row == column ? at_point.flux[d] : at_point.other_flux[d]) *
                                                form.space.scale(of_column, d));
    }
    return terms;
  }

  template <int P, class Sink> KOKKOS_FUNCTION void add_interior_face(index_t face, const Sink& sink) const {
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < 2; ++column)
        add_face_entries<P>(face, row, column, sink);
  }

  template <int P, class Sink> KOKKOS_FUNCTION void add_boundary_face(index_t face, const Sink& sink) const {
    if (with_matrix)
      add_face_entries<P>(face, 0, 0, sink);
    add_boundary_loads<P>(face, sink);
  }

  /// Entries of the test functions of the element on side `row` and the trial functions of that on side `column`. The
  /// terms are constant on a face between regions with constant A and b.
  template <int P, class Sink>
  KOKKOS_FUNCTION void add_face_entries(index_t face, int row, int column, const Sink& sink) const {
    bool constant = true;
    for (int side = 0; side < 2; ++side)
      if (form.element(face, side) >= 0)
        constant = constant && is_constant(form.regions(form.element(face, side)), Coefficients::reaction_slot);
    if (constant)
      add_face_entries<P, true>(face, row, column, pair_terms(face, form.face_rule(face), 0, 0, row, column), sink);
    else
      add_face_entries<P, false>(face, row, column, {}, sink);
  }
  template <int P, bool Constant, class Sink>
  KOKKOS_FUNCTION void add_face_entries(index_t face, int row, int column, const PairTerms<Dim, Number>& terms,
                                        const Sink& sink) const {
    const index_t e = form.element(face, row);
    const index_t other = form.element(face, column);
    const Rule rule = form.face_rule(face);
    double n[Dim];
    const auto area = static_cast<Number>(form.face_normal(face, n) * step_measure(rule));
    VerticesInBox<Dim, Dim, Number> vertices;
    VerticesInBox<Dim, Dim, Number> other_vertices;
    vertices.load(form, e, form.faces.nodes, face);
    other_vertices.load(form, other, form.faces.nodes, face);
    const int step_size = form.space.step_size(e);
    const int other_step_size = form.space.step_size(other);
    const auto block = sink.block(e, other);
    for (int i = 0; i < form.space.size(e); ++i) {
      const int step = step_of(i, step_size);
      BasisFunction<Dim, P, Number> v;
      v.load(form.space, powers, i - step * step_size);
      const StepCoordinate<Number> coordinate(rule, form.space.n_steps(e), step);
      for (int other_step = 0; other_step * other_step_size < form.space.size(other); ++other_step) {
        StepTimes times(rule, form.space.n_steps(e), step);
        times.limit(rule, form.space.n_steps(other), other_step);
        const StepCoordinate<Number> other_coordinate(rule, form.space.n_steps(other), other_step);
        const auto terms_at = [&](int q, int q_time) { return pair_terms(face, rule, q, q_time, row, column); };
        for (int first = 0; first < other_step_size; first += trial_tile<Constant>) {
          const TrialTile<P, trial_tile<Constant>> trials(*this, first, other_step_size);
          Number values[trial_tile<Constant>] = {};
          face_entries<Constant>(rule, vertices, other_vertices, v, trials, times, coordinate, other_coordinate, terms,
                                 terms_at, values);
          for (int t = 0; t < trials.n; ++t)
            sink.add(block, i, other_step * other_step_size + first + t, area * values[t]);
        }
      }
    }
  }
  template <bool Constant, int P, int N, class TermsAt>
  KOKKOS_FUNCTION void face_entries(const Rule& rule, const VerticesInBox<Dim, Dim, Number>& vertices,
                                    const VerticesInBox<Dim, Dim, Number>& other_vertices,
                                    const BasisFunction<Dim, P, Number>& v, const TrialTile<P, N>& trials,
                                    const StepTimes& times, const StepCoordinate<Number>& coordinate,
                                    const StepCoordinate<Number>& other_coordinate, PairTerms<Dim, Number> terms,
                                    const TermsAt& terms_at, Number (&values)[N]) const {
    const int n_times = form.n_times_of_step(rule);
    const int n_points = form.n_face_points_in_space(rule);
    const int first_point = form.face_rules.offsets(rule.degree);
    const int first_time = form.time_rules.offsets(rule.degree);
    for (int q = 0; q < n_points; ++q) {
      Number x[Dim];
      Number other_x[Dim];
      vertices.point(rules.face.points, first_point + q, x);
      other_vertices.point(rules.face.points, first_point + q, other_x);
      const FunctionInSpace<Dim, Number> test = v.in_space(x);
      FunctionInSpace<Dim, Number> only;
      if constexpr (N == 1)
        only = trials(0).in_space(other_x);
      Number in_time[N] = {};
      for (int k = times.first; k < times.end; ++k)
        for (int r = 0; r < n_times; ++r) {
          if constexpr (!Constant)
            terms = terms_at(q, k * n_times + r);
          const Number tau = rules.time.points(first_time + r, 1);
          const Number test_factor = v.factor(Dim, coordinate(k, tau));
          const Number weight = rules.time.weights(first_time + r);
          Number test_flux = terms.test_flux[0] * test.gradient[0];
          for (int d = 1; d < Dim; ++d)
            test_flux = multiply_add(terms.test_flux[d], test.gradient[d], test_flux);
          TESSERA_UNROLL
          for (int t = 0; t < N; ++t) {
            const BasisFunction<Dim, P, Number> w = trials(t);
            const FunctionInSpace<Dim, Number> trial = N == 1 ? only : w.in_space(other_x);
            const Number trial_factor = w.factor(Dim, other_coordinate(k, tau));
            Number trial_flux = terms.trial_flux[0] * trial.gradient[0];
            for (int d = 1; d < Dim; ++d)
              trial_flux = multiply_add(terms.trial_flux[d], trial.gradient[d], trial_flux);
            const Number of_value = multiply_add(terms.alpha, trial.value, terms.beta * trial_flux);
            const Number value = multiply_add(test.value, of_value, terms.gamma * test_flux * trial.value);
            in_time[t] = multiply_add(weight * (test_factor * trial_factor), value, in_time[t]);
          }
        }
      TESSERA_UNROLL
      for (int t = 0; t < N; ++t)
        values[t] = multiply_add(rules.face.weights(first_point + q), in_time[t], values[t]);
    }
  }

  template <int P, class Sink> KOKKOS_FUNCTION void add_boundary_loads(index_t face, const Sink& sink) const {
    const index_t e = form.element(face, 0);
    double n[Dim];
    const Rule rule = form.face_rule(face);
    const double area = form.face_normal(face, n) * step_measure(rule);
    const int n_times = form.n_times_of_step(rule);
    const int first_point = form.face_rules.offsets(rule.degree);
    const int first_time = form.time_rules.offsets(rule.degree);
    const int step_size = form.space.step_size(e);
    VerticesInBox<Dim, Dim, double> vertices;
    vertices.load(form, e, form.faces.nodes, face);
    for (int i = 0; i < form.space.size(e); ++i) {
      const int step = step_of(i, step_size);
      BasisFunction<Dim, P, double> v;
      v.load(form.space, load_powers(), i - step * step_size);
      const StepTimes times(rule, form.space.n_steps(e), step);
      const StepCoordinate<double> coordinate(rule, form.space.n_steps(e), step);
      double sum = 0.;
      for (int q = 0; q < form.n_face_points_in_space(rule); ++q) {
        double box[Dim];
        vertices.point(form.face_rules.points, first_point + q, box);
        const FunctionInSpace<Dim, double> test = v.in_space(box);
        for (int k = times.first; k < times.end; ++k)
          for (int r = 0; r < n_times; ++r) {
            double x[Dim + 1];
            const double weight = form.initial_face_point(face, rule, q, x) * form.time_rules.weights(first_time + r);
            form.set_time(rule, k * n_times + r, x);
            const FaceTerms<Dim> terms = boundary_terms(form, face, e, x, n);
            double value = terms.load_value * test.value;
            for (int d = 0; d < Dim; ++d)
              value = ::fma(terms.load_flux * terms.flux[d] * form.space.scale(e, d), test.gradient[d], value);
            sum = ::fma(weight * v.factor(Dim, coordinate(k, form.time_rules.points(first_time + r, 1))), value, sum);
          }
      }
      sink.add_load(e, i, area * sum);
    }
  }
};

/// Position in a matrix of the first entry of a block, which is found in its row by binary search.
template <class MemorySpace> struct BlockPositions {
  Array<const offset_t*, MemorySpace> row_offsets;
  Array<const index_t*, MemorySpace> columns;
  Array<const offset_t*, MemorySpace> value_offsets;
  Array<const index_t*, MemorySpace> dof_offsets;

  explicit BlockPositions(const linalg::BlockCrsMatrix<MemorySpace>& matrix)
      : row_offsets(matrix.row_offsets), columns(matrix.columns), value_offsets(matrix.value_offsets),
        dof_offsets(matrix.dof_offsets) {}

  KOKKOS_FUNCTION offset_t operator()(index_t row, index_t column) const {
    offset_t low = row_offsets(row);
    offset_t high = row_offsets(row + 1) - 1;
    while (low < high) {
      const offset_t middle = low + (high - low) / 2;
      if (columns(middle) < column)
        low = middle + 1;
      else
        high = middle;
    }
    return value_offsets(low);
  }
};

} // namespace tessera::assembly::dg

#endif
