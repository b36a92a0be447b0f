// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ROWS_CRS_PATTERN_HPP
#define TESSERA_ASSEMBLY_ROWS_CRS_PATTERN_HPP

/// \file
/// The pattern of a CRS matrix from the elements at each row.

#include "assembly/rows/column_cache.hpp"
#include "assembly/rows/local_indices.hpp"
#include "core/keep_alive.hpp"
#include "core/scan.hpp"
#include "linalg/crs_matrix.hpp"

namespace tessera::assembly {

/// The accumulator that the pattern's loops use: on the stack of single threads, else as it suits teams.
template <class Loop>
using pattern_accumulator_t =
    std::conditional_t<Loop::on_host, StackAccumulator<row_capacity<Loop::n_nodes>, false, true>,
                       team_accumulator_t<Loop::n_nodes>>;

namespace detail {

/// Writes the columns of each regular row: those that CountColumns cached, the others found again. If asked for, writes
/// the local column indices (`Indices`) of every pair of rows that are short enough.
template <class Columns, class Loop, class Indices, class Incidence> struct FillColumns {
  static constexpr int N = Loop::n_nodes;
  static constexpr int n_words = Indices::n_words;
  static constexpr bool with_words = n_words > 0;
  using Word = typename Indices::word_t;
  using Space = typename Loop::memory_space;
  /// Long rows are written by all threads of a team together, short ones by way of scratch memory.
  static constexpr bool by_row = Columns::in_scratch && !with_words;
  Loop loop;
  Incidence incidence; // with words CrsIncidence
  column_cache_t<Columns, Space> cache;
  ConstArray<const offset_t*, Space> offsets;
  Array<index_t*, Space> columns_out;
  Array<Word*, Space> words; // [n_pairs][n_words]
  int max_entries;           // what the team's scratch memory holds
  int max_pairs;

  std::size_t scratch_bytes() const {
    return Columns::scratch_bytes * rows_per_team<N> + sizeof(index_t) * max_entries +
           sizeof(Word) * n_words * max_pairs + 64;
  }
  void fit_scratch() { fit_team_scratch(*this, max_entries, max_pairs); }

  template <class Range> KOKKOS_FUNCTION void operator()(const Range& range) const {
    Columns columns(range);
    const offset_t first_entry = offsets(range.first);
    const offset_t n_entries = offsets(range.end) - first_entry;
    offset_t first_pair = 0;
    offset_t n_pairs = 0;
    if constexpr (with_words) {
      first_pair = incidence.offsets(range.first);
      n_pairs = incidence.offsets(range.end) - first_pair;
    }
    const bool fits = Range::in_team && !by_row && n_entries <= max_entries && n_pairs <= max_pairs;
    index_t* team_columns = range.template scratch<index_t>(max_entries);
    Word* team_words = with_words ? range.template scratch<Word>(max_pairs * n_words) : nullptr;
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
      if constexpr (with_words) {
        const offset_t first = incidence.first(row);
        write_words(row, columns, result,
                    fits ? team_words + (first - first_pair) * n_words
                         : words.data() + static_cast<std::int64_t>(first) * n_words);
      }
    }
    if (!fits)
      return;
    range.barrier();
    range.write(columns_out.data() + first_entry, team_columns, static_cast<int>(n_entries));
    if (with_words)
      range.write(words.data() + static_cast<std::int64_t>(first_pair) * n_words, team_words,
                  static_cast<int>(n_pairs) * n_words);
  }

private:
  struct Row {
    index_t* columns;
    int n_columns;
  };

  /// Row after row of a round, by neighbouring threads; the loads of several rows are under way together.
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
    if constexpr (with_words) {
      columns.read(from, range.size, result.n_columns);
      columns.write(result.columns, 0, result.n_columns);
    } else if (!by_row) {
      copy_strided(from, range.size, result.n_columns, result.columns, 1);
    }
  }

  KOKKOS_FUNCTION void find_again(Columns& columns, index_t row, const Row& result) const {
    int n_written = 0;
    find_columns(columns, loop.dofs(), incidence, row, [&](int n) {
      columns.write(result.columns + n_written, 0, n);
      n_written += n;
    });
  }

