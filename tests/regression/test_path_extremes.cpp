// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/backends.hpp"
#include "io/input/yaml_reader.hpp"
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

using Places = std::map<std::string, std::vector<double>>;

/// The positions of the extremes in report.yaml, from a run in a temporary folder.
Places places(const std::string& file, const Settings& settings) {
  const TemporaryFolder folder;
  REQUIRE(run_case(file, folder.file("out"), settings).exit_code == 0);
  const io::YamlNode report = io::read_yaml(folder.file("out/report.yaml"));
  const io::YamlNode* quantities = report.find("quantities");
  REQUIRE(quantities != nullptr);
  Places places;
  for (std::size_t i = 0; i < quantities->keys.size(); ++i)
    if (const io::YamlNode* at = quantities->items[i].find("at"))
      for (const io::YamlNode& coordinate : at->items)
        places[quantities->keys[i]].push_back(std::strtod(coordinate.text.c_str(), nullptr));
  return places;
}

bool is_at(const std::vector<double>& place, const std::vector<double>& exact, double tolerance = 1e-9) {
  bool is_near = place.size() == exact.size();
  for (std::size_t d = 0; is_near && d < exact.size(); ++d)
    is_near = std::fabs(place[d] - exact[d]) <= tolerance;
  return is_near;
}

/// u = x^2 / 2, which elements of order 2 represent exactly: its gradient is x, from 0 to 2.
Settings parabola(bool solid) {
  return {solid ? "mesh.box={cells: [4, 2, 2], lower: [0, 0, 0], upper: [2, 1, 1]}"
                : "mesh.box={cells: [7, 5], lower: [0, 0], upper: [2, 1]}",
          "problem.physics=diffusion",
          "problem.materials={domain: {diffusivity: 3}}",
          "problem.sources={domain: {source: -3}}",
          "problem.boundaries={left: {value: 0}, right: {value: 2}}",
          "discretization.order=2",
          "output.fields=[]",
          "output.quantities=[]",
          "output.probes="};
}

} // namespace

TEST_CASE("Lines and surfaces have the averages and extremes of a field that grows, with their places",
          "[regression][device]") {
  for (const std::string& backend : backend_names())
    for (const bool solid : {false, true}) {
      Settings settings = parabola(solid);
      settings.push_back("execution.backend=" + backend);
      settings.push_back("output.surfaces={bottom: {}, right: {}}");
      settings.push_back(solid ? "output.lines={along: {points: [[2, 0.5, 0.5], [1, 0.5, 0.5], [0, 0.5, 0.5]]}}"
                               : "output.lines={along: {points: [[2, 0.5], [1, 0.5], [0, 0.5]]}}");
      const auto values = run(plates(), settings);
      CHECK(is_near(values.at("average_value.bottom"), 2. / 3.));
      CHECK(is_near(values.at("largest_value.bottom"), 2.));
      CHECK(std::fabs(values.at("smallest_value.bottom")) < rounding);
      for (const char* name : {"bottom", "along"}) {
        const std::string end = std::string(".") + name;
        CHECK(is_near(values.at("average_gradient" + end), 1.));
        CHECK(is_near(values.at("largest_gradient" + end), 2., 1e-7));
        CHECK(is_near(values.at("average_flux" + end), 3.));
        CHECK(is_near(values.at("largest_flux" + end), 6., 1e-7));
      }
      CHECK(std::fabs(values.at("smallest_gradient.along")) < 1e-7); // rounding over the size of an element
      CHECK(values.count("smallest_gradient.bottom") == 0);          // only for lines, not for regions
      CHECK(is_near(values.at("average_gradient.right"), 2.));

      const Places at = places(plates(), settings);
      const auto point = [&](double x, double y) {
        return solid ? std::vector<double>{x, y, 0.5} : std::vector<double>{x, y};
      };
      for (const char* what : {"value", "gradient", "flux"}) {
        CHECK(is_at(at.at(std::string("largest_") + what + ".along"), point(2., 0.5)));
        // Within 2e-3 m of its minimum, a parabola is within the tie tolerance of 1e-6 of its range of 2.
        CHECK(is_at(at.at(std::string("smallest_") + what + ".along"), point(0., 0.5), 2e-3));
        const std::vector<double>& largest = at.at(std::string("largest_") + what + ".bottom");
        CHECK(largest.size() == (solid ? 3 : 2));
        CHECK(is_at({largest[0], largest[1]}, {2., solid ? largest[1] : 0.}));
      }
      CHECK(std::fabs(at.at("smallest_value.bottom")[0]) < rounding);
    }
}

TEST_CASE("Extremes of lines and surfaces are at the first of equal places, whatever the order of elements and backend",
          "[regression][device]") {
  // 10 V to 4 V over 2 m, 3 V/m everywhere.
  std::vector<Places> all;
  for (const char* ordering : {"morton", "none"})
    for (const std::string& backend : backend_names()) {
      const Settings settings = {
          "mesh.refine=1", "mesh.ordering=" + std::string(ordering), "execution.backend=" + backend,
          "output.surfaces={top: {}, left: {}, ends: {groups: [left, right]}}",
          "output.lines={along: {points: [[2, 0.2], [0, 0.2]]}, up: {points: [[1, 0], [1, 1]]}}"};
      all.push_back(places(plates(), settings));
      const Places& at = all.back();
      CHECK(is_at(at.at("smallest_potential.along"), {2., 0.2}));
      CHECK(is_at(at.at("largest_potential.along"), {0., 0.2}));
      CHECK(is_at(at.at("largest_electric_field.along"), {2., 0.2})); // the first point along the line
      CHECK(is_at(at.at("smallest_electric_field.up"), {1., 0.}));
      CHECK(is_at(at.at("largest_potential.top"), {0., 1.}));
      CHECK(is_at(at.at("smallest_potential.top"), {2., 1.}));
      CHECK(at.at("smallest_potential.ends")[0] == 2.);
      CHECK(at == all.front());
    }
  CHECK(all.size() > 1);
}

