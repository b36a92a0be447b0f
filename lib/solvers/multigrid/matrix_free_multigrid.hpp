// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_MATRIX_FREE_MULTIGRID_HPP
#define TESSERA_SOLVERS_MULTIGRID_MATRIX_FREE_MULTIGRID_HPP

/// \file
/// Multigrid with a matrix-free finest level.

#include "linalg/transfer.hpp"
#include "solvers/multigrid/multigrid.hpp"
#include "solvers/multigrid/options.hpp"
#include "solvers/multigrid/smoother_factors.hpp"

#include <functional>
#include <memory>

namespace tessera::solvers {

/// A matrix-free finest level and the next coarser one, as needed by multigrid. With several processes each has the
/// owned entries of vectors of both levels; then all functions are collective.
template <class ExecutionSpace> struct MatrixFreeLevel {
  using Space = typename ExecutionSpace::memory_space;
  const linalg::LinearOperator<ExecutionSpace>* a = nullptr; ///< must outlive the preconditioner
  std::shared_ptr<const linalg::Transfer<ExecutionSpace>> interpolation;
  /// Upper bound of the eigenvalues of D^-1 A for its current values; the same in each process.
  std::function<double(const ExecutionSpace&)> eigenvalue_bound;
  /// The owned rows of P^T A P, with the same pattern each time.
  std::function<FinestRows<ExecutionSpace>(const ExecutionSpace&)> coarse_rows;
  /// Given levels with a matrix, as in make_hierarchy().
  std::function<GivenLevels<ExecutionSpace>(const ExecutionSpace&)> below;
  comm::Shares<ExecutionSpace> shares; ///< distribution of the finest unknowns; without offsets one process has all
  std::shared_ptr<const linalg::GlobalSums<ExecutionSpace>>
      coarse_sums; ///< over the coarse unknowns; null: single process
};

/// M^-1 = one cycle of multigrid from zero. On the finest level smoother and residual use products with the operator,
/// in double precision, on vectors of the solver; the coarser levels are a Multigrid, with matrices on all levels.
/// Steps before and after the coarser level are the same, so that M is symmetric positive definite. The cycle is
/// reproducible if the operator's products are.
///
/// The unknowns may be distributed over processes. The cycle has the bits of a single process if operator,
/// interpolation and coarser rows have.
///
/// Smoother: that of Multigrid. Unless the options keep products for new values, the coarser levels are compact: in
/// single precision their matrices take less memory than elements would.
///
/// Traffic with k steps before and after the coarser level: 2 k products, the interpolation twice, and
/// 36 (2 k - 1) + 44 bytes per unknown in vectors (per process).
template <class ExecutionSpace> class MatrixFreeMultigrid final : public Fused<ExecutionSpace> {
public:
  using typename Fused<ExecutionSpace>::vector_type;
  using typename Fused<ExecutionSpace>::const_vector_type;

  /// Throws the errors of Multigrid, and an Error of kind numerical if the diagonal is not positive.
  MatrixFreeMultigrid(const ExecutionSpace& exec, MatrixFreeLevel<ExecutionSpace> level,
                      const MultigridOptions& options);

  /// Updates the preconditioner for new values of the operator, with the same transfers; if the coarser levels are
  /// compact they are made again.
  void renew(const ExecutionSpace& exec);

  /// Allocates a vector and waits, unlike apply_dot().
  void apply(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z) const override;
  bool apply_dot(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z, const vector_type& work,
                 const ResidualProducts<ExecutionSpace>* products) const override;
  bool has_start() const override;
  /// Full multigrid, starting from that of the coarser level.
  void start(const ExecutionSpace& exec, const const_vector_type& b, const vector_type& x) const override;
  linalg::Traffic traffic() const override;

  std::vector<LevelSummary> levels() const;

private:
  void set_up(const ExecutionSpace& exec);
  void make_coarse(const ExecutionSpace& exec);
  std::int64_t n_unknowns() const; ///< of all processes
  /// Performs the smoother's steps for A x = b; `work` receives products.
  void smooth(const ExecutionSpace& exec, const const_vector_type& b, const vector_type& x, const vector_type& work,
              bool from_zero, ChebyshevKind kind) const;
  /// z = M^-1 r with a given polynomial on the finest level.
  void run(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z, const vector_type& work,
           ChebyshevKind kind) const;

  MatrixFreeLevel<ExecutionSpace> level_;
  MultigridOptions options_;
  double damping_ = 1.; ///< 1 / (bound of the eigenvalues of D^-1 A), divided by the scale of the inverse diagonal
  /// Rounded to single precision and multiplied by a power of two: as good a scaling as D.
  Array<float*, ExecutionSpace> inverse_diagonal_;
  vector_type coarse_rhs_;
  vector_type coarse_solution_;
  std::unique_ptr<Multigrid<ExecutionSpace>> coarse_;
};

} // namespace tessera::solvers

#endif
