// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/yaml_reader.hpp"
#include "support/is_near.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cmath>

namespace tessera::test {

namespace {

using Catch::Matchers::ContainsSubstring;
using Settings = std::vector<std::string>;

constexpr double pi = 3.14159265358979323846;
constexpr double eps0 = 8.8541878128e-12;

[[maybe_unused]] driver::RunSummary run(const std::string& name, Settings settings) {
  settings.emplace_back("verification=");
  settings.emplace_back("output.probes=");
  const TemporaryFolder folder;
  return run_case(input_file(name), folder.file("out"), settings);
}

std::string message_of(const std::string& file, const Settings& settings) {
  const TemporaryFolder folder;
  try {
    run_case(file, folder.file("out"), settings);
  } catch (const Error& error) {
    CHECK(error.exit_code() == 1);
    return error.what();
  }
  return "no error";
}

std::string plates() { return TESSERA_SOURCE_DIR "/tests/regression/plates.yaml"; }

} // namespace

#if TESSERA_HAVE_GMSH
TEST_CASE("An eighth of a sphere in open space has an eighth of its capacitance and energy", "[regression][device]") {
  const auto values =
      run("sphere-3d", {"mesh.parameters.relative_size=0.15", "problem.boundaries.outer={asymptotic: {}}"}).quantities;
  const double exact = 4. * pi * eps0 * 10e-3 / 8.;
  CHECK(is_near(values.at("capacitance"), exact, 1e-4)); // discretization error
  CHECK(is_near(values.at("charge.outer"), -values.at("charge.inner"), 1e-8));
  CHECK(is_near(2. * values.at("energy"), values.at("charge.inner"), 1e-8)); // at 1 V
}

TEST_CASE("A shell holds the potential of charges in all space, in the plane and around an axis",
          "[regression][device]") {
  const TemporaryFolder folder;
  const auto error = [&](const char* name, const Settings& settings, const std::string& exact) {
    Settings all = {"problem.physics=electrostatics",
                    "problem.boundaries={far: {potential: 0}}",
                    "output.fields=[]",
                    "output.quantities=[charge]",
                    "discretization.order=2",
                    "verification={probes: {line: {potential: {exact: \"" + exact + "\"}}}}"};
    all.insert(all.end(), settings.begin(), settings.end());
    const auto summary = run_case(input_file(name), folder.file("out"), all);
    CHECK(summary.exit_code == 0);
    return summary.errors.at("line.potential");
  };
  // Two line charges of opposite signs: a far field with all odd orders.
  const double plane = error(
      "magnet-in-air",
      {"problem.materials={magnet: {relative_permittivity: 1}, air: {relative_permittivity: 1, shell: {inner_radius: "
       "0.01, outer_radius: 0.03}}}",
       "problem.point_sources={plus: {at: [0.003, 0.0002], charge: 1e-9}, minus: {at: [-0.003, 0.0002], charge: "
       "-1e-9}}",
       "output.probes={line: {from: [0.002, -0.007], to: [0.002, -0.004], points: 21}}"},
      "1e-9/(2*pi*8.8541878128e-12)*log(hypot(x + 0.003, y - 0.0002)/hypot(x - 0.003, y - 0.0002))");
  INFO("plane: " << plane);
  CHECK(plane < 1e-3);
  // A point charge on the axis, away from the shell's centre.
  const double axis =
      error("magnet-sphere",
            {"problem.materials={magnet: {relative_permittivity: 1}, air: {relative_permittivity: 1}, far_air: "
             "{relative_permittivity: 1, shell: {inner_radius: 0.02, outer_radius: 0.03}}}",
             "problem.point_sources={q: {at: [0, 0.003], charge: 1e-12}}",
             "output.probes={line: {from: [0.012, -0.012], to: [0.012, 0.012], points: 21}}"},
            "1e-12/(4*pi*8.8541878128e-12*hypot(x, y - 0.003))");
  INFO("axis: " << axis);
  CHECK(axis < 1e-3);
}

namespace {

/// A quarter of space around the z axis, between planes of symmetry: a ball of 4 mm, away from the centre of the
/// surrounding air, and a shell.
constexpr const char* quarter_geometry = R"(
For k In {1:3}
  r = k == 1 ? 4e-3 : k == 2 ? 10e-3 : 20e-3;
  c = k == 1 ? 3e-3 : 0;
  b = 10 * k;
  h = k == 1 ? 1.2e-3 : 0.2 * r;
  Point(b) = {0, 0, c};
  Point(b + 1) = {r, 0, c, h};
  Point(b + 2) = {0, r, c, h};
  Point(b + 3) = {0, 0, c + r, h};
  Point(b + 4) = {0, 0, c - r, h};
  Circle(b + 1) = {b + 1, b, b + 2};
  For top In {0:1}
    Circle(b + 2 + 2 * top) = {b + 1, b, b + 3 + top};
    Circle(b + 3 + 2 * top) = {b + 2, b, b + 3 + top};
    Curve Loop(b + top) = {b + 1, b + 3 + 2 * top, -(b + 2 + 2 * top)};
    Surface(b + top) = {b + top} In Sphere {b};
  EndFor
EndFor
For k In {1:2}
  i = 10 * k;
  o = i + 10;
  Line(100 * k) = {i + 3, o + 3};
  Line(100 * k + 1) = {i + 4, o + 4};
  For side In {0:1}
    Curve Loop(100 * k + side) = {-(i + 4 + side), i + 2 + side, 100 * k, -(o + 2 + side), o + 4 + side, -(100 * k + 1)};
    Plane Surface(100 * k + side) = {100 * k + side};
  EndFor
  Surface Loop(k) = {i, i + 1, o, o + 1, 100 * k, 100 * k + 1};
  Volume(k) = {k};
EndFor
Physical Volume("air") = {1};
Physical Volume("space") = {2};
Physical Surface("ball") = {10, 11};
Physical Surface("between") = {20, 21};
Physical Surface("end") = {30, 31};
)";
constexpr const char* quarter_case = R"(
tessera: 1
mesh: {geometry: quarter.geo, dimension: 3}
problem:
  physics: electrostatics
  materials:
    air: {relative_permittivity: 1}
    space: {relative_permittivity: 1, shell: {inner_radius: 10.0e-3, outer_radius: 20.0e-3, center: [0, 0, 0]}}
  boundaries: {ball: {potential: 1}, end: {potential: 0}}
discretization: {order: 2}
output: {fields: [], quantities: [energy, charge], surfaces: {between: {}}}
)";

} // namespace

