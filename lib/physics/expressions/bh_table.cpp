// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/expressions/bh_table.hpp"

#include <cmath>

namespace tessera::physics {

namespace {

/// T. Far above the flux density of any material; larger numbers are fields H given as B, or lose digits in the cubics.
constexpr double flux_density_limit = 100.;
/// dB/dH over that of vacuum; the softest alloys reach 1e6.
constexpr double largest_permeability = 1e9;

} // namespace

BhTableError check_bh_table(const BhTable& table) {
  // Relative to the largest H and B: smaller steps make slopes and curvatures overflow.
  constexpr double smallest_step = 1e-12;
  if (table.size() < 2)
    return {0, "a B-H curve needs at least two points [H, B], the first of them [0, 0]"};
  if (table[0][0] != 0. || table[0][1] != 0.)
    return {0, "a B-H curve starts at [0, 0]"};
  for (std::size_t k = 1; k < table.size(); ++k) {
    const double dh = table[k][0] - table[k - 1][0];
    const double db = table[k][1] - table[k - 1][1];
    if (!std::isfinite(dh) || !std::isfinite(db))
      return {k, "H and B of a B-H curve must be finite"};
    if (!(dh > 0.) || !(db > 0.))
      return {k, "H (A/m, first) and B (T, second) of a B-H curve must both rise from point to point"};
    if (table[k][1] > flux_density_limit)
      return {k, "B is above 100 T; the columns are H (A/m) and B (T), in this order"};
    if (db > largest_permeability * vacuum_permeability * dh)
      return {k, "B rises more than 1e9 times as fast as in vacuum; are the units A/m and T?"};
    if (db < vacuum_permeability * dh * (1. - 1e-6))
      return {k, "B rises less than in vacuum (by less than mu0 times the step in H), and not only by rounding at the "
                 "saturated end; are the units A/m and T?"};
  }
  for (std::size_t k = 1; k < table.size(); ++k)
    if (table[k][0] - table[k - 1][0] < smallest_step * table.back()[0] ||
        table[k][1] - table[k - 1][1] < smallest_step * table.back()[1])
      return {k, "H and B of a B-H curve must rise by at least 1e-12 of their largest values"};
  return {};
}

} // namespace tessera::physics
