// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DG_DG_SOLVER_HPP
#define TESSERA_DRIVER_DG_DG_SOLVER_HPP

#include "driver/solve.hpp"
#include "io/case.hpp"
#include "linalg/block_crs_operator.hpp"

namespace tessera::driver {

/// Solves A x = b from x by method and preconditioner of the input, in the phases "solver: set-up" and "solver: ...". A
/// solver that does not converge is told by the result.
template <class ExecutionSpace>
solvers::PcgResult solve_blocks(const ExecutionSpace& exec, const io::SolverOptions& input,
                                const linalg::BlockCrsOperator<ExecutionSpace>& a,
                                const linalg::ConstVector<ExecutionSpace>& b, const linalg::Vector<ExecutionSpace>& x,
                                const PhaseRunner& run, const SolverMonitor& monitor);

} // namespace tessera::driver

#endif
