// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/input/case_reader.hpp"
#include "io/input/resolved.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <string>

using Catch::Matchers::ContainsSubstring;
using namespace tessera::io;

namespace {

const char* const motor = R"yaml(tessera: 1
mesh: {box: {cells: [4, 4]}}
problem:
  physics: magnetostatics
  depth: 0.1
  materials:
    air: {relative_permeability: 1}
    core: {bh_curve: [[0, 0], [100, 1], [1000, 1.5], [1e5, 2]]}
    magnet: {relative_permeability: 1.05, remanence: 1.2, direction: [0, 2]}
    far: {relative_permeability: 1, shell: {inner_radius: 1, outer_radius: 1.2}}
    a: {relative_permeability: 1}
    b: {relative_permeability: 1}
  sources: {air: {current_density: "1e6*x"}}
  coils: {primary: {regions: {a: 1, b: -1}, turns: 500, current: 2.5}}
  boundaries:
    outer: {vector_potential: 0}
    side: {tangential_field: 3}
    rim: {asymptotic: {center: [1, 2], order: 2}}
    left: {periodic: right}
    low: {antiperiodic: {with: high, rotation: 360/8, center: [1, 0]}}
solver: {nonlinear: {relative_tolerance: 1e-6, max_iterations: 20, line_search: false}}
output:
  fields: [vector_potential, flux_density, magnetic_field, material]
  quantities: [energy, coenergy, flux_linkage, inductance]
verification: {quantities: {flux_linkage.primary: {value: 1}, inductance.primary: {value: 1}, coenergy: {value: 2}}}
)yaml";

std::string with(const std::string& piece, const std::string& replacement) {
  std::string text = motor;
  const std::size_t position = text.find(piece);
  REQUIRE(position != std::string::npos);
  return text.replace(position, piece.size(), replacement);
}

/// The error message of the input with `piece` replaced, or "no error".
std::string message_with(const std::string& piece, const std::string& replacement,
                         const std::string& file = "case.yaml") {
  try {
    read_case_text(with(piece, replacement), file);
  } catch (const tessera::Error& error) {
    CHECK(error.exit_code() == 1);
    return error.what();
  }
  return "no error";
}

} // namespace

TEST_CASE("directions of magnets may be expressions", "[io][host]") {
  const Case input = read_case_text(with("direction: [0, 2]", "direction: [x, \"2*y\"]"), "case.yaml");
  const Magnet& magnet = *input.problem.materials[2].magnet;
  CHECK_FALSE(magnet.has_constant_direction());
  CHECK(magnet.direction.at(1).text == "2*y");
  CHECK(resolved_text(read_case_text(resolved_text(input), "resolved.yaml")) == resolved_text(input));
}

