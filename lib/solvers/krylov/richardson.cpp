// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/krylov/richardson.hpp"

#include "solvers/krylov/residual_kernel.hpp"

#include <sstream>

namespace tessera::solvers {

namespace {

/// Number of iterations within which the residual must decrease by a tenth.
constexpr int patience = 20;

/// x += z, unless the iterations have ended.
struct Correct {
  const RichardsonState* state;
  const double* z;
  double* x;
  bool running = false;
  KOKKOS_FUNCTION void load() { running = state->status == DeviceStatus::running; }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (running)
      x[i] += z[i];
  }
};

/// In one thread, after the residual of iteration k: judges it.
struct CheckConvergence {
  RichardsonState* state;
  SolverRecord* records;
  int n_records;
  int k;
  KOKKOS_FUNCTION void operator()() const {
    RichardsonState& s = *state;
    if (s.status == DeviceStatus::running) {
      if (!(s.sum - s.sum == 0.)) {
        s.status = DeviceStatus::residual_not_finite;
        s.breakdown_value = s.sum;
      } else {
        s.rr = s.sum;
        s.iteration = k;
        if (s.rr <= s.threshold2) {
          s.status = DeviceStatus::converged;
        } else if (k % patience == 0) {
          if (!(s.rr < 0.81 * s.rr_before)) {
            s.status = DeviceStatus::stalled;
            s.breakdown_value = s.rr_before;
          }
          s.rr_before = s.rr;
        }
      }
    }
    records[(k - 1) % n_records] = {s.rr, s.breakdown_value, s.status, s.iteration};
  }
};

std::string describe_divergence(const SolverRecord& record) {
  std::ostringstream text;
  if (record.status == DeviceStatus::stalled)
    text << "the residual does not fall: after " << record.iteration << " iterations it is " << std::sqrt(record.rr)
         << ", " << patience << " iterations before it was " << std::sqrt(record.breakdown_value)
         << ". Use method pcg, which makes the same cycle converge, or raise the tolerance if it is that of rounding.";
  else
    text << "the residual is not finite: (r, r) = " << detail::shown(record.breakdown_value) << " in iteration "
         << record.iteration + 1 << ". Use method pcg, which makes the same cycle converge.";
  return text.str();
}

} // namespace

// Traffic of an iteration in addition to the product and the preconditioner, in bytes per unknown: x += z 24, the
// residual 24.
template <class ExecutionSpace>
SolverResult Richardson<ExecutionSpace>::solve(const ExecutionSpace& exec, const operator_type& a,
                                               const preconditioner_type& m, const const_vector_type& b,
                                               const vector_type& x) {
  SolverResult result;
  this->in_range(exec, b, x, result, [&](const const_vector_type& rhs) {
    result = SolverResult();
    this->replace_zero(exec, a, m, rhs, x);
    const int interval = this->prepare(exec, a, m, rhs, x, 1, 1);
    const std::int64_t n = a.size();
    if (state_.extent(0) == 0)
      state_ = make_array<decltype(state_)>(exec, "solvers::richardson_state", 1);
    if (static_cast<std::int64_t>(r_.extent(0)) != n)
      for (vector_type* vector : {&r_, &q_, &z_}) {
        *vector = vector_type();
        *vector = make_array<vector_type>(exec, "solvers::richardson", n);
      }
    this->start(exec, a, rhs, x, r_, q_, result);
    if (result.message.empty()) {
      a.prepare_products(exec); // after this solver's vectors, which are indispensable
      RichardsonState initial{};
      initial.rr = initial.rr_before = result.residual * result.residual;
      initial.threshold2 = result.threshold * result.threshold;
      initial.status = DeviceStatus::running;
      this->write_state(exec, state_, initial);
      RichardsonState* state = state_.data();
      const auto steps = [&](int first, int last) {
        for (int k = first + 1; k <= last; ++k) {
          apply_dot<ExecutionSpace>(exec, m, r_, z_, q_, nullptr);
          stream("tessera::solvers::richardson_correct", exec, n, Correct{state, z_.data(), x.data()});
          a.apply(exec, x, q_);
          linalg::global_sums<1>("tessera::solvers::richardson_residual", exec, n,
                                 detail::NewResidual{rhs.data(), q_.data(), r_.data()}, this->workspace_, &state->sum,
                                 a.sums(), CheckConvergence{state, this->records_.data(), this->n_records(), k});
        }
      };
      this->iterate(exec, interval, steps, describe_divergence, {&result});
    }
    this->finish(exec, a, rhs, x, q_, result);
  });
  return result;
}

#define TESSERA_INSTANTIATE(Space) template class Richardson<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
