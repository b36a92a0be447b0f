// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_BLOCKS_BLOCK_TRANSFER_HPP
#define TESSERA_LINALG_BLOCKS_BLOCK_TRANSFER_HPP

/// \file
/// Transfers between block matrices in which each fine block row belongs to one coarse block row, as elements to
/// agglomerates.

#include "linalg/crs/crs_matrix.hpp"

#include <type_traits>

namespace tessera::linalg {

/// A matrix P with one block in each fine block row. A process has its owned fine block rows, followed by the ghosts
/// that P^T A P needs, and the rows of P^T of its owned coarse block rows, some of whose fine rows may be ghosts.
template <class MemorySpace> struct BlockTransfer {
  /// Block column of each fine block row, [n_fine]; n_coarse() marks a ghost without a block, which is not needed.
  Array<index_t*, MemorySpace> coarse_of;
  Array<index_t*, MemorySpace> dof_offsets;        ///< first unknown of each fine block row, [n_fine + 1]
  Array<index_t*, MemorySpace> coarse_dof_offsets; ///< [n_coarse + 1]
  Array<offset_t*, MemorySpace> value_offsets;     ///< [n_fine + 1]
  Array<double*, MemorySpace> values;              ///< blocks column by column
  Array<float*, MemorySpace> single_values;        ///< instead of `values`
  Array<offset_t*, MemorySpace> child_offsets;     ///< fine block rows of each owned coarse row, [n_owned_coarse + 1]
  Array<index_t*, MemorySpace> children;           ///< in the order of global indices
  index_t n_owned = 0;                             ///< number of owned fine block rows
  index_t first_owned_coarse = 0;                  ///< index of the first owned coarse block row
  int largest_block = 0;                           ///< number of unknowns of the largest fine block row
  int coarse_largest_block = 0;                    ///< number of unknowns of the largest coarse block row
  index_t coarse_block_size = 0;                   ///< if all coarse block rows have the same size, else 0

  index_t n_fine() const { return static_cast<index_t>(coarse_of.extent(0)); }
  index_t n_coarse() const {
    return coarse_dof_offsets.extent(0) == 0 ? 0 : static_cast<index_t>(coarse_dof_offsets.extent(0)) - 1;
  }
  /// The values as the given type, which must be the stored one.
  template <class Value> KOKKOS_FUNCTION const Value* values_as() const {
    if constexpr (std::is_same_v<Value, float>)
      return single_values.data();
    else
      return values.data();
  }
  bool is_single() const { return single_values.extent(0) > 0; }
  /// per value
  double value_bytes() const { return is_single() ? sizeof(float) : sizeof(double); }
  std::int64_t n_values() const {
    return static_cast<std::int64_t>(is_single() ? single_values.extent(0) : values.extent(0));
  }
  index_t n_owned_coarse() const {
    return child_offsets.extent(0) == 0 ? 0 : static_cast<index_t>(child_offsets.extent(0)) - 1;
  }
};

/// Sizes of block rows.
template <class MemorySpace> struct BlockSizes {
  Array<const index_t*, MemorySpace> dof_offsets; ///< first unknown of each, [n + 1]
  int largest = 0;
  bool is_uniform = false;
};

/// A matrix with a row for each fine block row, whose one entry, 1, is in the column of its coarse block row.
template <class ExecutionSpace>
CrsMatrix<typename ExecutionSpace::memory_space> memberships(const ExecutionSpace& exec,
                                                             const Array<index_t*, ExecutionSpace>& coarse_of);

/// A transfer without values: row k of `children` lists the fine block rows, at least one, of owned coarse row k; in
/// both numberings owned rows come first.
template <class ExecutionSpace>
BlockTransfer<typename ExecutionSpace::memory_space>
make_block_transfer(const ExecutionSpace& exec, const Array<index_t*, ExecutionSpace>& coarse_of, index_t n_owned,
                    const CrsMatrix<typename ExecutionSpace::memory_space>& children,
                    const BlockSizes<typename ExecutionSpace::memory_space>& fine,
                    const BlockSizes<typename ExecutionSpace::memory_space>& coarse);

/// y = P x and sum += y, for owned fine block rows. Does not wait.
template <class ExecutionSpace>
void interpolate_and_add(const ExecutionSpace& exec, const BlockTransfer<typename ExecutionSpace::memory_space>& p,
                         const ConstVector<ExecutionSpace>& x, const Vector<ExecutionSpace>& y,
                         const Vector<ExecutionSpace>& sum);

/// y = P^T x, for owned coarse block rows: fine block row k of a coarse row is added to partial sum k mod 8, and a
/// binary tree adds the partial sums. Does not wait.
template <class ExecutionSpace>
void restrict_to(const ExecutionSpace& exec, const BlockTransfer<typename ExecutionSpace::memory_space>& p,
                 const ConstVector<ExecutionSpace>& x, const Vector<ExecutionSpace>& y);

} // namespace tessera::linalg

#endif
