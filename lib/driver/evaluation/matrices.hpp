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

/// Adds the matrix requested by the input of a linear problem, if any, to `results`, with a failure if a solve does not
/// converge. `solver`: has solved the problem; on return fixed values and currents are those of the input again.
template <class ExecutionSpace>
void add_matrices(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                  const ProblemSolver<ExecutionSpace>& solver, const Context& context, Results& results);

} // namespace tessera::driver

#endif
