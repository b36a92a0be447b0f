// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/femm/femm_file.hpp"
#include "io/femm/plane_graph.hpp"
#include "support/femm_text.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <fstream>
#include <sstream>

namespace tessera::test {

namespace {

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

const double pi = std::acos(-1.);

/// What reading the text and dividing its plane reports; empty if nothing.
std::string femm_message(const std::string& text, const std::string& name = "a.fem") {
  try {
    io::make_plane_graph(io::read_femm_text(text, name));
  } catch (const Error& error) {
    CHECK(error.exit_code() == 1);
    return error.what();
  }
  return "";
}

std::string femm_message(const FemmText& text) { return femm_message(text.text()); }

std::string input_text(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(TESSERA_SOURCE_DIR "/inputs/femm/" + name).rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

} // namespace

TEST_CASE("a problem file of FEMM is read with its properties", "[io]") {
  FemmText text = wire_in_air();
  text.head += "[Comment] = \"two \"quoted\" words\"\n";
  text.labels[0] += " \"theta + 90\"";
  const io::FemmFile file = io::read_femm_text(text.text(), "a.FEM");
  CHECK(file.kind == io::FemmKind::magnetics);
  CHECK(file.metres_per_unit() == 1e-3);
  CHECK(file.number("depth", -1.) == 10.);
  CHECK(file.text("comment") == "two \"quoted\" words");
  CHECK_FALSE(file.is_axisymmetric());
  REQUIRE(file.materials.size() == 2);
  CHECK(file.materials[1].name == "Copper");
  CHECK(file.materials[1].get("sigma") == 58.);
  CHECK(file.materials[1].get("h_c", -7.) == -7.);
  REQUIRE(file.curves.size() == 6);
  CHECK(file.curves[0].property == 0);
  CHECK(file.curves[4].property == -1);
  CHECK(file.curves[4].angle == 180.);
  CHECK(file.curves[4].size == 5.);
  REQUIRE(file.labels.size() == 2);
  CHECK(file.labels[0].direction_expression == "theta + 90");
  CHECK(file.labels[1].circuit == 0);
  CHECK(file.labels[1].group == 3);
  CHECK(file.labels[1].size == 0.25);
}

TEST_CASE("every kind of problem file of FEMM is read, and a truncated one is refused", "[io]") {
  for (const char* name : {"cable.fee", "bar.feh", "half-ring.fec", "coax.fem"}) {
    INFO(name);
    const std::string text = input_text(name);
    REQUIRE(!text.empty());
    CHECK(femm_message(text, name).empty());
    for (std::size_t end = text.find('\n'); end + 1 < text.size(); end = text.find('\n', end + 1)) {
      INFO(text.substr(0, end));
      CHECK_FALSE(femm_message(text.substr(0, end), name).empty());
    }
  }
  const std::string text = input_text("coax.fem");
  CHECK_THAT(femm_message(text.substr(0, text.find("  <EndBlock>")), "x.fem"),
             ContainsSubstring("the file ends within a property: it is truncated"));
}

TEST_CASE("damage in a file of FEMM is reported with its line", "[io]") {
  const std::string text = wire_in_air().text();
  const auto message = [&](const std::string& from, const std::string& to) {
    return femm_message(replaced(text, from, to));
  };
  CHECK(message("Air", "Air").empty());
  CHECK_THAT(message("[Depth]", "[Dept]"), ContainsSubstring("a.fem:4: unknown key '[dept]'"));
  CHECK_THAT(message("<Sigma>", "<Sigmo>"), ContainsSubstring("unknown key '<sigmo>'"));
  CHECK_THAT(message("= 58", "58"), ContainsSubstring("'=' is missing"));
  CHECK_THAT(message("= 58", "= 5,8"), ContainsSubstring("'5,8' is not a finite number"));
  CHECK_THAT(message("= 58", "= nan"), ContainsSubstring("'nan' is not a finite number"));
  CHECK_THAT(message("= millimeters", "= furlongs"), ContainsSubstring("a.fem:2: unknown value 'furlongs'"));
  CHECK_THAT(message("[BlockProps] = 2", "[BlockProps] = 3"), ContainsSubstring("gives 3 properties, but after 2"));
  CHECK_THAT(message("[NumPoints] = 6", "[NumPoints] = 7"), ContainsSubstring("gives 7, but only 6 follow"));
  CHECK_THAT(message("[NumPoints] = 6", "[NumPoints] = 1e99"), ContainsSubstring("is not a whole number from 0"));
  CHECK_THAT(message("[NumPoints]", "[Format]"), ContainsSubstring("[format] is given twice"));
  CHECK_THAT(message("4 5 180", "4 6 180"),
             ContainsSubstring("the number of a point, 6 is not a whole number from 0 to 5"));
  CHECK_THAT(message("4 5 180", "4 5 181"), ContainsSubstring("the angle of an arc, 181, is not above 0"));
  CHECK_THAT(message("4 5 180", "4 4 180"), ContainsSubstring("both ends are the same point"));
  CHECK_THAT(message("0 1 -1 1", "0 1 -1 2"), ContainsSubstring("the number of a boundary property, 2"));
  CHECK_THAT(message("0 0 2 0.25", "0 0 3 0.25"), ContainsSubstring("the number of a material, 3"));
  CHECK_THAT(message("0 0 2 0.25", "0 0 0 0.25"), ContainsSubstring("the block label at 0, 0 has no material"));
  CHECK_THAT(message("2 -2 0 0", "2 -2"), ContainsSubstring("expected at least 3 numbers, found 2"));
  CHECK_THAT(message("<BlockName> = \"Air\"", ""), ContainsSubstring("the property has no <blockname>"));
  CHECK_THAT(message("[Format]", "[Solution]"), ContainsSubstring("the file holds a solution"));
  CHECK_THAT(message("[Format]", "Format"), ContainsSubstring("a.fem:1: expected a key [...], found 'Format = 4.0'"));
  CHECK_THAT(femm_message(text, "a.fee"), ContainsSubstring("unknown key '<mu_x>'"));
  CHECK_THAT(femm_message(text, "a.ans"), ContainsSubstring("is not named like a problem file of FEMM"));
  CHECK_THROWS_WITH(io::read_femm("/no/such.fem"), ContainsSubstring("does not exist"));
}

TEST_CASE("segments and arcs divide the plane into labelled faces", "[io]") {
  const FemmText text = wire_in_air();
  io::PlaneGraph graph = io::make_plane_graph(io::read_femm_text(text.text(), "a.fem"));
  REQUIRE(graph.faces.size() == 2);
  const std::size_t wire = graph.faces[0].label == 1 ? 0 : 1;
  CHECK(graph.faces[wire].area == Approx(pi));
  CHECK(graph.faces[1 - wire].area == Approx(16. - pi));
  CHECK(graph.faces[1 - wire].loops.size() == 2);
  CHECK(graph.curves.size() == 8); // half-circles are divided
  for (const io::PlaneCurve& curve : graph.curves) {
    CHECK(curve.faces[0] == static_cast<int>(curve.angle > 0. ? wire : 1 - wire));
    CHECK(curve.faces[1] == (curve.angle > 0. ? static_cast<int>(1 - wire) : -1));
  }

  // A plate that ends in the air, one that joins the circle to the square, and a lens of a tangent arc.
  FemmText more = text;
  more.points.insert(more.points.end(), {"-1.5 1.2 0 0", "-1.5 -1.2 0 0"});
  more.segments.insert(more.segments.end(), {"6 7 -1 0 0 0", "5 1 -1 0 0 0"});
  graph = io::make_plane_graph(io::read_femm_text(more.text(), "a.fem"));
  REQUIRE(graph.faces.size() == 2);
  for (const io::PlaneFace& face : graph.faces)
    CHECK(face.inner_curves.size() == (face.label == 0 ? 2u : 0u));

  more = text;
  more.arcs.push_back("5 4 20 5 0 0 0"); // below the upper half of the circle
  more.labels.push_back("0 0.5 2 -1 0 0 0 1 0");
  more.labels[1] = "0 -0.5 2 -1 0 0 0 1 0";
  graph = io::make_plane_graph(io::read_femm_text(more.text(), "a.fem"));
  REQUIRE(graph.faces.size() == 3);
  const double angle = 20. * pi / 180., radius = 1. / std::sin(0.5 * angle);
  const double segment = 0.5 * radius * radius * (angle - std::sin(angle));
  for (const io::PlaneFace& face : graph.faces)
    if (face.label > 0)
      CHECK(face.area == Approx(face.label == 2 ? 0.5 * pi - segment : 0.5 * pi + segment));
}

TEST_CASE("a drawing of FEMM in which a region or label is not clear is refused", "[io]") {
  const FemmText good = wire_in_air();
  const auto with = [&](const auto& change) {
    FemmText text = good;
    change(text);
    return femm_message(text);
  };
  CHECK_THAT(with([](FemmText& t) { t.labels.pop_back(); }), ContainsSubstring("has no block label"));
  CHECK_THAT(with([](FemmText& t) { t.labels.push_back("0.5 0 1 -1 0 0 0 1 0"); }),
             ContainsSubstring("(0.5, 0) lies in the same region as that of line"));
  CHECK_THAT(with([](FemmText& t) { t.labels[0] = "9 0 1 -1 0 0 0 1 0"; }),
             ContainsSubstring("(9, 0) lies outside of all closed outlines"));
  CHECK_THAT(with([](FemmText& t) { t.labels[0] = "0 1 1 -1 0 0 0 1 0"; }),
             ContainsSubstring("(0, 1) lies on the curve of line"));
  CHECK_THAT(with([](FemmText& t) { t.segments.push_back("4 2 -1 0 0 0"); }),
             ContainsSubstring("cross or touch at (0."));
  CHECK_THAT(with([](FemmText& t) {
               t.segments.push_back("5 4 -1 0 0 0");
               t.labels[1] = "0 0.5 2 -1 0 0 0 1 0";
             }),
             ContainsSubstring("of area 1.5708, has no block label"));
  CHECK_THAT(with([](FemmText& t) { t.segments.push_back("1 0 -1 0 0 0"); }), ContainsSubstring("is drawn twice"));
  CHECK_THAT(with([](FemmText& t) { t.points.push_back("0 2 0 0"); }),
             ContainsSubstring("holds another point at (0, 2)"));
  CHECK_THAT(with([](FemmText& t) { t.points.push_back("0 1 0 0"); }),
             ContainsSubstring("holds another point at (0, 1)"));
  CHECK_THAT(with([](FemmText& t) { t.points.push_back("2 2.0000000001 0 0"); }),
             ContainsSubstring("holds another point at (2, 2)"));
  CHECK_THAT(with([](FemmText& t) {
               t.points.insert(t.points.end(), {"0 0.5 0 0", "0 1.5 0 0"});
               t.arcs.insert(t.arcs.end(), {"6 7 180 5 0 0 0", "7 6 180 5 0 0 0"});
             }),
             ContainsSubstring("cross or touch"));
  CHECK_THAT(with([](FemmText& t) {
               t.segments.pop_back();
               t.arcs.clear();
             }),
             ContainsSubstring("the curves enclose no region"));
  // A hole needs no material; a default label is that of all regions without one.
  CHECK(with([](FemmText& t) {
          t.labels.pop_back();
          t.holes = {"0 0 0"};
        }).empty());
  CHECK(with([](FemmText& t) {
          t.labels.pop_back();
          t.labels[0] = "0 1.5 1 -1 0 0 0 1 2";
        }).empty());
}

} // namespace tessera::test
