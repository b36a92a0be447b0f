// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_SMOOTHER_FACTORS_HPP
#define TESSERA_SOLVERS_MULTIGRID_SMOOTHER_FACTORS_HPP

#include "core/constants.hpp"

#include <cmath>

namespace tessera::solvers {

/// Polynomials of the Chebyshev smoother (J. Lottes, Numer. Linear Algebra Appl. 30, 2023, e2518).
enum class ChebyshevKind {
  fourth, ///< smaller at large eigenvalues: for use after an interpolation, whose error is there
  best    ///< with the best bound for V-cycles with equal numbers of steps before and after the coarser level
};

/// Factor of a step x += factor / lambda D^-1 (b - A x) of the smoother, where lambda bounds the eigenvalues; steps are
/// counted from 1. The polynomial of degree k is zero at t_j = (1 + c) sin^2(pi j / (2 k + 1)) - c and
/// equioscillates in [0, 1] with the weight sqrt(t + c); c = 0 for the fourth kind, tan^2(pi / (4 k + 2)) for the best.
/// Small and large factors 1 / t_j alternate, so that rounding errors do not grow.
inline double step_factor(int k, ChebyshevKind kind, int step) {
  const int root = step % 2 == 1 ? k - step / 2 : step / 2; // k, 1, k - 1, 2, ...
  const double angle = pi / (2. * k + 1.);
  const double c = kind == ChebyshevKind::best ? std::pow(std::tan(0.5 * angle), 2) : 0.;
  return 1. / ((1. + c) * std::pow(std::sin(root * angle), 2) - c);
}

} // namespace tessera::solvers

#endif