TEST_CASE("A shell in space holds the far fields of a charge and a dipole off its centre", "[regression][device]") {
  // Discretization error of elements of 0.3 radii at the ball; with a boundary at the outer sphere instead of open
  // space, the error would be a quarter.
  constexpr double of_mesh = 2.5e-3;
  const TemporaryFolder folder;
  folder.write("quarter.geo", quarter_geometry);
  const std::string file = folder.write("quarter.yaml", quarter_case);
  const auto charged = run_case(file, folder.file("out")).quantities;
  const double charge = 4. * pi * eps0 * 4e-3 / 4.;
  CHECK(is_near(charged.at("charge.ball"), charge, of_mesh));
  CHECK(is_near(charged.at("charge.end"), -charge, of_mesh));
  CHECK(is_near(charged.at("flux.between"), charge, 3e-2)); // error of the elementwise field in the air
  // u = a^3 (z - c) / |x - (0, 0, c)|^3 outside of a ball of radius a, u = z - c (in V, with m) on it.
  const auto dipole = run_case(file, folder.file("out"), {"problem.boundaries.ball.potential=z - 3e-3"}).quantities;
  CHECK(is_near(dipole.at("energy"), 4. / 3. * pi * eps0 * 64e-9 / 4., 2. * of_mesh));
}

TEST_CASE("A shell has the medium of its region, whatever the physics", "[regression][device]") {
  constexpr double quadrature = 1e-4; // of a coefficient that grows towards infinity
  const TemporaryFolder folder;
  const std::string file = TESSERA_SOURCE_DIR "/inputs/isolated-sphere/isolated-sphere-shell.yaml";
  const std::string shell = ", shell: {inner_radius: 0.01, outer_radius: 0.02}}}";
  const auto in_oil = run_case(file, folder.file("out"),
                               {"problem.materials={air: {relative_permittivity: 2.5" + shell, "verification="});
  CHECK(is_near(in_oil.quantities.at("capacitance"), 2.5 * 4. * pi * eps0 * 0.01, quadrature));
  const auto warm = run_case(file, folder.file("out"),
                             {"problem.physics=heat", "problem.materials={air: {thermal_conductivity: 0.6" + shell,
                              "problem.boundaries={sphere: {temperature: 310}, far: {temperature: 300}}",
                              "output.fields=[]", "output.quantities=[heat_flow]", "verification="});
  CHECK(is_near(warm.quantities.at("heat_flow.sphere"), 4. * pi * 0.6 * 0.01 * 10., quadrature));
}

