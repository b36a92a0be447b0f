// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_PART_VALUES_HPP
#define TESSERA_DRIVER_PROBLEM_PART_VALUES_HPP

#include "comm/communicator.hpp"
#include "physics/derived.hpp"

#include <vector>

namespace tessera::driver {

/// Values of the regions of a mesh of which each process has some elements: sums, and extremes with their places, of
/// equal ones that of the lowest process. Collective.
std::vector<physics::RegionValues> of_all_parts(const comm::Communicator& world,
                                                std::vector<physics::RegionValues> own);

} // namespace tessera::driver

#endif
