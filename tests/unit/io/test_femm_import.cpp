// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/femm/femm_import.hpp"
#include "io/input/case_reader.hpp"
#include "support/femm_text.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace tessera::test {

namespace {

using Catch::Matchers::ContainsSubstring;
using io::FemmImport;

/// The case of a file; it has to be one that Tessera accepts.
FemmImport imported(const FemmText& text, const std::string& name = "a.fem") {
  const TemporaryFolder folder;
  FemmImport result = io::import_femm(folder.write(name, text.text()), "a: b");
  folder.write("a: b.geo", result.geometry);
  INFO(result.input);
  CHECK_NOTHROW(io::read_case(folder.write("a.yaml", result.input)));
  return result;
}

std::string refusal(const FemmText& text, const std::string& name = "a.fem") {
  const TemporaryFolder folder;
  try {
    io::import_femm(folder.write(name, text.text()), "a");
  } catch (const Error& error) {
    CHECK(error.exit_code() == 1);
    return error.what();
  }
  return "";
}

/// The square of FemmText without its physics: all sides have the boundary property 1, one label the material 1.
FemmText square_of(const std::string& kind, const FemmValues& boundary, const FemmValues& material) {
  FemmText text;
  text.is_magnetics = kind == "fem";
  for (std::string& segment : text.segments)
    segment.replace(segment.find("-1 0"), 4, "-1 1");
  text.labels = {text.is_magnetics ? "0 0 1 -1 0 30 0 1 0" : "0 0 1 -1 0 0"};
  text.boundary("side", boundary);
  text.material("stuff", material);
  return text;
}

/// The entry of a boundary condition of a kind of problem.
std::string condition(const std::string& kind, const FemmValues& boundary) {
  FemmText text = square_of(kind, boundary, kind == "fec" ? FemmValues{{"ox", "2"}, {"oy", "2"}} : FemmValues{});
  const TemporaryFolder folder;
  const std::string input = io::import_femm(folder.write("a." + kind, text.text()), "a").input;
  const std::size_t begin = input.find("side: {");
  return begin == std::string::npos ? "none" : input.substr(begin + 7, input.find('\n', begin) - begin - 8);
}

std::string material(FemmText text, const std::string& name) {
  const std::string input = imported(text, name).input;
  const std::size_t begin = input.find("stuff: {");
  return input.substr(begin + 8, input.find("} #", begin) - begin - 8);
}

} // namespace

TEST_CASE("a problem of FEMM becomes a case with its regions, coils and boundaries", "[io]") {
  const FemmImport result = imported(wire_in_air());
  CHECK_THAT(result.input, ContainsSubstring("units: mm") && ContainsSubstring("physics: magnetostatics") &&
                               ContainsSubstring("depth: 0.01\n") && ContainsSubstring("A_0: {vector_potential: 0}") &&
                               ContainsSubstring("Air: {relative_permeability: 1} # Air") &&
                               ContainsSubstring("wire: {relative_permeability: 1} # Copper") &&
                               ContainsSubstring("wire: {regions: {wire: 1}, turns: 1, current: 2}") &&
                               ContainsSubstring("wire: 0.25\n") &&
                               ContainsSubstring("bodies: {group_3: {groups: [wire]}}") &&
                               ContainsSubstring("# Not in this case: Conductivities"));
  CHECK_THAT(result.geometry, ContainsSubstring("Physical Curve(\"A_0\") = {1, 2, 3, 4};") &&
                                  ContainsSubstring("Physical Surface(\"wire\") = {"));
  CHECK(std::any_of(result.notes.begin(), result.notes.end(),
                    [](const std::string& note) { return note.find("[Precision]") != std::string::npos; }));
}

