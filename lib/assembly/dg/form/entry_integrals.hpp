// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_FORM_ENTRY_INTEGRALS_HPP
#define TESSERA_ASSEMBLY_DG_FORM_ENTRY_INTEGRALS_HPP

/// \file
/// Entries of the matrices and loads of single simplices and faces, each by a loop over the quadrature points that
/// evaluates the basis for every entry (algorithm 3.1 of Dong, Georgoulis, Kappas): common to the paper's two
/// approaches to assembly.

#include "assembly/dg/form/face_terms.hpp"
#include "linalg/blocks/block_crs_matrix.hpp"

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

/// What an item is: a simplex, an interior face, or a boundary face (from 0).
enum class Integral { volume, interior, boundary };

/// Calls `add(row, i, column, j, value)` of a sink for entries of basis functions i and j of the elements `row` and
/// `column`, and `add_load(row, i, value)` for loads.
template <int Dim, class Space> struct EntryIntegrals {
  using Coefficients = physics::AdvectionCoefficients<Dim, Space>;
  Form<Dim, Space> form;
  bool with_matrix;

  /// Value and gradient of basis function i at a point; with Dim + 1 entries also the time derivative. Evaluates the
  /// factors that it needs.
  template <int N>
  KOKKOS_FUNCTION double evaluate(index_t e, int i, const double (&x)[Dim + 1], double (&gradient)[N]) const {
    return evaluate(e, form.space.step_at(e, x[Dim]), i, x, gradient);
  }
  /// The same for a given step of the element.
  template <int N>
  KOKKOS_FUNCTION double evaluate(index_t e, int step, int i, const double (&x)[Dim + 1], double (&gradient)[N]) const {
    typename fe::ModalSpace<Dim, Space>::Factors factors;
    form.space.evaluate_factors(e, step, x, factors);
    return form.space.basis(i, factors, gradient);
  }
  KOKKOS_FUNCTION static double dot(const double (&a)[Dim], const double* b) {
    double sum = 0.;
    for (int d = 0; d < Dim; ++d)
      sum += a[d] * b[d];
    return sum;
  }

  /// Whether an item is of a kind, which only boundary faces have.
  template <Integral Which> KOKKOS_FUNCTION bool has(index_t item, BoundaryKind kind) const {
    return Which != Integral::boundary || kind_of(form.faces.n_interior + item) == kind;
  }
  /// Adds the entries and loads of an item to a sink.
  template <Integral Which, class Sink> KOKKOS_FUNCTION void add(index_t item, const Sink& sink) const {
    if constexpr (Which == Integral::volume)
      add_simplex(item, sink);
    else if constexpr (Which == Integral::interior)
      add_interior_face(item, sink);
    else
      add_boundary_face(form.faces.n_interior + item, sink);
  }

  template <class Sink> KOKKOS_FUNCTION void add_simplex(index_t simplex, const Sink& sink) const {
    const index_t e = form.element_of(simplex);
    const int size = form.space.size(e);
    for (int i = 0; i < size; ++i) {
      for (int j = 0; with_matrix && j < size; ++j)
        sink.add(e, i, e, j, volume_entry(simplex, e, i, j));
      sink.add_load(e, i, volume_load(simplex, e, i));
    }
  }

  template <class Sink> KOKKOS_FUNCTION void add_interior_face(index_t face, const Sink& sink) const {
    for (int row = 0; row < 2; ++row)
      for (int column = 0; column < 2; ++column) {
        const index_t e = form.element(face, row);
        const index_t other = form.element(face, column);
        for (int i = 0; i < form.space.size(e); ++i)
          for (int j = 0; j < form.space.size(other); ++j)
            sink.add(e, i, other, j, face_entry(face, row, column, i, j));
      }
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

  template <class Sink> KOKKOS_FUNCTION void add_boundary_face(index_t face, const Sink& sink) const {
    const index_t e = form.element(face, 0);
    const int size = form.space.size(e);
    for (int i = 0; i < size; ++i) {
      for (int j = 0; with_matrix && j < size; ++j)
        sink.add(e, i, e, j, face_entry(face, 0, 0, i, j));
      sink.add_load(e, i, boundary_load(face, e, i));
    }
  }

private:
  /// Step of an element to which a basis function belongs.
  KOKKOS_FUNCTION int step_of(index_t e, int i) const {
    return form.space.largest_steps == 1 ? 0 : i / form.space.step_size(e);
  }
  /// Whether point q of a rule is in a step of an element; the functions of other steps are zero there.
  KOKKOS_FUNCTION bool is_in_step(const Rule& rule, int q, index_t e, int step) const {
    return rule.n_steps == 1 ||
           q % form.n_times(rule) / form.n_times_of_step(rule) * form.space.n_steps(e) / rule.n_steps == step;
  }

  KOKKOS_FUNCTION double volume_entry(index_t simplex, index_t e, int i, int j) const {
    const Rule rule = form.element_rule(e);
    const group_t region = form.regions(e);
    double x[Dim + 1];
    double grad_v[Dim];
    double grad_w[Dim + 1];
    const int step = step_of(e, i);
    const bool is_same_step = step_of(e, j) == step;
    double sum = 0.;
    for (int q = 0; is_same_step && q < form.n_volume_points(rule); ++q) {
      if (!is_in_step(rule, q, e, step))
        continue;
      double A[Coefficients::n_diffusion];
      double b[Dim];
      double flux[Dim];
      const double weight = form.volume_point(simplex, rule, q, x);
      const double v = evaluate(e, i, x, grad_v);
      const double w = evaluate(e, j, x, grad_w);
      form.coefficients.diffusion(region, x, A);
      form.coefficients.advection(region, x, b);
      Coefficients::multiply(A, grad_w, flux);
      const double c = form.coefficients.value(region, Coefficients::reaction_slot, x);
      sum += weight * (dot(flux, grad_v) + (grad_w[Dim] + dot(b, grad_w) + c * w) * v);
    }
    sum *= form.time_measure();
    for (int q = 0; step == 0 && is_same_step && q < form.n_initial_points(rule); ++q) {
      const double weight = form.initial_point(simplex, rule, q, x);
      sum += weight * evaluate(e, i, x, grad_v) * evaluate(e, j, x, grad_w);
    }
    for (int q = 0; step > 0 && q < form.n_initial_points(rule); ++q) { // the jump between steps of the element
      const double weight = form.initial_point(simplex, rule, q, x);
      x[Dim] = form.space.step_start(e, step);
      sum += weight * evaluate(e, step, i, x, grad_v) *
             (evaluate(e, step, j, x, grad_w) - evaluate(e, step - 1, j, x, grad_w));
    }
    return form.simplex_measure(simplex) * sum;
  }
  KOKKOS_FUNCTION double volume_load(index_t simplex, index_t e, int i) const {
    const Rule rule = form.element_rule(e);
    double x[Dim + 1];
    double gradient[Dim];
    const int step = step_of(e, i);
    double sum = 0.;
    for (int q = 0; q < form.n_volume_points(rule); ++q) {
      if (!is_in_step(rule, q, e, step))
        continue;
      const double weight = form.volume_point(simplex, rule, q, x);
      sum +=
          weight * form.coefficients.value(form.regions(e), Coefficients::source_slot, x) * evaluate(e, i, x, gradient);
    }
    sum *= form.time_measure();
    for (int q = 0; step == 0 && q < form.n_initial_points(rule); ++q) {
      const double weight = form.initial_point(simplex, rule, q, x);
      sum += weight * form.previous_value(e, x) * evaluate(e, i, x, gradient);
    }
    return form.simplex_measure(simplex) * sum;
  }

  /// Measure of a face in the slab, with the outward normal of the element on side `row`.
  KOKKOS_FUNCTION double outward_normal(index_t face, int row, double (&n)[Dim]) const {
    const double area = form.face_normal(face, n);
    for (int d = 0; d < Dim; ++d)
      n[d] = row == 0 ? n[d] : -n[d];
    return area * form.time_measure();
  }
  /// Entry of test function i of the element on side `row` and trial function j of that on side `column`.
  KOKKOS_FUNCTION double face_entry(index_t face, int row, int column, int i, int j) const {
    const index_t e = form.element(face, row);
    const index_t other = form.element(face, 1 - row);
    double n[Dim];
    const double area = outward_normal(face, row, n);
    const Rule rule = form.face_rule(face);
    const index_t of_column = row == column ? e : other;
    const int step = step_of(e, i);
    const int column_step = step_of(of_column, j);
    double sum = 0.;
    for (int q = 0; q < form.n_face_points(rule); ++q) {
      if (!is_in_step(rule, q, e, step) || !is_in_step(rule, q, of_column, column_step))
        continue;
      double x[Dim + 1];
      double grad_v[Dim];
      double grad_w[Dim];
      const double weight = form.face_point(face, rule, q, x);
      const FaceTerms<Dim> terms =
          other < 0 ? boundary_terms(form, face, e, x, n) : interior_terms(form, face, e, other, x, n);
      const double v = evaluate(e, i, x, grad_v);
      const double w = evaluate(of_column, j, x, grad_w);
      const double flux_v = dot(terms.flux, grad_v);
      const double value =
          row == column
              ? terms.alpha * v * w + terms.beta * v * dot(terms.flux, grad_w) + terms.gamma * flux_v * w
              : -terms.alpha * v * w + terms.beta * v * dot(terms.other_flux, grad_w) - terms.gamma * flux_v * w;
      sum += weight * value;
    }
    return area * sum;
  }
  KOKKOS_FUNCTION double boundary_load(index_t face, index_t e, int i) const {
    double n[Dim];
    const double area = outward_normal(face, 0, n);
    const Rule rule = form.face_rule(face);
    const int step = step_of(e, i);
    double sum = 0.;
    for (int q = 0; q < form.n_face_points(rule); ++q) {
      if (!is_in_step(rule, q, e, step))
        continue;
      double x[Dim + 1];
      double grad_v[Dim];
      const double weight = form.face_point(face, rule, q, x);
      const FaceTerms<Dim> terms = boundary_terms(form, face, e, x, n);
      const double v = evaluate(e, i, x, grad_v);
      sum += weight * (terms.load_value * v + terms.load_flux * dot(terms.flux, grad_v));
    }
    return area * sum;
  }
};

/// Position in a matrix of the entry (i, j) of a block, which is found in its row by binary search.
template <class MemorySpace> struct BlockPositions {
  Array<const offset_t*, MemorySpace> row_offsets;
  Array<const index_t*, MemorySpace> columns;
  Array<const offset_t*, MemorySpace> value_offsets;
  Array<const index_t*, MemorySpace> dof_offsets;

  explicit BlockPositions(const linalg::BlockCrsMatrix<MemorySpace>& matrix)
      : row_offsets(matrix.row_offsets), columns(matrix.columns), value_offsets(matrix.value_offsets),
        dof_offsets(matrix.dof_offsets) {}

  KOKKOS_FUNCTION offset_t operator()(index_t row, int i, index_t column, int j) const {
    offset_t low = row_offsets(row);
    offset_t high = row_offsets(row + 1) - 1;
    while (low < high) {
      const offset_t middle = low + (high - low) / 2;
      if (columns(middle) < column)
        low = middle + 1;
      else
        high = middle;
    }
    return value_offsets(low) + static_cast<offset_t>(j) * (dof_offsets(row + 1) - dof_offsets(row)) + i;
  }
};

} // namespace tessera::assembly::dg

#endif
