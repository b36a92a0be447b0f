// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/krylov/pcg_columns.hpp"

#include "core/error.hpp"
#include "linalg/column_sums.hpp"
#include "linalg/crs/spmv_kernels.hpp"
#include "linalg/vector_kernels.hpp"
#include "solvers/krylov/column_counts.hpp"
#include "solvers/krylov/pcg_kernels.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tessera::solvers {

using linalg::column_sums;
using linalg::Pack;

namespace {

/// Right-hand sides, each in a separate array; null: zero.
template <int N> struct Sources {
  const double* b[N];
  KOKKOS_FUNCTION Pack<double, N> at(std::int64_t i) const {
    Pack<double, N> value;
    for (int c = 0; c < N; ++c)
      value.column[c] = b[c] != nullptr ? b[c][i] : 0.;
    return value;
  }
};

template <int N> struct PackSources {
  Sources<N> sources;
  Pack<double, N>* r;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { r[i] = sources.at(i); }
};

template <int N> struct TakeColumn {
  const Pack<double, N>* from;
  int c;
  double* x;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { x[i] = from[i].column[c]; }
};

/// (b, b) and (x, x)
template <int N> struct Squares {
  const Pack<double, N>* b;
  const Pack<double, N>* x;
  KOKKOS_FUNCTION void operator()(std::int64_t i, Pack<double, N> (&term)[2]) const {
    term[0] = b[i] * b[i];
    term[1] = x[i] * x[i];
  }
};

/// r = b - q, where r holds b, and p = z, with (r, r) and (r, z): detail::PcgStart for several columns.
template <Inverse kind, int N> struct StartColumns {
  const Pack<double, N>* q;
  const double* scale;
  Pack<double, N>* r;
  Pack<double, N>* p;
  KOKKOS_FUNCTION void operator()(std::int64_t i, Pack<double, N> (&term)[2]) const {
    const Pack<double, N> ri = r[i] - q[i];
    Pack<double, N> zi = ri;
    if constexpr (kind == Inverse::pointwise)
      zi = scale[i] * ri;
    r[i] = zi;
    if constexpr (kind != Inverse::stored)
      p[i] = zi;
    term[0] = ri * ri;
    term[1] = ri * zi;
  }
};

/// (b - q, b - q)
template <int N> struct Distances {
  Sources<N> sources;
  const Pack<double, N>* q;
  KOKKOS_FUNCTION void operator()(std::int64_t i, Pack<double, N> (&term)[1]) const {
    const Pack<double, N> d = sources.at(i) - q[i];
    term[0] = d * d;
  }
};

/// detail::PcgResidual for several columns. Columns that have ended keep theirs.
template <Inverse kind, int N> struct ResidualColumns {
  static constexpr int n_sums = kind == Inverse::pointwise ? 2 : 1;
  const PcgColumnsState<N>* state;
  const Pack<double, N>* q;
  const double* scale;
  Pack<double, N>* r; // or z
  double alpha[N] = {};
  bool running[N] = {};
  KOKKOS_FUNCTION void load() {
    for (int c = 0; c < N; ++c) {
      running[c] = state->column[c].status == DeviceStatus::running;
      alpha[c] = running[c] ? state->column[c].rz / state->pq[c] : 0.;
    }
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, Pack<double, N> (&term)[n_sums]) const {
    const Pack<double, N> before = r[i];
    const Pack<double, N> product = q[i];
    const double factor = kind == Inverse::pointwise ? scale[i] : 1.;
    Pack<double, N> after;
    for (int c = 0; c < N; ++c) {
      const double applied = kind == Inverse::pointwise ? factor * product.column[c] : product.column[c];
      const double next = before.column[c] - alpha[c] * applied;
      after.column[c] = running[c] ? next : before.column[c];
    }
    r[i] = after;
    if constexpr (kind == Inverse::pointwise) {
      const Pack<double, N> residual = after / factor;
      term[0] = residual * residual;
      term[n_sums - 1] = residual * after;
    } else {
      term[0] = after * after;
    }
  }
};

/// detail::PcgScalars, or detail::PcgConverged, for several columns, from the sums of all.
template <class CheckConvergence, int N> struct CheckColumns {
  PcgColumnsState<N>* state;
  SolverRecord* records; // [N][n_records]
  int n_records;
  KOKKOS_FUNCTION void operator()() const {
    for (int c = 0; c < N; ++c) {
      PcgState& column = state->column[c];
      column.pq = state->pq[c];
      column.sums[0] = state->sums[c];
      column.sums[1] = state->sums[N + c];
      CheckConvergence{&column, records + c * n_records, n_records}();
    }
  }
};

/// detail::PcgStep for several columns.
template <int N> struct StepColumns {
  const PcgColumnsState<N>* state;
  int k;
  const Pack<double, N>* z;
  Pack<double, N>* p;
  Pack<double, N>* x;
  double alpha[N] = {};
  double beta[N] = {};
  bool accepted[N] = {};
  KOKKOS_FUNCTION void load() {
    for (int c = 0; c < N; ++c) {
      accepted[c] = state->column[c].iteration == k;
      alpha[c] = state->column[c].alpha;
      beta[c] = state->column[c].beta;
    }
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Pack<double, N> inverse = z[i];
    const Pack<double, N> direction = p[i];
    const Pack<double, N> solution = x[i];
    Pack<double, N> next_p, next_x;
    for (int c = 0; c < N; ++c) {
      const double moved = solution.column[c] + alpha[c] * direction.column[c];
      const double turned = inverse.column[c] + beta[c] * direction.column[c];
      next_x.column[c] = accepted[c] ? moved : solution.column[c];
      next_p.column[c] = accepted[c] ? turned : direction.column[c];
    }
    x[i] = next_x;
    p[i] = next_p;
  }
};

template <int N, class ConstVector> Sources<N> sources_of(const std::vector<ConstVector>& b) {
  Sources<N> sources{};
  for (std::size_t c = 0; c < b.size(); ++c)
    sources.b[c] = b[c].data();
  return sources;
}

/// Calls `work(number)` with the number of accumulators of a row (linalg/crs/spmv_kernels.hpp), as a type.
template <class Matrix, class Work> void by_accumulators(const Matrix& matrix, const Work& work) {
  const int n_sums = linalg::accumulators_per_row(matrix.n_rows(), matrix.n_entries());
  if (n_sums == 1)
    work(std::integral_constant<int, 1>());
  else if (n_sums == 4)
    work(std::integral_constant<int, 4>());
  else
    work(std::integral_constant<int, 8>());
}

} // namespace

