// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/problem/part_values.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace tessera::driver {

std::vector<physics::PointValue> of_all_parts(const comm::Communicator& world, std::vector<physics::PointValue> values,
                                              const std::vector<bool>& is_owned) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const physics::PointValue outside{nan, {nan, nan, nan}, {nan, nan, nan}, -1, -1};
  constexpr std::size_t n_together = 4096; // number of points, limits the size of messages
  const auto n_processes = static_cast<std::size_t>(world.size());
  std::vector<physics::PointValue> owned(n_together);
  std::vector<physics::PointValue> all(n_together * n_processes);
  for (std::size_t first = 0; first < values.size(); first += n_together) {
    const std::size_t n = std::min(n_together, values.size() - first);
    for (std::size_t i = 0; i < n; ++i)
      owned[i] = is_owned[first + i] ? values[first + i] : outside;
    world.all_gather(owned.data(), n * sizeof(physics::PointValue), all.data());
    for (std::size_t i = 0; i < n; ++i) {
      values[first + i] = outside;
      for (std::size_t r = n_processes; r-- > 0;) // the lowest process has precedence
        if (all[r * n + i].region >= 0)
          values[first + i] = all[r * n + i];
    }
  }
  return values;
}

} // namespace tessera::driver
