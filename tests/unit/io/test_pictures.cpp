// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/pictures/body_view.hpp"
#include "io/pictures/colour_range.hpp"
#include "io/pictures/colours.hpp"
#include "io/pictures/plane_mesh.hpp"
#include "io/pictures/raster.hpp"
#include "io/pictures/scale.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cmath>

namespace {

using namespace tessera::io::pictures;
using Catch::Approx;

/// n x n squares of the unit square, two triangles each; region 1 is the right half.
SimplexGrid square(int n) {
  SimplexGrid grid;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i)
      grid.points.insert(grid.points.end(), {static_cast<double>(i) / n, static_cast<double>(j) / n, 0.});
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const std::int32_t a = j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
      grid.corners.insert(grid.corners.end(), {a, b, d, a, d, c});
      for (int k = 0; k < 2; ++k) {
        grid.elements.push_back(static_cast<std::int32_t>(grid.elements.size()));
        grid.regions.push_back(2 * i < n ? 0 : 1);
      }
    }
  return grid;
}

/// n^3 cubes of the unit cube, six tetrahedra each.
SimplexGrid cube(int n) {
  SimplexGrid grid;
  grid.dimension = 3;
  const auto number = [n](int i, int j, int k) { return (k * (n + 1) + j) * (n + 1) + i; };
  for (int k = 0; k <= n; ++k)
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i <= n; ++i)
        grid.points.insert(grid.points.end(),
                           {static_cast<double>(i) / n, static_cast<double>(j) / n, static_cast<double>(k) / n});
  std::array<int, 3> order{0, 1, 2};
  for (int c = 0; c < n * n * n; ++c) {
    std::sort(order.begin(), order.end());
    do { // along the edges of the cube from one corner to the opposite
      std::array<int, 3> at{c % n, c / n % n, c / n / n};
      grid.corners.push_back(number(at[0], at[1], at[2]));
      for (const int axis : order) {
        ++at[static_cast<std::size_t>(axis)];
        grid.corners.push_back(number(at[0], at[1], at[2]));
      }
      grid.elements.push_back(static_cast<std::int32_t>(grid.elements.size()));
    } while (std::next_permutation(order.begin(), order.end()));
  }
  return grid;
}

template <class Function> std::vector<double> at_corners(const SimplexGrid& grid, const Function& f) {
  std::vector<double> values;
  for (const std::int32_t c : grid.corners) {
    const double* p = &grid.points[3 * static_cast<std::size_t>(c)];
    values.push_back(f(p[0], p[1], p[2]));
  }
  return values;
}

double length_of(const Polyline& line) {
  double length = 0.;
  for (std::size_t i = 1; i < line.places.size(); ++i)
    length += std::hypot(line.places[i].x - line.places[i - 1].x, line.places[i].y - line.places[i - 1].y);
  if (line.is_closed)
    length += std::hypot(line.places.back().x - line.places[0].x, line.places.back().y - line.places[0].y);
  return length;
}

double area_of(const PlaneMesh& mesh) {
  double area = 0.;
  for (const Triangle& t : mesh.triangles) {
    const Place &a = mesh.points[static_cast<std::size_t>(t[0])], &b = mesh.points[static_cast<std::size_t>(t[1])],
                &c = mesh.points[static_cast<std::size_t>(t[2])];
    area += 0.5 * std::abs((b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y));
  }
  return area;
}

} // namespace

TEST_CASE("colours of fields grow lighter evenly", "[io]") {
  // Relative luminance of sRGB and the lightness of CIE L*, which is close to OKLab's.
  const auto lightness = [](const Colour& c) {
    const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
    const double y = 0.2126 * linear(c.red) + 0.7152 * linear(c.green) + 0.0722 * linear(c.blue);
    return y > 0.008856 ? 116. * std::cbrt(y) - 16. : 903.3 * y;
  };
  constexpr int n = 50;
  double last = lightness(field_colour(0.));
  CHECK(last < 20.);
  for (int i = 1; i <= n; ++i) {
    const double next = lightness(field_colour(static_cast<double>(i) / n));
    CHECK(next - last > 0.6); // 80 in 50 steps: 1.6 on average
    CHECK(next - last < 2.6);
    last = next;
  }
  CHECK(last > 90.);
  CHECK(pixel_of({1., 0.5, 0., 1.}) == 0xffff8000u);
  for (std::size_t i = 0; i < 10; ++i)
    for (std::size_t j = 0; j < i; ++j)
      CHECK(pixel_of(region_colour(i)) != pixel_of(region_colour(j)));
}

