// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_SUPPORT_IS_NEAR_HPP
#define TESSERA_TESTS_SUPPORT_IS_NEAR_HPP

#include <cmath>

namespace tessera::test {

inline constexpr double rounding = 1e-9; // mainly the solver's tolerance

/// Whether the relative difference between a value and the exact one is at most `tolerance`.
inline bool is_near(double value, double exact, double tolerance = rounding) {
  return std::fabs(value - exact) <= tolerance * std::fabs(exact);
}

} // namespace tessera::test

#endif
