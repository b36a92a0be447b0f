// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause
#include "assembly/rows/tied_pattern.hpp"

#include "core/keep_alive.hpp"
#include "linalg/pattern/find_column.hpp"

namespace tessera::assembly {

namespace {

/// Flags with 1 each sorted key that differs from the previous one.
template <class Space> struct FlagNewKeys {
  Array<const std::uint64_t*, Space> keys;
  Array<offset_t*, Space> flags;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { flags(i) = i == 0 || keys(i) != keys(i - 1) ? 1 : 0; }
};

/// Splits every new key into row and column.
template <class Space> struct SplitKeys {
  Array<const std::uint64_t*, Space> keys;
  Array<const offset_t*, Space> positions;
  int column_bits;
  Array<index_t*, Space> rows; // from 0
  Array<index_t*, Space> columns;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (positions(i + 1) == positions(i))
      return;
    rows(positions(i)) = static_cast<index_t>(keys(i) >> column_bits);
    columns(positions(i)) = static_cast<index_t>(keys(i) & ((std::uint64_t(1) << column_bits) - 1));
  }
};

template <class Space> struct CountEntries {
  Array<const offset_t*, Space> starts;
  Array<offset_t*, Space> counts;
  index_t n_regular;
  KOKKOS_FUNCTION void operator()(index_t s) const { counts(n_regular + s) = starts(s + 1) - starts(s); }
};

/// Finds the row of an entry between tied unknowns, from 0; -1: another column.
template <class Space> struct RowOfTiedEntry {
  Array<const index_t*, Space> rows;
  Array<const index_t*, Space> columns;
  fe::DofKinds kinds;
  KOKKOS_FUNCTION index_t operator()(std::int64_t entry) const {
    return kinds.is_tied(columns(entry)) ? rows(entry) : -1;
  }
};

template <class Space> struct ColumnsOfEntries {
  Array<const std::int64_t*, Space> entries;
  Array<const index_t*, Space> columns;
  Array<index_t*, Space> result;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { result(i) = columns(entries(i)); }
};

/// Copies A(column, row) to A(row, column) for the regular columns of the tied rows, which are the last rows of the
/// matrix.
template <class Space> struct CopyTransposed {
  Array<const offset_t*, Space> offsets;
  Array<const index_t*, Space> columns;
  Array<double*, Space> values;
  fe::DofKinds kinds;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto entry = static_cast<offset_t>(offsets(kinds.n_regular) + i);
    const index_t column = columns(entry);
    if (kinds.is_regular(column))
      values(entry) = values(linalg::find_column(columns, offsets(column), offsets(column + 1), row_of(entry)));
  }
  KOKKOS_FUNCTION index_t row_of(offset_t entry) const {
    index_t lower = kinds.n_regular;
    index_t upper = kinds.n_free; // offsets(lower) <= entry < offsets(upper)
    while (upper - lower > 1) {
      const index_t middle = lower + (upper - lower) / 2;
      if (offsets(middle) <= entry)
        lower = middle;
      else
        upper = middle;
    }
    return lower;
  }
};

} // namespace

template <class ExecutionSpace>
SegmentedSums<ExecutionSpace> sums_by_group(const ExecutionSpace& exec,
                                            const GroupedItems<typename ExecutionSpace::memory_space>& items) {
  std::vector<Segment> segments;
  for (index_t g = 0; g < items.n_groups(); ++g)
    segments.push_back({items.host_starts[g], items.host_starts[g + 1], g});
  return {exec, segments};
}

template <class ExecutionSpace>
void TiedPattern<ExecutionSpace>::count_keys(const ExecutionSpace& exec, const Array<std::uint64_t*, Space>& keys,
                                             int column_bits, const Array<offset_t*, Space>& counts) {
  const auto n_keys = static_cast<std::int64_t>(keys.extent(0));
  sort_keys(exec, keys, n_keys, column_bits + bits_for(size()));
  const auto positions = make_array<Array<offset_t*, Space>>(exec, "assembly::tied_key_places", n_keys + 1);
  for_each<std::int64_t>("tessera::assembly::flag_tied_keys", exec, n_keys, FlagNewKeys<Space>{keys, positions});
  const std::int64_t n_entries = counts_to_offsets(exec, positions, n_keys, "entries of tied rows");
  pattern_.rows = make_array<Array<index_t*, Space>>(exec, "assembly::tied_rows", n_entries);
  pattern_.columns = make_array<Array<index_t*, Space>>(exec, "assembly::tied_columns", n_entries);
  for_each<std::int64_t>("tessera::assembly::split_tied_keys", exec, n_keys,
                         SplitKeys<Space>{keys, positions, column_bits, pattern_.rows, pattern_.columns});
  pattern_.starts = make_array<Array<offset_t*, Space>>(exec, "assembly::tied_row_starts", size() + 1);
  for_each<std::int64_t>(
      "tessera::assembly::find_tied_rows", exec, n_entries + 1,
      tessera::detail::FindStarts<Array<index_t*, Space>, Space>{pattern_.rows, n_entries, size(), pattern_.starts});
  for_each("tessera::assembly::count_tied_entries", exec, size(),
           CountEntries<Space>{pattern_.starts, counts, kinds_.n_regular});
  keep_alive(exec, positions);
}

template <class ExecutionSpace>
void TiedPattern<ExecutionSpace>::columns(const ExecutionSpace& exec, const linalg::CrsMatrix<Space>& matrix) {
  if (empty())
    return;
  const auto begin = static_cast<std::int64_t>(read_entry(exec, matrix.offsets, kinds_.n_regular));
  n_entries_ = static_cast<std::int64_t>(pattern_.columns.extent(0));
  copy(exec, Kokkos::subview(matrix.columns, std::make_pair(begin, begin + n_entries_)), pattern_.columns);
  const auto entries = group_items(
      exec, n_entries_, size(), RowOfTiedEntry<Space>{pattern_.rows, pattern_.columns, kinds_}, "entries of tied rows");
  entry_columns_ = make_array<Array<index_t*, Space>>(exec, "assembly::tied_entry_columns", entries.n_items());
  for_each<std::int64_t>("tessera::assembly::tied_entry_columns", exec, entries.n_items(),
                         ColumnsOfEntries<Space>{entries.items, pattern_.columns, entry_columns_});
  const auto positions = to_host(exec, entries.items); // waits: the pattern may be freed
  pattern_ = Pattern();
  std::vector<Segment> segments;
  for (index_t s = 0; s < size(); ++s)
    for (offset_t i = entries.host_starts[s]; i < entries.host_starts[s + 1]; ++i)
      segments.push_back({pairs_.host_starts[s], pairs_.host_starts[s + 1], begin + positions(i)});
  entry_sums_ = SegmentedSums<ExecutionSpace>(exec, segments);
}

template <class ExecutionSpace>
void TiedPattern<ExecutionSpace>::copy_transposed(const ExecutionSpace& exec,
                                                  const linalg::CrsMatrix<Space>& matrix) const {
  for_each<std::int64_t>("tessera::assembly::copy_tied_rows", exec, n_entries_,
                         CopyTransposed<Space>{matrix.offsets, matrix.columns, matrix.values, kinds_});
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template class TiedPattern<Space>;                                                                                   \
  template SegmentedSums<Space> sums_by_group(const Space&, const GroupedItems<Space::memory_space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::assembly
