// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/krylov/pcg.hpp"

#include "core/error.hpp"
#include "linalg/vector_kernels.hpp"
#include "solvers/krylov/pcg_iteration.hpp"

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
    : PcgRecurrence<ExecutionSpace, 1>(options), look_for_constant_null_space_(options.look_for_constant_null_space) {}

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

template <class ExecutionSpace> struct SingleSystem {
  using Vector = linalg::Vector<ExecutionSpace>;
  using ConstVector = linalg::ConstVector<ExecutionSpace>;
  const linalg::LinearOperator<ExecutionSpace>& a;
  const Preconditioner<ExecutionSpace>& m;

  void apply(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const { a.apply(exec, x, y); }
  void apply_dot(const ExecutionSpace& exec, const ConstVector& x, const Vector& y,
                 const ReduceWorkspace<ExecutionSpace>& workspace, double* xy) const {
    a.apply_dot(exec, x, y, workspace, xy);
  }
  bool precondition(const ExecutionSpace& exec, const ConstVector& r, const Vector& z, const Vector& work,
                    const ResidualProducts<ExecutionSpace>& products) const {
    return solvers::apply_dot<ExecutionSpace>(exec, m, r, z, work, &products);
  }
};

} // namespace

// Sets the device's state, or ends the solve by setting the result's message.
template <class ExecutionSpace>
void Pcg<ExecutionSpace>::start(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
                                const const_vector_type& b, const vector_type& x, PcgResult& result) {
  double row_sums = 1.;
  if (look_for_constant_null_space_ && !m.excludes_constants()) {
    fill(exec, p_, 1.);
    a.apply(exec, p_, q_);
    a.diagonal(exec, r_);
    const auto sum = make_array<vector_type>(exec, "solvers::pcg_row_sums", 1);
    linalg::global_sums<1>("tessera::solvers::pcg_row_sums", exec, a.size(), detail::PcgRowSums{q_.data(), r_.data()},
                           workspace_, sum.data(), a.sums());
    row_sums = read_entry(exec, sum, 0);
  }
  const auto sums = PcgRecurrence<ExecutionSpace, 1>::start(exec, SingleSystem<ExecutionSpace>{a, m}, b, x);
  const double rr = sums(0), rz = sums(1), bb = sums(2), xx = sums(3), sum_r = sums(4), n = sums(5);

  this->check_start(exec, a, b, x, bb, xx, rr, result);
  if (result.status == SolverStatus::converged || result.message.empty())
    result.constants_in_null_space = n > 0. && row_sums <= null_space_tolerance * null_space_tolerance * n;
  if (!result.message.empty())
    return;
  std::ostringstream text;
  if (result.constants_in_null_space && std::abs(sum_r) > result.threshold * std::sqrt(n)) {
    text << detail::outside_range_message(sum_r, n);
  } else if (!(rz > 0. && std::isfinite(rz))) {
    text << detail::describe_bad_start(rz);
  } else {
    this->write_state(exec, state_, PcgState<1>{{0.}, {0., 0.}, {PcgScalars::first(rr, rz, result.threshold)}});
    return;
  }
  result.message = this->method_ + ": " + text.str();
}

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
std::function<std::string(const SolverRecord&)> Pcg<ExecutionSpace>::describe(const PcgResult& result) {
  return [&result](const SolverRecord& record) {
    return detail::describe_break(record) +
           (result.constants_in_null_space
                ? " It maps constants to zero: fix the solution somewhere by a Dirichlet or Robin condition."
                : "");
  };
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
    this->iterate(exec, SingleSystem<ExecutionSpace>{a, m}, x, interval, describe(result), {&result});
  });
}

#define TESSERA_INSTANTIATE(Space) template class Pcg<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
