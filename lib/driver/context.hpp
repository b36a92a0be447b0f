// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_CONTEXT_HPP
#define TESSERA_DRIVER_CONTEXT_HPP

/// \file
/// What the phases of a run share: input, console, times, notes and processes.

#include "comm/communicator.hpp"
#include "core/timer.hpp"
#include "io/case.hpp"
#include "io/console.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

/// What the phases of a run share.
struct Context {
  const io::Case& input;
  io::Console& console;
  PhaseLog& log;
  std::vector<std::string>& notes; ///< sentences for the report and the end of the console's output
  const comm::Communicator& world = comm::alone();
};

} // namespace tessera::driver

#endif
