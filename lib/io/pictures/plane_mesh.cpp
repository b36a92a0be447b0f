// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/pictures/plane_mesh.hpp"

#include "io/pictures/edge_table.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace tessera::io::pictures {

namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Cuts every tetrahedron of a grid with a plane; calls on_point(tetrahedron, i, j, fraction of j) for points in the
/// order of triangles' corners, where i and j are local numbers.
template <class OnPoint> void cut(const SimplexGrid& grid, const Section& section, const OnPoint& on_point) {
  double low = grid.points[static_cast<std::size_t>(section.axis)], high = low;
  for (std::size_t i = static_cast<std::size_t>(section.axis); i < grid.points.size(); i += 3) {
    low = std::min(low, grid.points[i]);
    high = std::max(high, grid.points[i]);
  }
  const double inside = 1e-6 * (high - low), near = 1e-9 * (high - low);
  double position = section.position;
  if (std::abs(position - low) <= near)
    position = low + inside;
  else if (std::abs(position - high) <= near)
    position = high - inside;
  for (std::size_t t = 0; t < grid.size(); ++t) {
    std::array<double, 4> d;
    std::array<int, 4> above, below;
    int n_above = 0, n_below = 0;
    for (int c = 0; c < 4; ++c) {
      const std::size_t k = static_cast<std::size_t>(c);
      d[k] = grid.points[3 * at(grid.corners[4 * t + k]) + static_cast<std::size_t>(section.axis)] - position;
      if (d[k] >= 0.)
        above[static_cast<std::size_t>(n_above++)] = c;
      else
        below[static_cast<std::size_t>(n_below++)] = c;
    }
    if (n_above == 0 || n_below == 0)
      continue;
    const auto point = [&](int i, int j) {
      const double di = d[static_cast<std::size_t>(i)], dj = d[static_cast<std::size_t>(j)];
      on_point(t, i, j, di / (di - dj));
    };
    if (n_above == 2) { // a quadrilateral: two triangles
      point(above[0], below[0]), point(above[1], below[0]), point(above[1], below[1]);
      point(above[0], below[0]), point(above[1], below[1]), point(above[0], below[1]);
    } else {
      const int alone = n_above == 1 ? above[0] : below[0];
      for (int k = 0; k < 3; ++k)
        point(alone, (n_above == 1 ? below : above)[static_cast<std::size_t>(k)]);
    }
  }
}

double distance(const Place& p, const Place& a, const Place& b) {
  const double ux = b.x - a.x, uy = b.y - a.y, length2 = ux * ux + uy * uy;
  double t = length2 > 0. ? ((p.x - a.x) * ux + (p.y - a.y) * uy) / length2 : 0.;
  t = std::clamp(t, 0., 1.);
  return std::hypot(p.x - a.x - t * ux, p.y - a.y - t * uy);
}

} // namespace

double area_of(const PlaneMesh& mesh, const Triangle& triangle) {
  const Place &a = mesh.points[static_cast<std::size_t>(triangle[0])],
              &b = mesh.points[static_cast<std::size_t>(triangle[1])],
              &c = mesh.points[static_cast<std::size_t>(triangle[2])];
  return 0.5 * std::abs((b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y));
}

PlaneMesh plane_mesh(const SimplexGrid& grid) {
  PlaneMesh mesh;
  mesh.points.resize(grid.points.size() / 3);
  for (std::size_t i = 0; i < mesh.points.size(); ++i)
    mesh.points[i] = {grid.points[3 * i], grid.points[3 * i + 1]};
  mesh.triangles.resize(grid.size());
  for (std::size_t i = 0; i < grid.size(); ++i)
    mesh.triangles[i] = {grid.corners[3 * i], grid.corners[3 * i + 1], grid.corners[3 * i + 2]};
  mesh.elements = grid.elements;
  mesh.regions = grid.regions.empty() ? std::vector<std::uint16_t>(grid.size(), 0) : grid.regions;
  return mesh;
}

CornerValues plane_values(const std::vector<double>& values) {
  CornerValues result(values.size() / 3);
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
  return result;
}