  KOKKOS_FUNCTION void write_words(index_t row, const Columns& columns, const Row& result, Word* to) const {
    if (result.n_columns > no_local_index)
      return;
    const auto index_of = [&](index_t dof) {
      return result.n_columns <= Columns::capacity
                 ? columns.place_of(dof)
                 : static_cast<int>(find_column(result.columns, 0, result.n_columns, dof));
    };
    for (offset_t c = incidence.first(row); incidence.more(row, c); c = incidence.next(c), to += n_words) {
      const offset_t pair = incidence.pair(c);
      const index_t e = static_cast<index_t>(pair / N);
      Indices::write(loop, e, static_cast<int>(pair - static_cast<offset_t>(e) * N), index_of, to);
    }
  }
};

} // namespace detail

/// Row offsets of a matrix from a count per row (regular rows by their elements, tied rows by `tied`). Returns the
/// cache of the columns that were found.
template <class ExecutionSpace, class Loop, class Incidence, class Tied>
auto count_rows(const ExecutionSpace& exec, const Loop& loop, const Incidence& incidence, Tied& tied,
                linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix) {
  using Space = typename ExecutionSpace::memory_space;
  const auto dofs = loop.dofs();
  using Count = detail::CountColumns<pattern_accumulator_t<Loop>, std::decay_t<decltype(dofs)>, Incidence>;
  matrix.offsets = make_array<Array<offset_t*, Space>>(exec, "assembly::row_offsets", dofs.n_free + 1);
  Count count{dofs, incidence, matrix.offsets, {}};
  if constexpr (!Loop::on_host)
    count.cache.allocate(exec, dofs.n_regular, rows_per_team<Loop::n_nodes>);
  for_each_row<Loop>("tessera::assembly::count_columns", exec, dofs.n_regular, count);
  tied.count(exec, loop, matrix.offsets);
  const std::int64_t n_entries = counts_to_offsets(exec, matrix.offsets, dofs.n_free, "matrix entries");
  matrix.columns = make_array<Array<index_t*, Space>>(exec, "assembly::columns", n_entries);
  return count.cache;
}

/// Sizes of the largest teams' rows on a device (waits).
template <class Loop, class ExecutionSpace, class Offsets>
int largest_team(const ExecutionSpace& exec, index_t n_regular, const Offsets& offsets) {
  return Loop::on_host ? 0 : largest_team_rows<rows_per_team<Loop::n_nodes>>(exec, n_regular, offsets);
}

/// Row offsets and columns from the elements at each row. Traffic: hosts read pairs, connectivity and dof map twice
/// (the second time mostly from caches) and write offsets and columns; devices read them once and move the columns
/// twice. `Indices` is PackedIndices, which are written to `local`, or NoIndices.
template <class Indices, class ExecutionSpace, class Loop, class Incidence, class Tied>
void build_pattern(const ExecutionSpace& exec, const Loop& loop, const Incidence& incidence, Tied& tied,
                   linalg::CrsMatrix<typename ExecutionSpace::memory_space>& matrix,
                   detail::LocalIndices<Loop>* local = nullptr) {
  using Columns = pattern_accumulator_t<Loop>;
  detail::FillColumns<Columns, Loop, Indices, Incidence> fill{loop, incidence, {}, {}, {}, {}, 0, 0};
  fill.cache = count_rows(exec, loop, incidence, tied, matrix);
  fill.offsets = matrix.offsets;
  fill.columns_out = matrix.columns;
  if (!fill.by_row)
    fill.max_entries = rows_per_team<Loop::n_nodes> * Columns::capacity; // without a look at the rows
  if constexpr (Indices::n_words > 0) {
    local->max_entries = fill.max_entries = largest_team<Loop>(exec, loop.n_regular, matrix.offsets);
    local->max_pairs = fill.max_pairs = largest_team<Loop>(exec, loop.n_regular, incidence.offsets);
    local->words = make_array<decltype(local->words)>(exec, "assembly::local_indices",
                                                      incidence.pairs.extent(0) * Indices::n_words);
    fill.words = local->words;
  }
  for_each_row<Loop>("tessera::assembly::fill_columns", exec, loop.n_regular, fill);
  tied.columns(exec, matrix);
  if constexpr (!Loop::on_host)
    keep_alive(exec, fill, incidence); // the cached columns, and lists that the caller may drop
}

} // namespace tessera::assembly

#endif
