// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_COMPARE_RUN_STRATEGIES_HPP
#define TESSERA_DRIVER_COMPARE_RUN_STRATEGIES_HPP

/// \file
/// Runs one case by several strategies on one execution space, with results on the host for comparison.

#include "driver/compare/comparison.hpp"
#include "driver/context.hpp"
#include "driver/plan/plan.hpp"
#include "driver/problem/binding/problem_binding.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tessera::driver {

/// The strategies given by name, or, without names or with "all", every one that is possible: for reproducible cases
/// those that are deterministic. `auto` is last: it may be another name of one of the others; of dg it is replaced by
/// the strategy that it selects.
std::vector<std::string> strategies_to_compare(const io::Case& input, const std::vector<std::string>& names);

/// How the runs of a case on one backend are made.
struct StrategyRuns {
  std::vector<std::string> strategies;
  std::vector<Plan> plans; ///< of each strategy, with continuous elements
};

/// Replaces `auto` by its choice. All runs of continuous elements must fit into memory.
template <class ExecutionSpace>
StrategyRuns plan_runs(const ExecutionSpace& exec, const io::ImportedMesh& imported,
                       const std::vector<std::string>& strategies, Context& context);

/// Makes the runs, at least one, one after the other, and passes each outcome to `found`. In time-dependent problems
/// matrix, right-hand side and product are those of the first step. All runs of dg must fit into memory before any
/// begins.
template <class ExecutionSpace>
ProblemSummary run_strategies(const ExecutionSpace& exec, const io::ImportedMesh& imported,
                              const ProblemBinding& binding, const StrategyRuns& runs, Context& context,
                              const std::function<void(Candidate)>& found);

} // namespace tessera::driver

#endif
