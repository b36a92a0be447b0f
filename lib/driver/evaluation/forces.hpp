// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_FORCES_HPP
#define TESSERA_DRIVER_EVALUATION_FORCES_HPP

#include "driver/solve.hpp"

namespace tessera::driver {

/// Adds force and torque on the bodies of the input as far as it asks for them: by virtual work ("force.plate.x"), and
/// by the stress tensor over two layers of elements ("force_wide.plate.x"). A body that has no linear isotropic medium
/// without sources around is a failure, which names the region that touches it.
template <class ExecutionSpace>
void add_forces(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const io::Case& input,
                const Solution<ExecutionSpace>& solution, Results& results);

} // namespace tessera::driver

#endif
