// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_HARMONIC_COCG_HPP
#define TESSERA_SOLVERS_HARMONIC_COCG_HPP

/// \file
/// Conjugate orthogonal conjugate gradients for complex symmetric systems.

#include "solvers/harmonic/shifted_operator.hpp"

#include <string>
#include <vector>

namespace tessera::solvers {

/// Norm of residuals.
enum class ResidualNorm {
  euclidean, ///< ||r||_2
  diagonal   ///< (sum_i |r_i|^2 / |a_ii|)^1/2: for coefficients that jump by more than 1e8, where the rounding of the
             ///< larger ones would dominate the 2-norm
};

struct CocgOptions {
  /// Convergence criterion, in `norm`: ||r|| <= max(relative_tolerance ||b||, absolute_tolerance).
  double relative_tolerance = 1e-8;
  double absolute_tolerance = 0.;
  ResidualNorm norm = ResidualNorm::euclidean;
  int max_iterations = 1000;
  int max_restarts = 2;    ///< after that many breakdowns the next one leads to GMRES
  int gmres_restart = 20;  ///< directions of flexible GMRES
  int stagnation = 100;    ///< iterations without a smaller residual that count as a breakdown
  double inaccurate = 10.; ///< a true residual above this times the threshold is reported as inaccurate
  bool record_history = true;
};

enum class CocgStatus {
  converged,
  max_iterations,
  stagnated,  ///< neither restarts nor GMRES reduce the residual
  non_finite, ///< right-hand side, start, operator or preconditioner gives a value that is not finite
  inaccurate  ///< the tolerance is met, but not by the true residual
};

const char* to_string(CocgStatus status);

/// Of one column; norms are those of CocgOptions::norm.
struct CocgResult {
  CocgStatus status = CocgStatus::max_iterations;
  int iterations = 0;           ///< cycles of the preconditioner, including those of GMRES
  int restarts = 0;             ///< breakdowns
  int gmres_iterations = 0;     ///< those of flexible GMRES; 0: it was not needed
  double initial_residual = 0.; ///< ||b - A x_0||
  double residual = 0.;         ///< ||r|| by the recurrence
  double true_residual = 0.;    ///< ||b - A x||, computed at the end
  double rhs_norm = 0.;         ///< ||b||
  double threshold = 0.;        ///< for ||r||
  std::vector<double> history;  ///< ||r|| of x_0, x_1, ...; empty unless recorded
  double seconds = 0.;          ///< of all columns together
  std::string message;          ///< a sentence that states the outcome with its numbers
};

namespace detail {

/// Scalars of the recurrence in the space's memory.
template <int N> struct CocgScalars {
  double inverse[3 * N];  ///< r^T z (real and imaginary part of each column), ||z||^2
  double product[4 * N];  ///< p^T q likewise, ||p||^2, ||q||^2
  double residual[2 * N]; ///< ||r||^2 in the norm of the options, ||r||_2^2
  double rho[2 * N];      ///< r^T z of the last iteration
  double alpha[2 * N];
  double beta[2 * N];
  int is_broken[N];
};

} // namespace detail

/// Solves (K + s M) x = b for N columns in lockstep by COCG (H. A. van der Vorst, J. B. M. Melissen, IEEE Trans. Magn.
/// 26, 1990, 706): conjugate gradients with bilinear products u^T v, which may vanish for complex vectors. If they do
/// up to rounding, |r^T z| < 1e-14 ||r|| ||z|| or |p^T A p| < 1e-14 ||p|| ||A p||, if ||r|| grows 1e4-fold or does not
/// decrease for long, the column restarts at its best iterate; after CocgOptions::max_restarts restarts flexible GMRES
/// continues with the same preconditioner (Y. Saad, SIAM J. Sci. Comput. 14, 1993). A column that does not converge
/// returns its best iterate.
///
/// Sums are added in a fixed order (core/algorithms/reduce.hpp), with several processes as by linalg::global_sums. One
/// wait per iteration.
///
/// Traffic of an iteration with n unknowns and N columns, besides the product and the cycle: 11 vectors in double and
/// two in single precision, 192 n N bytes.
template <class ExecutionSpace, int N> class Cocg {
public:
  using operator_type = ShiftedOperator<ExecutionSpace, N>;
  using preconditioner_type = ShiftedPreconditioner<ExecutionSpace, N>;
  using vector_type = typename operator_type::vector_type;
  using const_vector_type = typename operator_type::const_vector_type;

  /// Throws if an option is out of range.
  explicit Cocg(CocgOptions options);

  /// Starts from x. Columns with b = 0 get x = 0. Breakdown and failure to converge are reported in the results, not
  /// thrown. Vectors are allocated at the first solve and reused for the same size. Complete on return.
  std::array<CocgResult, N> solve(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
                                  const const_vector_type& b, const vector_type& x);

  /// Minimum traffic of an iteration without the preconditioner's.
  static linalg::Traffic iteration_traffic(const operator_type& a);

private:
  using Columns = std::array<bool, N>;

  void prepare(const ExecutionSpace& exec, const operator_type& a);
  /// r = b - A x of the selected columns, and the norms of all.
  void set_residual(const ExecutionSpace& exec, const operator_type& a, const const_vector_type& b,
                    const vector_type& x, const Columns& selected);
  void iterate(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m, const Columns& runs,
               const Columns& starts, const Columns& saves);
  /// The recurrences, until each column has converged, has made all iterations or needs GMRES, which is returned.
  Columns run(const ExecutionSpace& exec, const operator_type& a, const preconditioner_type& m,
              const const_vector_type& b, std::array<CocgResult, N>& results);

  CocgOptions options_;
  vector_type r_, p_, q_;
  vector_type z_;        ///< if the preconditioner has no single precision
  vector_type x_, best_; ///< the current and the best iterate: that of the caller and another array, in turn
  Array<detail::CocgScalars<N>*, ExecutionSpace> state_;
  ReduceWorkspace<ExecutionSpace> workspace_;
};

} // namespace tessera::solvers

#endif
