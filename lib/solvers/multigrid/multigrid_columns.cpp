// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/multigrid/multigrid_columns.hpp"

#include "solvers/krylov/column_counts.hpp"

namespace tessera::solvers {

template <class ExecutionSpace, int N>
MultigridColumns<ExecutionSpace, N>::MultigridColumns(const ExecutionSpace& exec, const Multigrid<ExecutionSpace>& one)
    : one_(one) {
  if (const auto* cycle = std::get_if<Cycle<ExecutionSpace, float>>(&one.cycle_))
    cycle_.template emplace<Cycle<ExecutionSpace, float, N>>(exec, *cycle);
  else
    cycle_.template emplace<Cycle<ExecutionSpace, double, N>>(exec,
                                                              std::get<Cycle<ExecutionSpace, double>>(one.cycle_));
}

template <class ExecutionSpace, int N>
bool MultigridColumns<ExecutionSpace, N>::exists(const Preconditioner<ExecutionSpace>& m) {
  const auto* one = dynamic_cast<const Multigrid<ExecutionSpace>*>(&m);
  return one != nullptr && !one->processes_.is_distributed() && !one->options_.is_compact;
}

template <class ExecutionSpace, int N>
std::unique_ptr<MultigridColumns<ExecutionSpace, N>>
MultigridColumns<ExecutionSpace, N>::of(const ExecutionSpace& exec, const Preconditioner<ExecutionSpace>& m) {
  if (!exists(m))
    return nullptr;
  return std::unique_ptr<MultigridColumns>(
      new MultigridColumns(exec, dynamic_cast<const Multigrid<ExecutionSpace>&>(m)));
}

template <class ExecutionSpace, int N>
template <class Work>
void MultigridColumns<ExecutionSpace, N>::visit(const Work& work) const {
  std::visit(
      [&](const auto& cycle) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(cycle)>, std::monostate>)
          work(cycle);
      },
      cycle_);
}

template <class ExecutionSpace, int N>
void MultigridColumns<ExecutionSpace, N>::apply(const ExecutionSpace& exec, const const_vector_type& r,
                                                const vector_type& z) const {
  visit([&](const auto& cycle) { cycle.apply(exec, r, z); });
}

template <class ExecutionSpace, int N>
void MultigridColumns<ExecutionSpace, N>::start(const ExecutionSpace& exec, const const_vector_type& b,
                                                const vector_type& x) const {
  visit([&](const auto& cycle) { cycle.start(exec, one_.levels_, b, x); });
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template class MultigridColumns<Space, few_columns>;                                                                 \
  template class MultigridColumns<Space, most_columns>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
