// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/block/diagonal_blocks.hpp"

#include "core/algorithms/scan.hpp"
#include "linalg/blocks/block_spmv_kernels.hpp"
#include "solvers/block/block_inverse.hpp"

namespace tessera::solvers {

namespace {

using linalg::BlockRows;

/// Sets row r of a block-diagonal matrix, and its number of values.
struct CountValues {
  BlockRows p;
  index_t n_rows;
  offset_t* row_offsets;
  index_t* columns;
  offset_t* n_values;
  KOKKOS_FUNCTION void operator()(index_t r) const {
    row_offsets[r] = static_cast<offset_t>(r);
    if (r == n_rows)
      return;
    columns[r] = r;
    n_values[r] = static_cast<offset_t>(p.size(r)) * p.size(r);
  }
};

/// Copies a diagonal block and inverts it.
template <class ExecutionSpace> struct InvertBlocks {
  BlockRows p;
  const offset_t* value_offsets;
  double* values;
  detail::InverseScratch scratch;

  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  KOKKOS_FUNCTION void operator()(index_t r) const { invert(detail::LoneThread(), r); }
  KOKKOS_FUNCTION void operator()(const Team& team) const { invert(team, static_cast<index_t>(team.league_rank())); }

private:
  template <class T> KOKKOS_FUNCTION void invert(const T& team, index_t r) const {
    const std::int64_t b = p.find(r, r);
    const index_t n = p.size(r);
    const index_t begin = p.begin(r);
    double* a = values + value_offsets[r];
    for (index_t e = team.team_rank(); e < n * n; e += team.team_size())
      a[e] = b < 0 ? 0. : p.value(p.value_offsets[b] + e);
    team.team_barrier();
    detail::invert_block(team, a, n, {scratch.column + begin, scratch.limit + begin, scratch.pivot + begin});
  }
};

/// Finds the first block row without an inverse.
struct FirstSingular {
  BlockRows p;
  const index_t* pivot;
  KOKKOS_FUNCTION void operator()(index_t r, index_t& first) const {
    if (p.size(r) > 0 && pivot[p.begin(r)] < 0 && r < first)
      first = r;
  }
};

} // namespace

template <class ExecutionSpace>
linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>
invert_diagonal_blocks(const ExecutionSpace& exec,
                       const linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>& matrix,
                       const char* method) {
  const index_t n_rows = matrix.n_block_rows();
  const BlockRows p = linalg::block_rows_of(matrix, nullptr);
  linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space> inverse;
  inverse.dof_offsets = matrix.dof_offsets;
  inverse.n_unknowns = matrix.n_unknowns;
  inverse.block_size = matrix.block_size;
  inverse.largest_block = matrix.largest_block;
  inverse.row_offsets = make_array<decltype(inverse.row_offsets)>(exec, "solvers::diagonal_rows", n_rows + 1);
  inverse.columns = make_array<decltype(inverse.columns)>(exec, "solvers::diagonal_columns", n_rows);
  inverse.value_offsets = make_array<decltype(inverse.value_offsets)>(exec, "solvers::diagonal_offsets", n_rows + 1);
  for_each("tessera::solvers::count_diagonal_values", exec, n_rows + 1,
           CountValues{p, n_rows, inverse.row_offsets.data(), inverse.columns.data(), inverse.value_offsets.data()});
  const std::int64_t n_values =
      counts_to_offsets(exec, inverse.value_offsets, n_rows, "entries of the diagonal blocks");
  inverse.values = make_array<decltype(inverse.values)>(exec, "solvers::inverse_blocks", n_values);
  if (n_rows == 0)
    return inverse;

  const auto column = make_array<Array<double*, ExecutionSpace>>(exec, "solvers::inverse_column", matrix.n_unknowns);
  const auto limit = make_array<Array<double*, ExecutionSpace>>(exec, "solvers::inverse_limit", matrix.n_unknowns);
  const auto pivot = make_array<Array<index_t*, ExecutionSpace>>(exec, "solvers::inverse_pivot", matrix.n_unknowns);
  const InvertBlocks<ExecutionSpace> invert{
      p, inverse.value_offsets.data(), inverse.values.data(), {column.data(), limit.data(), pivot.data()}};
  const char* label = "tessera::solvers::invert_blocks";
  if constexpr (is_host_space<ExecutionSpace>) {
    for_each(label, exec, n_rows, invert);
  } else {
    const int team_size = matrix.largest_block <= 24 ? 64 : 256;
    launch_teams(label, Kokkos::TeamPolicy<ExecutionSpace>(exec, n_rows, team_size), invert);
  }
  index_t first = n_rows;
  Kokkos::parallel_reduce("tessera::solvers::find_singular_block",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n_rows),
                          FirstSingular{p, pivot.data()}, Kokkos::Min<index_t>(first)); // waits
  if (first < n_rows) {
    const index_t begin = read_entry(exec, matrix.dof_offsets, first);
    const index_t end = read_entry(exec, matrix.dof_offsets, first + 1);
    TESSERA_REQUIRE_KIND(false, ErrorKind::numerical,
                         "Preconditioner " << method << ": the diagonal block of block row " << first << " (unknowns "
                                           << begin << " to " << end - 1
                                           << ") is singular or not finite, but all have to be invertible.");
  }
  return inverse;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template linalg::BlockCrsMatrix<typename Space::memory_space> invert_diagonal_blocks(                                \
      const Space&, const linalg::BlockCrsMatrix<typename Space::memory_space>&, const char*);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
