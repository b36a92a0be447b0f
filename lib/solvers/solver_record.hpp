// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_SOLVER_RECORD_HPP
#define TESSERA_SOLVERS_SOLVER_RECORD_HPP

namespace tessera::solvers {

/// How an iteration stands, as the device knows it; each method has its own ways to break.
enum class DeviceStatus : int {
  running,
  converged,
  operator_not_finite, ///< or the preconditioner
  residual_not_finite,
  indefinite,                  ///< PCG: (p, A p) <= 0
  residual_negative,           ///< EBE-J-PCG: (r, r) by elements lost to cancellation
  preconditioner_not_positive, ///< PCG: (r, M^-1 r) <= 0
  singular,                    ///< GMRES: A M^-1 is singular on the Krylov space
  shadow_orthogonal,           ///< BiCGStab: (r_0, A M^-1 p) = 0
  no_descent,                  ///< BiCGStab: (A M^-1 s, s) = 0
  stalled                      ///< Richardson: the residual does not fall
};

/// Record of an iteration for the host: the device writes it into host memory.
struct SolverRecord {
  double rr;              ///< (r, r)
  double breakdown_value; ///< the number that broke the iteration
  DeviceStatus status;
  int iteration; ///< after it
};

namespace detail {

inline constexpr double noise = 1e-15; ///< cosines below this are rounding errors

} // namespace detail

} // namespace tessera::solvers

#endif
