// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/multigrid/dense_level.hpp"

#include "solvers/block/diagonal_blocks.hpp"

namespace tessera::solvers {

namespace {

/// Writes a matrix as one dense block, column by column; row 0 also writes the block's offsets.
template <class Space> struct FillDense {
  linalg::CrsMatrix<Space> a;
  linalg::BlockCrsMatrix<Space> block;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const auto n = static_cast<std::int64_t>(block.n_unknowns);
    for (std::int64_t j = 0; j < n; ++j)
      block.values(j * n + i) = 0.;
    for (offset_t k = a.offsets(i); k < a.offsets(i + 1); ++k)
      block.values(a.columns(k) * n + i) = a.values(k);
    if (i > 0)
      return;
    block.dof_offsets(0) = 0;
    block.dof_offsets(1) = block.n_unknowns;
    block.row_offsets(0) = 0;
    block.row_offsets(1) = 1;
    block.columns(0) = 0;
    block.value_offsets(0) = block.value_offsets(1) = 0;
  }
};

} // namespace

template <class ExecutionSpace>
Array<double*, ExecutionSpace> dense_inverse(const ExecutionSpace& exec,
                                             const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n = a.n_rows();
  linalg::BlockCrsMatrix<Space> block;
  block.dof_offsets = make_array<decltype(block.dof_offsets)>(exec, "solvers::coarsest_dofs", 2);
  block.row_offsets = make_array<decltype(block.row_offsets)>(exec, "solvers::coarsest_rows", 2);
  block.columns = make_array<decltype(block.columns)>(exec, "solvers::coarsest_columns", 1);
  block.value_offsets = make_array<decltype(block.value_offsets)>(exec, "solvers::coarsest_offsets", 2);
  block.values = make_array<decltype(block.values)>(exec, "solvers::coarsest_values", static_cast<std::int64_t>(n) * n);
  block.n_unknowns = n;
  block.block_size = n;
  block.largest_block = n;
  for_each("tessera::solvers::fill_coarsest", exec, n, FillDense<Space>{a, block});
  return invert_diagonal_blocks(exec, block, "multigrid, coarsest level").values; // waits
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template Array<double*, Space> dense_inverse(const Space&, const linalg::CrsMatrix<Space::memory_space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
