// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_MATRIX_FREE_MULTIGRID_HPP
#define TESSERA_SOLVERS_MULTIGRID_MATRIX_FREE_MULTIGRID_HPP

/// \file
/// Multigrid whose finest level has no matrix.

#include "linalg/transfer.hpp"
#include "solvers/multigrid/multigrid.hpp"
#include "solvers/multigrid/smoother_factors.hpp"

#include <functional>
#include <memory>

namespace tessera::solvers {

/// What multigrid needs of a finest level without a matrix, and of the next coarser one. Of several processes each has
/// the own entries of vectors of both levels; all functions are collective then.
template <class ExecutionSpace> struct MatrixFreeLevel {
  using Space = typename ExecutionSpace::memory_space;
  const linalg::LinearOperator<ExecutionSpace>* a = nullptr; ///< must stay
  std::shared_ptr<const linalg::Transfer<ExecutionSpace>> interpolation;
  /// Upper bound of the eigenvalues of D^-1 A, for its values as they are; the same in each process.
  std::function<double(const ExecutionSpace&)> eigenvalue_bound;
  /// The own rows of P^T A P, in the same pattern each time.
  std::function<FinestRows<ExecutionSpace>(const ExecutionSpace&)> coarse_rows;
  /// Of the levels with a matrix, as in make_hierarchy().
  std::function<GivenLevels<ExecutionSpace>(const ExecutionSpace&)> below;
  linalg::Shares<ExecutionSpace> shares; ///< of several processes, whose the unknowns of the finest level are
  std::shared_ptr<const linalg::GlobalSums<ExecutionSpace>>
      coarse_sums; ///< over the coarse unknowns; null: of one process
};

/// M^-1 = one cycle of multigrid from zero. On the finest level smoother and residual take products with the operator,
/// in double precision, on vectors of the solver's; below it stands Multigrid, which has matrices on all levels. Steps
/// before and after the coarser level are the same, so that M is symmetric positive definite. The bits are the
/// operator's: where its products are reproducible, the cycle is.
///
/// Of several processes each has its unknowns. Where operator, interpolation and coarser rows have the bits of one
/// process, so has the cycle.
///
/// Smoother: that of Multigrid. Unless the options keep products for new values, the levels below are compact: in
/// single precision their matrices take less memory than elements would.
///
/// Traffic with k steps before and after the coarser level: 2 k products, the interpolation twice, and
/// 36 (2 k - 1) + 44 bytes per unknown in vectors (of several processes: what each has).
template <class ExecutionSpace> class MatrixFreeMultigrid final : public Preconditioner<ExecutionSpace> {
public:
  using typename Preconditioner<ExecutionSpace>::vector_type;
  using typename Preconditioner<ExecutionSpace>::const_vector_type;

  /// Throws what Multigrid throws, and an Error of kind numerical where the diagonal is not positive.
  MatrixFreeMultigrid(const ExecutionSpace& exec, MatrixFreeLevel<ExecutionSpace> level,
                      const MultigridOptions& options);

  /// For new values of the operator, with the same transfers, or anew where the levels below are compact.
  void renew(const ExecutionSpace& exec);

  std::string name() const override { return "multigrid"; }
  bool is_symmetric() const override { return true; }
  bool excludes_constants() const override { return true; }
  /// Allocates a vector and waits, which apply_with() does not.
  void apply(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z) const override;
  void apply_with(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z,
                  const vector_type& work) const override;
  bool has_start() const override;
  /// Full multigrid, from the coarser level's.
  void start(const ExecutionSpace& exec, const const_vector_type& b, const vector_type& x) const override;
  linalg::Traffic traffic() const override;

  std::vector<LevelSummary> levels() const;

private:
  void set_up(const ExecutionSpace& exec);
  void make_coarse(const ExecutionSpace& exec);
  std::int64_t n_unknowns() const; ///< of all processes
  /// Runs the smoother on A x = b; products go to `work`.
  void smooth(const ExecutionSpace& exec, const const_vector_type& b, const vector_type& x, const vector_type& work,
              bool from_zero, ChebyshevKind kind) const;
  /// z = M^-1 r with a polynomial on the finest level.
  void run(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z, const vector_type& work,
           ChebyshevKind kind) const;

  MatrixFreeLevel<ExecutionSpace> level_;
  MultigridOptions options_;
  double damping_ = 1.; ///< 1 / (bound of the eigenvalues of D^-1 A), over the scale of the inverse diagonal
  /// Rounded to single precision, times a power of two: as good a scaling as D.
  Array<float*, ExecutionSpace> inverse_diagonal_;
  vector_type coarse_rhs_;
  vector_type coarse_solution_;
  std::unique_ptr<Multigrid<ExecutionSpace>> coarse_;
};

} // namespace tessera::solvers

#endif
