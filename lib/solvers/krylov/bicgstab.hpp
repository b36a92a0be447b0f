// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_KRYLOV_BICGSTAB_HPP
#define TESSERA_SOLVERS_KRYLOV_BICGSTAB_HPP

/// \file
/// Stabilised biconjugate gradient method.

#include "solvers/krylov/krylov.hpp"

namespace tessera::solvers {

/// Scalars of the iteration, in the space's memory.
struct BiCgStabState {
  double sv[2];   ///< (r_0, v), (v, v)
  double ss;      ///< (s, s)
  double ts[2];   ///< (t, s), (t, t)
  double rs[2];   ///< (r, r), (r_0, r)
  double rho;     ///< (r_0, r) of the current residual
  double shadow2; ///< (r_0, r_0)
  double rr;      ///< (r, r) of the current residual
  double alpha;
  double omega;
  double beta;
  double threshold2;      ///< convergence criterion: (r, r) <= this
  double breakdown_value; ///< the number that caused the breakdown
  DeviceStatus status;
  int iteration;    ///< number of updates of x performed or accepted for the next loop (e)
  bool is_fresh;    ///< p = r = r_0
  bool starts_anew; ///< the next iteration is the first one with a new shadow residual
};

/// Solves A x = b for any A and M, by BiCGStab (H. A. van der Vorst, SIAM J. Sci. Stat. Comput. 13, 1992) with the
/// preconditioner on the right, so that the residual is that of the system itself. Two products per iteration and seven
/// vectors; the residual does not decrease monotonically. The loops over the unknowns, where r_0 is the shadow
/// residual:
///   (a) v = A M^-1 p, (r_0, v), (v, v); alpha = (r_0, r) / (r_0, v)
///   (b) s = r - alpha v, (s, s)
///   (c) t = A M^-1 s, (t, s), (t, t); omega = (t, s) / (t, t), or 0 if s is small enough
///   (d) r = s - omega t, (r, r), (r_0, r); beta = (r_0, r) / (r_0, r)_old alpha / omega
///   (e) x += alpha M^-1 p + omega M^-1 s, p = r + beta (p - omega v)
/// If (r_0, v) or the new (r_0, r) is zero up to rounding, r becomes the new r_0 and p (G. L. G. Sleijpen, H. A. van
/// der Vorst, Numer. Algorithms 10, 1995); an iteration that is ended by the former does not change x. Sums are added
/// in a fixed order, so that with a reproducible operator and preconditioner every backend gives the same bits.
template <class ExecutionSpace> class BiCgStab : protected KrylovSolver<ExecutionSpace> {
public:
  using typename KrylovSolver<ExecutionSpace>::operator_type;
  using typename KrylovSolver<ExecutionSpace>::preconditioner_type;
  using typename KrylovSolver<ExecutionSpace>::vector_type;
  using typename KrylovSolver<ExecutionSpace>::const_vector_type;

  /// Throws if an option is out of range.
  explicit BiCgStab(const SolverOptions& options = SolverOptions())
      : KrylovSolver<ExecutionSpace>("BiCGStab", options) {}

  /// As Pcg::solve(). Breakdown: a denominator is zero up to rounding and a restart does not help, or the operator or
  /// the preconditioner produces a value that is not finite; x is then that of the last complete iteration.
  SolverResult solve(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
                     const const_vector_type& b, const vector_type& x);

  /// Minimum traffic of one iteration; see the model in bicgstab.cpp.
  static linalg::Traffic iteration_traffic(const operator_type& a, const preconditioner_type& m);

private:
  vector_type r_, shadow_, p_, v_, t_, y_, z_;
  Array<BiCgStabState*, ExecutionSpace> state_;
};

} // namespace tessera::solvers

#endif
