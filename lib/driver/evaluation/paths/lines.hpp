// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_PATHS_LINES_HPP
#define TESSERA_DRIVER_EVALUATION_PATHS_LINES_HPP

#include "driver/results.hpp"
#include "driver/solve.hpp"

namespace tessera::driver {

/// Refuses lines of which more than a hundredth is outside the mesh.
template <class ExecutionSpace>
void check_lines(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::Case& input);

/// Adds the integrals along the lines of the input, and their table.
template <class ExecutionSpace>
void add_lines(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::Case& input,
               const Solution<ExecutionSpace>& solution, Results& results);

} // namespace tessera::driver

#endif