TEST_CASE("conditions of FEMM become those of a case", "[io]") {
  CHECK(condition("fee", {{"BdryType", "0"}, {"Vs", "5"}}) == "potential: 5");
  CHECK(condition("fee", {{"BdryType", "1"}, {"c0", "2e-9"}, {"c1", "-6e-9"}}) ==
        "robin: {coefficient: 2.0e-09, reference: 3}");
  CHECK(condition("fee", {{"BdryType", "1"}, {"c1", "4"}}) == "surface_charge: -4");
  CHECK(condition("fee", {{"BdryType", "2"}, {"qs", "1e-3"}}) == "surface_charge: 0.001");
  CHECK(condition("fec", {{"BdryType", "0"}, {"vsr", "5"}}) == "potential: 5");
  CHECK(condition("fec", {{"BdryType", "1"}, {"c0r", "2"}, {"c1r", "-6"}}) ==
        "contact: {conductance: 2, potential: 3}");
  CHECK(condition("fec", {{"BdryType", "2"}, {"qsr", "7"}}) == "current_density: 7");
  CHECK(condition("feh", {{"BdryType", "0"}, {"Tset", "300"}}) == "temperature: 300");
  CHECK(condition("feh", {{"BdryType", "1"}, {"qs", "50"}}) == "heat_flux: -50"); // FEMM counts outwards
  CHECK(condition("feh", {{"BdryType", "1"}}) == "none");
  CHECK(condition("feh", {{"BdryType", "2"}, {"h", "10"}, {"Tinf", "290"}}) ==
        "convection: {coefficient: 10, ambient: 290}");
  CHECK(condition("feh", {{"BdryType", "3"}, {"beta", "0.5"}, {"Tinf", "290"}}) ==
        "radiation: {emissivity: 0.5, ambient: 290, coefficient: 0}");
  CHECK(condition("fem", {{"BdryType", "0"}, {"A_0", "2"}, {"Phi", "60"}}).find("vector_potential: 1") == 0);
  CHECK(condition("fem", {{"BdryType", "0"}, {"A_0", "1"}, {"A_1", "0.002"}, {"A_2", "0.5"}}) ==
        "vector_potential: \"1 + 2*x + 500*y\"");
  CHECK(condition("fem", {{"BdryType", "2"}, {"c1", "40"}}) == "tangential_field: 40");
  // Convection to 300 K and radiation to 400 K draw the same heat as both to a temperature between.
  const std::string both =
      condition("feh", {{"BdryType", "3"}, {"beta", "1"}, {"h", "5"}, {"Tinf", "300"}, {"TinfRad", "400"}});
  const double ambient = std::stod(both.substr(both.find("ambient: ") + 9));
  const double sigma = 5.670374419184429e-8;
  CHECK(std::fabs(5. * (ambient - 300.) + sigma * (std::pow(ambient, 4) - std::pow(400., 4))) < 1e-6);
}

TEST_CASE("materials of FEMM become those of a case", "[io]") {
  const FemmValues fixed = {{"BdryType", "0"}};
  CHECK(material(square_of("fee", fixed, {{"ex", "3"}, {"ey", "4"}}), "a.fee") == "relative_permittivity: [3, 4]");
  CHECK(material(square_of("feh", fixed, {{"Kx", "3"}, {"Ky", "3"}}), "a.feh") == "thermal_conductivity: 3");
  CHECK(material(square_of("fem", fixed, {{"Mu_x", "1001"}, {"Mu_y", "1001"}, {"LamFill", "0.9"}}), "a.fem") ==
        "relative_permeability: 901");
  CHECK(material(square_of("fem", fixed, {{"Mu_x", "1001"}, {"Mu_y", "11"}, {"LamFill", "0.9"}}), "a.fem") ==
        "relative_permeability: [901, 10]");
  CHECK(material(square_of("fem", fixed, {{"Mu_x", "50"}, {"Mu_y", "50"}, {"LamType", "2"}, {"LamFill", "0.9"}}),
                 "a.fem") == "relative_permeability: 50, laminations: {stacking_factor: 0.9, parallel_to: y}");
  CHECK(material(square_of("fem", fixed, {{"Mu_x", "50"}, {"Mu_y", "50"}, {"LamType", "3"}, {"WireD", "1"}}),
                 "a.fem") == "relative_permeability: 1");
  CHECK_THAT(material(square_of("fem", fixed, {{"Mu_x", "1.05"}, {"Mu_y", "1.05"}, {"H_c", "9e5"}}), "a.fem"),
             ContainsSubstring("relative_permeability: 1.05, coercivity: 900000, direction: [\"cos(pi/180*(30))\", "
                               "\"sin(pi/180*(30))\"]"));
  FemmText radial = square_of("fem", fixed, {{"Mu_x", "1"}, {"Mu_y", "1"}, {"H_c", "9e5"}});
  radial.labels[0] += " \"theta+2*x\"";
  CHECK_THAT(material(radial, "a.fem"), ContainsSubstring("cos(pi/180*((atan2(y, x)*180/pi)+2*(x/0.001)))"));
  FemmText steel = square_of("fem", fixed, {{"LamFill", "0.5"}});
  steel.materials =
      "<BeginBlock>\n<BlockName> = \"stuff\"\n<LamFill> = 0.5\n<BHPoints> = 3\n0 0\n1 100\n2 1e4\n<EndBlock>\n";
  CHECK_THAT(material(steel, "a.fem"), ContainsSubstring("bh_curve: [[0, 0], [100, 0.50006283185311], [10000, 1.0062"));
  FemmText kelvin = square_of("fee", fixed, {{"ex", "2"}, {"ey", "2"}});
  kelvin.head = "[LengthUnits] = millimeters\n[ProblemType] = axisymmetric\n[extZo] = 3\n[extRo] = 4\n[extRi] = 5\n";
  kelvin.points = {"0 0 0 0", "2 0 0 0", "2 2 0 0", "0 2 0 0"};
  kelvin.labels = {"1 1 1 -1 0 1"};
  CHECK_THAT(material(kelvin, "a.fee"), ContainsSubstring("\"2*2.0e-05/(x^2 + (y - 0.003)^2)\""));
}

