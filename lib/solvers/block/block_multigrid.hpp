// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_BLOCK_BLOCK_MULTIGRID_HPP
#define TESSERA_SOLVERS_BLOCK_BLOCK_MULTIGRID_HPP

#include "comm/layout.hpp"
#include "core/kokkos_ext/device/recorded_kernels.hpp"
#include "linalg/blocks/block_crs_operator.hpp"
#include "linalg/blocks/block_transfer.hpp"
#include "solvers/multigrid/level_summary.hpp"
#include "solvers/multigrid/options.hpp"
#include "solvers/preconditioner.hpp"

#include <utility>
#include <vector>

namespace tessera::solvers {

/// A level's matrix, and the transfer to the next coarser level, which the coarsest level lacks. With several processes
/// each has its owned rows, or, from some coarser level on, all rows: these levels are replicated.
template <class ExecutionSpace> struct BlockLevel {
  using Space = typename ExecutionSpace::memory_space;
  linalg::BlockCrsMatrix<Space> a; ///< local rows, columns as in `unknowns`
  linalg::BlockTransfer<Space> p;
  comm::Layout<ExecutionSpace> unknowns; ///< ghosts: needed by `a` and the transfers on both sides
  /// First unknown of each process, and the total; for a replicated level 0 and the total.
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> coarse_offsets; ///< distribution of the unknowns when restricting to the coarser level
  linalg::BlockCrsMatrix<Space> whole_a;    ///< all rows of the coarsest level, if it is distributed and solved
                                            ///< directly

  static BlockLevel whole(const linalg::BlockCrsMatrix<Space>& a, const linalg::BlockTransfer<Space>& p = {}) {
    return {a, p, comm::Layout<ExecutionSpace>::local(a.n_unknowns), {0, a.n_unknowns}, {}, {}};
  }
  bool is_distributed() const { return unknowns.is_distributed(); }
  /// Whether the coarsest level is small enough for a dense inverse.
  bool is_solved() const { return offsets.back() <= 2000; }
};

/// M^-1 = one cycle of multigrid from zero, for block matrices with given levels. Symmetric if A is. Smoother:
/// Chebyshev polynomials (multigrid/smoother_factors.hpp; of the fourth kind without symmetry) of D^-1 A, where D
/// consists of the diagonal blocks; its eigenvalues must be near the positive axis, and the largest is estimated by the
/// power method. The coarsest level has a dense inverse; one that is too large for that, with weakly coupled blocks, is
/// smoothed. Vectors are in double precision, matrices and inverse blocks in the precision of the options, except that
/// levels whose blocks are too ill-conditioned for single precision use double. The bits are the same on every backend
/// and for any number of processes, each of which has its owned entries of vectors; then all functions are collective.
///
/// Traffic of a V-cycle with k steps: the matrix of each level 2 k times, its inverse blocks likewise, P and its
/// transpose once, and some 12 k vectors.
template <class ExecutionSpace> class BlockMultigrid final : public Preconditioner<ExecutionSpace> {
public:
  using typename Preconditioner<ExecutionSpace>::vector_type;
  using typename Preconditioner<ExecutionSpace>::const_vector_type;
  using Space = typename ExecutionSpace::memory_space;

  /// Levels from the finest to the coarsest; the finest matrix is shared if it has the options' precision. Throws an
  /// Error of kind numerical if a diagonal block or the coarsest matrix is singular.
  BlockMultigrid(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
                 const std::vector<BlockLevel<ExecutionSpace>>& levels, linalg::Symmetry symmetry,
                 const MultigridOptions& options);

  void apply(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z) const override;
  linalg::Traffic traffic() const override;

  std::vector<LevelSummary> levels() const;

private:
  struct Level {
    linalg::BlockCrsOperator<ExecutionSpace> a;
    linalg::BlockCrsOperator<ExecutionSpace> inverse; ///< of the diagonal blocks
    linalg::BlockTransfer<Space> p;
    comm::Layout<ExecutionSpace> unknowns;
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> coarse_offsets;
    double damping = 0.; ///< 1 / (largest eigenvalue of D^-1 A)
    int n_visits = 1;    ///< visits of the coarser level per visit of this one
    // With room for ghosts:
    vector_type r; ///< right-hand side, then residual
    vector_type x; ///< solution
    vector_type z; ///< last step

    vector_type owned(const vector_type& vector) const {
      return Kokkos::subview(vector, std::make_pair(index_t(0), unknowns.n_owned));
    }
    bool is_distributed() const { return unknowns.is_distributed(); }
  };

  /// The precision of the options, or double if rounding the blocks to single precision would affect the smallest
  /// eigenvalues of others, because coefficients jump or blocks are ill-conditioned: the cycle would then not be
  /// positive definite. `inverse`: of the diagonal blocks; `diagonal`: work vector of the owned unknowns.
  Precision precision_for(const ExecutionSpace& exec, const BlockLevel<ExecutionSpace>& level,
                          const linalg::BlockCrsMatrix<Space>& inverse, const vector_type& diagonal) const;
  double largest_eigenvalue(const ExecutionSpace& exec, const Level& level) const;
  /// Performs the steps of the smoother from the residual in r; also updates the residual if another level needs it.
  /// With `from_zero` sets x, else adds to it.
  void smooth(const ExecutionSpace& exec, const Level& level, bool from_zero, bool with_residual) const;
  void subtract_product(const ExecutionSpace& exec, const Level& level) const;
  /// Solves for x on the coarsest level by its inverse.
  void solve(const ExecutionSpace& exec, const Level& level) const;
  /// A cycle from level l, for the right-hand side in its r; visit() uses recorded kernels where possible.
  void run(const ExecutionSpace& exec, std::size_t l) const;
  void visit(const ExecutionSpace& exec, std::size_t l) const;

  comm::ProcessGroup<ExecutionSpace> group_;
  MultigridOptions options_;
  std::vector<Level> levels_;
  Array<double*, ExecutionSpace> coarsest_inverse_; ///< empty: the coarsest level is smoothed
  vector_type whole_r_;                             ///< of the coarsest level, if it is distributed
  vector_type whole_x_;
  std::size_t recorded_level_ = 0;                  ///< finest level whose kernels, and messages if any, can be
                                                    ///< recorded
  mutable RecordedKernels<ExecutionSpace> kernels_; ///< of the cycle from that level on
};

} // namespace tessera::solvers

#endif
