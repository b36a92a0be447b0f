// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/algorithms/queued_scans.hpp"
#include "core/algorithms/sort.hpp"
#include "core/keep_alive.hpp"
#include "linalg/pattern/find_column.hpp"
#include "linalg/pattern/lane_accumulator.hpp"
#include "linalg/products/crs_product.hpp"

namespace tessera::linalg {

namespace {

/// Counts the entries of each column.
template <class Space> struct CountColumn {
  Array<const index_t*, Space> columns;
  Array<offset_t*, Space> counts;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const { Kokkos::atomic_fetch_add(&counts(columns(k)), offset_t(1)); }
};

template <class Space> struct LongestRow {
  Array<const offset_t*, Space> offsets;
  KOKKOS_FUNCTION void operator()(index_t row, offset_t& longest) const {
    const offset_t n = offsets(row + 1) - offsets(row);
    longest = n > longest ? n : longest;
  }
};

/// Lists the column and the row of each entry.
template <class Space> struct ListEntries {
  CrsMatrix<Space> a;
  Array<std::uint32_t*, Space> keys;
  Array<std::int32_t*, Space> rows;
  KOKKOS_FUNCTION void operator()(index_t row) const {
    for (offset_t k = a.offsets(row); k < a.offsets(row + 1); ++k) {
      keys(k) = static_cast<std::uint32_t>(a.columns(k));
      rows(k) = row;
    }
  }
};

/// Fills one entry of the transpose: its row is a sorted key, and its value is found in the row of A given by its
/// column.
template <class Space> struct FillTranspose {
  CrsMatrix<Space> a;
  Array<std::uint32_t*, Space> keys;
  CrsMatrix<Space> result;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const index_t row = result.columns(k);
    result.values(k) =
        a.values(find_column(a.columns.data(), a.offsets(row), a.offsets(row + 1), static_cast<index_t>(keys(k))));
  }
};

/// Puts each entry of A into its row of the transpose, in any order; `next` holds the next free positions.
template <class Space> struct Distribute {
  CrsMatrix<Space> a;
  Array<offset_t*, Space> next;
  CrsMatrix<Space> result;
  KOKKOS_FUNCTION void operator()(index_t row) const {
    for (offset_t k = a.offsets(row); k < a.offsets(row + 1); ++k) {
      const offset_t position = Kokkos::atomic_fetch_add(&next(a.columns(k)), offset_t(1));
      result.columns(position) = row;
      result.values(position) = a.values(k);
    }
  }
};

/// Sorts a short row by insertion.
template <class Space> struct OrderRow {
  CrsMatrix<Space> result;
  KOKKOS_FUNCTION void operator()(index_t row) const {
    const offset_t begin = result.offsets(row);
    const offset_t end = result.offsets(row + 1);
    for (offset_t k = begin; k < end; ++k) {
      const index_t column = result.columns(k);
      const double value = result.values(k);
      offset_t position = k;
      for (; position > begin && result.columns(position - 1) > column; --position) {
        result.columns(position) = result.columns(position - 1);
        result.values(position) = result.values(position - 1);
      }
      result.columns(position) = column;
      result.values(position) = value;
    }
  }
};

/// Longest row of a transpose that is sorted individually, and longest one for which few registers do.
constexpr offset_t longest_inserted = 48;
constexpr offset_t longest_short = 16;

/// The same on a device by several lanes per row of at most `Longest` entries, which hold it in registers and rank its
/// columns.
template <int Lanes, offset_t Longest, class Space> struct OrderLaneRow {
  CrsMatrix<Space> result;
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    if (!exists)
      return;
    constexpr int slots = static_cast<int>(Longest) / Lanes;
    const auto row = static_cast<index_t>(item);
    const offset_t begin = result.offsets(row);
    LaneAccumulator<Lanes, slots, true> entries(lane);
    entries.n = static_cast<int>(result.offsets(row + 1) - begin);
    TESSERA_UNROLL
    for (int s = 0; s < slots; ++s)
      if (s * Lanes + lane < entries.n) {
        entries.column[s] = result.columns(begin + s * Lanes + lane);
        entries.value[s] = result.values(begin + s * Lanes + lane);
      }
    entries.write(result.columns.data() + begin, result.values.data() + begin);
  }
};

