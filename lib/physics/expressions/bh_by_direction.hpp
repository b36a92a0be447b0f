// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_PHYSICS_EXPRESSIONS_BH_BY_DIRECTION_HPP
#define TESSERA_PHYSICS_EXPRESSIONS_BH_BY_DIRECTION_HPP

/// \file
/// Materials with a B-H curve along each of two perpendicular directions, as grain-oriented steel.
///
/// The energy density w is a function of B, H its gradient, so that the derivative dH/dB is symmetric. Lines of equal
/// energy are ellipses, as T. Pera, F. Ossart and T. Waeckerle (1993) take those of the coenergy: with b_j(w), the flux
/// density of curve j at the energy density w,
///   sum of B_j^2 / c_j(w) = 1,    c_j = b_j^2.
/// Along the directions this is the given curve, for two equal curves the isotropic material, and for two straight
/// curves the tensor of both permeabilities. w is convex if c_j(w) is concave, that is if the permeability b_j/h_j does
/// not rise with B. Where curves start with a lower permeability (Rayleigh), w may be non-convex; there dH/dB is
/// replaced by a positive definite matrix, which only Newton's method uses.

#include "core/kokkos_ext/compiler.hpp"
#include "physics/expressions/bh_curve.hpp"

namespace tessera::physics {

/// Energy density, field strength and differential reluctivity (xx, xy, yy).
struct DirectionalState {
  double energy = 0.;
  double h[2] = {0., 0.};
  double t[3] = {0., 0., 0.};
};

namespace detail {

/// A point of a curve: B, H, dH/dB.
struct CurvePoint {
  double b = 0.;
  double h = 0.;
  double slope = 0.;
};

/// The point of a curve at an energy density above 0.
template <class Space>
KOKKOS_FUNCTION CurvePoint point_of_energy(const BhCurves<Space>& curves, index_t curve, double energy) {
  index_t p = curves.offsets(curve);
  index_t last = curves.offsets(curve + 1);
  while (last - p > 1) {
    const index_t middle = p + (last - p) / 2;
    if (curves.pieces(middle, 5) <= energy)
      p = middle;
    else
      last = middle;
  }
  const double rest = energy - curves.pieces(p, 5);
  const double h = curves.pieces(p, 1);
  const double c1 = curves.pieces(p, 2);
  const double c2 = curves.pieces(p, 3);
  const double c3 = curves.pieces(p, 4);
  const bool is_last = p + 1 == curves.offsets(curve + 1);
  const double end = is_last ? 1e300 : curves.pieces(p + 1, 0) - curves.pieces(p, 0);
  // The root of the parabola that has H and its slope at the start: exact in the last piece, which is straight.
  const double root = h + std::sqrt(h * h + 2. * (c1 > 0. ? c1 : 0.) * rest);
  double t = root > 0. ? 2. * rest / root : end;
  t = t < end ? t : end;
  for (int k = 0; k < 60 && !is_last; ++k) { // Newton's method; the energy is convex in t
    const double excess = t * (h + t * (c1 / 2. + t * (c2 / 3. + t * c3 / 4.))) - rest;
    const double slope = h + t * (c1 + t * (c2 + t * c3));
    double next = slope > 0. ? t - excess / slope : 0.5 * t;
    next = next < end ? next : end;
    const double change = next < t ? t - next : next - t;
    t = next > 0. ? next : 0.5 * t;
    if (change <= 4e-16 * t)
      break;
  }
  return {curves.pieces(p, 0) + t, h + t * (c1 + t * (c2 + t * c3)), c1 + t * (2. * c2 + t * 3. * c3)};
}

/// The energy density at which the ellipse of both curves passes through B, above 0.
template <class Space>
KOKKOS_FUNCTION double energy_by_direction(const BhCurves<Space>& curves, const index_t (&curve)[2],
                                           const double (&b)[2]) {
  double low = 0.;
  double high = 0.;
  const double square = b[0] * b[0] + b[1] * b[1];
  for (int j = 0; j < 2; ++j) {
    const double least = curves.energy(curve[j], b[j] * b[j]).energy;
    const double most = curves.energy(curve[j], square).energy;
    low = least > low ? least : low;
    high = most > high ? most : high;
  }
  double w = high;
  for (int k = 0; k < 100 && low < high; ++k) {
    double f = 0.; // decreases with w; f = 1 is sought
    double slope = 0.;
    for (int j = 0; j < 2; ++j) {
      const CurvePoint point = point_of_energy(curves, curve[j], w);
      const double share = b[j] * b[j] / (point.b * point.b);
      f += share;
      slope += 2. * share / (point.b * point.h);
    }
    if (f > 1.)
      low = w;
    else
      high = w;
    double next = w + (f * f - f) / slope; // Newton's method for 1/f, which is linear in w for straight curves
    if (!(next > low && next < high))
      next = f == 1. ? w : low + 0.5 * (high - low);
    const double change = next < w ? w - next : next - w;
    w = next;
    if (change <= 4e-16 * w)
      break;
  }
  return w;
}

} // namespace detail

/// The state at B, given along the directions of both curves. Not inlined: forms need its registers for such regions
/// only.
template <class Space>
TESSERA_NOINLINE KOKKOS_FUNCTION DirectionalState state_by_direction(const BhCurves<Space>& curves, index_t first,
                                                                     index_t second, const double (&b)[2]) {
  const index_t curve[2] = {first, second};
  DirectionalState state;
  const double square = b[0] * b[0] + b[1] * b[1];
  if (!(square > 1e-200)) { // straight from 0 on
    const double nu[2] = {curves.pieces(curves.offsets(first), 2), curves.pieces(curves.offsets(second), 2)};
    for (int j = 0; j < 2; ++j)
      state.h[j] = nu[j] * b[j];
    state.t[0] = nu[0];
    state.t[2] = nu[1];
    state.energy = 0.5 * (nu[0] * (b[0] * b[0]) + nu[1] * (b[1] * b[1]));
    return state;
  }
  state.energy = detail::energy_by_direction(curves, curve, b);
  // F(B, w) = sum of B_j^2 / c_j - 1 = 0, differentiated once and twice.
  double c[2], c1[2], f_wb[2];
  double of_w = 0.;
  double of_ww = 0.;
  double floor = 1e300;
  for (int j = 0; j < 2; ++j) {
    const detail::CurvePoint point = detail::point_of_energy(curves, curve[j], state.energy);
    c[j] = point.b * point.b;
    c1[j] = 2. * point.b / point.h;
    const double c2 = 2. * (1. - point.b * point.slope / point.h) / (point.h * point.h);
    const double share = b[j] * b[j] / c[j];
    of_w -= share * (c1[j] / c[j]);
    of_ww += share * (2. * (c1[j] / c[j]) * (c1[j] / c[j]) - c2 / c[j]);
    f_wb[j] = -2. * (b[j] / c[j]) * (c1[j] / c[j]);
    const double nu = point.h / point.b;
    const double least = point.slope < nu ? point.slope : nu;
    floor = least < floor ? least : floor;
  }
  for (int j = 0; j < 2; ++j)
    state.h[j] = -2. * (b[j] / c[j]) / of_w;
  const auto second_derivative = [&](int i, int j) {
    const double own = i == j ? 2. / c[j] : 0.;
    return -(own + (f_wb[i] * state.h[j] + f_wb[j] * state.h[i]) + of_ww * (state.h[i] * state.h[j])) / of_w;
  };
  state.t[0] = second_derivative(0, 0);
  state.t[1] = second_derivative(0, 1);
  state.t[2] = second_derivative(1, 1);
  // The smaller eigenvalue is raised to a hundredth of the least slope of both curves.
  floor *= 0.01;
  const double half = 0.5 * (state.t[0] - state.t[2]);
  const double length = std::sqrt(half * half + state.t[1] * state.t[1]);
  const double low = 0.5 * (state.t[0] + state.t[2]) - length;
  if (low < floor && length > 0.) {
    const double raise = 0.5 * (floor - low);
    state.t[0] += raise * (1. - half / length);
    state.t[1] -= raise * (state.t[1] / length);
    state.t[2] += raise * (1. + half / length);
  }
  return state;
}

} // namespace tessera::physics

#endif
