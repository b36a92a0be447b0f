// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/layout.hpp"

#include "core/algorithms/list_marked.hpp"
#include "core/algorithms/lower_bound.hpp"
#include "core/algorithms/scan.hpp"
#include "core/assert.hpp"
#include "core/transfer/upload.hpp"

#include <algorithm>
#include <iterator>

namespace tessera::comm {

namespace {

/// Marks the columns that other processes own.
template <class Space> struct MarkGhosts {
  Array<const index_t*, Space> columns;
  index_t first;
  index_t end;
  Array<index_t*, Space> marks;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const index_t j = columns(k);
    if (j < first || j >= end)
      marks(j) = 1; // several threads write the same value; the entry of the end is never marked, the scan overwrites
                    // it
  }
};

template <class Space> struct NumberOwnedFirst {
  index_t first;
  index_t n_owned;
  Array<const index_t*, Space> position; // of each ghost among the ghosts
  Array<const index_t*, Space> columns;
  Array<index_t*, Space> result;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const index_t j = columns(k);
    result(k) = j >= first && j < first + n_owned ? j - first : n_owned + position(j);
  }
};

template <class Space> struct FindAmongGhosts {
  index_t first;
  index_t n_owned;
  Array<const index_t*, Space> ghosts; // ascending
  Array<index_t*, Space> numbers;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const index_t j = numbers(k);
    if (j >= first && j < first + n_owned) {
      numbers(k) = j - first;
      return;
    }
    const auto n_ghosts = static_cast<index_t>(ghosts.extent(0));
    const index_t low = lower_bound(ghosts, index_t(0), n_ghosts, j);
    numbers(k) = n_owned + (low < n_ghosts && ghosts(low) == j ? low : n_ghosts);
  }
};

template <class Space> struct NumberAmongAll {
  index_t first;
  index_t n_owned;
  Array<const index_t*, Space> ghosts;
  Array<const index_t*, Space> columns;
  Array<index_t*, Space> result;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const index_t j = columns(k);
    result(k) = j < n_owned ? first + j : ghosts(j - n_owned);
  }
};

/// Finds the first ghost of each process.
template <class Space> struct FindOwners {
  Array<const index_t*, Space> ghosts;
  Array<const std::int64_t*, Space> offsets;
  Array<index_t*, Space> begins;
  KOKKOS_FUNCTION void operator()(index_t r) const {
    begins(r) =
        lower_bound(ghosts, index_t(0), static_cast<index_t>(ghosts.extent(0)), static_cast<index_t>(offsets(r)));
  }
};

/// Makes the halo; the ghosts' indices are sent to their owners by messages between the devices.
template <class ExecutionSpace>
Layout<ExecutionSpace> with_halo(const ExecutionSpace& exec, const ProcessGroup<ExecutionSpace>& group,
                                 const std::vector<std::int64_t>& offsets,
                                 const Array<index_t*, ExecutionSpace>& ghosts) {
  const auto rank = static_cast<std::size_t>(group.world->rank());
  const auto begins = make_array<Array<index_t*, ExecutionSpace>>(exec, "comm::ghosts_of_owners", offsets.size());
  const auto all_offsets = uploaded(exec, "comm::offsets_of_owners", offsets);
  for_each("tessera::comm::find_owners", exec, static_cast<std::int64_t>(offsets.size()),
           FindOwners<typename ExecutionSpace::memory_space>{ghosts, all_offsets, begins});
  const auto on_host = to_host(exec, begins); // waits
  std::vector<std::int64_t> n_of_owner;
  for (std::size_t r = 0; r + 1 < offsets.size(); ++r)
    n_of_owner.push_back(on_host(r + 1) - on_host(r));
  Layout<ExecutionSpace> result;
  result.first = static_cast<index_t>(offsets[rank]);
  result.n_owned = static_cast<index_t>(offsets[rank + 1] - offsets[rank]);
  result.ghosts = ghosts;
  result.halo =
      std::make_shared<const Halo<ExecutionSpace>>(exec, *group.world, *group.transport, offsets, ghosts, n_of_owner);
  return result;
}

} // namespace

template <class ExecutionSpace>
Layout<ExecutionSpace> make_layout(const ExecutionSpace& exec, const ProcessGroup<ExecutionSpace>& group,
                                   const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& ghosts) {
  TESSERA_ASSERT(std::is_sorted(ghosts.begin(), ghosts.end()));
  return make_layout(exec, group, offsets,
                     uploaded(exec, "comm::ghosts", std::vector<index_t>(ghosts.begin(), ghosts.end())));
}

template <class ExecutionSpace>
Layout<ExecutionSpace> make_layout(const ExecutionSpace& exec, const ProcessGroup<ExecutionSpace>& group,
                                   const std::vector<std::int64_t>& offsets,
                                   const Array<index_t*, ExecutionSpace>& ghosts) {
  return group.is_distributed() ? with_halo(exec, group, offsets, ghosts)
                                : Layout<ExecutionSpace>::local(static_cast<index_t>(offsets.back()));
}

template <class ExecutionSpace>
std::vector<std::int64_t> ghosts_on_host(const ExecutionSpace& exec, const Layout<ExecutionSpace>& layout) {
  const auto numbers = to_host(exec, layout.ghosts);
  return std::vector<std::int64_t>(numbers.data(), numbers.data() + numbers.extent(0));
}

