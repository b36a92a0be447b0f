// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/krylov/pcg_columns.hpp"

#include "core/error.hpp"
#include "linalg/column_sums.hpp"
#include "linalg/crs/spmv_kernels.hpp"
#include "linalg/vector_kernels.hpp"
#include "solvers/krylov/column_counts.hpp"
#include "solvers/krylov/pcg_iteration.hpp"

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

/// (b - q, b - q)
template <int N> struct Distances {
  Sources<N> sources;
  const Pack<double, N>* q;
  KOKKOS_FUNCTION void operator()(std::int64_t i, Pack<double, N> (&term)[1]) const {
    const Pack<double, N> d = sources.at(i) - q[i];
    term[0] = d * d;
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

template <class ExecutionSpace, int N> struct PcgColumns<ExecutionSpace, N>::System {
  using Entry = Pack<double, N>;
  const operator_type& a;
  const preconditioner_type& m;
  const MultigridColumns<ExecutionSpace, N>* cycle;
  const matrix_type& matrix = *linalg::matrix_of<matrix_type>(a);

  // Traffic with n rows and m entries: the matrix as for one vector, 12 m + 4 n, x and y 16 N n.
  void apply(const ExecutionSpace& exec, const Vectors& x, const Vectors& y) const {
    by_accumulators(matrix, [&](auto n_sums) {
      for_each("tessera::solvers::columns_product", exec, matrix.n_rows(),
               linalg::RowProduct<decltype(n_sums)::value, linalg::FullColumns, Entry>{
                   linalg::product_of<Entry>(matrix, x.data(), y.data())});
    });
  }
  void apply_dot(const ExecutionSpace& exec, const Vectors& x, const Vectors& y,
                 const ReduceWorkspace<ExecutionSpace>& workspace, double* xy) const {
    if constexpr (is_host_space<ExecutionSpace>) {
      by_accumulators(matrix, [&](auto n_sums) {
        column_sums<1, N>("tessera::solvers::columns_product_dot", exec, matrix.n_rows(),
                          linalg::RowProduct<decltype(n_sums)::value, linalg::FullColumns, Entry>{
                              linalg::product_of<Entry>(matrix, x.data(), y.data())},
                          workspace, xy);
      });
    } else {
      apply(exec, x, y);
      column_sums<1, N>("tessera::solvers::columns_dot", exec, matrix.n_rows(),
                        linalg::ColumnProducts<N>{x.data(), y.data()}, workspace, xy);
    }
  }
  bool precondition(const ExecutionSpace& exec, const Vectors& r, const Vectors& z, const Vectors&,
                    const ResidualProducts<ExecutionSpace>&) const {
    cycle->apply(exec, r, z);
    return false;
  }
};

template <class ExecutionSpace, int N>
PcgColumns<ExecutionSpace, N>::PcgColumns(const ExecutionSpace& exec, const operator_type& a,
                                          const preconditioner_type& m, const SolverOptions& options)
    : PcgRecurrence<ExecutionSpace, N>(options), a_(a), m_(m),
      cycle_(MultigridColumns<ExecutionSpace, N>::of(exec, m)) {
  TESSERA_ASSERT(suits(a, m) && !options.row_norm);
  const index_t n = a.size();
  interval_ = options_.check_interval;
  if (interval_ == 0)
    interval_ = is_host_space<ExecutionSpace> || cycle_ ? 1 : this->interval_for(N * a.traffic().bytes);
  interval_ = std::max(1, std::min(interval_, options_.max_iterations));
  records_ = make_array<std::decay_t<decltype(records_)>>(exec, "solvers::records", N * 2 * interval_);
  workspace_ = ReduceWorkspace<ExecutionSpace>(exec, n, 2 * N);
  state_ = make_array<decltype(state_)>(exec, "solvers::pcg_columns_state", 1);
  r_ = make_array<Vectors>(exec, "solvers::pcg_columns_r", n);
  p_ = make_array<Vectors>(exec, "solvers::pcg_columns_p", n);
  q_ = make_array<Vectors>(exec, "solvers::pcg_columns_q", n);
  x_ = make_array<Vectors>(exec, "solvers::pcg_columns_x", n);
  if (cycle_)
    z_ = make_array<Vectors>(exec, "solvers::pcg_columns_z", n);
}

template <class ExecutionSpace, int N>
std::vector<std::optional<PcgResult>> PcgColumns<ExecutionSpace, N>::start(const ExecutionSpace& exec,
                                                                           const std::vector<const_vector_type>& b) {
  const std::int64_t n = a_.size();
  const auto norms = make_array<vector_type>(exec, "solvers::pcg_columns_norms", 2 * N);
  stream("tessera::solvers::pack_columns", exec, n, PackSources<N>{sources_of<N>(b), r_.data()});
  linalg::set_to_zero(exec, x_);
  if (cycle_ && cycle_->has_start())
    cycle_->start(exec, r_, x_);
  column_sums<2, N>("tessera::solvers::columns_norms", exec, n, Squares<N>{r_.data(), x_.data()}, workspace_,
                    norms.data());
  const auto sums = PcgRecurrence<ExecutionSpace, N>::start(exec, System{a_, m_, cycle_.get()}, r_, x_);
  const auto of_b_and_x = to_host(exec, norms);

  PcgState<N> state{};
  std::vector<std::optional<PcgResult>> results(b.size());
  for (int c = 0; c < N; ++c) {
    state.column[c].status = DeviceStatus::converged; // unless it has to iterate
    state.column[c].iteration = -1;
    if (c >= static_cast<int>(b.size()))
      continue;
    const double bb = of_b_and_x(c), xx = of_b_and_x(N + c), rr = sums(c), rz = sums(N + c);
    if (!(bb == 0. || (bb >= linalg::smallest_square && bb <= linalg::largest_square)))
      continue;
    PcgResult& result = results[static_cast<std::size_t>(c)].emplace();
    this->check_start(exec, a_, b[static_cast<std::size_t>(c)], vector_type(), bb, xx, rr, result);
    if (!result.message.empty())
      continue;
    if (rz > 0. && std::isfinite(rz))
      state.column[c] = PcgScalars::first(rr, rz, result.threshold);
    else
      result.message = this->method_ + ": " + detail::describe_bad_start(rz);
  }
  this->write_state(exec, state_, state);
  return results;
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
  std::vector<SolverResult*> running(N, nullptr);
  for (std::size_t c = 0; c < results.size(); ++c)
    if (results[c] && results[c]->message.empty())
      running[c] = &*results[c];
  this->iterate(exec, System{a_, m_, cycle_.get()}, x_, interval_, detail::describe_break, running);

  const auto distance = make_array<vector_type>(exec, "solvers::distances", N);
  System{a_, m_, cycle_.get()}.apply(exec, x_, q_);
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
