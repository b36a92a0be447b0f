// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_KRYLOV_PCG_COLUMNS_HPP
#define TESSERA_SOLVERS_KRYLOV_PCG_COLUMNS_HPP

/// \file
/// Conjugate gradients for several right-hand sides of one matrix.

#include "linalg/crs/crs_matrix.hpp"
#include "solvers/krylov/pcg_recurrence.hpp"
#include "solvers/multigrid/multigrid_columns.hpp"

#include <memory>
#include <optional>

namespace tessera::solvers {

/// Solves A x = b from x = 0 for up to N right-hand sides together, on vectors stored together (linalg/pack.hpp), so
/// that a product reads the matrix once for all, and a cycle of multigrid each level. Every column stops by its own
/// residual, and has the bits of Pcg::solve().
template <class ExecutionSpace, int N> class PcgColumns : protected PcgRecurrence<ExecutionSpace, N> {
public:
  using typename KrylovSolver<ExecutionSpace>::operator_type;
  using typename KrylovSolver<ExecutionSpace>::preconditioner_type;
  using typename KrylovSolver<ExecutionSpace>::vector_type;
  using typename KrylovSolver<ExecutionSpace>::const_vector_type;

  /// Whether the constructor may be called: a stored matrix of one process with a preconditioner that is pointwise or
  /// multigrid.
  static bool suits(const operator_type& a, const preconditioner_type& m);

  /// Allocates all vectors. Operator and preconditioner must not change.
  PcgColumns(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
             const SolverOptions& options);

  /// Returns one result for each right-hand side. Empty: squares of its entries leave the range of doubles, and Pcg
  /// must solve it separately. Does not look for a constant null space. Complete on return.
  std::vector<std::optional<PcgResult>> solve(const ExecutionSpace& exec, const std::vector<const_vector_type>& b);

  /// The solution of right-hand side c.
  void copy_solution(const ExecutionSpace& exec, int c, const vector_type& x) const;

private:
  using matrix_type = linalg::CrsMatrix<typename ExecutionSpace::memory_space>;
  using typename PcgRecurrence<ExecutionSpace, N>::Vectors;

  /// Operator and preconditioner for packs, see PcgRecurrence.
  struct System;

  std::vector<std::optional<PcgResult>> start(const ExecutionSpace& exec, const std::vector<const_vector_type>& b);

  using KrylovSolver<ExecutionSpace>::options_;
  using KrylovSolver<ExecutionSpace>::records_;
  using KrylovSolver<ExecutionSpace>::workspace_;
  using PcgRecurrence<ExecutionSpace, N>::r_;
  using PcgRecurrence<ExecutionSpace, N>::p_;
  using PcgRecurrence<ExecutionSpace, N>::q_;
  using PcgRecurrence<ExecutionSpace, N>::z_;
  using PcgRecurrence<ExecutionSpace, N>::state_;

  const operator_type& a_;
  const preconditioner_type& m_;
  std::unique_ptr<MultigridColumns<ExecutionSpace, N>> cycle_; ///< null: the preconditioner is pointwise
  Vectors x_;
  int interval_;
};

} // namespace tessera::solvers

#endif
