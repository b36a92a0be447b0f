// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_PATTERN_CRS_PATTERN_HPP
#define TESSERA_LINALG_PATTERN_CRS_PATTERN_HPP

/// \file
/// Makes the pattern of a CRS matrix from any source of columns (column_cache.hpp): counts, scan, columns.

#include "core/algorithms/scan.hpp"
#include "core/keep_alive.hpp"
#include "linalg/crs/crs_matrix.hpp"
#include "linalg/pattern/column_cache.hpp"
#include "linalg/pattern/find_column.hpp"

namespace tessera::linalg {

/// Additional items of each row that are computed with its columns: none. Otherwise a functor with Word, n_words and
/// max_items as here, and
///
///   words        array for the items of all rows, `n_words` words each
///   first(row)   number of the row's first item
///   write(row, n_columns, index_of, to)   writes the row's items; index_of(column) is the column's position in the row
struct NoRowItems {
  using Word = std::uint8_t;
  static constexpr int n_words = 0;
  int max_items = 0; ///< of one team in scratch memory
};

namespace detail {

/// Writes the columns of each row, cached by CountColumns or found again, and the rows' items.
template <class Source, class Items> struct FillColumns {
  using Columns = typename Source::accumulator;
  using Word = typename Items::Word;
  using Space = typename Source::memory_space;
  static constexpr int n_words = Items::n_words;
  static constexpr bool with_items = n_words > 0;
  /// Long rows are written by all threads of a team together, short ones through scratch memory.
  static constexpr bool by_row = Columns::in_scratch && !with_items;
  Source source;
  source_cache_t<Source> cache;
  Array<const offset_t*, Space> offsets;
  Array<index_t*, Space> columns_out;
  Items items;
  int max_entries; // capacity of the team's scratch memory

  std::size_t scratch_bytes() const {
    return Columns::scratch_bytes * Source::rows + sizeof(index_t) * max_entries +
           sizeof(Word) * n_words * items.max_items + 64;
  }
  void fit_scratch() { fit_team_scratch(*this, max_entries, items.max_items); }

  template <class Range> KOKKOS_FUNCTION void operator()(const Range& range) const {
    Columns columns(range);
    const offset_t first_entry = offsets(range.first);
    const offset_t n_entries = offsets(range.end) - first_entry;
    offset_t first_item = 0;
    offset_t n_items = 0;
    if constexpr (with_items) {
      first_item = items.first(range.first);
      n_items = items.first(range.end) - first_item;
    }
    const bool fits = Range::in_team && !by_row && n_entries <= max_entries && n_items <= items.max_items;
    index_t* team_columns = range.template scratch<index_t>(max_entries);
    Word* team_words = with_items ? range.template scratch<Word>(items.max_items * n_words) : nullptr;
    for (index_t first_row = range.first; first_row < range.end; first_row += range.size) {
      const std::int64_t base = cache.base(range, first_row);
      if constexpr (by_row)
        write_round(range, first_row, base);
      const index_t row = first_row + range.rank;
      if (row >= range.end)
        break;
      const offset_t begin = offsets(row);
      Row result;
      result.n_columns = static_cast<int>(offsets(row + 1) - begin);
      result.columns = fits ? team_columns + (begin - first_entry) : columns_out.data() + begin;
      if (!cache.has(base, result.n_columns))
        find_again(columns, row, result);
      else if constexpr (Range::in_team)
        read_cache(range, base, columns, result);
      if constexpr (with_items) {
        const offset_t first = items.first(row);
        write_items(row, columns, result,
                    fits ? team_words + (first - first_item) * n_words
                         : items.words.data() + static_cast<std::int64_t>(first) * n_words);
      }
    }
    if (!fits)
      return;
    range.barrier();
    range.write(columns_out.data() + first_entry, team_columns, static_cast<int>(n_entries));
    if constexpr (with_items)
      range.write(items.words.data() + static_cast<std::int64_t>(first_item) * n_words, team_words,
                  static_cast<int>(n_items) * n_words);
  }

private:
  struct Row {
    index_t* columns;
    int n_columns;
  };

  /// Writes the rows of a round one after the other by neighbouring threads; the loads of several rows are in flight at
  /// a time.
  template <class Range>
  KOKKOS_FUNCTION void write_round(const Range& range, index_t first_row, std::int64_t base) const {
    constexpr int batch = 8;
    const index_t end = range.end - first_row > range.size ? first_row + range.size : range.end;
    for (index_t first = first_row; first < end; first += batch) {
      offset_t begin[batch];
      int n[batch];
      int n_most = 0;
      TESSERA_UNROLL
      for (int k = 0; k < batch; ++k) {
        const index_t row = first + k < end ? first + k : end - 1;
        begin[k] = offsets(row);
        n[k] = static_cast<int>(offsets(row + 1) - begin[k]);
        n[k] = first + k < end && cache.has(base, n[k]) ? n[k] : 0;
        n_most = n[k] > n_most ? n[k] : n_most;
      }
      for (int j = range.rank; j < n_most; j += range.size) {
        index_t column[batch];
        TESSERA_UNROLL
        for (int k = 0; k < batch; ++k)
          if (j < n[k])
            column[k] = cache.entries(base + j * range.size + (first + k - first_row));
        TESSERA_UNROLL
        for (int k = 0; k < batch; ++k)
          if (j < n[k])
            columns_out(begin[k] + j) = column[k];
      }
    }
  }

  template <class Range>
  KOKKOS_FUNCTION void read_cache(const Range& range, std::int64_t base, Columns& columns, const Row& result) const {
    const index_t* const from = cache.entries.data() + base + range.rank;
    if constexpr (with_items) {
      columns.read(from, range.size, result.n_columns);
      columns.write(result.columns, 0, result.n_columns);
    } else if (!by_row) {
      copy_strided(from, range.size, result.n_columns, result.columns, 1);
    }
  }

  KOKKOS_FUNCTION void find_again(Columns& columns, index_t row, const Row& result) const {
    int n_written = 0;
    find_columns(columns, source, row, [&](int n) {
      columns.write(result.columns + n_written, 0, n);
      n_written += n;
    });
  }

  KOKKOS_FUNCTION void write_items(index_t row, const Columns& columns, const Row& result, Word* to) const {
    const auto index_of = [&](index_t column) {
      return result.n_columns <= Columns::capacity
                 ? columns.position_of(column)
                 : static_cast<int>(find_column(result.columns, 0, result.n_columns, column));
    };
    items.write(row, result.n_columns, index_of, to);
  }
};

} // namespace detail

/// Writes the number of columns of each of the first n_rows rows to `counts`. Returns the cache of the columns that
/// were found, for fill_columns().
template <class ExecutionSpace, class Source>
auto count_columns(const ExecutionSpace& exec, const Source& source, index_t n_rows,
                   const Array<offset_t*, ExecutionSpace>& counts) {
  detail::CountColumns<Source> count{source, counts, {}};
  if constexpr (Source::rows > 1)
    count.cache.allocate(exec, n_rows, Source::rows);
  for_each_row<Source::rows>("tessera::linalg::count_columns", exec, n_rows, count);
  return count.cache;
}

/// Writes the columns of the first n_rows rows of the matrix, whose offsets are set, and the rows' items. Source and
/// cache must stay until the queue is done.
template <class ExecutionSpace, class Source, class Items = NoRowItems>
void fill_columns(const ExecutionSpace& exec, const Source& source, const detail::source_cache_t<Source>& cache,
                  index_t n_rows, const CrsMatrix<typename ExecutionSpace::memory_space>& matrix,
                  const Items& items = {}, int max_entries = Source::rows * Source::accumulator::capacity) {
  using Fill = detail::FillColumns<Source, Items>;
  for_each_row<Source::rows>(
      "tessera::linalg::fill_columns", exec, n_rows,
      Fill{source, cache, matrix.offsets, matrix.columns, items, Fill::by_row ? 0 : max_entries});
}

/// Makes offsets and columns of a matrix of n_rows rows. Traffic: single threads walk the source twice (the second time
/// mostly from caches) and write offsets and columns; teams walk it once and copy the columns twice.
template <class ExecutionSpace, class Source>
CrsMatrix<typename ExecutionSpace::memory_space> make_pattern(const ExecutionSpace& exec, const Source& source,
                                                              index_t n_rows) {
  CrsMatrix<typename ExecutionSpace::memory_space> matrix;
  matrix.offsets = make_array<decltype(matrix.offsets)>(exec, "linalg::row_offsets", n_rows + 1);
  const auto cache = count_columns(exec, source, n_rows, matrix.offsets);
  const std::int64_t n_entries = counts_to_offsets(exec, matrix.offsets, n_rows, "matrix entries");
  matrix.columns = make_array<decltype(matrix.columns)>(exec, "linalg::columns", n_entries);
  fill_columns(exec, source, cache, n_rows, matrix);
  keep_alive(exec, source, cache);
  return matrix;
}

} // namespace tessera::linalg

#endif
