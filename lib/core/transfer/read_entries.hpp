// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_TRANSFER_READ_ENTRIES_HPP
#define TESSERA_CORE_TRANSFER_READ_ENTRIES_HPP

/// \file
/// Reads several entries of a device array at once.

#include "core/transfer/upload.hpp"

#include <vector>

namespace tessera {

namespace detail {
template <class T, class Space> struct ReadEntries {
  Array<const std::int64_t*, Space> positions;
  Array<const T*, Space> from;
  Array<T*, Space> to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to(i) = from(positions(i)); }
};
} // namespace detail

/// Reads the entries of an array [n] at `positions` (each in [0, n), in any order) to the host. Waits as often as
/// read_entry() does for one.
template <class ExecutionSpace, class ArrayType>
std::vector<typename ArrayType::non_const_value_type> read_entries(const ExecutionSpace& exec, const ArrayType& array,
                                                                   const std::vector<std::int64_t>& positions) {
  using T = typename ArrayType::non_const_value_type;
  using Space = typename ExecutionSpace::memory_space;
  if (positions.empty())
    return {};
  const auto of_device = uploaded(exec, "core::places_of_entries", positions);
  const auto entries = make_array<Array<T*, Space>>(exec, "core::entries", positions.size());
  for_each("tessera::core::read_entries", exec, static_cast<std::int64_t>(positions.size()),
           detail::ReadEntries<T, Space>{of_device, array, entries});
  const auto host = to_host(exec, entries);
  return std::vector<T>(host.data(), host.data() + host.extent(0));
}

} // namespace tessera

#endif
