// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_BLOCK_TRANSFER_HPP
#define TESSERA_LINALG_BLOCK_TRANSFER_HPP

/// \file
/// Transfers between matrices of blocks in which each block row belongs to one of a coarser matrix, as elements to
/// agglomerates of elements.

#include "linalg/crs_matrix.hpp"

#include <type_traits>

namespace tessera::linalg {

/// A matrix P with one block in each fine block row. Of several processes each has its own fine block rows and behind
/// them ghosts, which P^T A P needs, and the P^T of its own coarse block rows, some of whose fine ones may be ghosts.
template <class MemorySpace> struct BlockTransfer {
  /// Column of the block of each fine block row, [n_fine]; n_coarse(): a ghost that is not needed, without a block.
  Array<index_t*, MemorySpace> coarse_of;
  Array<index_t*, MemorySpace> dof_offsets;        ///< first unknown of each fine block row, [n_fine + 1]
  Array<index_t*, MemorySpace> coarse_dof_offsets; ///< [n_coarse + 1]
  Array<offset_t*, MemorySpace> value_offsets;     ///< [n_fine + 1]
  Array<double*, MemorySpace> values;              ///< blocks column by column
  Array<float*, MemorySpace> single_values;        ///< instead of `values`
  Array<offset_t*, MemorySpace> child_offsets;     ///< fine block rows of each own coarse one, [n_own_coarse + 1]
  Array<index_t*, MemorySpace> children;           ///< in the order of numbers among all
  index_t n_own = 0;                               ///< fine block rows
  index_t first_own_coarse = 0;                    ///< among the coarse block rows
  int largest_block = 0;                           ///< unknowns of the largest fine block row
  int coarse_largest_block = 0;                    ///< and of the largest coarse one
  index_t coarse_block_size = 0;                   ///< when all coarse block rows have the same, else 0

  index_t n_fine() const { return static_cast<index_t>(coarse_of.extent(0)); }
  index_t n_coarse() const {
    return coarse_dof_offsets.extent(0) == 0 ? 0 : static_cast<index_t>(coarse_dof_offsets.extent(0)) - 1;
  }
  /// Values of the type that it has.
  template <class Value> KOKKOS_FUNCTION const Value* values_as() const {
    if constexpr (std::is_same_v<Value, float>)
      return single_values.data();
    else
      return values.data();
  }
  bool is_single() const { return single_values.extent(0) > 0; }
  double value_bytes() const { return is_single() ? sizeof(float) : sizeof(double); } ///< of a value
  std::int64_t n_values() const {
    return static_cast<std::int64_t>(is_single() ? single_values.extent(0) : values.extent(0));
  }
  index_t n_own_coarse() const {
    return child_offsets.extent(0) == 0 ? 0 : static_cast<index_t>(child_offsets.extent(0)) - 1;
  }
};

/// Sizes of block rows.
template <class MemorySpace> struct BlockSizes {
  ConstArray<const index_t*, MemorySpace> dof_offsets; ///< first unknown of each, [n + 1]
  int largest = 0;
  bool is_uniform = false;
};

/// A row for each fine block row, whose one entry, 1, is the number of its coarse one.
template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space> memberships(const ExecutionSpace& exec,
                                                             const Array<index_t*, ExecutionSpace>& coarse_of);

/// A transfer whose values are still to be set: `children` names the fine block rows of each own coarse one, at least
/// one, in the pattern of its rows; the first ones of both are own.
template <class ExecutionSpace>
BlockTransfer<typename ExecutionSpace::memory_space>
make_block_transfer(const ExecutionSpace& exec, const Array<index_t*, ExecutionSpace>& coarse_of, index_t n_own,
                    const CrsMatrix<typename ExecutionSpace::memory_space>& children,
                    const BlockSizes<typename ExecutionSpace::memory_space>& fine,
                    const BlockSizes<typename ExecutionSpace::memory_space>& coarse);

/// y = P x and sum += y, of own fine block rows. Does not wait.
template <class ExecutionSpace>
void interpolate_and_add(const ExecutionSpace& exec, const BlockTransfer<typename ExecutionSpace::memory_space>& p,
                         const ConstVector<ExecutionSpace>& x, const Vector<ExecutionSpace>& y,
                         const Vector<ExecutionSpace>& sum);

/// y = P^T x, of own coarse block rows: fine block row k of a coarse one goes to sum k mod 8, and a binary tree adds
/// the sums. Does not wait.
template <class ExecutionSpace>
void restrict_to(const ExecutionSpace& exec, const BlockTransfer<typename ExecutionSpace::memory_space>& p,
                 const ConstVector<ExecutionSpace>& x, const Vector<ExecutionSpace>& y);

} // namespace tessera::linalg

#endif