template <class ExecutionSpace, int N>
bool PcgColumns<ExecutionSpace, N>::suits(const operator_type& a, const preconditioner_type& m) {
  return linalg::matrix_of<matrix_type>(a) != nullptr && !a.sums().is_distributed() && a.is_symmetric() &&
         m.is_symmetric() &&
         (pointwise_of(m).kind != Inverse::stored || MultigridColumns<ExecutionSpace, N>::exists(m));
}

template <class ExecutionSpace, int N>
PcgColumns<ExecutionSpace, N>::PcgColumns(const ExecutionSpace& exec, const operator_type& a,
                                          const preconditioner_type& m, const SolverOptions& options)
    : KrylovSolver<ExecutionSpace>("PCG", options), a_(a), m_(m), matrix_(*linalg::matrix_of<matrix_type>(a)),
      cycle_(MultigridColumns<ExecutionSpace, N>::of(exec, m)) {
  TESSERA_ASSERT(suits(a, m) && !options.row_norm);
  const index_t n = a.size();
  interval_ = options_.check_interval;
  if (interval_ == 0)
    interval_ = is_host_space<ExecutionSpace> || cycle_ ? 1 : this->interval_for(N * a.traffic().bytes);
  interval_ = std::max(1, std::min(interval_, options_.max_iterations));
  records_ = make_array<std::decay_t<decltype(records_)>>(exec, "solvers::records", N * interval_);
  workspace_ = ReduceWorkspace<ExecutionSpace>(exec, n, 2 * N);
  state_ = make_array<decltype(state_)>(exec, "solvers::pcg_columns_state", 1);
  r_ = make_array<Columns>(exec, "solvers::pcg_columns_r", n);
  p_ = make_array<Columns>(exec, "solvers::pcg_columns_p", n);
  q_ = make_array<Columns>(exec, "solvers::pcg_columns_q", n);
  x_ = make_array<Columns>(exec, "solvers::pcg_columns_x", n);
  if (cycle_)
    z_ = make_array<Columns>(exec, "solvers::pcg_columns_z", n);
}

