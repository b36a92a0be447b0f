// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_BLOCKS_STEADY_ROWS_HPP
#define TESSERA_ASSEMBLY_DG_BLOCKS_STEADY_ROWS_HPP

/// \file
/// The kernel of the diagonal blocks and the load, pair by pair.

#include "assembly/dg/blocks/steady_kernel.hpp"

namespace tessera::assembly::dg {

/// The degree of N spatial polynomials; that of time is equal or zero.
template <int Dim, int N> constexpr int steady_degree() {
  int degree = 0;
  while (fe::modal_size(Dim, degree) < N)
    ++degree;
  return degree;
}

/// Numbers per point of a non-numeric element: in the volume the weight, A, b and c; on a face alpha, beta, the flux
/// and, by degree in time, value and flux of the boundary's load.
template <int Dim> constexpr int n_steady_data(int n_levels) {
  const int of_volume = 1 + Dim * (Dim + 1) / 2 + Dim + 1;
  const int of_face = 2 + Dim + 2 * n_levels;
  return of_volume > of_face ? of_volume : of_face;
}

/// Maximum number of degrees in time in code compiled for N spatial polynomials, or for any number (0).
template <int Dim, int N> constexpr int n_steady_levels = (N > 0 ? steady_degree<Dim, N>() : max_steady_degree<Dim>)+1;

/// The quadrature points of elements and of their faces in scratch memory.
template <int Dim, int Functions, bool IsNumeric, class ExecutionSpace>
struct ElementPoints
    : SteadyKernel<Dim, Functions, IsNumeric, 1, 1 + Dim,
                   IsNumeric ? 2 + Dim : n_steady_data<Dim>(n_steady_levels<Dim, Functions>), ExecutionSpace> {
  using Base = SteadyKernel<Dim, Functions, IsNumeric, 1, 1 + Dim,
                            IsNumeric ? 2 + Dim : n_steady_data<Dim>(n_steady_levels<Dim, Functions>), ExecutionSpace>;
  using typename Base::Coefficients;
  using typename Base::Region;
  using typename Base::Scratch;
  using typename Base::Space;
  using typename Base::Team;

protected:
  /// Writes for points of the volume: the weight, the polynomials and their derivatives; if there are expressions also
  /// the weight times A, b and c. `of_points`: the values of the batch's points at the first level.
  KOKKOS_FUNCTION void write_volume(const Team& team, index_t e, const Region& region, index_t first_simplex,
                                    int per_simplex, int first, int count, const double* of_points,
                                    const Scratch& scratch) const {
    const auto& form = this->form;
    const Rule rule = form.element_rule(e);
    team.team_barrier(); // before the previous points are overwritten
    Base::for_each_member(team, count, Dim, [&](int k, int d) {
      const int point = first + k;
      const int part = point / per_simplex;
      const index_t simplex = form.element_simplices(first_simplex + part);
      double x[Dim + 1];
      const double weight = form.initial_point(simplex, rule, point - part * per_simplex, x);
      double coordinate = x[0];
      for (int other = 1; other < Dim; ++other)
        coordinate = d == other ? x[other] : coordinate;
      this->write_factors(scratch, e, k, 0, d, coordinate);
      if (d > 0)
        return;
      double* const data = scratch.data + k * Base::n_data;
      data[0] = weight * form.simplex_measure(simplex);
      if constexpr (!IsNumeric) {
        for (int slot = 0; slot < Coefficients::source_slot; ++slot)
          data[1 + slot] = region.value[slot] * data[0];
        for (int v = 0; v < region.n_variable && !this->values.is_null(); ++v) {
          const double value = of_points[this->points.levels.in_space(v) * this->points.n_points() + k];
          unsigned slots = region.slots[v];
          for (int slot = 0; slots > 0; ++slot, slots >>= 1)
            if ((slots & 1u) > 0)
              data[1 + slot] = value;
        }
      }
    });
    team.team_barrier();
    const int n = this->functions();
    Base::for_each_member(team, count, n, [&](int k, int a) {
      double gradient[Dim];
      double* const basis = scratch.basis + k * (1 + Dim) * n + a;
      basis[0] = this->polynomial(scratch, k, 0, a, gradient);
      for (int d = 0; d < Dim; ++d)
        basis[(1 + d) * n] = gradient[d];
    });
    team.team_barrier();
  }

  /// Writes for points of faces: the weight times alpha and beta, and the polynomials with their fluxes.
  KOKKOS_FUNCTION void write_faces(const Team& team, index_t e, index_t n_interior, int per_face, int first, int count,
                                   const Scratch& scratch) const {
    const auto& form = this->form;
    const Rule rule = form.element_rule(e);
    team.team_barrier(); // before the previous points are overwritten
    Base::for_each_member(team, count, Dim + 1, [&](int k, int d) {
      const int part = (first + k) / per_face;
      const int q = first + k - part * per_face;
      const bool is_interior = IsNumeric || part < n_interior;
      const index_t entry = is_interior ? this->faces.entries(this->faces.offsets(e) + part) : 0;
      const index_t face =
          is_interior ? entry / 2 : form.faces.n_interior + form.faces.boundary_offsets(e) + (part - n_interior);
      double x[Dim + 1];
      double weight = form.initial_face_point(face, rule, q, x);
      if (d < Dim) {
        double coordinate = x[0];
        for (int other = 1; other < Dim; ++other)
          coordinate = d == other ? x[other] : coordinate;
        this->write_factors(scratch, e, k, 0, d, coordinate);
        return;
      }
      double n[Dim];
      weight *= form.face_normal(face, n);
      double* const data = scratch.data + k * Base::n_data;
      if (!is_interior) {
        const double* const value = this->face_values.of_boundary(face - form.faces.n_interior, q);
        for (int j = 0; j < 2 + Dim + 2 * n_steady_levels<Dim, Functions>; ++j)
          data[j] = j >= this->face_values.n_boundary_values() ? 0.
                    : j >= 2 && j < 2 + Dim                    ? value[j]
                                                               : weight * value[j];
        return;
      }
      const int side = static_cast<int>(entry % 2);
      double flux[Dim];
      this->normal_flux(e, face, q, side, n, flux);
      for (int component = 0; side == 1 && component < Dim; ++component) {
        n[component] = -n[component];
        flux[component] = -flux[component];
      }
      data[0] = weight * (form.penalty(face) + this->inflow(e, face, q, side, n));
      data[1] = -form.flux_weight(face) * weight;
      for (int component = 0; component < Dim; ++component)
        data[2 + component] = flux[component];
    });
    team.team_barrier();
    const int n_rows = this->functions();
    Base::for_each_member(team, count, n_rows, [&](int k, int a) {
      const double* const data = scratch.data + k * Base::n_data;
      double gradient[Dim];
      double* const basis = scratch.basis + k * (1 + Dim) * n_rows + a;
      basis[0] = this->polynomial(scratch, k, 0, a, gradient);
      double flux = 0;
      for (int d = 0; d < Dim; ++d)
        flux += data[2 + d] * gradient[d];
      basis[n_rows] = flux;
    });
    team.team_barrier();
  }
};

/// The diagonal block and the load of an element.
///
/// Traffic: coordinates of simplices and faces once per batch, block and load once.
template <int Dim, int N, bool IsNumeric, class ExecutionSpace>
struct SteadyRows : ElementPoints<Dim, compiled_functions<N, ExecutionSpace>, IsNumeric, ExecutionSpace> {
  using Base = ElementPoints<Dim, compiled_functions<N, ExecutionSpace>, IsNumeric, ExecutionSpace>;
  using typename Base::Coefficients;
  using typename Base::Region;
  using typename Base::Scratch;
  using typename Base::Space;
  using typename Base::Team;
  static constexpr int columns = columns_of_thread<N, ExecutionSpace>;
  static constexpr int n_levels = n_steady_levels<Dim, N>;

