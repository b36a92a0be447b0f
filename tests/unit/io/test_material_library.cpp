// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/case_reader.hpp"
#include "io/materials/material_library.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <array>
#include <cmath>
#include <fstream>

namespace tessera::test {

namespace {

using Catch::Matchers::ContainsSubstring;

std::string text(const std::string& physics, const std::string& materials, const std::string& more = "") {
  const std::string value = physics == "heat"             ? "temperature"
                            : physics == "magnetostatics" ? "vector_potential"
                                                          : "potential";
  return "tessera: 1\nmesh: {box: {cells: [4, 4]}}\nproblem:\n  physics: " + physics + "\n  materials: " + materials +
         "\n  boundaries: {left: {" + value + ": 1}, right: {" + value + ": 0}}\n" + more;
}

io::Material material_of(const std::string& physics, const std::string& material, const std::string& more = "") {
  return io::read_case_text(text(physics, "{domain: " + material + "}", more), "case.yaml").problem.materials.at(0);
}

double coefficient(const std::string& physics, const std::string& material, const std::string& more = "") {
  return material_of(physics, material, more).coefficient.diagonal.at(0).value;
}

std::string message_of(const std::string& physics, const std::string& material, const std::string& more = "") {
  try {
    material_of(physics, material, more);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

} // namespace

TEST_CASE("A material by name has the property that the physics needs", "[io]") {
  CHECK(coefficient("current-flow", "copper") == 5.96e7);
  CHECK(coefficient("heat", "copper") == 401.);
  CHECK(coefficient("electrostatics", "{name: ptfe}") == 2.1);
  CHECK(material_of("magnetostatics", "aluminium").relative_permeability[0] == 1.);
}

TEST_CASE("A property next to a material's name replaces that of the library", "[io]") {
  CHECK(coefficient("current-flow", "{name: copper, conductivity: 5.0e7}") == 5e7);
  CHECK(material_of("magnetostatics", "{name: iron, relative_permeability: 1000}").relative_permeability[0] == 1000.);
}

TEST_CASE("Every entry of the library is a material for some physics", "[io]") {
  const io::YamlNode library = io::parse_yaml(io::material_library_text(), "materials.yaml");
  REQUIRE(library.keys.size() >= 20);
  for (const std::string& name : library.keys) {
    INFO(name);
    int n = 0;
    for (const char* physics : {"electrostatics", "current-flow", "heat", "magnetostatics"})
      n += message_of(physics, name) == "no error" ? 1 : 0;
    // a material with only a curve is for magnetostatics
    const bool has_tables = name.find("-of-temperature") != std::string::npos; // of heat
    CHECK(n >= (library.find(name)->find("bh_curve") != nullptr || has_tables ? 1 : 2));
  }
}

TEST_CASE("The library has B-H curves of published problems", "[io]") {
  const physics::BhTable curve = material_of("magnetostatics", "team-13-steel").bh_curve;
  REQUIRE(curve.size() == 38);
  CHECK(curve[4] == std::array<double, 2>{93., 0.025}); // numbers 5, 16, 22 and 27 of Fig. 3
  CHECK(curve[15] == std::array<double, 2>{342., 1.});
  CHECK(curve[21] == std::array<double, 2>{1228., 1.55});
  CHECK(curve[26] == std::array<double, 2>{9423., 1.8});
  // Eq. (1) with the paper's mu0: half a unit of the last of five decimals of B, or of one decimal of H.
  const double mu0 = 4e-7 * 3.14159265358979324;
  for (std::size_t k = 26; k < curve.size(); ++k) {
    const double h = curve[k][0];
    INFO("H = " << h);
    const double exact = curve[k][1] < 2.22 ? mu0 * h - 2.381e-10 * h * h + 2.327e-5 * h + 1.590 : mu0 * h + 2.16;
    CHECK(std::fabs(curve[k][1] - exact) < (k == 26 ? 4e-5 : 5e-6)); // the two curves agree at 1.8 T up to 3e-5 T
  }

  const physics::BhTable other = material_of("magnetostatics", "{name: team-20-steel}").bh_curve;
  REQUIRE(other.size() == 38);
  CHECK(other[14] == std::array<double, 2>{555., 1.});
  CHECK(other[27] == std::array<double, 2>{10100., 1.8});
  CHECK(other[37] == std::array<double, 2>{135000., 2.3});

  const io::Material linear = material_of("magnetostatics", "{name: team-13-steel, relative_permeability: 1000}");
  CHECK(linear.bh_curve.empty());
  CHECK(linear.relative_permeability[0] == 1000.);
}

TEST_CASE("A library of one's own comes before that of the program", "[io]") {
  const TemporaryFolder folder;
  const std::string file = folder.file("mine.yaml");
  std::ofstream(file) << "copper: {conductivity: 1.0e6}\nyoke: {bh_curve: [[0, 0], [100, 1.0], [1000, 1.5]]}\n"
                         "sheet: {bh_curve: sheet.csv}\n";
  std::ofstream(folder.file("sheet.csv")) << "0, 0\n200, 1.2\n2000, 1.6\n";
  const std::string library = "  material_library: " + file + "\n";
  CHECK(coefficient("current-flow", "copper", library) == 1e6);
  CHECK(coefficient("current-flow", "silver", library) == 6.3e7);
  CHECK(material_of("magnetostatics", "yoke", library).bh_curve.size() == 3);
  CHECK(material_of("magnetostatics", "sheet", library).bh_curve.size() == 3);
  CHECK_THAT(message_of("heat", "copper", library), ContainsSubstring("has no thermal_conductivity"));

  std::ofstream(file) << "copper: {conductivty: 1.0e6}\n";
  CHECK_THAT(message_of("current-flow", "copper", library),
             ContainsSubstring("mine.yaml:1: copper.conductivty: unknown property 'conductivty'; did you mean "
                               "'conductivity'?"));
}

TEST_CASE("Materials that the library does not know, or not well enough, are reported with their place", "[io]") {
  CHECK_THAT(
      message_of("current-flow", "coper"),
      ContainsSubstring("case.yaml:5: problem.materials.domain: unknown material 'coper'; did you mean 'copper'?"));
  CHECK_THAT(
      message_of("electrostatics", "copper"),
      ContainsSubstring("the material 'copper' of the library has no relative_permittivity. Give it next to the name"));
  CHECK_THAT(message_of("magnetostatics", "team-31-steel"),
             ContainsSubstring("unknown material 'team-31-steel'; did you mean 'team-13-steel'?"));
  CHECK_THAT(message_of("current-flow", "team-13-steel"), ContainsSubstring("has no conductivity. Give it next to"));
  CHECK_THAT(message_of("magnetostatics", "iron"), ContainsSubstring("has no relative_permeability and no bh_curve"));
  CHECK_THAT(message_of("current-flow", "copper", "  material_library: missing.yaml\n"),
             ContainsSubstring("problem.material_library: the file 'missing.yaml' does not exist"));
  CHECK_THAT(message_of("current-flow", "copper", "  material_library: /\n"),
             ContainsSubstring("case.yaml:") &&
                 ContainsSubstring("problem.material_library: the file '/' is a folder"));
  CHECK_THAT(message_of("current-flow", "{name: copper, sigma: 1}"), ContainsSubstring("unknown key 'sigma'"));
}

} // namespace tessera::test
