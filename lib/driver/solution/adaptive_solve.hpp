// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_SOLUTION_ADAPTIVE_SOLVE_HPP
#define TESSERA_DRIVER_SOLUTION_ADAPTIVE_SOLVE_HPP

#include "driver/solve.hpp"

namespace tessera::driver {

/// Solves, estimates the error, refines where it is largest, and so on, as io::Adaptation says: until the target is
/// met, the next mesh would have too many elements, or the rounds are done. Each solution starts from the one before.
/// `problem` becomes that on the last mesh, `plan` its plan; the rounds go into `results`. A solution that fails ends
/// it.
template <class ExecutionSpace>
Solution<ExecutionSpace> solve_adaptively(const ExecutionSpace& exec, std::unique_ptr<Problem<ExecutionSpace>>& problem,
                                          Plan& plan, Context& context, Results& results);

} // namespace tessera::driver

#endif
