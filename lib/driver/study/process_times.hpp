// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_STUDY_PROCESS_TIMES_HPP
#define TESSERA_DRIVER_STUDY_PROCESS_TIMES_HPP

#include "comm/communicator.hpp"
#include "core/phase.hpp"
#include "driver/results.hpp"

namespace tessera::driver {

/// Combines the phases of all processes: for each phase of this process the times and memory in those that have it,
/// too. Collective; a phase is identified by its name and place.
std::vector<ProcessTimes> gather_times(const comm::Communicator& world, const std::vector<Phase>& phases);

} // namespace tessera::driver

#endif
