// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "linalg/crs/crs_pieces.hpp"

#include "core/algorithms/scan.hpp"
#include "core/keep_alive.hpp"
#include "core/tagged_loop.hpp"

#include <utility>

namespace tessera::linalg {

namespace {

/// Offsets of rows whose entries are moved to a different first position.
struct ShiftOffsets {
  const offset_t* from;
  offset_t position;
  offset_t* to;
  KOKKOS_FUNCTION void operator()(index_t i) const { to[i] = from[i] - from[0] + position; }
};

template <class Space> struct SelectRows {
  CrsMatrix<Space> from;
  Array<const index_t*, Space> rows;
  CrsMatrix<Space> to;

  struct Count {};
  struct Fill {};

  KOKKOS_FUNCTION void operator()(Count, index_t i) const {
    to.offsets(i) = from.offsets(rows(i) + 1) - from.offsets(rows(i));
  }
  KOKKOS_FUNCTION void operator()(Fill, index_t i) const {
    const offset_t shift = from.offsets(rows(i)) - to.offsets(i);
    for (offset_t k = to.offsets(i); k < to.offsets(i + 1); ++k) {
      if (to.columns.extent(0) > 0)
        to.columns(k) = from.columns(k + shift);
      if (to.values.extent(0) > 0)
        to.values(k) = from.values(k + shift);
    }
  }
};

template <class ExecutionSpace, class MemorySpace>
void make_entries(const ExecutionSpace& exec, std::int64_t n, bool with_columns, bool with_values,
                  CrsMatrix<MemorySpace>& a) {
  if (with_columns)
    a.columns = make_array<decltype(a.columns)>(exec, "linalg::columns_of_rows", n);
  if (with_values)
    a.values = make_array<decltype(a.values)>(exec, "linalg::values_of_rows", n);
}

} // namespace

template <class ExecutionSpace, class MemorySpace>
CrsMatrix<MemorySpace> cut_rows(const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a, index_t begin,
                                index_t end) {
  const std::pair<offset_t, offset_t> entries(read_entry(exec, a.offsets, begin), read_entry(exec, a.offsets, end));
  CrsMatrix<MemorySpace> rows;
  rows.offsets = make_array<decltype(rows.offsets)>(exec, "linalg::offsets_of_rows", end - begin + 1);
  rows.columns = Kokkos::subview(a.columns, entries);
  rows.values = Kokkos::subview(a.values, entries);
  for_each("tessera::linalg::shift_offsets", exec, end - begin + 1,
           ShiftOffsets{a.offsets.data() + begin, 0, rows.offsets.data()});
  return rows;
}

template <class ExecutionSpace, class MemorySpace>
CrsMatrix<MemorySpace> select_rows(const ExecutionSpace& exec, const CrsMatrix<MemorySpace>& a,
                                   const Array<index_t*, MemorySpace>& rows) {
  using Worker = SelectRows<MemorySpace>;
  const auto n = static_cast<std::int64_t>(rows.extent(0));
  Worker select{a, rows, {}};
  select.to.offsets = make_array<decltype(a.offsets)>(exec, "linalg::offsets_of_rows", n + 1);
  for_each_tagged<typename Worker::Count>("tessera::linalg::count_selected", exec, n, select);
  const std::int64_t n_entries = counts_to_offsets(exec, select.to.offsets, n, "entries of rows");
  make_entries(exec, n_entries, a.columns.extent(0) > 0, a.values.extent(0) > 0, select.to);
  for_each_tagged<typename Worker::Fill>("tessera::linalg::fill_selected", exec, n, select);
  return select.to;
}

template <class ExecutionSpace, class MemorySpace>
CrsMatrix<MemorySpace> stacked_rows(const ExecutionSpace& exec, const std::vector<CrsMatrix<MemorySpace>>& pieces) {
  std::int64_t n_rows = 0;
  std::int64_t n_entries = 0;
  bool with_values = false;
  for (const auto& piece : pieces) {
    n_rows += piece.n_rows();
    n_entries += piece.n_entries();
    with_values = with_values || piece.values.extent(0) > 0;
  }
  checked_offset(n_entries, "entries of rows");
  CrsMatrix<MemorySpace> all;
  all.offsets = make_array<decltype(all.offsets)>(exec, "linalg::offsets_of_rows", n_rows + 1);
  make_entries(exec, n_entries, true, with_values, all);
  std::int64_t row = 0;
  std::int64_t entry = 0;
  for (const auto& piece : pieces) {
    for_each("tessera::linalg::shift_offsets", exec, piece.offsets.extent(0),
             ShiftOffsets{piece.offsets.data(), static_cast<offset_t>(entry), all.offsets.data() + row});
    const auto entries = std::make_pair(entry, entry + static_cast<std::int64_t>(piece.n_entries()));
    if (piece.n_entries() > 0) {
      copy(exec, Kokkos::subview(all.columns, entries), piece.columns);
      if (with_values)
        copy(exec, Kokkos::subview(all.values, entries), piece.values);
    }
    row += piece.n_rows();
    entry = entries.second;
  }
  keep_alive(exec, pieces);
  return all;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template CrsMatrix<Space::memory_space> cut_rows(const Space&, const CrsMatrix<Space::memory_space>&, index_t,       \
                                                   index_t);                                                           \
  template CrsMatrix<Space::memory_space> select_rows(const Space&, const CrsMatrix<Space::memory_space>&,             \
                                                      const Array<index_t*, Space::memory_space>&);                    \
  template CrsMatrix<Space::memory_space> stacked_rows(const Space&,                                                   \
                                                       const std::vector<CrsMatrix<Space::memory_space>>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::linalg
