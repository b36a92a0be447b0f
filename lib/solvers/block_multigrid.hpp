// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_BLOCK_MULTIGRID_HPP
#define TESSERA_SOLVERS_BLOCK_MULTIGRID_HPP

#include "solvers/block_jacobi.hpp"
#include "solvers/multigrid/multigrid.hpp"

namespace tessera::solvers {

/// M^-1 = D^-1 + P M_c^-1 P^T: the inverses of the diagonal blocks, and a cycle of multigrid for a matrix of the first
/// unknowns of all blocks, of discontinuous elements their constants (assembly/dg/mean_couplings.hpp). Symmetric.
/// Smooth errors, which blocks alone reduce in as many iterations as there are elements in a row, are the cycle's.
template <class ExecutionSpace> class BlockMultigrid final : public Preconditioner<ExecutionSpace> {
public:
  using typename Preconditioner<ExecutionSpace>::vector_type;
  using typename Preconditioner<ExecutionSpace>::const_vector_type;
  using Space = typename ExecutionSpace::memory_space;

  /// `first` has a row for each block row of `a`. Throws what BlockJacobi and Multigrid throw.
  BlockMultigrid(const ExecutionSpace& exec, const linalg::BlockCrsOperator<ExecutionSpace>& a,
                 const linalg::CrsMatrix<Space>& first, const MultigridOptions& options);

  std::string name() const override { return "multigrid"; }
  bool is_symmetric() const override { return true; }
  bool excludes_constants() const override { return true; }
  void apply(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z) const override;
  linalg::Traffic traffic() const override;

  std::vector<LevelSummary> levels() const { return cycle_.levels(); } ///< of the first unknowns

private:
  BlockJacobi<ExecutionSpace> blocks_;
  Multigrid<ExecutionSpace> cycle_;
  Array<const index_t*, Space> dof_offsets_;
  vector_type residual_;
  vector_type correction_;
};

} // namespace tessera::solvers

#endif
