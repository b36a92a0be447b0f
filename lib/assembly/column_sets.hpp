// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_COLUMN_SETS_HPP
#define TESSERA_ASSEMBLY_COLUMN_SETS_HPP

/// \file
/// The columns of a row under construction by one thread of a device: in registers where rows are short, else in the
/// team's scratch memory. The caller adds all of them and calls finish(): if that returns false, they are to be added
/// once more; else the set holds, ascending, the smallest columns above `lower`, and `overflow` tells that there are
/// more: the caller takes this window and repeats with next_window().

#include "assembly/row_buffer.hpp"
#include "assembly/row_teams.hpp"
#include "core/kokkos_ext/compiler.hpp"
#include "core/register_sort.hpp"

namespace tessera::assembly {

/// Columns in registers: no branch, no index that depends on data. First the latest come first, which needs no more
/// than comparisons with what is there; only if they are too many, they are kept in windows.
template <int Capacity> struct RegisterColumns {
  static constexpr int capacity = Capacity;
  static constexpr std::size_t scratch_bytes = 0; ///< per row of a team
  index_t column[Capacity];
  int n = 0;
  index_t lower = -1;
  bool overflow = false;
  bool in_windows = false;

  template <class Block> KOKKOS_FUNCTION explicit RegisterColumns(const Block&) {}

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

  KOKKOS_FUNCTION bool finish(bool sorted = true) {
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
    } else if (sorted) {
      sort_in_registers(column);
    }
    return true;
  }

  KOKKOS_FUNCTION int count() const { return n; }
  KOKKOS_FUNCTION int place_of(index_t c) const {
    int below = 0;
    TESSERA_UNROLL
    for (int j = 0; j < Capacity; ++j)
      below += column[j] < c ? 1 : 0;
    return below;
  }
  /// Columns [begin, end) to to[0], to[1], ...
  KOKKOS_FUNCTION void write(index_t* to, int begin, int end) const {
    TESSERA_UNROLL
    for (int j = 0; j < Capacity; ++j)
      if (j >= begin && j < end)
        to[j - begin] = column[j];
  }

private:
  KOKKOS_FUNCTION void append(index_t c) {
    bool is_known = false;
    TESSERA_UNROLL
    for (int j = 0; j < Capacity; ++j)
      is_known = is_known || column[j] == c;
    overflow = overflow || (!is_known && n == Capacity);
    n += is_known || n == Capacity ? 0 : 1;
    TESSERA_UNROLL
    for (int j = Capacity - 1; j > 0; --j)
      column[j] = is_known ? column[j] : column[j - 1];
    column[0] = is_known ? column[0] : c;
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
  index_t* column; // entry j at column[j * stride]
  int stride;
  int n = 0;
  index_t lower = -1;
  bool overflow = false;

  template <class Block> KOKKOS_FUNCTION explicit ScratchColumns(const Block& block) : stride(block.size) {
    column = block.template scratch<index_t>(Capacity * block.size) + block.rank;
  }

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

  KOKKOS_FUNCTION static bool finish(bool = true) { return true; }

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
  KOKKOS_FUNCTION void write(index_t* to, int begin, int end) const {
    for (int j = begin; j < end; ++j)
      to[j - begin] = column[j * stride];
  }
};

/// The columns of rows of elements with N nodes. Rows rarely exceed the capacity: structured meshes have 7 (triangles),
/// 15 (tetrahedra), 19 and 65 (order 2) columns.
template <int N> struct ColumnSet { using type = RegisterColumns<N == 3 ? 12 : 24>; };
template <> struct ColumnSet<10> { using type = ScratchColumns<72>; };
template <int N> using column_set_t = typename ColumnSet<N>::type;

} // namespace tessera::assembly

#endif