TEST_CASE("circuits, conductors and points of FEMM become coils, floating bodies and point sources", "[io]") {
  FemmText text = wire_in_air();
  text.points.insert(text.points.end(), {"-1.9 1.5 0 0", "-1.5 1.5 0 0", "1.5 1.5 1 0"});
  text.arcs.insert(text.arcs.end(), {"6 7 180 5 0 0 0", "7 6 180 5 0 0 0"});
  text.labels.push_back("-1.7 1.5 2 -1 1 0 0 -30 0");
  text.point_property("thin", {{"I_re", "4"}});
  CHECK_THAT(imported(text).input,
             ContainsSubstring("wire: {regions: {wire: 1}, turns: 1, current: 2}\n    wire_2: {regions: {wire_2: -1}, "
                               "turns: 30, current: 2}") &&
                 ContainsSubstring("thin: {at: [0.0015, 0.0015], current: 4}") &&
                 ContainsSubstring("is several coils"));
  text.circuits = FemmText::property("Circuit", "wire", {{"TotalAmps_re", "2"}, {"CircuitType", "0"}});
  const FemmImport parallel = imported(text); // one region of both
  CHECK_THAT(parallel.input, ContainsSubstring("wire: {regions: {wire: 1}, turns: 1, current: 2}\n  point"));
  text.labels.back() = "-1.7 1.5 1 -1 1 0 0 1 0";
  CHECK_THAT(refusal(text), ContainsSubstring("connects different materials in parallel"));

  FemmText plate = square_of("fee", {{"BdryType", "0"}}, {{"ex", "1"}, {"ey", "1"}});
  plate.circuit("plate", {{"ConductorType", "0"}, {"qc", "1e-9"}});
  plate.segments[0] = "0 1 -1 0 0 0 1";
  plate.points.push_back("1 1 1 0 0");
  plate.point_property("ion", {{"qp", "2e-9"}});
  CHECK_THAT(imported(plate, "a.fee").input, ContainsSubstring("plate: {floating: {charge: 1.0e-09}}") &&
                                                 ContainsSubstring("ion: {at: [0.001, 0.001], charge: 2.0e-11}"));
}

