// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "dxf_text.hpp"
#include "io/dxf_drawing.hpp"

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
  CHECK(drawing.curves[0].place == "a.dxf:15: LINE on layer 'core'");
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
    CHECK(drawing.curves[1].is_line);
  }
  const DxfDrawing clockwise =
      read(dxf_entity("LWPOLYLINE", "a", {{70, 0}, {10, 1.}, {20, 0.}, {42, -bulge}, {10, 0.}, {20, 1.}}));
  REQUIRE(clockwise.curves.size() == 1); // open
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
  CHECK_THAT(entities_message(dxf_entity("SPLINE", "a", {{10, 0.}})),
             ContainsSubstring("a.dxf:15: SPLINE on layer 'a' cannot be read") && ContainsSubstring("LWPOLYLINE"));
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

TEST_CASE("blocks without curves are labels, others are refused", "[io]") {
  const auto blocks = [](const std::string& content) {
    return dxf_pair(0, "SECTION") + dxf_pair(2, "BLOCKS") + dxf_pair(0, "BLOCK") + dxf_pair(2, "mark") + content +
           dxf_pair(0, "ENDBLK") + dxf_pair(0, "ENDSEC");
  };
  const std::string insert =
      dxf_circle("a", 0., 0., 1.) + dxf_entity("INSERT", "a", {{10, 1.}, {20, 2.}}, dxf_pair(2, "mark"));
  const DxfDrawing plain = read(insert, 6, blocks(dxf_entity("POINT", "a", {})));
  REQUIRE(plain.labels.size() == 1);
  CHECK(plain.labels[0].name == "mark");
  const DxfDrawing named =
      read(insert + dxf_entity("ATTRIB", "a", {{10, 1.}, {20, 2.}}, dxf_pair(1, "copper")) + dxf_pair(0, "SEQEND"), 6,
           blocks(dxf_entity("ATTDEF", "a", {})));
  REQUIRE(named.labels.size() == 1);
  CHECK(named.labels[0].name == "copper");
  CHECK_THAT(entities_message(insert, blocks(dxf_circle("a", 0., 0., 1.))),
             ContainsSubstring("inserts the block 'mark', which holds a CIRCLE") && ContainsSubstring("explode"));
}
