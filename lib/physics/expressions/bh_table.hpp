// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_EXPRESSIONS_BH_TABLE_HPP
#define TESSERA_PHYSICS_EXPRESSIONS_BH_TABLE_HPP

/// \file
/// Tables of magnetisation curves as in the input; without Kokkos.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace tessera::physics {

/// Vacuum permeability in H/m (CODATA 2018).
constexpr double vacuum_permeability = 1.25663706212e-6;

/// Points (H in A/m, B in T), starting at (0, 0).
using BhTable = std::vector<std::array<double, 2>>;

/// Error in a table: the first invalid point (0-based) and the reason; no error if the text is empty.
struct BhTableError {
  std::size_t point = 0;
  std::string text;
};

/// Checks that a table has at least two points, starts at (0, 0), increases strictly in H and B, and has no interval
/// with dB/dH below that of vacuum.
BhTableError check_bh_table(const BhTable& table);

} // namespace tessera::physics

#endif
