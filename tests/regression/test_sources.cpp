// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "assembly/strategy.hpp"
#include "io/input/yaml_reader.hpp"
#include "support/is_near.hpp"
#include "support/run_case.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <sstream>

namespace tessera::test {

namespace {

using Catch::Matchers::ContainsSubstring;
using Settings = std::vector<std::string>;

Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

/// Plates at 0 V, 2 m apart; the charge is not at a node. The potential that is 1 V at one plate and 0 V at the other
/// is linear and lies in every finite element space, so by reciprocity the charges on the plates are exact on any mesh.
const Settings grounded = {"problem.boundaries={left: {potential: 0}, right: {potential: 0}}",
                           "problem.point_sources={q: {at: [0.53, 0.41], charge: 1e-9}}",
                           "output.quantities=[charge, energy]", "output.probes="};
const Settings solid = {"mesh.box={cells: [5, 4, 3], upper: [2, 1, 1]}",
                        "problem.point_sources={q: {at: [0.53, 0.41, 0.7], charge: 1e-9}}"};
/// Plates at bottom and top; the source is a ring.
const Settings ring = {"problem.symmetry=axisymmetric", "mesh.box={cells: [4, 7], upper: [1, 2]}",
                       "problem.boundaries={bottom: {potential: 0}, top: {potential: 0}}",
                       "problem.point_sources={q: {at: [0.41, 0.53], charge: 1e-9}}"};

driver::RunSummary run_plates(const Settings& settings, std::string* notes = nullptr) {
  const TemporaryFolder folder;
  const auto summary = run_case(TESSERA_SOURCE_DIR "/tests/regression/plates.yaml", folder.file("out"), settings);
  if (notes != nullptr) {
    const io::YamlNode report = io::read_yaml(folder.file("out/report.yaml"));
    const io::YamlNode* list = report.find("notes");
    for (const io::YamlNode& item : list == nullptr ? std::vector<io::YamlNode>() : list->items)
      *notes += item.text + "\n";
  }
  return summary;
}

std::string message_of(const Settings& settings) {
  try {
    run_plates(settings);
  } catch (const Error& error) {
    CHECK(error.exit_code() == 1);
    return error.what();
  }
  return "no error";
}

} // namespace

TEST_CASE("A point charge induces charges on two plates that divide as its distances do", "[regression][device]") {
  for (const char* order : {"1", "2"})
    for (const Settings& kind : {Settings{}, solid, ring}) {
      const auto values =
          run_plates(with(with(grounded, kind), {"discretization.order=" + std::string(order)})).quantities;
      const bool is_ring = kind == ring;
      CHECK(is_near(values.at(is_ring ? "charge.bottom" : "charge.left"), -1e-9 * (1. - 0.53 / 2.)));
      CHECK(is_near(values.at(is_ring ? "charge.top" : "charge.right"), -1e-9 * 0.53 / 2.));
    }
}

TEST_CASE("Every strategy adds the load of point sources, at nodes and on edges, too", "[regression][device]") {
  const Settings sources = {
      "problem.point_sources={inside: {at: [0.53, 0.41], charge: 1e-9}, node: {at: [2/7, 0.4], "
      "charge: 2e-9}, edge: {at: [1, 0.6], charge: -1e-9}, plate: {at: [1.9, 0.9], charge: 1e-9}}"};
  const double right = -1e-9 * (0.53 + 2. * (2. / 7.) - 1. + 1.9) / 2.;
  for (const auto& traits : assembly::strategy_table) {
    if (traits.strategy == assembly::Strategy::automatic)
      continue;
    INFO(traits.name);
    const Settings settings = with(with(grounded, sources), {"assembly.strategy=" + std::string(traits.name)});
    const auto values = run_plates(settings).quantities;
    CHECK(is_near(values.at("charge.right"), right));
    CHECK(is_near(values.at("charge.left"), -3e-9 - right));
  }
}

TEST_CASE("A source next to an antiperiodic boundary acts through it with the opposite sign", "[regression][device]") {
  const std::string plates = "bottom: {potential: 0}, top: {potential: 0}}";
  const auto half = run_plates(with(grounded, {"mesh.box={cells: [7, 5], upper: [1, 1]}",
                                               "problem.point_sources={q: {at: [0.97, 0.41], charge: 1e-9}}",
                                               "problem.boundaries={left: {antiperiodic: right}, " + plates}))
                        .quantities;
  const auto whole = run_plates(with(grounded, {"mesh.box={cells: [14, 5], upper: [2, 1]}",
                                                "problem.point_sources={q: {at: [0.97, 0.41], charge: 1e-9}, p: {at: "
                                                "[1.97, 0.41], charge: -1e-9}}",
                                                "problem.boundaries={left: {periodic: right}, " + plates}))
                         .quantities;
  CHECK(is_near(2. * half.at("energy"), whole.at("energy")));
  CHECK(std::fabs(whole.at("charge.top")) < 1e-18);
  CHECK(std::fabs(half.at("charge.top")) > 1e-11);
}

TEST_CASE("A floating conductor answers to a point charge by its potential", "[regression][device]") {
  const auto values =
      run_plates(with(grounded, {"problem.boundaries={left: {floating: {charge: 0}}, right: {potential: 0}}"}))
          .quantities;
  CHECK(is_near(values.at("charge.right"), -1e-9));
  CHECK(std::fabs(values.at("charge.left")) <= rounding * 1e-9);
  // The potential equals that of the charge spread over the plane through it: Q d / (eps A).
  CHECK(is_near(values.at("potential.left"), 1e-9 * (2. - 0.53) / (3. * 8.8541878128e-12)));
}

TEST_CASE("Point sources of current and heat leave through the boundaries", "[regression][device]") {
  const auto current = run_plates(with(grounded, {"problem.physics=current-flow", "problem.depth=0.1",
                                                  "problem.materials={domain: {conductivity: 50}}",
                                                  "problem.point_sources={i: {at: [0.5, 0.3], current: 2}}",
                                                  "output.fields=[]", "output.quantities=[current, losses]"}))
                           .quantities;
  CHECK(is_near(current.at("current.left"), -1.5));
  CHECK(is_near(current.at("current.right"), -0.5));
  const Settings heat = {"problem.physics=heat",
                         "problem.materials={domain: {thermal_conductivity: 0.5}}",
                         "problem.point_sources={spot: {at: [0.53, 0.41], power: 40}}",
                         "output.fields=[]",
                         "output.quantities=[heat_flow]",
                         "problem.boundaries={left: {temperature: 300}, right: {temperature: 300}}"};
  CHECK(is_near(run_plates(with(grounded, heat)).quantities.at("heat_flow.right"), -40. * 0.53 / 2.));
  // Newton's method with a line search: heat that is not conducted to the left is radiated.
  const auto radiating = run_plates(
      with(with(grounded, heat),
           {"problem.boundaries={left: {temperature: 300}, right: {radiation: {emissivity: 0.9, ambient: 300}}}"}));
  CHECK(radiating.exit_code == 0);
  CHECK(is_near(radiating.quantities.at("heat_flow.left") + radiating.quantities.at("heat_flow.right"), -40., 1e-6));
  CHECK(radiating.quantities.at("heat_flow.right") < -4.);
}

namespace {

/// Grounded plates in 3D, with a line source oblique to the mesh.
const Settings line = {solid[0], "problem.boundaries={left: {potential: 0}, right: {potential: 0}}",
                       "problem.line_sources={wire: {from: [0.13, 0.9, 0.77], to: [1.71, 0.2, 0.11], "
                       "charge_per_length: 1e-9}}",
                       "output.quantities=[charge]", "output.probes="};
const double line_length = std::sqrt(1.58 * 1.58 + 0.7 * 0.7 + 0.66 * 0.66);

} // namespace

TEST_CASE("A line charge induces charges on two plates that divide as its distances do, with every strategy",
          "[regression][device]") {
  // By reciprocity with the linear potential between the plates, the charges equal those of a point charge in the
  // middle of the line.
  const double charge = 1e-9 * line_length;
  for (const auto& traits : assembly::strategy_table)
    for (const char* order : {"1", "2"}) {
      if (traits.strategy == assembly::Strategy::automatic)
        continue;
      INFO(traits.name << ", order " << order);
      const auto values = run_plates(with(line, {"assembly.strategy=" + std::string(traits.name),
                                                 "discretization.order=" + std::string(order)}))
                              .quantities;
      CHECK(is_near(values.at("charge.left"), -charge * (1. - 0.92 / 2.)));
      CHECK(is_near(values.at("charge.right"), -charge * 0.92 / 2.));
    }
}

TEST_CASE("A line source has the energy on its mesh of many point sources along it", "[regression][device]") {
  // Charge and moments are the same wherever the line is cut into pieces; only the energy shows whether each piece is
  // in the right element. The error of the midpoint rule is quadratic in the distance of the points over the element
  // size.
  constexpr int n = 200;
  std::ostringstream points;
  points.precision(17);
  for (int i = 0; i < n; ++i) {
    const double s = (i + 0.5) / n;
    points << (i > 0 ? ", " : "") << "p" << i << ": {at: [" << 0.13 + 1.58 * s << ", " << 0.9 - 0.7 * s << ", "
           << 0.77 - 0.66 * s << "], charge: " << 1e-9 * line_length / n << "}";
  }
  for (const char* order : {"1", "2"}) {
    const Settings common = with(line, {"discretization.order=" + std::string(order), "output.quantities=[energy]"});
    const double energy = run_plates(common).quantities.at("energy");
    const auto values =
        run_plates(with(common, {"problem.line_sources={}", "problem.point_sources={" + points.str() + "}"}))
            .quantities;
    INFO("order " << order << ": " << energy / values.at("energy") - 1.);
    CHECK(is_near(energy, values.at("energy"), 1e-4));
  }
}

TEST_CASE("Line sources along edges and faces of elements, and up to boundaries, count once", "[regression][device]") {
  const auto charges = [](const std::string& from, const std::string& to, const std::string& order) {
    return run_plates(
               with(line, {"problem.line_sources={wire: {from: " + from + ", to: " + to + ", charge_per_length: 1e-9}}",
                           "discretization.order=" + order}))
        .quantities;
  };
  for (const char* order : {"1", "2"}) {
    // Sources along mesh edges, from plate to plate; within a face; on the surface of the mesh; across it, from edge to
    // edge of the box.
    const auto edges = charges("[0, 0.5, 1/3]", "[2, 0.5, 1/3]", order);
    CHECK(is_near(edges.at("charge.left"), -1e-9));
    CHECK(is_near(edges.at("charge.right"), -1e-9));
    const auto face = charges("[0.4, 0.1, 0.2]", "[0.4, 0.9, 0.8]", order);
    CHECK(is_near(face.at("charge.right"), -1e-9 * 0.2));
    CHECK(is_near(face.at("charge.left"), -1e-9 * 0.8));
    const auto outside = charges("[1.7, 0, 0]", "[0.1, 0, 0]", order);
    CHECK(is_near(outside.at("charge.right"), -1.6e-9 * 0.45));
    const auto diagonal = charges("[0, 0, 0]", "[2, 1, 1]", order);
    CHECK(is_near(diagonal.at("charge.left"), -1e-9 * std::sqrt(6.) / 2.));
  }
}

TEST_CASE("Around a line charge of finite length the potential is that of its closed formula", "[regression][device]") {
  // A rod of length 1 m along z around the origin with eps0 times 1 C/m: asinh((z + 1/2) / r) - asinh((z - 1/2) / r)
  // over 4 pi, which is also the boundary value.
  const std::string exact =
      "(log((z + 0.5 + hypot(hypot(x - 0.03, y - 0.02), z + 0.5))/(z - 0.5 + hypot(hypot(x - 0.03, "
      "y - 0.02), z - 0.5))))/(4*pi)";
  const std::string all = "{potential: \"" + exact + "\"}";
  const auto summary =
      run_plates({"mesh.box={cells: [14, 14, 14], lower: [-1, -1, -1]}", "discretization.order=2",
                  "problem.materials={domain: {relative_permittivity: 1}}",
                  "problem.boundaries={left: " + all + ", right: " + all + ", bottom: " + all + ", top: " + all +
                      ", back: " + all + ", front: " + all + "}",
                  "problem.line_sources={rod: {from: [0.03, 0.02, -0.5], to: [0.03, 0.02, 0.5], charge_per_length: "
                  "8.8541878128e-12}}",
                  "output.quantities=[charge]", "output.fields=[]",
                  "output.probes={line: {from: [-0.8, 0.5, 0.1], to: [0.8, 0.5, 0.1], points: 21}}",
                  "verification.probes={line: {potential: {exact: \"" + exact + "\"}}}"});
  INFO(summary.errors.at("line.potential"));
  CHECK(summary.errors.at("line.potential") < 3e-3); // like a point charge at a distance of some elements
}

TEST_CASE("Line sources of current and heat leave through the boundaries", "[regression][device]") {
  const std::string ends = "from: [0.13, 0.9, 0.77], to: [1.71, 0.2, 0.11]";
  const auto current =
      run_plates(with(line, {"problem.physics=current-flow", "problem.materials={domain: {conductivity: 50}}",
                             "problem.line_sources={i: {" + ends + ", current_per_length: 2}}", "output.fields=[]",
                             "output.quantities=[current]"}))
          .quantities;
  CHECK(is_near(current.at("current.right"), -2. * line_length * 0.46));
  // Newton's method with a line search: heat that is not conducted to the left is radiated.
  const auto heat = run_plates(
      with(line, {"problem.physics=heat", "problem.materials={domain: {thermal_conductivity: 0.5}}",
                  "problem.line_sources={wire: {" + ends + ", power_per_length: 40}}", "output.fields=[]",
                  "output.quantities=[heat_flow]",
                  "problem.boundaries={left: {temperature: 300}, right: {radiation: {emissivity: 0.9, ambient: "
                  "300}}}"}));
  CHECK(heat.exit_code == 0);
  CHECK(
      is_near(heat.quantities.at("heat_flow.left") + heat.quantities.at("heat_flow.right"), -40. * line_length, 1e-6));
  CHECK(heat.quantities.at("heat_flow.right") < -4.);
}

TEST_CASE("Line sources that leave the mesh are errors, those without effect are reported", "[regression]") {
  CHECK_THAT(message_of(with(line, {"problem.line_sources={wire: {from: [1, 0.5, 0.5], to: [3, 0.5, 0.5], "
                                    "charge_per_length: 1}}"})),
             ContainsSubstring("1 m of the 2 m of the line source 'wire' lie outside of the mesh, first near (2, 0.5, "
                               "0.5) m"));
  CHECK_THAT(message_of(with(line, {"problem.line_sources={wire: {from: [5, 0.5, 0.5], to: [6, 0.5, 0.5], "
                                    "charge_per_length: 1}}"})),
             ContainsSubstring("1 m of the 1 m"));
  std::string notes;
  const auto values = run_plates(with(line, {"problem.line_sources={wire: {from: [0, 0.2, 0.3], to: [0, 0.9, 0.3], "
                                             "charge_per_length: 1e-9}}",
                                             "output.quantities=[charge, energy]"}),
                                 &notes)
                          .quantities;
  CHECK_THAT(notes, ContainsSubstring("line source 'wire' lies where the potential is fixed") &&
                        ContainsSubstring("energy: around a line source the field has no bound"));
  CHECK(is_near(values.at("charge.left"), -0.7e-9));
}

TEST_CASE("Away from a point source the potential is that of the source", "[regression][device]") {
  // With the potential of free space on the boundary; at a line away from the source the error is within 0.1 %.
  const auto error = [](const Settings& settings, const std::string& exact, const std::string& value) {
    const std::string all = "{potential: \"" + exact + "\"}";
    const bool is_solid = settings.front().find("cells: [18, 18, 18]") != std::string::npos;
    const bool is_ring = settings.front().find("axisymmetric") != std::string::npos;
    return run_plates(
               with(settings, {"discretization.order=2", "problem.materials={domain: {relative_permittivity: 1}}",
                               "problem.boundaries={" + std::string(is_ring ? "" : "left: " + all + ", ") +
                                   "right: " + all + ", bottom: " + all + ", top: " + all +
                                   (is_solid ? ", back: " + all + ", front: " + all : "") + "}",
                               "output.quantities=[charge]", "output.fields=[]",
                               "verification.probes={line: {potential: {exact: \"" + exact + "\"}}}",
                               "problem.point_sources={q: {" + value + ", charge: 8.8541878128e-12}}"}))
        .errors.at("line.potential");
  };
  CHECK(error({"mesh.box={cells: [20, 20], lower: [-1, -1]}",
               "output.probes={line: {from: [-0.8, 0.5], to: [0.8, 0.5], points: 21}}"},
              "-log(hypot(x - 0.03, y - 0.02))/(2*pi)", "at: [0.03, 0.02]") < 1e-3);
  CHECK(error({"mesh.box={cells: [18, 18, 18], lower: [-1, -1, -1]}",
               "output.probes={line: {from: [-0.8, 0.5, 0.1], to: [0.8, 0.5, 0.1], points: 21}}"},
              "1/(4*pi*hypot(hypot(x - 0.03, y - 0.02), z))", "at: [0.03, 0.02, 0]") < 3e-3);
  CHECK(error({"problem.symmetry=axisymmetric", "mesh.box={cells: [20, 40], lower: [0, -1]}",
               "output.probes={line: {from: [0.5, -0.8], to: [0.5, 0.8], points: 21}}"},
              "1/(4*pi*hypot(x, y - 0.02))", "at: [0, 0.02]") < 1e-3);
}

TEST_CASE("A line current has the field of a wire, and a ring that of a loop", "[regression][device]") {
  const Settings magnetic = {"problem.physics=magnetostatics", "problem.materials={domain: {relative_permeability: 1}}",
                             "output.fields=[]", "output.quantities=[energy]"};
  const std::string wire = "2e-7*1000*(3 - log(hypot(x - 0.03, y - 0.02)))"; // not zero along the line
  const std::string all = "{vector_potential: \"" + wire + "\"}";
  for (const char* order : {"1", "2"}) {
    const auto planar = run_plates(with(
        magnetic, {"problem.depth=0.1", "discretization.order=" + std::string(order),
                   "mesh.box={cells: [40, 40], lower: [-1, -1]}",
                   "problem.boundaries={left: " + all + ", right: " + all + ", bottom: " + all + ", top: " + all + "}",
                   "problem.point_sources={wire: {at: [0.03, 0.02], current: 1000}}",
                   "output.probes={line: {from: [-0.8, 0.5], to: [0.8, 0.5], points: 21}}",
                   "verification.probes={line: {vector_potential: {exact: \"" + wire + "\"}}}"}));
    CHECK(planar.errors.at("line.vector_potential") < 2e-3);
    // B_z on the axis of a loop of radius 1 m; the mesh ends where the next multipole is below 0.1 % of the dipole.
    const std::string dipole = "{vector_potential: \"1e-7*pi*1000*x/hypot(x, y)^3\"}";
    const auto loop = run_plates(
        with(magnetic, {"problem.symmetry=axisymmetric", "discretization.order=" + std::string(order),
                        "mesh.box={cells: [80, 160], lower: [0, -8], upper: [8, 8]}",
                        "problem.boundaries={right: " + dipole + ", bottom: " + dipole + ", top: " + dipole + "}",
                        "problem.point_sources={loop: {at: [1, 0], current: 1000}}",
                        "output.probes={axis: {from: [0, 0.5], to: [0, 2], points: 7}}",
                        "verification.probes={axis: {Bz: {exact: \"2e-7*pi*1000/hypot(1, y)^3\"}}}"}));
    INFO("order " << order << ": " << loop.errors.at("axis.Bz"));
    // For order 1, the error is that of fields in elements of 0.1 m, half a metre from the loop's plane.
    CHECK(loop.errors.at("axis.Bz") < (order == std::string("1") ? 1e-1 : 3e-3));
  }
}

TEST_CASE("A total given for a region is spread evenly over it, with depth and around the axis",
          "[regression][device]") {
  const Settings none = with(grounded, {"problem.point_sources={}", "problem.sources={domain: {charge: 1e-9}}"});
  for (const char* order : {"1", "2"}) {
    const Settings settings = with(none, {"discretization.order=" + std::string(order)});
    // By reciprocity with the linear potential, each plate receives half of the charge.
    for (const Settings& kind : {Settings{}, Settings{"problem.depth=0.1"}}) {
      const auto values = run_plates(with(settings, kind)).quantities;
      CHECK(is_near(values.at("charge.left"), -0.5e-9));
      CHECK(is_near(values.at("charge.right"), -0.5e-9));
    }
    const auto around = run_plates(with(settings, {ring[0], ring[1], ring[2]})).quantities;
    CHECK(is_near(around.at("charge.bottom"), -0.5e-9));
    CHECK(is_near(around.at("charge.top"), -0.5e-9));
    const auto in_space = run_plates(with(settings, {solid[0]}));
    CHECK(is_near(in_space.quantities.at("charge.left"), -0.5e-9));
    const auto density =
        // volume 2 m^3
        run_plates(with(settings, {"problem.sources={domain: {charge_density: 0.5e-9}}"})).quantities;
    CHECK(is_near(run_plates(settings).quantities.at("energy"), density.at("energy")));
  }
  // The quadrature for sources in varying materials gives the same value.
  CHECK(is_near(run_plates(with(none, {"problem.materials={domain: {relative_permittivity: \"3 + x - x\"}}"}))
                    .quantities.at("charge.left"),
                -0.5e-9));
}

TEST_CASE("Point sources that cannot be are errors, and those without effect notes", "[regression]") {
  CHECK_THAT(message_of(with(grounded, {"problem.point_sources={q: {at: [2.3, 0.4], charge: 1}}"})),
             ContainsSubstring("point source 'q' at (2.3, 0.4) m lies outside of the mesh") &&
                 ContainsSubstring("nearest node is 0.3 m away"));
  CHECK_THAT(message_of(with(grounded, {"problem.point_sources={q: {at: [0.3, 0.4, 0], charge: 1}}"})),
             ContainsSubstring("problem.point_sources.q"));
  std::string notes;
  const auto values =
      run_plates(with(grounded, {"problem.point_sources={q: {at: [0, 0.4], charge: 1e-9}}"}), &notes).quantities;
  CHECK_THAT(notes, ContainsSubstring("'q' lies where the potential is fixed") &&
                        ContainsSubstring("energy: around a point source the field has no bound"));
  CHECK(is_near(values.at("charge.left"), -1e-9));
  notes.clear();
  run_plates(grounded, &notes);
  CHECK(notes.find("is fixed") == std::string::npos);
  CHECK(notes.find("mesh.adapt") == std::string::npos);
  run_plates(with(grounded, {"mesh.adapt={max_elements: 200, max_rounds: 2}"}), &notes);
  CHECK_THAT(notes, ContainsSubstring("mesh.adapt: the error in the energy has no bound at point sources"));
}

} // namespace tessera::test
