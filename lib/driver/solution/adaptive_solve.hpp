// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_SOLUTION_ADAPTIVE_SOLVE_HPP
#define TESSERA_DRIVER_SOLUTION_ADAPTIVE_SOLVE_HPP

#include "driver/solve.hpp"

namespace tessera::driver {

/// Solves, estimates the error, refines where it is largest, and so on, as io::Adaptation says: until the target is
/// met, the next mesh would have too many elements, cannot be made or does not fit into the memory (which a note tells:
/// the solution before is kept), or the rounds are done. Each solution starts from the one before. `problem` becomes
/// that on the last mesh, `plan` its plan; the rounds go into `results`. A solution that fails ends it.
template <class ExecutionSpace>
Solution<ExecutionSpace> solve_adaptively(const ExecutionSpace& exec, std::unique_ptr<Problem<ExecutionSpace>>& problem,
                                          Plan& plan, Context& context, Results& results);

/// Bytes that a later round may take in all. Its mesh and those of earlier rounds are there when it is planned, but the
/// plan counts its mesh itself, and the earlier ones go. `free_at_first`: when nothing was there; `free_now`: what is
/// free beside `most_held` bytes at most that this process has taken, and keeps where they are free again. Negative:
/// unknown.
double free_for_next_round(double free_at_first, double free_now, double most_held);

} // namespace tessera::driver

#endif
