// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_PART_VALUES_HPP
#define TESSERA_DRIVER_PROBLEM_PART_VALUES_HPP

#include "comm/communicator.hpp"
#include "io/case.hpp"
#include "physics/derived.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

/// Values of the regions of a mesh of which each process has some elements: sums, and extremes with their places, of
/// equal ones that of the lowest process. Collective.
std::vector<physics::RegionValues> of_all_parts(const comm::Communicator& world,
                                                std::vector<physics::RegionValues> own);

/// Why a case cannot run where each process has its part of the mesh alone: what it asks for, and what to do instead;
/// "" where it can.
std::string why_not_in_parts(const io::Case& input);

} // namespace tessera::driver

#endif