// Traffic with n rows and m entries: the matrix as for one vector, 12 m + 4 n, x and y 16 N n.
template <class ExecutionSpace, int N>
void PcgColumns<ExecutionSpace, N>::product(const ExecutionSpace& exec, const Columns& x, const Columns& y) const {
  using Entry = Pack<double, N>;
  by_accumulators(matrix_, [&](auto n_sums) {
    for_each("tessera::solvers::columns_product", exec, matrix_.n_rows(),
             linalg::RowProduct<decltype(n_sums)::value, linalg::FullColumns, Entry>{
                 linalg::product_of<Entry>(matrix_, x.data(), y.data())});
  });
}

template <class ExecutionSpace, int N>
void PcgColumns<ExecutionSpace, N>::product_dot(const ExecutionSpace& exec, const Columns& x, const Columns& y,
                                                double* xy) const {
  using Entry = Pack<double, N>;
  if constexpr (is_host_space<ExecutionSpace>) {
    by_accumulators(matrix_, [&](auto n_sums) {
      column_sums<1, N>("tessera::solvers::columns_product_dot", exec, matrix_.n_rows(),
                        linalg::RowProduct<decltype(n_sums)::value, linalg::FullColumns, Entry>{
                            linalg::product_of<Entry>(matrix_, x.data(), y.data())},
                        workspace_, xy);
    });
  } else {
    product(exec, x, y);
    column_sums<1, N>("tessera::solvers::columns_dot", exec, matrix_.n_rows(),
                      linalg::ColumnProducts<N>{x.data(), y.data()}, workspace_, xy);
  }
}

template <class ExecutionSpace, int N>
std::vector<std::optional<PcgResult>> PcgColumns<ExecutionSpace, N>::start(const ExecutionSpace& exec,
                                                                           const std::vector<const_vector_type>& b) {
  const std::int64_t n = a_.size();
  const auto sums = make_array<vector_type>(exec, "solvers::pcg_columns_start", 4 * N);
  stream("tessera::solvers::pack_columns", exec, n, PackSources<N>{sources_of<N>(b), r_.data()});
  linalg::set_to_zero(exec, x_);
  if (cycle_ && cycle_->has_start())
    cycle_->start(exec, r_, x_);
  column_sums<2, N>("tessera::solvers::columns_norms", exec, n, Squares<N>{r_.data(), x_.data()}, workspace_,
                    sums.data());
  product(exec, x_, q_);
  const auto by = [&](const auto& body) {
    column_sums<2, N>("tessera::solvers::columns_start", exec, n, body, workspace_, sums.data() + 2 * N);
  };
  const auto pointwise = pointwise_of(m_);
  if (cycle_) {
    by(StartColumns<Inverse::stored, N>{q_.data(), nullptr, r_.data(), p_.data()});
    cycle_->apply(exec, r_, z_);
    copy(exec, p_, z_);
    column_sums<1, N>("tessera::solvers::columns_dot", exec, n, linalg::ColumnProducts<N>{r_.data(), z_.data()},
                      workspace_, sums.data() + 3 * N);
  } else if (pointwise.kind == Inverse::pointwise) {
    by(StartColumns<Inverse::pointwise, N>{q_.data(), pointwise.scale.data(), r_.data(), p_.data()});
  } else {
    by(StartColumns<Inverse::identity, N>{q_.data(), nullptr, r_.data(), p_.data()});
  }
  const auto host = to_host(exec, sums);

  PcgColumnsState<N> state{};
  std::vector<std::optional<PcgResult>> results(b.size());
  for (int c = 0; c < N; ++c) {
    PcgState& column = state.column[c];
    column.status = DeviceStatus::converged; // unless it has to iterate
    column.iteration = -1;
    if (c >= static_cast<int>(b.size()))
      continue;
    const double bb = host(c), xx = host(N + c), rr = host(2 * N + c), rz = host(3 * N + c);
    if (!(bb == 0. || (bb >= linalg::smallest_square && bb <= linalg::largest_square)))
      continue;
    PcgResult& result = results[static_cast<std::size_t>(c)].emplace();
    this->check_start(exec, a_, b[static_cast<std::size_t>(c)], vector_type(), bb, xx, rr, result);
    if (!result.message.empty())
      continue;
    if (!(rz > 0. && std::isfinite(rz))) {
      result.message = this->method_ + ": " + detail::describe_bad_start(rz);
      continue;
    }
    column.rz = rz;
    column.rr = rr;
    column.threshold2 = result.threshold * result.threshold;
    column.status = DeviceStatus::running;
    column.iteration = 0;
  }
  this->write_state(exec, state_, state);
  return results;
}

