// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_KRYLOV_PCG_STATE_HPP
#define TESSERA_SOLVERS_KRYLOV_PCG_STATE_HPP

#include "solvers/krylov/solver_record.hpp"

namespace tessera::solvers {

/// Scalars of an iteration in the space's memory, passed from kernel to kernel.
struct PcgState {
  double pq;      ///< (p, A p), written by the operator
  double rz;      ///< (r, z) of the current residual
  double rr;      ///< (r, r) of the current residual
  double sums[2]; ///< (r, r) and (r, z) after the update
  double alpha;
  double beta;
  double threshold2;      ///< convergence criterion: (r, r) <= this
  double breakdown_value; ///< the number that caused the breakdown
  DeviceStatus status;
  int iteration; ///< number of updates of x performed or accepted for the next loop (c)
};

} // namespace tessera::solvers

#endif
