// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/problem/part_values.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace tessera::driver {

namespace {

/// Of all processes' extremes; `tie_of(smallest, largest)`: how far from them values count as equal.
template <class TieOf>
void take_extremes(const comm::Communicator& world, bool has, const TieOf& tie_of, physics::Extremes& extremes) {
  struct Entry {
    int has;
    physics::Extremes extremes;
  };
  const std::vector<Entry> entries = world.all_gather(Entry{has ? 1 : 0, extremes});
  bool is_first = true;
  for (const Entry& entry : entries)
    if (entry.has == 1) {
      extremes.smallest = is_first ? entry.extremes.smallest : std::min(extremes.smallest, entry.extremes.smallest);
      extremes.largest = is_first ? entry.extremes.largest : std::max(extremes.largest, entry.extremes.largest);
      is_first = false;
    }
  const double tie = tie_of(extremes.smallest, extremes.largest);
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) { // the lowest process has the last word
    if (entry->has == 1 && entry->extremes.smallest <= extremes.smallest + tie)
      extremes.smallest_at = entry->extremes.smallest_at;
    if (entry->has == 1 && entry->extremes.largest >= extremes.largest - tie)
      extremes.largest_at = entry->extremes.largest_at;
  }
}

} // namespace

std::vector<physics::PointValue> of_all_parts(const comm::Communicator& world, std::vector<physics::PointValue> values,
                                              const std::vector<bool>& is_own) {
  if (world.is_alone())
    return values;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const physics::PointValue outside{nan, {nan, nan, nan}, {nan, nan, nan}, -1, -1};
  constexpr std::size_t n_together = 4096; // points, so that what all processes say of them stays small
  const auto n_processes = static_cast<std::size_t>(world.size());
  std::vector<physics::PointValue> own(n_together);
  std::vector<physics::PointValue> all(n_together * n_processes);
  for (std::size_t first = 0; first < values.size(); first += n_together) {
    const std::size_t n = std::min(n_together, values.size() - first);
    for (std::size_t i = 0; i < n; ++i)
      own[i] = is_own[first + i] ? values[first + i] : outside;
    world.all_gather(own.data(), n * sizeof(physics::PointValue), all.data());
    for (std::size_t i = 0; i < n; ++i) {
      values[first + i] = outside;
      for (std::size_t r = n_processes; r-- > 0;) // the lowest process has the last word
        if (all[r * n + i].region >= 0)
          values[first + i] = all[r * n + i];
    }
  }
  return values;
}

std::vector<physics::SurfaceValues> of_all_parts(const comm::Communicator& world,
                                                 std::vector<physics::SurfaceValues> own,
                                                 const std::vector<bool>& has_sides) {
  if (world.is_alone())
    return own;
  for (std::size_t s = 0; s < own.size(); ++s) {
    physics::SurfaceValues& values = own[s];
    const auto field_tie = [](double, double largest) { return physics::field_tie(largest); };
    take_extremes(world, has_sides[s], physics::solution_tie, values.solution);
    take_extremes(world, has_sides[s], field_tie, values.field_length);
    take_extremes(world, has_sides[s], field_tie, values.flux_length);
    for (double* sum : {&values.area, &values.integral, &values.flux, &values.field_integral, &values.flux_integral})
      *sum = world.added(*sum);
  }
  return own;
}

} // namespace tessera::driver
