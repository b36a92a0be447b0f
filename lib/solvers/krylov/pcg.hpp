// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_KRYLOV_PCG_HPP
#define TESSERA_SOLVERS_KRYLOV_PCG_HPP

/// \file
/// Preconditioned conjugate gradient method.

#include "solvers/krylov/pcg_recurrence.hpp"

namespace tessera::solvers {

/// Options of conjugate gradients.
struct PcgOptions : SolverOptions {
  /// Costs one product before the iterations.
  bool look_for_constant_null_space = true;
};

/// Solves A x = b for symmetric positive definite A and M; throws if one of them is declared as not symmetric. Its
/// vectors are allocated at the first solve and reused for further ones of the same size. Sums are added in a fixed
/// order (core/algorithms/reduce.hpp), so that with a reproducible operator every backend gives the same bits.
template <class ExecutionSpace> class Pcg : protected PcgRecurrence<ExecutionSpace, 1> {
public:
  using typename KrylovSolver<ExecutionSpace>::operator_type;
  using typename KrylovSolver<ExecutionSpace>::preconditioner_type;
  using typename KrylovSolver<ExecutionSpace>::vector_type;
  using typename KrylovSolver<ExecutionSpace>::const_vector_type;

  /// Throws if an option is out of range.
  explicit Pcg(const PcgOptions& options = PcgOptions());

  /// `x` is the initial guess on entry and the solution on return; with b = 0 that is 0. Breakdown and failure to
  /// converge are reported in the result, not thrown. Complete on return. Right-hand sides may have any magnitude: if
  /// squares of their entries leave the range of doubles, the system is scaled by a power of two.
  PcgResult solve(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
                  const const_vector_type& b, const vector_type& x);

  /// Minimum traffic of one iteration; see the model in pcg_iteration.hpp.
  static linalg::Traffic iteration_traffic(const operator_type& a, const preconditioner_type& m);

protected:
  /// The frame of every solve: prepare(), start(), then `iterations` unless start() has ended it, and finish().
  PcgResult solve_by(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
                     const const_vector_type& b, const vector_type& x, int interval,
                     const std::function<void(int interval, PcgResult& result)>& iterations);
  int prepare(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
              const const_vector_type& b, const vector_type& x, int interval);
  void start(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
             const const_vector_type& b, const vector_type& x, PcgResult& result);
  /// The sentence for a step with a breakdown, for KrylovSolver::iterate(). `result` must outlive it.
  static std::function<std::string(const SolverRecord&)> describe(const PcgResult& result);

  using KrylovSolver<ExecutionSpace>::workspace_;
  using PcgRecurrence<ExecutionSpace, 1>::r_;
  using PcgRecurrence<ExecutionSpace, 1>::p_;
  using PcgRecurrence<ExecutionSpace, 1>::q_;
  using PcgRecurrence<ExecutionSpace, 1>::z_;
  using PcgRecurrence<ExecutionSpace, 1>::state_;

  bool look_for_constant_null_space_;
};

} // namespace tessera::solvers

#endif