TEST_CASE("a frequency of FEMM gives eddy currents in solid conductors, and none in windings", "[io]") {
  FemmText text = wire_in_air();
  text.head += "[Frequency] = 50\n";
  text.circuits =
      FemmText::property("Circuit", "wire", {{"TotalAmps_re", "3"}, {"TotalAmps_im", "3"}, {"CircuitType", "1"}});
  text.labels.back() = "0 0 2 0.25 1 0 3 -1 0";
  CHECK_THAT(
      imported(text).input,
      ContainsSubstring("physics: eddy-currents\n  frequency: 50\n") &&
          ContainsSubstring("wire: {relative_permeability: 1, conductivity: 58000000} # Copper") &&
          ContainsSubstring("  conductors:\n    wire: {regions: [wire], current: 4.2426406871193, phase: -135}\n") &&
          ContainsSubstring("quantities: [losses, energy]"));
  text.labels.back() = "0 0 2 0.25 1 0 3 -30 0"; // several turns
  CHECK_THAT(imported(text).input,
             ContainsSubstring("wire: {relative_permeability: 1} # Copper") &&
                 ContainsSubstring(
                     "  coils:\n    wire: {regions: {wire: -1}, turns: 30, current: 4.2426406871193, phase: 45}"));
  const auto with = [&text](const FemmValues& values) {
    FemmText changed = text;
    changed.materials = FemmText::property("Block", "Air", {}) + FemmText::property("Block", "Copper", values);
    return refusal(changed);
  };
  CHECK(with({{"Sigma", "58"}, {"LamType", "3"}, {"WireD", "1"}}).empty()); // the skin depth is 9.3 mm
  CHECK_THAT(with({{"Sigma", "58"}, {"LamType", "3"}, {"WireD", "5"}}), ContainsSubstring("wires thicker than half"));
  CHECK_THAT(with({{"Phi_hx", "20"}}), ContainsSubstring("hysteresis angles that differ by direction"));
  CHECK_THAT(with({{"Sigma", "2"}, {"LamType", "1"}, {"d_lam", "0.5"}}), ContainsSubstring("is laminated on edge"));
  FemmText sheets = text;
  sheets.materials = FemmText::property("Block", "Air", {}) + FemmText::property("Block", "Copper",
                                                                                 {{"Mu_x", "1000"},
                                                                                  {"Mu_y", "1000"},
                                                                                  {"Phi_hx", "20"},
                                                                                  {"Phi_hy", "20"},
                                                                                  {"Sigma", "2"},
                                                                                  {"d_lam", "0.5"},
                                                                                  {"LamFill", "0.9"}});
  CHECK_THAT(imported(sheets).input,
             ContainsSubstring("wire: {relative_permeability: 1000, lag_angle: 20, laminations: "
                               "{thickness: 0.0005, stacking_factor: 0.9, conductivity: 2000000}}"));
  const auto steel = [&text](const std::string& lines) {
    FemmText changed = text;
    changed.materials = FemmText::property("Block", "Air", {}) + "<BeginBlock>\n<BlockName> = \"Copper\"\n" + lines +
                        "<BHPoints> = 3\n0 0\n1 100\n2 1e4\n<EndBlock>\n";
    return changed;
  };
  CHECK_THAT(imported(steel("<Sigma> = 5\n")).input,
             ContainsSubstring("bh_curve: [[0, 0], [100, 1], [10000, 2]], effective_curve: sinusoidal-h"));
  CHECK_THAT(refusal(steel("<Phi_hx> = 20\n<Phi_hy> = 20\n")),
             ContainsSubstring("has a B-H curve with a hysteresis angle or with eddy currents in sheets"));
  CHECK_THAT(refusal(steel("<Sigma> = 2\n<d_lam> = 0.5\n")), ContainsSubstring("eddy currents in sheets"));
  CHECK_THAT(with({{"J_im", "2"}}), ContainsSubstring("give it one of them") && ContainsSubstring("has a phase"));
}

