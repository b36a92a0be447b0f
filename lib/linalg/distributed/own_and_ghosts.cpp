// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/distributed/own_and_ghosts.hpp"

#include "core/algorithms/list_marked.hpp"
#include "core/algorithms/lower_bound.hpp"
#include "core/algorithms/scan.hpp"
#include "core/keep_alive.hpp"
#include "core/upload.hpp"

#include <algorithm>
#include <iterator>

namespace tessera::linalg {

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

template <class Space> struct NumberOwnFirst {
  index_t first;
  index_t n_own;
  Array<const index_t*, Space> place; // of each ghost among the ghosts
  Array<const index_t*, Space> columns;
  Array<index_t*, Space> result;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const index_t j = columns(k);
    result(k) = j >= first && j < first + n_own ? j - first : n_own + place(j);
  }
};

template <class Space> struct FindAmongGhosts {
  index_t first;
  index_t n_own;
  Array<const index_t*, Space> ghosts; // ascending
  Array<index_t*, Space> numbers;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const index_t j = numbers(k);
    if (j >= first && j < first + n_own) {
      numbers(k) = j - first;
      return;
    }
    const auto n_ghosts = static_cast<index_t>(ghosts.extent(0));
    const index_t low = lower_bound(ghosts, index_t(0), n_ghosts, j);
    numbers(k) = n_own + (low < n_ghosts && ghosts(low) == j ? low : n_ghosts);
  }
};

template <class Space> struct NumberAmongAll {
  index_t first;
  index_t n_own;
  Array<const index_t*, Space> ghosts;
  Array<const index_t*, Space> columns;
  Array<index_t*, Space> result;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const index_t j = columns(k);
    result(k) = j < n_own ? first + j : ghosts(j - n_own);
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
OwnAndGhosts<ExecutionSpace> with_halo(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
                                       const std::vector<std::int64_t>& offsets,
                                       const Array<index_t*, ExecutionSpace>& ghosts) {
  const auto rank = static_cast<std::size_t>(group.world->rank());
  const auto begins = make_array<Array<index_t*, ExecutionSpace>>(exec, "linalg::ghosts_of_owners", offsets.size());
  const auto all_offsets = uploaded(exec, "linalg::offsets_of_owners", offsets);
  for_each("tessera::linalg::find_owners", exec, static_cast<std::int64_t>(offsets.size()),
           FindOwners<typename ExecutionSpace::memory_space>{ghosts, all_offsets, begins});
  const auto on_host = to_host(exec, begins); // waits
  std::vector<std::int64_t> n_of_owner;
  for (std::size_t r = 0; r + 1 < offsets.size(); ++r)
    n_of_owner.push_back(on_host(r + 1) - on_host(r));
  OwnAndGhosts<ExecutionSpace> result;
  result.first = static_cast<index_t>(offsets[rank]);
  result.n_own = static_cast<index_t>(offsets[rank + 1] - offsets[rank]);
  result.ghosts = ghosts;
  result.halo = std::make_shared<const comm::Halo<ExecutionSpace>>(exec, *group.world, *group.transport, offsets,
                                                                   ghosts, n_of_owner);
  return result;
}

} // namespace

template <class ExecutionSpace>
OwnAndGhosts<ExecutionSpace> make_own_and_ghosts(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
                                                 const std::vector<std::int64_t>& offsets,
                                                 const std::vector<std::int64_t>& ghosts) {
  TESSERA_ASSERT(std::is_sorted(ghosts.begin(), ghosts.end()));
  return make_own_and_ghosts(exec, group, offsets,
                             uploaded(exec, "linalg::ghosts", std::vector<index_t>(ghosts.begin(), ghosts.end())));
}

template <class ExecutionSpace>
OwnAndGhosts<ExecutionSpace> make_own_and_ghosts(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
                                                 const std::vector<std::int64_t>& offsets,
                                                 const Array<index_t*, ExecutionSpace>& ghosts) {
  return group.is_alone() ? all_own<ExecutionSpace>(static_cast<index_t>(offsets.back()))
                          : with_halo(exec, group, offsets, ghosts);
}

template <class ExecutionSpace>
std::vector<std::int64_t> ghosts_on_host(const ExecutionSpace& exec, const OwnAndGhosts<ExecutionSpace>& columns) {
  const auto numbers = to_host(exec, columns.ghosts);
  return std::vector<std::int64_t>(numbers.data(), numbers.data() + numbers.extent(0));
}

