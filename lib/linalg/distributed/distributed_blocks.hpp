// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_DISTRIBUTED_DISTRIBUTED_BLOCKS_HPP
#define TESSERA_LINALG_DISTRIBUTED_DISTRIBUTED_BLOCKS_HPP

/// \file
/// Block matrices whose rows are distributed over processes.

#include "comm/halo.hpp"
#include "comm/layout.hpp"
#include "linalg/blocks/block_crs_operator.hpp"
#include "linalg/distributed/distributed_sums.hpp"

namespace tessera::linalg {

/// The block rows that a process owns, cut from a local matrix, of which they are the rows [first, first + n_owned).
/// The columns of owned rows are owned or ghosts: the local rows before and after the owned ones, which are unknowns of
/// other processes.
template <class MemorySpace> struct OwnedBlockRows {
  /// All blocks of the owned rows. Columns are renumbered: owned first, then the ghosts in their order; n_unknowns
  /// counts owned unknowns, dof_offsets continues with the ghosts. Shares the values.
  BlockCrsMatrix<MemorySpace> rows;
  BlockCrsMatrix<MemorySpace> square; ///< without the columns of ghosts; shares the values
};

template <class ExecutionSpace>
OwnedBlockRows<typename ExecutionSpace::memory_space>
cut_owned_rows(const ExecutionSpace& exec, const BlockCrsMatrix<typename ExecutionSpace::memory_space>& local,
               index_t first, index_t n_owned);

/// The matrix of all processes, replicated on each: `owned` holds the owned rows, with columns numbered by `columns`;
/// `dof_offsets`: first unknown of each row, global. Collective.
template <class ExecutionSpace>
BlockCrsMatrix<typename ExecutionSpace::memory_space>
gathered_blocks(const ExecutionSpace& exec, const comm::Shares<ExecutionSpace>& shares,
                const comm::Layout<ExecutionSpace>& columns,
                const BlockCrsMatrix<typename ExecutionSpace::memory_space>& owned,
                const Array<index_t*, ExecutionSpace>& dof_offsets);

/// The product with the distributed matrix. Each process has its owned rows and the owned entries of vectors. The sums
/// of a row have the order of the undistributed matrix.
template <class ExecutionSpace> class DistributedBlocks final : public LinearOperator<ExecutionSpace> {
public:
  using typename LinearOperator<ExecutionSpace>::vector_type;
  using typename LinearOperator<ExecutionSpace>::const_vector_type;
  using matrix_type = BlockCrsMatrix<typename ExecutionSpace::memory_space>;

  /// The halo's ghosts are those of the matrix. Halo and sums must outlive the operator.
  DistributedBlocks(const ExecutionSpace& exec, const matrix_type& rows, Symmetry symmetry,
                    const comm::Halo<ExecutionSpace>& halo, const DistributedSums<ExecutionSpace>& sums);

  index_t size() const override { return rows_.size(); }
  bool is_symmetric() const override { return rows_.is_symmetric(); }
  /// Collective. Traffic: that of the local product, and 16 bytes per unknown for a copy of x with its ghosts, unless
  /// make_argument() made x. (Multiplying rows without ghosts during the exchange cost more than it hid:
  /// docs/notebook/figures-dg.md.)
  void apply(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override;
  void diagonal(const ExecutionSpace& exec, const vector_type& d) const override { rows_.diagonal(exec, d); }
  vector_type make_argument(const ExecutionSpace& exec, const std::string& label) const override {
    return halo_.make_with_ghosts(exec, label);
  }
  Traffic traffic() const override { return rows_.traffic(); }
  const GlobalSums<ExecutionSpace>& sums() const override { return sums_; }

private:
  BlockCrsOperator<ExecutionSpace> rows_;
  const comm::Halo<ExecutionSpace>& halo_;
  const DistributedSums<ExecutionSpace>& sums_;
  mutable vector_type x_; ///< owned entries, then ghosts; for arguments without room for ghosts
};

} // namespace tessera::linalg

#endif
