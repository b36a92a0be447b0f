// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_SOLVERS_STEP_LENGTH_HPP
#define TESSERA_SOLVERS_STEP_LENGTH_HPP

#include <functional>

namespace tessera::solvers {

/// The length of a step of Newton's method: 1, or, if the slope that increases along the step is steep at its end,
/// about the length at which it is 0, by regula falsi (NewtonOptions). The slope is last computed at the length that is
/// returned. Adds the number of lengths tried after the full step to `n_trials`.
double step_length(const std::function<double(double)>& slope_at, int& n_trials);

} // namespace tessera::solvers

#endif
