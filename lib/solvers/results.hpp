// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_RESULTS_HPP
#define TESSERA_SOLVERS_RESULTS_HPP

/// \file
/// Results of Krylov methods and Newton's method; host data, without Kokkos.

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::solvers {

enum class SolverStatus {
  converged,
  max_iterations,
  breakdown,
  inaccurate ///< the tolerance is met, but the true residual exceeds SolverOptions::largest_residual
};

const char* to_string(SolverStatus status);

struct SolverResult {
  SolverStatus status = SolverStatus::max_iterations;
  int iterations = 0;           ///< number of updates of x; for GMRES of its Krylov spaces
  double initial_residual = 0.; ///< ||b - A x_0||_2
  double residual = 0.;         ///< ||r||_2 by the recurrence
  double true_residual = 0.;    ///< ||b - A x||_2, computed at the end
  double rounding = 0.;         ///< effect of the rounding of x on the true residual, if requested
  double rhs_norm = 0.;         ///< ||b||_2
  double threshold = 0.;        ///< threshold for ||r||_2
  std::vector<double> history;  ///< ||r||_2 of x_0, x_1, ...; empty unless recorded
  double seconds = 0.;
  std::string message; ///< a sentence that states the outcome with its numbers

  /// Mean reduction factor (geometric) of the residual's norm per iteration; 0 without iterations.
  double mean_factor() const {
    return iterations > 0 && initial_residual > 0. ? std::pow(residual / initial_residual, 1. / iterations) : 0.;
  }
};

struct PcgResult : SolverResult {
  bool constants_in_null_space = false; ///< A 1 = 0 (pure Neumann): x is determined up to a constant
};

enum class NewtonStatus {
  converged,
  rounding, ///< the residual is above the tolerance, but at the accuracy of its evaluation: no step can reduce it
  max_iterations,
  linear_solver
};

const char* to_string(NewtonStatus status);

struct NewtonResult {
  NewtonStatus status = NewtonStatus::max_iterations;
  int iterations = 0;        ///< number of linear systems solved
  int line_search_steps = 0; ///< number of step lengths tried in addition to full steps
  std::int64_t linear_iterations = 0;
  double reference = 0.; ///< norm of the gradient at rest
  double rounding = 0.;  ///< norm of the effect of the unknowns' unit roundoff on the gradient, relative to that at
                         ///< rest; 0: not computed
  std::vector<double> history;     ///< norm of the gradient after 0, 1, ... iterations, relative to that at rest
  std::vector<double> step_length; ///< of every iteration
  PcgResult linear;                ///< of the last linear system
  std::string message;             ///< a sentence that states the outcome with its numbers

  /// Whether x is as accurate as requested or as can be computed.
  bool converged() const { return status == NewtonStatus::converged || status == NewtonStatus::rounding; }
};

} // namespace tessera::solvers

#endif
