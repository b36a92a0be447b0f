// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_PCG_STATE_HPP
#define TESSERA_SOLVERS_PCG_STATE_HPP

namespace tessera::solvers {

enum class PcgDeviceStatus : int {
  running,
  converged,
  indefinite,
  operator_not_finite,
  residual_not_finite,
  residual_negative, ///< (r, r) by elements lost to cancellation
  bad_inner
};

/// Scalars of an iteration; they stay in the space's memory, where each kernel leaves them for the next one.
struct PcgState {
  double pq;      ///< (p, A p), written by the operator
  double rz;      ///< (r, z) of the current residual
  double rr;      ///< (r, r) of the current residual
  double sums[2]; ///< (r, r) and (r, z) after the update
  double alpha;
  double beta;
  double threshold2; ///< converged when (r, r) <= this
  double broken;     ///< the number that broke the iteration
  PcgDeviceStatus status;
  int iteration; ///< number of updates of x done or granted to the next loop (c)
};

/// What the host sees of an iteration: written by the device into the host's memory.
struct PcgRecord {
  double rr;
  double broken;
  PcgDeviceStatus status;
  int iteration; ///< after it
};

} // namespace tessera::solvers

#endif