TEST_CASE("colours are logarithmic where linear ones would be all dark", "[io]") {
  // 1 kV/m in the lower left corner, 1 V/m elsewhere: of 20 x 20 squares, `n` x `n` are strong.
  const PlaneMesh mesh = plane_mesh(square(20));
  const auto with_corner = [&](double n) {
    CornerValues values;
    for (const Triangle& triangle : mesh.triangles) {
      const Place& last = mesh.points[static_cast<std::size_t>(triangle[1])];
      const double value = last.x <= n / 20. + 1e-9 && last.y <= n / 20. + 1e-9 ? 1000. : 1.;
      values.push_back({value, value, value});
    }
    return values;
  };
  ColourRange range = colour_range(mesh, with_corner(4), true, {}); // 4 % of the area is strong
  CHECK(range.is_logarithmic);
  CHECK(range.low == 1.);
  CHECK(range.share_of(1.) == 0.);
  CHECK(range.share_of(std::sqrt(range.high)) == Approx(0.5));
  CHECK(range.share_of(range.high) == Approx(1.));
  CHECK(range.share_of(0.) == 0.);
  range = colour_range(mesh, with_corner(5), true, {}); // 6 %
  CHECK_FALSE(range.is_logarithmic);
  CHECK(range.low == 0.);
  CHECK(range.share_of(500.) == Approx(500. / range.high));

  // The user's choice takes precedence, and so does the requested range.
  CHECK_FALSE(colour_range(mesh, with_corner(4), true, {ColourScale::linear, {}, {}}).is_logarithmic);
  CHECK_FALSE(colour_range(mesh, with_corner(4), true, {ColourScale::automatic, {{0., 10.}}, {}}).is_logarithmic);
  CHECK_FALSE(
      colour_range(mesh, with_corner(4), true, {ColourScale::automatic, {}, {{0., 0., 0.3, 0.3}}}).is_logarithmic);
  CHECK_FALSE(colour_range(mesh, with_corner(4), false, {}).is_logarithmic);
  range = colour_range(mesh, with_corner(5), true, {ColourScale::logarithmic, {{10., 100.}}, {}});
  CHECK(range.is_logarithmic);
  CHECK(range.exceeds);
  CHECK(range.low == 10.);
  using Catch::Matchers::ContainsSubstring;
  using Catch::Matchers::MessageMatches;
  CHECK_THROWS_MATCHES(colour_range(mesh, with_corner(5), true, {ColourScale::logarithmic, {{0., 100.}}, {}}),
                       tessera::Error, MessageMatches(ContainsSubstring("--range: logarithmic colours begin above 0")));
  CHECK_THROWS_MATCHES(colour_range(mesh, with_corner(5), false, {ColourScale::logarithmic, {}, {}}), tessera::Error,
                       MessageMatches(ContainsSubstring("--scale: logarithmic colours are for lengths")));
}

TEST_CASE("numbers next to pictures are round and have prefixes", "[io]") {
  CHECK(unit_scale("V/m", 60472.).unit == "kV/m");
  CHECK(unit_scale("V/m", 60472.).factor == Approx(1e-3));
  CHECK(unit_scale("F", 2.99e-11).unit == "pF");
  CHECK(unit_scale("A/m^2", 3e6).unit == "MA/m\u00b2");
  CHECK(unit_scale("m^3", 2e-6).unit == "10\u207b\u2076 m\u00b3"); // a cubic millimetre is not a milli cubic metre
  CHECK(unit_scale("K", 927.).unit == "K");
  CHECK(unit_scale("K", 2000.).factor == 1.);
  CHECK(unit_scale("1", 0.002).unit == "10\u207b\u00b3");
  CHECK(unit_scale("1", 2.).unit.empty());
  CHECK(unit_scale("", 0.9).factor == 1.);
  CHECK(unit_scale("", 2000.).unit.empty());
  CHECK(unit_scale("", 2e5).unit == "10\u00b3");
  CHECK(unit_scale("V", 0.9).unit == "mV");
  CHECK(unit_scale("degC", 2000.).factor == 1.);
  CHECK(unit_scale("degC", 20.).unit == "\u00b0C");
  CHECK(unit_scale("", 0.002).unit == "10\u207b\u00b3");
  CHECK(unit_scale("V", 0.).unit == "V");
  CHECK(round_step(48., 15) == Approx(5.));
  CHECK(round_step(1., 10) == Approx(0.1));
  CHECK(round_values(-0.26, 0.31, 6) == std::vector<double>{-0.2, -0.1, 0., 0.1, 0.2, 0.30000000000000004});
  CHECK(powers_of_ten(2e-3, 5e1, 10).size() == 4);
  CHECK(tick_text(-0.2, 0.1) == "\u22120.2");
  CHECK(tick_text(-1e-20, 0.1) == "0.0");
  CHECK(tick_text(20., 5.) == "20");
  CHECK(number_with_digits(3.44479e-8, 4) == "3.445\u00b710\u207b\u2078");
  CHECK(power_text(1e-10) == "10\u207b\u00b9\u2070");
}

