// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/backends.hpp"
#include "io/input/yaml_reader.hpp"
#include "io/output/probes_file.hpp"
#include "support/kokkos_tools.hpp"
#include "support/quantities.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>

namespace tessera::test {

namespace {

using Catch::Matchers::ContainsSubstring;

constexpr double eps0 = 8.8541878128e-12;
constexpr double pi = 3.14159265358979323846;

std::string plates() { return TESSERA_SOURCE_DIR "/tests/regression/plates.yaml"; }

using Rows = std::vector<std::vector<std::string>>;

/// Numbers of a column of a table.
std::vector<double> column(const Rows& rows, const std::string& name) {
  std::vector<double> values;
  for (std::size_t c = 0; c < rows.at(0).size(); ++c)
    for (std::size_t r = 1; rows[0][c] == name && r < rows.size(); ++r)
      values.push_back(std::strtod(rows[r].at(c).c_str(), nullptr));
  REQUIRE(values.size() + 1 == rows.size());
  return values;
}

} // namespace

TEST_CASE("Lines and surfaces in a uniform field have its voltage, flux and averages", "[regression][device]") {
  // 10 V to 4 V over 2 m: 3 V/m along x; relative permittivity 3; 5 m deep. Lines run along edges of elements, too.
  const std::string lines =
      "output.lines={along: {points: [[0, 0.2], [2, 0.2]]}, edge: {points: [[0, 0.4], [2, 0.4]]}, "
      "up: {points: [[1, 0], [1, 1]]}, "
      "loop: {points: [[0.3, 0.1], [1.7, 0.1], [1.7, 0.9], [0.3, 0.9], [0.3, 0.1]]}}";
  const std::string surfaces = "output.surfaces={left: {}, both: {groups: [left, right]}, top: {}}";
  for (const std::string& backend : backend_names())
    for (const char* order : {"1", "2"}) {
      const auto values = run(plates(), {"problem.depth=5", "discretization.order=" + std::string(order), lines,
                                         surfaces, "execution.backend=" + backend});
      CHECK(is_near(values.at("length.along"), 2.));
      CHECK(is_near(values.at("voltage.along"), 6.));
      CHECK(is_near(values.at("voltage.edge"), 6.));
      CHECK(is_near(values.at("average_potential.edge"), 7.));
      CHECK(is_near(values.at("average_electric_field.along"), 3.));
      CHECK(std::fabs(values.at("voltage.up")) < 6. * rounding);
      CHECK(is_near(values.at("flux.up"), 9. * eps0 * 5.)); // from left to right
      CHECK(std::fabs(values.at("flux.along")) < 9. * eps0 * rounding);
      CHECK(is_near(values.at("length.loop"), 4.4));
      CHECK(std::fabs(values.at("flux.loop")) < 9. * eps0 * rounding);
      CHECK(is_near(values.at("area.left"), 5.));
      CHECK(is_near(values.at("flux.left"), 9. * eps0 * 5.)); // into the mesh, like the charge
      CHECK(is_near(values.at("flux.left"), values.at("charge.left")));
      CHECK(is_near(values.at("area.both"), 10.));
      CHECK(is_near(values.at("average_potential.both"), 7.));
      CHECK(values.at("flux.top") == 0.);
      CHECK(values.count("flux.both") == 1);
    }
  const auto solid = run(plates(), {"mesh.box={cells: [4, 2, 2], lower: [0, 0, 0], upper: [2, 1, 5]}",
                                    "output.lines={along: {points: [[0, 0.2, 1], [2, 0.7, 4]]}}",
                                    "output.surfaces={left: {}}", "output.probes="});
  CHECK(is_near(solid.at("voltage.along"), 6.));
  CHECK(is_near(solid.at("flux.left"), 9. * eps0 * 5.));
  CHECK(solid.count("flux.along") == 0);
}

TEST_CASE("Any number of lines takes as many kernels as one", "[regression][device]") {
  const TemporaryFolder folder;
  const auto n_kernels = [&](const std::string& lines) {
    const LabelWatch watch;
    REQUIRE(run_case(plates(), folder.file("out"), {"output.lines={" + lines + "}"}).exit_code == 0);
    return watch.n_kernels();
  };
  std::string several;
  for (const char* y : {"0.1", "0.3", "0.5", "0.7", "0.9"}) // as many points in total
    several += std::string("at_") + y[2] + ": {points: [[0, " + y + "], [2, " + y + "]], samples: 200}, ";
  CHECK(n_kernels(several) == n_kernels("one: {points: [[0, 0.5], [2, 0.5]], samples: 1000}"));
}

TEST_CASE("Integrals of axisymmetric problems are those of the full circle", "[regression][device]") {
  // 4 V to 10 V over 1 m along the axis.
  const auto values = run(
      plates(), {"problem.symmetry=axisymmetric", "problem.boundaries={bottom: {potential: 4}, top: {potential: 10}}",
                 "output.probes=", "output.lines={disc: {points: [[0, 0.5], [2, 0.5]]}}", "output.surfaces={top: {}}"});
  CHECK(is_near(values.at("flux.disc"), 3. * eps0 * 6. * 4. * pi)); // downwards, which is to the right
  CHECK(is_near(values.at("area.top"), 4. * pi));
  CHECK(is_near(values.at("flux.top"), 3. * eps0 * 6. * 4. * pi));
}

TEST_CASE("Extremes of regions report their places, the first of equals, whatever the order of elements and backend",
          "[regression][device]") {
  const Settings common = {"output.quantities=[regions]", "output.probes=", "mesh.refine=1"};
  std::vector<Rows> tables;
  for (const char* ordering : {"morton", "none"})
    for (const std::string& backend : backend_names()) {
      const TemporaryFolder folder;
      Settings settings = common;
      settings.push_back("mesh.ordering=" + std::string(ordering));
      settings.push_back("execution.backend=" + backend);
      REQUIRE(run_case(plates(), folder.file("out"), settings).exit_code == 0);
      const Rows rows = io::read_rows(folder.file("out/regions.csv"), 100000);
      REQUIRE(rows.size() == 2);
      CHECK(rows[1][0] == "domain");
      CHECK(column(rows, "largest_potential_x [m]").at(0) == 0.);
      CHECK(column(rows, "smallest_potential_x [m]").at(0) == 2.);
      CHECK(is_near(column(rows, "largest_electric_field [V/m]").at(0), 3.));
      Rows places(2);
      for (std::size_t c = 0; c < rows[0].size(); ++c)
        if (rows[0][c].find("_x [m]") != std::string::npos || rows[0][c].find("_y [m]") != std::string::npos)
          for (std::size_t r = 0; r < 2; ++r)
            places[r].push_back(rows[r][c]);
      tables.push_back(places);
      const io::YamlNode report = io::read_yaml(folder.file("out/report.yaml"));
      CHECK(report.find("quantities")->find("largest_potential.domain")->find("at")->items.size() == 2);
    }
  for (const Rows& table : tables)
    CHECK(table == tables.front());
}

TEST_CASE("Probes have flux and material next to the field", "[regression][device]") {
  const TemporaryFolder folder;
  REQUIRE(run_case(plates(), folder.file("out")).exit_code == 0);
  const Rows rows = io::read_rows(folder.file("out/line.csv"), 100000);
  CHECK(rows.at(0) == std::vector<std::string>{"x [m]", "y [m]", "z [m]", "potential [V]", "Ex [V/m]", "Ey [V/m]",
                                               "Dx [C/m^2]", "Dy [C/m^2]", "material"});
  for (const double value : column(rows, "Dx [C/m^2]"))
    CHECK(is_near(value, 9. * eps0));
  CHECK(rows.at(1).back() == "domain");
}

TEST_CASE("Lines and surfaces that do not fit the mesh are reported with their place", "[regression]") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& setting, const std::string& message) {
    INFO(setting);
    CHECK_THROWS_WITH(run_case(plates(), folder.file("out"), {setting}), ContainsSubstring(message));
  };
  refused("output.lines={far: {points: [[1, 0.5], [3, 0.5]]}}",
          "output.lines.far: 1 m of its 2 m lie outside of the mesh, first near (2.0");
  refused("output.lines={dot: {points: [[1, 0.5]]}}", "expected at least two points");
  refused("output.lines={dot: {points: [[1, 0.5], [1, 0.5]]}}", "is the same point as the one before");
  refused("output.lines={flat: {points: [[1, 0.5, 0], [1, 0.6, 0]]}}", "expected a point, a list of 2 numbers");
  refused("output.surfaces={lefd: {}}", "the mesh has no boundary or interface 'lefd'");
  refused("output.surfaces={ends: {groups: [left, right, left]}}",
          "output.surfaces.ends.groups[2]: 'left' is listed twice");
  refused("output.bodies={plate: {groups: [left, left]}}", "output.bodies.plate.groups[1]: 'left' is listed twice");
  refused("output.surfaces={left: {from: air}}", "flux is to leave 'air', which is no region of the mesh");
  refused("output.surfaces={left: {from: domain, away_from: [0, 0]}}", "does not go with from");
  refused("output.surfaces={ends: {groups: [left, right], from: domain}}",
          "output.surfaces.ends.from: is for interfaces, but 'ends' has none");
  refused("output.surfaces={top: {away_from: [1, 0.5]}}",
          "output.surfaces.top.away_from: is for interfaces, but 'top' has none");
  CHECK_THROWS_WITH(run_case(plates(), folder.file("out"),
                             {"output.lines={left: {points: [[0, 0], [1, 1]]}}", "output.surfaces={left: {}}"}),
                    ContainsSubstring("is the name of a line, too"));
  CHECK_THROWS_WITH(
      run_case(plates(), folder.file("out"),
               {"output.lines={up: {points: [[0, 0], [1, 1]]}}", "output.probes={Lines: {points: [[1, 0.5]]}}"}),
      ContainsSubstring("the file lines.csv is that of output.lines"));
}

