// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_NODE_COORDINATES_HPP
#define TESSERA_DRIVER_PROBLEM_NODE_COORDINATES_HPP

#include "core/transfer/rows_on_host.hpp"

#include <array>
#include <vector>

namespace tessera::driver::detail {

/// Coordinates, m, of some nodes on the host; in 2D the third coordinate is 0. `coordinates`: of all nodes.
template <class ExecutionSpace, class Coordinates>
std::vector<std::array<double, 3>> coordinates_of_nodes(const ExecutionSpace& exec, const Coordinates& coordinates,
                                                        const std::vector<index_t>& nodes) {
  const auto host = rows_on_host(exec, coordinates, nodes);
  std::vector<std::array<double, 3>> places(nodes.size(), std::array<double, 3>{});
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t d = 0; d < host.extent(1); ++d)
      places[i][d] = host(i, d);
  return places;
}

} // namespace tessera::driver::detail

#endif
