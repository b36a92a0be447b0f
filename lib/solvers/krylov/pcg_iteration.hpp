// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_KRYLOV_PCG_ITERATION_HPP
#define TESSERA_SOLVERS_KRYLOV_PCG_ITERATION_HPP

/// \file
/// The iteration of conjugate gradients; private to the files of pcg.

#include "core/parallel.hpp"
#include "linalg/column_sums.hpp"
#include "solvers/krylov/pcg_kernels.hpp"

#include <type_traits>

namespace tessera::solvers {

namespace detail {

/// S sums of each column in a fixed order: of a single column over all processes, of several in one process.
template <int S, int N, class ExecutionSpace, class Functor, class Finish = tessera::detail::NoFinish>
void pcg_sums(const char* label, const ExecutionSpace& exec, const linalg::LinearOperator<ExecutionSpace>& a,
              const Functor& functor, const ReduceWorkspace<ExecutionSpace>& workspace, double* result,
              const Finish& finish = Finish()) {
  if constexpr (N == 1)
    linalg::global_sums<S>(label, exec, a.size(), functor, workspace, result, a.sums(), finish);
  else
    linalg::column_sums<S, N>(label, exec, a.size(), functor, workspace, result, finish);
}

template <class Work> void by_kind(Inverse kind, const Work& work) {
  if (kind == Inverse::identity)
    work(std::integral_constant<Inverse, Inverse::identity>());
  else if (kind == Inverse::pointwise)
    work(std::integral_constant<Inverse, Inverse::pointwise>());
  else
    work(std::integral_constant<Inverse, Inverse::stored>());
}

} // namespace detail

template <class ExecutionSpace, int N>
template <class System>
auto PcgRecurrence<ExecutionSpace, N>::start(const ExecutionSpace& exec, const System& system, const ConstVectors& b,
                                             const Vectors& x) -> HostSums {
  const auto sums = make_array<linalg::Vector<ExecutionSpace>>(exec, "solvers::pcg_start", 6 * N);
  system.apply(exec, x, q_);
  const auto pointwise = pointwise_of(system.m);
  detail::by_kind(pointwise.kind, [&](auto kind) {
    using Start = detail::PcgStart<decltype(kind)::value, N>;
    detail::pcg_sums<Start::n_sums, N>(
        "tessera::solvers::pcg_start", exec, system.a,
        Start{b.data(), x.data(), q_.data(), pointwise.scale.data(), r_.data(), p_.data()}, workspace_, sums.data());
  });
  if (pointwise.kind == Inverse::stored) {
    if (!system.precondition(exec, r_, z_, q_, {workspace_, system.a.sums(), sums.data(), sums.data() + N}))
      detail::pcg_sums<1, N>("tessera::solvers::pcg_rz", exec, system.a,
                             linalg::ColumnProducts<N>{r_.data(), z_.data()}, workspace_, sums.data() + N);
    copy(exec, p_, z_);
  }
  return to_host(exec, sums);
}

// Traffic of an iteration in addition to the operator's (which reads p and writes q), in bytes per unknown and column:
//   (b) reads r or z, q and the scale, writes r or z      32   (24 without scale)
//   (c) reads z, p and x, writes p and x                  40
// A preconditioner that is not pointwise splits (b) into r -= alpha q (24) and (r, z) (16), in addition to its own
// traffic. If it costs more than a check of the residual, the last iteration skips it.
template <class ExecutionSpace, int N>
template <Inverse kind, class System>
bool PcgRecurrence<ExecutionSpace, N>::iteration(const ExecutionSpace& exec, const System& system, const Vectors& x,
                                                 const double* scale, int k, DeviceEvent<ExecutionSpace>* look) {
  PcgState<N>* state = state_.data();
  const int n_records = static_cast<int>(records_.extent(0)) / N;
  const detail::PcgResidual<kind, N> residual{state, q_.data(), scale, r_.data()};
  const detail::CheckIteration<kind, N> check{state, records_.data(), n_records, k};
  bool goes_on = true;
  // (a) q = A p, (p, q)
  system.apply_dot(exec, p_, q_, workspace_, state->pq);
  // (b) r -= alpha q, (r, r), (r, z); then alpha and beta
  if constexpr (kind == Inverse::stored) {
    detail::pcg_sums<1, N>("tessera::solvers::pcg_residual", exec, system.a, residual, workspace_, state->sums,
                           detail::PcgConverged<N>{state, records_.data(), n_records, k});
    if (look != nullptr) {
      look->set(exec);
      look->wait();
      goes_on = false;
      for (int c = 0; c < N; ++c)
        goes_on = goes_on || records_(c * n_records + (k - 1) % n_records).status == DeviceStatus::running;
    }
    if (goes_on && system.precondition(exec, r_, z_, q_, {workspace_, system.a.sums(), state->sums, state->sums + N}))
      for_each("tessera::solvers::pcg_scalars", exec, 1,
               linalg::detail::FinishSums<detail::CheckIteration<kind, N>>{check});
    else if (goes_on)
      detail::pcg_sums<1, N>("tessera::solvers::pcg_rz", exec, system.a,
                             linalg::ColumnProducts<N>{r_.data(), z_.data()}, workspace_, state->sums + N, check);
  } else {
    detail::pcg_sums<decltype(residual)::n_sums, N>("tessera::solvers::pcg_residual", exec, system.a, residual,
                                                    workspace_, state->sums, check);
  }
  // (c) x += alpha p, p = z + beta p
  const detail::PcgStep<N> step{state, k, kind == Inverse::stored ? z_.data() : r_.data(), p_.data(), x.data()};
  if constexpr (N == 1)
    stream("tessera::solvers::pcg_step", exec, system.a.size(), step);
  else
    stream("tessera::solvers::pcg_step", exec, system.a.size(), detail::ReadLate<detail::PcgStep<N>>{step});
  return goes_on;
}

template <class ExecutionSpace, int N>
template <class System>
void PcgRecurrence<ExecutionSpace, N>::iterate(const ExecutionSpace& exec, const System& system, const Vectors& x,
                                               int interval,
                                               const std::function<std::string(const SolverRecord&)>& describe,
                                               const std::vector<SolverResult*>& results) {
  DeviceEvent<ExecutionSpace> event;
  DeviceEvent<ExecutionSpace>* look = interval == 1 ? &event : nullptr; // an iteration takes longer than a check
  bool goes_on = true;
  const auto pointwise = pointwise_of(system.m);
  detail::by_kind(pointwise.kind, [&](auto kind) {
    const auto steps = [&](int begin, int end) {
      for (int k = begin + 1; k <= end && goes_on; ++k)
        goes_on = this->template iteration<decltype(kind)::value>(exec, system, x, pointwise.scale.data(), k, look);
    };
    KrylovSolver<ExecutionSpace>::iterate(exec, interval, steps, describe, results);
  });
}

} // namespace tessera::solvers

#endif