TEST_CASE("magnetostatics is read", "[io][host]") {
  const Case input = read_case_text(motor, "case.yaml");
  const ProblemOptions& problem = input.problem;
  CHECK(problem.physics == Physics::magnetostatics);
  REQUIRE(problem.materials.size() == 6);
  CHECK(problem.materials[0].relative_permeability[0] == 1.);
  CHECK_FALSE(problem.materials[0].magnet.has_value());
  REQUIRE(problem.materials[1].bh_curve.size() == 4);
  CHECK(problem.materials[1].bh_curve[2] == std::array<double, 2>{1000., 1.5});
  REQUIRE(problem.materials[2].magnet.has_value());
  CHECK(problem.materials[2].magnet->flux_density(1.05) == 1.2);
  CHECK(problem.materials[2].magnet->unit_direction() == std::array<double, 2>{0., 1.});
  REQUIRE(problem.materials[3].shell.has_value());
  CHECK(problem.materials[3].shell->outer_radius == 1.2);
  CHECK(problem.sources[0].density.text == "1e6*x");
  REQUIRE(problem.coils.size() == 1);
  CHECK(problem.coils[0].name.name == "primary");
  CHECK(problem.coils[0].turns == 500.);
  CHECK(problem.coils[0].current == 2.5);
  REQUIRE(problem.coils[0].sides.size() == 2);
  CHECK(problem.coils[0].sides[1].region.name == "b");
  CHECK(problem.coils[0].sides[1].sign == -1);
  REQUIRE(problem.boundaries.size() == 5);
  CHECK(problem.boundaries[0].kind == BoundaryKind::value);
  CHECK(problem.boundaries[1].kind == BoundaryKind::flux);
  CHECK(problem.boundaries[1].value.value == 3.);
  CHECK(problem.boundaries[2].center == std::array<double, 3>{1., 2., 0.});
  CHECK(problem.boundaries[2].order == 2);
  CHECK(problem.boundaries[3].kind == BoundaryKind::periodic);
  CHECK(problem.boundaries[3].periodic.with.name == "right");
  CHECK(problem.boundaries[3].periodic.kind == PeriodicMap::Kind::automatic);
  CHECK(problem.boundaries[4].kind == BoundaryKind::antiperiodic);
  CHECK(problem.boundaries[4].periodic.kind == PeriodicMap::Kind::rotation);
  CHECK(problem.boundaries[4].periodic.degrees == 45.);
  CHECK(input.solver.nonlinear.max_iterations == 20);
  CHECK_FALSE(input.solver.nonlinear.line_search);
  CHECK(input.output.fields == std::vector<Field>{Field::solution, Field::gradient, Field::flux, Field::material});
  CHECK(input.output.quantities ==
        std::vector<Quantity>{Quantity::energy, Quantity::coenergy, Quantity::flux_linkage, Quantity::inductance});
  const Case coercive = read_case_text(with("remanence: 1.2", "coercivity: 9e5"), "case.yaml");
  CHECK(std::fabs(coercive.problem.materials[2].magnet->flux_density(1.05) - 1.05 * 1.25663706212e-6 * 9e5) < 1e-15);
}

TEST_CASE("resolved magnetostatics reads back as the same case", "[io][host]") {
  for (const std::string& text :
       {std::string(motor), with("remanence: 1.2", "coercivity: 9e5"),
        with("relative_permeability: 1.05, remanence: 1.2", "bh_curve: [[-9e5, 0], [-8.9e5, 0.5], [0, 1.7], [1e6, 3]]"),
        with("air: {relative_permeability: 1}",
             "air: {relative_permeability: [10, 2], laminations: {stacking_factor: 0.9}}"),
        with("air: {relative_permeability: 1}", "air: {relative_permeability: 10, laminations: {stacking_factor: 0.9, "
                                                "parallel_to: x}}"),
        with("{periodic: right}", "{periodic: {with: right, translation: [0.1, 0]}}")}) {
    const Case first = read_case_text(text, "a.yaml");
    const std::string resolved = resolved_text(first);
    INFO(resolved);
    const Case second = read_case_text(resolved, "a.yaml");
    CHECK(resolved_text(second) == resolved);
    CHECK(second.problem.materials[1].bh_curve == first.problem.materials[1].bh_curve);
    CHECK(second.problem.materials[2].bh_curve == first.problem.materials[2].bh_curve);
    CHECK(second.problem.materials[2].magnet->coercivity == first.problem.materials[2].magnet->coercivity);
    CHECK(second.problem.materials[3].shell->inner_radius == 1.);
    CHECK(second.problem.coils[0].sides[1].sign == -1);
    CHECK(second.problem.boundaries[2].order == 2);
    CHECK(second.problem.boundaries[3].periodic.translation == first.problem.boundaries[3].periodic.translation);
    CHECK(second.problem.boundaries[4].periodic.degrees == 45.);
    CHECK(second.solver.nonlinear.relative_tolerance == 1e-6);
  }
}

TEST_CASE("the curve of a stack of sheets is that of iron and gaps side by side", "[io][host]") {
  const Case input = read_case_text(
      with("1e5, 2]]}", "1e5, 2]], laminations: {stacking_factor: 0.9, thickness: 0.5e-3, conductivity: 2e6}}"),
      "a.yaml");
  const auto& curve = input.problem.materials[1].bh_curve;
  CHECK(std::fabs(curve[3][1] - (0.9 * 2. + 0.1 * 1.25663706212e-6 * 1e5)) < 1e-15);
  CHECK(curve[3][0] == 1e5);
}

