// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_OWNED_ELEMENTS_HPP
#define TESSERA_DRIVER_PROBLEM_OWNED_ELEMENTS_HPP

/// \file
/// Looks up a few elements among those that a process owns.

#include "core/algorithms/lower_bound.hpp"
#include "core/transfer/upload.hpp"

#include <vector>

namespace tessera::driver {

namespace detail {
template <class Space> struct FindPositions {
  Array<const index_t*, Space> ascending;
  Array<index_t*, Space> items;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto n = static_cast<index_t>(ascending.extent(0));
    const index_t position = lower_bound(ascending.data(), index_t(0), n, items(i));
    items(i) = position < n && ascending(position) == items(i) ? position : -1;
  }
};
} // namespace detail

/// Position of each of `items` in an ascending list, -1 if it is not there. The list, of the size of a mesh, is not
/// copied. Waits.
template <class ExecutionSpace>
std::vector<index_t> find_positions(const ExecutionSpace& exec, const Array<const index_t*, ExecutionSpace>& ascending,
                                    const std::vector<index_t>& items) {
  if (items.empty())
    return {};
  const auto positions = uploaded(exec, "driver::places_of_elements", items);
  for_each("tessera::driver::find_positions", exec, static_cast<std::int64_t>(items.size()),
           detail::FindPositions<typename ExecutionSpace::memory_space>{ascending, positions});
  const auto host = tessera::to_host(exec, positions);
  return std::vector<index_t>(host.data(), host.data() + host.extent(0));
}

} // namespace tessera::driver

#endif
