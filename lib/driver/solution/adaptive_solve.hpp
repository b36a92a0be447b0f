// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_SOLUTION_ADAPTIVE_SOLVE_HPP
#define TESSERA_DRIVER_SOLUTION_ADAPTIVE_SOLVE_HPP

#include "driver/results.hpp"
#include "driver/solve.hpp"

namespace tessera::driver {

/// A round with an estimated relative error, whose phases are those of the log from `first_phase` on.
AdaptiveRound describe_round(const ProblemSummary& problem, const SolverOutcome& solver, double error,
                             const PhaseLog& log, std::size_t first_phase);
/// Prints "round 3: 1,200 elements, estimated error 2.5 %".
void print_round(const Results& results, Context& context);
/// Notes that the next mesh cannot be used; `failure` must be for the user, else it is thrown again.
void note_unusable_mesh(const std::exception& failure, std::size_t n_rounds, Context& context);
/// Notes that the estimated error of the last round exceeds target_error, if there is one.
void note_missed_target(const Results& results, const std::string& ended_by, Context& context);

/// Repeatedly solves, estimates the error and refines where it is largest, according to io::Adaptation: until the
/// target is met, the next mesh would have too many elements, cannot be made or does not fit into memory (which is
/// noted: the previous solution is kept), or the maximum number of rounds is reached. Each solution starts from the
/// previous one. `problem` becomes that on the last mesh, `plan` its plan; the rounds are added to `results`. A
/// solution that fails ends the loop.
template <class ExecutionSpace>
Solution<ExecutionSpace> solve_adaptively(const ExecutionSpace& exec, std::unique_ptr<Problem<ExecutionSpace>>& problem,
                                          Plan& plan, Context& context, Results& results);

/// Total number of bytes that a later round may use. Its mesh and those of earlier rounds exist when it is planned, but
/// the plan includes its mesh, and the earlier ones will be freed. `free_at_first`: free memory before anything was
/// made; `free_now`: free memory in addition to at most `most_held` bytes that this process has allocated, and keeps
/// when they are freed. Negative: unknown.
double free_for_next_round(double free_at_first, double free_now, double most_held);

} // namespace tessera::driver

#endif
