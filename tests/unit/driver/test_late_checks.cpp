// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/advice/checks.hpp"
#include "driver/evaluation/verification.hpp"
#include "driver/problem/binding/problem_binding.hpp"
#include "io/input/resolved.hpp"
#include "io/input/yaml_reader.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <filesystem>

namespace tessera::test {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

const std::string plates = TESSERA_SOURCE_DIR "/tests/regression/plates.yaml";

std::string message_of(const std::string& file, const TemporaryFolder& folder, const std::vector<std::string>& sets) {
  try {
    run_case(file, folder.file("out"), sets);
  } catch (const Error& error) {
    CHECK(error.exit_code() == 1);
    return error.what();
  }
  return "no error";
}

std::string model_message(const io::Case& input, int dimension) {
  io::ImportedMesh mesh;
  mesh.dimension = dimension;
  mesh.region_names = {"domain"};
  mesh.boundary_names = {"left", "right"};
  try {
    driver::bind_problem(input, mesh);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string list_of(const TemporaryFolder& folder, const std::string& key) {
  const io::YamlNode report = io::read_yaml(folder.file("out/report.yaml"));
  const io::YamlNode* list = report.find(key);
  std::string text;
  for (const io::YamlNode& item : list == nullptr ? std::vector<io::YamlNode>() : list->items)
    text += item.text + "\n";
  return text;
}

/// Two adjacent squares of two triangles each, 'chip' and 'sink', with the 'joint' between them, the 'top' of both, and
/// 'rim', which runs around the first one and along the joint.
io::ImportedMesh two_parts() {
  io::ImportedMesh mesh;
  mesh.dimension = 2;
  mesh.coordinates = {0., 0., 1., 0., 2., 0., 0., 1., 1., 1., 2., 1.};
  mesh.elements = {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4};
  mesh.regions = {0, 0, 1, 1};
  mesh.facets = {1, 4, 4, 3, 5, 4, 0, 3, 4, 1, 2, 5};
  mesh.facet_groups = {0, 1, 1, 2, 2, 3};
  mesh.region_names = {"chip", "sink"};
  mesh.boundary_names = {"joint", "top", "rim", "cold"};
  return mesh;
}

std::string interface_message(const std::string& physics, const std::string& material, const std::string& boundaries,
                              const std::string& further = "") {
  try {
    io::Case input = io::read_case_text("tessera: 1\nmesh: {box: {cells: [2, 2]}}\nproblem:\n  physics: " + physics +
                                            "\n  materials: {chip: " + material + ", sink: " + material +
                                            "}\n  boundaries:\n    " + boundaries + "\n" + further,
                                        "case.yaml");
    input.mesh.source = io::MeshSource::file;
    driver::bind_problem(input, two_parts());
  } catch (const Error& error) {
    CHECK(error.exit_code() == 1);
    return error.what();
  }
  return "no error";
}

} // namespace

TEST_CASE("A group without elements is reported as such", "[driver]") {
  io::Case input = read_case(plates, "out");
  input.mesh.source = io::MeshSource::file;
  io::ImportedMesh mesh;
  mesh.dimension = 2;
  mesh.region_names = {"domain"};
  mesh.boundary_names = {"left"};
  mesh.notes = {"Left out the physical curve \"right\", of which there are no elements."};
  CHECK_THROWS_WITH(driver::bind_problem(input, mesh),
                    ContainsSubstring("the mesh has no physical group 'right'. Its boundaries are: left; its regions "
                                      "are: domain. Left out the physical curve \"right\", of which"));
}

TEST_CASE("All groups that the mesh lacks are reported at once, before it is made", "[driver]") {
  const TemporaryFolder folder;
  const std::string message =
      message_of(plates, folder,
                 {"problem.materials.iron={relative_permittivity: 2}", "problem.sources.air={charge_density: 1}",
                  "problem.boundaries.lefft={potential: 1}", "problem.boundaries.front={periodic: back}",
                  "output.conductors=[left, right]", "mesh.box.cells=[100000000, 10]"});
  CHECK_THAT(message,
             ContainsSubstring("problem.materials.iron: a material is given for 'iron'") &&
                 ContainsSubstring("problem.sources.air: a source is given for 'air'") &&
                 ContainsSubstring("problem.boundaries.lefft: the mesh has no physical group 'lefft'; did you mean "
                                   "'left'? Its boundaries are: ") &&
                 ContainsSubstring("'back' of a periodic pair is no boundary") &&
                 ContainsSubstring("left, right, bottom, top"));
}

TEST_CASE("Entries for another dimension than the mesh file's are reported with their place", "[driver]") {
  const TemporaryFolder folder;
  const std::string file = folder.write("case.yaml", R"(tessera: 1
mesh: {file: mesh.vtkhdf}
problem:
  physics: diffusion
  depth: 2
  materials: {domain: {diffusivity: [1, 2]}}
  boundaries: {left: {value: 0}}
output: {probes: {line: {from: [0, 0], to: [1, 1], points: 3}}}
verification:
  exact: x
  gradient: [1, 0]
  probes: {line: {"d/dz": {exact: 1}}}
)");
  folder.write("mesh.vtkhdf", "");
  const io::Case input = read_case(file, folder.file("out"));
  CHECK_THAT(model_message(input, 3),
             ContainsSubstring("case.yaml:5: problem.depth: a depth needs a mesh of dimension 2, this one has 3.") &&
                 ContainsSubstring("case.yaml:6: problem.materials.domain: a coefficient has one value or one per "
                                   "direction (3), not 2.") &&
                 ContainsSubstring("case.yaml:11: verification.gradient[0]: expected 3 expressions") &&
                 !ContainsSubstring("unknown column"));
  CHECK_THAT(model_message(input, 2), ContainsSubstring("case.yaml:12: ") &&
                                          ContainsSubstring("unknown column 'd/dz'") && !ContainsSubstring("depth"));
}

TEST_CASE("Points of another dimension than the mesh file's are reported with their place", "[driver]") {
  const TemporaryFolder folder;
  folder.write("mesh.vtkhdf", "");
  const std::string file = folder.write("case.yaml", R"(tessera: 1
mesh: {file: mesh.vtkhdf}
problem:
  physics: electrostatics
  materials: {domain: {relative_permittivity: 1}}
  boundaries: {left: {potential: 0}}
output:
  quantities: [force]
  probes:
    flat: {from: [0, 0], to: [1, 1], points: 3}
    solid: {points: [[0, 0, 1]]}
  lines:
    plane: {points: [[0, 0], [1, 0]]}
    space: {points: [[0, 0, 0], [1, 0, 0]]}
  surfaces:
    left: {away_from: [0, 0]}
  bodies:
    domain: {about: [0, 1]}
)");
  const io::Case input = read_case(file, folder.file("out"));
  const std::string flat = ": a point has 2 coordinates, but the mesh has 3 dimensions.";
  CHECK_THAT(model_message(input, 3), ContainsSubstring("case.yaml:10: output.probes.flat" + flat) &&
                                          ContainsSubstring("case.yaml:13: output.lines.plane" + flat) &&
                                          ContainsSubstring("case.yaml:16: output.surfaces.left" + flat) &&
                                          ContainsSubstring("case.yaml:18: output.bodies.domain" + flat) &&
                                          !ContainsSubstring("solid") && !ContainsSubstring("space"));
  const std::string solid = ": a point has 3 coordinates, but the mesh has 2 dimensions.";
  CHECK_THAT(model_message(input, 2), ContainsSubstring("case.yaml:11: output.probes.solid" + solid) &&
                                          ContainsSubstring("case.yaml:14: output.lines.space" + solid) &&
                                          !ContainsSubstring("flat") && !ContainsSubstring("plane"));
  CHECK_THAT(model_message(read_case(file, folder.file("out"), {"output.bodies.domain={about: [0, 1, 2]}"}), 2),
             ContainsSubstring("output.bodies.domain" + solid));
  // resolved.yaml repeats the input's coordinates; the plane is at z = 0.
  CHECK_THAT(io::resolved_text(input), ContainsSubstring("from: [0, 0]") && ContainsSubstring("[[0, 0, 1]]"));
  CHECK(input.output.probes.at(0).positions().at(2)[2] == 0.);
}

TEST_CASE("Values that are found wrong on the mesh are reported with file, line and key", "[driver]") {
  const TemporaryFolder folder;
  CHECK_THAT(message_of(plates, folder, {"problem.materials.domain.relative_permittivity=log(x - 0.5)"}),
             ContainsSubstring("plates.yaml:9: problem.materials.domain: A value that is not positive and finite"));
  CHECK_THAT(message_of(plates, folder, {"problem.sources.domain={charge_density: 1/(x - x)}"}),
             StartsWith("--set: problem.sources.domain: A value that is not finite came out of the source"));
  CHECK_THAT(message_of(plates, folder, {"problem.boundaries.top={surface_charge: sqrt(x - 1)}"}),
             StartsWith("--set: problem.boundaries.top: Boundary 'top': a value of the condition is not finite"));
  CHECK_THAT(message_of(plates, folder, {"problem.boundaries.left={potential: sqrt(y - 0.5)}", "output.quantities="}),
             StartsWith("--set: problem.boundaries.left: The value of boundary 'left' is not finite at (0, 0"));
  CHECK_THAT(message_of(plates, folder, {"solver.initial_guess=log(x - 1)"}),
             StartsWith("--set: solver.initial_guess: The expression is not finite at (0, "));
  CHECK_THAT(message_of(plates, folder, {"problem.symmetry=axisymmetric", "mesh.box.lower=[-1, 0]"}),
             StartsWith("--set: problem.symmetry: An axisymmetric problem needs radii (x) of 0 or more, but node"));
  CHECK_THAT(message_of(plates, folder, {"mesh.box.cells=[1, 1]"}),
             ContainsSubstring("plates.yaml:10: problem.boundaries: Every node of the mesh has a fixed value"));
  CHECK_THAT(message_of(plates, folder, {"problem.boundaries.bottom={periodic: {with: top, translation: [0, 0.9]}}"}),
             StartsWith("--set: problem.boundaries.bottom: The periodic boundaries 'bottom' and 'top' do not match"));
}

TEST_CASE("Quantities that fail leave fields, probes and a report, and end the run with code 2", "[driver]") {
  const TemporaryFolder folder;
  // Both bodies float, without charge, in a zero field: there is no voltage between them.
  const auto summary = run_case(plates, folder.file("out"),
                                {"problem.boundaries={left: {potential: 0}, top: {floating: {charge: 0}}, bottom: "
                                 "{floating: {charge: 0}}}",
                                 "output.conductors=[top, bottom]"});
  CHECK(summary.exit_code == 2);
  CHECK(summary.quantities.count("capacitance") == 0);
  CHECK(summary.quantities.count("energy") == 1);
  for (const char* file :
       {"fields.vtkhdf", "line.csv", "quantities.csv", "convergence.csv", "report.yaml", "resolved.yaml"}) {
    INFO(file);
    CHECK(std::filesystem::exists(folder.file(std::string("out/") + file)));
  }
  CHECK_THAT(list_of(folder, "failures"), ContainsSubstring("'top' and 'bottom' came out at the same potential"));
}

TEST_CASE("Quantities that leave the range of numbers are reported and end the run with code 2", "[driver]") {
  const TemporaryFolder folder;
  const std::vector<std::string> huge{"problem.boundaries.left.potential=1e200",
                                      "problem.boundaries.right.potential=0"};
  const auto large = run_case(plates, folder.file("out"), huge);
  CHECK(large.exit_code == 2);
  CHECK_THAT(list_of(folder, "failures"), StartsWith("The quantity energy is "));
  // The quantities that can be computed are correct: width over length times permittivity.
  const double capacitance = 3 * 8.8541878128e-12 * 1. / 2.;
  CHECK(std::fabs(large.quantities.at("capacitance") / capacitance - 1.) <= 1e-9);
  const auto small = run_case(plates, folder.file("out"),
                              {"problem.boundaries.left.potential=1e-153", "problem.boundaries.right.potential=0"});
  CHECK(small.exit_code == 0);
  CHECK(small.iterations > 0);
  CHECK(std::fabs(small.quantities.at("capacitance") / capacitance - 1.) <= 1e-9);
  CHECK_THAT(list_of(folder, "notes"), ContainsSubstring("energy is so small"));
}

TEST_CASE("An absolute tolerance above the residual of no solution ends the run with code 2", "[driver]") {
  const TemporaryFolder folder;
  CHECK(run_case(plates, folder.file("out"), {"solver.absolute_tolerance=1"}).exit_code == 2);
  const std::string note = "The solver's residual is ";
  CHECK(run_case(plates, folder.file("out"), {"solver.relative_tolerance=1e-4", "mesh.box.cells=[40, 40]"}).exit_code ==
        0);
  CHECK_THAT(list_of(folder, "notes"), StartsWith(note));
  CHECK(run_case(plates, folder.file("out"), {"solver.relative_tolerance=1e-6"}).exit_code == 0);
  CHECK_THAT(list_of(folder, "notes"), !ContainsSubstring(note));
}

TEST_CASE("A level that weak Robin conditions alone fix is noted where the tolerance leaves it open", "[driver]") {
  const TemporaryFolder folder;
  // A billionth of the current flows through the contact, whose total conductance is 1e-9 S: 1 V, as much as the
  // voltage along the bar. The residual of a solution without the contact is at most 1e-9 of the right-hand side.
  const std::string file = folder.write("bar.yaml", R"(tessera: 1
mesh: {box: {cells: [40, 20], lower: [0, 0], upper: [1, 0.5]}}
problem:
  physics: current-flow
  materials: {domain: {conductivity: 1}}
  boundaries:
    left: {terminal: {current: 1}}
    right: {terminal: {current: -0.999999999}}
    top: {contact: {conductance: 1e-9, potential: 0}}
solver: {preconditioner: jacobi}
output: {fields: [], quantities: [current]}
)");
  const auto notes_with = [&](const std::vector<std::string>& sets) {
    CHECK(run_case(file, folder.file("out"), sets).exit_code == 0);
    return list_of(folder, "notes");
  };
  const auto noted = ContainsSubstring("nothing but 'contact' fixes it");
  CHECK_THAT(notes_with({}),
             ContainsSubstring("The potential is uncertain by about 1 V everywhere, compared to differences "
                               "of 2 V: nothing but 'contact' fixes it") &&
                 ContainsSubstring("solver.relative_tolerance: 2e-14 would do."));
  CHECK_THAT(
      notes_with({"problem.boundaries.top.contact.conductance=1e-12", "problem.boundaries.right.terminal.current=-1",
                  "problem.materials.domain.conductivity=1 + x*y"}),
      noted && ContainsSubstring("This is rounding, which no tolerance lowers: fix the potential"));
  CHECK_THAT(notes_with({"solver.relative_tolerance=2e-14"}), !noted);
  CHECK_THAT(notes_with({"problem.boundaries.top.contact.conductance=1e-5"}), !noted);
  CHECK_THAT(notes_with({"problem.boundaries.bottom={potential: 0}"}), !noted);
}

TEST_CASE("Verification says no where a value is missed, and code 2 follows", "[driver]") {
  const TemporaryFolder folder;
  const double energy = 0.5 * 3 * 8.8541878128e-12 * 0.5 * 36.;
  const auto quantity = [&](double value, const std::string& tolerance) {
    return run_case(
        plates, folder.file("out"),
        {"verification.quantities.energy={value: " + std::to_string(value * 1e12) + "e-12" + tolerance + "}"});
  };
  CHECK(quantity(energy, ", tolerance: 1e-6").exit_code == 0);
  CHECK(quantity(1.01 * energy, ", tolerance: 2e-2").exit_code == 0);
  const auto missed = quantity(1.01 * energy, ", tolerance: 1e-3");
  CHECK(missed.exit_code == 2);
  CHECK(std::fabs(missed.errors.at("energy") - 0.01 / 1.01) <= 1e-6);
  CHECK_THAT(list_of(folder, "notes"), ContainsSubstring("energy differs from the expected"));
  CHECK(quantity(1.01 * energy, "").exit_code == 0); // reported only

  const auto probe = [&](const std::string& exact) {
    return run_case(plates, folder.file("out"),
                    {"verification.probes.line.potential={exact: \"" + exact + "\", tolerance: 1e-6}"});
  };
  CHECK(probe("10 - 3*x").exit_code == 0);
  CHECK(probe("10 - 3*x + 1e-3*(x > 1.9)").exit_code == 2); // the last point only
  CHECK(probe("sqrt(1 - x)").exit_code == 2);               // NaN at some points
  CHECK(run_case(plates, folder.file("out"),
                 {"verification.probes.line.potential={exact: 10 - 3*x}", "output.probes.line.to=[3, 0.5]"})
            .exit_code == 2); // points outside of the mesh have no value
}

TEST_CASE("Expected quantities that the run or its mesh has not are errors that name them", "[driver]") {
  const TemporaryFolder folder;
  CHECK_THAT(message_of(plates, folder,
                        {"problem.materials={\"*\": {relative_permittivity: 3}}", "output.quantities=[regions]",
                         "verification.quantities={mean_potential.domian: {value: 7}}"}),
             ContainsSubstring("verification.quantities.mean_potential.domian: unknown region 'domian'; did you mean "
                               "'domain'?"));
  CHECK_THAT(message_of(plates, folder,
                        {"mesh.box={cells: [2, 2, 2]}", "output.lines={up: {points: [[0, 0, 0], [0, 0, 1]]}}",
                         "output.probes=", "verification.quantities={flux.up: {value: 1}}"}),
             ContainsSubstring("verification.quantities.flux.up: lines have a flux in two dimensions only"));
  CHECK_THAT(message_of(plates, folder,
                        {"output.quantities=[force]", "output.bodies={left: {}}",
                         "verification.quantities={force.left.z: {value: 1}}"}),
             ContainsSubstring("unknown quantity 'force.left.z'") && ContainsSubstring("force.left.x"));
  // With both plates at the same potential there is no capacitance, although it is requested.
  const auto summary =
      run_case(plates, folder.file("out"),
               {"problem.boundaries={left: {potential: 0}, top: {floating: {charge: 0}}, bottom: "
                "{floating: {charge: 0}}}",
                "output.conductors=[top, bottom]", "verification.quantities={capacitance: {value: 1}}"});
  CHECK(summary.exit_code == 2);
  CHECK_THAT(list_of(folder, "failures"),
             ContainsSubstring("verification.quantities.capacitance: the run has no quantity 'capacitance' to compare "
                               "with this. It has: energy"));
}

TEST_CASE("What the verification of a run expects is held against it, whether the run writes files or not",
          "[driver]") {
  io::Case input;
  input.output.probes.resize(1);
  input.output.probes[0].name = "line";
  io::ExpectedProbe expected;
  expected.probe = "line";
  expected.column = "Ez";
  expected.exact = io::Scalar::constant(1.);
  input.verification.probes = {expected};
  const auto no_errors = [](const physics::Expression&, const std::vector<physics::Expression>&) {
    return std::vector<driver::NormError>();
  };
  driver::ProbeValues values;
  values.positions = {{0., 0., 0.}};
  values.columns = {{"Ex", "V/m", {1.}}};
  for (const auto& probes : {std::vector<driver::ProbeValues>{values}, std::vector<driver::ProbeValues>{}}) {
    driver::Results results;
    driver::verify(input, probes, no_errors, results);
    REQUIRE(results.failures.size() == 1);
    CHECK_THAT(results.failures[0], ContainsSubstring("the run has no column 'Ez' of the probe 'line'"));
    CHECK(results.findings.numbers({"errors"}).empty());
  }
  values.columns[0].name = "Ez";
  driver::Results results;
  driver::verify(input, {values}, no_errors, results);
  CHECK(results.failures.empty());
  const std::vector<io::QuantityValue> errors = results.findings.numbers({"errors"});
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].name == "line.Ez");
  CHECK(errors[0].value == 0.);
}

