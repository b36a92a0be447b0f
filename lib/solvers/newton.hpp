// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_NEWTON_HPP
#define TESSERA_SOLVERS_NEWTON_HPP

/// \file
/// Newton's method with line search for the minimum of a convex energy.

#include "solvers/krylov/pcg.hpp"

namespace tessera::solvers {

/// Interface of a nonlinear problem to Newton's method: the gradient of a convex energy W vanishes at the solution.
template <class ExecutionSpace> class NonlinearSystem {
public:
  using operator_type = linalg::LinearOperator<ExecutionSpace>;
  using vector_type = linalg::Vector<ExecutionSpace>;
  using const_vector_type = linalg::ConstVector<ExecutionSpace>;

  virtual ~NonlinearSystem() = default;

  /// Assembles A and b of the linear system whose solution is Newton's next iterate, at the state of rest (no field
  /// anywhere).
  virtual void linearize_at_rest(const ExecutionSpace& exec) = 0;
  /// Computes only b of linearize_at_rest(); A may be anything.
  virtual void load_at_rest(const ExecutionSpace& exec) { linearize_at_rest(exec); }
  /// As above at the unknowns x; b - A x is then the negative gradient of W at x.
  virtual void linearize(const ExecutionSpace& exec, const const_vector_type& x) = 0;
  /// A and b of the last linearisation.
  virtual const operator_type& system() const = 0;
  virtual const_vector_type rhs() const = 0;

  /// Solves A x = b with the matrix of the last linearisation to ||b - A x||_2 <= threshold; x holds the guess and then
  /// the solution.
  virtual PcgResult solve(const ExecutionSpace& exec, const const_vector_type& b, double threshold,
                          const vector_type& x) = 0;

  /// Sets the line x + s (target - x) for slope().
  virtual void set_line(const ExecutionSpace& exec, const const_vector_type& x, const const_vector_type& target) = 0;
  /// dW/ds at s.
  virtual double slope(const ExecutionSpace& exec, double s) = 0;
};

/// Options of Newton's method.
struct NewtonOptions {
  /// Convergence criterion: the gradient's norm is at most this times its norm at rest.
  double relative_tolerance = default_newton_tolerance;
  int max_iterations = default_max_newton_steps;
  bool line_search = true;
  /// Starts from x as the first iterate, unless its residual exceeds that at rest: for x near the solution.
  bool starts_at_guess = false;
  /// Linear systems are solved to 0.9 times the current gradient times the square of its ratio to the previous one, and
  /// at least to a tenth of it, which preserves the order of convergence (S. C. Eisenstat, H. F. Walker, SIAM J. Sci.
  /// Comput. 17, 1996, choice 2), but not below this value times the gradient at rest, or a tenth of
  /// `relative_tolerance` if that is smaller. Gradients above that at rest are replaced by it: far into saturation the
  /// gradient of the first iterate is 1e4 times as large, and reducing it only tenfold per step would add steps.
  double linear_tolerance = default_tolerance;
  /// Called after every iteration.
  std::function<void(int iterations, double relative_residual)> monitor;
};

/// A residual up to this multiple of the effect of the unknowns' unit roundoff is at the accuracy of its evaluation.
constexpr double rounding_factor = 8.;

/// Minimises the energy. `x`: on entry a guess for the first linear system, on return the solution.
///
/// The first iterate is the solution of the system at rest. Later systems are solved for the correction, A d = b - A x,
/// as in iterative refinement: the error that a Krylov method accumulates is then relative to d and not to x. The step
/// to Newton's target, x + d, is shortened if the energy increases steeply at its end: as W is convex, dW/ds increases
/// along the line, and its zero is enclosed by regula falsi (the Illinois variant) until the slope is at most a tenth
/// of the initial one. Derivatives are used instead of energies, because near the solution differences of energies are
/// dominated by rounding errors.
///
/// If a step leaves more than half of the residual, the norm of A (x_i d_i) with d_i = +- the unit roundoff estimates
/// the effect of the last bits of the unknowns on it (docs/theory.md, "Rounding"). A residual within `rounding_factor`
/// of that has the status `rounding`, which counts as converged up to `largest_residual`.
template <class ExecutionSpace>
NewtonResult newton(const ExecutionSpace& exec, NonlinearSystem<ExecutionSpace>& problem,
                    const linalg::Vector<ExecutionSpace>& x, const NewtonOptions& options);

} // namespace tessera::solvers

#endif
