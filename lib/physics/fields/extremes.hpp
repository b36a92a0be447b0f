// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FIELDS_EXTREMES_HPP
#define TESSERA_PHYSICS_FIELDS_EXTREMES_HPP

/// \file
/// Smallest and largest values and their locations.

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

/// Values that differ from an extreme by less than this fraction (of the range of the solution, or of the largest
/// magnitude of the field) count as equal to it when its location is determined: symmetric and constant fields reach it
/// at many locations, with differences due to rounding and the solver's tolerance. The first location in the user's
/// mesh, or along a line, is reported.
constexpr double extreme_tie = 1e-6;

/// Distance from the extremes of the solution within which values count as equal to them.
inline double solution_tie(double smallest, double largest) {
  return extreme_tie * (largest - smallest) + 1e-12 * std::max(std::fabs(smallest), std::fabs(largest));
}

/// The same for magnitudes of a field.
inline double field_tie(double largest) { return extreme_tie * largest; }

} // namespace tessera::physics

#endif
