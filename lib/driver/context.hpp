// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_CONTEXT_HPP
#define TESSERA_DRIVER_CONTEXT_HPP

/// \file
/// Data shared by the phases of a run: input, console, times, notes and processes.

#include "comm/communicator.hpp"
#include "core/timer.hpp"
#include "io/input/case.hpp"
#include "io/output/console.hpp"

#include <string>
#include <vector>

namespace tessera::driver {

/// Data shared by the phases of a run.
struct Context {
  const io::Case& input;
  io::Console& console;
  PhaseLog& log;
  std::vector<std::string>& notes; ///< sentences for the report, also printed at the end on the console
  const comm::Communicator& world = comm::alone();
};

} // namespace tessera::driver

#endif