#if TESSERA_HAVE_GMSH
TEST_CASE("Interfaces have the flux between their regions, whichever way it counts", "[regression][device]") {
  const TemporaryFolder folder;
  std::ofstream(folder.file("layers.geo")) << layers_geometry;
  std::ofstream(folder.file("layers.yaml")) << layers_case;
  const std::string file = folder.file("layers.yaml");
  const double charge = 2. * pi * eps0 / (std::log(2.) / 2. + std::log(1.5) / 4.);
  for (const char* order : {"1", "2"}) {
    const double tolerance = order[0] == '1' ? 1e-2 : 1e-3; // error of the field for elements of 0.15 m, by order
    const Settings settings = {"discretization.order=" + std::string(order),
                               "output.surfaces={middle: {}, back: {groups: [middle], from: jacket}, "
                               "around: {groups: [middle], away_from: [0.1, 0]}, inner: {}}"};
    const auto values = run(file, settings);
    CHECK(is_near(values.at("flux.middle"), charge, tolerance));
    CHECK(values.at("flux.back") == -values.at("flux.middle"));
    CHECK(values.at("flux.around") == values.at("flux.middle"));
    CHECK(values.at("flux.inner") == values.at("charge.inner"));
    CHECK(is_near(values.at("area.middle"), 4. * pi, 2e-3));
    CHECK(is_near(values.at("average_potential.middle"), std::log(1.5) / 4. / (std::log(2.) / 2. + std::log(1.5) / 4.),
                  5e-3));
  }
  const auto refused = [&](const Settings& settings, const std::string& message) {
    CHECK_THROWS_WITH(run_case(file, folder.file("out"), settings), ContainsSubstring(message));
  };
  refused({"output.surfaces={middle: {from: gap}}"}, "flux is to leave 'gap', which is no region of the mesh");
  refused({"mesh.groups={all: [core, jacket]}", "problem.materials={all: {relative_permittivity: 1}}",
           "output.surfaces={middle: {}}"},
          "it lies within region 'all'");
}

