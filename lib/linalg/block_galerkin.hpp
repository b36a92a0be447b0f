// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_BLOCK_GALERKIN_HPP
#define TESSERA_LINALG_BLOCK_GALERKIN_HPP

/// \file
/// Products P^T A P of matrices of blocks, whose rows may be distributed over processes: each sum has the order that it
/// has in the whole, the same bits on every backend and for any number of processes.

#include "linalg/block_crs_matrix.hpp"
#include "linalg/block_transfer.hpp"
#include "linalg/own_and_ghosts.hpp"

namespace tessera::linalg {

/// Patterns of a product. Columns are coarse block rows, own ones first.
template <class ExecutionSpace> struct GalerkinPattern {
  using Space = typename ExecutionSpace::memory_space;
  CrsMatrix<Space> a_times_p; ///< own fine block rows, then ghosts; those that no own coarse one has are empty
  Array<offset_t*, Space> value_offsets; ///< of the blocks of that, once make_galerkin_matrix() knows their sizes
  std::int64_t n_values = 0;
  CrsMatrix<Space> product;              ///< own coarse block rows
  OwnAndGhosts<ExecutionSpace> coarse;   ///< ghosts are columns of either
  OwnAndGhosts<ExecutionSpace> children; ///< fine block rows; ghosts: those of own coarse ones
};

/// `coarse_of`: numbers among all of the coarse block rows of own fine ones and ghosts; `children`: the fine block rows
/// of own coarse ones, own and ghosts, in the order of numbers among all; `coarse_offsets`: who has which coarse ones.
/// Collective.
template <class ExecutionSpace>
GalerkinPattern<ExecutionSpace> make_galerkin_pattern(const ExecutionSpace& exec, const Shares<ExecutionSpace>& shares,
                                                      const OwnAndGhosts<ExecutionSpace>& fine,
                                                      const std::vector<std::int64_t>& coarse_offsets,
                                                      const BlockCrsMatrix<typename ExecutionSpace::memory_space>& a,
                                                      const Array<index_t*, ExecutionSpace>& coarse_of,
                                                      const CrsMatrix<typename ExecutionSpace::memory_space>& children);

/// The own rows of the product, with memory for values in double precision; completes the pattern.
template <class ExecutionSpace>
BlockCrsMatrix<typename ExecutionSpace::memory_space>
make_galerkin_matrix(const ExecutionSpace& exec, GalerkinPattern<ExecutionSpace>& pattern,
                     const BlockTransfer<typename ExecutionSpace::memory_space>& p);

/// The values of C = P^T (A P), a matrix of make_galerkin_matrix(). Memory: A P in double precision. Collective; waits.
template <class ExecutionSpace>
void multiply_galerkin(const ExecutionSpace& exec, const Shares<ExecutionSpace>& shares,
                       const GalerkinPattern<ExecutionSpace>& pattern,
                       const BlockCrsMatrix<typename ExecutionSpace::memory_space>& a,
                       const BlockTransfer<typename ExecutionSpace::memory_space>& p,
                       const BlockCrsMatrix<typename ExecutionSpace::memory_space>& c);

} // namespace tessera::linalg

#endif
