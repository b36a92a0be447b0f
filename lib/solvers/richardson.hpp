// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_RICHARDSON_HPP
#define TESSERA_SOLVERS_RICHARDSON_HPP

/// \file
/// A preconditioner as a solver of its own.

#include "solvers/krylov.hpp"

namespace tessera::solvers {

/// Scalars of the iteration, in the space's memory.
struct RichardsonState {
  double rr;         ///< (r, r) of the current x
  double rr_before;  ///< that of some iterations ago
  double threshold2; ///< converged when (r, r) <= this
  double sum;        ///< (r, r) of the newest residual, which has not been judged
  double breakdown_value;
  DeviceStatus status;
  int iteration;
};

/// Solves A x = b by the preconditioned iteration of Richardson, x += M^-1 (b - A x), which converges where M^-1 is
/// good enough by itself: multigrid's cycle, by the factor that theory speaks of. The residual is computed from x in
/// double precision at every step, whatever the precision of M^-1. No more than 20 iterations are done in which it does
/// not fall by a tenth. Sums are added in a fixed order, so that with a reproducible operator and preconditioner every
/// backend gives the same bits.
template <class ExecutionSpace> class Richardson : protected KrylovSolver<ExecutionSpace> {
public:
  using typename KrylovSolver<ExecutionSpace>::operator_type;
  using typename KrylovSolver<ExecutionSpace>::preconditioner_type;
  using typename KrylovSolver<ExecutionSpace>::vector_type;
  using typename KrylovSolver<ExecutionSpace>::const_vector_type;

  /// `method` begins every message. Throws when an option is out of range.
  explicit Richardson(const std::string& method = "Richardson", const SolverOptions& options = SolverOptions())
      : KrylovSolver<ExecutionSpace>(method, options) {}

  /// As Pcg::solve(). Breakdown: the residual has not fallen for 20 iterations or is not finite.
  SolverResult solve(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
                     const const_vector_type& b, const vector_type& x);

private:
  vector_type r_, q_, z_;
  Array<RichardsonState*, ExecutionSpace> state_;
};

} // namespace tessera::solvers

#endif