TEST_CASE("Exact solutions that are no numbers are missed", "[driver]") {
  const TemporaryFolder folder;
  CHECK(run_case(plates, folder.file("out"), {"verification={exact: 10 - 3*x, gradient: [-3, 0]}"}).exit_code == 0);
  const auto nan = run_case(plates, folder.file("out"), {"verification={exact: sqrt(x - 1)}"});
  CHECK(nan.exit_code == 2);
  CHECK_THAT(list_of(folder, "notes"), ContainsSubstring("The error of l2 is nan"));
  CHECK(run_case(plates, folder.file("out"), {"verification={exact: 10 - 3*x, gradient: [log(x - 1), 0]}"}).exit_code ==
        2);
  CHECK(run_case(plates, folder.file("out"), {"verification={exact: 1e200*x}"}).exit_code == 2);
}

TEST_CASE("A group whose nodes all belong to others is reported", "[driver]") {
  const TemporaryFolder folder;
  // One cell wide: each node of the bottom lies on the left or the right side, whose conditions are listed later.
  const auto summary = run_case(plates, folder.file("out"),
                                {"mesh.box.cells=[1, 5]", "output.quantities=[charge]",
                                 "problem.boundaries={bottom: {potential: 1}, left: {potential: 10}, right: {floating: "
                                 "{charge: 0}}}"});
  CHECK(summary.exit_code == 0); // a zero flow is no failure
  CHECK_THAT(list_of(folder, "notes"),
             ContainsSubstring("--set: problem.boundaries.bottom: The group 'bottom' has no node"));
  CHECK_THAT(
      message_of(plates, folder,
                 {"mesh.box.cells=[1, 5]", "output.quantities=",
                  "problem.boundaries={bottom: {floating: {charge: 0}}, left: {potential: 10}, right: {floating: "
                  "{charge: 0}}}"}),
      StartsWith("--set: problem.boundaries.bottom: The floating body 'bottom' has no node of its own"));
}

