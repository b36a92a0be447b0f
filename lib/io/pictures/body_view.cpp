// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/pictures/body_view.hpp"

#include "io/pictures/edge_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::io::pictures {

namespace {

using Point = std::array<double, 3>;

double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Point unit(const Point& a) {
  const double length = std::sqrt(dot(a, a));
  return length > 0. ? Point{a[0] / length, a[1] / length, a[2] / length} : a;
}

} // namespace

BodyView::BodyView(const SimplexGrid& grid, const Section& section) : grid_(grid), section_(section) {
  const std::size_t axis = static_cast<std::size_t>(section.axis);
  Point low, high;
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-low[0]);
  for (std::size_t i = 0; i < grid.points.size(); ++i) {
    low[i % 3] = std::min(low[i % 3], grid.points[i]);
    high[i % 3] = std::max(high[i % 3], grid.points[i]);
  }
  eye_ = unit({0.62, -0.70, 0.48});
  const double above = high[axis] - section.position, below = section.position - low[axis];
  kept_sign_ = above > below * (1. + 1e-9) || (above > below * (1. - 1e-9) && eye_[axis] < 0.) ? 1. : -1.;
  eye_[axis] = -kept_sign_ * std::abs(eye_[axis]);
  right_ = unit(cross({0., 0., 1.}, eye_));
  up_ = cross(eye_, right_);

  EdgeTable table(4 * grid.size());
  std::vector<char> is_inner(4 * grid.size(), 0);
  for (std::size_t t = 0; t < grid.size(); ++t)
    for (std::size_t k = 0; k < 4; ++k) {
      const std::int32_t* c = &grid.corners[4 * t];
      const auto [first, is_new] =
          table.insert(c[(k + 1) % 4], c[(k + 2) % 4], c[(k + 3) % 4], static_cast<std::int32_t>(4 * t + k));
      if (!is_new)
        is_inner[4 * t + k] = is_inner[static_cast<std::size_t>(*first)] = 1;
    }
  low_ = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  high_ = {-low_[0], -low_[1]};
  for (std::size_t f = 0; f < is_inner.size(); ++f) {
    if (is_inner[f])
      continue;
    faces_.push_back({static_cast<std::uint32_t>(f / 4), static_cast<std::uint32_t>(f % 4)});
    const auto include = [&](const Point& p) {
      const std::array<double, 2> xy{dot(p, right_), dot(p, up_)};
      for (std::size_t d = 0; d < 2; ++d) {
        low_[d] = std::min(low_[d], xy[d]);
        high_[d] = std::max(high_[d], xy[d]);
      }
    };
    for (std::size_t j = 0; j < 3; ++j) {
      const Point p = point_of(grid.corners[f / 4 * 4 + (f + 1 + j) % 4]);
      const Point q = point_of(grid.corners[f / 4 * 4 + (f + 1 + (j + 1) % 3) % 4]);
      const double at_p = kept_sign_ * (p[axis] - section.position), at_q = kept_sign_ * (q[axis] - section.position);
      if (at_p >= 0.)
        include(p);
      if ((at_p >= 0.) != (at_q >= 0.)) { // the rim of the section
        const double t = at_p / (at_p - at_q);
        include({p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]), p[2] + t * (q[2] - p[2])});
      }
    }
  }
}

BodyView::Point BodyView::point_of(std::int32_t number) const {
  const double* p = &grid_.points[3 * static_cast<std::size_t>(number)];
  return {p[0], p[1], p[2]};
}

std::array<Place, 3> BodyView::axes() const {
  std::array<Place, 3> result;
  for (std::size_t d = 0; d < 3; ++d)
    result[d] = {right_[d], up_[d]};
  return result;
}

Raster::Corner BodyView::corner_at(const Point& p, double value, double per_metre, bool is_on_section) const {
  const double kept =
      is_on_section ? 0. : kept_sign_ * (p[static_cast<std::size_t>(section_.axis)] - section_.position);
  return {(dot(p, right_) - low_[0]) * per_metre, (high_[1] - dot(p, up_)) * per_metre, value, -dot(p, eye_), kept};
}

void BodyView::draw(Raster& raster, double per_metre, const std::vector<double>& values, const PlaneMesh& cut,
                    const CornerValues& cut_values, bool with_edges) const {
  const double nearer = 2e-3 * (width() + height()); // draws edges in front of the faces that they bound
  const auto edge = [&](Raster::Corner a, Raster::Corner b) {
    a.depth -= nearer;
    b.depth -= nearer;
    raster.line(a, b);
  };
  std::vector<std::array<Raster::Corner, 3>> shown;
  std::vector<Triangle> triangles;
  std::vector<Point> normals;
  std::vector<std::int32_t> elements;
  for (const auto& [t, k] : faces_) {
    std::array<Raster::Corner, 3> corners;
    std::array<Point, 3> points;
    Triangle triangle{};
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t c = 4 * t + (k + 1 + j) % 4;
      triangle[j] = grid_.corners[c];
      points[j] = point_of(triangle[j]);
      corners[j] = corner_at(points[j], values[c], per_metre, false);
    }
    Point u, v;
    for (std::size_t d = 0; d < 3; ++d) {
      u[d] = points[1][d] - points[0][d];
      v[d] = points[2][d] - points[0][d];
    }
    const Point normal = unit(cross(u, v));
    raster.triangle(corners, 0.62 + 0.34 * std::abs(dot(normal, unit({0.9 * eye_[0] + 0.3, eye_[1], eye_[2] + 0.5}))));
    if (!with_edges)
      continue;
    shown.push_back(corners);
    triangles.push_back(triangle);
    normals.push_back(normal);
    elements.push_back(grid_.elements[t]);
  }
  const std::size_t axis = static_cast<std::size_t>(section_.axis);
  const std::size_t first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
  const auto cut_corner = [&](std::int32_t number, double value) {
    Point p{};
    p[axis] = section_.position;
    p[first] = cut.points[static_cast<std::size_t>(number)].x;
    p[second] = cut.points[static_cast<std::size_t>(number)].y;
    return corner_at(p, value, per_metre, true);
  };
  for (std::size_t t = 0; t < cut.triangles.size(); ++t) {
    std::array<Raster::Corner, 3> corners;
    for (std::size_t k = 0; k < 3; ++k)
      corners[k] = cut_corner(cut.triangles[t][k], cut_values[t][k]);
    raster.triangle(corners);
  }
  if (!with_edges)
    return;
  // Coplanar parts of one element have no edge between them.
  const std::vector<Triangle> adjacent = neighbours_of(triangles);
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t other = adjacent[t][k];
      const std::size_t o = static_cast<std::size_t>(std::max(other, 0));
      if (other < 0 || (o > t && (elements[o] != elements[t] || std::abs(dot(normals[o], normals[t])) < 0.99)))
        edge(shown[t][k], shown[t][(k + 1) % 3]);
    }
  const std::vector<Triangle> adjacent_of_cut = neighbours_of(cut.triangles);
  for (std::size_t t = 0; t < cut.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t other = adjacent_of_cut[t][k];
      if (other < 0 ||
          (static_cast<std::size_t>(other) > t && cut.elements[static_cast<std::size_t>(other)] != cut.elements[t]))
        edge(cut_corner(cut.triangles[t][k], 0.), cut_corner(cut.triangles[t][(k + 1) % 3], 0.));
    }
}

} // namespace tessera::io::pictures
