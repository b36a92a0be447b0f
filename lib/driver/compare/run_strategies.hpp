// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_COMPARE_RUN_STRATEGIES_HPP
#define TESSERA_DRIVER_COMPARE_RUN_STRATEGIES_HPP

/// \file
/// One case by several strategies on one execution space, each brought to the host for comparison.

#include "driver/compare/comparison.hpp"
#include "driver/solve.hpp"

#include <functional>
#include <vector>

namespace tessera::driver {

/// Runs the plans, one at least and all of one form, on one space, one after the other, and hands each outcome to
/// `found`.
template <class ExecutionSpace>
ProblemSummary run_strategies(const ExecutionSpace& exec, const io::ImportedMesh& imported,
                              const ProblemBinding& binding, const std::vector<Plan>& plans, Context& context,
                              const std::function<void(Candidate)>& found);

} // namespace tessera::driver

#endif