TEST_CASE("Flux densities beyond a B-H curve are noted with region and values", "[driver]") {
  const TemporaryFolder folder;
  const std::string file = folder.write("case.yaml", R"(tessera: 1
mesh: {box: {cells: [3, 3]}}
problem:
  physics: magnetostatics
  materials: {domain: {bh_curve: [[0, 0], [100, 1], [1000, 1.5], [10000, 2]]}}
  boundaries: {bottom: {vector_potential: 0}, top: {vector_potential: 2.5}}
)");
  CHECK(run_case(file, folder.file("out")).exit_code == 0);
  CHECK_THAT(list_of(folder, "notes"), StartsWith("Region 'domain': B reaches 2.5 T, but its B-H curve ends at 2 T."));
  CHECK(run_case(file, folder.file("out"), {"problem.boundaries.top.vector_potential=1.9"}).exit_code == 0);
  CHECK(list_of(folder, "notes").empty());
}

TEST_CASE("Quantities that do not mean what they are called are noted", "[driver]") {
  const TemporaryFolder folder;
  const auto notes = [&](const std::vector<std::string>& sets) {
    std::string text;
    driver::Notes found;
    driver::quantity_notes({read_case(plates, folder.file("out"), sets)}, found);
    for (const std::string& note : found)
      text += note + "\n";
    return text;
  };
  CHECK(notes({}).empty());
  CHECK(notes({"problem.sources.domain={charge_density: 0}"}).empty());
  CHECK_THAT(notes({"problem.sources.domain={charge_density: 1e-9}"}),
             StartsWith("capacitance: the charge depends not only on") &&
                 ContainsSubstring("the charge density of 'domain'"));
  CHECK_THAT(notes({"problem.boundaries.top={potential: 0}", "output.conductors=[left, right]"}),
             ContainsSubstring("conductor 'top'"));
  CHECK(notes({"problem.boundaries.top={floating: {charge: 0}}", "output.conductors=[left, right]"}).empty());
  CHECK_THAT(notes({"problem.boundaries.top={surface_charge: 1e-9}"}), ContainsSubstring("surface charge of 'top'"));
  CHECK(notes({"problem.sources.domain={charge_density: 1e-9}", "output.quantities=[energy]"}).empty());
}

