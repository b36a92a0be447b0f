// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_BLOCK_TRANSFER_HPP
#define TESSERA_LINALG_BLOCK_TRANSFER_HPP

/// \file
/// Transfers between matrices of blocks in which each block row belongs to one of a coarser matrix, as elements to
/// agglomerates of elements.

#include "linalg/block_crs_matrix.hpp"
#include "linalg/linear_operator.hpp"

namespace tessera::linalg {

/// A matrix P with one block in each block row.
template <class MemorySpace> struct BlockTransfer {
  Array<index_t*, MemorySpace> coarse_of;          ///< column of the block of each fine block row, [n_fine]
  Array<index_t*, MemorySpace> dof_offsets;        ///< first unknown of each fine block row, [n_fine + 1]
  Array<index_t*, MemorySpace> coarse_dof_offsets; ///< [n_coarse + 1]
  Array<offset_t*, MemorySpace> value_offsets;     ///< [n_fine + 1]
  Array<double*, MemorySpace> values;              ///< blocks column by column
  Array<offset_t*, MemorySpace> child_offsets;     ///< fine block rows of each coarse one, [n_coarse + 1]
  Array<index_t*, MemorySpace> children;           ///< ascending within it, [n_fine]
  index_t n_unknowns = 0;                          ///< rows
  index_t n_coarse_unknowns = 0;                   ///< columns
  int largest_block = 0;                           ///< unknowns of the largest fine block row
  int coarse_largest_block = 0;                    ///< and of the largest coarse one
  index_t coarse_block_size = 0;                   ///< when all coarse block rows have the same, else 0

  index_t n_fine() const { return static_cast<index_t>(coarse_of.extent(0)); }
  index_t n_coarse() const {
    return coarse_dof_offsets.extent(0) == 0 ? 0 : static_cast<index_t>(coarse_dof_offsets.extent(0)) - 1;
  }
};

/// Sizes of block rows.
template <class MemorySpace> struct BlockSizes {
  ConstArray<const index_t*, MemorySpace> dof_offsets; ///< first unknown of each, [n + 1]
  int largest = 0;
  bool is_uniform = false;
};

/// A transfer whose values are still to be set: coarse block rows are [0, n_coarse), each with at least one fine one.
template <class ExecutionSpace>
BlockTransfer<typename ExecutionSpace::memory_space>
make_block_transfer(const ExecutionSpace& exec, const Array<index_t*, ExecutionSpace>& coarse_of,
                    const BlockSizes<typename ExecutionSpace::memory_space>& fine,
                    const BlockSizes<typename ExecutionSpace::memory_space>& coarse);

/// y = P x and sum += y. Does not wait.
template <class ExecutionSpace>
void interpolate_and_add(const ExecutionSpace& exec, const BlockTransfer<typename ExecutionSpace::memory_space>& p,
                         const ConstVector<ExecutionSpace>& x, const Vector<ExecutionSpace>& y,
                         const Vector<ExecutionSpace>& sum);

/// y = P^T x. Does not wait.
template <class ExecutionSpace>
void restrict_to(const ExecutionSpace& exec, const BlockTransfer<typename ExecutionSpace::memory_space>& p,
                 const ConstVector<ExecutionSpace>& x, const Vector<ExecutionSpace>& y);

/// The pattern of P^T A P, with memory for values in double precision.
template <class ExecutionSpace>
BlockCrsMatrix<typename ExecutionSpace::memory_space>
make_galerkin_pattern(const ExecutionSpace& exec, const BlockCrsMatrix<typename ExecutionSpace::memory_space>& a,
                      const BlockTransfer<typename ExecutionSpace::memory_space>& p);

/// The values of C = P^T A P, in the pattern of make_galerkin_pattern(). Every sum has a fixed order: the same bits on
/// every backend. Does not wait.
template <class ExecutionSpace>
void multiply_galerkin(const ExecutionSpace& exec, const BlockCrsMatrix<typename ExecutionSpace::memory_space>& a,
                       const BlockTransfer<typename ExecutionSpace::memory_space>& p,
                       const BlockCrsMatrix<typename ExecutionSpace::memory_space>& c);

} // namespace tessera::linalg

#endif