  KOKKOS_FUNCTION void operator()(const typename Team::Team& all) const {
    const Team team(all, this->launch.width);
    if (!this->has_item(team))
      return;
    const auto& form = this->form;
    const index_t e = this->item(team);
    const Region& region = this->regions(form.regions(e));
    const Scratch scratch = this->scratch_of(team);
    Sums sums;
    clear(sums);
    const bool has_matrix = !this->values.is_null();
    const int per_simplex = form.n_points_in_space(form.element_rule(e));
    const index_t first_simplex = form.simplex_offsets(e);
    const int n_points = (form.simplex_offsets(e + 1) - first_simplex) * per_simplex;
    const double* const of_points = this->points.values.data() + this->points.first_point(first_simplex);
    for (int first = 0; first < n_points; first += this->batch) {
      const int count = n_points - first < this->batch ? n_points - first : this->batch;
      this->write_volume(team, e, region, first_simplex, per_simplex, first, count, of_points + first, scratch);
      add_volume(team, region, of_points + first, count, scratch, sums);
    }
    const int per_face = form.n_face_points_in_space(form.element_rule(e));
    const index_t n_interior = this->faces.offsets(e + 1) - this->faces.offsets(e);
    const index_t n_boundary = form.faces.boundary_offsets(e + 1) - form.faces.boundary_offsets(e);
    const int end = (n_interior + (IsNumeric ? 0 : n_boundary)) * per_face;
    for (int first = has_matrix ? 0 : n_interior * per_face; first < end; first += this->batch) {
      const int count = end - first < this->batch ? end - first : this->batch;
      this->write_faces(team, e, n_interior, per_face, first, count, scratch);
      add_faces(team, n_interior * per_face - first, count, scratch, sums);
    }
    if (form.has_previous())
      add_previous(team, e, scratch, sums);
    write_load(team, e, region, sums);
    if (has_matrix)
      write_block(team, e, scratch, sums);
  }

private:
  /// Sums of the columns of a thread. The load's sums are those of the polynomial times 1, times the initial value or
  /// the previous solution at the start of the slab, and, by degree in time, times the source and the boundary's load.
  struct Sums {
    double pairs[columns][N]; ///< terms repeated for each degree in time
    double mass[columns][N];
    double one[columns];
    double start[columns];
    double source[columns][n_levels];
  };
  KOKKOS_FUNCTION static void clear(Sums& sums) {
    for (int c = 0; c < columns; ++c) {
      TESSERA_UNROLL
      for (int a = 0; a < N; ++a) {
        sums.pairs[c][a] = 0;
        sums.mass[c][a] = 0;
      }
      sums.one[c] = 0.;
      sums.start[c] = 0.;
      TESSERA_UNROLL
      for (int level = 0; level < n_levels; ++level)
        sums.source[c][level] = 0.;
    }
  }

