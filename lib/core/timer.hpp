// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_TIMER_HPP
#define TESSERA_CORE_TIMER_HPP

/// \file
/// Phases of a run: wall time, where each ran, and its peak of memory. Phases do not overlap, so their seconds add up
/// to the total.

#include "core/kokkos_ext/spaces.hpp"
#include "core/memory.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace tessera {

/// One finished phase.
struct Phase {
  std::string name;
  double seconds;
  std::string where;      ///< backend name, or "host" for work outside Kokkos
  std::size_t peak_bytes; ///< largest sum of allocations during the phase, all memory spaces
};

/// Collects phases; `listener` (optional) is told of each start for a live console line.
class PhaseLog {
public:
  using Listener = std::function<void(const std::string& name, bool finished, double seconds)>;

  /// Runs `work` as a phase on an execution space; waits for the instance before and after, which timing needs.
  template <class ExecutionSpace, class Work>
  void run(const std::string& name, const ExecutionSpace& exec, const Work& work) {
    exec.fence();
    begin(name);
    work();
    exec.fence();
    end(name, BackendName<ExecutionSpace>::value);
  }

  /// Runs `work` as a phase of plain host code.
  template <class Work> void run_host(const std::string& name, const Work& work) {
    begin(name);
    work();
    end(name, "host");
  }

  const std::vector<Phase>& phases() const { return phases_; }
  double total_seconds() const;
  double seconds_of(const std::string& name) const;
  void set_listener(Listener listener) { listener_ = std::move(listener); }

private:
  void begin(const std::string& name);
  void end(const std::string& name, const char* where);

  std::vector<Phase> phases_;
  std::chrono::steady_clock::time_point start_;
  Listener listener_;
};

} // namespace tessera

#endif
