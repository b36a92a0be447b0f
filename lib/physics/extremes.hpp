// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_EXTREMES_HPP
#define TESSERA_PHYSICS_EXTREMES_HPP

/// \file
/// Smallest and largest values with their places.

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera::physics {

struct Extremes {
  double smallest = 0.;
  double largest = 0.;
  std::array<double, 3> smallest_at{}; ///< m
  std::array<double, 3> largest_at{};
};

/// Values that differ from an extreme by less than this share (of the range of the solution, or of the largest length
/// of the field) count as it when its place is looked for: symmetric and constant fields have it in many places, which
/// differ by rounding and by the solver's tolerance. The one that comes first in the user's mesh, or along a line, is
/// told.
constexpr double extreme_tie = 1e-6;

/// How far from its extremes values of the solution count as these.
inline double solution_tie(double smallest, double largest) {
  return extreme_tie * (largest - smallest) + 1e-12 * std::max(std::fabs(smallest), std::fabs(largest));
}

/// The same of lengths of a field.
inline double field_tie(double largest) { return extreme_tie * largest; }

} // namespace tessera::physics

#endif
