// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/block/block_gauss_seidel.hpp"

#include "core/error.hpp"
#include "core/transfer/upload.hpp"
#include "graph/colouring/vertex_coloring.hpp"
#include "solvers/block/block_sweep.hpp"
#include "solvers/block/diagonal_blocks.hpp"

#include <algorithm>

namespace tessera::solvers {

namespace {

struct LevelOf {
  const index_t* levels;
  KOKKOS_FUNCTION index_t operator()(std::int64_t r) const { return levels[r]; }
};

struct LevelRange {
  const index_t* levels;
  KOKKOS_FUNCTION void operator()(index_t r, Kokkos::MinMaxScalar<index_t>& range) const {
    range.min_val = levels[r] < range.min_val ? levels[r] : range.min_val;
    range.max_val = levels[r] > range.max_val ? levels[r] : range.max_val;
  }
};

/// The block rows of one level.
template <class ExecutionSpace, class Value> struct SweepLevel {
  detail::SweepRow<Value> sweep;
  const std::int64_t* rows;

  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  KOKKOS_FUNCTION void operator()(index_t k) const { sweep.by_thread(static_cast<index_t>(rows[k])); }
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    sweep.by_team(team, static_cast<index_t>(rows[team.league_rank()]));
  }
};

template <class ExecutionSpace, class Value>
void sweep_rows(const ExecutionSpace& exec, const detail::SweepRow<Value>& sweep, const std::int64_t* rows,
                index_t n_rows, int largest_block) {
  const char* label = "tessera::solvers::block_gauss_seidel";
  const SweepLevel<ExecutionSpace, Value> kernel{sweep, rows};
  if constexpr (is_host_space<ExecutionSpace>)
    for_each(label, exec, n_rows, kernel);
  else if (n_rows > 0)
    launch_teams(label, Kokkos::TeamPolicy<ExecutionSpace>(exec, n_rows, largest_block <= 32 ? 32 : 64), kernel);
}

} // namespace

template <class ExecutionSpace>
Array<index_t*, ExecutionSpace>
levels_by_color(const ExecutionSpace& exec,
                const linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>& matrix) {
  return graph::color_vertices<ExecutionSpace>(exec, matrix.row_offsets, matrix.columns);
}

template <class ExecutionSpace>
Array<index_t*, ExecutionSpace>
levels_by_order(const ExecutionSpace& exec, const linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>& matrix,
                const Array<const index_t*, ExecutionSpace>& order) {
  const auto n = static_cast<std::size_t>(matrix.n_block_rows());
  TESSERA_REQUIRE(order.extent(0) == n, "Block Gauss-Seidel: the order has "
                                            << order.extent(0) << " entries, but there are " << n << " block rows.");
  const auto rows = to_host(exec, order);
  const auto offsets = to_host(exec, matrix.row_offsets);
  const auto columns = to_host(exec, matrix.columns);
  std::vector<index_t> levels(n, -1);
  for (std::size_t k = 0; k < n; ++k) {
    const index_t r = rows(k);
    TESSERA_REQUIRE(r >= 0 && static_cast<std::size_t>(r) < n && levels[static_cast<std::size_t>(r)] < 0,
                    "Block Gauss-Seidel: the order must name every block row once; entry " << k << " is " << r << '.');
    index_t highest = -1; // later block rows have -1
    for (offset_t b = offsets(r); b < offsets(r + 1); ++b)
      highest = std::max(highest, levels[static_cast<std::size_t>(columns(b))]);
    levels[static_cast<std::size_t>(r)] = highest + 1;
  }
  return uploaded(exec, "solvers::sweep_levels", levels);
}