TEST_CASE("a table of permeabilities is the curve that is linear in the permeability", "[io][host]") {
  const double mu0 = 1.25663706212e-6;
  const std::string given = "{bh_curve: [[0, 0], [100, 1], [1000, 1.5], [1e5, 2]]}";
  const Case input =
      read_case_text(with(given, "{bh_curve: {relative_permeability: [[0, 1000], [1, 3000], [2, 100]]}}"), "a.yaml");
  const auto& curve = input.problem.materials[1].bh_curve;
  REQUIRE(curve.size() == 65);
  for (const auto& [h, b] : curve) {
    const double mu = b < 1. ? 1000. + 2000. * b : 3000. - 2900. * (b - 1.);
    CHECK(std::fabs(h * mu0 * mu - b) < 1e-14);
  }
  const auto message = [&](const std::string& points) {
    return message_with(given, "{bh_curve: {relative_permeability: " + points + "}}");
  };
  CHECK_THAT(message("[[0, 10], [1, 0]]"), ContainsSubstring("bh_curve.relative_permeability[1]: the permeability must "
                                                             "be positive"));
  CHECK_THAT(message("[[0.1, 10], [1, 5]]"), ContainsSubstring("the first point is at B = 0"));
  CHECK_THAT(message("[[0, 10], [1, 5], [1, 6]]"), ContainsSubstring("[2]: B must rise"));
  CHECK_THAT(message("[[0, 0.5], [1, 0.5]]"), ContainsSubstring("less than in vacuum"));
  CHECK_THAT(message("[]"), ContainsSubstring("it is empty"));
  CHECK_THAT(message("steel.csv"), ContainsSubstring("expected a list of points, [[B, relative_permeability], ...]"));
  CHECK_THAT(message("[[0, 10], [1]]"), ContainsSubstring("expected a point [B, relative_permeability]"));
}

