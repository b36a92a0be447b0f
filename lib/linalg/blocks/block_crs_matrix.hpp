// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_BLOCKS_BLOCK_CRS_MATRIX_HPP
#define TESSERA_LINALG_BLOCKS_BLOCK_CRS_MATRIX_HPP

/// \file
/// Square matrices of dense blocks, whose sizes may differ between rows.

#include "core/types.hpp"

namespace tessera::linalg {

/// A square matrix in compressed rows of dense blocks. Block row r has the unknowns [dof_offsets(r), dof_offsets(r +
/// 1)); its blocks have ascending columns, including the diagonal. Block b of row r and column c stores its values
/// column by column, size(r) x size(c), starting at values(value_offsets(b)). Values are in double or single precision;
/// products with vectors are in double precision in either case.
template <class MemorySpace> struct BlockCrsMatrix {
  using memory_space = MemorySpace;
  Array<index_t*, MemorySpace> dof_offsets;    ///< [n_block_rows + 1]
  Array<offset_t*, MemorySpace> row_offsets;   ///< blocks of each row, [n_block_rows + 1]
  Array<index_t*, MemorySpace> columns;        ///< [n_blocks]
  Array<offset_t*, MemorySpace> value_offsets; ///< [n_blocks + 1]
  Array<double*, MemorySpace> values;          ///< [n_values]
  Array<float*, MemorySpace> single_values;    ///< [n_values], instead of `values`
  index_t n_unknowns = 0;
  index_t block_size = 0; ///< if all blocks have the same size, else 0
  int largest_block = 0;  ///< number of unknowns of the largest block row

  index_t n_block_rows() const {
    return row_offsets.extent(0) == 0 ? 0 : static_cast<index_t>(row_offsets.extent(0)) - 1;
  }
  offset_t n_blocks() const { return static_cast<offset_t>(columns.extent(0)); }
  bool is_single() const { return single_values.extent(0) > 0; }
  offset_t n_values() const { return static_cast<offset_t>(is_single() ? single_values.extent(0) : values.extent(0)); }
  /// per value
  double value_bytes() const { return is_single() ? sizeof(float) : sizeof(double); }
};

} // namespace tessera::linalg

#endif
