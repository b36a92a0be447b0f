// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_MORTON_CURVE_HPP
#define TESSERA_MESH_MORTON_CURVE_HPP

/// \file
/// Morton (Z) curve: neighbours in space are mostly neighbours on it.

#include "core/parallel.hpp"

namespace tessera::mesh {

/// Bits of the curve per direction: few enough for four or five radix-sort passes, fine enough for meshes with a
/// grading of 1e4 and more.
template <int Dim> inline constexpr int curve_bits = Dim == 2 ? 18 : 15;

/// Position on the Morton curve through a box.
template <int Dim> struct MortonCurve {
  double lower[Dim];
  double scale; // cells of the curve per metre, equal in all directions

  KOKKOS_FUNCTION static std::uint64_t spread(std::uint64_t x) {
    if (Dim == 2) { // one zero between any two bits
      x = (x | (x << 16)) & 0x0000ffff0000ffffull;
      x = (x | (x << 8)) & 0x00ff00ff00ff00ffull;
      x = (x | (x << 4)) & 0x0f0f0f0f0f0f0f0full;
      x = (x | (x << 2)) & 0x3333333333333333ull;
      return (x | (x << 1)) & 0x5555555555555555ull;
    }
    x = (x | (x << 32)) & 0x001f00000000ffffull; // two zeros between any two bits
    x = (x | (x << 16)) & 0x001f0000ff0000ffull;
    x = (x | (x << 8)) & 0x100f00f00f00f00full;
    x = (x | (x << 4)) & 0x10c30c30c30c30c3ull;
    return (x | (x << 2)) & 0x1249249249249249ull;
  }

  KOKKOS_FUNCTION std::uint64_t operator()(const double (&point)[Dim]) const {
    constexpr double last_cell = (1 << curve_bits<Dim>)-1;
    std::uint64_t code = 0;
    for (int d = 0; d < Dim; ++d) {
      double cell = (point[d] - lower[d]) * scale;
      cell = cell > 0. ? (cell < last_cell ? cell : last_cell) : 0.; // NaN: 0
      code |= spread(static_cast<std::uint64_t>(cell)) << d;
    }
    return code;
  }
};

} // namespace tessera::mesh

#endif
