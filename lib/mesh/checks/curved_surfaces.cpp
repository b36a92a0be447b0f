// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/checks/curved_surfaces.hpp"

#include "core/constants.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

namespace tessera::mesh {

namespace {

constexpr double degree = pi / 180.;
constexpr double smallest_angle = 1e-3;        // rad; smaller angles change the shape by less than 1e-6
constexpr double largest_angle = 46. * degree; // a regular octagon has angles of 45 degrees

/// Part of a facet's boundary: a node in 2D, an edge in 3D, by ascending nodes; `region` separates surfaces.
template <int Dim> struct Ridge {
  group_t region;
  std::array<index_t, Dim - 1> nodes;
  index_t facet;
  auto key() const { return std::tie(region, nodes); }
};

/// Outward normal, not normalised.
template <int Dim> std::array<double, 3> normal_of(const Surface<Dim>& surface, index_t f) {
  const auto edge = [&](int k, int d) { return surface.points(f, k * Dim + d) - surface.points(f, d); };
  if constexpr (Dim == 2)
    return {edge(1, 1), -edge(1, 0), 0.};
  else
    return {edge(1, 1) * edge(2, 2) - edge(1, 2) * edge(2, 1), edge(1, 2) * edge(2, 0) - edge(1, 0) * edge(2, 2),
            edge(1, 0) * edge(2, 1) - edge(1, 1) * edge(2, 0)};
}

/// Angle between the normals of neighbouring facets, positive if the surface is convex there.
template <int Dim> double turn(const Surface<Dim>& surface, index_t f, index_t g) {
  const std::array<double, 3> a = normal_of(surface, f), b = normal_of(surface, g);
  double cosine = 0., towards = 0.; // of lengths |a||b|; height of g's centre above f's plane
  for (int d = 0; d < 3; ++d)
    cosine += a[d] * b[d];
  const std::array<double, 3> cross{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  const double sine = std::sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]);
  for (int k = 0; k < Dim; ++k)
    for (int d = 0; d < Dim; ++d)
      towards += a[d] * (surface.points(g, k * Dim + d) - surface.points(f, d));
  const double angle = std::atan2(sine, cosine);
  return towards > 0. ? -angle : angle;
}

using Corner = std::tuple<group_t, index_t, bool>; // region, node, convex

} // namespace

template <int Dim> std::vector<CurvedSurface> find_curved_surfaces(const Surface<Dim>& surface) {
  std::vector<Ridge<Dim>> ridges;
  ridges.reserve(static_cast<std::size_t>(surface.n_facets()) * Dim);
  for (index_t f = 0; f < surface.n_facets(); ++f)
    for (int left_out = 0; left_out < Dim; ++left_out) {
      Ridge<Dim> ridge{surface.regions(f), {}, f};
      for (int k = 0, n = 0; k < Dim; ++k)
        if (k != left_out)
          ridge.nodes[n++] = surface.nodes(f, k);
      std::sort(ridge.nodes.begin(), ridge.nodes.end());
      ridges.push_back(ridge);
    }
  std::sort(ridges.begin(), ridges.end(), [](const auto& a, const auto& b) { return a.key() < b.key(); });

  struct Bend {
    index_t facet, neighbour;
    bool is_convex;
    double angle;
  };
  std::vector<Bend> bends;
  std::vector<Corner> corners;
  for (std::size_t first = 0, end = 0; first < ridges.size(); first = end) {
    for (end = first; end < ridges.size() && ridges[end].key() == ridges[first].key();)
      ++end;
    if (end - first != 2) // if several surfaces meet, their continuations are ambiguous
      continue;
    const index_t f = ridges[first].facet, g = ridges[first + 1].facet;
    const double angle = turn(surface, f, g);
    if (std::fabs(angle) < smallest_angle || std::fabs(angle) > largest_angle)
      continue;
    bends.push_back({f, g, angle > 0., std::fabs(angle)});
    for (const index_t node : ridges[first].nodes)
      corners.emplace_back(ridges[first].region, node, angle > 0.);
  }
  std::sort(corners.begin(), corners.end());

  const auto turns_at_all_nodes = [&](index_t f, bool is_convex) {
    for (int k = 0; k < Dim; ++k)
      if (!std::binary_search(corners.begin(), corners.end(),
                              Corner(surface.regions(f), surface.nodes(f, k), is_convex)))
        return false;
    return true;
  };
  std::map<group_t, CurvedSurface> found;
  std::map<group_t, std::size_t> n_bends;
  for (const Bend& bend : bends)
    if (turns_at_all_nodes(bend.facet, bend.is_convex) && turns_at_all_nodes(bend.neighbour, bend.is_convex)) {
      const group_t region = surface.regions(bend.facet);
      CurvedSurface& curved = found[region];
      curved.facets.insert(curved.facets.end(), {bend.facet, bend.neighbour});
      curved.angle += bend.angle / degree;
      ++n_bends[region];
    }
  std::vector<CurvedSurface> all;
  for (auto& [region, curved] : found) {
    curved.region = region;
    curved.angle /= static_cast<double>(n_bends[region]);
    std::sort(curved.facets.begin(), curved.facets.end());
    curved.facets.erase(std::unique(curved.facets.begin(), curved.facets.end()), curved.facets.end());
    all.push_back(std::move(curved));
  }
  return all;
}

template std::vector<CurvedSurface> find_curved_surfaces(const Surface<2>&);
template std::vector<CurvedSurface> find_curved_surfaces(const Surface<3>&);

} // namespace tessera::mesh
