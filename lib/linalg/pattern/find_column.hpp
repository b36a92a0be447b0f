// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_PATTERN_FIND_COLUMN_HPP
#define TESSERA_LINALG_PATTERN_FIND_COLUMN_HPP

#include "core/algorithms/lower_bound.hpp"

namespace tessera::linalg {

/// Position of a column in the ascending columns [begin, end) of a row, or -1.
template <class Columns>
KOKKOS_INLINE_FUNCTION offset_t find_column(const Columns& columns, offset_t begin, offset_t end, index_t column) {
  // Linear search in short rows costs less than mispredicted bisection.
  if (end - begin <= 12) {
    for (offset_t i = begin; i < end; ++i)
      if (columns[i] == column)
        return i;
    return -1;
  }
  const offset_t position = lower_bound(columns, begin, end, column);
  return position < end && columns[position] == column ? position : -1;
}

} // namespace tessera::linalg

#endif