/// Sorts the entries by a radix sort, whatever the lengths of rows. Traffic: keys and columns in each pass.
template <class ExecutionSpace, class MemorySpace>
void fill_by_keys(const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a, index_t n_cols,
                  const CrsMatrix<MemorySpace>& result) {
  const auto n_entries = static_cast<std::int64_t>(a.n_entries());
  const auto keys = make_array<Array<std::uint32_t*, MemorySpace>>(exec, "linalg::transpose_keys", n_entries);
  for_each("tessera::linalg::list_entries", exec, a.n_rows(), ListEntries<MemorySpace>{a, keys, result.columns});
  sort_by_key(exec, keys, result.columns, n_entries, bits_for(n_cols)); // stable: the rows of A stay in order
  for_each("tessera::linalg::fill_transpose", exec, n_entries, FillTranspose<MemorySpace>{a, keys, result});
  keep_alive(exec, keys);
}

} // namespace

// Traffic with m entries of A: columns read twice, 8 m, values 8 m, and offsets; columns and values, 12 m, written,
// then read and written in order. The result does not depend on the order of the atomics, as rows are sorted.
template <class ExecutionSpace, class MemorySpace>
CrsMatrix<MemorySpace> transposed(const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a, index_t n_cols) {
  const auto n_entries = static_cast<std::int64_t>(a.n_entries());
  // Row i begins at padded(i + 1) while rows are filled, and at padded(i) when they are complete.
  QueuedScans<1, ExecutionSpace> scan(exec, "linalg::transpose_offsets", std::int64_t(n_cols) + 1);
  const Array<offset_t*, MemorySpace> padded = scan.offsets();
  fill(exec, padded, 0);
  const Array<offset_t*, MemorySpace> next = Kokkos::subview(padded, std::make_pair(index_t(1), n_cols + 2));
  CrsMatrix<MemorySpace> result;
  result.columns = make_array<decltype(result.columns)>(exec, "linalg::transpose_columns", n_entries);
  result.values = make_array<decltype(result.values)>(exec, "linalg::transpose_values", n_entries);
  for_each<std::int64_t>("tessera::linalg::count_columns_of_entries", exec, n_entries,
                         CountColumn<MemorySpace>{a.columns, next});
  scan.add(exec, next, n_cols); // the total is known
  offset_t longest = 0;
  Kokkos::parallel_reduce("tessera::linalg::longest_row",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n_cols),
                          LongestRow<MemorySpace>{next}, Kokkos::Max<offset_t>(longest)); // waits
  if (longest <= longest_inserted) {
    for_each("tessera::linalg::distribute_entries", exec, a.n_rows(), Distribute<MemorySpace>{a, next, result});
    result.offsets = Kokkos::subview(padded, std::make_pair(index_t(0), n_cols + 1));
    if constexpr (uses_host_forms<MemorySpace>) {
      for_each("tessera::linalg::order_rows", exec, n_cols, OrderRow<MemorySpace>{result});
    } else {
      constexpr int lanes = lanes_in<ExecutionSpace, 8>;
      if (longest <= longest_short)
        for_each_lane<lanes>("tessera::linalg::order_rows", exec, n_cols,
                             OrderLaneRow<lanes, longest_short, MemorySpace>{result});
      else
        for_each_lane<lanes>("tessera::linalg::order_rows", exec, n_cols,
                             OrderLaneRow<lanes, longest_inserted, MemorySpace>{result});
    }
  } else {
    result.offsets = next;
    fill_by_keys(exec, a, n_cols, result);
  }
  return result;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template CrsMatrix<Space::memory_space> transposed(const Space&, const CrsMatrix<Space::memory_space>&, index_t);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
