// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_MATRICES_HPP
#define TESSERA_DRIVER_EVALUATION_MATRICES_HPP

/// \file
/// Capacitance (conductance) and inductance matrices (docs/theory.md): one right-hand side per conductor or coil, all
/// with the matrix and the preconditioner of the run, several solved together.

#include "driver/context.hpp"
#include "driver/results.hpp"
#include "driver/solve.hpp"
#include "io/output/output_directory.hpp"

namespace tessera::driver {

/// The solves for the matrix requested by the input, as a phase in the log, to be passed to solve(); empty if none is
/// requested. The matrix is added to `results`, with a failure if a solve does not converge. The arguments must outlive
/// the solves.
template <class ExecutionSpace>
FurtherSolves<ExecutionSpace> matrix_solves(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                                            const Context& context, Results& results);

} // namespace tessera::driver

#endif
