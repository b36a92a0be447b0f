// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_MULTIGRID_SMOOTHER_FACTORS_HPP
#define TESSERA_SOLVERS_MULTIGRID_SMOOTHER_FACTORS_HPP

#include "solvers/multigrid/options.hpp"

#include <cmath>

namespace tessera::solvers {

/// Damping of the smoother's steps: x += z, z = alpha z + beta / lambda D^-1 (b - A x).
struct StepFactors {
  double alpha;
  double beta;
};
/// Steps count from 1.
inline StepFactors factors_of(const MultigridOptions& options, int step) {
  if (options.smoother == MultigridSmoother::jacobi || step == 1)
    return {0., 4. / 3.};
  return {(2. * step - 3.) / (2. * step + 1.), (8. * step - 4.) / (2. * step + 1.)};
}

/// The same polynomial in single steps x += factor / lambda D^-1 (b - A x), by its roots: that of the fourth kind of
/// degree k is zero at lambda (1 - cos(2 pi j / (2 k + 1))) / 2. Small and large factors alternate, so that
/// rounding errors do not grow.
inline double single_step_factor(const MultigridOptions& options, int step) {
  if (options.smoother == MultigridSmoother::jacobi)
    return 4. / 3.;
  const int root = step % 2 == 1 ? options.degree - step / 2 : step / 2; // k, 1, k - 1, 2, ...
  const double pi = 3.14159265358979323846;
  return 2. / (1. - std::cos(2. * pi * root / (2. * options.degree + 1.)));
}

} // namespace tessera::solvers

#endif
