// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_COMPARE_RUN_DG_STRATEGIES_HPP
#define TESSERA_DRIVER_COMPARE_RUN_DG_STRATEGIES_HPP

/// \file
/// Runs one dg case by several strategies on one execution space, with results on the host for comparison.

#include "driver/compare/comparison.hpp"
#include "driver/context.hpp"
#include "driver/results.hpp"
#include "io/mesh_files/imported_mesh.hpp"

#include <functional>
#include <vector>

namespace tessera::driver {

/// Runs the strategies, at least one, one after the other, and passes each outcome to `found`: matrix, right-hand side
/// and product of the first time step, solution and quantities at the end. All must fit into memory before any begins.
template <class ExecutionSpace>
ProblemSummary run_dg_strategies(const ExecutionSpace& exec, const io::ImportedMesh& imported,
                                 const std::vector<io::DgStrategy>& strategies, Context& context,
                                 const std::function<void(Candidate)>& found);

} // namespace tessera::driver

#endif
