// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/input/case_reader.hpp"
#include "io/input/resolved.hpp"
#include "io/materials/material_patterns.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <array>
#include <cmath>
#include <string>

using Catch::Matchers::ContainsSubstring;
using namespace tessera::io;

namespace {

const char* const busbars = R"yaml(tessera: 1
mesh: {box: {cells: [4, 4]}}
problem:
  physics: eddy-currents
  frequency: [50, 1000]
  phasors: rms
  materials:
    air: {relative_permeability: 1}
    bar: {relative_permeability: 1, conductivity: 5.8e7}
    back: {relative_permeability: 2, conductivity: 3e7}
    plate: {relative_permeability: 100, conductivity: 2e6}
    winding: {relative_permeability: 1, conductivity: 5.8e7}
  coils: {winding: {regions: {winding: 1}, turns: 10, current: 2, phase: 120}}
  conductors:
    bar: {current: 100}
    return: {regions: [back], voltage: -2, phase: 30}
  boundaries: {outer: {vector_potential: 0}}
output: {fields: [vector_potential, flux_density, current_density, material], quantities: [losses, energy]}
)yaml";

const char* const insulation = R"yaml(tessera: 1
mesh: {box: {cells: [4, 4, 4]}}
problem:
  physics: electro-quasistatics
  frequency: {from: 0.01, to: 100, points: 9}
  materials:
    oil: {relative_permittivity: 2.2, conductivity: 1e-12}
    board: {relative_permittivity: [4.4, 4.4, 3], loss_tangent: 0.01}
  boundaries:
    top: {potential: 10, phase: 120}
    screen: {floating: {current: 0.5, phase: 90}}
    bottom: {potential: 0}
output: {fields: [potential, electric_field, current_density, material], quantities: [losses, energy]}
)yaml";

/// The error message of an input with `piece` replaced, or "no error".
std::string message_with(const std::string& piece, const std::string& replacement, std::string text = busbars) {
  const std::size_t position = text.find(piece);
  REQUIRE(position != std::string::npos);
  try {
    read_case_text(text.replace(position, piece.size(), replacement), "case.yaml");
  } catch (const tessera::Error& error) {
    return error.what();
  }
  return "no error";
}

} // namespace

TEST_CASE("The keys of eddy currents are read, and written as resolved", "[io]") {
  const Case input = read_case_text(busbars, "case.yaml");
  const ProblemOptions& problem = input.problem;
  CHECK(problem.frequencies == std::vector<double>{50., 1000.});
  CHECK(problem.phasors == Phasors::rms);
  REQUIRE(problem.conductors.size() == 2);
  CHECK(problem.conductors[0].regions.front().name == "bar");
  CHECK_FALSE(problem.conductors[0].has_voltage);
  CHECK(problem.conductors[0].value == 100.);
  CHECK(problem.conductors[1].regions.front().name == "back");
  CHECK(problem.conductors[1].has_voltage);
  CHECK(problem.conductors[1].value == -2.);
  CHECK(problem.conductors[1].phase == 30.);
  CHECK(problem.coils.front().phase == 120.);
  CHECK(problem.materials[1].conductivity == 5.8e7);
  CHECK(problem.materials[4].conductivity == 5.8e7);
  ProblemOptions on_mesh = problem;
  spread_materials(on_mesh, {"air", "bar", "back", "plate", "winding"});
  CHECK(on_mesh.materials[4].conductivity == 0.); // of a stranded coil
  CHECK(on_mesh.materials[1].conductivity == 5.8e7);
  CHECK(input.assembly.strategy == Strategy::row_gather);
  CHECK(read_case_text(std::string(busbars), "case.yaml", {{"problem.frequency", "60", "--set"}}).problem.frequencies ==
        std::vector<double>{60.});
  const auto frequencies_of = [&](const std::string& text) {
    return read_case_text(std::string(busbars), "case.yaml", {{"problem.frequency", text, "--set"}})
        .problem.frequencies;
  };
  const std::string range = "{from: 10, to: 1000, points: 3";
  CHECK(frequencies_of(range + "}") == std::vector<double>{10., 100., 1000.});
  CHECK(frequencies_of(range + ", fields: 1000}") == std::vector<double>{1000., 10., 100.});
  CHECK(frequencies_of(range + ", fields: 50}") == std::vector<double>{50., 10., 100., 1000.});
}

