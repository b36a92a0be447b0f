// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_CRS_COMPRESSED_COLUMNS_HPP
#define TESSERA_LINALG_CRS_COMPRESSED_COLUMNS_HPP

/// \file
/// Column formats for products with a CRS matrix.

#include "core/kokkos_ext/compiler.hpp"
#include "linalg/crs/crs_matrix.hpp"

namespace tessera::linalg {

/// A near entry saves 2 bytes; a far entry costs a load that depends on its code, and usually a separate sector. With a
/// larger share of far entries nothing is gained (docs/notebook/gpu-solver.md).
constexpr double max_share_of_far = 0.015;

/// Columns of the matrix itself, 4 bytes per entry.
struct FullColumns {
  const index_t* columns; ///< [n_entries]

  /// Column of entry k.
  KOKKOS_FUNCTION index_t at(index_t, offset_t k) const { return columns[k]; }

  /// Loads the columns of the entries k, k + Stride, ... below end in two steps: the loads for which resolve() waits
  /// overlap with other loads of the caller.
  template <int Stride, int Batch> KOKKOS_FUNCTION void load(offset_t k, offset_t end, index_t (&column)[Batch]) const {
    TESSERA_UNROLL
    for (int j = 0; j < Batch; ++j)
      if (k + j * Stride < end)
        column[j] = columns[k + j * Stride];
  }
  template <int Stride, int Batch> KOKKOS_FUNCTION void resolve(index_t, offset_t, index_t (&)[Batch]) const {}
};

/// Columns as distances from the row, 2 bytes per entry. An entry out of range has the code 0 and costs 4 more bytes.
struct CompressedColumns {
  static constexpr index_t far = 0;
  static constexpr index_t diagonal = 32768; ///< code of distance 0
  const std::uint16_t* codes;                ///< [n_entries]
  const index_t* columns;                    ///< [n_entries]

  KOKKOS_FUNCTION static index_t code(index_t row, index_t column) {
    const index_t distance = column - row; // cannot overflow: neither is negative
    return distance > -diagonal && distance < diagonal ? diagonal + distance : far;
  }
  KOKKOS_FUNCTION index_t decode(index_t row, offset_t k, index_t code) const {
    return code == far ? columns[k] : row - diagonal + code;
  }

  KOKKOS_FUNCTION index_t at(index_t row, offset_t k) const { return decode(row, k, codes[k]); }

  /// Loads the diagonal past the end: resolve() then has one condition instead of two, and no branches.
  template <int Stride, int Batch> KOKKOS_FUNCTION void load(offset_t k, offset_t end, index_t (&column)[Batch]) const {
    TESSERA_UNROLL
    for (int j = 0; j < Batch; ++j)
      column[j] = k + j * Stride < end ? codes[k + j * Stride] : diagonal;
  }
  template <int Stride, int Batch>
  KOKKOS_FUNCTION void resolve(index_t row, offset_t k, index_t (&column)[Batch]) const {
    TESSERA_UNROLL
    for (int j = 0; j < Batch; ++j)
      column[j] = decode(row, k + j * Stride, column[j]);
  }
};

/// Makes the codes of CompressedColumns, [n_entries]; empty if too many entries are far. Waits.
template <class ExecutionSpace>
Array<std::uint16_t*, ExecutionSpace>
make_compressed_columns(const ExecutionSpace& exec, const CrsMatrix<typename ExecutionSpace::memory_space>& a);

} // namespace tessera::linalg

#endif
