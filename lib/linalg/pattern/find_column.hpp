// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_PATTERN_FIND_COLUMN_HPP
#define TESSERA_LINALG_PATTERN_FIND_COLUMN_HPP

#include "core/types.hpp"

namespace tessera::linalg {

/// Position of the first of the ascending columns [begin, end) that is not below `column`; `end` if all are. Column j
/// is columns[j * stride].
template <class Columns, class Position>
KOKKOS_INLINE_FUNCTION Position lower_bound(const Columns& columns, Position begin, Position end, index_t column,
                                            int stride = 1) {
  while (begin < end) {
    const Position middle = begin + (end - begin) / 2;
    if (columns[middle * stride] < column)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/// Position of a column in the ascending columns [begin, end) of a row, or -1.
template <class Columns>
KOKKOS_INLINE_FUNCTION offset_t find_column(const Columns& columns, offset_t begin, offset_t end, index_t column) {
  // Short rows are searched in order, which costs less than mispredicted halving.
  if (end - begin <= 12) {
    for (offset_t i = begin; i < end; ++i)
      if (columns[i] == column)
        return i;
    return -1;
  }
  const offset_t place = lower_bound(columns, begin, end, column);
  return place < end && columns[place] == column ? place : -1;
}

} // namespace tessera::linalg

#endif
