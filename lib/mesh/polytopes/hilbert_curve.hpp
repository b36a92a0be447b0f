// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_POLYTOPES_HILBERT_CURVE_HPP
#define TESSERA_MESH_POLYTOPES_HILBERT_CURVE_HPP

/// \file
/// Hilbert curve: unlike on the Morton curve, consecutive cells are always neighbours in space.

#include "mesh/morton_curve.hpp"

namespace tessera::mesh {

/// Position on the Hilbert curve of a cell, given by `Bits` bits per direction (J. Skilling, Programming the Hilbert
/// curve, AIP Conference Proceedings 707, 2004).
template <int Dim, int Bits> KOKKOS_FUNCTION std::uint64_t hilbert_position(const std::uint32_t (&cell)[Dim]) {
  std::uint32_t x[Dim];
  for (int d = 0; d < Dim; ++d)
    x[d] = cell[d];
  for (std::uint32_t bit = std::uint32_t(1) << (Bits - 1); bit > 1; bit >>= 1)
    for (int d = 0; d < Dim; ++d) {
      const std::uint32_t lower_bits = bit - 1;
      const std::uint32_t exchanged = (x[d] & bit) != 0 ? 0 : (x[0] ^ x[d]) & lower_bits;
      x[0] ^= (x[d] & bit) != 0 ? lower_bits : exchanged;
      if (d > 0)
        x[d] ^= exchanged;
    }
  for (int d = 1; d < Dim; ++d)
    x[d] ^= x[d - 1];
  std::uint32_t flipped = 0;
  for (std::uint32_t bit = std::uint32_t(1) << (Bits - 1); bit > 1; bit >>= 1)
    if ((x[Dim - 1] & bit) != 0)
      flipped ^= bit - 1;
  std::uint64_t position = 0;
  for (int d = 0; d < Dim; ++d)
    position |= MortonCurve<Dim>::spread(x[d] ^ flipped) << (Dim - 1 - d);
  return position;
}

} // namespace tessera::mesh

#endif