TEST_CASE("Shells that cannot be are errors in electrostatics, too", "[regression]") {
  const std::string file = TESSERA_SOURCE_DIR "/inputs/isolated-sphere/isolated-sphere-shell.yaml";
  const std::string shell = ", shell: {inner_radius: 0.01, outer_radius: 0.02}}}";
  CHECK_THAT(message_of(file, {"problem.materials.air.shell.outer_radius=0.03"}),
             ContainsSubstring("problem.materials.air.shell") && ContainsSubstring("must fit to 1 %"));
  CHECK_THAT(message_of(file, {"problem.materials={air: {relative_permittivity: [1, 2]" + shell}),
             ContainsSubstring("uniform medium: give relative_permittivity as one value"));
  CHECK_THAT(message_of(file, {"problem.sources={air: {charge: 1e-9}}"}),
             ContainsSubstring("'air' is a shell, which stands for open space without sources"));
  CHECK_THAT(message_of(file, {"problem.point_sources={q: {at: [0.015, 0], charge: 1e-9}}"}),
             ContainsSubstring("lies in the shell 'air'"));
  CHECK_THAT(
      message_of(plates(), {"mesh.box={cells: [2, 2, 2]}",
                            "output.probes=", "problem.materials={domain: {relative_permittivity: 1" + shell}),
      ContainsSubstring("the shell reaches from inner_radius 0.01 to outer_radius 0.02 m, but the region 'domain'"));
  CHECK_THAT(message_of(plates(), {"mesh.box={cells: [2, 2, 2]}", "output.probes=",
                                   "problem.materials={domain: {relative_permittivity: 1, shell: {inner_radius: 0.01, "
                                   "outer_radius: 0.02, center: [0, 0]}}}"}),
             ContainsSubstring("problem.materials.domain.shell.center"));
}

TEST_CASE("An isolated conductor has a capacitance matrix, with infinity as its ground", "[regression][device]") {
  const auto values = run("isolated-sphere", {"output.quantities=[capacitance_matrix]"}).quantities;
  CHECK(is_near(values.at("capacitance_matrix.sphere.sphere"), 4. * pi * eps0 * 10e-3, 2e-5));
}

TEST_CASE("A floating conductor in open space takes the potential of its charge", "[regression][device]") {
  const auto values = run("isolated-sphere", {"problem.boundaries.sphere={floating: {charge: 1.0e-12}}"}).quantities;
  CHECK(is_near(values.at("potential.sphere"), 1e-12 / (4. * pi * eps0 * 10e-3), 2e-5));
}

TEST_CASE("The far field of a dipole in the plane leaves through its condition", "[regression][device]") {
  const TemporaryFolder folder;
  const auto summary =
      run_case(input_file("coax"), folder.file("out"),
               {"problem.boundaries={inner: {potential: \"x/0.45e-3\"}, outer: {asymptotic: {order: 1}}}",
                "problem.materials.dielectric.relative_permittivity=1", "output.quantities=[energy]",
                "output.probes=", "discretization.order=2", "verification={exact: \"0.45e-3*x/(x^2 + y^2)\"}"});
  CHECK(summary.errors.at("l2") < 1e-4);
  // The energy inside and outside together: pi eps0 a^2 (1/a^2) / 2 per metre
  CHECK(is_near(summary.quantities.at("energy"), 0.5 * pi * eps0, 1e-4));
}

TEST_CASE("An electrode in the ground has the resistance to infinity", "[regression][device]") {
  const auto values =
      run("isolated-sphere", {"problem.physics=current-flow", "problem.materials={air: {conductivity: 0.02}}",
                              "problem.boundaries.far={asymptotic: {conductivity: 0.02}}",
                              "problem.boundaries.sphere={terminal: {current: 3}}", "output.fields=[]",
                              "output.quantities=[resistance, current]"})
          .quantities;
  CHECK(is_near(values.at("resistance"), 1. / (4. * pi * 0.02 * 10e-3), 2e-5));
  CHECK(is_near(values.at("current.far"), -3., 1e-8));
}

