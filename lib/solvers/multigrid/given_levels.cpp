// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/multigrid/given_levels.hpp"

#include "core/keep_alive.hpp"
#include "linalg/crs_pieces.hpp"

#include <algorithm>
#include <utility>

namespace tessera::solvers {

namespace {

/// Counts the unknowns that are the coarser level's, too: rows of a prolongation with a single entry, of value 1 or -1.
template <class Space> struct CountInjected {
  linalg::CrsMatrix<Space> prolongation;
  KOKKOS_FUNCTION void operator()(index_t i, index_t& count) const {
    const offset_t k = prolongation.offsets(i);
    const bool is_single = prolongation.offsets(i + 1) == k + 1;
    if (is_single && (prolongation.values(k) == 1. || prolongation.values(k) == -1.))
      ++count;
  }
};

/// Leaves each process the coarse unknowns that are among its own. (Where a row has that form by chance, as over a
/// periodic mesh of one cell, the parts are not of one size.)
template <class ExecutionSpace>
std::vector<std::int64_t>
coarse_offsets(const ExecutionSpace& exec, const std::vector<std::int64_t>& offsets,
               const linalg::Prolongation<typename ExecutionSpace::memory_space>& prolongation) {
  std::vector<std::int64_t> result{0};
  for (std::size_t r = 1; r < offsets.size(); ++r) {
    index_t count = 0;
    Kokkos::parallel_reduce("tessera::solvers::count_injected",
                            Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(
                                exec, static_cast<index_t>(offsets[r - 1]), static_cast<index_t>(offsets[r])),
                            CountInjected<typename ExecutionSpace::memory_space>{prolongation.matrix},
                            Kokkos::Sum<index_t>(count));
    result.push_back(std::min<std::int64_t>(result.back() + count, prolongation.n_coarse));
  }
  result.back() = prolongation.n_coarse;
  return result;
}

} // namespace

template <class ExecutionSpace>
linalg::InterpolationRows<ExecutionSpace>
GivenLevels<ExecutionSpace>::take(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
                                  const std::vector<std::int64_t>& offsets,
                                  const linalg::OwnAndGhosts<ExecutionSpace>& columns) {
  if (nested_.n_levels > 0)
    return linalg::coarsen(exec, group, columns, nested_);
  const linalg::Prolongation<Space> whole = std::exchange(whole_[next_++], {});
  if (group.is_alone())
    return {whole.matrix, {0, whole.n_coarse}};
  const auto own = linalg::cut_rows(exec, whole.matrix, columns.first, columns.first + columns.n_own);
  const auto copied = linalg::stacked_rows(exec, std::vector<linalg::CrsMatrix<Space>>{own}); // to free the rest
  linalg::InterpolationRows<ExecutionSpace> result{copied, coarse_offsets(exec, offsets, whole)};
  keep_alive(exec, own, whole);
  return result;
}

#define TESSERA_INSTANTIATE(Space) template class GivenLevels<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
