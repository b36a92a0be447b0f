// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "support/quantities.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <fstream>
#include <map>

namespace tessera::test {

namespace {

constexpr double eps0 = 8.8541878128e-12;
constexpr double pi = 3.14159265358979323846;

} // namespace

TEST_CASE("What flows out through a periodic boundary flows in through the other", "[regression][device]") {
  // 3 V/m along x in a material whose D also has a component along y: eps0 * 3 C/m^2, over a length of 2 m.
  for (const char* order : {"1", "2"}) {
    const auto values =
        run(TESSERA_SOURCE_DIR "/tests/regression/plates.yaml",
            {"problem.materials={domain: {relative_permittivity: [[3, 1], [1, 2]]}}",
             "problem.boundaries.bottom={periodic: top}", "discretization.order=" + std::string(order),
             "output.surfaces={bottom: {}, top: {}, both: {groups: [top, bottom]}, corner: {groups: [left, bottom]}}"});
    CHECK(is_near(values.at("flux.bottom"), 6. * eps0));
    CHECK(is_near(values.at("flux.top"), -6. * eps0));
    CHECK(std::fabs(values.at("flux.both")) < 6. * eps0 * rounding);
    CHECK(is_near(values.at("flux.corner"), values.at("charge.left") + 6. * eps0));
  }
}

TEST_CASE("Through antiperiodic boundaries flows what the source between them gives", "[regression][device]") {
  // u = (y - y^2) / 2, which elements of order 2 represent exactly: half of the source flows out on either side.
  const TemporaryFolder folder;
  std::ofstream(folder.file("case.yaml")) << R"(tessera: 1
mesh: {box: {cells: [6, 8]}}
problem:
  physics: diffusion
  materials: {domain: {diffusivity: 1}}
  sources: {domain: {source: 1}}
  boundaries: {bottom: {antiperiodic: top}}
discretization: {order: 2}
solver: {relative_tolerance: 1.0e-12}
output: {fields: [], surfaces: {bottom: {}, top: {}, left: {}}}
)";
  const auto values = run(folder.file("case.yaml"), {});
  CHECK(is_near(values.at("flux.bottom"), -0.5));
  CHECK(is_near(values.at("flux.top"), -0.5));
  CHECK(values.at("flux.left") == 0.); // insulated
}

TEST_CASE("Lines where a coefficient may jump within a region have a note", "[regression]") {
  const TemporaryFolder folder;
  const std::string file = folder.file("case.yaml");
  std::ofstream(file) << R"(tessera: 1
mesh: {box: {cells: [16, 16]}}
problem:
  physics: electrostatics
  materials: {domain: {relative_permittivity: '1 + 9*(x + 0.3*y < 0.65)'}}
  boundaries: {left: {potential: 1}, right: {potential: 0}}
output: {fields: [], quantities: [charge], errors: false, lines: {cut: {points: [[0.5, 1], [0.5, 0]]}}}
)";
  const auto has_note = [&](const std::vector<std::string>& settings) {
    REQUIRE(run_case(file, folder.file("out"), settings).exit_code == 0);
    std::ifstream report(folder.file("out/report.yaml"));
    const std::string text{std::istreambuf_iterator<char>(report), std::istreambuf_iterator<char>()};
    return text.find("line 'cut': the relative_permittivity of 'domain' may jump") != std::string::npos;
  };
  CHECK(has_note({}));
  CHECK(has_note({"problem.materials.domain.relative_permittivity=[2, '1 + step(y - 0.5)']"}));
  CHECK_FALSE(has_note({"output.lines="}));
  CHECK_FALSE(has_note({"problem.materials.domain.relative_permittivity=1 + 9*max(x, 0.5)"}));
  CHECK_FALSE(has_note({"problem.materials.domain.relative_permittivity=(2 > 1) + x"}));
}