TEST_CASE("Asymptotic and periodic boundaries within the mesh are refused, and asymptotic ones around shells",
          "[regression]") {
  const TemporaryFolder folder;
  folder.write("rings.geo", R"(Mesh.CharacteristicLengthMax = 0.8;
Point(1) = {0, 0, 0};
For i In {1:3}
  For k In {0:3}
    Point(10 * i + k) = {i * Cos(k * Pi / 2), i * Sin(k * Pi / 2), 0};
  EndFor
  For k In {0:3}
    Circle(10 * i + k) = {10 * i + k, 1, 10 * i + (k + 1) % 4};
  EndFor
  Curve Loop(i) = {10 * i : 10 * i + 3};
EndFor
Plane Surface(1) = {2, 1}; Plane Surface(2) = {3, 2};
Physical Surface("air") = {1}; Physical Surface("outside") = {2};
Physical Curve("wire") = {10:13}; Physical Curve("middle") = {20:23}; Physical Curve("rim") = {30:33};
)");
  const std::string rings = folder.write("rings.yaml", R"(tessera: 1
mesh: {geometry: rings.geo, dimension: 2}
problem:
  physics: electrostatics
  materials: {air: {relative_permittivity: 1}, outside: {relative_permittivity: 1}}
  boundaries: {wire: {potential: x}, rim: {asymptotic: {}}}
output: {fields: []}
)");
  CHECK(message_of(rings, {}) == "no error");
  CHECK_THAT(message_of(rings, {"problem.boundaries={wire: {potential: x}, middle: {asymptotic: {}}}"}),
             ContainsSubstring("problem.boundaries.middle: an asymptotic condition represents all space outside") &&
                 ContainsSubstring("'middle' lies between 'air' and 'outside'"));
  CHECK_THAT(message_of(rings, {"problem.materials.outside.shell={inner_radius: 2, outer_radius: 3}"}),
             ContainsSubstring("problem.boundaries.rim: an asymptotic condition represents all space outside") &&
                 ContainsSubstring("so does the shell 'outside'"));
  CHECK_THAT(message_of(rings, {"problem.boundaries={wire: {potential: x}, rim: {periodic: middle}}"}),
             ContainsSubstring("problem.boundaries.rim: at a periodic or antiperiodic boundary the field continues") &&
                 ContainsSubstring("'middle' lies between 'air' and 'outside'"));
}

TEST_CASE("An asymptotic boundary that is no sphere about its centre is refused", "[regression]") {
  CHECK_THAT(
      message_of(input_file("sphere-3d"), {"mesh.parameters.relative_size=0.4", "verification=",
                                           "problem.boundaries.outer={asymptotic: {center: [0.01, 0, 0]}}"}),
      ContainsSubstring("an asymptotic condition holds on a sphere about its centre, but 'outer' has nodes between"));
}

// The circle cuts off the ground plane; the charge beyond it, here a twelfth, is not on the mesh.
TEST_CASE("A capacitance over a ground plane is that of the wire, in any order and from any potential",
          "[regression][device]") {
  const TemporaryFolder folder;
  folder.write("wire.geo", R"(SetFactory("OpenCASCADE");
R = 15e-3;
Disk(1) = {0, 0, 0, R}; Rectangle(2) = {-2*R, -2*R, 0, 4*R, 2*R}; Disk(3) = {0, 2e-3, 0, 0.5e-3};
BooleanDifference(4) = {Surface{1}; Delete;}{Surface{2, 3}; Delete;};
Physical Surface("air") = {4};
s = R/1000;
ground() = Curve In BoundingBox{-R - s, -s, -s, R + s, s, s};
wire() = Curve In BoundingBox{-0.6e-3, 1.4e-3, -s, 0.6e-3, 2.6e-3, s};
far() = Boundary{Surface{4};}; far() -= ground(); far() -= wire();
Physical Curve("ground") = ground(); Physical Curve("wire") = wire(); Physical Curve("far") = far();
)");
  const std::string text = R"(tessera: 1
mesh: {geometry: wire.geo, dimension: 2, sizes: {wire: 1.5e-4}, size_factor: 0.5}
problem:
  physics: electrostatics
  materials: {air: {relative_permittivity: 1}}
  boundaries: BOUNDARIES
discretization: {order: 2}
output: {fields: [], quantities: [energy, capacitance, charge]}
)";
  const auto run_with = [&](const std::string& boundaries) {
    std::string filled = text;
    filled.replace(filled.find("BOUNDARIES"), 10, boundaries);
    return run_case(folder.write("case.yaml", filled), folder.file("out"));
  };
  const auto has_note = [&] {
    const io::YamlNode report = io::read_yaml(folder.file("out/report.yaml"));
    const io::YamlNode* notes = report.find("notes");
    return notes != nullptr && std::any_of(notes->items.begin(), notes->items.end(), [](const io::YamlNode& note) {
             return note.text.find("charge.ground and charge.wire do not add up to zero") != std::string::npos;
           });
  };
  const double exact = 2. * pi * eps0 / std::acosh(4.);
  const driver::RunSummary first = run_with("{ground: {potential: 0}, wire: {potential: 100}, far: {asymptotic: {}}}");
  CHECK(is_near(first.quantities.at("capacitance"), exact, 2e-3)); // error of the finite circle
  CHECK(!has_note());
  CHECK(-first.quantities.at("charge.ground") < 0.93 * first.quantities.at("charge.wire"));
  const driver::RunSummary last = run_with("{wire: {potential: 100}, ground: {potential: 0}, far: {asymptotic: {}}}");
  CHECK(is_near(last.quantities.at("capacitance"), first.quantities.at("capacitance"), 1e-12));
  CHECK(!has_note());
  // Potentials, including that at infinity, are shifted by 10 V.
  const driver::RunSummary raised =
      run_with("{ground: {potential: 10}, wire: {potential: 110}, far: {asymptotic: {reference: 10}}}");
  for (const char* name : {"capacitance", "energy", "charge.wire", "charge.ground"}) {
    INFO(name);
    CHECK(is_near(raised.quantities.at(name), first.quantities.at(name), 1e-7));
  }
  CHECK(!has_note());
  run_with("{ground: {potential: 10}, wire: {potential: 110}, far: {asymptotic: {}}}");
  CHECK(has_note());
}
#endif

