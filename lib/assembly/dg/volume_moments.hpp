// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_VOLUME_MOMENTS_HPP
#define TESSERA_ASSEMBLY_DG_VOLUME_MOMENTS_HPP

/// \file
/// The kernel of the volume terms by moments.

#include "assembly/dg/form.hpp"
#include "assembly/dg/moments.hpp"

#include <cmath>

namespace tessera::assembly::dg {

/// Computes the volume terms of an element, and in a time slab those of its start: diagonal block and load, which the
/// faces add to. A team per element goes through the quadrature points in batches, a thread per moment; then a thread
/// per entry combines the moments. Coefficients that are numbers have no moments of their own: they multiply those of
/// 1, for which the points in space suffice. Each moment is a sum over `lanes` interleaved parts of a batch, batch
/// after batch, on hosts as on devices.
///
/// Traffic: coordinates of the simplices and expressions at each point once per group of moments; the block once.
template <int Dim, class ExecutionSpace> struct VolumeMoments {
  using Space = typename ExecutionSpace::memory_space;
  using Coefficients = physics::TransportCoefficients<Dim, Space>;
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  static constexpr int batch = 32; ///< points at a time
  static constexpr int lanes = 8;
  static constexpr int n_operator_slots = Coefficients::source_slot; ///< of A, b, c

  Form<Dim, Space> form;
  MomentTables<Dim, Space> tables;
  ConstArray<const offset_t*, Space> diagonal;
  ConstArray<const offset_t*, Space> value_offsets;
  double* values; ///< none: the load alone
  double* rhs;
  int n_sets = 1;        ///< sets of moments that scratch memory holds beside those of 1
  int scratch_level = 0; ///< 1 where one set is too large for level 0

  KOKKOS_FUNCTION int n_moments() const { return static_cast<int>(tables.indices.extent(0)); }
  KOKKOS_FUNCTION std::size_t scratch_bytes() const {
    return sizeof(double) *
           ((Dim + 1) * static_cast<std::size_t>(tables.n_degrees) * batch + static_cast<std::size_t>(n_sets) * batch +
            static_cast<std::size_t>(n_sets + 1) * n_moments());
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const index_t e = static_cast<index_t>(team.league_rank());
    const Scratch scratch = scratch_of(team);
    double* const geometry = scratch.moments + n_sets * scratch.n_moments;
    const Constants constants = constants_of(form.regions(e));
    if (values != nullptr || constants.value[Coefficients::source_slot] != 0.) {
      const int slot = of_one;
      accumulate(team, e, true, &slot, 1, scratch, geometry);
    }
    write_load(team, e, constants, geometry, scratch);
    if (values == nullptr)
      return;
    const int size = form.space.size(e);
    double* const block = values + value_offsets(diagonal(e));
    for (int entry = team.team_rank(); entry < size * size; entry += team.team_size())
      block[entry] = entry_of_constants(e, entry / size, entry % size, constants, geometry);
    for (int first = 0; first < constants.n_variable; first += n_sets) {
      const int count = constants.n_variable - first < n_sets ? constants.n_variable - first : n_sets;
      team.team_barrier();
      accumulate(team, e, false, constants.variable + first, count, scratch, scratch.moments);
      for (int entry = team.team_rank(); entry < size * size; entry += team.team_size())
        block[entry] +=
            entry_of_moments(e, entry / size, entry % size, constants, first, first + count, scratch.moments);
    }
  }

private:
  /// What moments are of, beside slots of the coefficients.
  enum Special { of_one = -1, of_previous = -2 };

  struct Scratch {
    double* factors; ///< Legendre polynomials at the points
    double* data;    ///< [n_sets][batch], of what the moments are
    double* moments; ///< [n_sets + 1][n_moments]
    int n_moments;
  };

  /// The coefficients of a region that are numbers, and the slots of the others, each expression once.
  struct Constants {
    double value[Coefficients::n_slots];
    int set[Coefficients::n_slots]; ///< place in `variable`; -1: a number
    int variable[Coefficients::n_slots];
    int n_variable;
  };

  KOKKOS_FUNCTION Scratch scratch_of(const Team& team) const {
    Scratch scratch;
    scratch.n_moments = n_moments();
    const int n_factors = (Dim + 1) * tables.n_degrees * batch;
    scratch.factors = static_cast<double*>(team.team_scratch(scratch_level).get_shmem(scratch_bytes()));
    scratch.data = scratch.factors + n_factors;
    scratch.moments = scratch.data + n_sets * batch;
    return scratch;
  }

  KOKKOS_FUNCTION Constants constants_of(group_t region) const {
    Constants c;
    c.n_variable = 0;
    const auto& coefficients = form.coefficients;
    for (int slot = 0; slot < Coefficients::n_slots; ++slot) {
      const int program = coefficients.programs(region * Coefficients::n_stored + slot);
      c.set[slot] = -1;
      c.value[slot] = program < 0 ? coefficients.constants(region * Coefficients::n_stored + slot) : 0.;
      if (program < 0 || slot == Coefficients::source_slot)
        continue;
      for (int k = 0; k < c.n_variable; ++k)
        if (coefficients.programs(region * Coefficients::n_stored + c.variable[k]) == program)
          c.set[slot] = k;
      if (c.set[slot] < 0) {
        c.set[slot] = c.n_variable;
        c.variable[c.n_variable++] = slot;
      }
    }
    return c;
  }

  /// Place of the polynomial of a degree in a direction at a point of the batch: neighbours are the points on hosts,
  /// the degrees, of neighbouring threads, on devices.
  KOKKOS_FUNCTION int factor(int d, int degree, int point) const {
    if constexpr (uses_host_forms<Space>)
      return (d * tables.n_degrees + degree) * batch + point;
    else
      return (point * (Dim + 1) + d) * tables.n_degrees + degree;
  }

  /// Writes Legendre polynomials and data of a point; of zeros behind the last one.
  KOKKOS_FUNCTION void write_point(index_t e, int p, bool in_space, std::int64_t point, std::int64_t n_points, int k,
                                   const int* slots, int count, const Scratch& scratch) const {
    const int n_degrees = 2 * p + 1;
    const bool has_time = !in_space && form.space.time != fe::TimePolynomials::none;
    if (point >= n_points) {
      for (int s = 0; s < count; ++s)
        scratch.data[s * batch + k] = 0.;
      for (int d = 0; d <= Dim; ++d)
        for (int degree = 0; degree < n_degrees; ++degree)
          scratch.factors[factor(d, degree, k)] = 0.;
      return;
    }
    const int per_simplex = in_space ? form.n_points_in_space(p) : form.n_volume_points(p);
    const index_t simplex = form.element_simplices(form.simplex_offsets(e) + static_cast<index_t>(point / per_simplex));
    const int q = static_cast<int>(point % per_simplex);
    double x[Dim + 1];
    double weight =
        in_space ? form.initial_point(simplex, p, q, x) : form.time_measure() * form.volume_point(simplex, p, q, x);
    weight *= form.simplex_measure(simplex);
    for (int s = 0; s < count; ++s)
      scratch.data[s * batch + k] = slots[s] == of_one ? weight
                                    : slots[s] == of_previous
                                        ? weight * form.previous_value(e, x)
                                        : weight * form.coefficients.value(form.regions(e), slots[s], x);
    for (int d = 0; d <= Dim; ++d) {
      double value[fe::max_legendre_degree + 1];
      const int degree = d == Dim && !has_time ? 0 : 2 * p;
      const double xi = d < Dim    ? form.space.box_coordinate(e, d, x[d])
                        : has_time ? form.space.slab_coordinate(x[d])
                                   : 0.;
      form.space.legendre.evaluate(degree, xi, value);
      for (int l = 0; l < n_degrees; ++l)
        scratch.factors[factor(d, l, k)] = l <= degree ? value[l] : 0.;
    }
  }

  /// Computes the moments of `count` slots, over the points in space at the start of the slab or in space and time.
  KOKKOS_FUNCTION void accumulate(const Team& team, index_t e, bool in_space, const int* slots, int count,
                                  const Scratch& scratch, double* moments) const {
    const int rank = team.team_rank();
    const int threads = team.team_size();
    const int p = form.space.degrees(e);
    const int n = fe::modal_size<Dim>(form.space.time, 2 * p);
    const std::int64_t n_points = static_cast<std::int64_t>(form.simplex_offsets(e + 1) - form.simplex_offsets(e)) *
                                  (in_space ? form.n_points_in_space(p) : form.n_volume_points(p));
    for (std::int64_t first = 0; first < n_points; first += batch) {
      for (int k = rank; k < batch; k += threads)
        write_point(e, p, in_space, first + k, n_points, k, slots, count, scratch);
      team.team_barrier();
      for (int m = rank; m < n; m += threads)
        if (!in_space || tables.indices(m, Dim) == 0)
          for (int s = 0; s < count; ++s) {
            const double sum = batch_sum(m, scratch.data + s * batch, scratch.factors);
            double& moment = moments[s * scratch.n_moments + m];
            moment = first == 0 ? sum : moment + sum;
          }
      team.team_barrier(); // before the next points replace these
    }
  }

  /// Sum over a batch of L_m times the data.
  KOKKOS_FUNCTION double batch_sum(int m, const double* data, const double* factors) const {
    const double* f[Dim + 1];
    for (int d = 0; d <= Dim; ++d)
      f[d] = factors + factor(d, tables.indices(m, d), 0);
    const int stride = factor(0, 0, 1);
    double lane[lanes];
    for (int l = 0; l < lanes; ++l)
      lane[l] = 0.;
    for (int k = 0; k < batch; k += lanes) {
      TESSERA_INDEPENDENT_ITERATIONS
      for (int l = 0; l < lanes; ++l) {
        double product = data[k + l];
        for (int d = 0; d <= Dim; ++d)
          product *= f[d][(k + l) * stride];
        lane[l] += product;
      }
    }
    for (int width = lanes / 2; width > 0; width /= 2)
      for (int l = 0; l < width; ++l)
        lane[l] += lane[l + width];
    return lane[0];
  }

  /// The basis function of time of degree k at the start of the slab.
  KOKKOS_FUNCTION static double at_start(int k) { return (k % 2 == 0 ? 1. : -1.) * math::sqrt(2. * k + 1.); }

  /// Number of the moment of basis function i's factors of space.
  KOKKOS_FUNCTION int in_space(int i) const {
    int place = 0;
    for (int d = Dim - 1; d >= 0; --d)
      place = place * tables.n_degrees + tables.basis(i, d);
    return tables.places(place);
  }

  /// The moments of the source, which are those of the basis functions, and of the slab before.
  KOKKOS_FUNCTION void write_load(const Team& team, index_t e, const Constants& constants, const double* geometry,
                                  const Scratch& scratch) const {
    const int size = form.space.size(e);
    double* const load = rhs + form.space.dof_offsets(e);
    const int source = Coefficients::source_slot;
    const bool is_variable = form.coefficients.programs(form.regions(e) * Coefficients::n_stored + source) >= 0;
    if (is_variable)
      accumulate(team, e, false, &source, 1, scratch, scratch.moments);
    for (int i = team.team_rank(); i < size; i += team.team_size())
      load[i] = is_variable                 ? scratch.moments[i]
                : tables.basis(i, Dim) == 0 ? constants.value[source] * form.time_measure() * geometry[in_space(i)]
                                            : 0.;
    if (!form.is_slab())
      return;
    team.team_barrier();
    const int slot = of_previous;
    accumulate(team, e, true, &slot, 1, scratch, scratch.moments);
    for (int i = team.team_rank(); i < size; i += team.team_size())
      load[i] += at_start(tables.basis(i, Dim)) * scratch.moments[in_space(i)];
  }

  /// Part of the coefficients that are numbers: factors of time are orthonormal.
  KOKKOS_FUNCTION double entry_of_constants(index_t e, int i, int j, const Constants& constants,
                                            const double* geometry) const {
    const int ti = tables.basis(i, Dim);
    const int tj = tables.basis(j, Dim);
    double mass_factor = 0.;
    double sum = 0.;
    if (ti == tj) {
      const double tau = form.time_measure();
      mass_factor = tau * constants.value[Coefficients::reaction_slot];
      for (int slot = 0; slot < Coefficients::reaction_slot; ++slot)
        if (constants.value[slot] != 0.)
          sum += tau * constants.value[slot] * slot_integral(e, slot, i, j, geometry, true);
    }
    if (form.is_slab())
      mass_factor += 2. * tables.products(0, 1, ti, tj)[0] + at_start(ti) * at_start(tj);
    if (mass_factor != 0.)
      sum += mass_factor * tables.in_space(geometry, i, j, -1, -1);
    return sum;
  }

  /// Part of the coefficients whose moments are the sets [first, end).
  KOKKOS_FUNCTION double entry_of_moments(index_t e, int i, int j, const Constants& constants, int first, int end,
                                          const double* moments) const {
    double sum = 0.;
    for (int slot = 0; slot < n_operator_slots; ++slot)
      if (constants.set[slot] >= first && constants.set[slot] < end)
        sum += slot_integral(e, slot, i, j, moments + (constants.set[slot] - first) * n_moments(), false);
    return sum;
  }

  /// The form's integral with the coefficient of a slot, from the moments of that coefficient.
  KOKKOS_FUNCTION double slot_integral(index_t e, int slot, int i, int j, const double* moments, bool in_space) const {
    if (slot == Coefficients::reaction_slot)
      return product(moments, i, j, -1, -1, in_space);
    if (slot >= Coefficients::advection_slot) {
      const int d = slot - Coefficients::advection_slot;
      return form.space.scale(e, d) * product(moments, i, j, -1, d, in_space);
    }
    int row = 0; // of the upper triangle of A, row by row
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
  KOKKOS_FUNCTION double product(const double* moments, int i, int j, int dv, int dw, bool in_space) const {
    return in_space ? tables.in_space(moments, i, j, dv, dw) : tables.in_space_and_time(moments, i, j, dv, dw);
  }
};

} // namespace tessera::assembly::dg

#endif
