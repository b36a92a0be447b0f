// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_PART_VALUES_HPP
#define TESSERA_DRIVER_PROBLEM_PART_VALUES_HPP

#include "comm/communicator.hpp"
#include "physics/point_values.hpp"

#include <vector>

namespace tessera::driver {

/// Values at points: of each point those of the first process that has it in an element of its own, `is_own`; outside
/// where there is none. The same in all processes but for elements, whose numbers are those of one. Collective.
std::vector<physics::PointValue> of_all_parts(const comm::Communicator& world, std::vector<physics::PointValue> values,
                                              const std::vector<bool>& is_own);

} // namespace tessera::driver

#endif
