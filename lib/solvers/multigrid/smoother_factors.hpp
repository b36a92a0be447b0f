// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_SMOOTHER_FACTORS_HPP
#define TESSERA_SOLVERS_MULTIGRID_SMOOTHER_FACTORS_HPP

#include "solvers/multigrid/options.hpp"

#include <cmath>

namespace tessera::solvers {

/// Factor of a step x += factor / lambda D^-1 (b - A x) of the smoother, lambda bounding the eigenvalues; steps count
/// from 1. `chebyshev`: those of the polynomial that is best for a V-cycle with so many steps before and after the
/// coarser level (J. Lottes, Numer. Linear Algebra Appl. 30, 2023, e2518). It equioscillates with the weight
/// sqrt(t + c), c = tan^2(pi / (4 k + 2)) for degree k, as the polynomial of the fourth kind does with sqrt(t), and is
/// zero at t_j = (1 + c) sin^2(pi j / (2 k + 1)) - c. Small and large factors 1 / t_j alternate, so that rounding
/// errors do not grow.
inline double step_factor(const MultigridOptions& options, int step) {
  if (options.smoother == MultigridSmoother::jacobi)
    return 4. / 3.;
  const int k = options.degree;
  const int root = step % 2 == 1 ? k - step / 2 : step / 2; // k, 1, k - 1, 2, ...
  const double angle = 3.14159265358979323846 / (2. * k + 1.);
  const double c = std::pow(std::tan(0.5 * angle), 2);
  return 1. / ((1. + c) * std::pow(std::sin(root * angle), 2) - c);
}

} // namespace tessera::solvers

#endif
