// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_LINALG_DISTRIBUTED_BLOCKS_HPP
#define TESSERA_LINALG_DISTRIBUTED_BLOCKS_HPP

/// \file
/// Matrices of blocks whose rows are distributed over processes.

#include "comm/halo.hpp"
#include "linalg/block_crs_operator.hpp"
#include "linalg/distributed_sums.hpp"
#include "linalg/own_and_ghosts.hpp"

namespace tessera::linalg {

/// The block rows of a matrix that a process owns, cut from a local matrix in which they are the rows [first, first +
/// n_own). The columns of own rows are own ones or ghosts: the rows below `first` and those behind the own ones, which
/// are unknowns of other processes.
template <class MemorySpace> struct OwnBlockRows {
  /// All blocks of the own rows. Columns are numbered anew: the own ones first, then the ghosts in their order;
  /// n_unknowns counts the own ones, dof_offsets goes on with the ghosts. Shares the values.
  BlockCrsMatrix<MemorySpace> rows;
  BlockCrsMatrix<MemorySpace> square; ///< without the ghosts' columns; shares the values
};

template <class ExecutionSpace>
OwnBlockRows<typename ExecutionSpace::memory_space>
cut_own_rows(const ExecutionSpace& exec, const BlockCrsMatrix<typename ExecutionSpace::memory_space>& local,
             index_t first, index_t n_own);

/// The matrix of all processes, on each: `own` are the rows of this one, with columns of `columns`; `dof_offsets`:
/// first unknown of each row of all. Collective.
template <class ExecutionSpace>
BlockCrsMatrix<typename ExecutionSpace::memory_space>
gathered_blocks(const ExecutionSpace& exec, const Shares<ExecutionSpace>& shares,
                const OwnAndGhosts<ExecutionSpace>& columns,
                const BlockCrsMatrix<typename ExecutionSpace::memory_space>& own,
                const Array<index_t*, ExecutionSpace>& dof_offsets);

/// The product with the whole matrix, of which each process has its own rows and the own entries of vectors. The sums
/// of a row have the order that they have in the whole matrix.
template <class ExecutionSpace> class DistributedBlocks final : public LinearOperator<ExecutionSpace> {
public:
  using typename LinearOperator<ExecutionSpace>::vector_type;
  using typename LinearOperator<ExecutionSpace>::const_vector_type;
  using matrix_type = BlockCrsMatrix<typename ExecutionSpace::memory_space>;

  /// The halo's ghosts are those of the matrix. Halo and sums must stay.
  DistributedBlocks(const ExecutionSpace& exec, const matrix_type& rows, Symmetry symmetry,
                    const comm::Halo<ExecutionSpace>& halo, const DistributedSums<ExecutionSpace>& sums);

  index_t size() const override { return rows_.size(); }
  bool is_symmetric() const override { return rows_.is_symmetric(); }
  /// Collective. Traffic: that of the local product, and 16 bytes per unknown for a copy of x beside its ghosts, unless
  /// make_argument() made it. (To multiply rows without ghosts while these come cost more than it hid:
  /// docs/performance-dg.md.)
  void apply(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& y) const override;
  void diagonal(const ExecutionSpace& exec, const vector_type& d) const override { rows_.diagonal(exec, d); }
  vector_type make_argument(const ExecutionSpace& exec, const std::string& label) const override {
    return halo_.make_with_room(exec, label);
  }
  Traffic traffic() const override { return rows_.traffic(); }
  const GlobalSums<ExecutionSpace>& sums() const override { return sums_; }

private:
  BlockCrsOperator<ExecutionSpace> rows_;
  const comm::Halo<ExecutionSpace>& halo_;
  const DistributedSums<ExecutionSpace>& sums_;
  mutable vector_type x_; ///< own entries, then ghosts; of arguments without room
};

} // namespace tessera::linalg

#endif
