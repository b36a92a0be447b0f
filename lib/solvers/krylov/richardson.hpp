// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_KRYLOV_RICHARDSON_HPP
#define TESSERA_SOLVERS_KRYLOV_RICHARDSON_HPP

/// \file
/// Stationary iteration with a preconditioner.

#include "solvers/krylov/krylov.hpp"

namespace tessera::solvers {

/// Scalars of the iteration, in the space's memory.
struct RichardsonState {
  double rr;         ///< (r, r) of the current x
  double rr_before;  ///< (r, r) some iterations ago
  double threshold2; ///< convergence criterion: (r, r) <= this
  double sum;        ///< (r, r) of the newest residual, not yet judged
  double breakdown_value;
  DeviceStatus status;
  int iteration;
};

/// Solves A x = b by the preconditioned Richardson iteration, x += M^-1 (b - A x), which converges if M^-1 is good
/// enough by itself: for multigrid's cycle with the factor given by theory. The residual is computed from x in double
/// precision at every step, whatever the precision of M^-1. It stops after 20 iterations without a decrease by a tenth.
/// Sums are added in a fixed order, so that with a reproducible operator and preconditioner every backend gives the
/// same bits.
template <class ExecutionSpace> class Richardson : protected KrylovSolver<ExecutionSpace> {
public:
  using typename KrylovSolver<ExecutionSpace>::operator_type;
  using typename KrylovSolver<ExecutionSpace>::preconditioner_type;
  using typename KrylovSolver<ExecutionSpace>::vector_type;
  using typename KrylovSolver<ExecutionSpace>::const_vector_type;

  /// `method` begins every message. Throws if an option is out of range.
  explicit Richardson(const std::string& method = "Richardson", const SolverOptions& options = SolverOptions())
      : KrylovSolver<ExecutionSpace>(method, options) {}

  /// Like Pcg::solve(). Breakdown: the residual has not decreased for 20 iterations or is not finite.
  SolverResult solve(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
                     const const_vector_type& b, const vector_type& x);

private:
  vector_type r_, q_, z_;
  Array<RichardsonState*, ExecutionSpace> state_;
};

} // namespace tessera::solvers

#endif