PlaneMesh section_mesh(const SimplexGrid& grid, const Section& section) {
  const std::size_t right = section.axis == 0 ? 1 : 0, up = section.axis == 2 ? 1 : 2;
  PlaneMesh mesh;
  std::size_t n_cut = 0;
  cut(grid, section, [&](std::size_t, int, int, double) { ++n_cut; });
  EdgeTable table(n_cut);
  std::size_t n_corners = 0;
  cut(grid, section, [&](std::size_t t, int i, int j, double share) {
    const std::int32_t a = grid.corners[4 * t + static_cast<std::size_t>(i)];
    const std::int32_t b = grid.corners[4 * t + static_cast<std::size_t>(j)];
    const auto [number, is_new] = table.insert(a, b, static_cast<std::int32_t>(mesh.points.size()));
    if (is_new) {
      const auto mix = [&](std::size_t axis) {
        return (1. - share) * grid.points[3 * at(a) + axis] + share * grid.points[3 * at(b) + axis];
      };
      mesh.points.push_back({mix(right), mix(up)});
    }
    if (n_corners % 3 == 0) {
      mesh.triangles.emplace_back();
      mesh.elements.push_back(grid.elements[t]);
      mesh.regions.push_back(grid.region(t));
    }
    mesh.triangles.back()[n_corners++ % 3] = *number;
  });
  return mesh;
}

CornerValues section_values(const SimplexGrid& grid, const Section& section, const std::vector<double>& values) {
  CornerValues result;
  std::size_t n_corners = 0;
  cut(grid, section, [&](std::size_t t, int i, int j, double share) {
    if (n_corners % 3 == 0)
      result.emplace_back();
    result.back()[n_corners++ % 3] = (1. - share) * values[4 * t + static_cast<std::size_t>(i)] +
                                     share * values[4 * t + static_cast<std::size_t>(j)];
  });
  return result;
}

namespace {

/// Lower and upper corner of a grid's bounding box.
std::array<std::array<double, 3>, 2> box_of(const SimplexGrid& grid) {
  std::array<double, 3> low{grid.points[0], grid.points[1], grid.points[2]}, high = low;
  for (std::size_t i = 0; i < grid.points.size(); ++i) {
    low[i % 3] = std::min(low[i % 3], grid.points[i]);
    high[i % 3] = std::max(high[i % 3], grid.points[i]);
  }
  return {low, high};
}

} // namespace

std::vector<Section> middle_sections(const SimplexGrid& grid) {
  const auto [low, high] = box_of(grid);
  std::vector<Section> sections;
  for (std::size_t axis = 0; axis < 3; ++axis)
    sections.push_back({static_cast<int>(axis), 0.5 * (low[axis] + high[axis])});
  return sections;
}

std::vector<Section> usual_sections(const SimplexGrid& grid) {
  const auto [low, high] = box_of(grid);
  std::size_t axis = 2;
  for (const std::size_t other : {std::size_t(1), std::size_t(0)})
    if (high[other] - low[other] < 0.99 * (high[axis] - low[axis]))
      axis = other;
  const double slack = 1e-9 * (high[axis] - low[axis]);
  const Section zero{static_cast<int>(axis), 0.}, middle{static_cast<int>(axis), 0.5 * (low[axis] + high[axis])};
  if (low[axis] < -slack && high[axis] > slack)
    return {zero};
  if (std::abs(low[axis]) <= slack || std::abs(high[axis]) <= slack)
    return {zero, middle};
  return {middle};
}

std::vector<Triangle> neighbours_of(const std::vector<Triangle>& triangles) {
  std::vector<Triangle> result(triangles.size(), Triangle{-1, -1, -1});
  EdgeTable table(2 * triangles.size() + 16); // about 1.5 edges per triangle
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t side = static_cast<std::int32_t>(3 * t + k);
      const auto [first, is_new] = table.insert(triangles[t][k], triangles[t][(k + 1) % 3], side);
      if (is_new || *first < 0)
        continue;
      result[t][k] = *first / 3;
      result[at(*first) / 3][at(*first) % 3] = static_cast<std::int32_t>(t);
      *first = -1; // a third triangle at the edge gets no neighbour
    }
  return result;
}

