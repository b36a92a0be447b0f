// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_FORMS_SHELL_MAP_HPP
#define TESSERA_PHYSICS_FORMS_SHELL_MAP_HPP

#include "core/parallel.hpp"

namespace tessera::physics {

/// The map of a ring between two radii onto the space outside the inner one (docs/theory.md, "Shell"): a point at the
/// distance R from the centre represents one at the distance X in the same direction.
struct ShellMap {
  double inner; ///< m
  double outer; ///< m

  /// R / X; 0 at the outer radius, which represents infinity.
  KOKKOS_FUNCTION double shrinking(double R) const { return R * left(R) / (inner * (outer - inner)); }
  /// dR / dX; 0 at the outer radius.
  KOKKOS_FUNCTION double slope(double R) const { return left(R) * left(R) / (inner * (outer - inner)); }
  KOKKOS_FUNCTION bool is_infinity(double R) const { return left(R) == 0.; }

  /// Converts B on the mesh, the curl of A there, to B at the point of space: `v` at the distance R in the unit
  /// `direction`. `axisymmetric`: r A is invariant under the map, else A.
  template <int Dim>
  KOKKOS_FUNCTION void to_space(bool axisymmetric, double R, const double (&direction)[Dim], double (&v)[Dim]) const {
    const double ratio = shrinking(R);
    const double radial = axisymmetric ? ratio * ratio : ratio;
    const double tangential = axisymmetric ? ratio * slope(R) : slope(R);
    double along = 0.;
    for (int d = 0; d < Dim; ++d)
      along += v[d] * direction[d];
    for (int d = 0; d < Dim; ++d)
      v[d] = tangential * (v[d] - along * direction[d]) + radial * along * direction[d];
  }

private:
  /// Distance to the outer radius; 0 within rounding of it.
  KOKKOS_FUNCTION double left(double R) const { return outer - R > 1e-12 * outer ? outer - R : 0.; }
};

} // namespace tessera::physics

#endif