// Traffic of an iteration in addition to the product, in bytes per unknown and column: as in pcg.cpp.
template <class ExecutionSpace, int N>
bool PcgColumns<ExecutionSpace, N>::one_iteration(const ExecutionSpace& exec, int k,
                                                  const std::vector<SolverRecord>& last) {
  const std::int64_t n = a_.size();
  PcgColumnsState<N>* state = state_.data();
  SolverRecord* records = records_.data();
  const char* label = "tessera::solvers::columns_residual";
  product_dot(exec, p_, q_, state->pq);
  bool goes_on = true;
  if (cycle_) {
    using Residual = ResidualColumns<Inverse::stored, N>;
    column_sums<Residual::n_sums, N>(label, exec, n, Residual{state, q_.data(), nullptr, r_.data()}, workspace_,
                                     state->sums, CheckColumns<detail::PcgConverged, N>{state, records, interval_});
    if (interval_ == 1) { // a check pays: the last iteration skips the cycle
      exec.fence();
      goes_on = false;
      for (int c = 0; c < N; ++c)
        goes_on = goes_on || (last[static_cast<std::size_t>(c)].status == DeviceStatus::running &&
                              !(record(c, k - 1).iteration == k && record(c, k - 1).status == DeviceStatus::converged));
    }
    if (goes_on) {
      cycle_->apply(exec, r_, z_);
      column_sums<1, N>("tessera::solvers::columns_rz", exec, n, linalg::ColumnProducts<N>{r_.data(), z_.data()},
                        workspace_, state->sums + N,
                        CheckColumns<detail::PcgScalars<Inverse::stored>, N>{state, records, interval_});
    }
  } else if (pointwise_of(m_).kind == Inverse::pointwise) {
    using Residual = ResidualColumns<Inverse::pointwise, N>;
    column_sums<Residual::n_sums, N>(
        label, exec, n, Residual{state, q_.data(), pointwise_of(m_).scale.data(), r_.data()}, workspace_, state->sums,
        CheckColumns<detail::PcgScalars<Inverse::pointwise>, N>{state, records, interval_});
  } else {
    using Residual = ResidualColumns<Inverse::identity, N>;
    column_sums<Residual::n_sums, N>(label, exec, n, Residual{state, q_.data(), nullptr, r_.data()}, workspace_,
                                     state->sums,
                                     CheckColumns<detail::PcgScalars<Inverse::identity>, N>{state, records, interval_});
  }
  stream("tessera::solvers::columns_step", exec, n,
         StepColumns<N>{state, k, cycle_ ? z_.data() : r_.data(), p_.data(), x_.data()});
  return goes_on;
}

