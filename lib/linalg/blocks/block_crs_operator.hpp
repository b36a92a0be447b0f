// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_BLOCKS_BLOCK_CRS_OPERATOR_HPP
#define TESSERA_LINALG_BLOCKS_BLOCK_CRS_OPERATOR_HPP

/// \file
/// Operators of block matrices.

#include "linalg/blocks/block_crs_matrix.hpp"
#include "linalg/crs/crs_matrix.hpp"

namespace tessera::linalg {

/// A block matrix as an operator. Shares the arrays of the matrix; its pattern must not change afterwards, its values
/// may. The order of sums is fixed (block_spmv_kernels.hpp): every backend gives the same bits.
template <class ExecutionSpace>
class BlockCrsOperator final : public LinearOperator<ExecutionSpace>,
                               public StoredMatrix<BlockCrsMatrix<typename ExecutionSpace::memory_space>> {
public:
  using typename LinearOperator<ExecutionSpace>::vector_type;
  using typename LinearOperator<ExecutionSpace>::const_vector_type;
  using matrix_type = BlockCrsMatrix<typename ExecutionSpace::memory_space>;

  BlockCrsOperator() = default;
  /// Does not wait.
  BlockCrsOperator(const ExecutionSpace& exec, matrix_type matrix, Symmetry symmetry);

  index_t size() const override { return matrix_.n_unknowns; }
  bool is_symmetric() const override { return symmetry_ == Symmetry::symmetric; }
  /// If the rows belong to a larger matrix, columns, and the entries of x, may go beyond the rows.
  void apply(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override;
  void diagonal(const ExecutionSpace& exec, const vector_type& d) const override;
  Traffic traffic() const override;

  const matrix_type& matrix() const override { return matrix_; }
  /// Block row of each unknown if block sizes differ and the space is a device; else empty.
  const Array<index_t*, ExecutionSpace>& block_rows() const { return block_rows_; }

private:
  matrix_type matrix_;
  Symmetry symmetry_ = Symmetry::general;
  Array<index_t*, ExecutionSpace> block_rows_; // of each unknown; on devices if sizes differ
};

/// Expands the matrix to scalar entries, including zeros within blocks. For tests and output. Throws an Error of kind
/// resource if the number of entries exceeds the offset type.
template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space>
expand_blocks(const ExecutionSpace& exec, const BlockCrsMatrix<typename ExecutionSpace::memory_space>& matrix);

} // namespace tessera::linalg

#endif
