// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_BLOCKS_ELEMENT_ROWS_HPP
#define TESSERA_ASSEMBLY_DG_BLOCKS_ELEMENT_ROWS_HPP

/// \file
/// The kernel of the diagonal blocks and the load, by moments.

#include "assembly/dg/blocks/element_moments.hpp"

namespace tessera::assembly::dg {

/// Computes the diagonal block of an element, of volume and faces, and its load; in a time slab with the terms of its
/// start. After each step of ElementMoments a thread per entry combines the moments. Additional traffic: block and load
/// once.
template <int Dim, class ExecutionSpace> struct ElementRows : ElementMoments<Dim, ExecutionSpace> {
  using Moments = ElementMoments<Dim, ExecutionSpace>;
  using Moments::form;
  using Moments::regions;
  using Moments::rhs;
  using Moments::sizes;
  using Moments::tables;
  using Moments::values;
  using typename Moments::Coefficients;
  using typename Moments::Region;
  using typename Moments::Team;

  KOKKOS_FUNCTION void operator()(const typename Team::Team& all) const {
    const Team team(all, this->launch.width);
    if (!this->has_item(team))
      return;
    Element element;
    element.e = this->item(team);
    element.degree = form.space.degrees(element.e);
    element.size = form.space.size(element.e);
    element.n_steps = sizes.has_steps ? form.space.n_steps(element.e) : 1;
    element.step_size = sizes.has_steps ? form.space.step_size(element.e) : element.size;
    element.n_functions = fe::modal_size(Dim, element.degree);
    element.region = form.regions(element.e);
    element.transient_faces = form.is_slab() && form.coefficients.has_transient_faces(element.region);
    element.scratch = scratch_of(team);
    element.block = values.is_null() ? values : this->block(this->diagonal(element.e));
    element.pairs = form.is_slab() ? BlockValues{element.scratch.pairs, false} : element.block;
    element.factors_degree = -1;
    Step step{steady_faces, all_faces, true, 0, 0, 0, 0};
    for (bool goes_on = true; goes_on;) {
      if (prepare(element, step))
        accumulate(team, element, step);
      switch (step.phase) {
      case steady_faces:
        add_faces(team, element, step);
        break;
      case geometry:
        add_constants(team, element);
        break;
      case source:
      case boundary:
        add_load(team, element, step);
        break;
      case initial:
        add_initial(team, element);
        break;
      case steady_variables:
      case transient_variables:
        add_variables(team, element, step);
        break;
      case transient_faces:
        add_transient_faces(team, element, step);
        break;
      }
      goes_on = advance(element, step);
    }
  }

private:
  using Moments::accumulate;
  using Moments::advance;
  using Moments::all_faces;
  using Moments::boundary;
  using Moments::geometry;
  using Moments::initial;
  using Moments::prepare;
  using Moments::scratch_of;
  using Moments::source;
  using Moments::steady_faces;
  using Moments::steady_variables;
  using Moments::transient_faces;
  using Moments::transient_variables;
  using typename Moments::Element;
  using typename Moments::Step;

  /// The time factor of degree k at the start of the slab; likewise at its end.
  KOKKOS_FUNCTION double at_start(int k) const { return tables.start_factors(k, form.space.largest_degree + 1); }
  KOKKOS_FUNCTION double at_end(int k) const { return tables.start_factors(k, form.space.largest_degree + 2); }

  /// Combines the moments of 1: volume terms of constant coefficients, and the load of the source and of the previous
  /// slab.
  KOKKOS_FUNCTION void add_constants(const Team& team, const Element& element) const {
    const Region& region = regions(element.region);
    const double* const moments = element.scratch.moments;
    if (!values.is_null()) {
      const int n = element.n_functions;
      for_each_entry(team, n, n, [&](int a, int b, int entry) {
        double sum = element.transient_faces ? 0. : element.pairs.get(entry);
        for (int slot = 0; slot < Coefficients::source_slot; ++slot)
          if (region.value[slot] != 0.)
            sum += region.value[slot] * slot_integral(element.e, slot, a, b, moments, true);
        element.pairs.set(entry, sum);
        if (form.is_slab())
          element.scratch.pairs[sizes.pairs + entry] = tables.in_space(moments, a, b, -1, -1);
      });
    }
    const int size = element.size;
    const double tau = step_measure(element);
    double* const load = rhs + form.space.dof_offsets(element.e);
    if (form.has_previous()) {
      for (int i = team.team_rank(); i < element.step_size; i += team.team_size())
        if (tables.factors(i).time == 0)
          element.scratch.parts[tables.factors(i).space] = previous_coefficient(element, tables.factors(i).space);
      team.team_barrier();
    }
    for (int i = team.team_rank(); i < size; i += team.team_size()) {
      const int k = function_of(element, i);
      const int time = tables.factors(k).time;
      const int a = tables.factors(k).space;
      double sum = 0.;
      if (time == 0 && region.value[Coefficients::source_slot] != 0.)
        sum = region.value[Coefficients::source_slot] * tau * moments[a];
      if (form.has_previous() && i < element.step_size) {
        double previous = 0.;
        for (int b = 0; b < element.n_functions; ++b)
          previous += element.scratch.parts[b] * tables.in_space(moments, a, b, -1, -1);
        sum += at_start(time) * previous;
      }
      load[i] = sum;
    }
  }
  /// Coefficient of a spatial polynomial in the solution at the end of the previous slab.
  KOKKOS_FUNCTION double previous_coefficient(const Element& element, int a) const {
    // of the last step
    const index_t first = form.space.dof_offsets(element.e) + element.size - element.step_size;
    double sum = 0.;
    for (int j = 0; j < element.step_size; ++j)
      if (tables.factors(j).space == a)
        sum += at_end(tables.factors(j).time) * form.previous(first + j);
    return sum;
  }
  /// Index of an unknown among those of its step.
  KOKKOS_FUNCTION int function_of(const Element& element, int i) const {
    return sizes.has_steps ? i % element.step_size : i;
  }
  KOKKOS_FUNCTION double step_measure(const Element& element) const { return form.time_measure() / element.n_steps; }
  /// Index in the element's block of an entry of the block of one of its steps.
  KOKKOS_FUNCTION int entry_of(const Element& element, int step, int i, int j) const {
    const int first = step * element.step_size;
    return (first + j) * element.size + first + i;
  }

  /// Adds, or for the first sets writes, face terms for each pair of spatial polynomials.
  KOKKOS_FUNCTION void add_faces(const Team& team, const Element& element, const Step& step) const {
    if (values.is_null() || element.transient_faces)
      return;
    const double* const moments = element.scratch.moments;
    for_each_entry(team, element.n_functions, element.n_functions, [&](int a, int b, int entry) {
      double sum = step.first == 0 ? 0. : element.pairs.get(entry);
      for (int s = 0; s < step.count; ++s)
        sum += face_integral(element.e, step.first + s, a, b, moments + s * sizes.moments, true);
      element.pairs.set(entry, sum);
    });
  }

  /// Adds the moments of the initial value to the load.
  KOKKOS_FUNCTION void add_initial(const Team& team, const Element& element) const {
    double* const load = rhs + form.space.dof_offsets(element.e);
    if (form.is_slab() && !form.has_previous())
      for (int i = team.team_rank(); i < element.step_size; i += team.team_size())
        load[i] += at_start(tables.factors(i).time) * element.scratch.moments[tables.factors(i).space];
  }

  /// Adds moments to the load, those of flux components times the basis functions' derivatives.
  KOKKOS_FUNCTION void add_load(const Team& team, const Element& element, const Step& step) const {
    if (step.phase == source ? !regions(element.region).source_varies
                             : form.faces.boundary_offsets(element.e) == form.faces.boundary_offsets(element.e + 1))
      return;
    double* const load = rhs + form.space.dof_offsets(element.e);
    const double tau = step_measure(element);
    const int begin = step.in_space ? 0 : step.of_element * element.step_size;
    const int end = step.in_space ? element.size : begin + element.step_size;
    for (int i = begin + team.team_rank(); i < end; i += team.team_size()) {
      const int k = step.in_space ? function_of(element, i) : i - begin;
      if (step.in_space && tables.factors(k).time != 0)
        continue;
      const int a = step.in_space ? tables.factors(k).space : k;
      double sum = load[i];
      for (int s = 0; s < step.count; ++s) {
        const int d = step.phase == source ? -1 : step.first + s - 1;
        const double* const moments = element.scratch.moments + s * sizes.moments;
        // The first basis function is 1.
        const double moment =
            d >= 0 ? form.space.scale(element.e, d) * product(moments, a, 0, d, -1, step.in_space) : moments[a];
        sum += step.in_space ? tau * moment : moment;
      }
      load[i] = sum;
    }
  }

  /// Adds the terms of varying coefficients; the steps in space also complete the terms that are repeated for each
  /// degree in time.
  KOKKOS_FUNCTION void add_variables(const Team& team, const Element& element, const Step& step) const {
    const Region& region = regions(element.region);
    const bool in_space = step.phase == steady_variables;
    const int n = in_space ? element.n_functions : element.step_size;
    // Set by set, as everywhere in this kernel, so that the order of the sums does not depend on the number of sets at
    // a time.
    if (step.count > 0)
      for_each_entry(team, n, n, [&](int i, int j, int pair) {
        const BlockValues& target = in_space ? element.pairs : element.block;
        const int entry = in_space ? pair : entry_of(element, step.of_element, i, j);
        double sum = target.get(entry);
        for (int s = 0; s < step.count; ++s) {
          unsigned slots = region.slots[step.first + s];
          for (int slot = 0; slots > 0; ++slot, slots >>= 1)
            if ((slots & 1u) > 0)
              sum += slot_integral(element.e, slot, i, j, element.scratch.moments + s * sizes.moments, in_space);
        }
        target.set(entry, sum);
      });
    if (in_space && form.is_slab() && step.first + step.count >= region.n_in_space)
      repeat_in_time(team, element);
  }

  /// Writes the block: in the block of each step, the repeated terms where the degrees in time agree, as time factors
  /// are orthonormal, and the terms of the time derivative and of the start of the step; in the adjacent blocks the
  /// terms of the end of the previous step.
  KOKKOS_FUNCTION void repeat_in_time(const Team& team, const Element& element) const {
    team.team_barrier();
    const double tau = step_measure(element);
    const int n = element.n_functions;
    const double* const pairs = element.scratch.pairs;
    for_each_entry(team, element.size, element.size, [&](int i, int j, int entry) {
      const int row = function_of(element, i);
      const int column = function_of(element, j);
      const FactorNumbers of_row = tables.factors(row);
      const FactorNumbers of_column = tables.factors(column);
      const int ti = of_row.time;
      const int tj = of_column.time;
      const int pair = of_column.space * n + of_row.space;
      const int later = (i - row) - (j - column);
      if (later == 0)
        element.block.set(entry, tables.in_slab(ti, tj, tau, pairs[pair], pairs[sizes.pairs + pair]));
      else if (later == element.step_size)
        element.block.set(entry, -at_start(ti) * at_end(tj) * pairs[sizes.pairs + pair]);
      else
        element.block.set(entry, 0.);
    });
  }

  KOKKOS_FUNCTION void add_transient_faces(const Team& team, const Element& element, const Step& step) const {
    if (!element.transient_faces)
      return;
    for_each_entry(team, element.step_size, element.step_size, [&](int i, int j, int) {
      const int entry = entry_of(element, step.of_element, i, j);
      double sum = element.block.get(entry);
      for (int s = 0; s < step.count; ++s)
        sum += face_integral(element.e, step.first + s, i, j, element.scratch.moments + s * sizes.moments, false);
      element.block.set(entry, sum);
    });
  }

  /// The form's integral with the coefficient of a slot, from the moments of that coefficient.
  KOKKOS_FUNCTION double slot_integral(index_t e, int slot, int i, int j, const double* moments, bool in_space) const {
    if (slot == Coefficients::reaction_slot)
      return product(moments, i, j, -1, -1, in_space);
    if (slot >= Coefficients::advection_slot) {
      const int d = slot - Coefficients::advection_slot;
      return form.space.scale(e, d) * product(moments, i, j, -1, d, in_space);
    }
    int row = 0; // in the upper triangle of A, row by row
    int first = 0;
    while (slot - first >= Dim - row) {
      first += Dim - row;
      ++row;
    }
    const int column = row + slot - first;
    double sum = product(moments, i, j, row, column, in_space);
    if (row != column)
      sum += product(moments, i, j, column, row, in_space);
    return form.space.scale(e, row) * form.space.scale(e, column) * sum;
  }
  /// The face integral of set s: of alpha v w, or of a component of the flux in v r + s w.
  KOKKOS_FUNCTION double face_integral(index_t e, int s, int i, int j, const double* moments, bool in_space) const {
    if (s == 0)
      return product(moments, i, j, -1, -1, in_space);
    const int d = s - 1;
    return form.space.scale(e, d) * (in_space
                                         ? tables.gradient_in_space(moments, i, j, d)
                                         : product(moments, i, j, -1, d, false) + product(moments, i, j, d, -1, false));
  }
  /// Integral of a product of spatial polynomials i and j, or of basis functions.
  KOKKOS_FUNCTION double product(const double* moments, int i, int j, int dv, int dw, bool in_space) const {
    return in_space ? tables.in_space(moments, i, j, dv, dw) : tables.in_space_and_time(moments, i, j, dv, dw);
  }
};

} // namespace tessera::assembly::dg

#endif
