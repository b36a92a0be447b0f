// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ROWS_COLUMN_ACCUMULATOR_HPP
#define TESSERA_ASSEMBLY_ROWS_COLUMN_ACCUMULATOR_HPP

/// \file
/// The columns of a row under construction by one thread of a device: in registers where rows are short, else in the
/// team's scratch memory. The caller adds all of them and calls finish(): if that returns false, they are to be added
/// once more; else the set holds, ascending, the smallest columns above `lower`, and `overflow` tells that there are
/// more: the caller takes this window and repeats with next_window().

#include "assembly/rows/row_accumulator.hpp"
#include "assembly/rows/team_policy.hpp"
#include "core/kokkos_ext/compiler.hpp"
#include "core/register_sort.hpp"

namespace tessera::assembly {

/// to[j * to_stride] = from[j * from_stride] by one thread, for j in [0, n), eight loads under way together.
KOKKOS_INLINE_FUNCTION void copy_strided(const index_t* from, int from_stride, int n, index_t* to, int to_stride) {
  constexpr int batch = 8;
  for (int first = 0; first < n; first += batch) {
    index_t item[batch];
    TESSERA_UNROLL
    for (int j = 0; j < batch; ++j)
      item[j] = from[(first + j < n ? first + j : n - 1) * from_stride];
    TESSERA_UNROLL
    for (int j = 0; j < batch; ++j)
      if (first + j < n)
        to[(first + j) * to_stride] = item[j];
  }
}

/// Columns in registers: no branch, no index that depends on data. First the latest come first, which needs no more
/// than comparisons with what is there; only if they are too many, they are kept in windows.
template <int Capacity> struct RegisterColumns {
  static constexpr int capacity = Capacity;
  static constexpr std::size_t scratch_bytes = 0; ///< per row of a team
  static constexpr bool in_scratch = false;
  index_t column[Capacity];
  int n = 0;
  index_t lower = -1;
  bool overflow = false;
  bool in_windows = false;

  template <class Block> KOKKOS_FUNCTION explicit RegisterColumns(const Block&) {}
  /// The n <= Capacity columns of a finished row.
  KOKKOS_FUNCTION static RegisterColumns finished(const index_t* columns, int n) {
    RegisterColumns set;
    set.read(columns, 1, n);
    return set;
  }

  KOKKOS_FUNCTION void start() {
    lower = -1;
    in_windows = false;
    clear();
  }
  KOKKOS_FUNCTION void next_window() {
    lower = column[Capacity - 1];
    clear();
  }

  KOKKOS_FUNCTION void add(index_t c) {
    if (in_windows)
      add_in_window(c);
    else
      append(c);
  }

  KOKKOS_FUNCTION bool finish() {
    if (!in_windows && overflow) {
      in_windows = true;
      clear();
      return false;
    }
    if (in_windows) {
      n = 0;
      TESSERA_UNROLL
      for (int j = 0; j < Capacity; ++j)
        n += column[j] != no_column ? 1 : 0;
    } else {
      sort_in_registers(column);
    }
    return true;
  }

  /// Takes n <= Capacity columns, ascending, instead: entry j from from[j * stride].
  KOKKOS_FUNCTION void read(const index_t* from, int stride, int n_columns) {
    n = n_columns;
    TESSERA_UNROLL
    for (int j = 0; j < Capacity; ++j)
      column[j] = j < n_columns ? from[j * stride] : no_column;
  }

  KOKKOS_FUNCTION int count() const { return n; }
  KOKKOS_FUNCTION int place_of(index_t c) const {
    int below = 0;
    TESSERA_UNROLL
    for (int j = 0; j < Capacity; ++j)
      below += column[j] < c ? 1 : 0;
    return below;
  }
  /// Columns [begin, end) to to[0], to[stride], ...
  KOKKOS_FUNCTION void write(index_t* to, int begin, int end, int stride = 1) const {
    TESSERA_UNROLL
    for (int j = 0; j < Capacity; ++j)
      if (j >= begin && j < end)
        to[(j - begin) * stride] = column[j];
  }

private:
  KOKKOS_FUNCTION void append(index_t c) {
    bool is_known = false;
    TESSERA_UNROLL
    for (int j = 0; j < Capacity; ++j)
      is_known = is_known || column[j] == c;
    if (is_known) // most are; neighbouring threads' rows are mostly alike
      return;
    overflow = overflow || n == Capacity;
    n += n == Capacity ? 0 : 1;
    TESSERA_UNROLL
    for (int j = Capacity - 1; j > 0; --j)
      column[j] = column[j - 1];
    column[0] = c;
  }

  /// Every place keeps the smaller of its own and the arriving column and passes the larger one on; equal ones end
  /// here.
  KOKKOS_FUNCTION void add_in_window(index_t c) {
    c = c > lower ? c : no_column;
    TESSERA_UNROLL
    for (int j = 0; j < Capacity; ++j) {
      const index_t here = column[j];
      column[j] = here < c ? here : c;
      c = here == c ? no_column : (here < c ? c : here);
    }
    overflow = overflow || c != no_column;
  }

  RegisterColumns() = default;

  KOKKOS_FUNCTION void clear() {
    n = 0;
    overflow = false;
    TESSERA_UNROLL
    for (int j = 0; j < Capacity; ++j)
      column[j] = no_column;
  }
};

/// Columns in scratch memory, those of neighbouring threads side by side: most of the columns that arrive are there
/// already, which a binary search tells.
template <int Capacity> struct ScratchColumns {
  static constexpr int capacity = Capacity;
  static constexpr std::size_t scratch_bytes = sizeof(index_t) * Capacity;
  static constexpr bool in_scratch = true;
  index_t* column; // entry j at column[j * stride]
  int stride;
  int n = 0;
  index_t lower = -1;
  bool overflow = false;

  template <class Block> KOKKOS_FUNCTION explicit ScratchColumns(const Block& block) : stride(block.size) {
    column = block.template scratch<index_t>(Capacity * block.size) + block.rank;
  }
  /// The n columns of a finished row, in scratch memory.
  KOKKOS_FUNCTION static ScratchColumns finished(index_t* columns, int n) { return {columns, n}; }

  KOKKOS_FUNCTION void start() {
    lower = -1;
    n = 0;
    overflow = false;
  }
  KOKKOS_FUNCTION void next_window() {
    lower = column[(n - 1) * stride];
    n = 0;
    overflow = false;
  }

  KOKKOS_FUNCTION void add(index_t c) {
    if (c <= lower)
      return;
    const int place = place_of(c);
    if (place < n && column[place * stride] == c)
      return;
    if (n == Capacity) {
      overflow = true;
      if (place == Capacity)
        return;
      --n;
    }
    for (int j = n; j > place; --j)
      column[j * stride] = column[(j - 1) * stride];
    column[place * stride] = c;
    ++n;
  }

  KOKKOS_FUNCTION static bool finish() { return true; }

  KOKKOS_FUNCTION void read(const index_t* from, int from_stride, int n_columns) {
    n = n_columns;
    copy_strided(from, from_stride, n, column, stride);
  }

  KOKKOS_FUNCTION int count() const { return n; }
  KOKKOS_FUNCTION int place_of(index_t c) const {
    int low = 0;
    int high = n;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (column[middle * stride] < c)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  KOKKOS_FUNCTION void write(index_t* to, int begin, int end, int to_stride = 1) const {
    for (int j = begin; j < end; ++j)
      to[(j - begin) * to_stride] = column[j * stride];
  }

private:
  KOKKOS_FUNCTION ScratchColumns(index_t* columns, int n_columns) : column(columns), stride(1), n(n_columns) {}
};

/// The columns of rows of elements with N nodes. Rows rarely exceed the capacity: structured meshes have 7 (triangles),
/// 15 (tetrahedra), 19 and 65 (order 2) columns.
template <int N> struct ColumnSet { using type = RegisterColumns<N == 3 ? 12 : 24>; };
template <> struct ColumnSet<10> { using type = ScratchColumns<72>; };
template <int N> using column_set_t = typename ColumnSet<N>::type;

} // namespace tessera::assembly

#endif