std::vector<Polyline> contour_lines(const PlaneMesh& mesh, const std::vector<Triangle>& neighbours,
                                    const CornerValues& values, double level, double noise) {
  const auto is_flat = [&](std::size_t t) {
    const auto [low, high] = std::minmax_element(values[t].begin(), values[t].end());
    return *high - *low <= noise;
  };
  const auto crosses = [&](std::size_t t, std::size_t k) {
    return (values[t][k] >= level) != (values[t][(k + 1) % 3] >= level);
  };
  const auto place = [&](std::size_t t, std::size_t k) {
    const double a = values[t][k], b = values[t][(k + 1) % 3], share = (level - a) / (b - a);
    const Place& p = mesh.points[at(mesh.triangles[t][k])];
    const Place& q = mesh.points[at(mesh.triangles[t][(k + 1) % 3])];
    return Place{p.x + share * (q.x - p.x), p.y + share * (q.y - p.y)};
  };
  std::vector<char> visited(mesh.triangles.size(), 0);
  /// Follows the line from triangle t across its edge k until it ends or closes; returns true if it closes at `start`.
  const auto follow = [&](std::size_t t, std::size_t k, std::size_t start, std::vector<Place>& places) {
    while (true) {
      places.push_back(place(t, k));
      const std::int32_t next = neighbours[t][k];
      if (next < 0)
        return false;
      std::size_t entry = 0;
      while (entry < 3 && neighbours[at(next)][entry] != static_cast<std::int32_t>(t))
        ++entry;
      if (entry == 3 || !crosses(at(next), entry))
        return false; // the values are discontinuous here
      if (is_flat(at(next)))
        return false;
      if (at(next) == start)
        return true;
      if (visited[at(next)])
        return false;
      visited[at(next)] = 1;
      t = at(next);
      k = crosses(t, (entry + 1) % 3) ? (entry + 1) % 3 : (entry + 2) % 3;
    }
  };
  std::vector<Polyline> lines;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (visited[t] || is_flat(t))
      continue;
    std::array<std::size_t, 2> sides{};
    std::size_t n = 0;
    for (std::size_t k = 0; k < 3; ++k)
      if (crosses(t, k))
        sides[std::min<std::size_t>(n++, 1)] = k;
    if (n != 2)
      continue;
    visited[t] = 1;
    Polyline line;
    line.is_closed = follow(t, sides[0], t, line.places);
    if (!line.is_closed) {
      std::reverse(line.places.begin(), line.places.end());
      follow(t, sides[1], t, line.places);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<Polyline> outlines(const PlaneMesh& mesh, const std::vector<Triangle>& neighbours) {
  std::vector<std::array<std::int32_t, 2>> segments;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t other = neighbours[t][k];
      if (other < 0 || (at(other) > t && mesh.regions[at(other)] != mesh.regions[t]))
        segments.push_back({mesh.triangles[t][k], mesh.triangles[t][(k + 1) % 3]});
    }
  std::unordered_map<std::int32_t, std::vector<std::int32_t>> at_point; // by point: segments
  for (std::size_t s = 0; s < segments.size(); ++s)
    for (const std::int32_t point : segments[s])
      at_point[point].push_back(static_cast<std::int32_t>(s));
  std::vector<char> used(segments.size(), 0);
  std::vector<Polyline> lines;
  const auto walk = [&](std::int32_t segment, std::int32_t from) {
    Polyline line;
    line.places.push_back(mesh.points[at(from)]);
    const std::int32_t start = from;
    while (segment >= 0) {
      used[at(segment)] = 1;
      const std::int32_t to = segments[at(segment)][segments[at(segment)][0] == from ? 1 : 0];
      line.places.push_back(mesh.points[at(to)]);
      if (to == start)
        break;
      const std::vector<std::int32_t>& here = at_point[to];
      segment = -1;
      if (here.size() == 2) // lines end where several meet
        for (const std::int32_t next : here)
          if (!used[at(next)])
            segment = next;
      from = to;
    }
    lines.push_back(std::move(line));
  };
  for (const bool from_ends : {true, false}) // closed lines have no end
    for (std::size_t s = 0; s < segments.size(); ++s)
      for (const std::int32_t point : segments[s])
        if (!used[s] && (!from_ends || at_point[point].size() != 2))
          walk(static_cast<std::int32_t>(s), point);
  return lines;
}

Polyline simplified(const Polyline& line, double tolerance) {
  const std::size_t n = line.places.size();
  if (n < 3)
    return line;
  std::vector<char> kept(n, 0);
  kept.front() = kept.back() = 1;
  std::vector<std::pair<std::size_t, std::size_t>> open{{0, n - 1}};
  while (!open.empty()) {
    const auto [first, last] = open.back();
    open.pop_back();
    double farthest = tolerance;
    std::size_t middle = first;
    for (std::size_t i = first + 1; i < last; ++i)
      if (const double d = distance(line.places[i], line.places[first], line.places[last]); d > farthest) {
        farthest = d;
        middle = i;
      }
    if (middle == first)
      continue;
    kept[middle] = 1;
    open.push_back({first, middle});
    open.push_back({middle, last});
  }
  Polyline result;
  result.is_closed = line.is_closed;
  for (std::size_t i = 0; i < n; ++i)
    if (kept[i])
      result.places.push_back(line.places[i]);
  return result;
}

} // namespace tessera::io::pictures
