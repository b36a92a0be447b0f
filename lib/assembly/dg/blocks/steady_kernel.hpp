// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_BLOCKS_STEADY_KERNEL_HPP
#define TESSERA_ASSEMBLY_DG_BLOCKS_STEADY_KERNEL_HPP

/// \file
/// Common parts of the kernels of steady_blocks.hpp.

#include "assembly/dg/blocks/steady_blocks.hpp"
#include "core/kokkos_ext/compiler.hpp"

namespace tessera::assembly::dg {

/// Number of spatial polynomials for which the code for N of them is compiled: any (0) on hosts, where nested loops
/// need no division by it, so that one compilation serves all degrees.
template <int N, class ExecutionSpace> constexpr int compiled_functions = is_host_space<ExecutionSpace> ? 0 : N;

/// Maximum number of columns per thread.
template <int N, class ExecutionSpace> constexpr int columns_of_thread = is_host_space<ExecutionSpace> ? N : 1;

/// Base of both kernels: a group of threads, at least one for each of the N spatial polynomials of an element (on hosts
/// one thread for all), sums columns of blocks in registers, over batches of quadrature points whose polynomials are in
/// scratch memory. Sums are taken point by point, so that they have the same bits whatever the number of threads and
/// the size of a batch.
///
/// Functions: compiled_functions of N. IsNumeric: A, b and c are constants, and no face is on the boundary; other items
/// use PointValues and FaceValues. Sides: number of elements of an item. PerPoint: values of a polynomial at a point,
/// on all sides; Data: further numbers per point.
template <int Dim, int Functions, bool IsNumeric, int Sides, int PerPoint, int Data, class ExecutionSpace>
struct SteadyKernel : BlockKernel<Dim, ExecutionSpace> {
  using Base = BlockKernel<Dim, ExecutionSpace>;
  using typename Base::Coefficients;
  using typename Base::Region;
  using typename Base::Space;
  using typename Base::Team;
  static constexpr int n_data = Data;

  int n_factors = 0;   ///< of a side at a point
  int n_functions = 0; ///< number of spatial polynomials
  int batch = 4;       ///< number of points at a time

  void find_sizes() {
    n_factors = 2 * Dim * (this->form.space.largest_degree + 1);
    n_functions = fe::modal_size(Dim, this->form.space.largest_degree);
  }
  std::size_t scratch_bytes() const {
    const int of_points = batch * (n_data + Sides * n_factors + PerPoint * n_functions);
    const int of_products = 2 * n_functions * n_functions; // these overwrite the points
    const auto n = static_cast<std::size_t>(of_points > of_products ? of_points : of_products);
    return sizeof(double) * (n | 1); // odd, so that the groups of a warp read different banks
  }

protected:
  struct Scratch {
    double* data;    ///< [batch][n_data]
    double* factors; ///< [batch][Sides][Dim][value, derivative][degree + 1]
    double* basis;   ///< [batch][PerPoint][functions()]
    double* pairs;   ///< [2][functions()][functions()], overwriting the others
  };
  KOKKOS_FUNCTION int functions() const { return Functions > 0 ? Functions : n_functions; }
  /// Calls a functor with index and member, of n members, of `count` items, distributed over the team's threads.
  template <class Body>
  KOKKOS_FUNCTION static void for_each_member(const Team& team, int count, int n, const Body& body) {
    if constexpr (Functions == 0) {
      for (int k = 0; k < count; ++k)
        for (int member = team.team_rank(); member < n; member += team.team_size())
          body(k, member);
    } else {
      for (int item = team.team_rank(); item < count * n; item += team.team_size()) {
        const int k = item / n;
        body(k, item - k * n);
      }
    }
  }
  KOKKOS_FUNCTION Scratch scratch_of(const Team& team) const {
    double* const all = static_cast<double*>(team.scratch(this->launch.scratch_level, this->launch.scratch_size));
    return {all, all + batch * n_data, all + batch * (n_data + Sides * n_factors), all};
  }

