// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "dxf_text.hpp"
#include "imported_measures.hpp"
#include "io/geometry/import_process.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#if TESSERA_HAVE_GMSH

namespace {

using namespace tessera;
using namespace tessera::test;
using tessera::io::ImportedMesh;
using tessera::io::ImportRequest;

using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using Names = std::vector<std::string>;

ImportedMesh import_drawing(const std::string& entities, int unit = 6, double scale = 0.,
                            double join = ImportRequest().join) {
  const TemporaryFolder folder;
  ImportRequest request;
  request.join = join;
  request.path = folder.write("a.dxf", dxf_drawing(entities, unit));
  request.dimension = 2;
  request.scale = scale;
  return io::run_import(request);
}

std::string message_of(const std::string& entities) {
  try {
    import_drawing(entities);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST_CASE("labels name the regions of a drawing, and what has none is a hole", "[io]") {
  const std::string entities = dxf_rectangle("outside", 0., 0., 4., 2.) + dxf_rectangle("wire", 1., 0.5, 2., 1.5) +
                               dxf_rectangle("void", 2.5, 0.5, 3., 1.) + dxf_text("air", 0.1, 0.1) +
                               dxf_text("copper", 1.37, 0.83) + dxf_text("Drawing no. 7", 9., 9.);
  const ImportedMesh mesh = import_drawing(entities, 4);
  CHECK(mesh.region_names == Names{"air", "copper"});
  CHECK(mesh.boundary_names == Names{"outside", "void", "wire"});
  CHECK(region_measures(mesh)[0] == Approx(6.75e-6));
  CHECK(region_measures(mesh)[1] == Approx(1e-6));
  CHECK(boundary_length(mesh, "wire") == Approx(4e-3));
  for (std::size_t n = 0; n < mesh.n_nodes(); ++n) // labels must not be nodes of the mesh
    CHECK(std::hypot(mesh.coordinates[2 * n] - 1.37e-3, mesh.coordinates[2 * n + 1] - 0.83e-3) > 1e-9);
  CHECK(has_note(mesh, "lengths are in mm"));
  CHECK(has_note(mesh, "regions without a label are holes: 1, around (2.75, 0.75)"));
  CHECK(has_note(mesh, "'Drawing no. 7' at (9, 9) lies in no closed region"));
  CHECK(region_measures(import_drawing(entities, 4, 1e-2))[1] == Approx(1e-4)); // the requested unit takes precedence
  CHECK(has_note(import_drawing(entities, 0), "gives no unit"));
}

TEST_CASE("without labels, layers of the outer outlines name the regions of a drawing", "[io]") {
  const ImportedMesh mesh = import_drawing(dxf_circle("shield", 0., 0., 2.) + dxf_circle("core", 0., 0., 1.) +
                                           dxf_rectangle("0", 5., 0., 6., 1.) + dxf_line("0", 5.5, 0., 5.5, 1.));
  REQUIRE(mesh.region_names.size() == 4);
  CHECK(mesh.region_names[0] == "core");
  CHECK(mesh.region_names[1] == "shield");
  CHECK(mesh.region_names[2].rfind("surface_", 0) == 0);
  CHECK(region_measures(mesh)[0] == Approx(3.14159).epsilon(0.03)); // polygons of 24 sides
  CHECK(region_measures(mesh)[2] == Approx(0.5));
  CHECK(mesh.n_curved() >= 48);
  CHECK(mesh.boundary_names[0].rfind("curve_", 0) == 0);
  // Two adjacent rectangles of different heights, each closed on a separate layer.
  const ImportedMesh pair =
      import_drawing(dxf_rectangle("low", 0., 0., 1., 1.) + dxf_rectangle("high", 1., 0., 2., 2.));
  CHECK(pair.region_names == Names{"high", "low"});
  CHECK(region_measures(pair)[0] == Approx(2.));
  CHECK(boundary_length(pair, "low") == Approx(4.));
  const ImportedMesh twice =
      import_drawing(dxf_rectangle("coil", 0., 0., 1., 1.) + dxf_rectangle("coil", 2., 0., 3., 1.));
  CHECK(twice.region_names == Names{"coil"});
  CHECK(has_note(twice, "layer 'coil' outlines 2 regions"));
}

TEST_CASE("curves of a drawing that cross, touch or nearly meet are joined", "[io]") {
  // A rectangle of four lines whose ends are 1e-7 apart, cut by a line that crosses it, with a line that ends on it.
  const double miss = 1e-7;
  const std::string entities = dxf_line("frame", 0., 0., 2., 0.) + dxf_line("frame", 2., miss, 2., 1.) +
                               dxf_line("frame", 2. - miss, 1., 0., 1.) + dxf_line("frame", 0., 1., 0., 0.) +
                               dxf_entity("ARC", "cut", {{10, 1.}, {20, 0.}, {40, 0.5}, {50, 0.}, {51, 180.}}) +
                               dxf_line("rib", 1., 0.5, 1., 1. + miss) + dxf_text("arch", 1., 0.2) +
                               dxf_text("left", 0.1, 0.9) + dxf_text("right", 1.9, 0.9);
  const ImportedMesh mesh = import_drawing(entities);
  CHECK(mesh.region_names == Names{"arch", "left", "right"});
  CHECK(region_measures(mesh)[0] == Approx(3.14159 / 8.).epsilon(0.03));
  CHECK(region_measures(mesh)[1] == Approx(region_measures(mesh)[2]).epsilon(1e-3));
  CHECK(boundary_length(mesh, "rib") == Approx(0.5));
  // A line between two outlines has one region on both of its sides.
  const ImportedMesh ring = import_drawing(dxf_rectangle("a", 0., 0., 4., 4.) + dxf_rectangle("b", 1., 1., 3., 3.) +
                                           dxf_line("slit", 0., 2., 1., 2.) + dxf_text("ring", 0.5, 0.5));
  CHECK(region_measures(ring)[0] == Approx(12.));
  CHECK(boundary_length(ring, "slit") == Approx(1.));
}

TEST_CASE("curves that a drawing has many times are taken once, for each of their layers", "[io]") {
  std::string entities = dxf_rectangle("outside", 0., 0., 4., 4.) + dxf_line("seam", 2., 2.5, 2., 4.) +
                         dxf_line("copy", 2., 4., 2., 2.5); // in the opposite direction
  for (int k = 0; k < 800; ++k)                             // with cubic cost this would take minutes
    entities += dxf_circle(k % 2 == 0 ? "core" : "shield", 2., 2., 0.5 + 1e-13 * k);
  const ImportedMesh mesh = import_drawing(entities + dxf_text("a", 2., 2.) + dxf_text("b", 1., 1.));
  CHECK(has_note(mesh, "800 of 806 curves are duplicates"));
  CHECK(region_measures(mesh)[0] == Approx(0.785).epsilon(0.03));
  for (const char* layer : {"core", "shield"})
    CHECK(boundary_length(mesh, layer) == Approx(3.14159).epsilon(0.02));
  for (const char* layer : {"seam", "copy"})
    CHECK(boundary_length(mesh, layer) == Approx(1.5));
}

TEST_CASE("splines and inserted blocks of a drawing bound regions", "[io]") {
  // Half a circle of radius 1 as a smooth rational spline, closed by a line.
  const std::string half =
      dxf_entity("SPLINE", "dome", {{71, 3},  {40, 0.}, {40, 0.}, {40, 0.},      {40, 0.},      {40, 1.},  {40, 1.},
                                    {40, 1.}, {40, 1.}, {41, 1.}, {41, 1. / 3.}, {41, 1. / 3.}, {41, 1.},  {10, 1.},
                                    {20, 0.}, {10, 1.}, {20, 2.}, {10, -1.},     {20, 2.},      {10, -1.}, {20, 0.}}) +
      dxf_line("floor", -1., 0., 1., 0.) + dxf_text("dome", 0., 0.4);
  const ImportedMesh dome = import_drawing(half);
  CHECK(dome.region_names == Names{"dome"});
  CHECK(dome.boundary_names == Names{"dome", "floor"});
  CHECK(region_measures(dome)[0] == Approx(3.14159 / 2.).epsilon(0.03));
  CHECK(dome.n_curved() > 0);
  // not a control point
  CHECK(*std::min_element(dome.coordinates.begin(), dome.coordinates.end()) >= -1. - 1e-12);
  for (std::size_t n = 0; n < dome.n_nodes(); ++n)
    CHECK(std::hypot(dome.coordinates[2 * n], dome.coordinates[2 * n + 1]) <= 1. + 1e-9);
  // Two coils, one rotated by a right angle, each named by its attribute.
  const std::string blocks = dxf_pair(0, "SECTION") + dxf_pair(2, "BLOCKS") + dxf_pair(0, "BLOCK") +
                             dxf_pair(2, "coil") + dxf_rectangle("0", 0., 0., 2., 1.) + dxf_pair(0, "ENDBLK") +
                             dxf_pair(0, "ENDSEC");
  const auto coil = [](const std::string& name, double x, double turned) {
    return dxf_entity("INSERT", name, {{10, x}, {20, 1.}, {50, turned}}, dxf_pair(66, "1") + dxf_pair(2, "coil")) +
           dxf_entity("ATTRIB", name, {{10, turned > 0. ? x - 0.4 : x + 0.4}, {20, 1.3}}, dxf_pair(1, name)) +
           dxf_pair(0, "SEQEND");
  };
  const TemporaryFolder folder;
  ImportRequest request;
  request.path = folder.write("a.dxf", dxf_drawing(dxf_rectangle("frame", 0., 0., 8., 4.) + dxf_text("air", 0.1, 0.1) +
                                                       coil("left", 1., 0.) + coil("right", 6., 90.),
                                                   6, blocks));
  request.dimension = 2;
  const ImportedMesh mesh = io::run_import(request);
  CHECK(mesh.region_names == Names{"air", "left", "right"});
  CHECK(mesh.boundary_names == Names{"frame", "left", "right"});
  CHECK(region_measures(mesh)[1] == Approx(2.));
  CHECK(region_measures(mesh)[2] == Approx(2.));
  CHECK(boundary_length(mesh, "right") == Approx(6.));
}

TEST_CASE("arcs of a drawing end on the axis, not beyond", "[io]") {
  const auto quarter = [](double radius) {
    return dxf_entity("ARC", "a", {{10, 0.}, {20, 0.}, {40, radius}, {50, 0.}, {51, 90.}});
  };
  const ImportedMesh mesh =
      import_drawing(quarter(1.) + quarter(2.) + dxf_line("x", 1., 0., 2., 0.) + dxf_line("y", 0., 1., 0., 2.), 4);
  CHECK(*std::min_element(mesh.coordinates.begin(), mesh.coordinates.end()) == 0.);
  REQUIRE(mesh.n_curved() > 0);
  CHECK(*std::min_element(mesh.curved_points.begin(), mesh.curved_points.end()) == 0.);
}

TEST_CASE("a spline that ends where it begins encloses a region", "[io]") {
  DxfNumbers numbers{{70, 8}, {71, 3}};
  for (const double knot : {0., 0., 0., 0., 1., 2., 3., 3., 3., 3.})
    numbers.emplace_back(40, knot);
  const std::vector<std::array<double, 2>> poles{{0., 0.}, {3., 0.}, {4., 3.}, {1., 4.}, {-2., 2.}, {0., 0.}};
  for (const auto& pole : poles)
    numbers.insert(numbers.end(), {{10, pole[0]}, {20, pole[1]}, {30, 0.}});
  const ImportedMesh mesh = import_drawing(dxf_entity("SPLINE", "rim", numbers), 6); // m
  const double area = region_measures(mesh)[0]; // below the area of the hull of its control points, 15.5
  CHECK(area > 7.);
  CHECK(area < 15.5);
  numbers[numbers.size() - 3].second = 0.003; // the last pole's distance from the first
  const std::string open = dxf_entity("SPLINE", "rim", numbers);
  CHECK_THAT(message_of(open), ContainsSubstring("0.003 from the nearest curve") &&
                                   ContainsSubstring("set mesh.join, 0.0033 for all of them."));
  CHECK(region_measures(import_drawing(open, 6, 0., 0.0033))[0] == Approx(area).epsilon(1e-2));
}

TEST_CASE("drawings without closed regions, or with labels that contradict, are refused with the place", "[io]") {
  CHECK_THAT(message_of(dxf_line("frame", 0., 0., 1., 0.) + dxf_line("frame", 1., 0., 1., 1.) +
                        dxf_line("top", 1., 1., 0., 0.1)),
             ContainsSubstring("2 ends of curves meet no other curve") &&
                 ContainsSubstring("(0, 0.1) on layer 'top', 0.1 from the nearest curve") &&
                 ContainsSubstring("(0, 0) on layer 'frame'"));
  const std::string frame = dxf_rectangle("frame", 0., 0., 2., 1.);
  CHECK_THAT(message_of(frame + dxf_text("a", 0.5, 0.5) + dxf_text("b", 1.5, 0.5)),
             ContainsSubstring("'b' at (1.5, 0.5) lies in the same region as 'a' at (0.5, 0.5)"));
  CHECK(message_of(frame + dxf_text("a", 0.5, 0.5) + dxf_text("a", 1.5, 0.5)).empty());
  CHECK_THAT(message_of(frame + dxf_text("a", 0.5, 0.)), ContainsSubstring("lies on a curve"));
  CHECK_THAT(message_of(dxf_circle("a", 0., 0., 1e-6)), ContainsSubstring("Draw it in a smaller unit"));
  CHECK_THAT(message_of(dxf_line("a", 0., 0., 0., 1.)), ContainsSubstring("ends of curves meet no other"));
  CHECK_THAT(message_of(frame + dxf_line("a", 1., 1., 1., 3.)),
             ContainsSubstring("1 end of a curve meets no other curve") &&
                 ContainsSubstring("(1, 3) on layer 'a', 2 from the nearest curve. Ends are joined within"));
}

TEST_CASE("ends within mesh.join are joined, and curves with other open ends left out", "[io]") {
  const auto joined = [](const std::string& entities, double join) { return import_drawing(entities, 6, 0., join); };
  // A corner that misses by 4e-4, a line that reaches 2e-4 beyond the circle on which it ends, and a free arc.
  const std::string corner = dxf_line("frame", 0., 0., 1., 0.) + dxf_line("frame", 1., 0., 1., 1.) +
                             dxf_line("frame", 1., 1., 4e-4, 1.) + dxf_line("frame", 0., 1., 0., 0.);
  CHECK_THAT(message_of(corner), ContainsSubstring("(0, 1) on layer 'frame', 0.0004 from the nearest curve") &&
                                     ContainsSubstring("or set mesh.join, 0.00044 for all of them."));
  const ImportedMesh square = joined(corner, 4.4e-4);
  REQUIRE(square.region_names == Names{"frame"});
  CHECK(region_measures(square)[0] == Approx(1.).epsilon(1e-3));
  CHECK_FALSE(has_note(square, "left out"));

  const std::string spoke = dxf_circle("rim", 0., 0., 1.) + dxf_line("spoke", -1.0002, 0., 1., 0.);
  CHECK_THAT(message_of(spoke), ContainsSubstring("0.0002 from the nearest curve"));
  for (const double join : {3e-4, 0.}) {
    const ImportedMesh halves = joined(spoke, join);
    CHECK(halves.region_names.size() == 2);
    CHECK(boundary_length(halves, "spoke") == Approx(2.).epsilon(1e-3));
    CHECK(has_note(halves, "mesh.join: 1 piece of curves with open ends, 0.0002 units long in all, was left out: "
                           "(-1.0002, 0) on layer 'spoke'.") == (join == 0.));
  }

  const std::string frame = dxf_rectangle("frame", 0., 0., 2., 1.);
  const std::string free =
      dxf_line("aid", 0.5, 0.3, 0.5, 0.6) + dxf_line("aid", 0.5, 0.6, 0.7, 0.6) + dxf_line("aid", 1., 0.5, 1., 3.);
  CHECK_THAT(message_of(frame + free), ContainsSubstring("with 0 curves with open ends are left out."));
  const ImportedMesh mesh = joined(frame + free, 0.);
  CHECK(mesh.boundary_names == Names{"frame"});
  CHECK(region_measures(mesh)[0] == Approx(2.));
  CHECK(has_note(mesh, "mesh.join: 4 pieces of curves with open ends, 3 units long in all, were left out: "));
  const auto no_node_at = [&](double x, double y) {
    for (std::size_t n = 0; n < mesh.n_nodes(); ++n)
      if (std::hypot(mesh.coordinates[2 * n] - x, mesh.coordinates[2 * n + 1] - y) < 1e-9)
        return false;
    return true;
  };
  CHECK((no_node_at(0.5, 0.3) && no_node_at(0.5, 0.6)));
  CHECK_THROWS_WITH(joined(frame, 0.1), ContainsSubstring("mesh.join is 0.1 units, more than a hundredth"));
  // An outline that stays open encloses nothing.
  CHECK_THROWS_WITH(
      joined(dxf_line("a", 0., 0., 1., 0.) + dxf_line("a", 1., 0., 1., 1.) + dxf_line("a", 1., 1., 0., 0.1), 1e-3),
      ContainsSubstring("holds no closed region"));
}

#endif
