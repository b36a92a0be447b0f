// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_FORCES_HPP
#define TESSERA_DRIVER_EVALUATION_FORCES_HPP

#include "driver/solve.hpp"

namespace tessera::driver {

/// Refuses bodies whose force or torque the input asks for and that have no linear isotropic medium without sources
/// around: the mesh shows it before anything is solved. The message names the region that touches such a body.
template <class ExecutionSpace>
void check_bodies(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const io::Case& input);

/// Adds force and torque on the bodies of the input as far as it asks for them: by virtual work ("force.plate.x"), and
/// by the stress tensor over two layers of elements ("force_wide.plate.x"). A source next to a body that an adapted
/// mesh does not separate from it is a failure.
template <class ExecutionSpace>
void add_forces(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const io::Case& input,
                const Solution<ExecutionSpace>& solution, Results& results);

} // namespace tessera::driver

#endif