#if TESSERA_HAVE_GMSH
TEST_CASE("Each facet of a surface counts by its own rule, and once", "[regression][device]") {
  // Two layers between circles of radius 1, 2 and 3 m, of permittivity 2 and 4; one circle is in two groups.
  const TemporaryFolder folder;
  std::ofstream(folder.file("layers.geo")) << layers_geometry << "Physical Curve(\"again\") = {1};\n";
  std::ofstream(folder.file("layers.yaml")) << layers_case;
  const std::string file = folder.file("layers.yaml");
  constexpr double of_fields = 5e-2; // error of order 1 in straight elements of 0.15 m at a radius of 1 m
  const double charge = 2. * pi * eps0 / (std::log(2.) / 2. + std::log(1.5) / 4.);
  const auto values = run(file, {"output.surfaces={middle: {}, mixed: {groups: [middle, inner]}, again: {}, "
                                 "twice: {groups: [again, inner]}, all: {groups: [inner, outer, middle]}}"});
  CHECK(is_near(values.at("flux.middle"), charge, of_fields));
  // Into the mesh through one circle, out of the core through the other.
  CHECK(is_near(values.at("flux.mixed"), values.at("charge.inner") + values.at("flux.middle")));
  CHECK(is_near(values.at("flux.all"), values.at("flux.middle"))); // the charges add up to zero
  CHECK(is_near(values.at("flux.again"), charge, of_fields));      // the group has no condition, but its facets have
                                                                   // one
  CHECK(values.at("flux.twice") == values.at("charge.inner"));
  CHECK(is_near(values.at("area.twice"), values.at("area.again")));

  // The surface of a region at one potential: there is no field inside.
  const auto body =
      run(file, {"problem.boundaries={core: {potential: 1}, outer: {potential: 0}}", "output.surfaces={middle: {}}"});
  CHECK(is_near(body.at("flux.middle"), 2. * pi * eps0 * 4. / std::log(1.5), of_fields));
  CHECK(is_near(body.at("charge.core"), 2. * pi * eps0 * 4. / std::log(1.5), of_fields));
  CHECK(is_near(body.at("flux.middle"), body.at("charge.core")));
  const auto floating = run(file, {"problem.boundaries={core: {floating: {charge: 1e-9}}, outer: {potential: 0}}",
                                   "output.surfaces={middle: {}, back: {groups: [middle], from: jacket}}"});
  CHECK(is_near(floating.at("flux.middle"), 1e-9));
  CHECK(is_near(floating.at("flux.back"), -1e-9));
}

TEST_CASE("The flux through a part of a conductor's surface is that of the field, with a note",
          "[regression][device]") {
  const TemporaryFolder folder;
  std::ofstream(folder.file("layers.geo")) << R"(
SetFactory("OpenCASCADE");
Circle(1) = {0, 0, 0, 1};
Circle(2) = {0, 0, 0, 2, 0, Pi};
Circle(3) = {0, 0, 0, 2, Pi, 2*Pi};
Circle(4) = {0, 0, 0, 3};
Curve Loop(1) = {1};
Curve Loop(2) = {2, 3};
Curve Loop(3) = {4};
Plane Surface(1) = {2, 1};
Plane Surface(2) = {3, 2};
Physical Surface("core") = {1};
Physical Surface("jacket") = {2};
Physical Curve("upper") = {2};
Physical Curve("outer") = {4};
Mesh.MeshSizeMax = 0.15;
)";
  std::ofstream(folder.file("layers.yaml")) << layers_case;
  const auto summary =
      run_case(folder.file("layers.yaml"), folder.file("out"),
               {"problem.boundaries={core: {potential: 1}, outer: {potential: 0}}", "output.surfaces={upper: {}}"});
  const double half = 0.5 * summary.quantities.at("charge.core");
  CHECK(is_near(summary.quantities.at("flux.upper"), half, 5e-2));
  CHECK_FALSE(is_near(summary.quantities.at("flux.upper"), half));
  std::ifstream file(folder.file("out/report.yaml"));
  const std::string report{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  CHECK(report.find("surface 'upper': along the conductor 'core' its flux is that of the adjacent field") !=
        std::string::npos);
}
#endif

} // namespace tessera::test
