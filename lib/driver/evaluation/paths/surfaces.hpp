// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_PATHS_SURFACES_HPP
#define TESSERA_DRIVER_EVALUATION_PATHS_SURFACES_HPP

#include "driver/results.hpp"
#include "driver/solve.hpp"

namespace tessera::driver {

/// Refuses surfaces without facets, interfaces with an ambiguous direction of positive flux, and directions given
/// without effect.
template <class ExecutionSpace>
void check_surfaces(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::Case& input);

/// Adds area, flux and average of the surfaces of the input, and their table. `totals`: inflow through each constraint
/// (boundary_totals).
template <class ExecutionSpace>
void add_surfaces(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::Case& input,
                  const Solution<ExecutionSpace>& solution, const std::vector<double>& totals, Results& results);

} // namespace tessera::driver

#endif