TEST_CASE("wrong materials of magnetostatics are reported", "[io][host]") {
  const auto air = [](const std::string& material) {
    return message_with("air: {relative_permeability: 1}", "air: " + material);
  };
  CHECK_THAT(air("{relative_permeability: [1, 0]}"), ContainsSubstring("must be positive, but is 0"));
  CHECK_THAT(air("{relative_permeability: [1, 2, 3]}"), ContainsSubstring("expected a list of 2 numbers"));
  CHECK_THAT(air("{relative_permeability: 9, laminations: {}}"), ContainsSubstring("stacking_factor"));
  CHECK_THAT(air("{relative_permeability: 9, laminations: {stacking_factor: 0}}"),
             ContainsSubstring("stacking_factor"));
  CHECK_THAT(air("{relative_permeability: 9, laminations: {stacking_factor: 1, parallel_to: z}}"),
             ContainsSubstring("must be plane, x or y"));
  CHECK_THAT(message_with("1e5, 2]]}", "1e5, 2]], laminations: {stacking_factor: 0.9, parallel_to: x}}"),
             ContainsSubstring("with a bh_curve have to be parallel to the plane"));
  CHECK_THAT(message_with("remanence: 1.2", "laminations: {stacking_factor: 1}, remanence: 1.2"),
             ContainsSubstring("a magnet has none"));
  const auto magnet = [](const std::string& keys) {
    return message_with("relative_permeability: 1.05, remanence: 1.2, direction: [0, 2]", keys);
  };
  CHECK_THAT(magnet("bh_curve: [[-9e5, 0], [0, 1.3], [1e6, 3]]"), ContainsSubstring("which needs a direction"));
  CHECK_THAT(magnet("bh_curve: [[0, 0], [1e6, 3]], direction: [1, 0]"), ContainsSubstring("starts at [-H_c, 0]"));
  CHECK_THAT(magnet("bh_curve: [[-9e5, 0], [0, 1.3], [1e6, 3]], remanence: 1, direction: [1, 0]"),
             ContainsSubstring("remanence: does not go with a bh_curve"));
  CHECK_THAT(magnet("bh_curve: [[-9e5, 0], [0, 1.3], [1e6, 3]], direction: [0, 0]"),
             ContainsSubstring("must not be zero"));
  CHECK_THAT(message_with("relative_permeability: 1.05, remanence", "relative_permeability: [1.05, 1], coercivity"),
             ContainsSubstring("needs one relative_permeability for both directions"));
  CHECK_THAT(message_with("{relative_permeability: 1, shell", "{relative_permeability: [1, 2], shell"),
             ContainsSubstring("is the same in both directions"));
  const auto core = [](const std::string& curve) {
    return message_with("[[0, 0], [100, 1], [1000, 1.5], [1e5, 2]]", curve);
  };
  CHECK_THAT(core("[[0, 0]]"), ContainsSubstring("case.yaml:8: problem.materials.core.bh_curve") &&
                                   ContainsSubstring("at least two points"));
  CHECK_THAT(core("[[1, 0], [2, 1]]"), ContainsSubstring("bh_curve[0]: a B-H curve starts at [0, 0]"));
  CHECK_THAT(core("[[0, 0], [2, 1], [1, 2]]"), ContainsSubstring("bh_curve[2]") && ContainsSubstring("both rise") &&
                                                   ContainsSubstring("point 3: H = 1, B = 2"));
  CHECK_THAT(core("[[0, 0], [2, 1], [3, 1]]"), ContainsSubstring("both rise"));
  CHECK_THAT(core("[[0, 0], [1e6, 1]]"), ContainsSubstring("less than in vacuum"));
  CHECK_THAT(core("[[0, 0], [100, 1], [1e6, 1.5], [1.1e6, 2.5]]"), ContainsSubstring("not only by rounding"));
  CHECK_THAT(core("[[0, 0], [2]]"), ContainsSubstring("bh_curve[1]: expected a point [H, B]"));
  CHECK_THAT(core("[[0, 0], [a, 1]]"), ContainsSubstring("bh_curve[1]: expected a number, found 'a'"));
  CHECK_THAT(core("{a: 1}"), ContainsSubstring("expected a list of points"));
  CHECK_THAT(core("no-such.csv"), ContainsSubstring("case.yaml:8") && ContainsSubstring("cannot be read"));
  CHECK_THAT(message_with("{bh_curve:", "{relative_permeability: 2, bh_curve:"), ContainsSubstring("found both"));
  CHECK_THAT(message_with("air: {relative_permeability: 1}", "air: {}"),
             ContainsSubstring("case.yaml:7: problem.materials.air: a material needs either relative_permeability"));
  CHECK_THAT(message_with("air: {relative_permeability: 1}", "air: {relative_permeability: 0}"),
             ContainsSubstring("must be positive"));
  CHECK_THAT(message_with("air: {relative_permeability: 1}", "air: {relative_permeability: x}"),
             ContainsSubstring("depends on x"));
  CHECK_THAT(message_with("air: {relative_permeability: 1}", "air: {relative_permittivity: 1}"),
             ContainsSubstring("did you mean 'relative_permeability'"));
  CHECK_THAT(message_with("remanence: 1.2", "remanence: 1.2, coercivity: 9e5"),
             ContainsSubstring("case.yaml:9: problem.materials.magnet") && ContainsSubstring("found both"));
  CHECK_THAT(message_with("remanence: 1.2, ", ""), ContainsSubstring("found none"));
  CHECK_THAT(message_with(", direction: [0, 2]", ""), ContainsSubstring("'direction' is missing"));
  CHECK_THAT(message_with("direction: [0, 2]", "direction: [0, 0]"), ContainsSubstring("must not be zero"));
  const std::string angle = message_with("direction: [0, 2]", "direction: 30");
  CHECK_THAT(angle, ContainsSubstring("direction: expected a list of 2, one per direction, found one value"));
  CHECK(angle.find("must not be zero") == std::string::npos); // reported only once
  CHECK_THAT(message_with("direction: [0, 2]", "direction: [0, 0, 1]"),
             ContainsSubstring("a list of 2, one per direction"));
  CHECK_THAT(message_with("remanence: 1.2", "remanence: -1.2"), ContainsSubstring("must be positive"));
  CHECK_THAT(message_with("relative_permeability: 1.05", "bh_curve: [[0, 0], [1, 1]]"),
             ContainsSubstring("does not go with a bh_curve"));
  CHECK_THAT(message_with("outer_radius: 1.2", "outer_radius: 0.9"), ContainsSubstring("must exceed inner_radius"));
  CHECK_THAT(message_with("inner_radius: 1,", ""), ContainsSubstring("'inner_radius' is missing"));
  CHECK_THAT(message_with("relative_permeability: 1, shell", "remanence: 1, direction: [1, 0], "
                                                             "relative_permeability: 1, shell"),
             ContainsSubstring("no magnet"));
  CHECK_THAT(message_with("depth: 0.1", "symmetry: axisymmetric"),
             ContainsSubstring("case.yaml:18: problem.boundaries.rim.asymptotic.center: must lie on the axis"));
}

