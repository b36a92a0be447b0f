// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_QUANTITIES_HPP
#define TESSERA_DRIVER_EVALUATION_QUANTITIES_HPP

#include "driver/results.hpp"
#include "driver/solve.hpp"

namespace tessera::driver {

/// Adds the quantities requested by the input to `results`, with a failure for each that is NaN or cannot be computed,
/// and notes on tiny ones and on flux densities beyond B-H curves.
template <class ExecutionSpace>
void add_quantities(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const io::Case& input,
                    const Solution<ExecutionSpace>& solution, Results& results);

} // namespace tessera::driver

#endif