TEST_CASE("lines of equal value run through the triangles", "[io]") {
  const SimplexGrid grid = square(16);
  const PlaneMesh mesh = plane_mesh(grid);
  const auto neighbours = neighbours_of(mesh.triangles);
  SECTION("of a linear function they are straight and exact") {
    const auto lines =
        contour_lines(mesh, neighbours,
                      plane_values(at_corners(grid, [](double x, double y, double) { return 2. * x + y; })), 1.3, 0.);
    REQUIRE(lines.size() == 1);
    CHECK_FALSE(lines[0].is_closed);
    CHECK(length_of(lines[0]) == Approx(std::hypot(0.5, 1.)));
    for (const Place& p : lines[0].places)
      CHECK(2. * p.x + p.y == Approx(1.3));
    CHECK(simplified(lines[0], 1e-9).places.size() == 2);
  }
  SECTION("circles are closed") {
    const auto lines = contour_lines(
        mesh, neighbours,
        plane_values(at_corners(grid, [](double x, double y, double) { return std::hypot(x - 0.5, y - 0.5); })), 0.3,
        0.);
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].is_closed);
    CHECK(length_of(lines[0]) == Approx(2. * std::acos(-1.) * 0.3).epsilon(0.01)); // made of straight segments
    const Polyline fewer = simplified(lines[0], 0.01);
    CHECK(fewer.places.size() < lines[0].places.size() / 2);
    CHECK(length_of(fewer) == Approx(length_of(lines[0])).epsilon(0.05));
  }
  SECTION("they end where values jump, and where there are none") {
    auto values = plane_values(at_corners(grid, [](double, double y, double) { return y; }));
    for (std::size_t t = 0; t < values.size(); ++t)
      for (double& value : values[t])
        value += grid.regions[t]; // by 1 at x = 1/2
    const auto lines = contour_lines(mesh, neighbours, values, 0.55, 0.);
    REQUIRE(lines.size() == 1);
    CHECK(length_of(lines[0]) == Approx(0.5));
    CHECK(contour_lines(mesh, neighbours, values, 7., 0.).empty());
  }
  SECTION("there are none where values differ by noise") {
    const auto values = plane_values(at_corners(grid, [](double x, double y, double) { // zero to the left of 1/2
      return x > 0.5 ? x - 0.5 : 1e-12 * std::sin(40. * y) * std::sin(30. * x);
    }));
    CHECK(contour_lines(mesh, neighbours, values, 0., 0.).size() > 3);
    for (const Polyline& line : contour_lines(mesh, neighbours, values, 0., 1e-7)) // along the border
      for (const Place& p : line.places)
        CHECK(p.x == Approx(0.5));
    CHECK(contour_lines(mesh, neighbours, values, 0.2, 1e-7).size() == 1);
  }
}

TEST_CASE("outlines are those of the mesh and of its regions", "[io]") {
  const PlaneMesh mesh = plane_mesh(square(8));
  double length = 0.;
  for (const Polyline& line : outlines(mesh, neighbours_of(mesh.triangles)))
    length += length_of(line);
  CHECK(length == Approx(5.)); // four sides, and the interface once
}

TEST_CASE("sections of tetrahedra are exact for linear functions", "[io]") {
  const SimplexGrid grid = cube(3);
  const auto f = [](double x, double y, double z) { return x + 2. * y + 4. * z; };
  const std::vector<double> values = at_corners(grid, f);
  for (const int axis : {0, 1, 2})
    for (const double position : {0.4, 1. / 3., 0., 1.}) { // inside, on faces of tetrahedra, at both ends
      const Section section{axis, position};
      const PlaneMesh mesh = section_mesh(grid, section);
      CHECK(area_of(mesh) == Approx(1.));
      const CornerValues found = section_values(grid, section, values);
      REQUIRE(found.size() == mesh.triangles.size());
      double worst = 0.;
      for (std::size_t t = 0; t < found.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k) {
          const Place& p = mesh.points[static_cast<std::size_t>(mesh.triangles[t][k])];
          const double exact = axis == 0   ? f(position, p.x, p.y)
                               : axis == 1 ? f(p.x, position, p.y)
                                           : f(p.x, p.y, position);
          worst = std::max(worst, std::abs(found[t][k] - exact));
        }
      CHECK(worst < 5e-6); // planes at an end are shifted by 1e-6 into the body
    }
  CHECK(section_mesh(grid, {0, 1.5}).triangles.empty());
  const auto usual = usual_sections(grid);
  REQUIRE(usual.size() == 2);
  CHECK(usual[0].position == 0.);
  CHECK(usual[1].position == Approx(0.5));
  const auto middle = middle_sections(grid);
  REQUIRE(middle.size() == 3);
  for (int axis = 0; axis < 3; ++axis) {
    CHECK(middle[static_cast<std::size_t>(axis)].axis == axis);
    CHECK(middle[static_cast<std::size_t>(axis)].position == Approx(0.5));
  }
}