TEST_CASE("wrong coils are reported", "[io][host]") {
  CHECK_THAT(message_with("regions: {a: 1, b: -1}", "regions: {a: 1, air: -1}"),
             ContainsSubstring("case.yaml:14: problem.coils.primary.regions.air") &&
                 ContainsSubstring("has a current density"));
  CHECK_THAT(message_with("current: 2.5}}", "current: 2.5}, second: {regions: {a: 1}, turns: 1, current: 0}}"),
             ContainsSubstring("belongs to coil 'primary' already"));
  CHECK_THAT(message_with("{a: 1, b: -1}", "{a: 1, bb: -1}"), ContainsSubstring("did you mean 'b'"));
  CHECK_THAT(message_with("{a: 1, b: -1}", "{a: 1, far: -1}"), ContainsSubstring("is a shell"));
  CHECK_THAT(message_with("{a: 1, b: -1}", "{a: 1, b: 2}"), ContainsSubstring("expected 1 or -1"));
  CHECK_THAT(message_with("{a: 1, b: -1}", "{}"), ContainsSubstring("at least one region"));
  CHECK_THAT(message_with("turns: 500, ", ""), ContainsSubstring("'turns' is missing"));
  CHECK_THAT(message_with("turns: 500", "turns: 0"), ContainsSubstring("must be positive"));
  CHECK_THAT(message_with(", current: 2.5", ""), ContainsSubstring("'current' is missing"));
  CHECK_THAT(message_with("{air: {current_density: \"1e6*x\"}}", "{far: {current_density: 1}}"),
             ContainsSubstring("region 'far' is a shell"));
  CHECK_THAT(message_with("inductance.primary", "inductance.primry"), ContainsSubstring("did you mean 'inductance."));
}

