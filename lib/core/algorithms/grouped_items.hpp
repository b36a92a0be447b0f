// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_ALGORITHMS_GROUPED_ITEMS_HPP
#define TESSERA_CORE_ALGORITHMS_GROUPED_ITEMS_HPP

/// \file
/// Lists the items of each group, for any number of groups, in one pass over the items.

#include "core/algorithms/scan.hpp"
#include "core/algorithms/sort.hpp"
#include "core/kokkos_ext/lanes.hpp"

#include <vector>

namespace tessera {

/// Items by group: contiguous and ascending within a group.
template <class MemorySpace> struct GroupedItems {
  Array<std::int64_t*, MemorySpace> items; ///< [number of items in a group]
  Array<offset_t*, MemorySpace> starts;    ///< [n_groups + 1]: where the items of each group begin
  std::vector<offset_t> host_starts;       ///< the same on the host

  index_t n_groups() const { return host_starts.empty() ? 0 : static_cast<index_t>(host_starts.size()) - 1; }
  std::int64_t n_items() const { return static_cast<std::int64_t>(items.extent(0)); }
};

namespace detail {

/// Lanes per chunk of items: neighbouring threads look at neighbouring items.
template <class ExecutionSpace> constexpr int grouping_lanes = lanes_in<ExecutionSpace, 32>;
/// Items per chunk: each chunk, not each item, needs 4 bytes of memory.
template <int Lanes> constexpr std::int64_t grouping_chunk = Lanes == 1 ? 64 : 8 * Lanes;

/// Counts the items of a chunk that are in a group; then writes them and their groups to the scanned positions.
template <int Lanes, class GroupOf, class Space> struct ListGrouped {
  GroupOf group_of;
  std::int64_t n;
  Array<offset_t*, Space> positions; // [n_chunks + 1]
  Array<std::int64_t*, Space> items;
  Array<std::uint32_t*, Space> groups;

  KOKKOS_FUNCTION void operator()(std::int64_t chunk, int lane, bool exists) const {
    constexpr std::int64_t size = grouping_chunk<Lanes>;
    const std::int64_t begin = chunk * size;
    const std::int64_t end = !exists ? begin : begin + size < n ? begin + size : n;
    if (items.extent(0) == 0) {
      offset_t found = 0;
      for (std::int64_t i = begin + lane; i < end; i += Lanes)
        found += group_of(i) < 0 ? 0 : 1;
      found = sum_of_lanes<Lanes>(found);
      if (exists && lane == 0)
        positions(chunk) = found;
      return;
    }
    if (!exists || positions(chunk) == positions(chunk + 1))
      return; // most chunks, where few items are in a group
    offset_t position = positions(chunk);
    for (std::int64_t first = begin; first < end; first += Lanes) {
      const std::int64_t i = first + lane;
      const index_t group = i < end ? group_of(i) : -1;
      const unsigned found = bits_of_lanes<Lanes>(group >= 0);
      if (group >= 0) {
        const offset_t place = position + count_bits(found & ((1u << lane) - 1u));
        items(place) = i;
        groups(place) = static_cast<std::uint32_t>(group);
      }
      position += count_bits(found);
    }
  }
};

/// Finds where the entries of each group begin, from ascending group numbers.
template <class Groups, class Space, class Offset = offset_t> struct FindStarts {
  Groups group; // group(i) of entry i
  std::int64_t n;
  index_t n_groups;
  Array<Offset*, Space> starts;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const index_t last = i < n ? static_cast<index_t>(group(i)) : n_groups;
    for (index_t g = i > 0 ? static_cast<index_t>(group(i - 1)) + 1 : 0; g <= last; ++g)
      starts(g) = static_cast<Offset>(i);
  }
};

} // namespace detail

/// Lists the items i of [0, n) by `group_of(i)`, which is in [0, n_groups), or negative for items without a group.
/// Needs temporary memory of twice the size of the result.
template <class ExecutionSpace, class GroupOf>
GroupedItems<typename ExecutionSpace::memory_space>
group_items(const ExecutionSpace& exec, std::int64_t n, index_t n_groups, const GroupOf& group_of, const char* what) {
  using Space = typename ExecutionSpace::memory_space;
  constexpr int lanes = detail::grouping_lanes<ExecutionSpace>;
  constexpr std::int64_t chunk = detail::grouping_chunk<lanes>;
  const std::int64_t n_chunks = (n + chunk - 1) / chunk;
  detail::ListGrouped<lanes, GroupOf, Space> list{group_of, n, {}, {}, {}};
  list.positions = make_array<Array<offset_t*, Space>>(exec, "core::chunks_of_items", n_chunks + 1);
  for_each_lane<lanes>("tessera::core::count_grouped_items", exec, n_chunks, list);
  const std::int64_t n_items = counts_to_offsets(exec, list.positions, n_chunks, what);
  GroupedItems<Space> result;
  result.items = list.items = make_array<Array<std::int64_t*, Space>>(exec, "core::grouped_items", n_items);
  list.groups = make_array<Array<std::uint32_t*, Space>>(exec, "core::groups_of_items", n_items);
  if (n_items > 0)
    for_each_lane<lanes>("tessera::core::list_grouped_items", exec, n_chunks, list);
  if (n_groups > 1)
    sort_by_key(exec, list.groups, result.items, n_items, bits_for(n_groups));
  result.starts = make_array<Array<offset_t*, Space>>(exec, "core::starts_of_groups", n_groups + 1);
  for_each<std::int64_t>(
      "tessera::core::find_starts_of_groups", exec, n_items + 1,
      detail::FindStarts<Array<std::uint32_t*, Space>, Space>{list.groups, n_items, n_groups, result.starts});
  const auto starts = to_host(exec, result.starts); // waits: the other arrays may be freed
  result.host_starts.assign(starts.data(), starts.data() + starts.extent(0));
  return result;
}

} // namespace tessera

#endif
