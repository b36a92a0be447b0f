// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_BOX_CELLS_HPP
#define TESSERA_MESH_BOX_CELLS_HPP

/// \file
/// Cells of a structured box, each cut into simplices along the diagonal from its lowest to its highest corner.

#include "core/parallel.hpp"

namespace tessera::mesh {

/// The simplices and boundary facets of a cell. A corner is a bit mask: bit d is set at the upper end of axis d.
template <int Dim> struct BoxCell {
  static constexpr int n_simplices = Dim == 2 ? 2 : 6;
  static constexpr int n_side_facets = Dim == 2 ? 1 : 2; ///< on each side of a cell

  /// Corners of simplex t. A Kuhn simplex walks from the cell's lowest corner along the axes in one of Dim! orders. Odd
  /// orders have negative measure: local nodes 0 and 2 are then exchanged, which preserves the pairs (0,2) and (1,3)
  /// used by red refinement.
  KOKKOS_INLINE_FUNCTION static void simplex(int t, int (&corner)[Dim + 1]) {
    // In 3D the order of axes is: first = t / 2, then the cyclic (even t) or the other (odd t) order of the remaining
    // two.
    const int first = Dim == 2 ? t : t / 2;
    const int second = (first + 1 + (Dim == 2 ? 0 : t % 2)) % Dim;
    corner[0] = 0;
    corner[1] = 1 << first;
    corner[2] = corner[1] | 1 << second;
    corner[Dim] = (1 << Dim) - 1;
    if (t % 2 == 1) {
      corner[0] = corner[2];
      corner[2] = 0;
    }
  }

  /// Corners of facet t on the lower (0) or upper (1) side normal to an axis. The last entry is the opposite corner of
  /// the simplex.
  KOKKOS_INLINE_FUNCTION static void facet(int normal, int is_upper, int t, int (&corner)[Dim + 1]) {
    int axes[2] = {0, 0}; // of the facet
    int n_axes = 0;
    for (int d = 0; d < Dim; ++d)
      if (d != normal)
        axes[n_axes++] = d;
    const int base = is_upper << normal;
    corner[0] = base;
    corner[1] = base | 1 << axes[t];
    if (Dim == 3)
      corner[Dim - 1] = base | 1 << axes[0] | 1 << axes[1];
    corner[Dim] = is_upper != 0 ? 0 : (1 << Dim) - 1;
  }
};

/// Coordinate of plane i of `cells` cells between two sides; exact at the upper side.
KOKKOS_INLINE_FUNCTION double box_plane(double lower, double upper, index_t cells, index_t i) {
  return i == cells ? upper : lower + (upper - lower) * (static_cast<double>(i) / cells);
}

} // namespace tessera::mesh

#endif
