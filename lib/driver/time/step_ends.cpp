// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/time/step_ends.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::driver {

namespace {

/// The breaks within the problem's time. Those that differ by rounding are one, after which all have happened.
std::vector<StepEnd> find_breaks(const io::TimeOptions& time, const std::vector<physics::Expression>& data) {
  std::vector<double> instants = time.breaks;
  for (const physics::Expression& value : data)
    if (value.depends_on(physics::Opcode::t))
      for (const double t : value.breaks_in_time(time.from, time.to))
        instants.push_back(t);
  std::sort(instants.begin(), instants.end());
  const double least = 1e-9 * (time.to - time.from);
  std::vector<StepEnd> breaks;
  for (const double t : instants) {
    if (!breaks.empty() && t - breaks.back().at < least)
      breaks.back().at = t;
    else if (t - time.from > least && time.to - t > least)
      breaks.push_back({t, std::nextafter(t, -std::numeric_limits<double>::infinity()), true, false});
  }
  return breaks;
}

/// Adds an instant to ends in ascending order, unless one is there already.
void insert(std::vector<StepEnd>& ends, const StepEnd& end, double least) {
  const auto next = std::lower_bound(ends.begin(), ends.end(), end.at - least,
                                     [](const StepEnd& entry, double t) { return entry.at < t; });
  if (next != ends.end() && next->at - end.at < least) {
    const bool is_output = next->is_output || end.is_output;
    if (end.is_break)
      *next = end;
    next->is_output = is_output;
  } else {
    ends.insert(next, end);
  }
}

} // namespace

std::vector<StepEnd> step_ends(const io::TimeOptions& time, const std::vector<double>& output_times,
                               const std::vector<physics::Expression>& data) {
  const std::vector<StepEnd> breaks = find_breaks(time, data);
  const double least = 1e-9 * (time.to - time.from);
  std::vector<StepEnd> ends = breaks;
  const auto add = [&](double t, bool is_output) { insert(ends, {t, t, false, is_output}, least); };
  add(time.to, false);
  if (time.is_controlled()) {
    for (const double t : output_times)
      add(t, true);
    return ends;
  }
  if (!time.sizes.empty()) {
    for (const double t : time.nodes())
      if (t > time.from + least)
        add(t, false);
    return ends;
  }
  const double size = (time.to - time.from) / time.steps;
  std::vector<StepEnd> all;
  double from = time.from;
  for (const StepEnd& end : ends) {
    const int n = std::max(1, static_cast<int>(std::ceil((end.at - from) / size - 1e-6)));
    for (int k = 1; k < n; ++k) {
      const double t = from + (end.at - from) * k / n;
      all.push_back({t, t, false, false});
    }
    all.push_back(end);
    from = end.at;
  }
  return all;
}

} // namespace tessera::driver
