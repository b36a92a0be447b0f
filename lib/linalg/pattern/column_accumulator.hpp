// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_PATTERN_COLUMN_ACCUMULATOR_HPP
#define TESSERA_LINALG_PATTERN_COLUMN_ACCUMULATOR_HPP

/// \file
/// Sparse accumulators: the distinct columns (and values) of a row under construction, sorted. Threads that process a
/// row each keep them on their stack (StackAccumulator); threads of a team keep short rows in registers, others in the
/// team's scratch memory (RegisterAccumulator, ScratchAccumulator).
///
/// The caller adds all columns and calls finish(): if that returns false, all columns must be added once more;
/// otherwise the accumulator holds, ascending, the smallest columns above `lower`, and `overflow` is set if there are
/// more: the caller then uses this window and repeats with next_window().

#include "core/algorithms/lower_bound.hpp"
#include "core/algorithms/register_sort.hpp"
#include "core/kokkos_ext/compiler.hpp"
#include "linalg/pattern/team_policy.hpp"

namespace tessera::linalg {

/// Number of columns below c, in a buffer padded with `no_column`: a fixed number of comparisons without branches.
constexpr index_t no_column = 0x7fffffff;
template <int Capacity> KOKKOS_INLINE_FUNCTION int columns_below(const index_t (&column)[Capacity], index_t c) {
  int below = 0;
  TESSERA_UNROLL
  for (int j = 0; j < Capacity; ++j)
    below += column[j] < c ? 1 : 0;
  return below;
}

/// Holds the `Capacity` smallest columns above `lower`, ascending. If more are added, the largest is dropped and
/// `overflow` is set: the caller writes the window and repeats with `lower` at its last column.
///
/// The position of a column is found by a scan from the end on hosts (`OnHost`), whose branch predictors learn the few
/// orders in which neighbours occur, and by a fixed number of comparisons on devices.
template <int Capacity, bool WithValues, bool OnHost> struct StackAccumulator {
  static constexpr int capacity = Capacity;
  static constexpr std::size_t scratch_bytes = 0;
  static constexpr bool in_scratch = false;
  index_t column[Capacity];
  double value[WithValues ? Capacity : 1];
  int n = 0;
  index_t lower = -1;
  bool overflow = false;

  KOKKOS_FUNCTION StackAccumulator() { clear(); }
  KOKKOS_FUNCTION explicit StackAccumulator(const SingleRow&) : StackAccumulator() {}

  KOKKOS_FUNCTION void start() {
    lower = -1;
    clear();
  }
  KOKKOS_FUNCTION void next_window() {
    lower = column[n - 1];
    clear();
  }
  KOKKOS_FUNCTION static bool finish() { return true; }

  KOKKOS_FUNCTION void add(index_t c, double v) {
    if (c <= lower)
      return;
    const int i = position_of(c);
    if (i < n && column[i] == c) {
      if (WithValues)
        value[i] += v;
      return;
    }
    if (n == Capacity) {
      overflow = true;
      if (i == Capacity)
        return;
      --n;
    }
    for (int j = n; j > i; --j) {
      column[j] = column[j - 1];
      if (WithValues)
        value[j] = value[j - 1];
    }
    column[i] = c;
    if (WithValues)
      value[i] = 0. + v; // a sum that starts from zero: -0 becomes 0
    ++n;
  }

  KOKKOS_FUNCTION void add(index_t c) { add(c, 0.); }

  KOKKOS_FUNCTION int count() const { return n; }
  KOKKOS_FUNCTION void write(index_t* to, int begin, int end) const {
    for (int j = begin; j < end; ++j)
      to[j - begin] = column[j];
  }
  KOKKOS_FUNCTION int position_of(index_t c) const {
    if (!OnHost)
      return columns_below(column, c);
    if (Capacity <= 32) {
      int i = n;
      while (i > 0 && column[i - 1] >= c)
        --i;
      return i;
    }
    return lower_bound(column, 0, n, c);
  }

private:
  KOKKOS_FUNCTION void clear() {
    if (!OnHost)
      for (int j = 0; j < Capacity; ++j)
        column[j] = no_column;
    n = 0;
    overflow = false;
  }
};

/// to[j * to_stride] = from[j * from_stride] by one thread, for j in [0, n), with eight loads in flight.
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

/// Columns in registers, without branches and data-dependent indices. Initially ordered by most recent insertion, which
/// needs comparisons only; if there are too many columns, they are kept in windows.
template <int Capacity> struct RegisterAccumulator {
  static constexpr int capacity = Capacity;
  static constexpr std::size_t scratch_bytes = 0; ///< per row of a team
  static constexpr bool in_scratch = false;
  index_t column[Capacity];
  int n = 0;
  index_t lower = -1;
  bool overflow = false;
  bool in_windows = false;

  template <class Block> KOKKOS_FUNCTION explicit RegisterAccumulator(const Block&) {}
  /// The accumulator of a finished row of n <= Capacity columns.
  KOKKOS_FUNCTION static RegisterAccumulator finished(const index_t* columns, int n) {
    RegisterAccumulator set;
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

  /// Replaces the contents by n <= Capacity ascending columns; entry j is read from from[j * stride].
  KOKKOS_FUNCTION void read(const index_t* from, int stride, int n_columns) {
    n = n_columns;
    TESSERA_UNROLL
    for (int j = 0; j < Capacity; ++j)
      column[j] = j < n_columns ? from[j * stride] : no_column;
  }

  KOKKOS_FUNCTION int count() const { return n; }
  KOKKOS_FUNCTION int position_of(index_t c) const { return columns_below(column, c); }
  /// Writes the columns [begin, end) to to[0], to[stride], ...
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
    if (is_known) // most are; neighbouring threads mostly have similar rows
      return;
    overflow = overflow || n == Capacity;
    n += n == Capacity ? 0 : 1;
    TESSERA_UNROLL
    for (int j = Capacity - 1; j > 0; --j)
      column[j] = column[j - 1];
    column[0] = c;
  }

  /// Every position keeps the smaller of its column and the arriving one and passes the larger one on; an equal column
  /// is dropped.
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

  RegisterAccumulator() = default;

  KOKKOS_FUNCTION void clear() {
    n = 0;
    overflow = false;
    TESSERA_UNROLL
    for (int j = 0; j < Capacity; ++j)
      column[j] = no_column;
  }
};

/// Columns in scratch memory, interleaved with those of neighbouring threads: most arriving columns are present
/// already, which a binary search finds.
template <int Capacity> struct ScratchAccumulator {
  static constexpr int capacity = Capacity;
  static constexpr std::size_t scratch_bytes = sizeof(index_t) * Capacity;
  static constexpr bool in_scratch = true;
  index_t* column; // entry j at column[j * stride]
  int stride;
  int n = 0;
  index_t lower = -1;
  bool overflow = false;

  template <class Block> KOKKOS_FUNCTION explicit ScratchAccumulator(const Block& block) : stride(block.size) {
    column = block.template scratch<index_t>(Capacity * block.size) + block.rank;
  }
  /// The accumulator of a finished row of n columns, in scratch memory.
  KOKKOS_FUNCTION static ScratchAccumulator finished(index_t* columns, int n) { return {columns, n}; }

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
    const int position = position_of(c);
    if (position < n && column[position * stride] == c)
      return;
    if (n == Capacity) {
      overflow = true;
      if (position == Capacity)
        return;
      --n;
    }
    for (int j = n; j > position; --j)
      column[j * stride] = column[(j - 1) * stride];
    column[position * stride] = c;
    ++n;
  }

  KOKKOS_FUNCTION static bool finish() { return true; }

  KOKKOS_FUNCTION void read(const index_t* from, int from_stride, int n_columns) {
    n = n_columns;
    copy_strided(from, from_stride, n, column, stride);
  }

  KOKKOS_FUNCTION int count() const { return n; }
  KOKKOS_FUNCTION int position_of(index_t c) const { return lower_bound(column, 0, n, c, stride); }
  KOKKOS_FUNCTION void write(index_t* to, int begin, int end, int to_stride = 1) const {
    for (int j = begin; j < end; ++j)
      to[(j - begin) * to_stride] = column[j * stride];
  }

private:
  KOKKOS_FUNCTION ScratchAccumulator(index_t* columns, int n_columns) : column(columns), stride(1), n(n_columns) {}
};

} // namespace tessera::linalg

#endif
