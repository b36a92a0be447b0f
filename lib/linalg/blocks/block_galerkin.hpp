// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_BLOCKS_BLOCK_GALERKIN_HPP
#define TESSERA_LINALG_BLOCKS_BLOCK_GALERKIN_HPP

/// \file
/// Galerkin products P^T A P of block matrices, whose rows may be distributed over processes: each sum is added in the
/// order of the undistributed product, so that the bits are the same on every backend and for any number of processes.

#include "comm/layout.hpp"
#include "linalg/blocks/block_crs_matrix.hpp"
#include "linalg/blocks/block_transfer.hpp"

namespace tessera::linalg {

/// Patterns of a product. Columns are coarse block rows, owned ones first.
template <class ExecutionSpace> struct GalerkinPattern {
  using Space = typename ExecutionSpace::memory_space;
  CrsMatrix<Space> a_times_p; ///< owned fine block rows, then ghosts; rows that no owned coarse row needs are empty
  Array<offset_t*, Space> value_offsets; ///< of the blocks of A P; set by make_galerkin_matrix()
  std::int64_t n_values = 0;
  CrsMatrix<Space> product;              ///< owned coarse block rows
  comm::Layout<ExecutionSpace> coarse;   ///< ghosts occur as columns of either pattern
  comm::Layout<ExecutionSpace> children; ///< fine block rows; ghosts: children of owned coarse rows
};

/// `coarse_of`: global index of the coarse block row of each owned fine row and ghost; `children`: the fine block rows,
/// owned and ghosts, of each owned coarse row, in the order of global indices; `coarse_offsets`: distribution of the
/// coarse rows over the processes. Collective.
template <class ExecutionSpace>
GalerkinPattern<ExecutionSpace> make_galerkin_pattern(
    const ExecutionSpace& exec, const comm::Shares<ExecutionSpace>& shares, const comm::Layout<ExecutionSpace>& fine,
    const std::vector<std::int64_t>& coarse_offsets, const BlockCrsMatrix<typename ExecutionSpace::memory_space>& a,
    const Array<index_t*, ExecutionSpace>& coarse_of, const CrsMatrix<typename ExecutionSpace::memory_space>& children);

/// The owned rows of the product, with memory for values in double precision; completes the pattern.
template <class ExecutionSpace>
BlockCrsMatrix<typename ExecutionSpace::memory_space>
make_galerkin_matrix(const ExecutionSpace& exec, GalerkinPattern<ExecutionSpace>& pattern,
                     const BlockTransfer<typename ExecutionSpace::memory_space>& p);

/// Computes the values of C = P^T (A P), a matrix of make_galerkin_matrix(). Temporary memory: A P in double precision.
/// Collective; waits.
template <class ExecutionSpace>
void multiply_galerkin(const ExecutionSpace& exec, const GalerkinPattern<ExecutionSpace>& pattern,
                       const BlockCrsMatrix<typename ExecutionSpace::memory_space>& a,
                       const BlockTransfer<typename ExecutionSpace::memory_space>& p,
                       const BlockCrsMatrix<typename ExecutionSpace::memory_space>& c);

} // namespace tessera::linalg

#endif
