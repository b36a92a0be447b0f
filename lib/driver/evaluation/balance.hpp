// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_BALANCE_HPP
#define TESSERA_DRIVER_EVALUATION_BALANCE_HPP

#include "driver/problem/problem.hpp"
#include "driver/solve.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

/// Flows that do not add up with the sources by more than this share of the largest one are noted.
constexpr double noted_imbalance = 1e-6;
/// Above this share the run fails.
constexpr double largest_imbalance = 1e-3;

/// Checks that what flows in through all boundaries and the sources add up to zero. `totals`: of each constraint
/// (Problem::boundary_totals), `natural`: of the natural conditions. Where the rounding of the solution leaves one
/// total uncertain and the others certain, it becomes what the others and the sources leave for it. What is missing
/// else is a note, and above `largest_imbalance` a failure of the run. Nothing for magnetic problems and solutions that
/// have not converged. Collective.
template <class ExecutionSpace>
void check_balance(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const io::Case& input,
                   const Solution<ExecutionSpace>& solution, std::vector<double>& totals,
                   const std::vector<physics::NaturalTotals>& natural, Results& results);

/// The sentence on an imbalance: `missing` of the largest flow `largest`, both in the unit of flows. `by_rounding`:
/// rounding and not the solver is its cause.
std::string imbalance_text(const io::Case& input, double missing, double largest, bool by_rounding);

} // namespace tessera::driver

#endif
