// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/geometry/gap_sizes.hpp"
#include "support/is_near.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>

using tessera::io::find_gaps;
using tessera::io::GapEntity;
using tessera::io::GapFacet;
using tessera::io::GapPlace;
using tessera::io::GapSizes;

namespace tessera::test {

namespace {

using Point = std::array<double, 3>;

/// Curves in the plane.
struct Outline {
  std::vector<GapFacet> facets;
  std::vector<GapEntity> entities;

  int add_entity(std::vector<int> ends) {
    entities.push_back({static_cast<int>(entities.size()) + 1, std::move(ends)});
    return static_cast<int>(entities.size()) - 1;
  }
  /// A polygon, each side a curve with elements of one size.
  void add_polygon(const std::vector<Point>& corners, double size) {
    const int first = 100 * static_cast<int>(entities.size());
    const int n = static_cast<int>(corners.size());
    for (int k = 0; k < n; ++k) {
      std::vector<int> ends{first + k, first + (k + 1) % n};
      std::sort(ends.begin(), ends.end());
      facets.push_back({{corners[static_cast<std::size_t>(k)], corners[static_cast<std::size_t>((k + 1) % n)]},
                        add_entity(ends),
                        size});
    }
  }
  void add_circle(const Point& center, double radius, double size) {
    constexpr int n = 200;
    const int entity = add_entity({-1 - static_cast<int>(entities.size())});
    const auto point = [&](int k) {
      const double angle = 2. * 3.14159265358979324 * k / n;
      return Point{center[0] + radius * std::cos(angle), center[1] + radius * std::sin(angle), 0.};
    };
    for (int k = 0; k < n; ++k)
      facets.push_back({{point(k), point(k + 1)}, entity, size});
  }
  std::vector<GapPlace> gaps(double elements = 3., double factor = 1.) const {
    return find_gaps(2, facets, entities, std::vector<bool>(entities.size(), false), elements, factor);
  }
};

Outline strip(double width, double size) {
  Outline outline;
  outline.add_polygon({{0., 0., 0.}, {10., 0., 0.}, {10., width, 0.}, {0., width, 0.}}, size);
  return outline;
}

} // namespace

TEST_CASE("Sides of a strip that face each other make a gap, unless elements are small already", "[io]") {
  const auto places = strip(0.1, 1.).gaps();
  REQUIRE(places.size() == 2); // one piece each, as the width is constant
  for (const GapPlace& place : places) {
    CHECK(is_near(place.width, 0.1));
    CHECK(is_near(place.size, 0.1 / 3.));
    CHECK((place.facet.entity + 2) % 4 == place.other);
    CHECK(place.facet.entity % 2 == 0); // not at the ends of the strip, although elements there are larger
  }
  CHECK(strip(0.1, 0.19).gaps().empty());
  CHECK(strip(0.1, 0.21).gaps().size() == 2);
  CHECK(strip(0.1, 0.21).gaps(3., 2.).empty()); // all sizes times 2
  CHECK(strip(0.1, 0.21).gaps(1.).empty());
  Outline crack = strip(0.1, 1.); // the region on both sides of a line in its middle
  crack.facets.push_back({{Point{1., 0.05, 0.}, Point{9., 0.05, 0.}}, crack.add_entity({1000, 1001}), 1.});
  std::vector<bool> twice(5, false);
  twice[4] = true;
  double narrowest = 1.;
  for (const GapPlace& place : find_gaps(2, crack.facets, crack.entities, twice, 3., 1.)) {
    narrowest = std::min(narrowest, place.width);
    CHECK(place.facet.entity != 4);
  }
  CHECK(is_near(narrowest, 0.05));
}

TEST_CASE("Corners, and what lies beyond another curve or outside of the region, make no gap", "[io]") {
  Outline wedge;
  wedge.add_polygon({{0., 0., 0.}, {10., 0., 0.}, {10., 1., 0.}}, 5.);
  for (const GapPlace& place : wedge.gaps())
    CHECK(place.width > 1.); // not between neighbours
  Outline plate;             // a thin hole in the middle of a square
  plate.add_polygon({{-20., -20., 0.}, {20., -20., 0.}, {20., 20., 0.}, {-20., 20., 0.}}, 5.);
  plate.add_polygon({{-5., -0.1, 0.}, {5., -0.1, 0.}, {5., 0.1, 0.}, {-5., 0.1, 0.}}, 5.);
  CHECK(plate.gaps().empty());
}

TEST_CASE("Sizes between round bodies are those of the narrowest place, and grow from there", "[io]") {
  Outline outline;
  outline.add_polygon({{-50., -50., 0.}, {50., -50., 0.}, {50., 50., 0.}, {-50., 50., 0.}}, 10.);
  outline.add_circle({-1.02, 0., 0.}, 1., 1.);
  outline.add_circle({1.02, 0., 0.}, 1., 1.);
  const GapSizes sizes(2, outline.gaps(), 1e9);
  REQUIRE_FALSE(sizes.is_empty());
  CHECK(sizes.coarse_gaps().empty());
  const double narrowest = sizes.at({-0.02, 0., 0.});
  CHECK(narrowest > 0.9 * 0.04 / 3.);
  CHECK(narrowest < 1.1 * 0.04 / 3.);
  const double width = 2. * (1.02 - std::sqrt(1. - 0.3 * 0.3)); // where y is 0.3
  CHECK(sizes.at({-0.5 * width, 0.3, 0.}) > 0.6 * width / 3.);
  CHECK(sizes.at({-0.5 * width, 0.3, 0.}) < 1.1 * width / 3.);
  CHECK(sizes.at({0., 10., 0.}) > 2.);
  CHECK(sizes.at({0., 10., 0.}) < 3.);
}

TEST_CASE("Gaps with more elements than they may have keep larger ones, which is reported", "[io]") {
  const Outline outline = strip(0.001, 1.);
  const GapSizes all(2, outline.gaps(), 1e9);
  CHECK(all.coarse_gaps().empty());
  CHECK(is_near(all.at({5., 0.0005, 0.}), 0.001 / 3. + 0.3 * 0.0005));
  const GapSizes some(2, outline.gaps(), 1000.);
  REQUIRE(some.coarse_gaps().size() == 1);
  const auto& gap = some.coarse_gaps()[0];
  CHECK(std::min(gap.entity, gap.other) == 0);
  CHECK(std::max(gap.entity, gap.other) == 2);
  CHECK(is_near(gap.width, 0.001));
  CHECK(gap.size > 0.1); // 2 sides of 10 with 1 + 2 / 0.3 elements per size along them
  CHECK(gap.size < 0.2);
  CHECK(some.at({5., 0., 0.}) == gap.size);
}

TEST_CASE("Faces of a flat box that face each other make a gap", "[io]") {
  constexpr double height = 0.05;
  std::vector<GapFacet> facets;
  std::vector<GapEntity> entities;
  const auto corner = [&](int k) {
    return Point{static_cast<double>(k & 1), static_cast<double>((k >> 1) & 1), height * ((k >> 2) & 1)};
  };
  const int faces[6][4] = {{0, 1, 3, 2}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 3, 7, 5}};
  for (int f = 0; f < 6; ++f) {
    std::vector<int> ends(faces[f], faces[f] + 4);
    std::sort(ends.begin(), ends.end());
    entities.push_back({f + 1, ends});
    for (const int k : {1, 2})
      facets.push_back({{corner(faces[f][0]), corner(faces[f][k]), corner(faces[f][k + 1])}, f, 0.5});
  }
  const auto places = find_gaps(3, facets, entities, std::vector<bool>(6, false), 3., 1.);
  REQUIRE(places.size() == 4); // both triangles of two faces
  for (const GapPlace& place : places) {
    CHECK(place.facet.entity < 2);
    CHECK(place.other == 1 - place.facet.entity);
    CHECK(is_near(place.width, height));
  }
  const GapSizes sizes(3, places, 1e9);
  CHECK(is_near(sizes.at({0.3, 0.4, 0.}), height / 3.));
  CHECK(is_near(sizes.at({0.3, 0.4, 1. + height}), height / 3. + 0.3));
  CHECK(is_near(sizes.at({0.3, 1.4, height}), height / 3. + 0.3 * 0.4));
}

} // namespace tessera::test
