// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_BLOCKS_STEADY_INTERFACES_HPP
#define TESSERA_ASSEMBLY_DG_BLOCKS_STEADY_INTERFACES_HPP

/// \file
/// The kernel of the blocks between two elements, pair by pair.

#include "assembly/dg/blocks/steady_kernel.hpp"

namespace tessera::assembly::dg {

/// The quadrature points of interfaces in scratch memory.
template <int Dim, int Functions, bool IsNumeric, class ExecutionSpace>
struct InterfacePoints : SteadyKernel<Dim, Functions, IsNumeric, 2, 4, 3 + 2 * Dim, ExecutionSpace> {
  using Base = SteadyKernel<Dim, Functions, IsNumeric, 2, 4, 3 + 2 * Dim, ExecutionSpace>;
  using typename Base::Scratch;
  using typename Base::Team;

protected:
  /// Writes for each point: the weight times alpha of both sides and times that of fluxes, the polynomials of both
  /// sides and their fluxes A n . w' with the first side's normal.
  KOKKOS_FUNCTION void write_points(const Team& team, const index_t (&elements)[2], index_t first_face, int per_face,
                                    int first, int count, const Scratch& scratch) const {
    const auto& form = this->form;
    const Rule rule = form.element_rule(elements[0]);
    team.team_barrier(); // before the previous points are overwritten
    Base::for_each_member(team, count, 2 * Dim + 1, [&](int k, int part_of_point) {
      const int part = (first + k) / per_face;
      const int q = first + k - part * per_face;
      const index_t face = first_face + part;
      double x[Dim + 1];
      const double weight = form.initial_face_point(face, rule, q, x);
      if (part_of_point < 2 * Dim) {
        const int side = part_of_point < Dim ? 0 : 1;
        const int d = part_of_point - side * Dim;
        double coordinate = x[0];
        for (int other = 1; other < Dim; ++other)
          coordinate = d == other ? x[other] : coordinate;
        this->write_factors(scratch, elements[side], k, side, d, coordinate);
        return;
      }
      double n[Dim];
      const double measure = weight * (form.face_normal(face, n) * form.time_measure());
      double* const data = scratch.data + k * Base::n_data;
      data[2] = form.flux_weight(face) * measure;
      for (int side = 0; side < 2; ++side) {
        double flux[Dim];
        this->normal_flux(elements[side], face, q, side, n, flux);
        for (int d = 0; d < Dim; ++d)
          data[3 + side * Dim + d] = flux[d];
        for (int d = 0; side == 1 && d < Dim; ++d)
          n[d] = -n[d];
        data[side] = measure * (form.penalty(face) + this->inflow(elements[side], face, q, side, n));
      }
    });
    team.team_barrier();
    const int n_rows = this->functions();
    Base::for_each_member(team, count, 2 * n_rows, [&](int k, int function) {
      const int side = function < n_rows ? 0 : 1;
      const int a = function - side * n_rows;
      const double* const flux_of = scratch.data + k * Base::n_data + 3 + side * Dim;
      double gradient[Dim];
      double* const basis = scratch.basis + (k * 4 + side * 2) * n_rows + a;
      basis[0] = this->polynomial(scratch, k, side, a, gradient);
      double flux = 0;
      for (int d = 0; d < Dim; ++d)
        flux += flux_of[d] * gradient[d];
      basis[n_rows] = flux;
    });
    team.team_barrier();
  }
};

/// Both blocks of an interface, with the terms of InterfaceBlocks.
///
/// Traffic: coordinates once per batch, each block once.
template <int Dim, int N, bool IsNumeric, class ExecutionSpace>
struct SteadyInterfaces : InterfacePoints<Dim, compiled_functions<N, ExecutionSpace>, IsNumeric, ExecutionSpace> {
  using Base = InterfacePoints<Dim, compiled_functions<N, ExecutionSpace>, IsNumeric, ExecutionSpace>;
  using typename Base::Scratch;
  using typename Base::Team;
  static constexpr int columns = columns_of_thread<N, ExecutionSpace>;

  KOKKOS_FUNCTION void operator()(const typename Team::Team& all) const {
    const Team team(all, this->launch.width);
    if (!this->has_item(team))
      return;
    const auto& form = this->form;
    const index_t interface = this->item(team);
    const index_t elements[2] = {form.faces.interface_elements(interface, 0),
                                 form.faces.interface_elements(interface, 1)};
    const Scratch scratch = this->scratch_of(team);
    double sums[2][columns][N]; // of the block with the rows of each side
    for (int c = 0; c < columns; ++c) {
      TESSERA_UNROLL
      for (int a = 0; a < N; ++a) {
        sums[0][c][a] = 0;
        sums[1][c][a] = 0;
      }
    }
    const int per_face = form.n_face_points_in_space(form.element_rule(elements[0]));
    const index_t first_face = form.faces.interface_faces(interface);
    const int n_points = (form.faces.interface_faces(interface + 1) - first_face) * per_face;
    for (int first = 0; first < n_points; first += this->batch) {
      const int count = n_points - first < this->batch ? n_points - first : this->batch;
      this->write_points(team, elements, first_face, per_face, first, count, scratch);
      add_points(team, count, scratch, sums);
    }
    const BlockValues blocks[2] = {this->block(this->interface_blocks(interface, 0)),
                                   this->block(this->interface_blocks(interface, 1))};
    team.team_barrier();
    if (!form.is_slab()) {
      TESSERA_UNROLL
      for (int side = 0; side < 2; ++side)
        write_columns(team, sums[side], blocks[side]);
      return;
    }
    double* const pairs[2] = {scratch.pairs, scratch.pairs + N * N};
    TESSERA_UNROLL
    for (int side = 0; side < 2; ++side)
      write_columns(team, sums[side], pairs[side]);
    team.team_barrier();
    const int size = form.space.size(elements[0]);
    for_each_entry(team, size, size, [&](int i, int j, int entry) {
      const FactorNumbers row = this->tables.factors(i);
      const FactorNumbers column = this->tables.factors(j);
      const int pair = column.space * N + row.space;
      const bool repeats = row.time == column.time;
      blocks[0].set(entry, repeats ? pairs[0][pair] : 0.);
      blocks[1].set(entry, repeats ? pairs[1][pair] : 0.);
    });
  }

private:
  KOKKOS_FUNCTION void add_points(const Team& team, int count, const Scratch& scratch,
                                  double (&sums)[2][columns][N]) const {
    for (int c = 0; c < columns; ++c) {
      const int b = team.team_rank() + c * team.team_size();
      if (b >= N)
        break;
      for (int k = 0; k < count; ++k) {
        const double* const data = scratch.data + k * Base::n_data;
        TESSERA_UNROLL
        for (int side = 0; side < 2; ++side) { // side of the rows; the column is a polynomial of the other one
          const double* const rows = scratch.basis + (k * 4 + side * 2) * N;
          const double* const other = scratch.basis + (k * 4 + (1 - side) * 2) * N;
          // Terms -alpha v w + beta v r - gamma s w with beta = gamma = -1/2, at joints 0; s and r change sign with the
          // normal.
          const double half = side == 1 ? data[2] : -data[2];
          const double value = half * other[N + b] - data[side] * other[b];
          const double flux = -half * other[b];
          TESSERA_INDEPENDENT_ITERATIONS
          TESSERA_UNROLL
          for (int a = 0; a < N; ++a)
            sums[side][c][a] = fused(rows[N + a], flux, fused(rows[a], value, sums[side][c][a]));
        }
      }
    }
  }
};

} // namespace tessera::assembly::dg

#endif
