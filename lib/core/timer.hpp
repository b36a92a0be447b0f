// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_TIMER_HPP
#define TESSERA_CORE_TIMER_HPP

/// \file
/// Phases of a run: wall time, location and peak memory of each. Phases do not overlap, so their seconds add up to the
/// total. Needs Kokkos only to run a phase on an execution space.

#include "core/kokkos_ext/backend_name.hpp"
#include "core/memory.hpp"
#include "core/phase.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {
/// Marks a phase as a region of Kokkos Tools: "tessera::<phase>".
struct Region {
  explicit Region(const std::string& name);
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region();
};
} // namespace detail

/// Where a phase runs: on the execution space alone, or also in plain host code with data moved from or to it.
enum class PhaseKind { resident, with_host };

/// Collects phases; the optional `listener` is called at each start, for a live console line. Several logs may run at
/// once: each records the peaks during its own phases, of all memory in the process.
class PhaseLog {
public:
  /// Runs `work` as a phase on an execution space; waits for the instance before and after, to time it.
  template <class ExecutionSpace, class Work>
  void run(const std::string& name, const ExecutionSpace& exec, const Work& work,
           PhaseKind kind = PhaseKind::resident) {
    const detail::Region region(name);
    exec.fence();
    begin(name);
    work();
    exec.fence();
    const std::string backend = backend_name(exec);
    end(name, kind == PhaseKind::resident ? backend : backend + ", host");
  }

  /// Runs `work` as a phase of host code.
  template <class Work> void run_host(const std::string& name, const Work& work) {
    const detail::Region region(name);
    begin(name);
    work();
    end(name, "host");
  }

  const std::vector<Phase>& phases() const { return phases_; }
  /// Merges phases of the same name and place into one, at the position of the first: sums of times, maxima of memory.
  std::vector<Phase> merged_phases() const;
  double total_seconds() const;
  double seconds_of(const std::string& name) const;
  void set_listener(PhaseListener listener) { listener_ = std::move(listener); }

private:
  void begin(const std::string& name);
  void end(const std::string& name, const std::string& where);

  std::vector<Phase> phases_;
  std::chrono::steady_clock::time_point start_;
  std::optional<MemoryPeak> peak_; ///< of the running phase
  PhaseListener listener_;
};

} // namespace tessera

#endif
