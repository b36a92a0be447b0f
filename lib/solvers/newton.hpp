// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_NEWTON_HPP
#define TESSERA_SOLVERS_NEWTON_HPP

/// \file
/// Newton's method with line search for the minimum of a convex energy.

#include "solvers/pcg.hpp"

namespace tessera::solvers {

/// A nonlinear problem as Newton's method uses it: the gradient of a convex energy W vanishes at its solution.
template <class ExecutionSpace> class NonlinearSystem {
public:
  using operator_type = linalg::LinearOperator<ExecutionSpace>;
  using vector_type = linalg::Vector<ExecutionSpace>;
  using const_vector_type = linalg::ConstVector<ExecutionSpace>;

  virtual ~NonlinearSystem() = default;

  /// Assembles A and b of the linear system whose solution is Newton's next iterate, at the state of rest (no field
  /// anywhere).
  virtual void linearize_at_rest(const ExecutionSpace& exec) = 0;
  /// b of linearize_at_rest() alone; A may be anything.
  virtual void load_at_rest(const ExecutionSpace& exec) { linearize_at_rest(exec); }
  /// As above at the unknowns x; b - A x is then the negative gradient of W at x.
  virtual void linearize(const ExecutionSpace& exec, const const_vector_type& x) = 0;
  /// A and b of the last linearisation.
  virtual const operator_type& system() const = 0;
  virtual const_vector_type rhs() const = 0;
  /// Weights of the rows in norms of loads and residuals, so that a few large rows do not hide the others; empty:
  /// all 1.
  virtual const_vector_type row_weights(const ExecutionSpace&) const { return {}; }

  /// Solves A x = b with the matrix of the last linearisation to ||b - A x||_2 <= threshold, without weights; x holds
  /// the guess and then the solution.
  virtual PcgResult solve(const ExecutionSpace& exec, const const_vector_type& b, double threshold,
                          const vector_type& x) = 0;

  /// Sets the line x + s (target - x) for slope().
  virtual void set_line(const ExecutionSpace& exec, const const_vector_type& x, const const_vector_type& target) = 0;
  /// dW/ds at s.
  virtual double slope(const ExecutionSpace& exec, double s) = 0;
};

/// Options of Newton's method.
struct NewtonOptions {
  /// Converged when the gradient's norm is at most this times its norm at rest.
  double relative_tolerance = default_newton_tolerance;
  int max_iterations = default_max_newton_steps;
  bool line_search = true;
  /// Starts from x as the first iterate, unless its residual is above that at rest: for x near the solution.
  bool starts_at_guess = false;
  /// Linear systems are solved to 0.9 times the present gradient times the square of its ratio to the last one, and to
  /// a tenth of it at least, which keeps the order of convergence (S. C. Eisenstat, H. F. Walker, SIAM J. Sci. Comput.
  /// 17, 1996, choice 2), but not below this times the gradient at rest, or a tenth of `relative_tolerance` where that
  /// is smaller than this. Gradients above that at rest count as it: far into saturation the first iterate has 1e4
  /// times as much, and steps that lower this tenfold would only add to their number.
  double linear_tolerance = default_tolerance;
  /// Called after every iteration.
  std::function<void(int iterations, double relative_residual)> monitor;
};

/// A residual is at the accuracy of its evaluation up to this times what the unit roundoff of each unknown makes of it.
constexpr double rounding_factor = 8.;

/// Minimises the energy. `x`: in, a guess for the first linear system; out, the solution.
///
/// The first iterate is the solution of the system at rest. From then on systems are solved for the correction,
/// A d = b - A x, as in iterative refinement: the error that a Krylov method gathers in its iterations is then one of d
/// and not of x. The step to Newton's target, x + d, is shortened when the energy would rise steeply at its end: as W
/// is convex, dW/ds rises along the line, and its zero is enclosed by regula falsi (the Illinois variant) until the
/// slope is at most a tenth of the one at the beginning. Derivatives instead of energies, because differences of these
/// drown in rounding errors near the solution.
///
/// Where a step leaves more than half of the residual, the norm of A (x_i d_i) with d_i = +- the unit roundoff tells
/// what the last bits of the unknowns make of it (docs/theory.md, "Rounding"). A residual within `rounding_factor` of
/// that has the status `rounding`, which counts as converged up to `largest_residual`.
template <class ExecutionSpace>
NewtonResult newton(const ExecutionSpace& exec, NonlinearSystem<ExecutionSpace>& problem,
                    const linalg::Vector<ExecutionSpace>& x, const NewtonOptions& options);

} // namespace tessera::solvers

#endif
