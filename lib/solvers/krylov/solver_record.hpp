// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_KRYLOV_SOLVER_RECORD_HPP
#define TESSERA_SOLVERS_KRYLOV_SOLVER_RECORD_HPP

namespace tessera::solvers {

/// State of an iteration on the device; the kinds of breakdown depend on the method.
enum class DeviceStatus : int {
  running,
  converged,
  operator_not_finite, ///< or the preconditioner
  residual_not_finite,
  indefinite,                  ///< PCG: (p, A p) <= 0
  residual_negative,           ///< EBE-J-PCG: (r, r) summed by elements was lost to cancellation
  preconditioner_not_positive, ///< PCG: (r, M^-1 r) <= 0
  singular,                    ///< GMRES: A M^-1 is singular on the Krylov space
  shadow_orthogonal,           ///< BiCGStab: (r_0, A M^-1 p) = 0
  no_descent,                  ///< BiCGStab: (A M^-1 s, s) = 0
  stalled                      ///< Richardson: the residual does not decrease
};

/// Record of an iteration, which the device writes to host memory.
struct SolverRecord {
  double rr;              ///< (r, r)
  double breakdown_value; ///< the number that caused the breakdown
  DeviceStatus status;
  int iteration; ///< number of the iteration
};

namespace detail {

inline constexpr double noise = 1e-15; ///< cosines below this are rounding errors

} // namespace detail

} // namespace tessera::solvers

#endif
