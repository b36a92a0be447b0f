// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_EVALUATION_JOINT_QUANTITIES_HPP
#define TESSERA_DRIVER_EVALUATION_JOINT_QUANTITIES_HPP

#include "driver/results.hpp"
#include "io/input/case.hpp"
#include "physics/forms/joint.hpp"

#include <vector>

namespace tessera::driver {

/// What flows through each joint, its mean jump, and what is lost or stored in it, as far as the input requests it.
/// `totals`: of the joints in the order of the input's boundaries.
void add_joint_quantities(const io::Case& input, const std::vector<physics::JointTotals>& totals, Results& results);

} // namespace tessera::driver

#endif
