// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_ROWS_ROW_ACCUMULATOR_HPP
#define TESSERA_ASSEMBLY_ROWS_ROW_ACCUMULATOR_HPP

/// \file
/// A row under construction: sorted columns in thread-private memory.

#include "core/types.hpp"

namespace tessera::assembly {

/// Columns that a row rarely exceeds, by the nodes of an element (3, 6: triangles; 4, 10: tetrahedra); longer rows are
/// built in several windows.
template <int NNodes> constexpr int row_capacity = NNodes == 3 ? 16 : (NNodes == 6 || NNodes == 4 ? 32 : 96);

/// Number of the columns below c, in a buffer whose unused end holds `no_column`: a fixed number of comparisons without
/// branches.
constexpr index_t no_column = 0x7fffffff;
template <int Capacity> KOKKOS_INLINE_FUNCTION int columns_below(const index_t (&column)[Capacity], index_t c) {
  int below = 0;
  for (int j = 0; j < Capacity; ++j)
    below += column[j] < c ? 1 : 0;
  return below;
}

/// Holds the `Capacity` smallest columns above `lower`, ascending. When more are added the largest falls out and
/// `overflow` is set: the caller writes the window out and repeats with `lower` at its last column.
///
/// A place is found by a scan from the end on hosts (`OnHost`), whose branch predictors learn the few orders in which
/// neighbours come, and by a fixed number of comparisons on devices.
template <int Capacity, bool WithValues, bool OnHost> struct RowBuffer {
  index_t column[Capacity];
  double value[WithValues ? Capacity : 1];
  int count = 0;
  index_t lower = -1;
  bool overflow = false;

  KOKKOS_FUNCTION RowBuffer() { clear(); }

  KOKKOS_FUNCTION void next_window() {
    lower = column[count - 1];
    clear();
  }

  KOKKOS_FUNCTION void add(index_t c, double v) {
    if (c <= lower)
      return;
    const int i = place_of(c);
    if (i < count && column[i] == c) {
      if (WithValues)
        value[i] += v;
      return;
    }
    if (count == Capacity) {
      overflow = true;
      if (i == Capacity)
        return;
      --count;
    }
    for (int j = count; j > i; --j) {
      column[j] = column[j - 1];
      if (WithValues)
        value[j] = value[j - 1];
    }
    column[i] = c;
    if (WithValues)
      value[i] = 0. + v; // a sum that starts from zero: -0 becomes 0
    ++count;
  }

  KOKKOS_FUNCTION void add(index_t c) { add(c, 0.); }

private:
  KOKKOS_FUNCTION int place_of(index_t c) const {
    if (!OnHost)
      return columns_below(column, c);
    if (Capacity <= 32) {
      int i = count;
      while (i > 0 && column[i - 1] >= c)
        --i;
      return i;
    }
    int low = 0;
    int high = count;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (column[middle] < c)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  KOKKOS_FUNCTION void clear() {
    if (!OnHost)
      for (int j = 0; j < Capacity; ++j)
        column[j] = no_column;
    count = 0;
    overflow = false;
  }
};

} // namespace tessera::assembly

#endif
