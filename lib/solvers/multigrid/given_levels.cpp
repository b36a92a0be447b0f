// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/multigrid/given_levels.hpp"

#include "core/assert.hpp"

#include <utility>

namespace tessera::solvers {

template <class ExecutionSpace>
linalg::InterpolationRows<ExecutionSpace>
GivenLevels<ExecutionSpace>::take(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
                                  const comm::Layout<ExecutionSpace>& columns) {
  if (nested_.n_levels > 0)
    return linalg::coarsen(exec, group, columns, nested_);
  TESSERA_ASSERT(!columns.is_distributed());
  const linalg::Prolongation<Space> whole = std::exchange(whole_[next_++], {});
  return {whole.matrix, {0, whole.n_coarse}};
}

#define TESSERA_INSTANTIATE(Space) template class GivenLevels<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
