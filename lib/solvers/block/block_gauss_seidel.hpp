// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_BLOCK_BLOCK_GAUSS_SEIDEL_HPP
#define TESSERA_SOLVERS_BLOCK_BLOCK_GAUSS_SEIDEL_HPP

/// \file
/// Block Gauss-Seidel, and orderings of its block rows.

#include "core/algorithms/grouped_items.hpp"
#include "linalg/blocks/block_crs_operator.hpp"
#include "solvers/preconditioner.hpp"

namespace tessera::solvers {

/// Levels of a sweep from a colouring: block rows of a level are not coupled, and there are few levels. Determined by
/// the pattern alone, which must be symmetric. Waits.
template <class ExecutionSpace>
Array<index_t*, ExecutionSpace>
levels_by_color(const ExecutionSpace& exec,
                const linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>& matrix);

/// Levels of a sweep in a given order, for example in the direction of an advection: every block row follows those
/// coupled to it that precede it in the order. On the host. Throws unless `order` is a permutation of the block rows.
/// Waits.
template <class ExecutionSpace>
Array<index_t*, ExecutionSpace>
levels_by_order(const ExecutionSpace& exec, const linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>& matrix,
                const Array<const index_t*, ExecutionSpace>& order);

enum class GaussSeidelSweep {
  forward,  ///< M = D + L
  symmetric ///< M = (D + L) D^-1 (D + U); symmetric positive definite if A is
};

/// Block Gauss-Seidel: D holds the diagonal blocks of A, L the blocks towards lower levels and U those towards higher
/// ones; blocks between two block rows of one level are ignored. Levels are processed one after the other, all block
/// rows of a level at once. The result depends on matrix and levels only: every backend gives the same bits.
template <class ExecutionSpace> class BlockGaussSeidel final : public Preconditioner<ExecutionSpace> {
public:
  using typename Preconditioner<ExecutionSpace>::vector_type;
  using typename Preconditioner<ExecutionSpace>::const_vector_type;

  /// Shares the arrays of `a`, whose values must not change while this object is used. `levels` start at 0,
  /// [n_block_rows]; empty levels are skipped. Throws an Error of kind numerical that states the first block row whose
  /// diagonal block is singular.
  BlockGaussSeidel(const ExecutionSpace& exec, const linalg::BlockCrsOperator<ExecutionSpace>& a,
                   GaussSeidelSweep sweep, const Array<index_t*, ExecutionSpace>& levels);
  /// Uses a colouring.
  BlockGaussSeidel(const ExecutionSpace& exec, const linalg::BlockCrsOperator<ExecutionSpace>& a,
                   GaussSeidelSweep sweep)
      : BlockGaussSeidel(exec, a, sweep, levels_by_color(exec, a.matrix())) {}

  void apply(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z) const override;
  linalg::Traffic traffic() const override;
  index_t n_levels() const { return rows_.n_groups(); }

private:
  using Matrix = linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>;
  void sweep_level(const ExecutionSpace& exec, index_t level, bool is_backward, const double* r, double* z) const;

  Matrix matrix_;
  Matrix inverse_; // of the diagonal blocks
  GaussSeidelSweep sweep_;
  Array<index_t*, ExecutionSpace> levels_;
  GroupedItems<typename ExecutionSpace::memory_space> rows_; // by level
  vector_type t_;                                            // right-hand side of the diagonal blocks
};

} // namespace tessera::solvers

#endif
