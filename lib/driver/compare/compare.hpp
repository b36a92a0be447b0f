// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_COMPARE_COMPARE_HPP
#define TESSERA_DRIVER_COMPARE_COMPARE_HPP

/// \file
/// One case by several strategies on one execution space, each brought to the host for comparison.

#include "driver/compare/comparison.hpp"
#include "driver/study/simulation.hpp"

#include <functional>
#include <vector>

namespace tessera::driver {

/// Runs the strategies on one space, one after the other, and hands each outcome to `found`. Instantiated for every
/// space, dimension and order (compare_case.cpp.in).
template <class ExecutionSpace, int Dim, int Order>
void run_strategies(const ExecutionSpace& exec, const io::ImportedMesh& imported,
                    const std::vector<assembly::Strategy>& strategies, Context& context,
                    const std::function<void(Candidate)>& found);

} // namespace tessera::driver

#endif
