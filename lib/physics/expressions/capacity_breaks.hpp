// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_EXPRESSIONS_CAPACITY_BREAKS_HPP
#define TESSERA_PHYSICS_EXPRESSIONS_CAPACITY_BREAKS_HPP

/// \file
/// The integral of a heat capacity over the temperature.

#include "core/types.hpp"
#include "physics/expressions/expression.hpp"

#include <vector>

namespace tessera::physics {

/// Gauss' rule of four points on [0, 1], exact for polynomials of degree 7.
struct CapacityRule {
  KOKKOS_INLINE_FUNCTION static double point(int k) {
    const double distance = k == 0 || k == 3 ? 0.43056815579702629 : 0.16999052179242813;
    return k < 2 ? 0.5 - distance : 0.5 + distance;
  }
  KOKKOS_INLINE_FUNCTION static double weight(int k) {
    return k == 0 || k == 3 ? 0.17392742256872693 : 0.32607257743127307;
  }
};

/// Temperatures, ascending, between which the integral of a capacity is that of its four Gauss points: where it jumps
/// or bends, and closer where it changes fast. From -300 to 6000, degrees of either scale; in space at the origin.
std::vector<double> capacity_breaks(const Expression& capacity);

} // namespace tessera::physics

#endif
