// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_BENCH_TIMING_HPP
#define TESSERA_DRIVER_BENCH_TIMING_HPP

#include <algorithm>
#include <chrono>
#include <vector>

namespace tessera::driver {

/// Times of repeated runs of some work.
struct Timing {
  double first = 0.;  ///< s, the first run
  double median = 0.; ///< s, of the later runs
  double minimum = 0.;
  double maximum = 0.;
};

/// Times of two pieces of work, one after the other.
inline Timing operator+(const Timing& a, const Timing& b) {
  return {a.first + b.first, a.median + b.median, a.minimum + b.minimum, a.maximum + b.maximum};
}

/// From the times of a first run and at least one more, in s.
inline Timing timing_of(const std::vector<double>& seconds) {
  std::vector<double> later(seconds.begin() + 1, seconds.end());
  std::sort(later.begin(), later.end());
  return {seconds.front(), later[later.size() / 2], later.front(), later.back()};
}

/// Runs `work` once, then `repetitions` times, each between fences.
template <class ExecutionSpace, class Work>
Timing measure(const ExecutionSpace& exec, int repetitions, const Work& work) {
  const auto once = [&] {
    exec.fence();
    const auto start = std::chrono::steady_clock::now();
    work();
    exec.fence();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  std::vector<double> times(1 + static_cast<std::size_t>(std::max(repetitions, 1)));
  for (double& time : times)
    time = once();
  return timing_of(times);
}

} // namespace tessera::driver

#endif
