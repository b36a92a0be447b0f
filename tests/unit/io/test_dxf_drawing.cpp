// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "dxf_text.hpp"
#include "io/geometry/dxf_drawing.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>

namespace {

using namespace tessera;
using namespace tessera::test;
using tessera::io::DxfCurve;
using tessera::io::DxfDrawing;

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

constexpr double pi = 3.14159265358979323846;

DxfDrawing read(const std::string& entities, int unit = 6, const std::string& sections = "") {
  return io::read_dxf_text(dxf_drawing(entities, unit, sections), "a.dxf");
}

std::string message_of(const std::string& text) {
  try {
    io::read_dxf_text(text, "a.dxf");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string entities_message(const std::string& entities, const std::string& sections = "") {
  return message_of(dxf_drawing(entities, 6, sections));
}

std::array<double, 2> point_at(const DxfCurve& curve, double t) {
  const double x = std::cos(t), y = curve.ratio * std::sin(t);
  return {curve.center[0] + x * curve.axis[0] - y * curve.axis[1],
          curve.center[1] + x * curve.axis[1] + y * curve.axis[0]};
}

void check_ends(const DxfCurve& arc, std::array<double, 2> from, std::array<double, 2> to) {
  const std::array<double, 2> a = point_at(arc, arc.start), b = point_at(arc, arc.start + arc.sweep);
  for (std::size_t d = 0; d < 2; ++d) {
    CHECK(a[d] == Approx(from[d]).margin(1e-12));
    CHECK(b[d] == Approx(to[d]).margin(1e-12));
  }
}

} // namespace

TEST_CASE("curves of a drawing are read with layers, units and labels", "[io]") {
  const DxfDrawing drawing =
      read(dxf_line("core", 0., 1., 2., 3.) + dxf_circle("shield", 1., 2., 4.) +
               dxf_entity("ARC", "arcs", {{10, 0.}, {20, 0.}, {40, 1.}, {50, 270.}, {51, 90.}}) +
               dxf_entity("ELLIPSE", "ovals", {{10, 0.}, {20, 0.}, {11, 0.}, {21, 2.}, {40, 0.5}, {41, 0.}, {42, pi}}) +
               dxf_text("coil", 5., 6.) +
               dxf_entity("MTEXT", "labels", {{10, 7.}, {20, 8.}}, dxf_pair(1, "{\\fArial|b0;air\\P}")),
           4);
  CHECK(drawing.metres_per_unit == 1e-3);
  CHECK(drawing.unit == "mm");
  REQUIRE(drawing.curves.size() == 4);
  CHECK(drawing.curves[0].layer == "core");
  CHECK(drawing.curves[0].to == std::array<double, 2>{2., 3.});
  CHECK(drawing.curves[0].location == "a.dxf:15: LINE on layer 'core'");
  CHECK(drawing.curves[1].is_closed());
  CHECK(drawing.curves[1].axis[0] == 4.);
  CHECK(drawing.curves[2].sweep == Approx(pi));
  check_ends(drawing.curves[2], {0., -1.}, {0., 1.});
  check_ends(drawing.curves[3], {0., 2.}, {0., -2.});
  CHECK_FALSE(drawing.curves[3].is_closed());
  REQUIRE(drawing.labels.size() == 2);
  CHECK(drawing.labels[0].name == "coil");
  CHECK(drawing.labels[1].name == "air");
  CHECK(drawing.labels[1].at == std::array<double, 2>{7., 8.});
  CHECK(read(dxf_line("a", 0., 0., 1., 0.), 0).metres_per_unit == 0.);
  CHECK(drawing.lower[0] == -3.);
}

TEST_CASE("bulges of polylines are arcs to their side", "[io]") {
  // Quarter of a circle: bulge tan(pi / 8), counterclockwise, then back by a line.
  const double bulge = std::tan(pi / 8.);
  const std::string light =
      dxf_entity("LWPOLYLINE", "a", {{70, 1}, {10, 1.}, {20, 0.}, {42, bulge}, {10, 0.}, {20, 1.}});
  const std::string heavy = dxf_entity("POLYLINE", "a", {{70, 1}}) +
                            dxf_entity("VERTEX", "a", {{10, 1.}, {20, 0.}, {42, bulge}}) +
                            dxf_entity("VERTEX", "a", {{10, 0.}, {20, 1.}}) + dxf_pair(0, "SEQEND");
  for (const std::string& text : {light, heavy}) {
    const DxfDrawing drawing = read(text);
    REQUIRE(drawing.curves.size() == 2);
    CHECK(drawing.curves[0].center[0] == Approx(0.).margin(1e-12));
    CHECK(drawing.curves[0].axis[0] == Approx(1.));
    CHECK(drawing.curves[0].sweep == Approx(pi / 2.));
    check_ends(drawing.curves[0], {1., 0.}, {0., 1.});
    CHECK(drawing.curves[1].kind == DxfCurve::Kind::line);
  }
  const DxfDrawing clockwise =
      read(dxf_entity("LWPOLYLINE", "a", {{70, 0}, {10, 1.}, {20, 0.}, {42, -bulge}, {10, 0.}, {20, 1.}}));
  REQUIRE(clockwise.curves.size() == 1); // an open polyline
  CHECK(clockwise.curves[0].center[0] == Approx(1.));
  CHECK(clockwise.curves[0].center[1] == Approx(1.));
  check_ends(clockwise.curves[0], {0., 1.}, {1., 0.});
}

TEST_CASE("entities drawn as seen from below are mirrored", "[io]") {
  const DxfNumbers below{{210, 0.}, {220, 0.}, {230, -1.}};
  DxfNumbers numbers{{10, 1.}, {20, 2.}, {40, 1.}, {50, 0.}, {51, 90.}};
  numbers.insert(numbers.end(), below.begin(), below.end());
  const DxfDrawing drawing = read(dxf_entity("ARC", "a", numbers));
  CHECK(drawing.curves[0].center[0] == -1.);
  check_ends(drawing.curves[0], {-1., 3.}, {-2., 2.});
  CHECK_THAT(entities_message(dxf_entity("ARC", "a", {{10, 0.}, {20, 0.}, {40, 1.}, {210, 1.}, {230, 0.}})),
             ContainsSubstring("lies in another plane"));
}

TEST_CASE("what bounds no region is left out with a note", "[io]") {
  const std::string tables = dxf_pair(0, "SECTION") + dxf_pair(2, "TABLES") + dxf_pair(0, "LAYER") +
                             dxf_pair(2, "off") + dxf_pair(70, "0") + dxf_pair(62, "-7") + dxf_pair(0, "LAYER") +
                             dxf_pair(2, "frozen") + dxf_pair(70, "1") + dxf_pair(62, "7") + dxf_pair(0, "ENDSEC");
  const DxfDrawing drawing = read(
      dxf_line("a", 0., 0., 1., 0.) + dxf_line("off", 0., 0., 1., 0.) + dxf_line("frozen", 0., 0., 1., 0.) +
          dxf_entity("POINT", "a", {{10, 0.}, {20, 0.}}) + dxf_entity("DIMENSION", "a", {}) +
          dxf_entity("LINE", "a", {{67, 1}, {10, 0.}, {20, 0.}, {11, 1.}, {21, 1.}}) + dxf_line("a", 1., 1., 1., 1.),
      6, tables);
  CHECK(drawing.curves.size() == 1);
  std::string notes;
  for (const std::string& note : drawing.notes)
    notes += note + "\n";
  CHECK_THAT(notes, ContainsSubstring("1 LINE on layer 'off', which is hidden") &&
                        ContainsSubstring("'frozen', which is hidden") && ContainsSubstring("1 POINT") &&
                        ContainsSubstring("1 DIMENSION") && ContainsSubstring("1 LINE in paper space") &&
                        ContainsSubstring("lines without length"));
}

TEST_CASE("what is no plane drawing is refused with its place", "[io]") {
  CHECK_THAT(message_of("AutoCAD Binary DXF\r\n\x1a"), ContainsSubstring("Save it as ASCII DXF"));
  CHECK_THAT(message_of("solid cube\nfacet\n"), ContainsSubstring("a.dxf:1: expected a group code"));
  CHECK_THAT(message_of(""), ContainsSubstring("without EOF"));
  const std::string whole = dxf_drawing(dxf_line("a", 0., 0., 1., 0.));
  CHECK(message_of(whole).empty());
  CHECK_THAT(message_of(whole.substr(0, whole.size() - 6)), ContainsSubstring("cut off"));
  CHECK_THAT(entities_message(""), ContainsSubstring("holds no curve"));
  CHECK_THAT(entities_message(dxf_text("alone", 0., 0.)), ContainsSubstring("holds no curve"));
  CHECK_THAT(entities_message(dxf_entity("HELIX", "a", {{10, 0.}})),
             ContainsSubstring("a.dxf:15: HELIX on layer 'a' cannot be read") && ContainsSubstring("LWPOLYLINE"));
  CHECK_THAT(entities_message(dxf_entity("3DSOLID", "a", {})), ContainsSubstring("3DSOLID on layer 'a'"));
  CHECK_THAT(entities_message(dxf_entity("POLYLINE", "a", {{70, 64}})), ContainsSubstring("surface in space"));
  CHECK_THAT(entities_message(dxf_entity("LINE", "a", {{10, 0.}, {20, 0.}, {11, 1.}, {21, 0.}, {31, 5.}})),
             ContainsSubstring("at z = 5, but at 0"));
  CHECK_THAT(entities_message(dxf_circle("a", 0., 0., -1.)), ContainsSubstring("has the radius -1"));
  CHECK_THAT(entities_message(dxf_entity("LINE", "a", {{10, 0.}, {20, 0.}, {11, 1.}})),
             ContainsSubstring("lacks the number of group code 21"));
  CHECK_THAT(entities_message(dxf_entity("CIRCLE", "a", {{10, 0.}, {20, 0.}}, dxf_pair(40, "1,5"))),
             ContainsSubstring("a.dxf:24: CIRCLE: expected a finite number, found '1,5'"));
  CHECK_THAT(entities_message(dxf_entity("ELLIPSE", "a", {{10, 0.}, {20, 0.}, {11, 1.}, {21, 0.}, {40, 2.}})),
             ContainsSubstring("the first the longer one"));
}

namespace {

/// The point of a spline at a parameter (de Boor's algorithm), for splines of a drawing and for curves that were read.
std::array<double, 2> spline_point(int degree, const std::vector<double>& knots,
                                   const std::vector<std::array<double, 2>>& poles, const std::vector<double>& weights,
                                   double u) {
  const auto p = static_cast<std::size_t>(degree);
  std::size_t k = p;
  while (k + 1 < poles.size() && knots[k + 1] <= u)
    ++k;
  std::vector<std::array<double, 3>> d;
  for (std::size_t j = k - p; j <= k; ++j) {
    const double w = weights.empty() ? 1. : weights[j];
    d.push_back({w * poles[j][0], w * poles[j][1], w});
  }
  for (std::size_t r = 1; r <= p; ++r)
    for (std::size_t j = p; j >= r; --j) {
      const std::size_t i = j + k - p;
      const double share = (u - knots[i]) / (knots[i + p - r + 1] - knots[i]);
      for (std::size_t c = 0; c < 3; ++c)
        d[j][c] = (1. - share) * d[j - 1][c] + share * d[j][c];
    }
  return {d[p][0] / d[p][2], d[p][1] / d[p][2]};
}

struct TestSpline {
  int degree;
  std::vector<double> knots;
  std::vector<std::array<double, 2>> poles;
  std::vector<double> weights;

  std::string entity(const std::string& layer = "a") const {
    DxfNumbers numbers{{70, 8}, {71, degree}};
    for (const double knot : knots)
      numbers.emplace_back(40, knot);
    for (const double weight : weights)
      numbers.emplace_back(41, weight);
    for (const auto& pole : poles)
      numbers.insert(numbers.end(), {{10, pole[0]}, {20, pole[1]}, {30, 0.}});
    return dxf_entity("SPLINE", layer, numbers);
  }
  std::array<double, 2> at(double u) const { return spline_point(degree, knots, poles, weights, u); }
};

void check_same(const std::array<double, 2>& a, const std::array<double, 2>& b) {
  CHECK(a[0] == Approx(b[0]).margin(1e-12));
  CHECK(a[1] == Approx(b[1]).margin(1e-12));
}

/// Checks that the curves that were read equal the spline, piece by piece.
void check_spline(const TestSpline& spline, std::size_t n_curves) {
  const DxfDrawing drawing = read(spline.entity());
  REQUIRE(drawing.curves.size() == n_curves);
  for (const DxfCurve& curve : drawing.curves) {
    REQUIRE(curve.kind == DxfCurve::Kind::spline);
    REQUIRE(curve.knots.size() == curve.poles.size() + static_cast<std::size_t>(curve.degree) + 1);
    CHECK(curve.layer == "a");
    const double from = curve.knots.front(), to = curve.knots.back();
    check_same(curve.poles.front(), spline.at(from));
    for (const double share : {0., 0.1, 0.35, 0.5, 0.77, 0.999})
      check_same(spline_point(curve.degree, curve.knots, curve.poles, curve.weights, from + share * (to - from)),
                 spline.at(from + share * (to - from)));
  }
  check_same(drawing.curves.back().poles.back(), spline.at(drawing.curves.back().knots.back() - 1e-14));
}

} // namespace

TEST_CASE("splines are read as they are, and parted at corners", "[io]") {
  const std::vector<std::array<double, 2>> poles{{0., 0.}, {1., 3.}, {3., 3.}, {4., 0.}, {6., -1.}, {7., 2.}};
  check_spline({3, {0., 0., 0., 0., 1., 2.5, 3., 3., 3., 3.}, poles, {}}, 1);
  // Ends that are not control points: uniform knots, as in periodic splines; knots of multiplicity two at one end.
  check_spline({3, {0., 1., 2., 3., 4., 5., 6., 7., 8., 9.}, poles, {}}, 1);
  check_spline({3, {-1., 0., 2., 2., 4., 5., 6., 6., 8., 9.}, poles, {1., 2., 0.5, 1., 3., 1.}}, 1);
  check_spline({2, {0., 1., 2., 3., 4., 5., 6., 7., 8.}, poles, {}}, 1);
  // A knot with a multiplicity equal to the degree is a corner.
  check_spline({2, {0., 0., 0., 1., 1., 2., 3., 3., 3.}, poles, {}}, 2);
  // A closed spline becomes two curves, split in the middle or at a knot there.
  const std::vector<std::array<double, 2>> round{{0., 0.}, {3., 0.}, {4., 3.}, {1., 4.}, {-2., 2.}, {0., 0.}};
  check_spline({3, {0., 0., 0., 0., 1., 2.5, 3., 3., 3., 3.}, round, {}}, 2);
  check_spline({3, {0., 0., 0., 0., 1.5, 2.5, 3., 3., 3., 3.}, round, {1., 2., 0.5, 1., 3., 1.}}, 2);
  // A circle: four quarters of degree 2.
  const double w = std::sqrt(0.5);
  const TestSpline circle{
      2,
      {0., 0., 0., 1., 1., 2., 2., 3., 3., 4., 4., 4.},
      {{1., 0.}, {1., 1.}, {0., 1.}, {-1., 1.}, {-1., 0.}, {-1., -1.}, {0., -1.}, {1., -1.}, {1., 0.}},
      {1., w, 1., w, 1., w, 1., w, 1.}};
  check_spline(circle, 4);
  CHECK(std::hypot(circle.at(0.3)[0], circle.at(0.3)[1]) == Approx(1.));
  const DxfDrawing lines = read(TestSpline{1, {0., 0., 1., 2., 2.}, {{0., 0.}, {1., 1.}, {2., 0.}}, {}}.entity());
  REQUIRE(lines.curves.size() == 2);
  CHECK(lines.curves[1].kind == DxfCurve::Kind::line);
  CHECK(lines.curves[1].from == std::array<double, 2>{1., 1.});
  CHECK(lines.upper[1] == 1.);
}

TEST_CASE("splines that are none are refused with the reason", "[io]") {
  const std::vector<std::array<double, 2>> poles{{0., 0.}, {1., 3.}, {3., 3.}, {4., 0.}};
  const std::vector<double> knots{0., 0., 0., 0., 1., 1., 1., 1.};
  const auto message = [](const TestSpline& spline) { return entities_message(spline.entity()); };
  CHECK(message({3, knots, poles, {}}).empty());
  CHECK_THAT(message({3, {0., 0., 0., 1., 1., 1., 1.}, poles, {}}),
             ContainsSubstring("SPLINE on layer 'a' cannot be read: it has 7 knots, not 8"));
  CHECK_THAT(message({3, {0., 0., 0., 0., 1., 0.5, 1., 1.}, poles, {}}), ContainsSubstring("knots do not ascend"));
  CHECK_THAT(message({3, std::vector<double>(8, 1.), poles, {}}), ContainsSubstring("knots do not ascend"));
  CHECK_THAT(message({4, knots, poles, {}}), ContainsSubstring("4 control points, fewer than its degree and one"));
  CHECK_THAT(message({0, knots, poles, {}}), ContainsSubstring("its degree is 0"));
  CHECK_THAT(message({3, knots, poles, {1., 1.}}), ContainsSubstring("2 weights for 4 control points"));
  CHECK_THAT(message({3, knots, poles, {1., 0., 1., 1.}}), ContainsSubstring("a weight is not positive"));
  CHECK_THAT(message({1, {0., 0., 1., 1., 2., 2.}, poles, {}}), ContainsSubstring("interrupted at the knot 1"));
  CHECK_THAT(entities_message(dxf_entity("SPLINE", "a", {{71, 3}, {74, 2}, {11, 0.}, {21, 0.}, {11, 1.}, {21, 1.}})),
             ContainsSubstring("has fit points only"));
}

namespace {

std::string block(const std::string& name, const std::string& content, double x = 0., double y = 0.) {
  return dxf_pair(0, "BLOCK") + dxf_pair(2, name) + dxf_pair(10, x) + dxf_pair(20, y) + content + dxf_pair(0, "ENDBLK");
}

std::string block_section(const std::string& blocks) {
  return dxf_pair(0, "SECTION") + dxf_pair(2, "BLOCKS") + blocks + dxf_pair(0, "ENDSEC");
}

std::string insert(const std::string& name, const std::string& layer, const DxfNumbers& numbers,
                   const std::string& further = "") {
  return dxf_entity("INSERT", layer, numbers, dxf_pair(2, name) + further);
}

} // namespace

TEST_CASE("blocks are drawn where they are inserted: moved, turned, stretched, mirrored and repeated", "[io]") {
  const std::string quarter = dxf_entity("ARC", "0", {{10, 0.}, {20, 0.}, {40, 1.}, {50, 0.}, {51, 90.}});
  SECTION("moved by the base point, turned and scaled") {
    const DxfDrawing drawing = read(
        insert("b", "coils", {{10, 5.}, {20, 6.}, {41, 2.}, {42, 2.}, {50, 90.}}), 6,
        block_section(block(
            "b", dxf_line("0", 1., 1., 2., 1.) + quarter + dxf_circle("own", 1., 1., 0.5) + dxf_text("copper", 2., 1.),
            1., 1.)));
    REQUIRE(drawing.curves.size() == 3);
    check_same(drawing.curves[0].from, {5., 6.});
    check_same(drawing.curves[0].to, {5., 8.});
    CHECK(drawing.curves[0].layer == "coils"); // layer 0 becomes the layer of the insertion
    CHECK(drawing.curves[2].layer == "own");
    check_ends(drawing.curves[1], {7., 6.}, {7. - 2., 6. - 2.});
    CHECK(drawing.curves[1].ratio == 1.);
    CHECK(std::hypot(drawing.curves[2].axis[0], drawing.curves[2].axis[1]) == Approx(1.));
    CHECK(drawing.curves[2].is_closed());
    REQUIRE(drawing.labels.size() == 1);
    CHECK(drawing.labels[0].name == "copper");
    check_same(drawing.labels[0].at, {5., 8.});
  }
  SECTION("stretched: arcs become parts of ellipses, also turned ones, and mirrored") {
    for (const double y_scale : {0.5, -0.5, 3.}) {
      const DxfDrawing drawing =
          read(insert("outer", "a", {{10, 1.}, {20, 2.}, {41, 2.}, {42, y_scale}}), 6,
               block_section(block("inner", quarter) +
                             block("outer", insert("inner", "0", {{10, 0.}, {20, 0.}, {50, 30.}}))));
      REQUIRE(drawing.curves.size() == 1);
      const DxfCurve& arc = drawing.curves[0];
      CHECK(arc.ratio < 1.);
      CHECK(arc.layer == "a");
      const auto image = [&](double degrees) {
        const double t = degrees * pi / 180.;
        return std::array<double, 2>{1. + 2. * std::cos(t), 2. + y_scale * std::sin(t)};
      };
      const bool is_mirrored = y_scale < 0.; // counterclockwise in any case
      check_ends(arc, image(is_mirrored ? 120. : 30.), image(is_mirrored ? 30. : 120.));
      const std::array<double, 2> middle = point_at(arc, arc.start + 0.4 * arc.sweep);
      CHECK(std::pow((middle[0] - 1.) / 2., 2) + std::pow((middle[1] - 2.) / y_scale, 2) == Approx(1.));
      CHECK((middle[1] - 2.) / y_scale > 0.5 - 1e-12); // between the ends, not on the other side
    }
  }
  SECTION("from below") {
    const DxfDrawing drawing = read(insert("b", "a", {{10, 1.}, {20, 2.}, {50, 90.}, {210, 0.}, {220, 0.}, {230, -1.}}),
                                    6, block_section(block("b", dxf_line("0", 0., 0., 1., 0.))));
    check_same(drawing.curves[0].from, {-1., 2.});
    check_same(drawing.curves[0].to, {-1., 3.});
  }
  SECTION("in columns and rows") {
    const DxfDrawing drawing =
        read(insert("b", "a", {{10, 0.}, {20, 0.}, {41, 2.}, {42, 2.}, {70, 3}, {71, 2}, {44, 10.}, {45, 20.}}), 6,
             block_section(block("b", dxf_line("0", 0., 0., 1., 0.))));
    REQUIRE(drawing.curves.size() == 6);
    check_same(drawing.curves[5].to, {22., 20.});
  }
  SECTION("splines, too") {
    const TestSpline spline{2, {0., 0., 0., 1., 1., 1.}, {{0., 0.}, {1., 1.}, {2., 0.}}, {}};
    const DxfDrawing drawing =
        read(insert("b", "a", {{10, 1.}, {20, 0.}, {42, -1.}}), 6, block_section(block("b", spline.entity("0"))));
    check_same(drawing.curves.at(0).poles.at(1), {2., -1.});
  }
  SECTION("an attribute is a label where it stands") {
    const DxfDrawing drawing =
        read(insert("b", "a", {{10, 1.}, {20, 0.}}, dxf_pair(66, "1")) +
                 dxf_entity("ATTRIB", "a", {{10, 1.25}, {20, 0.5}}, dxf_pair(1, "left")) + dxf_pair(0, "SEQEND"),
             6, block_section(block("b", dxf_circle("0", 0., 0., 1.) + dxf_entity("ATTDEF", "0", {}))));
    CHECK(drawing.curves.size() == 1);
    REQUIRE(drawing.labels.size() == 1);
    CHECK(drawing.labels[0].name == "left");
    check_same(drawing.labels[0].at, {1.25, 0.5});
  }
}

TEST_CASE("blocks in themselves, without extent or without end are refused", "[io]") {
  const std::string line = dxf_line("0", 0., 0., 1., 0.);
  CHECK_THAT(entities_message(insert("a", "a", {{10, 0.}, {20, 0.}}),
                              block_section(block("a", line + insert("b", "a", {{10, 0.}, {20, 0.}})) +
                                            block("b", line + insert("a", "a", {{10, 0.}, {20, 0.}})))),
             ContainsSubstring("inserts the block 'a' into itself"));
  CHECK_THAT(entities_message(insert("a", "a", {{10, 0.}, {20, 0.}, {41, 0.}}), block_section(block("a", line))),
             ContainsSubstring("inserts the block 'a' without extent (scales 0, 1)"));
  CHECK_THAT(entities_message(insert("a", "a", {{10, 0.}, {20, 0.}, {70, 30000}, {71, 30000}, {44, 1.}, {45, 1.}}),
                              block_section(block("a", line))),
             ContainsSubstring("more than 1000000"));
  CHECK_THAT(entities_message(insert("a", "a", {{10, 0.}, {20, 0.}, {41, 1e300}, {42, 1e300}}),
                              block_section(block("a", dxf_line("0", 0., 0., 1e300, 0.)))),
             ContainsSubstring("out of the range of numbers"));
  CHECK_THAT(entities_message(insert("a", "a", {{10, 0.}, {20, 0.}}),
                              block_section(block("a", dxf_entity("3DSOLID", "0", {})))),
             ContainsSubstring("3DSOLID on layer '0' cannot be read"));
}

TEST_CASE("blocks that are inserted into themselves alone, unknown, there twice or not ended are refused", "[io]") {
  const std::string line = dxf_line("0", 0., 0., 1., 0.);
  const std::string use = insert("a", "a", {{10, 0.}, {20, 0.}});
  CHECK_THAT(entities_message(line + use, block_section(block("a", use))),
             ContainsSubstring("inserts the block 'a' into itself"));
  CHECK_THAT(entities_message(line + use), ContainsSubstring("INSERT on layer 'a' inserts the block 'a', which the "
                                                             "drawing does not define"));
  CHECK_THAT(entities_message(line + use, block_section(block("b", line + use))),
             ContainsSubstring("inserts the block 'a', which the drawing does not define"));
  CHECK_THAT(entities_message(use, block_section(block("a", line) + block("a", line))),
             ContainsSubstring("the block 'a' is defined twice"));
  CHECK(read(use, 6, block_section(block("a", "") + block("a", line))).curves.size() == 1);
  const std::string open = dxf_pair(0, "BLOCK") + dxf_pair(2, "a") + line;
  for (const std::string& blocks : {open, open + block("b", line)})
    CHECK_THAT(entities_message(use, block_section(blocks)), ContainsSubstring("the block 'a' is not ended by ENDBLK"));
  CHECK_THAT(entities_message(use, block_section(block("a", line) + line)),
             ContainsSubstring("LINE on layer '0' stands between blocks"));
  CHECK_THAT(message_of(dxf_pair(0, "SECTION") + dxf_pair(2, "BLOCKS") + block("a", line) + dxf_drawing(use)),
             ContainsSubstring("a.dxf:1: the section 'BLOCKS' is not ended by ENDSEC"));
  CHECK_THAT(message_of(dxf_pair(0, "SECTION") + dxf_pair(2, "ENTITIES") + line + dxf_pair(0, "EOF")),
             ContainsSubstring("the section 'ENTITIES' is not ended by ENDSEC"));
  std::string chain = block("b0", line);
  for (int k = 1; k <= 40; ++k)
    chain += block("b" + std::to_string(k), insert("b" + std::to_string(k - 1), "a", {{10, 0.}, {20, 0.}}));
  CHECK_THAT(entities_message(insert("b40", "a", {{10, 0.}, {20, 0.}}), block_section(chain)),
             ContainsSubstring("more than 32 levels deep"));
  CHECK_THAT(entities_message(insert("a", "a", {{10, 0.}, {20, 0.}, {70, -1}}), block_section(block("a", line))),
             ContainsSubstring("inserts a block -1 times (group code 70)"));
}

TEST_CASE("entities that lack numbers, or have too many, are refused", "[io]") {
  CHECK_THAT(entities_message(dxf_entity("LWPOLYLINE", "a", {{90, 3}, {10, 0.}, {20, 0.}, {10, 1.}, {20, 0.}})),
             ContainsSubstring("LWPOLYLINE on layer 'a' announces 3 vertices (group code 90), but has 2"));
  CHECK_THAT(entities_message(dxf_entity("ARC", "a", {{10, 0.}, {20, 0.}, {40, 1.}, {50, 0.}})),
             ContainsSubstring("ARC on layer 'a' lacks the number of group code 51"));
  CHECK_THAT(entities_message(dxf_entity("ELLIPSE", "a", {{10, 0.}, {20, 0.}, {11, 1.}, {21, 0.}, {40, 1.}, {41, 0.}})),
             ContainsSubstring("ELLIPSE on layer 'a' lacks the number of group code 42"));
  CHECK_THAT(entities_message(dxf_entity("CIRCLE", "a", {{10, 0.}, {20, 0.}, {40, 1.}, {40, 2.}})),
             ContainsSubstring("CIRCLE on layer 'a' gives group code 40 twice, as 1 and in line 26 as 2"));
  CHECK(read(dxf_entity("CIRCLE", "a", {{10, 0.}, {20, 0.}, {40, 1.}, {40, 1.}})).curves.size() == 1);
  for (const char* radius : {"0x1", "1 mm", "inf"})
    CHECK_THAT(entities_message(dxf_entity("CIRCLE", "a", {{10, 0.}, {20, 0.}}, dxf_pair(40, radius))),
               ContainsSubstring("expected a finite number, found '" + std::string(radius) + "'"));
  const DxfNumbers spline{{71, 1.}, {72, 5.}, {73, 2.}, {40, 0.}, {40, 0.}, {40, 1.},
                          {40, 1.}, {10, 0.}, {20, 0.}, {10, 1.}, {20, 1.}};
  CHECK_THAT(entities_message(dxf_entity("SPLINE", "a", spline)),
             ContainsSubstring("SPLINE on layer 'a' announces 5 knots (group code 72), but has 4"));
  for (const double far : {1e20, 1e300})
    CHECK_THAT(entities_message(dxf_circle("a", 0., 0., 1.) + dxf_circle("b", far, 0., 0.5)),
               ContainsSubstring("CIRCLE on layer 'b' has coordinates of 1e+"));
}

TEST_CASE("blocks without curves are labels", "[io]") {
  const auto blocks = [](const std::string& content) { return block_section(block("mark", content)); };
  const std::string marked = dxf_circle("a", 0., 0., 1.) + insert("mark", "a", {{10, 1.}, {20, 2.}});
  const DxfDrawing plain = read(marked, 6, blocks(dxf_entity("POINT", "a", {})));
  REQUIRE(plain.labels.size() == 1);
  CHECK(plain.labels[0].name == "mark");
  const DxfDrawing named =
      read(marked + dxf_entity("ATTRIB", "a", {{10, 1.}, {20, 2.}}, dxf_pair(1, "copper")) + dxf_pair(0, "SEQEND"), 6,
           blocks(dxf_entity("ATTDEF", "a", {})));
  REQUIRE(named.labels.size() == 1);
  CHECK(named.labels[0].name == "copper");
}
