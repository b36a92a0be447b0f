// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/timer.hpp"

#include <Kokkos_Core.hpp>

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
