// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_INTERPOLATION_ROW_HPP
#define TESSERA_LINALG_INTERPOLATION_ROW_HPP

#include "core/types.hpp"

namespace tessera::linalg {

/// A row of an interpolation from at most two coarse unknowns, with ascending columns.
struct InterpolationRow {
  int n = 0;
  index_t column[2];
  double value[2];

  /// Adds a value, merging it with an existing entry of the same column.
  KOKKOS_INLINE_FUNCTION void add(index_t to, double term) {
    if (n == 1 && column[0] == to) {
      value[0] += term;
      return;
    }
    const bool is_first = n == 1 && to < column[0];
    if (is_first) {
      column[1] = column[0];
      value[1] = value[0];
    }
    column[is_first ? 0 : n] = to;
    value[is_first ? 0 : n] = term;
    ++n;
  }
};

} // namespace tessera::linalg

#endif
