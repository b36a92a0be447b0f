// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/yaml_reader.hpp"
#include "support/quantities.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <map>

namespace tessera::test {

namespace {

constexpr double eps0 = 8.8541878128e-12;

std::string plates() { return TESSERA_SOURCE_DIR "/tests/regression/plates.yaml"; }

const std::string requested = "output.quantities=[energy, regions]";

} // namespace

TEST_CASE("Materials by wildcard are those of every region that fits", "[regression][device]") {
  const TemporaryFolder folder;
  const auto by_name = run(plates(), {requested});
  CHECK(run(plates(), {requested, "problem.materials={\"dom*\": {relative_permittivity: 3}}"}) == by_name);
  run_case(plates(), folder.file("out"), {"problem.materials={\"*\": {relative_permittivity: 3}}"});
  const io::YamlNode resolved = io::read_yaml(folder.file("out") + "/resolved.yaml");
  CHECK(resolved.find("problem")->find("materials")->keys == std::vector<std::string>{"domain"});
  CHECK_THROWS_WITH(run(plates(), {"problem.materials={domain: {relative_permittivity: 3}, \"air*\": vacuum}"}),
                    Catch::Matchers::ContainsSubstring("'air*' fits no region of the mesh. Its regions are: domain"));
  const Settings by_elements = {"discretization.method=dg", "output.fields=[]",
                                "output.probes=", "output.quantities=[energy]"};
  Settings by_wildcard = by_elements;
  by_wildcard.push_back("problem.materials={\"d?main\": {relative_permittivity: 3}}");
  CHECK(run(plates(), by_wildcard) == run(plates(), by_elements));
#if TESSERA_HAVE_GMSH
  const std::string layers = input_file("dielectric-layers");
  CHECK(run(layers, {requested,
                     "problem.materials={\"*er\": {relative_permittivity: 2}, middle: {relative_permittivity: "
                     "9}}",
                     "verification="}) ==
        run(layers, {requested,
                     "problem.materials={upper: {relative_permittivity: 2}, lower: {relative_permittivity: 2}, "
                     "middle: {relative_permittivity: 9}}",
                     "verification="}));
#endif
}

TEST_CASE("Groups of a case work on boxes by names, wildcards and points", "[regression][device]") {
  // Units of 1 cm: 2 cm by 1 cm, 6 V between the short sides, relative permittivity 3, 1 m deep.
  const Settings named = {"mesh.scale=0.01",
                          "mesh.groups={foil: {at: [0.5, 0.1]}, plate: {near: [2, 0.5]}, ends: [bottom, \"t?p\"]}",
                          "problem.materials={foil: {relative_permittivity: 3}}",
                          "problem.boundaries={left: {potential: 10}, plate: {potential: 4}, "
                          "ends: {surface_charge: 0}}",
                          "output.probes=",
                          "mesh.refine=1"};
  const auto values = run(plates(), named);
  CHECK(is_near(values.at("capacitance"), 3. * eps0 / 2.));
  CHECK(values.count("charge.plate") == 1);
  // One conductor consisting of two sides: twice the charge at half the distance.
  const auto both = run(
      plates(), {"mesh.box={cells: [6, 2, 2], lower: [0, 0, 0], upper: [2, 1, 5]}",
                 "mesh.groups={outer: [left, right], middle: {at: [1, 0.5, 1]}}",
                 "problem.materials={middle: {relative_permittivity: 3}}", "problem.boundaries={outer: {potential: 1}}",
                 "problem.sources={middle: {charge_density: 1}}", "output.quantities=[charge]", "output.probes="});
  CHECK(is_near(both.at("charge.outer"), -10.)); // minus the charge of the volume
}

TEST_CASE("Regions have the volume, energy, mean and extremes of a linear field", "[regression][device]") {
  // 10 V to 4 V over 2 m, relative permittivity 3.
  for (const char* order : {"1", "2"})
    for (const bool solid : {false, true}) {
      Settings settings = {requested, "discretization.order=" + std::string(order), "output.probes="};
      if (solid)
        settings.emplace_back("mesh.box={cells: [4, 2, 2], lower: [0, 0, 0], upper: [2, 1, 5]}");
      else
        settings.emplace_back("problem.depth=5");
      const auto values = run(plates(), settings);
      CHECK(is_near(values.at("volume.domain"), 10.));
      CHECK(is_near(values.at("energy.domain"), 0.5 * 3. * eps0 * 9. * 10.));
      CHECK(is_near(values.at("energy.domain"), values.at("energy")));
      CHECK(is_near(values.at("mean_potential.domain"), 7.));
      CHECK(is_near(values.at("smallest_potential.domain"), 4.));
      CHECK(is_near(values.at("largest_potential.domain"), 10.));
      CHECK(is_near(values.at("mean_electric_field.domain"), 3.));
      CHECK(is_near(values.at("mean_flux_density.domain"), 9. * eps0));
      CHECK(is_near(values.at("largest_electric_field.domain"), 3.));
      CHECK(is_near(values.at("largest_flux_density.domain"), 9. * eps0));
    }
}

TEST_CASE("Volumes of axisymmetric regions are those of the full circle", "[regression][device]") {
  const auto values =
      run(plates(), {requested, "problem.symmetry=axisymmetric",
                     "output.probes=", "problem.boundaries={bottom: {potential: 4}, top: {potential: 10}}"});
  const double volume = 4. * 3.14159265358979323846;
  CHECK(is_near(values.at("volume.domain"), volume));
  CHECK(is_near(values.at("mean_potential.domain"), 7.));
  CHECK(is_near(values.at("mean_electric_field.domain"), 6.));
  CHECK(is_near(values.at("energy.domain"), 0.5 * 3. * eps0 * 36. * volume));
}

#if TESSERA_HAVE_GMSH
TEST_CASE("Energies of regions add up, also with B-H curves, and fields are those of their regions",
          "[regression][device]") {
  const auto core = run(input_file("saturated-core"), {requested, "verification.quantities=", "output.probes="});
  CHECK(is_near(core.at("energy.core") + core.at("energy.winding"), core.at("energy")));
  CHECK(core.at("largest_flux_density.core") > 1.7); // T, saturated
  CHECK(core.at("largest_flux_density.winding") < 0.02);
  // B of a ring decreases with the radius, so the mean is below the maximum.
  CHECK(core.at("mean_flux_density.core") < core.at("largest_flux_density.core"));
  CHECK(core.at("mean_flux_density.core") > 1.5);
  CHECK(core.count("mean_vector_potential.core") == 0);

  const auto layers = run(input_file("dielectric-layers"), {requested, "verification.quantities=", "output.probes="});
  double sum = 0.;
  for (const auto& [name, value] : layers)
    sum += name.compare(0, 7, "energy.") == 0 ? value : 0.;
  CHECK(is_near(sum, layers.at("energy")));
}
#endif

TEST_CASE("A quantity of a region is verified where regions are asked for", "[regression]") {
  const std::string expected = "verification.quantities={mean_potential.domain: {value: 7.1, tolerance: 1.0e-3}}";
  const TemporaryFolder folder;
  CHECK(run_case(plates(), folder.file("out"), {requested, expected}).exit_code == 2);
  CHECK_THROWS_WITH(run_case(plates(), folder.file("out"), {expected}),
                    Catch::Matchers::ContainsSubstring("List 'regions' under output.quantities."));
}

} // namespace tessera::test
