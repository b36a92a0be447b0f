// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/pcg.hpp"

#include "core/error.hpp"
#include "linalg/vector_kernels.hpp"
#include "solvers/pcg_kernels.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <sstream>

namespace tessera::solvers {

namespace {

using detail::Inverse;
using detail::kind_of;

/// A 1 = 0 to rounding: below this fraction of the row's diagonal entry, in the mean square. One Dirichlet or Robin
/// node among 2^31 leaves about 1e-5.
constexpr double null_space_tolerance = 1e-13;

/// For messages, which must not say "-nan".
double shown(double value) { return std::isnan(value) ? std::fabs(value) : value; }

/// x *= factor
struct Scale {
  double* x;
  double factor;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { x[i] *= factor; }
};

std::string describe_break(const PcgRecord& state) {
  std::ostringstream text;
  const int k = state.iteration + 1;
  switch (state.status) {
  case PcgDeviceStatus::indefinite:
    text << "PCG: the operator is " << (state.breakdown_value == 0. ? "singular or " : "")
         << "not positive definite: (p, A p) = " << shown(state.breakdown_value) << " in iteration " << k << '.';
    break;
  case PcgDeviceStatus::operator_not_finite:
    text << "PCG: the operator gave a value that is not finite: (p, A p) = " << shown(state.breakdown_value)
         << " in iteration " << k << '.';
    break;
  case PcgDeviceStatus::residual_not_finite:
    text << "PCG: the residual is not finite: " << shown(state.breakdown_value) << " in iteration " << k << '.';
    break;
  case PcgDeviceStatus::residual_negative:
    text << "PCG: the residual is dominated by rounding error: (r, r) summed by elements is "
         << shown(state.breakdown_value) << " in iteration " << k << ". Raise the tolerance, or use method pcg.";
    break;
  default:
    text << "PCG: the preconditioner is not positive definite: (r, M^-1 r) = " << shown(state.breakdown_value)
         << " in iteration " << state.iteration << '.';
  }
  return text.str();
}

} // namespace

const char* to_string(PcgStatus status) {
  switch (status) {
  case PcgStatus::converged:
    return "converged";
  case PcgStatus::max_iterations:
    return "max_iterations";
  case PcgStatus::inaccurate:
    return "inaccurate";
  default:
    return "breakdown";
  }
}

template <class ExecutionSpace> Pcg<ExecutionSpace>::Pcg(PcgOptions options) : options_(std::move(options)) {
  TESSERA_REQUIRE(options_.relative_tolerance >= 0. && options_.absolute_tolerance >= 0.,
                  "PCG: the tolerances must not be negative; they are "
                      << options_.relative_tolerance << " (relative) and " << options_.absolute_tolerance
                      << " (absolute).");
  TESSERA_REQUIRE(options_.max_iterations >= 0,
                  "PCG: max_iterations must not be negative; it is " << options_.max_iterations << '.');
  TESSERA_REQUIRE(options_.check_interval >= 0,
                  "PCG: check_interval must not be negative; it is " << options_.check_interval << '.');
}

// The host lags by at most two of these intervals behind the device: what it launches after the last iteration is lost.
template <class ExecutionSpace> int Pcg<ExecutionSpace>::interval_for(double bytes) {
  const double microseconds = 15. + bytes / 3e6;
  return std::clamp(static_cast<int>(300. / microseconds), 1, 20);
}

template <class ExecutionSpace>
int Pcg<ExecutionSpace>::prepare(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
                                 const const_vector_type& b, const vector_type& x, int interval) {
  TESSERA_REQUIRE(a.is_symmetric(), "PCG: conjugate gradients need a symmetric operator, and this one is not.");
  TESSERA_REQUIRE(m.is_symmetric(),
                  "PCG: conjugate gradients need a symmetric preconditioner, and '" << m.name() << "' is not.");
  const auto n = static_cast<std::size_t>(a.size());
  TESSERA_REQUIRE(b.extent(0) == n && x.extent(0) == n, "PCG: the operator has "
                                                            << n << " unknowns, the right-hand side " << b.extent(0)
                                                            << ", the solution " << x.extent(0) << '.');
  const auto pointwise = m.pointwise();
  TESSERA_REQUIRE(pointwise.scale.extent(0) == 0 || pointwise.scale.extent(0) == n,
                  "PCG: the preconditioner is for " << pointwise.scale.extent(0) << " unknowns, the operator for " << n
                                                    << '.');
  if (options_.check_interval > 0)
    interval = options_.check_interval;
  else if (is_host_space<ExecutionSpace>)
    interval = 1; // where a check is free
  interval = std::max(1, std::min(interval, options_.max_iterations));
  if (state_.extent(0) == 0)
    state_ = make_array<decltype(state_)>(exec, "solvers::pcg_state", 1);
  if (n_records() != 2 * interval)
    records_ = make_array<decltype(records_)>(exec, "solvers::pcg_records", 2 * interval);
  if (r_.extent(0) != n || workspace_.size() == 0) {
    r_ = p_ = q_ = z_ = vector_type();
    r_ = make_array<vector_type>(exec, "solvers::pcg_r", n);
    p_ = make_array<vector_type>(exec, "solvers::pcg_p", n);
    q_ = make_array<vector_type>(exec, "solvers::pcg_q", n);
    workspace_ = ReduceWorkspace<ExecutionSpace>(exec, static_cast<std::int64_t>(n), 6);
  }
  if (kind_of(m) == Inverse::stored && z_.extent(0) != n)
    z_ = make_array<vector_type>(exec, "solvers::pcg_z", n);
  return interval;
}

template <class ExecutionSpace>
void Pcg<ExecutionSpace>::write_state(const ExecutionSpace& exec, const PcgState& state) const {
  const Kokkos::View<const PcgState*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(&state, 1);
  Kokkos::deep_copy(exec, state_, host);
  exec.fence(); // `state` may be gone when the copy runs
}

namespace {

template <Inverse kind, class ExecutionSpace, class Const, class Vector>
void start_loop(const ExecutionSpace& exec, const Const& b, const Vector& x, const Vector& q, const double* scale,
                const Vector& r, const Vector& p, const ReduceWorkspace<ExecutionSpace>& workspace, double* result,
                const linalg::GlobalSums<ExecutionSpace>& sums) {
  linalg::global_sums<6>("tessera::solvers::pcg_start", exec, static_cast<std::int64_t>(r.extent(0)),
                         detail::PcgStart<kind>{b.data(), x.data(), q.data(), scale, r.data(), p.data()}, workspace,
                         result, sums);
}

} // namespace

// Leaves r = b - A x (or z, see PcgStart), p = z and the device's state, or ends the solve by setting the result's
// message.
template <class ExecutionSpace>
void Pcg<ExecutionSpace>::start(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
                                const const_vector_type& b, const vector_type& x, PcgResult& result) {
  const std::int64_t n_local = a.size();
  const Inverse kind = kind_of(m);
  const auto sums = make_array<vector_type>(exec, "solvers::pcg_start", 7);

  if (options_.look_for_constant_null_space) {
    fill(exec, p_, 1.);
    a.apply(exec, p_, q_);
    a.diagonal(exec, r_);
    linalg::global_sums<1>("tessera::solvers::pcg_row_sums", exec, n_local, detail::PcgRowSums{q_.data(), r_.data()},
                           workspace_, sums.data() + 6, a.sums());
  } else {
    fill(exec, sums, 1.);
  }

  a.apply(exec, x, q_);
  const auto pointwise = m.pointwise();
  if (kind == Inverse::identity)
    start_loop<Inverse::identity>(exec, b, x, q_, nullptr, r_, p_, workspace_, sums.data(), a.sums());
  else if (kind == Inverse::pointwise)
    start_loop<Inverse::pointwise>(exec, b, x, q_, pointwise.scale.data(), r_, p_, workspace_, sums.data(), a.sums());
  else
    start_loop<Inverse::stored>(exec, b, x, q_, nullptr, r_, p_, workspace_, sums.data(), a.sums());
  if (kind == Inverse::stored) {
    m.apply(exec, r_, z_);
    Kokkos::deep_copy(exec, p_, z_);
    linalg::dot<ExecutionSpace>(exec, r_, z_, workspace_, sums.data() + 3, a.sums());
  }
  const auto host = to_host(exec, sums);
  const double bb = host(0), xx = host(1), rr = host(2), rz = host(3), sum_r = host(4), n = host(5);

  result.status = PcgStatus::breakdown;
  std::ostringstream text;
  if (unit_ == 1. && !std::isnan(bb) && !(bb >= linalg::smallest_square && bb <= linalg::largest_square)) {
    unit_ = linalg::unit_of(exec, b, a.sums());
    if (unit_ != 1.) {
      result.message = "PCG: squares of the right-hand side leave the range of doubles."; // for in_range()
      return;
    }
  }
  if (!std::isfinite(bb))
    text << "PCG: the right-hand side holds a value that is not finite: (b, b) = " << shown(bb) << '.';
  else if (!std::isfinite(xx))
    text << "PCG: the initial guess holds a value that is not finite, or too large for its square: (x, x) = "
         << shown(xx) << '.';
  else if (!std::isfinite(rr))
    text << "PCG: the operator gave a value that is not finite: ||b - A x|| = " << shown(std::sqrt(rr))
         << " for the initial guess.";
  result.message = text.str();
  if (!result.message.empty())
    return;

  result.rhs_norm = std::sqrt(bb);
  result.initial_residual = result.residual = std::sqrt(rr);
  result.threshold = std::max(options_.relative_tolerance * result.rhs_norm, options_.absolute_tolerance);
  if (options_.record_history)
    result.history.push_back(result.residual);
  result.constants_in_null_space = n > 0. && host(6) <= null_space_tolerance * null_space_tolerance * n;

  if (bb == 0.) {
    fill(exec, x, 0.);
    result.residual = 0.;
    result.status = PcgStatus::converged;
    result.message = "PCG: the right-hand side is zero, so the solution is.";
    return;
  }
  if (result.residual <= result.threshold) {
    result.status = PcgStatus::converged;
    text << "PCG: the initial guess is the solution: ||r|| = " << result.residual << " <= " << result.threshold << '.';
  } else if (result.constants_in_null_space && std::abs(sum_r) > result.threshold * std::sqrt(n)) {
    // The residual cannot lose its mean: the range of A is orthogonal to constants.
    text
        << "PCG: the operator is singular (it maps constants to zero) and the right-hand side is not in its range: the "
           "sum of the residual is "
        << sum_r << ", so ||r|| cannot fall below " << std::abs(sum_r) / std::sqrt(n)
        << ". Fix the solution somewhere by a Dirichlet or Robin condition.";
  } else if (!std::isfinite(rz)) {
    text << "PCG: the preconditioner gave a value that is not finite: (r, M^-1 r) = " << shown(rz)
         << " for the initial guess.";
  } else if (rz <= 0.) {
    text << "PCG: the preconditioner is not positive definite: (r, M^-1 r) = " << rz << " for the initial guess.";
  } else {
    PcgState state{};
    state.rz = rz;
    state.rr = rr;
    state.threshold2 = result.threshold * result.threshold;
    state.status = PcgDeviceStatus::running;
    write_state(exec, state);
    result.status = PcgStatus::max_iterations;
  }
  result.message = text.str();
}

namespace {

/// Arrays of an iteration.
template <class ExecutionSpace> struct Loop {
  const linalg::LinearOperator<ExecutionSpace>& a;
  const Preconditioner<ExecutionSpace>& m;
  linalg::Vector<ExecutionSpace> r, p, q, z, x;
  PinnedArray<PcgRecord*, ExecutionSpace> records;
  Array<PcgState*, ExecutionSpace> state;
  ReduceWorkspace<ExecutionSpace> workspace;
};

// Traffic of an iteration beside the operator's own (which reads p and writes q), in bytes per unknown:
//   (b) reads r or z, q and the scale, writes r or z      32   (24 without scale)
//   (c) reads z, p and x, writes p and x                  40
// A preconditioner that is not pointwise splits (b) into r -= alpha q (24) and (r, z) (16), beside its own traffic.
template <Inverse kind, class ExecutionSpace>
void one_iteration(const ExecutionSpace& exec, const Loop<ExecutionSpace>& v, const double* scale, int k) {
  const auto n = static_cast<std::int64_t>(v.r.extent(0));
  PcgState* state = v.state.data();
  const detail::PcgScalars<kind> scalars{state, v.records.data(), static_cast<int>(v.records.extent(0))};
  const detail::PcgResidual<kind> residual{state, v.q.data(), scale, v.r.data()};

  // (a) q = A p, (p, q)
  v.a.apply_dot(exec, v.p, v.q, v.workspace, &state->pq);
  // (b) r -= alpha q, (r, r), (r, z); then alpha and beta
  if constexpr (kind == Inverse::stored) {
    linalg::global_sums<1>("tessera::solvers::pcg_residual", exec, n, residual, v.workspace, &state->sums[0],
                           v.a.sums());
    v.m.apply(exec, v.r, v.z);
    linalg::global_sums<1>("tessera::solvers::pcg_rz", exec, n, linalg::Products{v.r.data(), v.z.data()}, v.workspace,
                           &state->sums[1], v.a.sums(), scalars);
  } else {
    linalg::global_sums<detail::PcgResidual<kind>::n_sums>("tessera::solvers::pcg_residual", exec, n, residual,
                                                           v.workspace, state->sums, v.a.sums(), scalars);
  }
  // (c) x += alpha p, p = z + beta p
  stream("tessera::solvers::pcg_step", exec, n,
         detail::PcgStep{state, k, kind == Inverse::stored ? v.z.data() : v.r.data(), v.p.data(), v.x.data()});
}

} // namespace

template <class ExecutionSpace>
linalg::Traffic Pcg<ExecutionSpace>::iteration_traffic(const operator_type& a, const preconditioner_type& m) {
  const Inverse kind = kind_of(m);
  const auto n = static_cast<double>(a.size());
  linalg::Traffic traffic = a.traffic();
  traffic.bytes += m.traffic().bytes + n * (kind == Inverse::identity ? 64. : kind == Inverse::pointwise ? 72. : 80.);
  traffic.flops += m.traffic().flops + n * (kind == Inverse::pointwise ? 14. : kind == Inverse::identity ? 10. : 12.);
  return traffic;
}

// While the host checks some iterations, the device does the next ones, so that its queue never runs empty. On hosts
// nothing is queued, and iterations after the last one would only be wasted.
template <class ExecutionSpace>
void Pcg<ExecutionSpace>::iterate(const ExecutionSpace& exec, int interval, const std::function<void(int, int)>& steps,
                                  PcgResult& result) {
  constexpr int n_ahead = is_host_space<ExecutionSpace> ? 0 : 1;
  PcgRecord last{result.residual * result.residual, 0., PcgDeviceStatus::running, 0};
  int launched = 0; // iterations
  int marked = 0;   // intervals
  for (int seen = 0; last.status == PcgDeviceStatus::running && last.iteration < options_.max_iterations; ++seen) {
    for (; marked <= seen + n_ahead && launched < options_.max_iterations; ++marked) {
      const int begin = launched;
      launched += std::min(interval, options_.max_iterations - begin);
      steps(begin, launched);
      marks_[marked % 2].set(exec);
    }
    marks_[seen % 2].wait();
    const int end = std::min((seen + 1) * interval, options_.max_iterations);
    for (int k = last.iteration; k < end && last.status == PcgDeviceStatus::running; ++k) {
      last = records_(k % n_records());
      if (options_.record_history && last.iteration > k)
        result.history.push_back(std::sqrt(last.rr));
    }
    if (options_.monitor)
      options_.monitor(last.iteration, std::sqrt(last.rr));
  }
  result.iterations = last.iteration;
  if (last.iteration > 0)
    result.residual = std::sqrt(last.rr);
  std::ostringstream text;
  if (last.status == PcgDeviceStatus::running) {
    result.status = PcgStatus::max_iterations;
    text << "PCG: not converged in " << result.iterations << " iterations: ||r|| = " << result.residual << " > "
         << result.threshold << '.';
  } else if (last.status == PcgDeviceStatus::converged) {
    result.status = PcgStatus::converged;
    text << "PCG: converged in " << result.iterations << " iterations: ||r|| = " << result.residual
         << " <= " << result.threshold << '.';
  } else {
    result.status = PcgStatus::breakdown;
    text << describe_break(last);
    if (result.constants_in_null_space)
      text << " It maps constants to zero: fix the solution somewhere by a Dirichlet or Robin condition.";
  }
  result.message = text.str();
}

template <class ExecutionSpace>
void Pcg<ExecutionSpace>::finish(const ExecutionSpace& exec, const operator_type& a, const const_vector_type& b,
                                 const vector_type& x, PcgResult& result) {
  const auto distance = make_array<vector_type>(exec, "solvers::pcg_distance", 1);
  a.apply(exec, x, q_);
  linalg::global_sums<1>("tessera::solvers::pcg_true_residual", exec, a.size(),
                         detail::PcgDistance{b.data(), q_.data()}, workspace_, distance.data(), a.sums());
  result.true_residual = std::sqrt(read_entry(exec, distance, 0));
  if (result.status == PcgStatus::converged && result.true_residual > 10. * result.threshold &&
      result.true_residual > 10. * result.residual) {
    std::ostringstream text;
    text << " The true residual stays at " << result.true_residual
         << ": the tolerance is below what rounding allows for this system.";
    result.message += text.str();
  }
  if (result.status == PcgStatus::converged && result.rhs_norm > 0. &&
      !(result.true_residual <= options_.largest_residual * result.rhs_norm)) {
    result.status = PcgStatus::inaccurate;
    std::ostringstream text;
    text << " But the true residual is " << shown(result.true_residual / result.rhs_norm)
         << " times the right-hand side, and above " << options_.largest_residual
         << " that is not converged. Lower the tolerances.";
    result.message += text.str();
  }
}

template <class ExecutionSpace>
PcgResult Pcg<ExecutionSpace>::in_range(const ExecutionSpace& exec, const const_vector_type& b, const vector_type& x,
                                        const std::function<PcgResult(const const_vector_type& b)>& work) {
  unit_ = 1.;
  PcgResult result = work(b);
  if (unit_ == 1.)
    return result;
  const auto n = static_cast<std::int64_t>(x.extent(0));
  const auto scaled = make_array<vector_type>(exec, "solvers::pcg_scaled", n);
  Kokkos::deep_copy(exec, scaled, b);
  stream("tessera::solvers::pcg_scale", exec, n, Scale{scaled.data(), 1. / unit_});
  stream("tessera::solvers::pcg_scale", exec, n, Scale{x.data(), 1. / unit_});
  const PcgOptions given = options_;
  options_.absolute_tolerance /= unit_;
  if (given.monitor)
    options_.monitor = [&given, this](int iterations, double residual) { given.monitor(iterations, unit_ * residual); };
  result = work(scaled);
  options_ = given;
  stream("tessera::solvers::pcg_scale", exec, n, Scale{x.data(), unit_});
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
  return result;
}

template <class ExecutionSpace>
PcgResult Pcg<ExecutionSpace>::solve_by(const ExecutionSpace& exec, const operator_type& a,
                                        const preconditioner_type& m, const const_vector_type& b, const vector_type& x,
                                        int interval,
                                        const std::function<void(int interval, PcgResult& result)>& iterations) {
  return in_range(exec, b, x, [&](const const_vector_type& rhs) {
    const auto begin = std::chrono::steady_clock::now();
    PcgResult result;
    const int chosen = prepare(exec, a, m, rhs, x, interval);
    start(exec, a, m, rhs, x, result);
    if (result.message.empty())
      iterations(chosen, result);
    finish(exec, a, rhs, x, result);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
  });
}

template <class ExecutionSpace>
PcgResult Pcg<ExecutionSpace>::solve(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
                                     const const_vector_type& b, const vector_type& x) {
  const int by_traffic = interval_for(iteration_traffic(a, m).bytes);
  return solve_by(exec, a, m, b, x, by_traffic, [&](int interval, PcgResult& result) {
    a.prepare_products(exec); // after this solver's own vectors, which it must have
    const Inverse kind = kind_of(m);
    const Loop<ExecutionSpace> loop{a, m, r_, p_, q_, z_, x, records_, state_, workspace_};
    const auto pointwise = m.pointwise();
    const auto steps = [&](int begin, int end) {
      for (int k = begin + 1; k <= end; ++k)
        if (kind == Inverse::identity)
          one_iteration<Inverse::identity>(exec, loop, nullptr, k);
        else if (kind == Inverse::pointwise)
          one_iteration<Inverse::pointwise>(exec, loop, pointwise.scale.data(), k);
        else
          one_iteration<Inverse::stored>(exec, loop, nullptr, k);
    };
    iterate(exec, interval, steps, result);
  });
}

#define TESSERA_INSTANTIATE(Space) template class Pcg<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