TEST_CASE("What stands for the surroundings does not lie between two parts", "[driver]") {
  const std::string heat = "{thermal_conductivity: 200}", current = "{conductivity: 1}";
  const std::string convection = "{convection: {coefficient: 5, ambient: 3}}";
  CHECK(interface_message("heat", heat, "{cold: {temperature: 1}, top: " + convection + "}") == "no error");
  CHECK_THAT(interface_message("heat", heat, "{cold: {temperature: 1},\n      joint: " + convection + "}"),
             ContainsSubstring("case.yaml:8: problem.boundaries.joint: a convection condition represents the "
                               "surroundings of the mesh") &&
                 ContainsSubstring("'joint' lies between 'chip' and 'sink'"));
  CHECK_THAT(interface_message("heat", heat, "{cold: {temperature: 1}, rim: " + convection + "}"),
             ContainsSubstring("'rim' lies in part between 'chip' and 'sink'"));
  CHECK_THAT(interface_message("heat", heat,
                               "{cold: {temperature: 1}, joint: " + convection + ", rim: " + convection +
                                   "}"), // one facet is in both groups
             ContainsSubstring("'joint' lies between") && ContainsSubstring("'rim' lies in part between"));
  CHECK_THAT(interface_message("heat", heat, "{joint: {radiation: {emissivity: 1, ambient: 300}}}"),
             ContainsSubstring("a radiation condition") && ContainsSubstring("lies between 'chip' and 'sink'"));
  CHECK_THAT(interface_message("current-flow", current, "{joint: {contact: {conductance: 5, potential: 3}}}"),
             ContainsSubstring("a contact condition") && ContainsSubstring("lies between 'chip' and 'sink'"));
  for (const char* condition : {"robin: {coefficient: 5, reference: 3}", "asymptotic: {order: 1}"})
    CHECK_THAT(interface_message("electrostatics", "vacuum", "{joint: {" + std::string(condition) + "}}"),
               ContainsSubstring("problem.boundaries.joint: ") && ContainsSubstring("lies between 'chip' and 'sink'"));
  // These conditions make sense on interfaces: a plate, a layer of charge, current or heat.
  CHECK(interface_message("electrostatics", "vacuum", "{joint: {potential: 1}, rim: {surface_charge: 1}}") ==
        "no error");
  CHECK(interface_message("heat", heat, "{cold: {temperature: 1}, joint: {heat_flux: 7}}") == "no error");
  CHECK_THAT(interface_message("heat", heat, "{cold: {temperature: 1}, joint: {heat_flux: 7}}",
                               "discretization: {method: dg}\n"),
             ContainsSubstring("problem.boundaries.joint: with dg, conditions belong on the outside of the mesh, but "
                               "'joint' lies between 'chip' and 'sink'"));
}

} // namespace tessera::test