  KOKKOS_FUNCTION void add_volume(const Team& team, const Region& region, const double* of_points, int count,
                                  const Scratch& scratch, Sums& sums) const {
    const auto& form = this->form;
    const bool has_matrix = !this->values.is_null();
    const bool is_slab = form.is_slab();
    const bool has_mass = is_slab && (has_matrix || form.has_previous());
    const bool has_initial = is_slab && !form.has_previous();
    const int levels = !region.source_varies ? 0 : region.source_is_transient ? this->points.levels.source_degrees : 1;
    const double of_source = region.source_is_transient ? 1. : form.time_measure();
    for (int c = 0; c < columns; ++c) {
      const int b = team.team_rank() + c * team.team_size();
      if (b >= N)
        break;
      for (int k = 0; k < count; ++k) {
        const double* const basis = scratch.basis + k * (1 + Dim) * N;
        const double own = basis[b];
        const double* const data = scratch.data + k * Base::n_data;
        const double weighted = data[0] * own;
        sums.one[c] += weighted;
        const double* const value = of_points + k;
        if (has_initial)
          sums.start[c] += value[this->points.levels.initial() * this->points.n_points()] * own;
        TESSERA_UNROLL
        for (int level = 0; level < n_levels; ++level)
          if (level < levels)
            sums.source[c][level] += of_source * value[level * this->points.n_points()] * own;
        if (has_matrix)
          add_pairs(region, basis, b, data, sums.pairs[c]);
        if (has_mass) {
          TESSERA_INDEPENDENT_ITERATIONS
          TESSERA_UNROLL
          for (int a = 0; a < N; ++a)
            sums.mass[c][a] = fused(basis[a], weighted, sums.mass[c][a]);
        }
      }
    }
  }
  KOKKOS_FUNCTION void add_pairs(const Region& region, const double* basis, int b, const double* data,
                                 double (&pairs)[N]) const {
    double gradient[Dim];
    double flux[Dim]; // A w'
    double value;     // b . w' + c w
    for (int d = 0; d < Dim; ++d)
      gradient[d] = basis[(1 + d) * N + b];
    if constexpr (!IsNumeric) {
      double A[Coefficients::n_diffusion];
      for (int k = 0; k < Coefficients::n_diffusion; ++k)
        A[k] = data[1 + k];
      Coefficients::multiply(A, gradient, flux);
      value = data[1 + Coefficients::reaction_slot] * basis[b];
      for (int d = 0; d < Dim; ++d)
        value += data[1 + Coefficients::advection_slot + d] * gradient[d];
    } else {
      for (int d = 0; d < Dim; ++d)
        gradient[d] *= data[0];
      Base::multiply(region, gradient, flux);
      value = region.value[Coefficients::reaction_slot] * (data[0] * basis[b]);
      for (int d = 0; d < Dim; ++d)
        value += region.value[Coefficients::advection_slot + d] * gradient[d];
    }
    TESSERA_INDEPENDENT_ITERATIONS
    TESSERA_UNROLL
    for (int a = 0; a < N; ++a) {
      double sum = fused(basis[a], value, pairs[a]);
      for (int d = 0; d < Dim; ++d)
        sum = fused(basis[(1 + d) * N + a], flux[d], sum);
      pairs[a] = sum;
    }
  }

