// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_STEPS_HPP
#define TESSERA_DRIVER_STEPS_HPP

#include "driver/discretization.hpp"

namespace tessera::driver {

/// Solves a problem, step by step if it depends on time, and evaluates it as the input requests. Fields and probes are
/// written before quantities and verification are computed, so that the solution is not lost if these fail: their
/// errors are reported in `Results::failures`, not thrown. One of several processes has an output directory, for others
/// it is null. Collective.
template <class ExecutionSpace>
void run_steps(const ExecutionSpace& exec, Discretization<ExecutionSpace>& problem, const io::OutputDirectory* output,
               Context& context, Results& results);

} // namespace tessera::driver

#endif
