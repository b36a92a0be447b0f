// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_ASSEMBLY_DG_BLOCKS_BLOCK_ENTRIES_HPP
#define TESSERA_ASSEMBLY_DG_BLOCKS_BLOCK_ENTRIES_HPP

/// \file
/// Common parts of kernels of blocks: products with a single rounding, values in either precision, and the loop of a
/// team over the entries of a block.

#include "core/types.hpp"

#include <cmath>

namespace tessera::assembly::dg {

/// a b + c, rounded once on every backend.
KOKKOS_INLINE_FUNCTION double fused(double a, double b, double c) { return ::fma(a, b, c); }

/// Values in double or single precision. Kernels compute in double precision and convert where they store.
struct BlockValues {
  void* data = nullptr;
  bool is_single = false;

  KOKKOS_FUNCTION bool is_null() const { return data == nullptr; }
  KOKKOS_FUNCTION double* doubles() const { return static_cast<double*>(data); }
  KOKKOS_FUNCTION float* floats() const { return static_cast<float*>(data); }
  KOKKOS_FUNCTION double get(int i) const { return is_single ? floats()[i] : doubles()[i]; }
  KOKKOS_FUNCTION void set(int i, double value) const {
    if (is_single)
      floats()[i] = static_cast<float>(value);
    else
      doubles()[i] = value;
  }
  /// The values from an offset on.
  KOKKOS_FUNCTION BlockValues from(offset_t first) const {
    return is_single ? BlockValues{floats() + first, true} : BlockValues{doubles() + first, false};
  }
};

/// Calls a functor with row, column and index of each entry of a block that is stored column by column. The team's
/// threads share the entries, without a division per entry.
template <class Team, class Body>
KOKKOS_FUNCTION void for_each_entry(const Team& team, int n_rows, int n_columns, const Body& body) {
  const int threads = team.team_size();
  int j = team.team_rank() / n_rows;
  int i = team.team_rank() - j * n_rows;
  const int column_step = threads / n_rows;
  const int row_step = threads - column_step * n_rows;
  for (int entry = team.team_rank(); entry < n_rows * n_columns; entry += threads) {
    body(i, j, entry);
    i += row_step;
    j += column_step;
    if (i >= n_rows) {
      i -= n_rows;
      ++j;
    }
  }
}

} // namespace tessera::assembly::dg

#endif
