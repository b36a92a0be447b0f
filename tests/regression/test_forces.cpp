// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/yaml_reader.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

using Catch::Matchers::ContainsSubstring;

namespace tessera::test {

namespace {

constexpr double pi = 3.14159265358979324;
constexpr double eps0 = 8.8541878128e-12;
constexpr double rounding = 1e-9; // mainly the solver's tolerance

std::string plates() { return TESSERA_SOURCE_DIR "/tests/regression/plates.yaml"; }

void check(const driver::RunSummary& summary, const std::string& name, double exact) {
  INFO(name);
  CHECK(std::fabs(summary.quantities.at(name) - exact) <= rounding * eps0 * 100.);
}

bool has_note(const driver::RunSummary& summary, const std::string& text) {
  const io::YamlNode report = io::read_yaml(summary.directory + "/report.yaml");
  const io::YamlNode* const notes = report.find("notes");
  return notes != nullptr && std::any_of(notes->items.begin(), notes->items.end(), [&](const io::YamlNode& note) {
           return note.text.find(text) != std::string::npos;
         });
}

} // namespace

TEST_CASE("Plates attract each other with half of the field energy density times the area", "[regression][device]") {
  const TemporaryFolder folder;
  const std::vector<std::string> asks = {"output.quantities=[force, torque]", "output.bodies={left: {}}",
                                         "output.fields=[]"};
  const double force = 0.5 * 3. * eps0 * 9.; // per square metre, with 3 V/m
  const auto planar = run_case(plates(), folder.file("planar"), asks);
  REQUIRE(planar.exit_code == 0);
  for (const char* method : {"", "_wide"}) {
    check(planar, std::string("force") + method + ".left.x", force);
    check(planar, std::string("force") + method + ".left.y", 0.);
    check(planar, std::string("torque") + method + ".left.z", -0.5 * force); // torque about the origin
  }
  auto in_space = asks;
  in_space.push_back("mesh.box={cells: [5, 3, 2], lower: [0, 0, 0], upper: [2, 1, 1]}");
  in_space.push_back("output.probes=");
  in_space.push_back("output.bodies.left.about=[0, 0.25, 0]");
  const auto space = run_case(plates(), folder.file("space"), in_space);
  REQUIRE(space.exit_code == 0);
  check(space, "force.left.x", force);
  check(space, "force_wide.left.z", 0.);
  check(space, "torque.left.x", 0.);
  check(space, "torque.left.y", 0.5 * force);
  check(space, "torque_wide.left.z", -0.25 * force);
  const auto around = run_case(plates(), folder.file("around"),
                               {"problem.symmetry=axisymmetric", "output.quantities=[force]", "output.bodies={top: {}}",
                                "output.fields=[]",
                                "output.probes=", "problem.boundaries={bottom: {potential: 10}, top: {potential: 4}}"});
  REQUIRE(around.exit_code == 0);
  check(around, "force.top.axial", -0.5 * 3. * eps0 * 36. * 4. * pi);
  check(around, "force_wide.top.axial", -0.5 * 3. * eps0 * 36. * 4. * pi);
}

TEST_CASE("A body without one medium around it has no force, and the message says why", "[regression]") {
  const TemporaryFolder folder;
  const auto message_of = [&](std::vector<std::string> settings) -> std::string {
    settings.emplace_back("output.quantities=[force]");
    settings.emplace_back("solver.max_iterations=1"); // stops before convergence
    try {
      run_case(plates(), folder.file("out"), settings);
    } catch (const Error& error) {
      CHECK(error.exit_code() == 1);
      return error.what();
    }
    return "no error";
  };
  CHECK_THAT(message_of({"output.bodies={left: {}, right: {}}", "problem.sources={domain: {charge_density: 1e-12}}"}),
             ContainsSubstring("output.bodies.left: no force on the body 'left': region 'domain' touches it and has a "
                               "charge density") &&
                 ContainsSubstring("no force on the body 'right'"));
  CHECK_THAT(message_of({"output.bodies={left: {}}", "problem.materials.domain.relative_permittivity=1 + x"}),
             ContainsSubstring("region 'domain' touches it and has a material that varies"));
  CHECK_THAT(message_of({"output.bodies={domain: {}}"}), ContainsSubstring("no element lies around it"));
  CHECK_THAT(message_of({"output.bodies={left: {}}", "problem.point_sources={q: {at: [0, 0.5], charge: 1e-12}}"}),
             ContainsSubstring("the point source 'q' lies in the layer of elements around it"));
  CHECK_FALSE(std::filesystem::exists(folder.file("out") + "/report.yaml"));
  // With one layer of elements between the plates, the second method cannot be evaluated.
  const auto thin =
      run_case(plates(), folder.file("out"),
               {"output.quantities=[force]", "output.bodies={left: {}}", "mesh.box.cells=[1, 4]",
                "problem.boundaries={left: {potential: 1}, right: {robin: {coefficient: 1e-10, reference: 0}}}"});
  CHECK(thin.exit_code == 0);
  CHECK(thin.quantities.count("force.left.x") == 1);
  CHECK(thin.quantities.count("force_wide.left.x") == 0);
  CHECK(has_note(thin, "a single layer of elements lies between it and boundary 'right', first at (2, "));
  // The same if the other side has no condition.
  const auto open = run_case(plates(), folder.file("out"),
                             {"output.quantities=[force]", "output.bodies={left: {}}", "mesh.box.cells=[1, 4]",
                              "problem.boundaries={left: {potential: 1}, top: {potential: 0}}"});
  CHECK(open.exit_code == 0);
  CHECK(open.quantities.count("force_wide.left.x") == 0);
  CHECK(has_note(open, "a single layer of elements lies between it and the outside of the mesh"));
}

#if TESSERA_HAVE_GMSH

TEST_CASE("Forces and torques of round conductors are exact within 0.01 %, and their order is that of the energy",
          "[regression][device]") {
  const TemporaryFolder folder;
  for (const char* name : {"eccentric-cable", "wire-in-shield"}) {
    const auto quadratic = run_case(input_file(name), folder.file("out"));
    INFO(name);
    CHECK(quadratic.exit_code == 0); // checks the tolerances of the input
    double last = 1.;
    for (const char* refine : {"mesh.refine=0", "mesh.refine=1"}) {
      const auto linear = run_case(input_file(name), folder.file("out"), {"discretization.order=1", refine});
      const std::string body = std::string(name) == "wire-in-shield" ? "wire" : "inner";
      const double error = linear.errors.at("force." + body + ".x");
      INFO(refine << ": " << error);
      CHECK(error < 0.3 * last);
      CHECK(linear.errors.at("force_wide." + body + ".x") < 0.3 * last);
      last = error;
    }
  }
}

// The field inside a cylinder in a uniform field is uniform, and so is its polarisation
// P_i = eps0 2 (e_i - 1)/(e_i + 1) E_i along each principal direction; the torque is P x E integrated over the area.
TEST_CASE("The torque on a round body of a crystal has the order of the energy with curved elements", "[regression]") {
  const TemporaryFolder folder;
  folder.write("crystal.geo", R"(
Point(1) = {0, 0, 0, 0.1};
Point(2) = {1, 0, 0, 0.1}; Point(3) = {0, 1, 0, 0.1}; Point(4) = {-1, 0, 0, 0.1}; Point(5) = {0, -1, 0, 0.1};
Point(6) = {4, 0, 0, 0.4}; Point(7) = {0, 4, 0, 0.4}; Point(8) = {-4, 0, 0, 0.4}; Point(9) = {0, -4, 0, 0.4};
Circle(1) = {2, 1, 3}; Circle(2) = {3, 1, 4}; Circle(3) = {4, 1, 5}; Circle(4) = {5, 1, 2};
Circle(5) = {6, 1, 7}; Circle(6) = {7, 1, 8}; Circle(7) = {8, 1, 9}; Circle(8) = {9, 1, 6};
Curve Loop(1) = {1, 2, 3, 4}; Curve Loop(2) = {5, 6, 7, 8};
Plane Surface(1) = {1}; Plane Surface(2) = {2, 1};
Physical Surface("crystal") = {1}; Physical Surface("air") = {2}; Physical Curve("far") = {5, 6, 7, 8};
)");
  const std::string input = folder.write("crystal.yaml", R"(
tessera: 1
mesh: {geometry: crystal.geo, dimension: 2}
problem:
  physics: electrostatics
  materials:
    crystal: {relative_permittivity: [6, 2], rotation: 25}
    air: {relative_permittivity: 1}
  boundaries: {far: {potential: "-x"}}
discretization: {order: 2}
solver: {relative_tolerance: 1.0e-12}
output: {fields: [], quantities: [torque], bodies: {crystal: {}}}
)");
  const double turn = 25. * pi / 180.;
  const double along[2] = {std::cos(turn), -std::sin(turn)}; // E of 1 V/m in the principal directions
  const double p[2] = {2. * 5. / 7. * along[0], 2. * 1. / 3. * along[1]};
  const double px = p[0] * std::cos(turn) - p[1] * std::sin(turn);
  const double py = p[0] * std::sin(turn) + p[1] * std::cos(turn);
  // On the distant circle, the dipole's potential is added to that of the uniform field.
  std::ostringstream far;
  far.precision(17);
  far << "problem.boundaries.far.potential=-x + 0.5*(" << px << "*x + (" << py << ")*y)/(x^2 + y^2)";
  const auto summary = run_case(input, folder.file("out"), {far.str()});
  REQUIRE(summary.exit_code == 0);
  const double exact = -pi * eps0 * py;
  for (const char* name : {"torque.crystal.z", "torque_wide.crystal.z"}) {
    const double error = std::fabs(summary.quantities.at(name) / exact - 1.);
    INFO(name << ": " << error);
    CHECK(error < 3e-5); // 8e-6, like the energy; 8e-4 if only the chords were rotated, without the curvature of the
                         // edges
  }
}

TEST_CASE("The force across a thin gap is right by default, and where it is not a note says so", "[regression]") {
  const TemporaryFolder folder;
  const auto run = [&](const std::vector<std::string>& settings) {
    return run_case(input_file("disc-over-plate"), folder.file("out"), settings);
  };
  constexpr double exact = 21.143; // by adaptive refinement
  const auto usual = run({"verification="});
  for (const char* name : {"force.plate.axial", "force_wide.plate.axial"})
    CHECK(std::fabs(usual.quantities.at(name) / exact - 1.) < 0.002);
  for (const char* name : {"force.magnet.axial", "force_wide.magnet.axial"})
    CHECK(std::fabs(usual.quantities.at(name) / exact + 1.) < 0.002);
  CHECK_FALSE(has_note(usual, "gap"));
  const auto linear = run({"verification=", "discretization.order=1"});
  CHECK(std::fabs(linear.quantities.at("force.plate.axial") / exact - 1.) < 0.02);
  const auto coarse = run({"verification=", "mesh.gap_elements=0"});
  CHECK(coarse.quantities.at("force.plate.axial") < 0.8 * exact);
  CHECK(coarse.quantities.count("force_wide.plate.axial") == 0);
  CHECK(has_note(coarse, "the gap between 'plate' and 'magnet', 5e-05 m wide at ("));
  CHECK(has_note(coarse, "(mesh.sizes: {plate: 0.05, magnet: 0.05}), or let mesh.adapt refine the mesh"));
  CHECK(has_note(coarse, "a single layer of elements lies between it and region 'magnet'"));
}

TEST_CASE("The torques on a pole of a machine are a quarter of those on all four", "[regression]") {
  const std::string inputs = TESSERA_SOURCE_DIR "/inputs/antiperiodic-pole/";
  const TemporaryFolder folder;
  const auto run = [&](const std::string& name, const std::string& groups) {
    return run_case(
        inputs + name + ".yaml", folder.file(name),
        {"output.quantities=[torque]", "output.bodies={rotor: {groups: [rotor, " + groups + "]}}", "output.fields=[]"});
  };
  const auto pole = run("antiperiodic-pole", "magnet_0");
  const auto machine = run("antiperiodic-pole-full", "magnet_0, magnet_1, magnet_2, magnet_3");
  REQUIRE(pole.exit_code == 0);
  REQUIRE(machine.exit_code == 0);
  for (const char* torque : {"torque.rotor.z", "torque_wide.rotor.z"}) {
    INFO(torque);
    const double exact = machine.quantities.at(torque);
    CHECK(std::fabs(4. * pole.quantities.at(torque) - exact) <= 1e-6 * std::fabs(exact));
  }
  CHECK(has_note(pole, "reach periodic boundaries"));
}

#endif

} // namespace tessera::test
