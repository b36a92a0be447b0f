// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ROWS_COLUMN_CACHE_HPP
#define TESSERA_ASSEMBLY_ROWS_COLUMN_CACHE_HPP

/// \file
/// Finds and counts the columns of rows; teams cache them for the loop that writes them where they belong
/// (crs_pattern.hpp), which comes after a scan of the counts.

#include "assembly/rows/column_accumulator.hpp"
#include "assembly/rows/incidence.hpp"

namespace tessera::assembly::detail {

/// Adds the columns of a row's elements to its accumulator. Their order does not matter. The row's own column is in all
/// elements and added once.
template <class Columns, class Dofs, class Incidence>
KOKKOS_FUNCTION void add_columns(Columns& columns, const Dofs& dofs, const Incidence& incidence, index_t row) {
  constexpr int N = Dofs::n_nodes;
  offset_t c = incidence.first(row);
  if (incidence.more(row, c))
    columns.add(row);
  for (; incidence.more(row, c); c = incidence.next(c)) {
    const offset_t pair = incidence.pair(c);
    const index_t e = static_cast<index_t>(pair / N);
    index_t dof[N - 1];
    dofs.other_dofs(e, static_cast<int>(pair - static_cast<offset_t>(e) * N), dof);
    for (int b = 0; b < N - 1; ++b)
      if (dofs.is_free(dof[b]))
        columns.add(dof[b]);
  }
}

/// Finds the columns of a row, window by window: `take(n)` is called with each, when the accumulator holds n columns.
template <class Columns, class Dofs, class Incidence, class Take>
KOKKOS_FUNCTION void find_columns(Columns& columns, const Dofs& dofs, const Incidence& incidence, index_t row,
                                  const Take& take) {
  columns.start();
  for (bool again = true; again;) {
    add_columns(columns, dofs, incidence, row);
    if (!columns.finish())
      continue;
    take(columns.count());
    again = columns.overflow;
    if (again)
      columns.next_window();
  }
}

/// Caches the columns of rows from the loop of teams that finds them to the one that writes them. Those of a batch (the
/// rows that the threads of a team have at a time; on devices all of its rows) lie side by side: entry j of the row of
/// thread t at base + j * (threads of the team) + t.
template <class Columns, class Space> struct ColumnCache {
  static constexpr std::int64_t nowhere = -1;
  /// Accumulators in registers get room for all they hold. Those in scratch memory get what the longest row of a batch
  /// needs, of a cache that suffices for two thirds; columns that do not fit are found again.
  static constexpr bool by_need = Columns::in_scratch;
  static constexpr int room_per_row = by_need ? Columns::capacity / 3 * 2 : Columns::capacity;

  Array<index_t*, Space> entries;
  Array<std::int64_t*, Space> bases;        ///< by need: of each batch, or nowhere
  Array<unsigned long long*, Space> n_used; ///< by need: [1]

  /// A team's scratch memory.
  struct Room {
    std::int64_t base;
    int n_most;
  };

  template <class ExecutionSpace> void allocate(const ExecutionSpace& exec, index_t n_rows, int rows_of_team) {
    const int threads = is_host_space<ExecutionSpace> ? 1 : rows_of_team; // at least
    const std::int64_t n_teams = n_rows > 0 ? (n_rows - 1) / rows_of_team + 1 : 0;
    entries = make_array<decltype(entries)>(exec, "assembly::column_cache", n_teams * rows_of_team * room_per_row);
    if (by_need) {
      bases = make_array<decltype(bases)>(exec, "assembly::column_cache_bases", n_teams * rows_of_team / threads);
      n_used = make_filled<decltype(n_used)>(exec, "assembly::column_cache_used", 1, 0);
    }
  }

  /// Cache entry of the batch that begins with this row.
  template <class Block> KOKKOS_FUNCTION std::int64_t base(const Block& block, index_t first_row) const {
    return by_need ? bases(first_row / block.size) : static_cast<std::int64_t>(first_row) * room_per_row;
  }

  /// Reserves room for n columns of the own row; all threads of the team call it. Returns the entry of the batch.
  template <class Block>
  KOKKOS_FUNCTION std::int64_t reserve(const Block& block, index_t first_row, int n, Room* room) const {
    if (!by_need)
      return base(block, first_row);
    if (block.rank == 0)
      room->n_most = 0;
    block.barrier();
    Kokkos::atomic_fetch_max(&room->n_most, n);
    block.barrier();
    if (block.rank == 0) {
      const auto needed = static_cast<unsigned long long>(room->n_most) * static_cast<unsigned long long>(block.size);
      const unsigned long long begin = Kokkos::atomic_fetch_add(&n_used(0), needed);
      room->base = begin + needed <= entries.extent(0) ? static_cast<std::int64_t>(begin) : nowhere;
      bases(first_row / block.size) = room->base;
    }
    block.barrier();
    return room->base;
  }

  /// Whether a row of n columns in a batch with this base is cached.
  KOKKOS_FUNCTION static bool has(std::int64_t base, offset_t n) { return base != nowhere && n <= Columns::capacity; }
};

/// The cache of single threads, which find columns again: it holds nothing.
struct NoColumnCache {
  static constexpr std::int64_t nowhere = -1;
  struct Room {};
  KOKKOS_FUNCTION static std::int64_t base(const SingleRow&, index_t) { return nowhere; }
  KOKKOS_FUNCTION static bool has(std::int64_t, offset_t) { return false; }
};
template <class Columns, class Space> struct CacheOf { using type = ColumnCache<Columns, Space>; };
template <int Capacity, bool WithValues, bool OnHost, class Space>
struct CacheOf<StackAccumulator<Capacity, WithValues, OnHost>, Space> {
  using type = NoColumnCache;
};
template <class Columns, class Space> using column_cache_t = typename CacheOf<Columns, Space>::type;

/// Number of columns of each regular row; caches the columns. Single threads first sort linked lists, so that later
/// loops visit the pairs in an order that does not depend on the threads; it does not matter here.
template <class Columns, class Dofs, class Incidence> struct CountColumns {
  using Cache = column_cache_t<Columns, typename Dofs::memory_space>;
  Dofs dofs;
  Incidence incidence;
  Array<offset_t*, typename Dofs::memory_space> counts;
  Cache cache;

  static std::size_t scratch_bytes() {
    return Columns::scratch_bytes * rows_per_team<Dofs::n_nodes> + sizeof(typename Cache::Room) + 64;
  }
  static void fit_scratch() {}

  template <class Range> KOKKOS_FUNCTION void operator()(const Range& range) const {
    Columns columns(range);
    auto* const room = range.template scratch<typename Cache::Room>(1);
    for (index_t first = range.first; first < range.end; first += range.size) {
      const index_t row = first + range.rank;
      const bool exists = row < range.end;
      offset_t n = 0;
      if (exists) {
        if constexpr (!Range::in_team)
          sort_pairs(incidence, row);
        find_columns(columns, dofs, incidence, row, [&](int n_found) { n += n_found; });
        counts(row) = n;
      }
      if constexpr (Range::in_team) {
        const bool fits = exists && n <= Columns::capacity;
        const std::int64_t base = cache.reserve(range, first, fits ? static_cast<int>(n) : 0, room);
        if (fits && base != Cache::nowhere)
          columns.write(cache.entries.data() + base + range.rank, 0, static_cast<int>(n), range.size);
      }
    }
  }
};

} // namespace tessera::assembly::detail

namespace tessera::assembly {

/// Columns that the cache has room for, in the mean of the rows.
constexpr int cached_columns_per_row(int nodes_per_element) {
  switch (nodes_per_element) {
  case 3:
    return detail::ColumnCache<team_accumulator_t<3>, HostMemory>::room_per_row;
  case 4:
    return detail::ColumnCache<team_accumulator_t<4>, HostMemory>::room_per_row;
  case 6:
    return detail::ColumnCache<team_accumulator_t<6>, HostMemory>::room_per_row;
  default:
    return detail::ColumnCache<team_accumulator_t<10>, HostMemory>::room_per_row;
  }
}

} // namespace tessera::assembly

#endif