TEST_CASE("Wrong data of eddy currents are refused", "[io]") {
  CHECK(message_with("tessera: 1", "tessera: 1") == "no error");
  CHECK_THAT(message_with("[50, 1000]", "0"), ContainsSubstring("must be above 0 Hz"));
  CHECK_THAT(message_with("[50, 1000]", "-50"), ContainsSubstring("must be a finite number above 0 Hz, found -50."));
  CHECK_THAT(message_with("[50, 1000]", "[50, 50]"), ContainsSubstring("50 Hz is listed twice."));
  CHECK_THAT(message_with("[50, 1000]", "{from: 50, to: 1000, points: 3, fields: 20}"),
             ContainsSubstring("fields: must be between from and to, 50 and 1000 Hz."));
  CHECK_THAT(message_with("[50, 1000]", "{from: 50, to: 1000, points: 3, field: 60}"),
             ContainsSubstring("did you mean 'fields'"));
  CHECK_THAT(message_with("  frequency: [50, 1000]\n", ""), ContainsSubstring("frequency"));
  CHECK_THAT(message_with("phasors: rms", "phasors: peak"), ContainsSubstring("amplitude"));
  CHECK_THAT(message_with("bar: {relative_permeability: 1, conductivity: 5.8e7}", "bar: {relative_permeability: 1}"),
             ContainsSubstring("region 'bar' of a solid conductor has no conductivity."));
  CHECK_THAT(message_with("conductivity: 3e7", "conductivity: -1"), ContainsSubstring("conductivity"));
  CHECK_THAT(message_with("{current: 100}", "{current: 100, voltage: 1}"), ContainsSubstring("found both."));
  CHECK_THAT(message_with("{current: 100}", "{}"), ContainsSubstring("a conductor needs either its total current"));
  CHECK_THAT(message_with("{current: 100}", "{phase: 0}"), ContainsSubstring("needs a current or a voltage."));
  CHECK_THAT(message_with("turns: 10, current: 2, phase: 120", "turns: 10"),
             ContainsSubstring("a coil needs its current (A), or a place in problem.circuit."));
  CHECK_THAT(message_with("regions: [back]", "regions: [bar]"),
             ContainsSubstring("region 'bar' belongs to conductor 'bar' already."));
  CHECK_THAT(message_with("regions: [back]", "regions: [winding]"),
             ContainsSubstring("region 'winding' belongs to coil 'winding' already."));
  CHECK_THAT(message_with("regions: [back]", "regions: [bakc]"), ContainsSubstring("did you mean 'back'"));
  CHECK(message_with("relative_permeability: 100,", "bh_curve: [[0, 0], [100, 1]],") == "no error");
  CHECK_THAT(message_with("relative_permeability: 100,", "bh_curve: [[0, 0], [100, 1]], effective_curve: b,"),
             ContainsSubstring("effective_curve: must be sinusoidal-h, sinusoidal-b or as-given"));
  CHECK_THAT(message_with("relative_permeability: 100,", "relative_permeability: 1, remanence: 1, direction: [0, 1],"),
             ContainsSubstring("a magnet's field is constant in time"));
  CHECK_THAT(message_with("output:", "discretization: {method: dg}\noutput:"),
             ContainsSubstring("dg does not solve eddy-currents"));
  CHECK_THAT(message_with("output:", "assembly: {strategy: ebe-stored}\noutput:"),
             ContainsSubstring("strategies without an assembled matrix"));
  CHECK_THAT(message_with("output: {", "output: {recovered: true, "),
             ContainsSubstring("eddy-currents does not support output.recovered in this version."));
  CHECK_THAT(message_with("output: {", "output: {matrix: A.mtx, "),
             ContainsSubstring("output.matrix: the matrix of solid conductor 'bar' (case.yaml:15: ") &&
                 ContainsSubstring("the matrix of solid conductor 'return'") &&
                 ContainsSubstring("has a dense block and is not written."));
  std::string saturated = busbars;
  const std::string permeability = "relative_permeability: 100,";
  saturated.replace(saturated.find(permeability), permeability.size(), "bh_curve: [[0, 0], [100, 1]],");
  CHECK_THAT(message_with("output: {", "output: {matrix: A.mtx, ", saturated),
             ContainsSubstring("output.matrix: with saturation at frequencies (case.yaml:11: ") &&
                 ContainsSubstring("Give 'plate' a relative_permeability."));
  CHECK_THAT(message_with("[losses, energy]", "[force]"), ContainsSubstring("force"));
  CHECK_THAT(message_with("physics: eddy-currents", "physics: magnetostatics"),
             ContainsSubstring("applies to eddy-currents and electro-quasistatics only."));
}

