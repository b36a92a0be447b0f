// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/multigrid/multigrid.hpp"

#include "core/keep_alive.hpp"
#include "linalg/distributed/row_exchange.hpp"

#include <utility>

namespace tessera::solvers {

namespace {

/// The rows in a single process.
template <class Space> FinestRows<Space> alone(linalg::CrsMatrix<typename Space::memory_space> a) {
  const index_t n = a.n_rows();
  return {std::move(a), {0, n}, comm::Layout<Space>::local(n)};
}

} // namespace

template <class ExecutionSpace>
Multigrid<ExecutionSpace>::Multigrid(const ExecutionSpace& exec, linalg::CrsMatrix<Space> a,
                                     GivenLevels<ExecutionSpace> given, const MultigridOptions& options,
                                     SecondLevel<ExecutionSpace> second)
    : Multigrid(exec, {}, linalg::GlobalSums<ExecutionSpace>::local(), alone<ExecutionSpace>(std::exchange(a, {})),
                std::move(given), options, std::move(second)) {}

template <class ExecutionSpace>
Multigrid<ExecutionSpace>::Multigrid(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
                                     const linalg::GlobalSums<ExecutionSpace>& sums, FinestRows<ExecutionSpace> finest,
                                     GivenLevels<ExecutionSpace> given, const MultigridOptions& options,
                                     SecondLevel<ExecutionSpace> second)
    : Fused<ExecutionSpace>(finest.columns.n_owned, "multigrid", true, /*excludes_constants*/ true), options_(options),
      processes_(group), owned_(finest.columns),
      is_whole_(group.is_distributed() && finest.offsets.back() <= replicated_size(options)),
      group_(is_whole_ ? comm::ProcessGroup<ExecutionSpace>() : group),
      sums_(is_whole_ ? linalg::GlobalSums<ExecutionSpace>::local() : sums), second_(std::move(second)) {
  if (is_whole_)
    given.gather(exec, group, finest.offsets);
  finest = whole_or_owned(exec, finest);
  if (options.is_compact) {
    make_compact(exec, finest, std::move(given));
  } else {
    levels_ = make_hierarchy<ExecutionSpace>(exec, group_, finest, std::move(given), options, nullptr, this->second());
    make_cycle(exec);
  }
  if (is_whole_) {
    whole_b_ = make_array<vector_type>(exec, "solvers::whole_rhs", finest.offsets.back());
    whole_x_ = make_array<vector_type>(exec, "solvers::whole_solution", finest.offsets.back());
  }
}

template <class ExecutionSpace>
FinestRows<ExecutionSpace> Multigrid<ExecutionSpace>::whole_or_owned(const ExecutionSpace& exec,
                                                                     const FinestRows<ExecutionSpace>& finest) const {
  if (!is_whole_)
    return finest;
  const auto rows = linalg::with_global_columns(exec, finest.columns, finest.a);
  const auto whole = linalg::gathered_rows(exec, processes_, finest.offsets, rows);
  keep_alive(exec, rows);
  return {whole, finest.offsets, comm::Layout<ExecutionSpace>::local(whole.n_rows())};
}

template <class ExecutionSpace> SecondLevel<ExecutionSpace> Multigrid<ExecutionSpace>::second() const {
  if (!second_)
    return nullptr;
  return [this](const ExecutionSpace& exec) { return whole_or_owned(exec, second_(exec)); };
}

template <class ExecutionSpace> void Multigrid<ExecutionSpace>::make_cycle(const ExecutionSpace& exec) {
  cycle_ = std::monostate(); // frees the memory of the previous cycle first
  if (options_.precision == Precision::single_precision)
    cycle_.template emplace<Cycle<ExecutionSpace, float>>(exec, group_, sums_, levels_, options_);
  else
    cycle_.template emplace<Cycle<ExecutionSpace, double>>(exec, group_, sums_, levels_, options_);
}

template <class ExecutionSpace>
void Multigrid<ExecutionSpace>::make_compact(const ExecutionSpace& exec, FinestRows<ExecutionSpace>& finest,
                                             GivenLevels<ExecutionSpace> given) {
  if (options_.precision == Precision::single_precision)
    cycle_.template emplace<Cycle<ExecutionSpace, float>>(group_, sums_, options_);
  else
    cycle_.template emplace<Cycle<ExecutionSpace, double>>(group_, sums_, options_);
  using Levels = std::vector<MultigridLevel<ExecutionSpace>>;
  const auto finished = [&](Levels& levels, std::size_t l) {
    visit([&](auto& cycle) { cycle.append(exec, levels, l, l + 1); });
    keep_alive(exec, levels[l]);
    levels[l].release();
    if (l == 0)
      finest.a = {};
  };
  levels_ = make_hierarchy<ExecutionSpace>(exec, group_, finest, std::move(given), options_, finished, second());
  visit([&](auto& cycle) { cycle.finish(exec, levels_); });
}

template <class ExecutionSpace>
void Multigrid<ExecutionSpace>::renew(const ExecutionSpace& exec, const linalg::CrsMatrix<Space>& a) {
  TESSERA_ASSERT(!options_.is_compact);
  levels_[0].a = whole_or_owned(exec, {a, levels_[0].offsets, owned_}).a;
  renew_hierarchy(exec, group_, levels_, second());
  make_cycle(exec);
}

template <class ExecutionSpace>
template <class Work>
void Multigrid<ExecutionSpace>::with_whole(const ExecutionSpace& exec, const const_vector_type& b, const vector_type& x,
                                           const Work& work) const {
  if (!is_whole_)
    return work(b, x);
  const std::vector<std::int64_t>& offsets = levels_[0].offsets;
  const auto owned = std::make_pair(owned_.first, owned_.first + owned_.n_owned);
  if (owned_.n_owned > 0) // a process may have no unknowns of a coarser level
    copy(exec, Kokkos::subview(whole_b_, owned), b);
  processes_.all_gather_parts(exec, whole_b_.data(), offsets, sizeof(double));
  work(const_vector_type(whole_b_), whole_x_);
  if (owned_.n_owned > 0)
    copy(exec, x, Kokkos::subview(whole_x_, owned));
}

namespace {
template <class Cycles, class Work> void visit_cycle(Cycles& cycles, const Work& work) {
  std::visit(
      [&](auto& cycle) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(cycle)>, std::monostate>)
          work(cycle);
      },
      cycles);
}
} // namespace