template <class ExecutionSpace>
OwnAndGhosts<ExecutionSpace> number_own_first(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
                                              const std::vector<std::int64_t>& offsets,
                                              CrsMatrix<typename ExecutionSpace::memory_space>& rows) {
  using Space = typename ExecutionSpace::memory_space;
  const auto n_all = static_cast<index_t>(offsets.back());
  if (group.is_alone())
    return all_own<ExecutionSpace>(n_all);
  const auto rank = static_cast<std::size_t>(group.world->rank());
  const auto first = static_cast<index_t>(offsets[rank]);
  const auto end = static_cast<index_t>(offsets[rank + 1]);
  const auto place = make_filled<Array<index_t*, Space>>(exec, "linalg::ghost_places", n_all + 1, 0);
  for_each<std::int64_t>("tessera::linalg::mark_ghosts", exec, rows.n_entries(),
                         MarkGhosts<Space>{rows.columns, first, end, place});
  const std::int64_t n_ghosts = counts_to_offsets(exec, place, n_all, "ghosts");
  const auto list = list_marked(exec, "linalg::ghosts", place, n_all, n_ghosts);
  const auto columns = make_array<Array<index_t*, Space>>(exec, "linalg::own_first_columns", rows.n_entries());
  for_each<std::int64_t>("tessera::linalg::number_own_first", exec, rows.n_entries(),
                         NumberOwnFirst<Space>{first, end - first, place, rows.columns, columns});
  const auto numbered = rows.columns;
  rows.columns = columns;
  return with_halo(exec, group, offsets, list); // waits: the other arrays may be freed
}

template <class ExecutionSpace>
GhostsMoved<ExecutionSpace> add_ghosts(const ExecutionSpace& exec, const Shares<ExecutionSpace>& shares,
                                       const std::vector<std::int64_t>& more, OwnAndGhosts<ExecutionSpace>& columns) {
  const std::vector<std::int64_t> before = ghosts_on_host(exec, columns);
  std::vector<std::int64_t> all;
  std::set_union(before.begin(), before.end(), more.begin(), more.end(), std::back_inserter(all));
  std::vector<index_t> place;
  for (const std::int64_t ghost : before)
    place.push_back(static_cast<index_t>(std::lower_bound(all.begin(), all.end(), ghost) - all.begin()));
  columns = make_own_and_ghosts(exec, shares.group, shares.offsets, all);
  return {columns.n_own, uploaded(exec, "linalg::moved_ghosts", place)};
}

template <class ExecutionSpace>
void number_own_first(const ExecutionSpace& exec, const OwnAndGhosts<ExecutionSpace>& columns,
                      const Array<index_t*, ExecutionSpace>& numbers) {
  for_each<std::int64_t>(
      "tessera::linalg::find_among_ghosts", exec, static_cast<std::int64_t>(numbers.extent(0)),
      FindAmongGhosts<typename ExecutionSpace::memory_space>{columns.first, columns.n_own, columns.ghosts, numbers});
}

template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space>
with_numbers_of_all(const ExecutionSpace& exec, const OwnAndGhosts<ExecutionSpace>& columns,
                    const CrsMatrix<typename ExecutionSpace::memory_space>& rows) {
  using Space = typename ExecutionSpace::memory_space;
  if (!columns.halo)
    return rows;
  CrsMatrix<Space> result = rows;
  result.columns = make_array<decltype(result.columns)>(exec, "linalg::columns_of_all", rows.n_entries());
  for_each<std::int64_t>(
      "tessera::linalg::number_among_all", exec, rows.n_entries(),
      NumberAmongAll<Space>{columns.first, columns.n_own, columns.ghosts, rows.columns, result.columns});
  return result;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template OwnAndGhosts<Space> make_own_and_ghosts(                                                                    \
      const Space&, const comm::Group<Space>&, const std::vector<std::int64_t>&, const std::vector<std::int64_t>&);    \
  template OwnAndGhosts<Space> make_own_and_ghosts(const Space&, const comm::Group<Space>&,                            \
                                                   const std::vector<std::int64_t>&, const Array<index_t*, Space>&);   \
  template OwnAndGhosts<Space> number_own_first(const Space&, const comm::Group<Space>&,                               \
                                                const std::vector<std::int64_t>&, CrsMatrix<Space::memory_space>&);    \
  template std::vector<std::int64_t> ghosts_on_host(const Space&, const OwnAndGhosts<Space>&);                         \
  template GhostsMoved<Space> add_ghosts(const Space&, const Shares<Space>&, const std::vector<std::int64_t>&,         \
                                         OwnAndGhosts<Space>&);                                                        \
  template void number_own_first(const Space&, const OwnAndGhosts<Space>&, const Array<index_t*, Space>&);             \
  template CrsMatrix<Space::memory_space> with_numbers_of_all(const Space&, const OwnAndGhosts<Space>&,                \
                                                              const CrsMatrix<Space::memory_space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