TEST_CASE("open boundaries and periodic ones of FEMM become those of a case", "[io]") {
  FemmText open = wire_in_air();
  for (std::string& segment : open.segments)
    segment.replace(segment.find("-1 1"), 4, "-1 0");
  open.segments.clear();
  open.points.erase(open.points.begin(), open.points.begin() + 4);
  open.points.insert(open.points.end(), {"-4 0 0 0", "4 0 0 0"});
  open.arcs = {"0 1 180 5 0 0 0", "1 0 180 5 0 0 0", "2 3 180 5 1 0 0", "3 2 180 5 1 0 0"};
  const double mu0 = 1.25663706212e-6;
  open.boundaries = FemmText::property("Bdry", "far", {{"BdryType", "2"}, {"c0", std::to_string(2. / (mu0 * 4e-3))}});
  CHECK_THAT(imported(open).input, ContainsSubstring("far: {asymptotic: {center: [0, 0], order: 2}}"));
  open.boundaries = FemmText::property("Bdry", "far", {{"BdryType", "2"}, {"c0", std::to_string(1.4 / (mu0 * 4e-3))}});
  CHECK_THAT(refusal(open), ContainsSubstring("only these far fields are supported"));

  FemmText strip = square_of("fem", {{"BdryType", "0"}}, {{"Mu_x", "1"}, {"Mu_y", "1"}});
  strip.boundary("sides", {{"BdryType", "4"}});
  strip.segments[1].replace(strip.segments[1].find("-1 1"), 4, "-1 2");
  strip.segments[3].replace(strip.segments[3].find("-1 1"), 4, "-1 2");
  const FemmImport result = imported(strip);
  CHECK_THAT(result.input, ContainsSubstring("sides: {periodic: {with: sides_2, translation: [-0.004, 0]}}"));
  CHECK_THAT(result.geometry, ContainsSubstring("Periodic Curve {4} = {2} Translate {-4, 0, 0};"));

  strip.boundaries =
      FemmText::property("Bdry", "A=0", {{"BdryType", "0"}}) + FemmText::property("Bdry", "sides", {{"BdryType", "5"}});
  strip.segments[1] = "1 2 -1 1 0 0";
  strip.segments[0] = "0 1 -1 2 0 0"; // below and left: a quarter turn about the corner, clockwise
  CHECK_THAT(imported(strip).input,
             ContainsSubstring("sides: {antiperiodic: {with: sides_2, rotation: 90, center: [-0.002, -0.002]}}"));
  strip.segments[2] = "2 3 -1 2 0 0";
  CHECK_THAT(refusal(strip), ContainsSubstring("'sides' needs two curves on the outside"));
}

TEST_CASE("what a case cannot compute as FEMM does is refused with all reasons", "[io]") {
  const FemmValues fixed = {{"BdryType", "0"}}, air = {{"Mu_x", "1"}, {"Mu_y", "1"}};
  CHECK_THAT(refusal(square_of("fem", {{"BdryType", "6"}}, {{"Mu_x", "2"}, {"Mu_y", "3"}})),
             ContainsSubstring("is an air gap element"));
  CHECK_THAT(refusal(square_of("fem", {{"BdryType", "3"}}, air)), ContainsSubstring("Strategic Dual Image"));
  CHECK_THAT(refusal(square_of("fem", {{"BdryType", "9"}}, air)), ContainsSubstring("has the unknown type 9"));
  CHECK_THAT(refusal(square_of("fem", fixed, {{"Mu_x", "1"}, {"Mu_y", "2"}, {"H_c", "1e5"}})),
             ContainsSubstring("a magnet with permeabilities that differ by direction"));
  FemmText text = square_of("fem", fixed, air);
  text.point_property("zero", {{"A_re", "0"}});
  text.points.push_back("1 1 1 0");
  CHECK_THAT(refusal(text),
             ContainsSubstring("a.fem:") && ContainsSubstring("the value at a point depends on the mesh"));
  text = square_of("fem", fixed, {{"H_c", "1e5"}});
  text.labels[0] += " \"sin(x)\"";
  CHECK_THAT(refusal(text), ContainsSubstring("the direction 'sin(x)' of the magnetisation"));
  text = square_of("fec", fixed, {{"ox", "1"}, {"oy", "1"}});
  text.head += "[Frequency] = 50\n";
  CHECK_THAT(refusal(text, "a.fec"), ContainsSubstring("[Frequency] is 50 Hz"));
  text = square_of("feh", fixed, {});
  text.materials = "<BeginBlock>\n<BlockName> = \"stuff\"\n<TKPoints> = 2\n300 5\n400 6\n<EndBlock>\n";
  CHECK_THAT(refusal(text, "a.feh"), ContainsSubstring("depends on temperature"));
  text = square_of("feh", fixed, {});
  text.head += "[PrevSoln] = \"a.anh\"\n[dT] = 1\n";
  CHECK_THAT(refusal(text, "a.feh"), ContainsSubstring("transient heat flow"));
}

} // namespace tessera::test