TEST_CASE("The flux through the surface of a conducting region is its charge", "[regression][device]") {
  const TemporaryFolder folder;
  std::ofstream(folder.file("layers.geo")) << layers_geometry;
  std::ofstream(folder.file("layers.yaml")) << layers_case;
  const double charge = 2. * pi * eps0 * 4. / std::log(1.5);
  for (const char* order : {"1", "2"}) {
    const double tolerance = order[0] == '1' ? 2e-2 : 1e-3; // one-sided fields, elements of 0.15 m
    const auto values = [&](const std::string& core) {
      return run(folder.file("layers.yaml"), {"discretization.order=" + std::string(order),
                                              "problem.boundaries={core: " + core + ", outer: {potential: 0}}",
                                              "output.surfaces={middle: {}, back: {groups: [middle], from: jacket}}"});
    };
    const auto fixed = values("{potential: 1}");
    CHECK(is_near(fixed.at("flux.middle"), charge, tolerance));
    CHECK(fixed.at("flux.back") == -fixed.at("flux.middle"));
    CHECK(is_near(fixed.at("average_potential.middle"), 1., 1e-12));
    CHECK(is_near(values("{floating: {charge: 1e-9}}").at("flux.middle"), 1e-9, tolerance));
  }
}

TEST_CASE("Lines around a conductor have its charge, and its current", "[regression][device]") {
  const double charge = 2. * pi * eps0 * 2.25 / std::log(1.475 / 0.45);
  const std::string square =
      "output.lines={loop: {points: [[0.8e-3, -0.8e-3], [0.8e-3, 0.8e-3], [-0.8e-3, 0.8e-3], "
      "[-0.8e-3, -0.8e-3], [0.8e-3, -0.8e-3]]}, radius: {points: [[0.45e-3, 0], [1.475e-3, 0]]}}";
  const auto cable = run(input_file("coax"), {square});
  CHECK(is_near(cable.at("flux.loop"), charge, 2e-3));
  CHECK(is_near(cable.at("voltage.radius"), 1.));
  CHECK(is_near(run(input_file("coax"), {square, "discretization.order=2"}).at("flux.loop"), charge, 2e-5));
  const std::string loop = "output.lines={loop: {points: [[0.8e-3, -0.8e-3], [0.8e-3, 0.8e-3], [-0.8e-3, 0.8e-3], "
                           "[-0.8e-3, -0.8e-3], [0.8e-3, -0.8e-3]]}, across: {points: [[0.46e-3, 0], [1.47e-3, 0]]}}";
  const auto magnetic = run(input_file("coax-inductance"), {loop});
  CHECK(is_near(magnetic.at("magnetomotive_force.loop"), 2., 2e-3)); // A
  // mu0 I/(2 pi) ln(r2/r1); along +x the field, which turns counterclockwise, crosses to the left.
  CHECK(is_near(magnetic.at("flux.across"), -2e-7 * 2. * std::log(1.47 / 0.46), 1e-3));
}

TEST_CASE("Probes of order 1 are recovered fields, many times closer to the exact one than those of elements",
          "[regression][device]") {
  const auto error = [](const std::string& file, const std::string& probe, const std::string& exact,
                        const char* recovered) {
    const TemporaryFolder folder;
    const auto summary =
        run_case(file, folder.file("out"),
                 {"output.quantities=[energy]",
                  "verification=", "output.probes={p: {" + probe + ", recovered: " + recovered + "}}",
                  "discretization.order=1", "verification.probes={p: {Ex: {exact: \"" + exact + "\"}}}"});
    CHECK(summary.exit_code == 0);
    return summary.errors.at("p.Ex");
  };
  const std::string radial = "x/(x^2 + y^2)/log(1.475/0.45)";
  const std::string line = "from: [0.4502e-3, 1.0e-6], to: [1.474e-3, 1.0e-6], points: 301";
  const double elementwise = error(input_file("coax"), line, radial, "false");
  const double recovered = error(input_file("coax"), line, radial, "true");
  INFO("coax: " << elementwise << " of elements, " << recovered << " recovered");
  CHECK(recovered < 0.2 * elementwise);
}
#endif

} // namespace tessera::test
