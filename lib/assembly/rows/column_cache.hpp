// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ROWS_COLUMN_CACHE_HPP
#define TESSERA_ASSEMBLY_ROWS_COLUMN_CACHE_HPP

/// \file
/// The columns of rows: found from the rows' pairs and counted by teams on devices, kept for the loop that puts them in
/// their places (team_rows.hpp).

#include "assembly/rows/column_accumulator.hpp"
#include "assembly/rows/incidence.hpp"

namespace tessera::assembly::detail {

/// Adds the columns of a row's pairs to its set. The order of the pairs does not matter. The row's own column is in all
/// of them and added once.
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

/// Finds the columns of a row, window by window: `take(n)` is called with each, when the set holds n columns.
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

/// Columns of rows that one loop over teams finds and a later one puts in their places. Those of a round (the rows that
/// the threads of a team have at a time; on devices all of its rows) lie side by side: entry j of the row of thread t
/// at base + j * (threads of the team) + t.
template <class Columns, class Space> struct ColumnCache {
  static constexpr std::int64_t nowhere = -1;
  /// Sets in registers get room for all they hold. Sets in scratch memory get what the longest row of a round needs, of
  /// a store that suffices for two thirds; what finds no room is found again.
  static constexpr bool by_need = Columns::in_scratch;
  static constexpr int room_per_row = by_need ? Columns::capacity / 3 * 2 : Columns::capacity;

  Array<index_t*, Space> entries;
  Array<std::int64_t*, Space> bases;        ///< by need: of each round, or nowhere
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

  /// Of the round that begins with a row.
  template <class Block> KOKKOS_FUNCTION std::int64_t base(const Block& block, index_t first_row) const {
    return by_need ? bases(first_row / block.size) : static_cast<std::int64_t>(first_row) * room_per_row;
  }

  /// The same with room for n columns of the own row; all threads of the team call it.
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

  /// True if a row of n columns in a round with this base is kept.
  KOKKOS_FUNCTION static bool has(std::int64_t base, offset_t n) { return base != nowhere && n <= Columns::capacity; }
};

/// Number of columns of each regular row; keeps the columns. The order of a row's pairs does not matter.
template <class Dofs, class Incidence> struct FindColumnsByTeam {
  using Columns = team_accumulator_t<Dofs::n_nodes>;
  using Kept = ColumnCache<Columns, typename Dofs::memory_space>;
  static constexpr std::size_t scratch_bytes =
      Columns::scratch_bytes * rows_per_team<Dofs::n_nodes> + sizeof(typename Kept::Room) + 64;
  Dofs dofs;
  Incidence incidence;
  Array<offset_t*, typename Dofs::memory_space> counts;
  Kept kept;

  template <class Block> KOKKOS_FUNCTION void operator()(const Block& block) const {
    Columns columns(block);
    auto* const room = block.template scratch<typename Kept::Room>(1);
    for (index_t first = block.first; first < block.end; first += block.size) {
      const index_t row = first + block.rank;
      const bool exists = row < block.end;
      offset_t n = 0;
      if (exists) {
        find_columns(columns, dofs, incidence, row, [&](int n_found) { n += n_found; });
        counts(row) = n;
      }
      const bool fits = exists && n <= Columns::capacity;
      const std::int64_t base = kept.reserve(block, first, fits ? static_cast<int>(n) : 0, room);
      if (fits && base != Kept::nowhere)
        columns.write(kept.entries.data() + base + block.rank, 0, static_cast<int>(n), block.size);
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
