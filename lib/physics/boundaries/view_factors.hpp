// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_BOUNDARIES_VIEW_FACTORS_HPP
#define TESSERA_PHYSICS_BOUNDARIES_VIEW_FACTORS_HPP

/// \file
/// What surfaces of an enclosure in the plane or about an axis see of each other, with shadows.

#include "core/types.hpp"

#include <vector>

namespace tessera::physics {

/// A straight surface: a strip, or the ring that it describes about the axis x = 0. It radiates to the right of the way
/// from begin to end.
struct RadiatingSegment {
  double begin[2]; ///< m
  double end[2];
};

/// Most surfaces of an enclosure: their view factors take 8 bytes for each pair.
constexpr index_t most_radiating_segments = 4000;

/// View factors by rows, [n][n]: the share of what a surface radiates diffusely that arrives at each surface. Surfaces
/// that are nearer, seen from the front or from behind, hide those behind them. Rows of closed enclosures add up to 1.
/// In the plane the factors of points are exact, and four points of a surface are added up; about an axis each of these
/// sends out rays, which find the next surface. The bits are the same on every backend.
template <class ExecutionSpace>
std::vector<double> view_factors(const ExecutionSpace& exec, const std::vector<RadiatingSegment>& segments,
                                 bool axisymmetric);

/// Scales the rows of an enclosure that is closed but for rounding and curved edges, so that they add up to 1.
void close_rows(index_t n, std::vector<double>& factors);

/// Changes view factors a little so that area times factor is symmetric, while the sums of rows remain.
void make_reciprocal(const std::vector<double>& areas, std::vector<double>& factors);

} // namespace tessera::physics

#endif
