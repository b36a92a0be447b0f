// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/input/case_reader.hpp"
#include "io/input/resolved.hpp"
#include "io/materials/material_patterns.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

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
}

TEST_CASE("Wrong data of eddy currents are refused", "[io]") {
  CHECK(message_with("tessera: 1", "tessera: 1") == "no error");
  CHECK_THAT(message_with("[50, 1000]", "0"), ContainsSubstring("must be above 0 Hz"));
  CHECK_THAT(message_with("[50, 1000]", "-50"), ContainsSubstring("must be a finite number above 0 Hz, found -50."));
  CHECK_THAT(message_with("[50, 1000]", "[50, 50]"), ContainsSubstring("50 Hz is listed twice."));
  CHECK_THAT(message_with("  frequency: [50, 1000]\n", ""), ContainsSubstring("frequency"));
  CHECK_THAT(message_with("phasors: rms", "phasors: peak"), ContainsSubstring("amplitude"));
  CHECK_THAT(message_with("bar: {relative_permeability: 1, conductivity: 5.8e7}", "bar: {relative_permeability: 1}"),
             ContainsSubstring("region 'bar' of a solid conductor has no conductivity."));
  CHECK_THAT(message_with("conductivity: 3e7", "conductivity: -1"), ContainsSubstring("conductivity"));
  CHECK_THAT(message_with("{current: 100}", "{current: 100, voltage: 1}"), ContainsSubstring("found both."));
  CHECK_THAT(message_with("{current: 100}", "{phase: 0}"), ContainsSubstring("found none."));
  CHECK_THAT(message_with("regions: [back]", "regions: [bar]"),
             ContainsSubstring("region 'bar' belongs to conductor 'bar' already."));
  CHECK_THAT(message_with("regions: [back]", "regions: [winding]"),
             ContainsSubstring("region 'winding' belongs to coil 'winding' already."));
  CHECK_THAT(message_with("regions: [back]", "regions: [bakc]"), ContainsSubstring("did you mean 'back'"));
  CHECK_THAT(message_with("relative_permeability: 100,", "bh_curve: [[0, 0], [100, 1]],"),
             ContainsSubstring("eddy-currents needs linear materials in this version"));
  CHECK_THAT(message_with("relative_permeability: 100,", "relative_permeability: 1, remanence: 1, direction: [0, 1],"),
             ContainsSubstring("a magnet's field is constant in time"));
  CHECK_THAT(message_with("output:", "discretization: {method: dg}\noutput:"),
             ContainsSubstring("dg does not solve eddy-currents"));
  CHECK_THAT(message_with("output:", "assembly: {strategy: ebe-stored}\noutput:"),
             ContainsSubstring("strategies without an assembled matrix"));
  CHECK_THAT(message_with("output: {", "output: {recovered: true, "),
             ContainsSubstring("eddy-currents does not support output.recovered in this version."));
  CHECK_THAT(message_with("[losses, energy]", "[force]"), ContainsSubstring("force"));
  CHECK_THAT(message_with("physics: eddy-currents", "physics: magnetostatics"),
             ContainsSubstring("applies to eddy-currents and electro-quasistatics only."));
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