template <class ExecutionSpace>
GhostsMoved<ExecutionSpace> add_ghosts(const ExecutionSpace& exec, const Shares<ExecutionSpace>& shares,
                                       const std::vector<std::int64_t>& more, Layout<ExecutionSpace>& layout) {
  const std::vector<std::int64_t> before = ghosts_on_host(exec, layout);
  std::vector<std::int64_t> all;
  std::set_union(before.begin(), before.end(), more.begin(), more.end(), std::back_inserter(all));
  std::vector<index_t> position;
  for (const std::int64_t ghost : before)
    position.push_back(static_cast<index_t>(std::lower_bound(all.begin(), all.end(), ghost) - all.begin()));
  layout = make_layout(exec, shares.group, shares.offsets, all);
  return {layout.n_owned, uploaded(exec, "comm::moved_ghosts", position)};
}

template <class ExecutionSpace>
void to_local_indices(const ExecutionSpace& exec, const Layout<ExecutionSpace>& layout,
                      const Array<index_t*, ExecutionSpace>& indices) {
  if (layout.is_distributed())
    for_each<std::int64_t>(
        "tessera::comm::find_among_ghosts", exec, static_cast<std::int64_t>(indices.extent(0)),
        FindAmongGhosts<typename ExecutionSpace::memory_space>{layout.first, layout.n_owned, layout.ghosts, indices});
}

template <class ExecutionSpace>
Array<index_t*, ExecutionSpace> to_global_indices(const ExecutionSpace& exec, const Layout<ExecutionSpace>& layout,
                                                  const Array<index_t*, ExecutionSpace>& indices) {
  if (!layout.is_distributed())
    return indices;
  const auto result = make_array<Array<index_t*, ExecutionSpace>>(exec, "comm::global_indices", indices.extent(0));
  for_each<std::int64_t>("tessera::comm::global_indices", exec, static_cast<std::int64_t>(indices.extent(0)),
                         NumberAmongAll<typename ExecutionSpace::memory_space>{layout.first, layout.n_owned,
                                                                               layout.ghosts, indices, result});
  return result;
}

template <class ExecutionSpace>
Layout<ExecutionSpace> number_owned_first(const ExecutionSpace& exec, const ProcessGroup<ExecutionSpace>& group,
                                          const std::vector<std::int64_t>& offsets,
                                          std::initializer_list<Array<index_t*, ExecutionSpace>*> columns) {
  using Space = typename ExecutionSpace::memory_space;
  using Indices = Array<index_t*, ExecutionSpace>;
  const auto n_global = static_cast<index_t>(offsets.back());
  if (!group.is_distributed())
    return Layout<ExecutionSpace>::local(n_global);
  const auto rank = static_cast<std::size_t>(group.world->rank());
  const auto first = static_cast<index_t>(offsets[rank]);
  const auto end = static_cast<index_t>(offsets[rank + 1]);
  const auto position = make_filled<Indices>(exec, "comm::ghost_places", n_global + 1, 0);
  for (const Indices* numbers : columns)
    for_each<std::int64_t>("tessera::comm::mark_ghosts", exec, static_cast<std::int64_t>(numbers->extent(0)),
                           MarkGhosts<Space>{*numbers, first, end, position});
  const std::int64_t n_ghosts = counts_to_offsets(exec, position, n_global, "ghosts");
  const auto list = list_marked(exec, "comm::ghosts", position, n_global, n_ghosts);
  std::vector<Indices> global; // kept until with_halo() waits
  for (Indices* numbers : columns) {
    global.push_back(*numbers);
    *numbers = make_array<Indices>(exec, "comm::local_columns", numbers->extent(0));
    for_each<std::int64_t>("tessera::comm::number_owned_first", exec, static_cast<std::int64_t>(numbers->extent(0)),
                           NumberOwnedFirst<Space>{first, end - first, position, global.back(), *numbers});
  }
  return with_halo(exec, group, offsets, list); // waits: the other arrays may be freed
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template Layout<Space> make_layout(const Space&, const ProcessGroup<Space>&, const std::vector<std::int64_t>&,       \
                                     const std::vector<std::int64_t>&);                                                \
  template Layout<Space> make_layout(const Space&, const ProcessGroup<Space>&, const std::vector<std::int64_t>&,       \
                                     const Array<index_t*, Space>&);                                                   \
  template std::vector<std::int64_t> ghosts_on_host(const Space&, const Layout<Space>&);                               \
  template GhostsMoved<Space> add_ghosts(const Space&, const Shares<Space>&, const std::vector<std::int64_t>&,         \
                                         Layout<Space>&);                                                              \
  template void to_local_indices(const Space&, const Layout<Space>&, const Array<index_t*, Space>&);                   \
  template Array<index_t*, Space> to_global_indices(const Space&, const Layout<Space>&,                                \
                                                    const Array<index_t*, Space>&);                                    \
  template Layout<Space> number_owned_first(const Space&, const ProcessGroup<Space>&,                                  \
                                            const std::vector<std::int64_t>&,                                          \
                                            std::initializer_list<Array<index_t*, Space>*>);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::comm
