// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_BLOCK_DIAGONAL_BLOCKS_HPP
#define TESSERA_SOLVERS_BLOCK_DIAGONAL_BLOCKS_HPP

#include "linalg/blocks/block_crs_matrix.hpp"

namespace tessera::solvers {

/// The inverse of the diagonal blocks, of any size, as a block-diagonal matrix. Throws an Error of kind numerical that
/// states `method` and the first block row whose block is singular up to rounding, not finite or missing. Waits.
template <class ExecutionSpace>
linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>
invert_diagonal_blocks(const ExecutionSpace& exec,
                       const linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>& matrix, const char* method);

} // namespace tessera::solvers

#endif