template <class ExecutionSpace, int N>
void PcgColumns<ExecutionSpace, N>::iterate(const ExecutionSpace& exec,
                                            std::vector<std::optional<PcgResult>>& results) {
  for (std::size_t i = 0; i < records_.extent(0); ++i) // of an earlier, completed solve
    records_(i) = SolverRecord{0., 0., DeviceStatus::running, 0};
  const auto runs = [](const std::optional<PcgResult>& result) { return result && result->message.empty(); };
  std::vector<SolverRecord> last(N, SolverRecord{0., 0., DeviceStatus::converged, 0});
  for (std::size_t c = 0; c < results.size(); ++c)
    if (runs(results[c]))
      last[c] = {results[c]->residual * results[c]->residual, 0., DeviceStatus::running, 0};
  const auto is_running = [](const SolverRecord& record) { return record.status == DeviceStatus::running; };
  int done = 0;
  while (done < options_.max_iterations && std::any_of(last.begin(), last.end(), is_running)) {
    const int begin = done;
    done += std::min(interval_, options_.max_iterations - begin);
    bool goes_on = true;
    for (int k = begin + 1; k <= done && goes_on; ++k)
      goes_on = one_iteration(exec, k, last);
    exec.fence();
    double largest = 0.;
    for (std::size_t c = 0; c < results.size(); ++c) {
      for (int k = last[c].iteration; k < done && is_running(last[c]); ++k) {
        last[c] = record(static_cast<int>(c), k);
        if (options_.record_history && last[c].iteration > k)
          results[c]->history.push_back(std::sqrt(last[c].rr));
      }
      largest = is_running(last[c]) ? std::max(largest, last[c].rr) : largest;
    }
    if (options_.monitor)
      options_.monitor(done, std::sqrt(largest));
  }
  for (std::size_t c = 0; c < results.size(); ++c)
    if (runs(results[c]))
      this->conclude(last[c], detail::describe_break, *results[c]);
}

template <class ExecutionSpace, int N>
std::vector<std::optional<PcgResult>> PcgColumns<ExecutionSpace, N>::solve(const ExecutionSpace& exec,
                                                                           const std::vector<const_vector_type>& b) {
  TESSERA_REQUIRE(b.size() <= N, "PCG: " << b.size() << " right-hand sides together; at most " << N << " fit.");
  for (const const_vector_type& rhs : b)
    TESSERA_REQUIRE(static_cast<index_t>(rhs.extent(0)) == a_.size(),
                    "PCG: the operator has " << a_.size() << " unknowns, the right-hand side " << rhs.extent(0) << '.');
  const auto begin = std::chrono::steady_clock::now();
  auto results = start(exec, b);
  iterate(exec, results);

  const auto distance = make_array<vector_type>(exec, "solvers::distances", N);
  product(exec, x_, q_);
  column_sums<1, N>("tessera::solvers::columns_true_residual", exec, a_.size(),
                    Distances<N>{sources_of<N>(b), q_.data()}, workspace_, distance.data());
  const auto host = to_host(exec, distance);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (std::size_t c = 0; c < results.size(); ++c)
    if (results[c]) {
      results[c]->true_residual = std::sqrt(host(c));
      results[c]->seconds = seconds / static_cast<double>(results.size());
      this->conclude_true_residual(*results[c]);
    }
  return results;
}

template <class ExecutionSpace, int N>
void PcgColumns<ExecutionSpace, N>::copy_solution(const ExecutionSpace& exec, int c, const vector_type& x) const {
  stream("tessera::solvers::take_column", exec, a_.size(), TakeColumn<N>{x_.data(), c, x.data()});
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template class PcgColumns<Space, few_columns>;                                                                       \
  template class PcgColumns<Space, most_columns>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
