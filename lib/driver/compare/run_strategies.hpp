// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_COMPARE_RUN_STRATEGIES_HPP
#define TESSERA_DRIVER_COMPARE_RUN_STRATEGIES_HPP

/// \file
/// Runs one case by several strategies on one execution space, with results on the host for comparison.

#include "driver/compare/comparison.hpp"
#include "driver/solve.hpp"

#include <functional>
#include <vector>

namespace tessera::driver {

/// Runs the plans, at least one and all with the same form, on one space, one after the other, and passes each outcome
/// to `found`.
template <class ExecutionSpace>
ProblemSummary run_strategies(const ExecutionSpace& exec, const io::ImportedMesh& imported,
                              const ProblemBinding& binding, const std::vector<Plan>& plans, Context& context,
                              const std::function<void(Candidate)>& found);

} // namespace tessera::driver

#endif