TEST_CASE("Laminations and lag are read, written as resolved, and checked", "[io]") {
  const std::string plate = "plate: {relative_permeability: 100, conductivity: 2e6}";
  const auto with = [&](const std::string& material) { return message_with(plate, "plate: " + material); };
  std::string text = busbars;
  text.replace(text.find(plate), plate.size(),
               "plate: {relative_permeability: 100, lag_angle: 20, laminations: {thickness: 0.5e-3, conductivity: 2e6, "
               "stacking_factor: 0.95, parallel_to: x}}");
  const Case input = read_case_text(text, "case.yaml");
  const Material& material = input.problem.materials[3];
  CHECK(material.lag_angle == 20.);
  REQUIRE(material.laminations.has_value());
  CHECK(material.laminations->thickness == 0.5e-3);
  CHECK(material.laminations->stacking_factor == 0.95);
  CHECK(material.laminations->conductivity == 2e6);
  CHECK(material.laminations->parallel == Laminations::Parallel::first);
  CHECK(resolved_text(read_case_text(resolved_text(input), "resolved.yaml")) == resolved_text(input));
  CHECK_THAT(with("{relative_permeability: 1, lag_angle: -5}"), ContainsSubstring("lag_angle"));
  CHECK_THAT(with("{relative_permeability: 1, lag_angle: 90}"), ContainsSubstring("must be below 90 degrees"));
  CHECK_THAT(with("{relative_permeability: 1, laminations: {thickness: 1e-3}}"), ContainsSubstring("conductivity"));
  CHECK_THAT(with("{relative_permeability: 1, laminations: {thickness: 0, conductivity: 1}}"),
             ContainsSubstring("thickness"));
  CHECK_THAT(with("{relative_permeability: 1, laminations: {thickness: 1, conductivity: 1, stacking_factor: 1.1}}"),
             ContainsSubstring("stacking_factor"));
  CHECK_THAT(with("{relative_permeability: 1, laminations: {thickness: 1, conductivity: 1, parallel_to: z}}"),
             ContainsSubstring("must be plane, x or y, found z."));
  CHECK_THAT(with("{relative_permeability: 1, conductivity: 1, laminations: {thickness: 1, conductivity: 1}}"),
             ContainsSubstring("of sheets is given in 'laminations'"));
  CHECK_THAT(with("{relative_permeability: 1, lag_angel: 5}"), ContainsSubstring("did you mean 'lag_angle'"));
}

