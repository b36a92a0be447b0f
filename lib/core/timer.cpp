// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/timer.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <map>

namespace tessera {

namespace detail {
Region::Region(const std::string& name) { Kokkos::Profiling::pushRegion("tessera::" + name); }
Region::~Region() { Kokkos::Profiling::popRegion(); }
} // namespace detail

double PhaseLog::total_seconds() const {
  double total = 0.;
  for (const Phase& phase : phases_)
    total += phase.seconds;
  return total;
}

std::vector<Phase> PhaseLog::merged_phases() const {
  std::vector<Phase> merged;
  std::map<std::pair<std::string, std::string>, std::size_t> positions;
  for (const Phase& phase : phases_) {
    const auto found = positions.emplace(std::make_pair(phase.name, phase.where), merged.size());
    if (found.second) {
      merged.push_back(phase);
      continue;
    }
    Phase& sum = merged[found.first->second];
    sum.seconds += phase.seconds;
    sum.peak_bytes = std::max(sum.peak_bytes, phase.peak_bytes);
  }
  return merged;
}

double PhaseLog::seconds_of(const std::string& name) const {
  double total = 0.;
  for (const Phase& phase : phases_)
    if (phase.name == name)
      total += phase.seconds;
  return total;
}

void PhaseLog::begin(const std::string& name) {
  if (listener_)
    listener_(name, false, 0.);
  peak_.emplace();
  start_ = std::chrono::steady_clock::now();
}

void PhaseLog::end(const std::string& name, const std::string& where) {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  phases_.push_back({name, seconds, where, peak_->bytes()});
  peak_.reset();
  if (listener_)
    listener_(name, true, seconds);
}

} // namespace tessera
