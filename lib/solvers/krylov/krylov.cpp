// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/krylov/krylov.hpp"

#include "core/error.hpp"
#include "linalg/vector_kernels.hpp"

#include <algorithm>
#include <chrono>
#include <sstream>

namespace tessera::solvers {

namespace {

using detail::shown;

/// x *= factor
struct ScaleVector {
  double* x;
  double factor;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { x[i] *= factor; }
};

constexpr int start_sums = 3;

/// r = b - q, with (b, b), (x, x) and (r, r).
struct Start {
  const double* b;
  const double* x;
  const double* q;
  double* r;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[start_sums]) const {
    const double ri = b[i] - q[i];
    r[i] = ri;
    term[0] = b[i] * b[i];
    term[1] = x[i] * x[i];
    term[2] = ri * ri;
  }
};

/// (b - q, b - q)
struct Distance {
  const double* b;
  const double* q;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const double d = b[i] - q[i];
    term[0] = d * d;
  }
};

} // namespace

const char* to_string(SolverStatus status) {
  switch (status) {
  case SolverStatus::converged:
    return "converged";
  case SolverStatus::max_iterations:
    return "max_iterations";
  case SolverStatus::inaccurate:
    return "inaccurate";
  default:
    return "breakdown";
  }
}

template <class ExecutionSpace>
KrylovSolver<ExecutionSpace>::KrylovSolver(std::string method, SolverOptions options)
    : method_(std::move(method)), options_(std::move(options)) {
  TESSERA_REQUIRE(options_.relative_tolerance >= 0. && options_.absolute_tolerance >= 0.,
                  method_ << ": the tolerances must not be negative; they are " << options_.relative_tolerance
                          << " (relative) and " << options_.absolute_tolerance << " (absolute).");
  TESSERA_REQUIRE(options_.max_iterations >= 0,
                  method_ << ": max_iterations must not be negative; it is " << options_.max_iterations << '.');
  TESSERA_REQUIRE(options_.check_interval >= 0,
                  method_ << ": check_interval must not be negative; it is " << options_.check_interval << '.');
}

// The host lags at most two of these intervals behind the device: iterations launched after the last one are wasted.
template <class ExecutionSpace> int KrylovSolver<ExecutionSpace>::interval_for(double bytes) {
  const double microseconds = 15. + bytes / 3e6;
  return std::clamp(static_cast<int>(300. / microseconds), 1, 20);
}

template <class ExecutionSpace>
int KrylovSolver<ExecutionSpace>::prepare(const ExecutionSpace& exec, const operator_type& a,
                                          const preconditioner_type& m, const const_vector_type& b,
                                          const vector_type& x, int interval, int n_sums) {
  const auto n = static_cast<std::size_t>(a.size());
  TESSERA_REQUIRE(b.extent(0) == n && x.extent(0) == n, method_ << ": the operator has " << n
                                                                << " unknowns, the right-hand side " << b.extent(0)
                                                                << ", the solution " << x.extent(0) << '.');
  TESSERA_REQUIRE(m.n_rows() == a.size(), method_ << ": the preconditioner is for " << m.n_rows()
                                                  << " unknowns, the operator for " << n << '.');
  if (options_.check_interval > 0)
    interval = options_.check_interval;
  else if (is_host_space<ExecutionSpace>)
    interval = 1; // if a check is free
  interval = std::max(1, std::min(interval, options_.max_iterations));
  if (a.sums().is_distributed()) // all devices launch the same number of steps
    interval = static_cast<int>(a.sums().largest(interval));
  if (n_records() != 2 * interval)
    records_ = make_array<decltype(records_)>(exec, "solvers::records", 2 * interval);
  if (n_ != a.size()) {
    n_ = a.size();
    workspace_ = ReduceWorkspace<ExecutionSpace>(exec, n_, std::max(n_sums, start_sums));
  }
  return interval;
}

