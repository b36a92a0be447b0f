// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/step_length.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::solvers {

namespace {

constexpr int max_trials = 20;
constexpr double sufficient = 0.1; ///< fraction of the first slope that may remain at the end of a step

} // namespace

double step_length(const std::function<double(double)>& slope_at, int& n_trials) {
  const double first = slope_at(0.);
  double high_slope = slope_at(1.);
  // Rounding may make a vanishing slope positive; then no step gains anything.
  if (!(first < 0.) || high_slope <= -sufficient * first)
    return 1.;
  double low = 0.;
  double low_slope = first;
  double high = 1.;
  double s = 1.;
  int side = 0;
  for (int trial = 0; trial < max_trials; ++trial) {
    // Far beyond the minimum the secant would hardly move: no step is shorter than a tenth of the bracket.
    s = std::max((low * high_slope - high * low_slope) / (high_slope - low_slope), low + 0.1 * (high - low));
    const double slope = slope_at(s);
    ++n_trials;
    if (std::fabs(slope) <= -sufficient * first)
      break;
    if (slope > 0.) {
      high = s;
      high_slope = slope;
      low_slope *= side == 1 ? 0.5 : 1.;
      side = 1;
    } else {
      low = s;
      low_slope = slope;
      high_slope *= side == -1 ? 0.5 : 1.;
      side = -1;
    }
  }
  return s;
}

} // namespace tessera::solvers