TEST_CASE("A resistance next to other ways is noted", "[regression]") {
  const TemporaryFolder folder;
  const auto note_of = [&](const Settings& settings) {
    Settings all{"problem.physics=heat", "problem.materials={domain: {thermal_conductivity: 1}}",
                 "problem.boundaries={left: {temperature: 0}, right: {temperature: 10}}",
                 "output={fields: [], quantities: [thermal_resistance]}", "verification="};
    all.insert(all.end(), settings.begin(), settings.end());
    run_case(plates(), folder.file("out"), all);
    std::string text;
    const io::YamlNode report = io::read_yaml(folder.file("out/report.yaml"));
    if (const io::YamlNode* notes = report.find("notes"))
      for (const io::YamlNode& note : notes->items)
        text += note.text;
    return text;
  };
  const auto noted =
      ContainsSubstring("thermal_resistance: heat_flow.left and heat_flow.right do not add up to zero, but are");
  CHECK_THAT(note_of({}), !noted);
  CHECK_THAT(note_of({"problem.boundaries.top={convection: {coefficient: 1, ambient: 20}}"}), noted);
  CHECK_THAT(note_of({"discretization.method=dg"}), !noted);
  CHECK_THAT(note_of({"discretization.method=dg", "problem.sources={domain: {heat_source: 5}}"}), noted);
}

TEST_CASE("Asymptotic conditions that cannot be are refused with their place", "[regression]") {
  const auto message = [](const std::string& right, const Settings& more = {}) {
    Settings settings{"problem.boundaries.right=" + right};
    settings.insert(settings.end(), more.begin(), more.end());
    return message_of(plates(), settings);
  };
  CHECK_THAT(message("{asymptotic: {}}"), ContainsSubstring("a capacitance is between two conductors, but 1"));
  CHECK_THAT(message("{asymptotic: {order: 0}}"), ContainsSubstring("problem.boundaries.right.asymptotic.order"));
  CHECK_THAT(message("{asymptotic: {}}", {"output.quantities=[energy]"}),
             ContainsSubstring("an asymptotic condition holds on a circle about its centre, but 'right' has nodes"));
  CHECK_THAT(message("{asymptotic: {}}",
                     {"problem.physics=heat", "problem.materials={domain: {thermal_conductivity: 1}}",
                      "problem.boundaries.left={temperature: 1}", "output.quantities=[]", "output.fields=[]"}),
             ContainsSubstring("thermal_conductivity"));
  CHECK_THAT(message("{asymptotic: {}}", {"problem.symmetry=axisymmetric", "problem.boundaries.left={potential: 0}"}),
             ContainsSubstring("between 'left' and infinity, where the potential is 0, too"));
  const Settings axis{"problem.symmetry=axisymmetric", "problem.boundaries.left={potential: 5}"};
  CHECK_THAT(message("{asymptotic: {reference: 5}}", axis),
             ContainsSubstring("between 'left' and infinity, where the potential is 5, too"));
  CHECK_THAT(message("{asymptotic: {reference: x}}", axis),
             ContainsSubstring("asymptotic.reference: is the value at infinity, one number"));
}

} // namespace tessera::test