TEST_CASE("Impedance boundaries are read, written as resolved, and checked", "[io]") {
  const std::string bar = "bar: {current: 100}";
  const std::string outer = "{outer: {vector_potential: 0}}";
  const auto text_with = [&](const std::string& conductor, const std::string& boundary) {
    std::string text = busbars;
    text.replace(text.find(bar), bar.size(), conductor);
    return text.replace(text.find(outer), outer.size(), "{outer: {vector_potential: 0}, skin: " + boundary + "}");
  };
  const std::string skin = "{impedance: {conductivity: 5.8e7, relative_permeability: 2}}";
  const Case input = read_case_text(text_with("bar: {boundaries: [skin], current: 1}", skin), "case.yaml");
  REQUIRE(input.problem.boundaries[1].impedance.has_value());
  CHECK(input.problem.boundaries[1].impedance->conductivity == 5.8e7);
  CHECK(input.problem.boundaries[1].impedance->relative_permeability == 2.);
  CHECK(input.problem.conductors[0].boundaries.front().name == "skin");
  CHECK(resolved_text(read_case_text(resolved_text(input), "resolved.yaml")) == resolved_text(input));
  const auto message = [&](const std::string& conductor, const std::string& boundary) {
    try {
      read_case_text(text_with(conductor, boundary), "case.yaml");
    } catch (const tessera::Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  CHECK_THAT(message(bar, "{impedance: {}}"), ContainsSubstring("conductivity"));
  CHECK_THAT(message(bar, "{impedance: {conductivity: -1}}"), ContainsSubstring("conductivity"));
  CHECK_THAT(message(bar, "{impedance: {conductivity: 1}, vector_potential: 0}"), ContainsSubstring("exactly one of"));
  CHECK_THAT(message("bar: {boundaries: [sikn], current: 1}", skin), ContainsSubstring("did you mean 'skin'"));
  CHECK_THAT(message("bar: {boundaries: [outer], current: 1}", skin), ContainsSubstring("boundary with an impedance"));
  CHECK_THAT(message("bar: {boundaries: [skin], regions: [bar], current: 1}", skin),
             ContainsSubstring("give one of them"));
  CHECK_THAT(message("{a: {boundaries: [skin], current: 1}, b: {boundaries: [skin], current: 1}}", skin),
             ContainsSubstring("case.yaml"));
}

TEST_CASE("A circuit is read, written as resolved, and checked", "[io]") {
  const std::string coil = "turns: 10, current: 2, phase: 120";
  const std::string boundaries = "  boundaries: {";
  const auto text_with = [&](const std::string& circuit) {
    std::string text = busbars;
    text.replace(text.find(coil), coil.size(), "turns: 10");
    return text.replace(text.find(boundaries), boundaries.size(), "  circuit: " + circuit + "\n" + boundaries);
  };
  const std::string good = "{source: {nodes: [in, out], voltage: 3, phase: 30}, r: {nodes: [in, a], resistance: 2}, "
                           "winding: {nodes: [a, out]}}";
  const Case input = read_case_text(text_with(good), "case.yaml");
  const auto& circuit = input.problem.circuit;
  REQUIRE(circuit.size() == 3);
  CHECK(circuit[0].kind == CircuitElement::Kind::voltage_source);
  CHECK(circuit[0].nodes == std::array<std::string, 2>{"in", "out"});
  CHECK(circuit[0].phase == 30.);
  CHECK(circuit[1].kind == CircuitElement::Kind::resistance);
  CHECK(circuit[1].value == 2.);
  CHECK(circuit[2].kind == CircuitElement::Kind::terminal);
  CHECK(input.problem.coils[0].in_circuit);
  CHECK(resolved_text(read_case_text(resolved_text(input), "resolved.yaml")) == resolved_text(input));
  CHECK_THAT(message_with("output: {", "output: {matrix: A.mtx, ", text_with(good)),
             ContainsSubstring("output.matrix: with a circuit (case.yaml:") &&
                 ContainsSubstring("currents are not known before the solution. Give them, or voltages."));
  const auto message = [&](const std::string& circuit) {
    try {
      read_case_text(text_with(circuit), "case.yaml");
    } catch (const tessera::Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const std::string winding = "winding: {nodes: [a, b]}";
  CHECK_THAT(message("{" + winding + ", v: {nodes: [a, b], voltage: 1}, w: {nodes: [b, a], voltage: 1}}"),
             ContainsSubstring("'w' closes a loop of voltage sources"));
  CHECK_THAT(message("{" + winding + ", i: {nodes: [a, c], current: 1}, k: {nodes: [c, b], current: 1}}"),
             ContainsSubstring("the current of 'i' has no way back from node 'c' to 'a'"));
  CHECK_THAT(message("{" + winding + ", r: {nodes: [a, b], resistance: 0}}"), ContainsSubstring("resistance"));
  CHECK_THAT(message("{" + winding + ", c: {nodes: [a, b], capacitance: -1}}"), ContainsSubstring("capacitance"));
  CHECK_THAT(message("{" + winding + ", r: {nodes: [a], resistance: 1}}"),
             ContainsSubstring("has two nodes, found 1."));
  CHECK_THAT(message("{" + winding + ", r: {nodes: [a, a], resistance: 1}}"),
             ContainsSubstring("a short circuit is a source of 0 V."));
  CHECK_THAT(message("{" + winding + ", r: {nodes: [a, b], resistance: 1, inductance: 1}}"),
             ContainsSubstring("an element has one value"));
  CHECK_THAT(message("{" + winding + ", r: {nodes: [a, b]}}"), ContainsSubstring("no coil or conductor is called so"));
  CHECK_THAT(message("{" + winding + ", bar: {nodes: [a, b]}}"), ContainsSubstring("leave out the one that is given"));
  CHECK_THAT(message("{" + winding + ", bar: {nodes: [a, b], resistance: 1}}"),
             ContainsSubstring("give this element another name"));
  CHECK(input.notes.empty());
  const auto open =
      read_case_text(text_with("{source: {nodes: [in, out], voltage: 3}, winding: {nodes: [in, uot]}}"), "case.yaml");
  REQUIRE(open.notes.size() == 2);
  CHECK_THAT(open.notes[1], ContainsSubstring("node 'uot' connects 'winding' with nothing"));
  CHECK_THAT(message("{r: {nodes: [a, b], resistance: 1}}"), ContainsSubstring("a coil needs its current (A)"));
  CHECK_THAT(message("{" + winding + ", r: {nodes: [a, b], resistence: 1}}"),
             ContainsSubstring("did you mean 'resistance'"));
}

TEST_CASE("Elements per skin depth limit the sizes in conductors", "[io]") {
  const auto with = [](const std::string& mesh) {
    std::string text = busbars;
    const std::string box = "{box: {cells: [4, 4]}}";
    return text.replace(text.find(box), box.size(), mesh);
  };
  CHECK_THAT(message_with("cells: [4, 4]}", "cells: [4, 4]}, skin_elements: 2"),
             ContainsSubstring("applies to mesh.geometry only"));
  const std::string geometry = TESSERA_SOURCE_DIR "/inputs/round-wire/round-wire.geo";
  const Case input = read_case_text(
      with("{geometry: " + geometry + ", dimension: 2, scale: 1e-3, skin_elements: 2, sizes: {bar: 0.1, back: 10}}"),
      "case.yaml");
  const double depth = 1. / std::sqrt(std::acos(-1.) * 1000. * 1.25663706212e-6 * 2. * 3e7); // m, of 'back' at 1 kHz
  CHECK(input.mesh.sizes.at("bar") == 0.1);
  CHECK(std::fabs(input.mesh.sizes.at("back") / (1e3 * depth / 2.) - 1.) < 1e-12);
  CHECK(input.mesh.sizes.count("air") == 0);
}

TEST_CASE("The keys of electro-quasistatics are read, and written as resolved", "[io]") {
  const Case input = read_case_text(insulation, "case.yaml");
  const ProblemOptions& problem = input.problem;
  CHECK(problem.frequencies == std::vector<double>{0.01, 0.0316228, 0.1, 0.316228, 1., 3.16228, 10., 31.6228, 100.});
  CHECK(problem.materials[0].conductivity == 1e-12);
  CHECK(problem.materials[0].loss_tangent == 0.);
  CHECK(problem.materials[1].loss_tangent == 0.01);
  CHECK(problem.boundaries[0].phase == 120.);
  CHECK(problem.boundaries[1].total == 0.5);
  CHECK(problem.boundaries[1].phase == 90.);
  CHECK(problem.boundaries[2].phase == 0.);
  CHECK(resolved_text(read_case_text(resolved_text(input), "resolved.yaml")) == resolved_text(input));
  const auto of = [](const char* range) {
    return read_case_text(insulation, "case.yaml", {{"problem.frequency", range, "--set"}}).problem.frequencies;
  };
  CHECK(of("{from: 50, to: 150, points: 3, scale: linear}") == std::vector<double>{50., 100., 150.});
}

TEST_CASE("Wrong data of electro-quasistatics are refused", "[io]") {
  const auto message = [](const std::string& piece, const std::string& replacement) {
    return message_with(piece, replacement, insulation);
  };
  CHECK(message("tessera: 1", "tessera: 1") == "no error");
  CHECK_THAT(message("points: 9", "points: 1"), ContainsSubstring("points"));
  CHECK_THAT(message(", points: 9", ""), ContainsSubstring("points"));
  CHECK_THAT(message("to: 100", "to: 0.001"), ContainsSubstring("must be above from, 0.01 Hz."));
  CHECK_THAT(message("points: 9", "points: 9, scale: octave"),
             ContainsSubstring("must be log or linear, found octave."));
  CHECK_THAT(message("loss_tangent: 0.01", "loss_tangent: -0.01"), ContainsSubstring("loss_tangent"));
  CHECK_THAT(message("conductivity: 1e-12", "conductivity: -1"), ContainsSubstring("conductivity"));
  CHECK_THAT(message("relative_permittivity: 2.2, ", ""), ContainsSubstring("relative_permittivity"));
  CHECK_THAT(message("{current: 0.5, phase: 90}", "{charge: 1}"), ContainsSubstring("current"));
  CHECK_THAT(message("  boundaries:", "  sources: {oil: {charge_density: 1}}\n  boundaries:"),
             ContainsSubstring("electro-quasistatics has no given charges"));
  CHECK_THAT(message("  boundaries:", "  conductors: {oil: {current: 1}}\n  boundaries:"),
             ContainsSubstring("applies to eddy-currents only."));
  CHECK_THAT(message("output:", "discretization: {method: dg}\noutput:"),
             ContainsSubstring("dg does not solve electro-quasistatics"));
  CHECK_THAT(message("[losses, energy]", "[charge]"), ContainsSubstring("charge"));
}
