// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_PATTERN_COLUMN_CACHE_HPP
#define TESSERA_LINALG_PATTERN_COLUMN_CACHE_HPP

/// \file
/// Finds and counts the columns of rows; teams cache them for the loop that writes them to the matrix (crs_pattern.hpp)
/// after a scan of the counts. The columns come from a source, a functor with
///
///   memory_space
///   accumulator    holds a row under construction (column_accumulator.hpp): a StackAccumulator for single threads
///   rows           of a team; 1 for single threads
///   prepare(row)   called once before the row is counted, by the thread that then counts it
///   for_each_column(row, add)   calls add(column) with every column of the row, in any order, repeated ones allowed;
///                               called several times if the row is longer than the accumulator

#include "linalg/pattern/column_accumulator.hpp"

namespace tessera::linalg::detail {

template <class Columns> struct AddColumn {
  Columns& columns;
  KOKKOS_FUNCTION void operator()(index_t column) const { columns.add(column); }
};

/// Finds the columns of a row, window by window: calls `take(n)` for each window, when the accumulator holds n columns.
template <class Columns, class Source, class Take>
KOKKOS_FUNCTION void find_columns(Columns& columns, const Source& source, index_t row, const Take& take) {
  columns.start();
  for (bool again = true; again;) {
    source.for_each_column(row, AddColumn<Columns>{columns});
    if (!columns.finish())
      continue;
    take(columns.count());
    again = columns.overflow;
    if (again)
      columns.next_window();
  }
}

/// Caches the columns of rows from the team loop that finds them to the one that writes them. The columns of a batch
/// (the rows that the threads of a team process at a time; on devices all of its rows) are interleaved: entry j of the
/// row of thread t is at base + j * (threads of the team) + t.
template <class Columns, class Space> struct ColumnCache {
  static constexpr std::int64_t nowhere = -1;
  /// Accumulators in registers get entries for their full capacity. Accumulators in scratch memory get what the longest
  /// row of a batch needs, from a cache that suffices for two thirds of the rows; columns that do not fit are found
  /// again.
  static constexpr bool by_need = Columns::in_scratch;
  static constexpr int columns_per_row = by_need ? Columns::capacity / 3 * 2 : Columns::capacity;

  Array<index_t*, Space> entries;
  Array<std::int64_t*, Space> bases;   ///< by need: of each batch, or nowhere
  Array<std::uint64_t*, Space> n_used; ///< by need: [1]

  /// A team's scratch memory.
  struct Reservation {
    std::int64_t base;
    int n_most;
  };

  template <class ExecutionSpace> void allocate(const ExecutionSpace& exec, index_t n_rows, int rows_of_team) {
    const int threads = is_host_space<ExecutionSpace> ? 1 : rows_of_team; // at least
    const std::int64_t n_teams = n_rows > 0 ? (n_rows - 1) / rows_of_team + 1 : 0;
    entries = make_array<decltype(entries)>(exec, "linalg::column_cache", n_teams * rows_of_team * columns_per_row);
    if (by_need) {
      bases = make_array<decltype(bases)>(exec, "linalg::column_cache_bases", n_teams * rows_of_team / threads);
      n_used = make_filled<decltype(n_used)>(exec, "linalg::column_cache_used", 1, 0);
    }
  }

  /// First cache entry of the batch that begins with this row.
  template <class Block> KOKKOS_FUNCTION std::int64_t base(const Block& block, index_t first_row) const {
    return by_need ? bases(first_row / block.size) : static_cast<std::int64_t>(first_row) * columns_per_row;
  }

  /// Reserves entries for n columns of the thread's row; all threads of the team call it. Returns the first entry of
  /// the batch.
  template <class Block>
  KOKKOS_FUNCTION std::int64_t reserve(const Block& block, index_t first_row, int n, Reservation* reservation) const {
    if (!by_need)
      return base(block, first_row);
    if (block.rank == 0)
      reservation->n_most = 0;
    block.barrier();
    Kokkos::atomic_fetch_max(&reservation->n_most, n);
    block.barrier();
    if (block.rank == 0) {
      const auto needed = static_cast<std::uint64_t>(reservation->n_most) * static_cast<std::uint64_t>(block.size);
      const std::uint64_t begin = Kokkos::atomic_fetch_add(&n_used(0), needed);
      reservation->base = begin + needed <= entries.extent(0) ? static_cast<std::int64_t>(begin) : nowhere;
      bases(first_row / block.size) = reservation->base;
    }
    block.barrier();
    return reservation->base;
  }

  /// Whether a row of n columns in a batch with this base is cached.
  KOKKOS_FUNCTION static bool has(std::int64_t base, offset_t n) { return base != nowhere && n <= Columns::capacity; }
};

/// The empty cache of single threads, which find columns again.
struct NoColumnCache {
  static constexpr std::int64_t nowhere = -1;
  struct Reservation {};
  KOKKOS_FUNCTION static std::int64_t base(const SingleRow&, index_t) { return nowhere; }
  KOKKOS_FUNCTION static bool has(std::int64_t, offset_t) { return false; }
};
template <class Columns, class Space> struct CacheOf { using type = ColumnCache<Columns, Space>; };
template <int Capacity, bool WithValues, bool OnHost, class Space>
struct CacheOf<StackAccumulator<Capacity, WithValues, OnHost>, Space> {
  using type = NoColumnCache;
};
template <class Columns, class Space> using column_cache_t = typename CacheOf<Columns, Space>::type;

template <class Source>
using source_cache_t = column_cache_t<typename Source::accumulator, typename Source::memory_space>;

/// Counts the columns of each row and caches the columns.
template <class Source> struct CountColumns {
  using Columns = typename Source::accumulator;
  using Cache = source_cache_t<Source>;
  Source source;
  Array<offset_t*, typename Source::memory_space> counts;
  Cache cache;

  static std::size_t scratch_bytes() {
    return Columns::scratch_bytes * Source::rows + sizeof(typename Cache::Reservation) + 64;
  }
  static void fit_scratch() {}

  template <class Range> KOKKOS_FUNCTION void operator()(const Range& range) const {
    Columns columns(range);
    auto* const reservation = range.template scratch<typename Cache::Reservation>(1);
    for (index_t first = range.first; first < range.end; first += range.size) {
      const index_t row = first + range.rank;
      const bool exists = row < range.end;
      offset_t n = 0;
      if (exists) {
        source.prepare(row);
        find_columns(columns, source, row, [&](int n_found) { n += n_found; });
        counts(row) = n;
      }
      if constexpr (Range::in_team) {
        const bool fits = exists && n <= Columns::capacity;
        const std::int64_t base = cache.reserve(range, first, fits ? static_cast<int>(n) : 0, reservation);
        if (fits && base != Cache::nowhere)
          columns.write(cache.entries.data() + base + range.rank, 0, static_cast<int>(n), range.size);
      }
    }
  }
};

} // namespace tessera::linalg::detail

#endif
