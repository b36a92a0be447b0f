// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_KRYLOV_PCG_COLUMNS_HPP
#define TESSERA_SOLVERS_KRYLOV_PCG_COLUMNS_HPP

/// \file
/// Conjugate gradients for several right-hand sides of one matrix.

#include "solvers/krylov/krylov.hpp"
#include "solvers/krylov/pcg_state.hpp"
#include "solvers/multigrid/multigrid_columns.hpp"

#include <memory>
#include <optional>

namespace tessera::solvers {

/// The state of N simultaneous recurrences.
template <int N> struct PcgColumnsState {
  double pq[N];
  double sums[2 * N]; ///< (r, r) of all, (r, z) of all
  PcgState column[N];
};

/// Solves A x = b from x = 0 for up to N right-hand sides together: N independent recurrences of Pcg (pcg.hpp) in
/// lockstep, on vectors stored together (linalg/pack.hpp), so that a product reads the matrix once for all, and a cycle
/// of multigrid each level. Every column stops by its own residual, and has the bits of Pcg::solve().
template <class ExecutionSpace, int N> class PcgColumns : protected KrylovSolver<ExecutionSpace> {
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
  using Columns = linalg::MultiVector<N, ExecutionSpace>;

  void product(const ExecutionSpace& exec, const Columns& x, const Columns& y) const;
  /// Also computes (x, y) of each column, into `xy`.
  void product_dot(const ExecutionSpace& exec, const Columns& x, const Columns& y, double* xy) const;
  std::vector<std::optional<PcgResult>> start(const ExecutionSpace& exec, const std::vector<const_vector_type>& b);
  void iterate(const ExecutionSpace& exec, std::vector<std::optional<PcgResult>>& results);
  /// Returns whether to continue.
  bool one_iteration(const ExecutionSpace& exec, int k, const std::vector<SolverRecord>& last);
  SolverRecord record(int c, int k) const { return records_(c * interval_ + k % interval_); }

  using KrylovSolver<ExecutionSpace>::options_;
  using KrylovSolver<ExecutionSpace>::records_;
  using KrylovSolver<ExecutionSpace>::workspace_;

  const operator_type& a_;
  const preconditioner_type& m_;
  const matrix_type& matrix_;
  std::unique_ptr<MultigridColumns<ExecutionSpace, N>> cycle_; ///< null: the preconditioner is pointwise
  Columns r_, p_, q_, z_, x_;                                  ///< r_ and z_ as in Pcg
  Array<PcgColumnsState<N>*, ExecutionSpace> state_;
  int interval_;
};

} // namespace tessera::solvers

#endif
