// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_VERIFICATION_HPP
#define TESSERA_DRIVER_EVALUATION_VERIFICATION_HPP

#include "driver/evaluation/probes.hpp"
#include "driver/results.hpp"

namespace tessera::driver {

/// Adds the errors against the exact solution, the quantities of `results` and the values at probes that the input
/// expects, with a note for each that is missed.
template <class ExecutionSpace>
void verify(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const io::Case& input,
            const Solution<ExecutionSpace>& solution, const std::vector<ProbeValues>& probes, Results& results);

} // namespace tessera::driver

#endif