  /// Writes the factors of direction d of a side at point k of the batch.
  KOKKOS_FUNCTION void write_factors(const Scratch& scratch, index_t e, int k, int side, int d, double x) const {
    const int n = this->form.space.largest_degree + 1;
    double* const values = scratch.factors + (k * Sides + side) * n_factors + 2 * d * n;
    this->form.space.evaluate_factors(e, 0, d, n - 1, x, values, values + n);
  }
  /// Value of polynomial a of a side at point k, and its derivatives.
  KOKKOS_FUNCTION double polynomial(const Scratch& scratch, int k, int side, int a, double (&gradient)[Dim]) const {
    const int n = this->form.space.largest_degree + 1;
    const double* const factors = scratch.factors + (k * Sides + side) * n_factors;
    double value[Dim];
    for (int d = 0; d < Dim; ++d) {
      const int degree = this->tables.space_indices(a, d);
      value[d] = factors[2 * d * n + degree];
      gradient[d] = factors[(2 * d + 1) * n + degree];
    }
    for (int d = 0; d < Dim; ++d)
      for (int other = 0; other < Dim; ++other)
        if (other != d)
          gradient[d] *= value[other];
    double product = value[0];
    for (int d = 1; d < Dim; ++d)
      product *= value[d];
    return product;
  }
  /// A n of an element on a side of interior point q of a face; n is the first side's normal.
  KOKKOS_FUNCTION void normal_flux(index_t e, index_t face, int q, int side, const double (&n)[Dim],
                                   double (&flux)[Dim]) const {
    if (!IsNumeric && this->face_values.has_flux) {
      const int first = (this->face_values.has_inflow ? 1 : 0) * (side + 1) + side * Dim;
      const double* const value = this->face_values.of_interior(face, q) + first;
      for (int d = 0; d < Dim; ++d)
        flux[d] = value[d];
    } else {
      multiply(this->regions(this->form.regions(e)), n, flux);
    }
  }
  /// Upwind term added to the penalty of that element: -b . n where it is positive, n its outward normal.
  KOKKOS_FUNCTION double inflow(index_t e, index_t face, int q, int side, const double (&n)[Dim]) const {
    if (!IsNumeric && this->face_values.has_inflow)
      return this->face_values.of_interior(face, q)[side * (1 + (this->face_values.has_flux ? Dim : 0))];
    const Region& region = this->regions(this->form.regions(e));
    double sum = 0.;
    for (int d = 0; d < Dim; ++d)
      sum += n[d] * region.value[Coefficients::advection_slot + d];
    return sum < 0. ? -sum : 0.;
  }
  /// A v for constant A.
  KOKKOS_FUNCTION static void multiply(const Region& region, const double (&v)[Dim], double (&result)[Dim]) {
    double A[Coefficients::n_diffusion];
    for (int k = 0; k < Coefficients::n_diffusion; ++k)
      A[k] = region.value[k];
    Coefficients::multiply(A, v, result);
  }
};

/// Writes the columns of a thread to a block of N x N, column by column.
template <int N, class Team, int Columns, class Value>
KOKKOS_FUNCTION void write_columns(const Team& team, const double (&sums)[Columns][N], Value* block) {
  for (int c = 0; c < Columns; ++c) {
    const int b = team.team_rank() + c * team.team_size();
    if (b >= N)
      break;
    TESSERA_UNROLL
    for (int a = 0; a < N; ++a)
      block[b * N + a] = static_cast<Value>(sums[c][a]);
  }
}
template <int N, class Team, int Columns>
KOKKOS_FUNCTION void write_columns(const Team& team, const double (&sums)[Columns][N], const BlockValues& block) {
  if (block.is_single)
    write_columns(team, sums, block.floats());
  else
    write_columns(team, sums, block.doubles());
}

} // namespace tessera::assembly::dg

#endif
