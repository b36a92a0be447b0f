// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/krylov/pcg.hpp"

#include "core/error.hpp"
#include "linalg/vector_kernels.hpp"
#include "solvers/krylov/pcg_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace tessera::solvers {

using detail::null_space_tolerance;
using detail::shown;

namespace detail {

std::string describe_break(const SolverRecord& state) {
  std::ostringstream text;
  const int k = state.iteration + 1;
  switch (state.status) {
  case DeviceStatus::indefinite:
    text << "the operator is " << (state.breakdown_value == 0. ? "singular or " : "")
         << "not positive definite: (p, A p) = " << shown(state.breakdown_value) << " in iteration " << k << '.';
    break;
  case DeviceStatus::operator_not_finite:
    text << "the operator gave a value that is not finite: (p, A p) = " << shown(state.breakdown_value)
         << " in iteration " << k << '.';
    break;
  case DeviceStatus::residual_not_finite:
    text << "the residual is not finite: " << shown(state.breakdown_value) << " in iteration " << k << '.';
    break;
  case DeviceStatus::residual_negative:
    text << "the residual is dominated by rounding error: (r, r) summed by elements is " << shown(state.breakdown_value)
         << " in iteration " << k << ". Raise the tolerance, or use method pcg.";
    break;
  default:
    text << "the preconditioner is not positive definite: (r, M^-1 r) = " << shown(state.breakdown_value)
         << " in iteration " << state.iteration << '.';
  }
  return text.str();
}

std::string describe_bad_start(double rz) {
  std::ostringstream text;
  if (!std::isfinite(rz))
    text << "the preconditioner gave a value that is not finite: (r, M^-1 r) = " << shown(rz)
         << " for the initial guess.";
  else
    text << "the preconditioner is not positive definite: (r, M^-1 r) = " << rz << " for the initial guess.";
  return text.str();
}

} // namespace detail

template <class ExecutionSpace>
Pcg<ExecutionSpace>::Pcg(const PcgOptions& options)
    : KrylovSolver<ExecutionSpace>("PCG", options),
      look_for_constant_null_space_(options.look_for_constant_null_space) {}

