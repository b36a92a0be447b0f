// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/multigrid/dense_level.hpp"

#include "solvers/diagonal_blocks.hpp"

#include <utility>

namespace tessera::solvers {

namespace {

/// Writes a matrix as one dense block, column by column.
template <class Space> struct FillDense {
  linalg::CrsMatrix<Space> a;
  index_t n;
  Array<double*, Space> values;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    for (offset_t k = a.offsets(i); k < a.offsets(i + 1); ++k)
      values(static_cast<std::int64_t>(a.columns(k)) * n + i) = a.values(k);
  }
};

} // namespace

template <class ExecutionSpace>
Array<double*, ExecutionSpace> dense_inverse(const ExecutionSpace& exec,
                                             const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n = a.n_rows();
  linalg::BlockCrsMatrix<Space> block;
  block.dof_offsets = make_filled<decltype(block.dof_offsets)>(exec, "solvers::coarsest_dofs", 2, n);
  fill(exec, Kokkos::subview(block.dof_offsets, std::make_pair(0, 1)), 0);
  block.row_offsets = make_filled<decltype(block.row_offsets)>(exec, "solvers::coarsest_rows", 2, 1);
  fill(exec, Kokkos::subview(block.row_offsets, std::make_pair(0, 1)), 0);
  block.columns = make_filled<decltype(block.columns)>(exec, "solvers::coarsest_columns", 1, 0);
  block.value_offsets = make_filled<decltype(block.value_offsets)>(exec, "solvers::coarsest_offsets", 2, 0);
  block.values =
      make_filled<decltype(block.values)>(exec, "solvers::coarsest_values", static_cast<std::int64_t>(n) * n, 0.);
  block.n_unknowns = n;
  block.block_size = n;
  block.largest_block = n;
  for_each("tessera::solvers::fill_coarsest", exec, n, FillDense<Space>{a, n, block.values});
  return invert_diagonal_blocks(exec, block, "multigrid, coarsest level").values; // waits
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template Array<double*, Space> dense_inverse(const Space&, const linalg::CrsMatrix<Space::memory_space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
