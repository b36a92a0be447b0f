// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/geometry/dxf_curves.hpp"

#include "core/constants.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace tessera::io::detail {

namespace {

using Point = std::array<double, 2>;

/// Coordinates times the weight, and the weight: rational splines are polynomial splines in these.
using Pole = std::array<double, 3>;

Pole between(const Pole& a, const Pole& b, double share) {
  return {(1. - share) * a[0] + share * b[0], (1. - share) * a[1] + share * b[1], (1. - share) * a[2] + share * b[2]};
}

/// Inserts a knot inside the curve's range once, without changing the curve (W. Boehm, Computer-Aided Design 12, 1980).
void insert_knot(std::size_t degree, double u, std::vector<double>& knots, std::vector<Pole>& poles) {
  // The span that contains u, or begins there, follows the last knot <= u.
  const auto upper = std::upper_bound(knots.begin(), knots.end(), u);
  const auto last = static_cast<std::size_t>(upper - knots.begin()) - 1;
  std::vector<Pole> made;
  for (std::size_t i = 0; i <= poles.size(); ++i)
    if (i + degree <= last)
      made.push_back(poles[i]);
    else if (i > last || !(knots[i] < u))
      made.push_back(poles[i - 1]);
    else
      made.push_back(between(poles[i - 1], poles[i], (u - knots[i]) / (knots[i + degree] - knots[i])));
  poles = std::move(made);
  knots.insert(upper, u);
}

/// Merges knots that differ only by rounding.
void join_knots(std::vector<double>& knots) {
  const double range = knots.back() - knots.front();
  for (std::size_t i = 1; i < knots.size(); ++i)
    if (knots[i] - knots[i - 1] < 1e-12 * range)
      knots[i] = knots[i - 1];
}

std::size_t multiplicity(const std::vector<double>& knots, double u) {
  return static_cast<std::size_t>(std::count(knots.begin(), knots.end(), u));
}

/// The part between two knots of multiplicity `degree` or higher.
DxfCurve part(std::size_t degree, const std::vector<double>& knots, const std::vector<Pole>& poles, double from,
              double to) {
  const auto first = std::upper_bound(knots.begin(), knots.end(), from); // after the knots at its beginning
  const auto last = std::lower_bound(knots.begin(), knots.end(), to);
  DxfCurve curve;
  curve.kind = DxfCurve::Kind::spline;
  curve.degree = static_cast<int>(degree);
  curve.knots.assign(degree + 1, from);
  curve.knots.insert(curve.knots.end(), first, last);
  curve.knots.insert(curve.knots.end(), degree + 1, to);
  const std::size_t n = curve.knots.size() - degree - 1;
  const std::size_t begin = static_cast<std::size_t>(first - knots.begin()) - degree - 1;
  for (std::size_t i = begin; i < begin + n; ++i) {
    curve.poles.push_back({poles[i][0] / poles[i][2], poles[i][1] / poles[i][2]});
    curve.weights.push_back(poles[i][2]);
  }
  return curve;
}

} // namespace

Point DxfPlacement::direction(const Point& v) const {
  return {columns[0][0] * v[0] + columns[1][0] * v[1], columns[0][1] * v[0] + columns[1][1] * v[1]};
}

Point DxfPlacement::point(const Point& p) const {
  const Point moved = direction(p);
  return {shift[0] + moved[0], shift[1] + moved[1]};
}

DxfPlacement DxfPlacement::after(const DxfPlacement& other) const {
  return {{direction(other.columns[0]), direction(other.columns[1])}, point(other.shift)};
}

DxfCurve placed(const DxfCurve& curve, const DxfPlacement& placement) {
  DxfCurve result = curve;
  result.from = placement.point(curve.from);
  result.to = placement.point(curve.to);
  for (Point& pole : result.poles)
    pole = placement.point(pole);
  if (curve.kind != DxfCurve::Kind::ellipse)
    return result;
  result.center = placement.point(curve.center);
  // center + cos(t) u + sin(t) v with u and v no longer orthogonal: the axes are the longest and the shortest of these
  // vectors.
  const Point u = placement.direction(curve.axis);
  const Point v = placement.direction({-curve.ratio * curve.axis[1], curve.ratio * curve.axis[0]});
  const double uu = u[0] * u[0] + u[1] * u[1], vv = v[0] * v[0] + v[1] * v[1], uv = u[0] * v[0] + u[1] * v[1];
  const bool is_circle = std::fabs(uu - vv) <= 1e-12 * (uu + vv) && std::fabs(uv) <= 1e-12 * (uu + vv);
  const double t = is_circle ? 0. : 0.5 * std::atan2(2. * uv, uu - vv);
  const Point p{std::cos(t) * u[0] + std::sin(t) * v[0], std::cos(t) * u[1] + std::sin(t) * v[1]};
  const Point q{std::cos(t) * v[0] - std::sin(t) * u[0], std::cos(t) * v[1] - std::sin(t) * u[1]};
  result.axis = p;
  result.ratio = is_circle ? 1. : std::min(1., std::hypot(q[0], q[1]) / std::hypot(p[0], p[1]));
  const bool is_mirrored = p[0] * q[1] - p[1] * q[0] < 0.;
  result.start = is_mirrored ? t - curve.start - curve.sweep : curve.start - t;
  return result;
}

