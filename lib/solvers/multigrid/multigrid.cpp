// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/multigrid/multigrid.hpp"

namespace tessera::solvers {

template <class ExecutionSpace>
Multigrid<ExecutionSpace>::Multigrid(const ExecutionSpace& exec, const linalg::CrsMatrix<Space>& a,
                                     const std::vector<linalg::Prolongation<Space>>& given,
                                     const MultigridOptions& options)
    : options_(options), levels_(make_hierarchy(exec, a, given, options)) {
  make_cycle(exec);
}

template <class ExecutionSpace> void Multigrid<ExecutionSpace>::make_cycle(const ExecutionSpace& exec) {
  cycle_ = std::monostate(); // frees the old one's memory first
  if (options_.precision == MultigridPrecision::single_precision)
    cycle_.template emplace<Cycle<ExecutionSpace, float>>(exec, levels_, options_);
  else
    cycle_.template emplace<Cycle<ExecutionSpace, double>>(exec, levels_, options_);
}

template <class ExecutionSpace> void Multigrid<ExecutionSpace>::renew(const ExecutionSpace& exec) {
  renew_hierarchy(exec, levels_);
  make_cycle(exec);
}

template <class ExecutionSpace> template <class Work> void Multigrid<ExecutionSpace>::visit(const Work& work) const {
  std::visit(
      [&](const auto& cycle) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(cycle)>, std::monostate>)
          work(cycle);
      },
      cycle_);
}

template <class ExecutionSpace>
void Multigrid<ExecutionSpace>::apply(const ExecutionSpace& exec, const const_vector_type& r,
                                      const vector_type& z) const {
  visit([&](const auto& cycle) { cycle.apply(exec, r, z); });
}

template <class ExecutionSpace> bool Multigrid<ExecutionSpace>::has_start() const {
  return options_.cycle == MultigridCycle::full ||
         (options_.cycle == MultigridCycle::automatic && levels_[0].is_geometric);
}

template <class ExecutionSpace>
void Multigrid<ExecutionSpace>::start(const ExecutionSpace& exec, const const_vector_type& b,
                                      const vector_type& x) const {
  visit([&](const auto& cycle) { cycle.start(exec, levels_, b, x); });
}

template <class ExecutionSpace> linalg::Traffic Multigrid<ExecutionSpace>::traffic() const {
  linalg::Traffic result;
  visit([&](const auto& cycle) { result = cycle.traffic(); });
  return result;
}

template <class ExecutionSpace> std::vector<LevelSummary> Multigrid<ExecutionSpace>::levels() const {
  std::vector<LevelSummary> summaries;
  for (const auto& level : levels_) {
    LevelSummary summary;
    summary.n_unknowns = level.a.n_rows();
    summary.n_entries = static_cast<std::int64_t>(level.a.n_entries());
    summary.n_bytes = bytes_of(level);
    summary.is_geometric = level.is_geometric;
    visit([&](const auto& cycle) { summary.n_bytes += cycle.bytes_of_level(summaries.size()); });
    summaries.push_back(summary);
  }
  return summaries;
}

#define TESSERA_INSTANTIATE(Space) template class Multigrid<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