  /// `n_interior`: number of points of the batch on interior faces, if not all.
  KOKKOS_FUNCTION void add_faces(const Team& team, int n_interior, int count, const Scratch& scratch,
                                 Sums& sums) const {
    const bool has_matrix = !this->values.is_null();
    for (int c = 0; c < columns; ++c) {
      const int b = team.team_rank() + c * team.team_size();
      if (b >= N)
        break;
      for (int k = 0; k < count; ++k) {
        const double* const data = scratch.data + k * Base::n_data;
        const double* const basis = scratch.basis + k * (1 + Dim) * N;
        if (!IsNumeric && k >= n_interior) {
          TESSERA_UNROLL
          for (int level = 0; level < n_levels; ++level) {
            const double* const load = data + 2 + Dim + 2 * level;
            sums.source[c][level] += load[0] * basis[b] + load[1] * basis[N + b];
          }
        }
        if (!IsNumeric && !has_matrix)
          continue;
        const double value = data[0] * basis[b] + data[1] * basis[N + b];
        const double flux = data[1] * basis[b];
        TESSERA_INDEPENDENT_ITERATIONS
        TESSERA_UNROLL
        for (int a = 0; a < N; ++a)
          sums.pairs[c][a] = fused(basis[N + a], flux, fused(basis[a], value, sums.pairs[c][a]));
      }
    }
  }

  /// Adds the solution at the end of the previous slab times each polynomial.
  KOKKOS_FUNCTION void add_previous(const Team& team, index_t e, const Scratch& scratch, Sums& sums) const {
    const auto& form = this->form;
    const auto& tables = this->tables;
    const index_t first = form.space.dof_offsets(e);
    const int size = form.space.size(e);
    team.team_barrier();
    for (int b = team.team_rank(); b < N; b += team.team_size()) {
      double sum = 0.;
      for (int i = 0; i < size; ++i)
        if (tables.factors(i).space == b)
          sum += tables.start_factors(tables.factors(i).time, form.space.largest_degree + 2) * form.previous(first + i);
      scratch.pairs[b] = sum;
    }
    team.team_barrier();
    for (int c = 0; c < columns; ++c) {
      TESSERA_UNROLL
      for (int a = 0; a < N; ++a)
        sums.start[c] += scratch.pairs[a] * sums.mass[c][a];
    }
  }

  KOKKOS_FUNCTION void write_load(const Team& team, index_t e, const Region& region, const Sums& sums) const {
    const auto& form = this->form;
    const double tau = form.time_measure();
    const double constant = region.value[Coefficients::source_slot];
    const int size = form.space.size(e);
    double* const load = this->rhs + form.space.dof_offsets(e);
    for (int c = 0; c < columns; ++c) {
      const int b = team.team_rank() + c * team.team_size();
      for (int i = 0; i < size; ++i) {
        const FactorNumbers numbers = this->tables.factors(i);
        if (numbers.space != b)
          continue;
        double sum = numbers.time == 0 ? constant * tau * sums.one[c] : 0.;
        TESSERA_UNROLL
        for (int level = 0; level < n_levels; ++level)
          sum += level == numbers.time ? sums.source[c][level] : 0.;
        if (form.is_slab())
          sum += this->tables.start_factors(numbers.time, form.space.largest_degree + 1) * sums.start[c];
        load[i] = sum;
      }
    }
  }

  KOKKOS_FUNCTION void write_block(const Team& team, index_t e, const Scratch& scratch, const Sums& sums) const {
    const auto& form = this->form;
    const BlockValues block = this->block(this->diagonal(e));
    team.team_barrier();
    if (!form.is_slab()) {
      write_columns(team, sums.pairs, block);
      return;
    }
    double* const pairs = scratch.pairs;
    write_columns(team, sums.pairs, pairs);
    write_columns(team, sums.mass, pairs + N * N);
    team.team_barrier();
    const double tau = form.time_measure();
    const int size = form.space.size(e);
    for_each_entry(team, size, size, [&](int i, int j, int entry) {
      const FactorNumbers row = this->tables.factors(i);
      const FactorNumbers column = this->tables.factors(j);
      const int pair = column.space * N + row.space;
      block.set(entry, this->tables.in_slab(row.time, column.time, tau, pairs[pair], pairs[N * N + pair]));
    });
  }
};

} // namespace tessera::assembly::dg

#endif
