// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_FORCES_HPP
#define TESSERA_DRIVER_EVALUATION_FORCES_HPP

#include "driver/results.hpp"
#include "driver/solve.hpp"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace tessera::driver {

/// Refuses, before anything is solved, bodies whose force or torque is requested and that are not surrounded by a
/// linear isotropic medium without sources. The message names the region that touches the body.
template <class ExecutionSpace>
void check_bodies(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::Case& input);

/// Forces and torques on a body, as Fields::body_load() computes them, for the weights and the point of the torque: one
/// for each of the suffixes of add_forces().
template <class ExecutionSpace>
using BodyLoadsOf = std::function<std::vector<physics::BodyLoad>(
    const typename Fields<ExecutionSpace>::ConstVector& weight, const std::array<double, 3>& about)>;

/// Adds force and torque on the bodies of the input as requested: by virtual work ("force.plate.x"), and by the stress
/// tensor over two layers of elements ("force_wide.plate.x"). A source next to a body that an adapted mesh does not
/// separate from it is a failure. `suffixes`: of the names ("" or "_amplitude"), in the order of the results.
template <class ExecutionSpace>
void add_forces(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::Case& input,
                const std::vector<std::string>& suffixes, const BodyLoadsOf<ExecutionSpace>& loads_of,
                Results& results);

} // namespace tessera::driver

#endif
