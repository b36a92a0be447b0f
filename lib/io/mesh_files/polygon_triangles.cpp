// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/mesh_files/polygon_triangles.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace tessera::io {

namespace {

using Point = std::array<double, 2>;

/// Twice the area of a triangle, positive if it runs counterclockwise.
double area_of(const Point& a, const Point& b, const Point& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

double square_of(const Point& a, const Point& b) {
  return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);
}

/// -1, 0 or 1: on which side of the line from a to b a point is; 0 within the rounding of coordinates.
int side_of(const Point& a, const Point& b, const Point& x, double rounding) {
  const double area = area_of(a, b, x);
  return std::fabs(area) <= rounding * std::sqrt(square_of(a, b)) ? 0 : (area > 0. ? 1 : -1);
}

/// Whether a point on the line through a and b lies between them.
bool lies_between(const Point& a, const Point& b, const Point& x) {
  return (x[0] - a[0]) * (x[0] - b[0]) + (x[1] - a[1]) * (x[1] - b[1]) <= 0.;
}

/// Whether two segments intersect.
bool meet(const Point& a, const Point& b, const Point& c, const Point& d, double rounding) {
  const int to_c = side_of(a, b, c, rounding), to_d = side_of(a, b, d, rounding);
  const int to_a = side_of(c, d, a, rounding), to_b = side_of(c, d, b, rounding);
  return (to_c * to_d < 0 && to_a * to_b < 0) || (to_c == 0 && lies_between(a, b, c)) ||
         (to_d == 0 && lies_between(a, b, d)) || (to_a == 0 && lies_between(c, d, a)) ||
         (to_b == 0 && lies_between(c, d, b));
}

/// Whether nonadjacent sides intersect, or a side has no length or reverses the previous one.
bool meets_itself(const std::vector<Point>& corners, double rounding) {
  const std::size_t n = corners.size();
  const auto at = [&](std::size_t k) { return corners[k % n]; };
  for (std::size_t i = 0; i < n; ++i) {
    if (square_of(at(i), at(i + 1)) <= rounding * rounding)
      return true;
    if (side_of(at(i), at(i + 1), at(i + 2), rounding) == 0 && !lies_between(at(i), at(i + 2), at(i + 1)))
      return true;
    for (std::size_t j = i + 2; j < n; ++j)
      if ((j + 1) % n != i && meet(at(i), at(i + 1), at(j), at(j + 1), rounding))
        return true;
  }
  return false;
}

} // namespace

// Ear clipping (G. H. Meisters, Polygons have ears, 1975), each time with the ear of the best quality.
std::optional<std::vector<int>> triangles_of_polygon(const std::vector<Point>& corners) {
  if (corners.size() < 3)
    return std::nullopt;
  double size = 0., area = 0.;
  for (const Point& corner : corners)
    size = std::max({size, std::fabs(corner[0] - corners[0][0]), std::fabs(corner[1] - corners[0][1])});
  for (std::size_t k = 1; k + 1 < corners.size(); ++k)
    area += area_of(corners[0], corners[k], corners[k + 1]);
  const double rounding = 1e-9 * size; // far below the sides of any mesh
  if (std::fabs(area) <= rounding * size || meets_itself(corners, rounding))
    return std::nullopt;
  const double turn = area > 0. ? 1. : -1.;

  std::vector<int> left(corners.size()), triangles;
  std::iota(left.begin(), left.end(), 0);
  const auto point = [&](int k) { return corners[static_cast<std::size_t>(k)]; };
  // Twice the area over the sum of the squares of the sides; negative: not an ear.
  const auto quality = [&](std::size_t k) {
    const int own[3] = {left[(k + left.size() - 1) % left.size()], left[k], left[(k + 1) % left.size()]};
    const Point a = point(own[0]), b = point(own[1]), c = point(own[2]);
    if (turn * area_of(a, b, c) <= rounding * std::sqrt(square_of(a, c)))
      return -1.;
    for (const int other : left) {
      const Point x = point(other);
      if (std::find(own, own + 3, other) == own + 3 && turn * side_of(a, b, x, rounding) >= 0. &&
          turn * side_of(b, c, x, rounding) >= 0. && turn * side_of(c, a, x, rounding) >= 0.)
        return -1.;
    }
    return turn * area_of(a, b, c) / (square_of(a, b) + square_of(b, c) + square_of(c, a));
  };
  while (left.size() > 2) {
    std::size_t best = 0;
    double best_quality = -1.;
    for (std::size_t k = 0; k < left.size(); ++k)
      if (const double own = quality(k); own > best_quality) {
        best = k;
        best_quality = own;
      }
    if (best_quality < 0.)
      return std::nullopt;
    const std::size_t n = left.size();
    triangles.insert(triangles.end(), {left[(best + n - 1) % n], left[best], left[(best + 1) % n]});
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return triangles;
}

} // namespace tessera::io
