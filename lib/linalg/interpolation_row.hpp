// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_INTERPOLATION_ROW_HPP
#define TESSERA_LINALG_INTERPOLATION_ROW_HPP

#include "core/kokkos_ext/compiler.hpp"
#include "core/types.hpp"

namespace tessera::linalg {

/// A row of an interpolation from at most two coarse unknowns, with ascending columns.
struct InterpolationRow {
  int n = 0;
  index_t column[2];
  double value[2];

  /// Adds a value, merging it with an existing entry of the same column.
  KOKKOS_INLINE_FUNCTION void add(index_t to, double term) {
    if (n == 0) { // no position that depends on n: on a device the row stays in registers
      column[0] = to;
      value[0] = term;
    } else if (column[0] == to) {
      value[0] += term;
      return;
    } else {
      const bool is_first = to < column[0];
      column[1] = is_first ? column[0] : to;
      value[1] = is_first ? value[0] : term;
      column[0] = is_first ? to : column[0];
      value[0] = is_first ? term : value[0];
    }
    ++n;
  }

  /// Writes the row of a matrix that begins at entry `first`.
  template <class Matrix> KOKKOS_INLINE_FUNCTION void write(const Matrix& matrix, offset_t first) const {
    TESSERA_UNROLL
    for (int k = 0; k < 2; ++k)
      if (k < n) {
        matrix.columns(first + k) = column[k];
        matrix.values(first + k) = value[k];
      }
  }
};

} // namespace tessera::linalg

#endif
