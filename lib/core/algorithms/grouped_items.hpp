// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_ALGORITHMS_GROUPED_ITEMS_HPP
#define TESSERA_CORE_ALGORITHMS_GROUPED_ITEMS_HPP

/// \file
/// Lists the items of each group, for any number of groups, in one pass over the items.

#include "core/algorithms/scan.hpp"
#include "core/algorithms/sort.hpp"

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

/// Items per thread: each thread, not each item, needs 4 bytes of memory.
constexpr std::int64_t grouping_chunk = 64;

/// Counts the items of a chunk that are in a group; then writes them and their groups to the scanned positions.
template <class GroupOf, class Space> struct ListGrouped {
  GroupOf group_of;
  std::int64_t n;
  Array<offset_t*, Space> positions; // [n_chunks + 1]
  Array<std::int64_t*, Space> items;
  Array<std::uint32_t*, Space> groups;

  KOKKOS_FUNCTION void operator()(std::int64_t chunk) const {
    const bool counts = items.extent(0) == 0;
    offset_t position = counts ? 0 : positions(chunk);
    const std::int64_t end = (chunk + 1) * grouping_chunk < n ? (chunk + 1) * grouping_chunk : n;
    for (std::int64_t i = chunk * grouping_chunk; i < end; ++i) {
      const index_t group = group_of(i);
      if (group < 0)
        continue;
      if (!counts) {
        items(position) = i;
        groups(position) = static_cast<std::uint32_t>(group);
      }
      ++position;
    }
    if (counts)
      positions(chunk) = position;
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
  const std::int64_t n_chunks = (n + detail::grouping_chunk - 1) / detail::grouping_chunk;
  detail::ListGrouped<GroupOf, Space> list{group_of, n, {}, {}, {}};
  list.positions = make_array<Array<offset_t*, Space>>(exec, "core::chunks_of_items", n_chunks + 1);
  for_each<std::int64_t>("tessera::core::count_grouped_items", exec, n_chunks, list);
  const std::int64_t n_items = counts_to_offsets(exec, list.positions, n_chunks, what);
  GroupedItems<Space> result;
  result.items = list.items = make_array<Array<std::int64_t*, Space>>(exec, "core::grouped_items", n_items);
  list.groups = make_array<Array<std::uint32_t*, Space>>(exec, "core::groups_of_items", n_items);
  if (n_items > 0)
    for_each<std::int64_t>("tessera::core::list_grouped_items", exec, n_chunks, list);
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
