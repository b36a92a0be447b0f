// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_BH_TABLE_HPP
#define TESSERA_PHYSICS_BH_TABLE_HPP

/// \file
/// Points of a magnetisation curve, as the input gives them; without Kokkos.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace tessera::physics {

/// Vacuum permeability in H/m (CODATA 2018).
constexpr double vacuum_permeability = 1.25663706212e-6;

/// Points (H in A/m, B in T) from (0, 0) on.
using BhTable = std::vector<std::array<double, 2>>;

/// Error in a table: the first bad point (0-based) and the reason; without text there is none.
struct BhTableError {
  std::size_t point = 0;
  std::string text;
};

/// A table has at least two points, starts at (0, 0), rises strictly in H and B, and no interval is flatter than
/// vacuum.
BhTableError check_bh_table(const BhTable& table);

} // namespace tessera::physics

#endif
