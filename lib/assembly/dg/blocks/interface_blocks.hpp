// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_BLOCKS_INTERFACE_BLOCKS_HPP
#define TESSERA_ASSEMBLY_DG_BLOCKS_INTERFACE_BLOCKS_HPP

/// \file
/// The kernel of the blocks between two elements.

#include "assembly/dg/blocks/block_kernel.hpp"

namespace tessera::assembly::dg {

/// The same product on hosts, where the inner loop is over the columns, a few at a time, whose sums are in double
/// precision.
template <class Value>
KOKKOS_FUNCTION void add_products_by_row(int depth, const double* left, int n_rows, const double* right, int n_columns,
                                         Value* C, bool is_first) {
  constexpr int most = 32;
  double sums[most];
  for (int i = 0; i < n_rows; ++i)
    for (int start = 0; start < n_columns; start += most) {
      Value* const row = C + i * n_columns + start;
      const int n = n_columns - start < most ? n_columns - start : most;
      for (int j = 0; j < n; ++j)
        sums[j] = is_first ? 0. : row[j];
      for (int k = 0; k < depth; ++k) {
        const double factor = left[k * n_rows + i];
        const double* const other = right + k * n_columns + start;
        TESSERA_INDEPENDENT_ITERATIONS
        for (int j = 0; j < n; ++j)
          sums[j] = fused(factor, other[j], sums[j]);
      }
      for (int j = 0; j < n; ++j)
        row[j] = static_cast<Value>(sums[j]);
    }
}

/// Computes C[i][j] += sum over k of left[k][i] right[k][j], in the order of k, whatever the number of threads; starts
/// from zero if `is_first`.
template <class Space, class Team>
KOKKOS_FUNCTION void add_products(const Team& team, int depth, const double* left, int n_rows, const double* right,
                                  int n_columns, const BlockValues& C, bool is_first) {
  if constexpr (uses_host_forms<Space>) {
    if (C.is_single)
      add_products_by_row(depth, left, n_rows, right, n_columns, C.floats(), is_first);
    else
      add_products_by_row(depth, left, n_rows, right, n_columns, C.doubles(), is_first);
  } else {
    for_each_entry(team, n_columns, n_rows, [&](int j, int i, int entry) {
      double sum = is_first ? 0. : C.get(entry);
      for (int k = 0; k < depth; ++k)
        sum = fused(left[k * n_rows + i], right[k * n_columns + j], sum);
      C.set(entry, sum);
    });
  }
}

/// Computes both blocks of an interface: rows of its first and columns of its second element, and vice versa. A team,
/// or a group of its threads, per interface processes the quadrature points of its faces in batches and in a fixed
/// order; each block is a product of (v, s) of one side with weighted values and fluxes of the other (FaceTerms), and
/// is written once. If nothing depends on time the spatial factors suffice, as those of time are orthonormal: the
/// blocks repeat the product of the spatial factors for each degree in time, and are zero between different degrees; if
/// one element takes more steps than the other, they are multiplied by the means of products of the time factors.
///
/// Traffic: coordinates and coefficients of each point once, each block once.
template <int Dim, class ExecutionSpace> struct InterfaceBlocks : BlockKernel<Dim, ExecutionSpace> {
  using Base = BlockKernel<Dim, ExecutionSpace>;
  using Base::form;
  using Base::tables;
  using typename Base::Space;
  using typename Base::Team;
  static constexpr int n_data = 3 + 2 * Dim; // per point: weighted alpha of both sides, weight, flux of both sides

  struct Sizes {
    bool has_steps = false;    ///< elements take several steps in a slab
    bool is_transient = false; ///< some interface needs all functions of space and time
    int functions = 0;         ///< maximum per element
    int factors = 1;           ///< of a side at a point; odd, so that points use different banks
    int point = 0;             ///< doubles of a point
    int products = 0;          ///< of a side's spatial factors, if they are not the blocks themselves
  };

  int batch = 1; ///< number of points in scratch memory
  Sizes sizes{};

  /// Computes the sizes, which all threads would otherwise compute.
  void find_sizes() {
    const int degree = form.space.largest_degree;
    const int in_space = fe::modal_size(Dim, degree);
    sizes.has_steps = form.space.largest_steps > 1;
    sizes.is_transient = form.is_slab() && form.coefficients.is_transient;
    sizes.functions = sizes.is_transient ? form.space.largest_size : in_space;
    sizes.factors = (2 * (Dim + (sizes.is_transient ? 1 : 0)) * (degree + 1)) | 1;
    sizes.point = n_data + 2 * sizes.factors + 8 * sizes.functions;
    sizes.products = form.is_slab() ? in_space * in_space : 0;
  }
  std::size_t scratch_bytes() const {
    return sizeof(double) *
           (static_cast<std::size_t>(batch) * sizes.point + 2 * static_cast<std::size_t>(sizes.products));
  }

  KOKKOS_FUNCTION void operator()(const typename Team::Team& all) const {
    const Team team(all, this->launch.width);
    if (!this->has_item(team))
      return;
    const index_t interface = this->item(team);
    Interface face;
    for (int side = 0; side < 2; ++side) {
      face.elements[side] = form.faces.interface_elements(interface, side);
      face.blocks[side] = this->block(this->interface_blocks(interface, side));
    }
    face.in_space = !sizes.is_transient || !(form.coefficients.has_transient_faces(form.regions(face.elements[0])) ||
                                             form.coefficients.has_transient_faces(form.regions(face.elements[1])));
    face.first = form.faces.interface_faces(interface);
    face.rule = form.face_rule(face.elements[0], face.elements[1]);
    if (!sizes.has_steps)
      face.rule.n_steps = 1; // so that only it determines below whether there are several steps
    for (int side = 0; side < 2; ++side) {
      const int p = form.space.degrees(face.elements[side]);
      face.n_degrees[side] = p + 1;
      face.n_functions[side] = face.in_space ? fe::modal_size(Dim, p) : form.space.size(face.elements[side]);
    }
    face.per_face = face.in_space ? form.n_face_points_in_space(face.rule) : form.n_face_points(face.rule);
    const int n_points = (form.faces.interface_faces(interface + 1) - face.first) * face.per_face;

    double* const scratch = static_cast<double*>(team.scratch(this->launch.scratch_level, this->launch.scratch_size));
    const bool repeats = form.is_slab() && face.in_space;
    double* const products = scratch + batch * sizes.point; // of both sides
    BlockValues targets[2];
    for (int side = 0; side < 2; ++side)
      targets[side] = repeats ? BlockValues{products + side * sizes.products, false} : face.blocks[side];
    for (int first = 0; first < n_points; first += batch)
      add_points(team, face, first, n_points - first < batch ? n_points - first : batch, scratch, targets);
    if (!repeats)
      return;
    team.team_barrier();
    for (int side = 0; side < 2; ++side)
      repeat_in_time(team, face, side, products + side * sizes.products);
  }

private:
  struct Interface {
    index_t elements[2];
    BlockValues blocks[2];
    bool in_space;
    index_t first; ///< first face
    Rule rule;
    int per_face;
    int n_degrees[2];
    int n_functions[2];
  };

  /// Position, with its time; returns the weight.
  KOKKOS_FUNCTION double position(const Interface& face, int point, double (&x)[Dim + 1]) const {
    const index_t f = face.first + point / face.per_face;
    const int q = point % face.per_face;
    return face.in_space ? form.initial_face_point(f, face.rule, q, x) : form.face_point(f, face.rule, q, x);
  }

  KOKKOS_FUNCTION void write_data(const Interface& face, int point, double* data) const {
    const index_t f = face.first + point / face.per_face;
    double n[Dim];
    double x[Dim + 1];
    const double weight = form.face_normal(f, n) * form.time_measure() * position(face, point, x);
    const FaceTerms<Dim> terms = interior_terms(form, f, face.elements[0], face.elements[1], x, n);
    const double bn = detail::normal_advection(form, face.elements[1], x, n, -1.);
    data[0] = weight * terms.alpha;
    data[1] = weight * (form.penalty(f) + (bn > 0. ? bn : 0.)); // the second element's normal is -n
    data[2] = form.flux_weight(f) * weight;
    for (int d = 0; d < Dim; ++d) {
      data[3 + d] = terms.flux[d];
      data[3 + Dim + d] = terms.other_flux[d];
    }
  }

  KOKKOS_FUNCTION void write_factors(const Interface& face, int point, int side, int d, double* factors) const {
    double x[Dim + 1];
    position(face, point, x);
    const int n = face.n_degrees[side];
    form.space.evaluate_factors(face.elements[side], step_at(face, point, side), d, n - 1, x[d], factors + 2 * d * n,
                                factors + (2 * d + 1) * n);
  }

  /// Step of the element on a side at a point.
  KOKKOS_FUNCTION int step_at(const Interface& face, int point, int side) const {
    if (face.in_space || face.rule.n_steps == 1)
      return 0;
    const int time = point % face.per_face % form.n_times(face.rule);
    return time / form.n_times_of_step(face.rule) * form.space.n_steps(face.elements[side]) / face.rule.n_steps;
  }

  /// Value of function a of a side and its flux, A n . grad, at a point.
  KOKKOS_FUNCTION double function_at(const Interface& face, int point, int side, int a, const double* factors,
                                     const double* flux, double& value) const {
    const int n = face.n_degrees[side];
    if (!face.in_space && face.rule.n_steps > 1) {
      const int step_size = form.space.step_size(face.elements[side]);
      a -= step_at(face, point, side) * step_size;
      value = 0.;
      if (a < 0 || a >= step_size) // belongs to another step
        return 0.;
    }
    int degrees[Dim + 1];
    for (int d = 0; d <= Dim; ++d)
      degrees[d] = !face.in_space ? tables.basis(a, d) : d < Dim ? tables.space_indices(a, d) : 0;
    const double of_time = face.in_space ? 1. : factors[2 * Dim * n + degrees[Dim]];
    value = of_time;
    for (int d = 0; d < Dim; ++d)
      value *= factors[2 * d * n + degrees[d]];
    double sum = 0.;
    for (int d = 0; d < Dim; ++d) {
      double derivative = of_time * factors[(2 * d + 1) * n + degrees[d]];
      for (int other = 0; other < Dim; ++other)
        if (other != d)
          derivative *= factors[2 * other * n + degrees[other]];
      sum += flux[d] * derivative;
    }
    return sum;
  }

  KOKKOS_FUNCTION void add_points(const Team& team, const Interface& face, int first, int count, double* scratch,
                                  const BlockValues (&targets)[2]) const {
    const int rank = team.team_rank();
    const int threads = team.team_size();
    const int n_directions = face.in_space ? Dim : Dim + 1;
    const int n_factors = sizes.factors;
    const int n0 = face.n_functions[0];
    const int n1 = face.n_functions[1];
    double* const data = scratch;
    double* const factors = data + batch * n_data; // [batch][side]
    double* const left[2] = {factors + batch * 2 * n_factors, factors + batch * (2 * n_factors + 2 * n0)};
    double* const right[2] = {left[1] + batch * 2 * n1, left[1] + batch * (2 * n1 + 2 * n0)};
    team.team_barrier(); // before the previous points are overwritten
    for (int k = rank; k < count; k += threads)
      write_data(face, first + k, data + k * n_data);
    for (int item = rank; item < count * 2 * n_directions; item += threads) {
      const int k = item % count;
      const int side = item / count % 2;
      write_factors(face, first + k, side, item / count / 2, factors + (2 * k + side) * n_factors);
    }
    team.team_barrier();
    for (int item = rank; item < count * (n0 + n1); item += threads) {
      const int k = item / (n0 + n1);
      const int a = item % (n0 + n1);
      const int side = a < n0 ? 0 : 1;
      const int i = a < n0 ? a : a - n0;
      const int n = side == 0 ? n0 : n1;
      const double* const point = data + k * n_data;
      double value;
      const double flux =
          function_at(face, first + k, side, i, factors + (2 * k + side) * n_factors, point + 3 + side * Dim, value);
      left[side][2 * k * n + i] = value;
      left[side][(2 * k + 1) * n + i] = flux;
      // Terms -alpha v w + beta v r - gamma s w with beta = gamma = -1/2, at joints 0; s and r change sign with the
      // normal.
      const double half = side == 0 ? point[2] : -point[2];
      right[side][2 * k * n + i] = half * flux - point[1 - side] * value;
      right[side][(2 * k + 1) * n + i] = -half * value;
    }
    team.team_barrier();
    // Blocks are stored column by column: the columns' functions come first.
    add_products<Space>(team, 2 * count, right[1], n1, left[0], n0, targets[0], first == 0);
    add_products<Space>(team, 2 * count, right[0], n0, left[1], n1, targets[1], first == 0);
  }

  /// Writes a block from the products of the spatial factors.
  KOKKOS_FUNCTION void repeat_in_time(const Team& team, const Interface& face, int side, const double* products) const {
    const int n_rows = form.space.size(face.elements[side]);
    const int n_columns = form.space.size(face.elements[1 - side]);
    const int stride = face.n_functions[side];
    const BlockValues& block = face.blocks[side];
    if (face.rule.n_steps > 1) {
      couple_steps(team, face, side, products);
      return;
    }
    for_each_entry(team, n_rows, n_columns, [&](int i, int j, int entry) {
      const FactorNumbers row = tables.factors(i);
      const FactorNumbers column = tables.factors(j);
      block.set(entry, row.time == column.time ? products[column.space * stride + row.space] : 0.);
    });
  }

  /// The same if elements take several steps: steps without common time have zero entries.
  KOKKOS_FUNCTION void couple_steps(const Team& team, const Interface& face, int side, const double* products) const {
    const index_t row = face.elements[side];
    const index_t column = face.elements[1 - side];
    const int n_rows = form.space.step_size(row);
    const int n_columns = form.space.step_size(column);
    const bool row_is_finer = form.space.n_steps(row) == face.rule.n_steps;
    // of the longer step
    const int parts = face.rule.n_steps / form.space.n_steps(row_is_finer ? column : row);
    const int n_times = form.space.largest_degree + 1;
    const int stride = face.n_functions[side];
    const BlockValues& block = face.blocks[side];
    for_each_entry(team, form.space.size(row), form.space.size(column), [&](int i, int j, int entry) {
      const int shorter = row_is_finer ? i / n_rows : j / n_columns;
      const int longer = row_is_finer ? j / n_columns : i / n_rows;
      const int ki = i % n_rows;
      const int kj = j % n_columns;
      const int of_shorter = tables.factors(row_is_finer ? ki : kj).time;
      const int of_longer = tables.factors(row_is_finer ? kj : ki).time;
      double factor = of_shorter == of_longer ? 1. : 0.;
      if (parts > 1)
        factor = tables.time_couplings(parts - 1 + shorter % parts, of_shorter * n_times + of_longer);
      const double product = products[tables.factors(kj).space * stride + tables.factors(ki).space];
      block.set(entry, shorter / parts == longer ? factor / face.rule.n_steps * product : 0.);
    });
  }
};

} // namespace tessera::assembly::dg

#endif