TEST_CASE("images show the value at each place", "[io]") {
  const auto grey = [](double value) {
    const auto level = static_cast<std::uint32_t>(std::lround(255. * value));
    return 0xff000000u | level << 16 | level << 8 | level;
  };
  Raster raster(20, 10);
  // The left half of the image; the value increases from 0 at the top to 1 at the bottom.
  const Raster::Corner a{0., 0., 0.}, b{10., 0., 0.}, c{10., 10., 1.}, d{0., 10., 1.};
  raster.triangle({a, b, c});
  raster.triangle({a, c, d});
  const auto pixel = [](const Image& image, int x, int y) {
    return image.pixels[static_cast<std::size_t>(y * image.width + x)];
  };
  SECTION("interpolated, and transparent next to") {
    const Image image = raster.image(grey);
    REQUIRE(image.pixels.size() == 200);
    for (int x = 0; x < 10; ++x)
      for (int y = 0; y < 10; ++y) {
        const int level = static_cast<int>(pixel(image, x, y) & 255u);
        CHECK(std::abs(level - 255. * (y + 0.5) / 10.) < 1.);
        CHECK(pixel(image, x, y) >> 24 == 255u);
      }
    for (int x = 10; x < 20; ++x)
      CHECK(pixel(image, x, 5) == 0u);
  }
  SECTION("nearer triangles cover, parts to be left out do not") {
    raster.triangle({Raster::Corner{0., 0., 0., -1.}, {10., 0., 0., -1.}, {10., 10., 0., -1.}});
    CHECK((pixel(raster.image(grey), 9, 5) & 255u) == 0u);
    CHECK((pixel(raster.image(grey), 1, 8) & 255u) > 200u);
    Raster other(10, 10);
    other.triangle(
        // drawn from x = 5
        {Raster::Corner{0., 0., 1., 0., -1.}, {20., 0., 1., 0., 3.}, {0., 20., 1., 0., -1.}});
    CHECK(pixel(other.image(grey), 3, 3) == 0u);
    CHECK(pixel(other.image(grey), 7, 3) == 0xffffffffu);
  }
}

TEST_CASE("a body that is cut open shows its section", "[io]") {
  const SimplexGrid grid = cube(2);
  const Section section{2, 0.25};
  const BodyView view(grid, section); // the upper part is drawn, seen from below
  const PlaneMesh cut = section_mesh(grid, section);
  CHECK(view.axes()[2].y > 0.); // z points upwards
  CHECK(view.width() > 1.);
  CHECK(view.width() < 1.5); // no wider than the diagonal of the base
  constexpr double per_metre = 400.;
  Raster raster(static_cast<int>(std::ceil(view.width() * per_metre)),
                static_cast<int>(std::ceil(view.height() * per_metre)));
  view.draw(raster, per_metre, at_corners(grid, [](double, double, double) { return 0.; }), cut,
            CornerValues(cut.triangles.size(), {1., 1., 1.}), false);
  const Image image = raster.image([](double value) { return value > 0.5 ? 0xffff0000u : 0xff0000ffu; });
  std::size_t of_section = 0, of_surface = 0;
  for (const std::uint32_t pixel : image.pixels) {
    of_section += pixel == 0xffff0000u; // not shaded
    of_surface += (pixel >> 24 == 255u) && (pixel & 0xff0000u) == 0u;
  }
  // The section's area is 1, seen at the angle between z and the eye (sine 0.457 = 0.48 / |(0.62, -0.70, 0.48)|).
  CHECK(static_cast<double>(of_section) ==
        Approx(0.457 * per_metre * per_metre).epsilon(0.03)); // minus pixels at its border
  CHECK(of_surface > of_section);
}
