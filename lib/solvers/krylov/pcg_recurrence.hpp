// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_KRYLOV_PCG_RECURRENCE_HPP
#define TESSERA_SOLVERS_KRYLOV_PCG_RECURRENCE_HPP

/// \file
/// The recurrence of conjugate gradients for one right-hand side, or for several stored together; its functions are
/// in pcg_iteration.hpp.

#include "linalg/pack.hpp"
#include "solvers/krylov/krylov.hpp"

namespace tessera::solvers {

/// Scalars of one recurrence.
struct PcgScalars {
  double rz; ///< (r, z) of the current residual
  double rr; ///< (r, r) of the current residual
  double alpha;
  double beta;
  double threshold2;      ///< convergence criterion: (r, r) <= this
  double breakdown_value; ///< the number that caused the breakdown
  DeviceStatus status;
  int iteration; ///< number of updates of x performed or accepted for the next loop (c)

  /// Before the first iteration.
  static PcgScalars first(double rr, double rz, double threshold) {
    return {rz, rr, 0., 0., threshold * threshold, 0., DeviceStatus::running, 0};
  }
};

/// The state of N recurrences in the space's memory, passed from kernel to kernel.
template <int N> struct PcgState {
  double pq[N];       ///< (p, A p), written by the operator
  double sums[2 * N]; ///< after the update: (r, r) of all, (r, z) of all
  PcgScalars column[N];
};

/// N recurrences in lockstep; each has the bits that it has alone. An iteration consists of three loops over the
/// unknowns (M. R. Hestenes, E. Stiefel, J. Res. Nat. Bur. Stand. 49, 1952, with the update of x moved to the loop that
/// also reads p):
///   (a) q = A p and (p, q), by the operator;
///   (b) r -= alpha q, (r, r) and (r, z) with z = M^-1 r, and alpha = (r, z) / (p, q);
///   (c) x += alpha p, p = z + beta p.
/// With a pointwise preconditioner only z, and not r, is stored. For other preconditioners (b) is split into two loops,
/// between which the preconditioner is applied.
///
/// A `System` has the operator `a` and the preconditioner `m`, and applies them to N vectors stored together
/// (linalg/pack.hpp):
///   apply(exec, x, y)                         y = A x
///   apply_dot(exec, x, y, workspace, xy)      also (x, y) of each vector
///   precondition(exec, r, z, work, products)  z = M^-1 r; `work` may be overwritten. Returns whether (r, z) has been
///                                             computed in the same pass. Not called if M is pointwise.
template <class ExecutionSpace, int N> class PcgRecurrence : protected KrylovSolver<ExecutionSpace> {
protected:
  using Vectors = linalg::MultiVector<N, ExecutionSpace>;
  using ConstVectors = linalg::ConstMultiVector<N, ExecutionSpace>;
  using HostSums = typename linalg::Vector<ExecutionSpace>::HostMirror;

  explicit PcgRecurrence(const SolverOptions& options) : KrylovSolver<ExecutionSpace>("PCG", options) {}

  /// Computes r = b - A x (or z) and p = z; `b` may be r_. Returns (r, r) of all columns, (r, z) of all, and for a
  /// single column (b, b), (x, x), (1, r), (1, 1). Waits.
  template <class System>
  HostSums start(const ExecutionSpace& exec, const System& system, const ConstVectors& b, const Vectors& x);

  /// Iterates from state_, which the caller has set. `results`: of all N columns, null for those that do not iterate.
  template <class System>
  void iterate(const ExecutionSpace& exec, const System& system, const Vectors& x, int interval,
               const std::function<std::string(const SolverRecord&)>& describe,
               const std::vector<SolverResult*>& results);

  using KrylovSolver<ExecutionSpace>::records_;
  using KrylovSolver<ExecutionSpace>::workspace_;

  Vectors r_, p_, q_, z_; // r_ holds z for pointwise preconditioners, z_ is only for others
  Array<PcgState<N>*, ExecutionSpace> state_;

private:
  /// Returns whether to continue. `look`: for a check by the host before the preconditioner is applied; null: none.
  template <Inverse kind, class System>
  bool iteration(const ExecutionSpace& exec, const System& system, const Vectors& x, const double* scale, int k,
                 DeviceEvent<ExecutionSpace>* look);
};

} // namespace tessera::solvers

#endif