TEST_CASE("Lines and surfaces have both fields of a vector potential", "[regression][device]") {
  // A = x^2 / 2 in a material of relative permeability 2: B = -x along y, J = -1 / (2 mu0).
  const double mu = 2. * 1.25663706212e-6;
  auto values =
      run(plates(), {"problem.physics=magnetostatics", "problem.materials={domain: {relative_permeability: 2}}",
                     "problem.sources={domain: {current_density: \"-1/(2*1.25663706212e-6)\"}}",
                     "problem.boundaries={left: {vector_potential: 0}, right: {vector_potential: 2}}",
                     "discretization.order=2", "output.fields=[]", "output.quantities=[]", "output.probes=",
                     "output.surfaces={bottom: {}}", "output.lines={along: {points: [[0, 0.5], [2, 0.5]]}}"});
  for (const char* name : {"bottom", "along"}) {
    const std::string end = std::string(".") + name;
    CHECK(is_near(values.at("average_flux_density" + end), 1.));
    CHECK(is_near(values.at("largest_flux_density" + end), 2., 1e-7));
    CHECK(is_near(values.at("average_magnetic_field" + end), 1. / mu));
    CHECK(is_near(values.at("largest_magnetic_field" + end), 2. / mu, 1e-7));
    CHECK(values.count("largest_vector_potential" + end) == 0);
  }
}

TEST_CASE("A line or surface with the name of a region is refused where both report extremes", "[regression]") {
  const std::string file = plates();
  CHECK_THROWS_WITH(run(file, {"output.quantities=[regions]", "output.surfaces={domain: {groups: [left]}}"}),
                    ContainsSubstring("output.surfaces.domain: is the name of a region") &&
                        ContainsSubstring("largest_electric_field.domain would be ambiguous"));
  CHECK_THROWS_WITH(run(file, {"output.quantities=[regions]", "output.lines={domain: {points: [[0, 0], [1, 1]]}}"}),
                    ContainsSubstring("output.lines.domain: is the name of a region"));
  CHECK(run(file, {"output.surfaces={domain: {groups: [left]}}"}).count("largest_potential.domain") == 1);
  // Expected extremes of lines and surfaces are not mistaken for those of regions.
  CHECK(run(file, {"output.surfaces={left: {}}",
                   "verification={quantities: {largest_electric_field.left: {value: 3, tolerance: 1.0e-8}}}"})
            .count("largest_electric_field.left") == 1);
  CHECK_THROWS_WITH(run(file, {"verification={quantities: {largest_electric_field.left: {value: 3}}}"}),
                    ContainsSubstring("left"));
}

#if TESSERA_HAVE_GMSH
TEST_CASE("At interfaces averages are those of both sides and extremes those of either", "[regression][device]") {
  // Layers between circles of radius 1, 2 and 3 m, with permittivity 2 and 4. With curved elements of order 2 and size
  // 0.15 m, the relative error is up to (0.15 m / 1 m)^2 / 3 where the field is largest, and smaller on average.
  constexpr double of_points = 7.5e-3;
  constexpr double of_means = 2.5e-3;
  const TemporaryFolder folder;
  std::ofstream(folder.file("layers.geo")) << layers_geometry;
  std::ofstream(folder.file("layers.yaml")) << layers_case;
  const std::string file = folder.file("layers.yaml");
  const double charge = 2. * pi * eps0 / (std::log(2.) / 2. + std::log(1.5) / 4.);
  const auto field = [&](double radius, double permittivity) {
    return charge / (2. * pi * radius * permittivity * eps0);
  };
  const Settings settings = {"discretization.order=2", "output.surfaces={inner: {}, middle: {}, outer: {}}",
                             "output.lines={out: {points: [[1.0000001, 0], [3, 0]]}}"};
  const auto values = run(file, settings);
  CHECK(is_near(values.at("largest_electric_field.inner"), field(1., 2.), of_points));
  CHECK(is_near(values.at("average_electric_field.inner"), field(1., 2.), of_means));
  CHECK(is_near(values.at("largest_electric_field.outer"), field(3., 4.), of_points));
  CHECK(is_near(values.at("average_electric_field.middle"), 0.5 * (field(2., 2.) + field(2., 4.)), of_means));
  CHECK(is_near(values.at("largest_electric_field.middle"), field(2., 2.), of_points));
  CHECK(is_near(values.at("average_flux_density.middle"), charge / (4. * pi), of_means));
  CHECK(is_near(values.at("largest_electric_field.out"), field(1., 2.), of_points));
  CHECK(is_near(values.at("smallest_electric_field.out"), field(3., 4.), of_points));
  const Places at = places(file, settings);
  CHECK(is_at(at.at("largest_electric_field.out"), {1.0000001, 0.}));
  const std::vector<double>& largest = at.at("largest_electric_field.inner");
  CHECK(is_near(std::hypot(largest[0], largest[1]), 1., 1e-4));

  // The inside of a region at one potential has no field and does not contribute.
  const auto body = run(file, {"problem.boundaries={core: {potential: 1}, outer: {potential: 0}}",
                               "discretization.order=2", "output.surfaces={middle: {}}"});
  const double alone = 1. / (2. * std::log(1.5));
  CHECK(is_near(body.at("average_electric_field.middle"), alone, of_means));
  CHECK(is_near(body.at("largest_electric_field.middle"), alone, of_points));
  CHECK(is_near(body.at("average_potential.middle"), 1.));
}
#endif

} // namespace tessera::test
