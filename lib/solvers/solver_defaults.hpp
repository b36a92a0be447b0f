// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_SOLVER_DEFAULTS_HPP
#define TESSERA_SOLVERS_SOLVER_DEFAULTS_HPP

/// \file
/// Defaults of the solvers' options and of the input; without Kokkos.

namespace tessera::solvers {

/// Linear systems: ||r||_2 relative to ||b||_2, and number of iterations.
constexpr double default_tolerance = 1e-10;
constexpr int default_max_iterations = 20000;
/// Number of directions that GMRES stores.
constexpr int default_restart = 30;
/// Newton's method: norm of the gradient relative to that at rest, and number of linear systems.
constexpr double default_newton_tolerance = 1e-8;
constexpr int default_max_newton_steps = 200;

} // namespace tessera::solvers

#endif
