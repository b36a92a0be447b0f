// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_SOLUTION_DISTRIBUTE_HPP
#define TESSERA_DRIVER_SOLUTION_DISTRIBUTE_HPP

#include "comm/transport.hpp"
#include "core/timer.hpp"
#include "driver/solve_report.hpp"

#include <memory>
#include <optional>

namespace tessera::driver {

/// Connects the processes and distributes a problem over them, each unless that is done; nothing in a single process.
/// Returns the summary.
template <class ExecutionSpace, class Problem, class Distribution>
ProcessSummary distribute(const ExecutionSpace& exec, const comm::Communicator& world, comm::Messages messages,
                          const Problem& problem, bool same_bits, PhaseLog& log,
                          std::unique_ptr<comm::Transport<ExecutionSpace>>& transport,
                          std::optional<Distribution>& distribution) {
  if (world.size() == 1)
    return {};
  if (!transport)
    log.run("processes: connect", exec, [&] { transport = comm::make_transport(exec, world, messages); });
  if (!distribution)
    log.run("processes: distribute", exec, [&] { distribution.emplace(exec, world, *transport, problem, same_bits); });
  return distribution->unknowns().summary();
}

} // namespace tessera::driver

#endif