TEST_CASE("wrong conditions of magnetostatics and of periodic boundaries are reported", "[io][host]") {
  CHECK_THAT(message_with("physics: magnetostatics", "physics: magnetostatic"),
             ContainsSubstring("did you mean 'magnetostatics'"));
  CHECK_THAT(message_with("cells: [4, 4]", "cells: [4, 4, 4]"),
             ContainsSubstring("case.yaml:4: problem.physics: magnetostatics needs a mesh of dimension 2"));
  CHECK_THAT(message_with("{vector_potential: 0}", "{potential: 0}"),
             ContainsSubstring("unknown key 'potential'") && !ContainsSubstring("exactly one of"));
  CHECK_THAT(message_with("{vector_potential: 0}", "{}"), ContainsSubstring("exactly one of vector_potential, "
                                                                            "tangential_field, asymptotic, periodic, "
                                                                            "antiperiodic"));
  CHECK_THAT(message_with("order: 2", "order: 0"), ContainsSubstring("must lie between 1 and 10"));
  CHECK_THAT(message_with("{periodic: right}", "{periodic: left}"),
             ContainsSubstring("case.yaml:19: problem.boundaries.left.periodic: a boundary cannot be periodic with "
                               "itself"));
  CHECK_THAT(message_with("rotation: 360/8", "rotation: 45, translation: [1, 0]"), ContainsSubstring("not both"));
  CHECK_THAT(message_with("with: high, ", ""), ContainsSubstring("'with' is missing"));
  CHECK_THAT(message_with("rotation: 360/8, ", ""), ContainsSubstring("applies to a rotation only"));
  CHECK_THAT(message_with("{periodic: right}", "{periodic: low}") +
                 message_with("with: high", "with: left"), // each of them makes a chain
             ContainsSubstring("no errorno error"));
  CHECK_THAT(message_with("side: {tangential_field: 3}", "right: {antiperiodic: left}"),
             ContainsSubstring("case.yaml:19: problem.boundaries.left: is paired with 'right' already, in line 17"));
  CHECK_THAT(message_with("line_search: false", "line_search: 3"), ContainsSubstring("expected true or false"));
  CHECK_THAT(message_with("relative_tolerance: 1e-6", "relative_tolerance: 0"), ContainsSubstring("must be positive"));
  CHECK_THAT(message_with("[energy, coenergy", "[energy, charge"), ContainsSubstring("unknown quantity 'charge'"));
}

TEST_CASE("what only magnetostatics has is refused elsewhere", "[io][host]") {
  const std::string heat = "tessera: 1\nmesh: {box: {cells: [4, 4]}}\nproblem:\n  physics: diffusion\n"
                           "  materials: {domain: {diffusivity: 1}}\n  boundaries: {left: {antiperiodic: right}}\n";
  const auto message = [&](const std::string& more) {
    try {
      read_case_text(heat + more, "case.yaml");
    } catch (const tessera::Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  CHECK(message("") == "no error");
  CHECK_THAT(message("  coils: {a: {}}\n"),
             ContainsSubstring("problem.coils: applies to magnetostatics and eddy-currents only"));
  CHECK_THAT(message("solver: {nonlinear: {line_search: true}}\n"),
             ContainsSubstring("solver.nonlinear: applies to magnetostatics and"));
  CHECK_THAT(message("output: {quantities: [coenergy]}\n"), ContainsSubstring("unknown quantity 'coenergy'"));
  const std::size_t place = heat.find("antiperiodic");
  REQUIRE(place != std::string::npos);
  CHECK_THROWS_AS(read_case_text(std::string(heat).replace(place, 4, ""), "case.yaml"), tessera::Error); // periodic
}

TEST_CASE("B-H curves are read from files", "[io][host]") {
  const tessera::test::TemporaryFolder folder;
  const auto write = [&](const std::string& text) { folder.write("steel.csv", text); };
  const auto message = [&] {
    return message_with("[[0, 0], [100, 1], [1000, 1.5], [1e5, 2]]", "steel.csv", folder.file("case.yaml"));
  };
  write("# steel\nH,B\n0,0\n 100 , 1 # knee\n\n1000;1.5\r\n1e5\t2\n");
  const Case input =
      read_case_text(with("[[0, 0], [100, 1], [1000, 1.5], [1e5, 2]]", "steel.csv"), folder.file("case.yaml"));
  CHECK(input.problem.materials[1].bh_curve ==
        tessera::physics::BhTable{{0., 0.}, {100., 1.}, {1000., 1.5}, {1e5, 2.}});
  write("0,0\n100,1\nH,B\n");
  CHECK_THAT(message(), ContainsSubstring("steel.csv:3: problem.materials.") &&
                            ContainsSubstring(".bh_curve: expected two numbers, H in A/m and B in T, found 'H,B'"));
  write("0,0\n100,1,2\n");
  CHECK_THAT(message(), ContainsSubstring("steel.csv:2: problem.materials."));
  write("H,B\n0,0\n100,1\n90,2\n");
  CHECK_THAT(message(), ContainsSubstring("steel.csv:4") && ContainsSubstring("both rise"));
  write("");
  CHECK_THAT(message(), ContainsSubstring(".bh_curve: a B-H curve needs at least two points"));
}
