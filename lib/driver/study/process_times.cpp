// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/study/process_times.hpp"

#include <algorithm>
#include <functional>

namespace tessera::driver {

namespace {

/// A phase in a form that processes of one program can exchange.
struct Record {
  std::uint64_t key;
  double seconds;
  double peak_bytes;
};

std::uint64_t key_of(const Phase& phase) { return std::hash<std::string>()(phase.name + '\n' + phase.where); }

} // namespace

std::vector<ProcessTimes> gather_times(const comm::Communicator& world, const std::vector<Phase>& phases) {
  const auto longest = static_cast<std::size_t>(world.largest(static_cast<std::int64_t>(phases.size())));
  std::vector<Record> own(longest, Record{0, -1., 0.});
  for (std::size_t k = 0; k < phases.size(); ++k)
    own[k] = {key_of(phases[k]), phases[k].seconds, static_cast<double>(phases[k].peak_bytes)};
  std::vector<Record> all(longest * static_cast<std::size_t>(world.size()));
  world.all_gather(own.data(), longest * sizeof(Record), all.data());
  std::vector<ProcessTimes> times;
  for (const Phase& phase : phases) {
    ProcessTimes of_phase;
    int n = 0;
    for (const Record& record : all)
      if (record.seconds >= 0. && record.key == key_of(phase)) {
        of_phase.slowest = std::max(of_phase.slowest, record.seconds);
        of_phase.mean += record.seconds;
        of_phase.largest_peak_bytes = std::max(of_phase.largest_peak_bytes, record.peak_bytes);
        ++n;
      }
    of_phase.mean /= std::max(n, 1);
    times.push_back(of_phase);
  }
  return times;
}

} // namespace tessera::driver