template <class ExecutionSpace> template <class Work> void Multigrid<ExecutionSpace>::visit(const Work& work) const {
  visit_cycle(cycle_, work);
}
template <class ExecutionSpace> template <class Work> void Multigrid<ExecutionSpace>::visit(const Work& work) {
  visit_cycle(cycle_, work);
}

template <class ExecutionSpace>
void Multigrid<ExecutionSpace>::apply(const ExecutionSpace& exec, const const_vector_type& r,
                                      const vector_type& z) const {
  with_whole(exec, r, z, [&](const const_vector_type& all_r, const vector_type& all_z) {
    visit([&](const auto& cycle) { cycle.apply(exec, all_r, all_z); });
  });
}

template <class ExecutionSpace>
bool Multigrid<ExecutionSpace>::apply_dot(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z,
                                          const vector_type& /*work*/,
                                          const ResidualProducts<ExecutionSpace>* products) const {
  const bool is_fused = products != nullptr && !is_whole_;
  if (is_fused)
    visit([&](const auto& cycle) { cycle.apply_dot(exec, r, z, *products); });
  else
    apply(exec, r, z);
  return is_fused;
}

template <class ExecutionSpace> bool Multigrid<ExecutionSpace>::has_start() const {
  return options_.cycle == MultigridCycle::full ||
         (options_.cycle == MultigridCycle::automatic && levels_[0].is_geometric);
}

template <class ExecutionSpace>
void Multigrid<ExecutionSpace>::start(const ExecutionSpace& exec, const const_vector_type& b,
                                      const vector_type& x) const {
  with_whole(exec, b, x, [&](const const_vector_type& all_b, const vector_type& all_x) {
    visit([&](const auto& cycle) { cycle.start(exec, levels_, all_b, all_x); });
  });
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
    summary.n_unknowns = static_cast<index_t>(level.n_unknowns());
    summary.n_entries = level.n_entries;
    summary.n_bytes = bytes_of(level);
    summary.is_geometric = level.is_geometric;
    visit([&](const auto& cycle) { summary.n_bytes += cycle.bytes_of_level(summaries.size()); });
    if (level.is_distributed()) {
      summary.n_entries = static_cast<std::int64_t>(group_.world->added(static_cast<double>(summary.n_entries)));
      summary.n_bytes = static_cast<std::int64_t>(group_.world->added(static_cast<double>(summary.n_bytes)));
    }
    summaries.push_back(summary);
  }
  return summaries;
}

#define TESSERA_INSTANTIATE(Space) template class Multigrid<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
