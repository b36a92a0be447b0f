// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FIELDS_FIRST_POINT_HPP
#define TESSERA_PHYSICS_FIELDS_FIRST_POINT_HPP

/// \file
/// Location of an extreme that several processes may have.

#include "comm/communicator.hpp"
#include "core/parallel.hpp"

#include <array>
#include <limits>

namespace tessera::physics::detail {

/// Finds the item with the lowest index by `first`, a functor with a MinLoc reducer `First::Reducer`, in the range of
/// each process, and sets `at` to the location (m) of the lowest one of all processes; leaves it unchanged if there is
/// none. `position_of(item)` makes the functor that writes the location of an item to `position`, [3]. Collective.
template <class ExecutionSpace, class Policy, class First, class PositionOf>
void find_first_point(const char* label, const ExecutionSpace& exec, const comm::Communicator& world,
                      const Policy& range, const First& first, const Array<double*, ExecutionSpace>& position,
                      const PositionOf& position_of, std::array<double, 3>& at) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  typename First::Reducer::value_type found{none, none};
  if (range.begin() < range.end())
    Kokkos::parallel_reduce(label, range, first, typename First::Reducer(found));
  struct Found {
    std::int64_t number;
    double at[3];
  };
  Found own{found.val, {0., 0., 0.}};
  if (found.val < none) { // otherwise there is none, or values are NaN
    for_each("tessera::physics::extreme_position", exec, index_t(1), position_of(found.loc));
    const auto host = to_host(exec, position);
    for (std::size_t d = 0; d < 3; ++d)
      own.at[d] = host(d);
  }
  std::int64_t lowest = none;
  for (const Found& other : world.all_gather(own))
    if (other.number < lowest) {
      lowest = other.number;
      at = {other.at[0], other.at[1], other.at[2]};
    }
}

} // namespace tessera::physics::detail

#endif
