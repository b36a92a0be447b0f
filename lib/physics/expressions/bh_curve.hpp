// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_EXPRESSIONS_BH_CURVE_HPP
#define TESSERA_PHYSICS_EXPRESSIONS_BH_CURVE_HPP

/// \file
/// Magnetisation curves of soft magnetic materials: reluctivity, its derivative and energies as functions of B^2.
///
/// H(B) is a piecewise cubic, monotone and with a continuous derivative: slopes at the knots are weighted harmonic
/// means (F. N. Fritsch, J. Butland, SIAM J. Sci. Stat. Comput. 5 (1984)), limited so that every piece is monotone
/// (F. N. Fritsch, R. E. Carlson, SIAM J. Numer. Anal. 17 (1980)). There are two extensions:
///   - the first piece is odd, H = c1 B + c3 B^3, so that H/B is smooth in B^2 and finite with its derivative at B = 0;
///   - beyond the table dH/dB changes linearly to 1/mu0 over the length of the last interval and then stays constant.

#include "core/types.hpp"
#include "physics/expressions/bh_table.hpp"

#include <cmath>
#include <vector>

namespace tessera::physics {

/// One cubic: H(B) = h + t (c1 + t (c2 + t c3)) with t = B - b, from b to the next piece's b; energy density w +
/// integral of H from b.
struct BhPiece {
  double b = 0.;
  double h = 0.;
  double c1 = 0.;
  double c2 = 0.;
  double c3 = 0.;
  double w = 0.;
  static constexpr int n_numbers = 6;
};

/// Makes the pieces of a curve; the last one is the line of slope 1/mu0. The table must be valid (check_bh_table()).
std::vector<BhPiece> make_bh_pieces(const BhTable& table);

/// nu = H/B in m/H, and its derivative with respect to B^2.
struct Reluctivity {
  double nu;
  double derivative;
};

/// Integral of H dB from 0 (energy) and of B dH (coenergy), J/m^3. Their sum is H B.
struct MagneticEnergy {
  double energy;
  double coenergy;
};

/// Any number of curves in a memory space.
template <class Space> struct BhCurves {
  Array<const index_t*, Space> offsets; ///< [n_curves + 1], pieces of each curve
  Array<const double * [BhPiece::n_numbers], Space> pieces;

  /// Finds the piece that contains `b`: about five steps for tables published by manufacturers.
  KOKKOS_FUNCTION index_t find(index_t curve, double b) const {
    index_t first = offsets(curve);
    index_t last = offsets(curve + 1);
    while (last - first > 1) {
      const index_t middle = first + (last - first) / 2;
      if (pieces(middle, 0) <= b)
        first = middle;
      else
        last = middle;
    }
    return first;
  }

  KOKKOS_FUNCTION Reluctivity reluctivity(index_t curve, double b_squared) const {
    const double b = std::sqrt(b_squared);
    const index_t p = find(curve, b);
    if (p == offsets(curve)) // odd: avoids the division by B
      return {pieces(p, 2) + pieces(p, 4) * b_squared, pieces(p, 4)};
    const double t = b - pieces(p, 0);
    const double h = pieces(p, 1) + t * (pieces(p, 2) + t * (pieces(p, 3) + t * pieces(p, 4)));
    const double slope = pieces(p, 2) + t * (2. * pieces(p, 3) + t * 3. * pieces(p, 4));
    const double nu = h / b;
    return {nu, (slope - nu) / (2. * b_squared)};
  }

  KOKKOS_FUNCTION MagneticEnergy energy(index_t curve, double b_squared) const {
    const double b = std::sqrt(b_squared);
    const index_t p = find(curve, b);
    const double t = b - pieces(p, 0);
    const double h = pieces(p, 1) + t * (pieces(p, 2) + t * (pieces(p, 3) + t * pieces(p, 4)));
    const double energy =
        pieces(p, 5) + t * (pieces(p, 1) + t * (pieces(p, 2) / 2. + t * (pieces(p, 3) / 3. + t * pieces(p, 4) / 4.)));
    // Fused explicitly: otherwise GCC's vectoriser would fuse it in the context of other sums only, whatever
    // -ffp-contract is.
    return {energy, std::fma(h, b, -energy)};
  }
};

/// Copies curves to an execution space. Throws for an invalid table; the error states the index of the curve and the
/// point.
template <class ExecutionSpace>
BhCurves<typename ExecutionSpace::memory_space> make_bh_curves(const ExecutionSpace& exec,
                                                               const std::vector<BhTable>& tables);

} // namespace tessera::physics

#endif
