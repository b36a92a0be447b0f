// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_PART_VALUES_HPP
#define TESSERA_DRIVER_PROBLEM_PART_VALUES_HPP

#include "comm/communicator.hpp"
#include "physics/fields/point_values.hpp"

#include <vector>

namespace tessera::driver {

/// Values at points: for each point those of the first process that has it in an owned element, marked in `is_owned`;
/// outside if there is none. The same in all processes except element indices, which are local to one. Collective.
std::vector<physics::PointValue> of_all_parts(const comm::Communicator& world, std::vector<physics::PointValue> values,
                                              const std::vector<bool>& is_owned);

} // namespace tessera::driver

#endif