std::string why_no_spline(const DxfSpline& spline) {
  std::ostringstream why;
  const auto n = spline.poles.size();
  const auto order = static_cast<std::size_t>(spline.degree) + 1;
  if (spline.degree < 1 || spline.degree > 20) {
    why << "its degree is " << spline.degree;
  } else if (n < order) {
    why << "it has " << n << " control points, fewer than its degree and one";
  } else if (spline.knots.size() != n + order) {
    why << "it has " << spline.knots.size() << " knots, not " << n + order;
  } else if (!std::is_sorted(spline.knots.begin(), spline.knots.end()) ||
             !(spline.knots[order - 1] < spline.knots[n])) {
    why << "its knots do not ascend";
  } else if (!spline.weights.empty() && spline.weights.size() != n) {
    why << "it has " << spline.weights.size() << " weights for " << n << " control points";
  } else if (std::any_of(spline.weights.begin(), spline.weights.end(), [](double weight) { return !(weight > 0.); })) {
    why << "a weight is not positive";
  } else {
    std::vector<double> knots = spline.knots;
    join_knots(knots);
    for (std::size_t i = order; i < n; ++i)
      if (knots[i] > knots[order - 1] && knots[i] < knots[n] && multiplicity(knots, knots[i]) >= order) {
        why << "it is interrupted at the knot " << spline.knots[i];
        break;
      }
  }
  return why.str();
}

std::vector<DxfCurve> curves_of(const DxfSpline& spline) {
  const auto degree = static_cast<std::size_t>(spline.degree);
  std::vector<double> knots = spline.knots;
  join_knots(knots);
  std::vector<Pole> poles;
  for (std::size_t i = 0; i < spline.poles.size(); ++i) {
    const double weight = spline.weights.empty() ? 1. : spline.weights[i];
    poles.push_back({weight * spline.poles[i][0], weight * spline.poles[i][1], weight});
  }
  // The ends of the range become poles.
  const double from = knots[degree], to = knots[poles.size()];
  for (const double end : {from, to})
    while (multiplicity(knots, end) < degree)
      insert_knot(degree, end, knots, poles);
  // A closed curve is split in two: Gmsh makes no curve from a point to another one at the same place.
  const auto end_point = [](const Pole& pole) { return Point{pole[0] / pole[2], pole[1] / pole[2]}; };
  double extent = 0.;
  for (const Point& pole : spline.poles)
    extent = std::max(extent, std::hypot(pole[0] - spline.poles[0][0], pole[1] - spline.poles[0][1]));
  const std::size_t first_pole =
      static_cast<std::size_t>(std::upper_bound(knots.begin(), knots.end(), from) - knots.begin()) - degree - 1;
  const std::size_t last_pole =
      static_cast<std::size_t>(std::lower_bound(knots.begin(), knots.end(), to) - knots.begin()) - 1;
  const Point beginning = end_point(poles[first_pole]), end = end_point(poles[last_pole]);
  const bool is_one = std::none_of(knots.begin(), knots.end(),
                                   [&](double u) { return u > from && u < to && multiplicity(knots, u) >= degree; });
  constexpr double same_point = 1e-6; // relative to the extent, as for joining ends of curves
  if (is_one && std::hypot(beginning[0] - end[0], beginning[1] - end[1]) <= same_point * extent) {
    const double middle = 0.5 * (from + to);
    const auto near = std::find_if(knots.begin(), knots.end(), [&](double u) {
      return u > from && u < to && std::fabs(u - middle) < 1e-9 * (to - from);
    });
    const double u = near != knots.end() ? *near : middle;
    while (multiplicity(knots, u) < degree)
      insert_knot(degree, u, knots, poles);
  }
  std::vector<double> corners{from};
  for (const double u : knots)
    if (u > corners.back() && u < to && multiplicity(knots, u) >= degree)
      corners.push_back(u);
  corners.push_back(to);
  std::vector<DxfCurve> curves;
  for (std::size_t i = 0; i + 1 < corners.size(); ++i) {
    DxfCurve curve = part(degree, knots, poles, corners[i], corners[i + 1]);
    if (degree == 1) {
      DxfCurve line;
      line.from = curve.poles[0];
      line.to = curve.poles[1];
      curve = line;
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

} // namespace tessera::io::detail