template <class ExecutionSpace>
BlockGaussSeidel<ExecutionSpace>::BlockGaussSeidel(const ExecutionSpace& exec,
                                                   const linalg::BlockCrsOperator<ExecutionSpace>& a,
                                                   GaussSeidelSweep sweep,
                                                   const Array<index_t*, ExecutionSpace>& levels)
    : Preconditioner<ExecutionSpace>(
          a.size(), sweep == GaussSeidelSweep::forward ? "block-gauss-seidel" : "symmetric-block-gauss-seidel",
          sweep == GaussSeidelSweep::symmetric && a.is_symmetric()),
      matrix_(a.matrix()), sweep_(sweep), levels_(levels) {
  const index_t n_rows = matrix_.n_block_rows();
  TESSERA_REQUIRE(static_cast<index_t>(levels.extent(0)) == n_rows,
                  "Block Gauss-Seidel: there are " << levels.extent(0) << " levels for " << n_rows << " block rows.");
  inverse_ = invert_diagonal_blocks(exec, matrix_, "block-gauss-seidel");
  t_ = make_array<vector_type>(exec, "solvers::block_gauss_seidel", matrix_.n_unknowns);
  if (n_rows == 0)
    return;
  Kokkos::MinMaxScalar<index_t> range{0, 0};
  Kokkos::parallel_reduce("tessera::solvers::level_range",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n_rows),
                          LevelRange{levels.data()}, Kokkos::MinMax<index_t>(range));
  TESSERA_REQUIRE(range.min_val >= 0, "Block Gauss-Seidel: levels count from 0; there is " << range.min_val << '.');
  rows_ = group_items(exec, n_rows, range.max_val + 1, LevelOf{levels.data()}, "block rows of a sweep");
}

// Traffic: a sweep reads half of the off-diagonal blocks and the inverse blocks, reads r (or z), writes and reads t,
// and writes z; the backward sweep does not read r.
template <class ExecutionSpace> linalg::Traffic BlockGaussSeidel<ExecutionSpace>::traffic() const {
  const auto n = static_cast<double>(matrix_.n_unknowns);
  const auto diagonal = static_cast<double>(inverse_.n_values());
  const double half = 0.5 * (static_cast<double>(matrix_.n_values()) - diagonal);
  const auto n_rows = static_cast<double>(matrix_.n_block_rows());
  const double half_blocks = 0.5 * (static_cast<double>(matrix_.n_blocks()) - n_rows);
  const double of_block = sizeof(index_t) + sizeof(offset_t);
  const double n_sweeps = sweep_ == GaussSeidelSweep::forward ? 1. : 2.;
  return {n_sweeps * (matrix_.value_bytes() * half + sizeof(double) * diagonal +
                      of_block * (half_blocks + 2. * n_rows) + 32. * n),
          n_sweeps * (2. * (half + diagonal) + n)};
}

template <class ExecutionSpace>
void BlockGaussSeidel<ExecutionSpace>::sweep_level(const ExecutionSpace& exec, index_t level, bool is_backward,
                                                   const double* r, double* z) const {
  const linalg::BlockRows a = linalg::block_rows_of(matrix_, z);
  const linalg::BlockRows inverse = linalg::block_rows_of(inverse_, t_.data());
  const auto& starts = rows_.host_starts;
  const auto begin = starts[static_cast<std::size_t>(level)];
  const auto n_rows = static_cast<index_t>(starts[static_cast<std::size_t>(level) + 1] - begin);
  const std::int64_t* rows = rows_.items.data() + begin;
  linalg::with_value_type(matrix_, [&](auto value) {
    const detail::SweepRow<decltype(value)> sweep{a, inverse, levels_.data(), r, t_.data(), z, is_backward};
    sweep_rows(exec, sweep, rows, n_rows, matrix_.largest_block);
  });
}

template <class ExecutionSpace>
void BlockGaussSeidel<ExecutionSpace>::apply(const ExecutionSpace& exec, const const_vector_type& r,
                                             const vector_type& z) const {
  for (index_t level = 0; level < n_levels(); ++level)
    sweep_level(exec, level, false, r.data(), z.data());
  if (sweep_ == GaussSeidelSweep::symmetric) // there are no levels above the highest one
    for (index_t level = n_levels() - 2; level >= 0; --level)
      sweep_level(exec, level, true, r.data(), z.data());
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template Array<index_t*, Space> levels_by_color(const Space&,                                                        \
                                                  const linalg::BlockCrsMatrix<typename Space::memory_space>&);        \
  template Array<index_t*, Space> levels_by_order(                                                                     \
      const Space&, const linalg::BlockCrsMatrix<typename Space::memory_space>&, const Array<const index_t*, Space>&); \
  template class BlockGaussSeidel<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