template <class ExecutionSpace>
int Pcg<ExecutionSpace>::prepare(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
                                 const const_vector_type& b, const vector_type& x, int interval) {
  TESSERA_REQUIRE(a.is_symmetric(), "PCG: conjugate gradients need a symmetric operator, and this one is not.");
  TESSERA_REQUIRE(m.is_symmetric(),
                  "PCG: conjugate gradients need a symmetric preconditioner, and '" << m.name() << "' is not.");
  interval = KrylovSolver<ExecutionSpace>::prepare(exec, a, m, b, x, interval, 6);
  const auto n = static_cast<std::size_t>(a.size());
  if (state_.extent(0) == 0)
    state_ = make_array<decltype(state_)>(exec, "solvers::pcg_state", 1);
  if (r_.extent(0) != n) {
    r_ = p_ = q_ = z_ = vector_type();
    r_ = make_array<vector_type>(exec, "solvers::pcg_r", n);
    p_ = a.make_argument(exec, "solvers::pcg_p");
    q_ = make_array<vector_type>(exec, "solvers::pcg_q", n);
  }
  if (pointwise_of(m).kind == Inverse::stored && z_.extent(0) != n)
    z_ = make_array<vector_type>(exec, "solvers::pcg_z", n);
  return interval;
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

// Computes r = b - A x (or z, see PcgStart), p = z and the device's state, or ends the solve by setting the result's
// message.
template <class ExecutionSpace>
void Pcg<ExecutionSpace>::start(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
                                const const_vector_type& b, const vector_type& x, PcgResult& result) {
  const std::int64_t n_local = a.size();
  const auto [kind, scale] = pointwise_of(m);
  const auto sums = make_array<vector_type>(exec, "solvers::pcg_start", 7);

  if (look_for_constant_null_space_ && !m.excludes_constants()) {
    fill(exec, p_, 1.);
    a.apply(exec, p_, q_);
    a.diagonal(exec, r_);
    linalg::global_sums<1>("tessera::solvers::pcg_row_sums", exec, n_local, detail::PcgRowSums{q_.data(), r_.data()},
                           workspace_, sums.data() + 6, a.sums());
  } else {
    fill(exec, sums, 1.);
  }

  a.apply(exec, x, q_);
  if (kind == Inverse::identity)
    start_loop<Inverse::identity>(exec, b, x, q_, nullptr, r_, p_, workspace_, sums.data(), a.sums());
  else if (kind == Inverse::pointwise)
    start_loop<Inverse::pointwise>(exec, b, x, q_, scale.data(), r_, p_, workspace_, sums.data(), a.sums());
  else
    start_loop<Inverse::stored>(exec, b, x, q_, nullptr, r_, p_, workspace_, sums.data(), a.sums());
  if (kind == Inverse::stored) {
    const ResidualProducts<ExecutionSpace> products{workspace_, a.sums(), sums.data() + 2, sums.data() + 3};
    if (!apply_dot<ExecutionSpace>(exec, m, r_, z_, q_, &products))
      linalg::dot<ExecutionSpace>(exec, r_, z_, workspace_, products.rz, a.sums());
    Kokkos::deep_copy(exec, p_, z_);
  }
  const auto host = to_host(exec, sums);
  const double bb = host(0), xx = host(1), rr = host(2), rz = host(3), sum_r = host(4), n = host(5);

  this->check_start(exec, a, b, x, bb, xx, rr, result);
  if (result.status == SolverStatus::converged || result.message.empty())
    result.constants_in_null_space = n > 0. && host(6) <= null_space_tolerance * null_space_tolerance * n;
  if (!result.message.empty())
    return;
  std::ostringstream text;
  if (result.constants_in_null_space && std::abs(sum_r) > result.threshold * std::sqrt(n)) {
    text << detail::outside_range_message(sum_r, n);
  } else if (!(rz > 0. && std::isfinite(rz))) {
    text << detail::describe_bad_start(rz);
  } else {
    PcgState state{};
    state.rz = rz;
    state.rr = rr;
    state.threshold2 = result.threshold * result.threshold;
    state.status = DeviceStatus::running;
    this->write_state(exec, state_, state);
    return;
  }
  result.message = this->method_ + ": " + text.str();
}

namespace {

/// Arrays of an iteration.
template <class ExecutionSpace> struct Loop {
  const linalg::LinearOperator<ExecutionSpace>& a;
  const Preconditioner<ExecutionSpace>& m;
  linalg::Vector<ExecutionSpace> r, p, q, z, x;
  PinnedArray<SolverRecord*, ExecutionSpace> records;
  Array<PcgState*, ExecutionSpace> state;
  ReduceWorkspace<ExecutionSpace> workspace;
  DeviceEvent<ExecutionSpace>* look; ///< between residual and preconditioner, for a check by the host; null: none
};

// Traffic of an iteration in addition to the operator's (which reads p and writes q), in bytes per unknown:
//   (b) reads r or z, q and the scale, writes r or z      32   (24 without scale)
//   (c) reads z, p and x, writes p and x                  40
// A preconditioner that is not pointwise splits (b) into r -= alpha q (24) and (r, z) (16), in addition to its own
// traffic. If it costs more than a check of the residual, the last iteration skips it. Returns whether to continue.
template <Inverse kind, class ExecutionSpace>
bool one_iteration(const ExecutionSpace& exec, const Loop<ExecutionSpace>& v, const double* scale, int k) {
  const auto n = static_cast<std::int64_t>(v.r.extent(0));
  PcgState* state = v.state.data();
  const detail::PcgScalars<kind> scalars{state, v.records.data(), static_cast<int>(v.records.extent(0))};
  const detail::PcgResidual<kind> residual{state, v.q.data(), scale, v.r.data()};

  bool goes_on = true;
  // (a) q = A p, (p, q)
  v.a.apply_dot(exec, v.p, v.q, v.workspace, &state->pq);
  // (b) r -= alpha q, (r, r), (r, z); then alpha and beta
  if constexpr (kind == Inverse::stored) {
    linalg::global_sums<1>("tessera::solvers::pcg_residual", exec, n, residual, v.workspace, &state->sums[0],
                           v.a.sums(), detail::PcgConverged{state, v.records.data(), scalars.n_records});
    if (v.look != nullptr) {
      v.look->set(exec);
      v.look->wait();
      const SolverRecord& record = v.records((k - 1) % scalars.n_records);
      goes_on = record.iteration != k || record.status != DeviceStatus::converged;
    }
    const ResidualProducts<ExecutionSpace> products{v.workspace, v.a.sums(), &state->sums[0], &state->sums[1]};
    if (goes_on && apply_dot<ExecutionSpace>(exec, v.m, v.r, v.z, v.q, &products))
      for_each("tessera::solvers::pcg_scalars", exec, 1, linalg::detail::FinishSums<detail::PcgScalars<kind>>{scalars});
    else if (goes_on)
      linalg::global_sums<1>("tessera::solvers::pcg_rz", exec, n, linalg::Products{v.r.data(), v.z.data()}, v.workspace,
                             products.rz, v.a.sums(), scalars);
  } else {
    linalg::global_sums<detail::PcgResidual<kind>::n_sums>("tessera::solvers::pcg_residual", exec, n, residual,
                                                           v.workspace, state->sums, v.a.sums(), scalars);
  }
  // (c) x += alpha p, p = z + beta p
  stream("tessera::solvers::pcg_step", exec, n,
         detail::PcgStep{state, k, kind == Inverse::stored ? v.z.data() : v.r.data(), v.p.data(), v.x.data()});
  return goes_on;
}

} // namespace

template <class ExecutionSpace>
linalg::Traffic Pcg<ExecutionSpace>::iteration_traffic(const operator_type& a, const preconditioner_type& m) {
  const Inverse kind = pointwise_of(m).kind;
  const auto n = static_cast<double>(a.size());
  linalg::Traffic traffic = a.traffic();
  traffic.bytes += m.traffic().bytes + n * (kind == Inverse::identity ? 64. : kind == Inverse::pointwise ? 72. : 80.);
  traffic.flops += m.traffic().flops + n * (kind == Inverse::pointwise ? 14. : kind == Inverse::identity ? 10. : 12.);
  return traffic;
}

template <class ExecutionSpace>
void Pcg<ExecutionSpace>::iterate(const ExecutionSpace& exec, int interval, const std::function<void(int, int)>& steps,
                                  PcgResult& result) {
  const auto describe = [&result](const SolverRecord& record) {
    return detail::describe_break(record) +
           (result.constants_in_null_space
                ? " It maps constants to zero: fix the solution somewhere by a Dirichlet or Robin condition."
                : "");
  };
  KrylovSolver<ExecutionSpace>::iterate(exec, interval, steps, describe, result);
}

template <class ExecutionSpace>
PcgResult Pcg<ExecutionSpace>::solve_by(const ExecutionSpace& exec, const operator_type& a,
                                        const preconditioner_type& m, const const_vector_type& b, const vector_type& x,
                                        int interval,
                                        const std::function<void(int interval, PcgResult& result)>& iterations) {
  PcgResult result;
  this->in_range(exec, b, x, result, [&](const const_vector_type& rhs) {
    result = PcgResult();
    this->replace_zero(exec, a, m, rhs, x);
    const int chosen = prepare(exec, a, m, rhs, x, interval);
    start(exec, a, m, rhs, x, result);
    if (result.message.empty())
      iterations(chosen, result);
    this->finish(exec, a, rhs, x, q_, result);
  });
  return result;
}

template <class ExecutionSpace>
PcgResult Pcg<ExecutionSpace>::solve(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
                                     const const_vector_type& b, const vector_type& x) {
  const int by_traffic =
      pointwise_of(m).kind == Inverse::stored ? 1 : this->interval_for(iteration_traffic(a, m).bytes);
  return solve_by(exec, a, m, b, x, by_traffic, [&](int interval, PcgResult& result) {
    a.prepare_products(exec); // after this solver's vectors, which are indispensable
    const auto pointwise = pointwise_of(m);
    const Inverse kind = pointwise.kind;
    DeviceEvent<ExecutionSpace> look;
    const bool looks = kind == Inverse::stored && interval == 1; // an iteration takes longer than a check
    for (std::size_t i = 0; i < records_.extent(0); ++i)         // of an earlier, completed solve
      records_(i) = SolverRecord{0., 0., DeviceStatus::running, 0};
    const Loop<ExecutionSpace> loop{a, m, r_, p_, q_, z_, x, records_, state_, workspace_, looks ? &look : nullptr};
    bool goes_on = true;
    const auto steps = [&](int begin, int end) {
      for (int k = begin + 1; k <= end && goes_on; ++k)
        if (kind == Inverse::identity)
          one_iteration<Inverse::identity>(exec, loop, nullptr, k);
        else if (kind == Inverse::pointwise)
          one_iteration<Inverse::pointwise>(exec, loop, pointwise.scale.data(), k);
        else
          goes_on = one_iteration<Inverse::stored>(exec, loop, nullptr, k);
    };
    iterate(exec, interval, steps, result);
  });
}

#define TESSERA_INSTANTIATE(Space) template class Pcg<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
