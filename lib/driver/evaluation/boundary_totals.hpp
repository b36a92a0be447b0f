// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_BOUNDARY_TOTALS_HPP
#define TESSERA_DRIVER_EVALUATION_BOUNDARY_TOTALS_HPP

#include "driver/problem/problem.hpp"
#include "driver/solve.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

/// What flows in through each constraint of the problem (Problem::boundary_totals). `notes` gets a sentence, once, for
/// each pair of boundaries whose values differ where they meet.
template <class ExecutionSpace>
std::vector<double> boundary_totals(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                                    const io::Case& input, const Solution<ExecutionSpace>& solution,
                                    std::vector<std::string>& notes);

} // namespace tessera::driver

#endif