template <class ExecutionSpace>
void KrylovSolver<ExecutionSpace>::in_range(const ExecutionSpace& exec, const const_vector_type& b,
                                            const vector_type& x, SolverResult& result,
                                            const std::function<void(const const_vector_type& b)>& work) {
  const auto timed = [&](const const_vector_type& rhs) {
    const auto begin = std::chrono::steady_clock::now();
    work(rhs);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  unit_ = 1.;
  timed(b);
  if (unit_ == 1.)
    return;
  const auto n = static_cast<std::int64_t>(x.extent(0));
  const auto scaled = make_array<vector_type>(exec, "solvers::scaled_rhs", n);
  Kokkos::deep_copy(exec, scaled, b);
  stream("tessera::solvers::scale", exec, n, ScaleVector{scaled.data(), 1. / unit_});
  stream("tessera::solvers::scale", exec, n, ScaleVector{x.data(), 1. / unit_});
  const SolverOptions given = options_;
  options_.absolute_tolerance /= unit_;
  if (given.monitor)
    options_.monitor = [&given, this](int iterations, double residual) { given.monitor(iterations, unit_ * residual); };
  try {
    timed(scaled);
  } catch (...) {
    options_ = given;
    throw;
  }
  options_ = given;
  stream("tessera::solvers::scale", exec, n, ScaleVector{x.data(), unit_});
  exec.fence(); // the scaled right-hand side is freed
  for (double* norm :
       {&result.initial_residual, &result.residual, &result.true_residual, &result.rhs_norm, &result.threshold})
    *norm *= unit_;
  for (double& residual : result.history)
    residual *= unit_;
  std::ostringstream text;
  text << " The norms above are in units of " << unit_
       << ", because their squares leave the range of double precision.";
  result.message += text.str();
}

template <class ExecutionSpace>
void KrylovSolver<ExecutionSpace>::replace_zero(const ExecutionSpace& exec, const operator_type& a,
                                                const preconditioner_type& m, const const_vector_type& b,
                                                const vector_type& x) {
  const auto* start = fused(m);
  if (start == nullptr || !start->has_start())
    return;
  const auto xx = make_array<vector_type>(exec, "solvers::norm_of_guess", 1);
  const ReduceWorkspace<ExecutionSpace> workspace(exec, a.size(), 1);
  linalg::dot<ExecutionSpace>(exec, x, x, workspace, xx.data(), a.sums());
  if (read_entry(exec, xx, 0) == 0.)
    start->start(exec, b, x);
}

template <class ExecutionSpace>
void KrylovSolver<ExecutionSpace>::start(const ExecutionSpace& exec, const operator_type& a, const const_vector_type& b,
                                         const vector_type& x, const vector_type& r, const vector_type& q,
                                         SolverResult& result) {
  const auto sums = make_array<vector_type>(exec, "solvers::start_sums", start_sums);
  a.apply(exec, x, q);
  linalg::global_sums<start_sums>("tessera::solvers::start", exec, a.size(),
                                  Start{b.data(), x.data(), q.data(), r.data()}, workspace_, sums.data(), a.sums());
  const auto host = to_host(exec, sums);
  check_start(exec, a, b, x, host(0), host(1), host(2), result);
}

template <class ExecutionSpace>
void KrylovSolver<ExecutionSpace>::check_start(const ExecutionSpace& exec, const operator_type& a,
                                               const const_vector_type& b, const vector_type& x, double bb, double xx,
                                               double rr, SolverResult& result) {
  result.status = SolverStatus::breakdown;
  std::ostringstream text;
  if (unit_ == 1. && !std::isnan(bb) && !(bb >= linalg::smallest_square && bb <= linalg::largest_square)) {
    unit_ = linalg::unit_of(exec, b, a.sums());
    if (unit_ != 1.) {
      // for in_range()
      result.message = method_ + ": squares of the right-hand side leave the range of doubles.";
      return;
    }
  }
  if (!std::isfinite(bb))
    text << method_ << ": the right-hand side holds a value that is not finite: (b, b) = " << shown(bb) << '.';
  else if (!std::isfinite(xx))
    text << method_
         << ": the initial guess holds a value that is not finite, or too large for its square: (x, x) = " << shown(xx)
         << '.';
  else if (!std::isfinite(rr))
    text << method_ << ": the operator gave a value that is not finite: ||b - A x|| = " << shown(std::sqrt(rr))
         << " for the initial guess.";
  result.message = text.str();
  if (!result.message.empty())
    return;

  result.rhs_norm = options_.row_norm ? options_.row_norm(b.data(), nullptr) : std::sqrt(bb);
  result.initial_residual = result.residual = std::sqrt(rr);
  result.threshold = std::max(options_.relative_tolerance * result.rhs_norm, options_.absolute_tolerance);
  if (options_.record_history)
    result.history.push_back(result.residual);
  if (bb == 0.) {
    fill(exec, x, 0.);
    result.residual = 0.;
    result.status = SolverStatus::converged;
    text << method_ << ": the right-hand side is zero, so the solution is.";
  } else if (result.residual <= result.threshold) {
    result.status = SolverStatus::converged;
    text << method_ << ": the initial guess is the solution: ||r|| = " << result.residual << " <= " << result.threshold
         << '.';
  }
  result.message = text.str();
}

// While the host checks some iterations, the device performs the next ones, so that its queue never runs empty. On
// hosts nothing is queued, and iterations after the last one would only be wasted.
template <class ExecutionSpace>
void KrylovSolver<ExecutionSpace>::iterate(const ExecutionSpace& exec, int interval,
                                           const std::function<void(int, int)>& steps,
                                           const std::function<std::string(const SolverRecord&)>& describe,
                                           const std::vector<SolverResult*>& results) {
  constexpr int n_ahead = is_host_space<ExecutionSpace> ? 0 : 1;
  const int n_records = static_cast<int>(records_.extent(0) / results.size());
  std::vector<SolverRecord> last(results.size(), SolverRecord{0., 0., DeviceStatus::converged, 0});
  for (std::size_t c = 0; c < results.size(); ++c)
    if (results[c] != nullptr)
      last[c] = {results[c]->residual * results[c]->residual, 0., DeviceStatus::running, 0};
  const auto is_running = [](const SolverRecord& record) { return record.status == DeviceStatus::running; };
  int launched = 0; // iterations
  int marked = 0;   // intervals
  int end = 0;      // of the iterations seen
  for (int seen = 0; end < options_.max_iterations && std::any_of(last.begin(), last.end(), is_running); ++seen) {
    for (; marked <= seen + n_ahead && launched < options_.max_iterations; ++marked) {
      const int begin = launched;
      launched += std::min(interval, options_.max_iterations - begin);
      steps(begin, launched);
      marks_[marked % 2].set(exec);
    }
    marks_[seen % 2].wait();
    end = std::min((seen + 1) * interval, options_.max_iterations);
    SolverRecord slowest{0., 0., DeviceStatus::running, 0};
    for (std::size_t c = 0; c < results.size(); ++c) {
      for (int k = last[c].iteration; k < end && is_running(last[c]); ++k) {
        last[c] = records_(static_cast<int>(c) * n_records + k % n_records);
        if (options_.record_history && last[c].iteration > k)
          results[c]->history.push_back(std::sqrt(last[c].rr));
      }
      if (last[c].iteration > slowest.iteration ||
          (last[c].iteration == slowest.iteration && !(last[c].rr <= slowest.rr)))
        slowest = last[c];
    }
    if (options_.monitor)
      options_.monitor(slowest.iteration, std::sqrt(slowest.rr));
  }
  for (std::size_t c = 0; c < results.size(); ++c)
    if (results[c] != nullptr)
      conclude(last[c], describe, *results[c]);
}

template <class ExecutionSpace>
void KrylovSolver<ExecutionSpace>::conclude(const SolverRecord& last,
                                            const std::function<std::string(const SolverRecord&)>& describe,
                                            SolverResult& result) const {
  result.iterations = last.iteration;
  if (last.iteration > 0)
    result.residual = std::sqrt(last.rr);
  std::ostringstream text;
  if (last.status == DeviceStatus::running) {
    result.status = SolverStatus::max_iterations;
    text << method_ << ": not converged in " << result.iterations << " iterations: ||r|| = " << result.residual << " > "
         << result.threshold << '.';
  } else if (last.status == DeviceStatus::converged) {
    result.status = SolverStatus::converged;
    text << method_ << ": converged in " << result.iterations << " iterations: ||r|| = " << result.residual
         << " <= " << result.threshold << '.';
  } else {
    result.status = SolverStatus::breakdown;
    text << method_ << ": " << describe(last);
  }
  result.message = text.str();
}

template <class ExecutionSpace>
void KrylovSolver<ExecutionSpace>::finish(const ExecutionSpace& exec, const operator_type& a,
                                          const const_vector_type& b, const vector_type& x, const vector_type& q,
                                          SolverResult& result) {
  a.apply(exec, x, q);
  if (options_.row_norm) {
    result.true_residual = options_.row_norm(b.data(), q.data());
    conclude_true_residual(result);
    return;
  }
  const auto distance = make_array<vector_type>(exec, "solvers::distance", 1);
  linalg::global_sums<1>("tessera::solvers::true_residual", exec, a.size(), Distance{b.data(), q.data()}, workspace_,
                         distance.data(), a.sums());
  result.true_residual = std::sqrt(read_entry(exec, distance, 0));
  conclude_true_residual(result);
}

template <class ExecutionSpace> void KrylovSolver<ExecutionSpace>::conclude_true_residual(SolverResult& result) const {
  if (result.status == SolverStatus::converged && result.true_residual > 10. * result.threshold &&
      result.true_residual > 10. * result.residual) {
    std::ostringstream text;
    text << " The true residual stays at " << result.true_residual
         << ": the tolerance is below what rounding allows for this system.";
    result.message += text.str();
  }
  if (result.status == SolverStatus::converged && result.rhs_norm > 0. &&
      !(result.true_residual <= options_.largest_residual * result.rhs_norm)) {
    result.status = SolverStatus::inaccurate;
    std::ostringstream text;
    text << " But the true residual is " << shown(result.true_residual / result.rhs_norm)
         << " times the right-hand side, and above " << options_.largest_residual
         << " that is not converged. Lower the tolerances.";
    result.message += text.str();
  }
}

template <class ExecutionSpace>
bool KrylovSolver<ExecutionSpace>::is_finite(const ExecutionSpace& exec, const operator_type& a,
                                             const const_vector_type& v) {
  return std::isfinite(linalg::global_sum("tessera::solvers::is_finite", exec, a.size(),
                                          linalg::Products{v.data(), v.data()}, a.sums()));
}

template <class ExecutionSpace>
const char* KrylovSolver<ExecutionSpace>::source_of_infinity(const ExecutionSpace& exec, const operator_type& a,
                                                             const preconditioner_type& m,
                                                             const std::vector<const_vector_type>& v,
                                                             const vector_type& z) {
  for (const const_vector_type& input : v) {
    m.apply(exec, input, z);
    if (!is_finite(exec, a, z))
      return "preconditioner";
  }
  return "operator";
}

#define TESSERA_INSTANTIATE(Space) template class KrylovSolver<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
