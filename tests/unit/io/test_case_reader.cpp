// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "case_messages.hpp"
#include "core/error.hpp"
#include "core/kokkos_ext/spaces.hpp"
#include "io/input/case_reader.hpp"
#include "io/pictures/canvas.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using namespace tessera::io;
using tessera::test::message_of;

namespace {

const char* const smallest = R"yaml(tessera: 1
mesh: {box: {cells: [4, 4]}}
problem:
  physics: electrostatics
  materials: {domain: {relative_permittivity: 1}}
  boundaries:
    left: {potential: 1}
    right: {potential: 0}
)yaml";

/// The smallest input with a piece replaced.
std::string with(const std::string& piece, const std::string& replacement) {
  return tessera::test::replaced(smallest, piece, replacement);
}

std::string message_with(const std::string& piece, const std::string& replacement) {
  return message_of(with(piece, replacement));
}

std::string appended(const std::string& text) { return smallest + text; }

Override set(const std::string& text) { return parse_override(text, "--set"); }

} // namespace

TEST_CASE("the smallest input gets the documented defaults", "[io][host]") {
  const Case input = read_case_text(smallest, "some/case.yaml");
  CHECK(input.title == "case");
  CHECK(input.mesh.source == MeshSource::box);
  CHECK(input.mesh.dimension == 2);
  CHECK(input.mesh.box.cells == std::array<int, 3>{4, 4, 1});
  CHECK(input.mesh.box.upper == std::array<double, 3>{1., 1., 1.});
  CHECK(input.mesh.refine == 0);
  CHECK(input.mesh.scale == 1.);
  CHECK(input.mesh.ordering == Ordering::morton);
  CHECK(input.problem.symmetry == Symmetry::planar);
  CHECK(input.problem.depth == 1.);
  REQUIRE(input.problem.boundaries.size() == 2);
  CHECK(input.problem.boundaries[0].group.name == "left");
  CHECK(input.problem.boundaries[0].value.value == 1.);
  CHECK(input.problem.boundaries[0].group.where.text() == "some/case.yaml:7: problem.boundaries.left");
  CHECK(input.discretization.order.number == 1);
  CHECK(input.assembly.strategy == Strategy::automatic);
  CHECK(input.assembly.coloring == Coloring::node_claims);
  CHECK(input.solver.preconditioner == Preconditioner::automatic);
  CHECK(input.solver.relative_tolerance == 1e-10);
  CHECK(input.solver.max_iterations == 20000);
  CHECK(input.solver.initial_guess.is_constant);
  CHECK(input.execution.backend == tessera::backend_names().back());
  CHECK_FALSE(input.execution.reproducible);
  CHECK(input.output.directory == "results/case");
  CHECK(input.output.fields == std::vector<Field>{Field::solution});
  CHECK_FALSE(input.verification.has_exact);
}

TEST_CASE("every section is read", "[io][host]") {
  const Case input = read_case_text(R"yaml(tessera: 1
title: Heat in a bar
mesh:
  box: {cells: [4, 5, 6], lower: [-1, -1, -1], upper: [1, 1, 2*pi]}
  refine: 2
  scale: 1e-3
  ordering: none
problem:
  physics: diffusion
  materials: {domain: {diffusivity: [1, "1 + x^2", 3]}}
  sources: {domain: {source: "sin(pi*x)"}}
  boundaries:
    left: {value: "x > 0 ? 1 : 2"}
    right: {flux: 3}
    top: {robin: {coefficient: 2, reference: y}}
    bottom: {equivalue: {total_flux: 4}}
discretization: {method: cg, order: 2}
assembly: {strategy: a-coo-compact, coloring: node-claims}
solver: {method: pcg, preconditioner: multigrid, relative_tolerance: 0, absolute_tolerance: 1e-8,
         max_iterations: 10, initial_guess: x}
execution: {backend: )yaml" + tessera::backend_names().front() +
                                        R"yaml(, threads: 2, reproducible: true}
output:
  directory: out
  fields: [value, flux, material]
  quantities: [energy, total_flux]
  probes:
    axis: {from: [0, 0, 0], to: [1, 0, 2], points: 3}
    spots: {points: [[0, 0, 1], [1, 1, 1]]}
verification:
  exact: x
  gradient: [1, 0, 0]
  quantities: {energy: {value: 2, tolerance: 1e-3}, total_flux.left: {value: 1}}
  probes: {axis: {value: {exact: "x + 1", tolerance: 0.1}, d/dz: {exact: 3}}}
)yaml",
                                    "case.yaml");
  CHECK(input.title == "Heat in a bar");
  CHECK(input.mesh.dimension == 3);
  CHECK(std::abs(input.mesh.box.upper[2] - 6.283185307179586) < 1e-15);
  CHECK(input.mesh.ordering == Ordering::none);
  const ProblemOptions& problem = input.problem;
  REQUIRE(problem.materials.size() == 1);
  CHECK_FALSE(problem.materials[0].coefficient.isotropic());
  CHECK_FALSE(problem.materials[0].coefficient.diagonal[1].is_constant);
  CHECK(problem.materials[0].coefficient.diagonal[2].value == 3.);
  CHECK(problem.sources[0].density.text == "sin(pi*x)");
  REQUIRE(problem.boundaries.size() == 4);
  CHECK(problem.boundaries[0].value.text == "x > 0 ? 1 : 2");
  CHECK(problem.boundaries[1].kind == BoundaryKind::flux);
  CHECK(problem.boundaries[2].coefficient.value == 2.);
  CHECK_FALSE(problem.boundaries[2].reference.is_constant);
  CHECK(problem.boundaries[3].total == 4.);
  CHECK(input.discretization.order.number == 2);
  CHECK(input.assembly.strategy == Strategy::a_coo_compact);
  CHECK(input.assembly.coloring == Coloring::node_claims);
  CHECK(input.solver.preconditioner == Preconditioner::multigrid);
  CHECK(input.execution.threads == 2);
  CHECK(input.output.fields == std::vector<Field>{Field::solution, Field::flux, Field::material});
  CHECK(input.output.quantities == std::vector<Quantity>{Quantity::energy, Quantity::charge});
  REQUIRE(input.output.probes.size() == 2);
  CHECK(input.output.probes[0].positions()[1] == std::array<double, 3>{0.5, 0., 1.});
  CHECK(input.output.probes[0].positions()[2] == std::array<double, 3>{1., 0., 2.});
  CHECK(input.output.probes[1].positions().size() == 2);
  CHECK(input.verification.gradient.size() == 3);
  CHECK(input.verification.quantities[0].tolerance == 1e-3);
  REQUIRE(input.verification.probes.size() == 2);
  CHECK(input.verification.probes[0].probe == "axis");
  CHECK(input.verification.probes[0].column == "value");
  CHECK(input.verification.probes[0].exact.text == "x + 1");
  CHECK(input.verification.probes[0].tolerance == 0.1);
  CHECK(input.verification.probes[1].column == "d/dz");
  CHECK(input.verification.probes[1].tolerance == 0.);
}

TEST_CASE("unknown keys are reported with their line, the nearest key and the allowed ones", "[io][host]") {
  CHECK_THAT(message_of(appended("solver: {realtive_tolerance: 1e-8}\n")),
             ContainsSubstring("case.yaml:9: solver.realtive_tolerance: unknown key 'realtive_tolerance'; did you mean "
                               "'relative_tolerance'? Allowed: method, preconditioner"));
  CHECK_THAT(message_with("potential: 1", "potental: 1"),
             ContainsSubstring("case.yaml:7: problem.boundaries.left.potental") &&
                 ContainsSubstring("did you mean 'potential'?") && !ContainsSubstring("exactly one of"));
  CHECK_THAT(message_with("{potential: 1}", "{}"), ContainsSubstring("exactly one of"));
  CHECK_THAT(message_with("relative_permittivity: 1", "permittivity: 1"), // a word of the correct name
             ContainsSubstring("unknown key 'permittivity'; did you mean 'relative_permittivity'?"));
  CHECK_THAT(message_of(appended("solvers: {}\n")), ContainsSubstring("case.yaml:9: solvers: unknown key"));
  CHECK_THAT(message_with("relative_permittivity: 1", "permittivity: 1"),
             ContainsSubstring("case.yaml:5: problem.materials.domain.permittivity"));
  CHECK_THAT(message_of(appended("wholly_different: 1\n")), !ContainsSubstring("did you mean"));
}

TEST_CASE("wrong types and values are reported", "[io][host]") {
  CHECK_THAT(message_of(appended("solver: {max_iterations: many}\n")),
             ContainsSubstring("case.yaml:9: solver.max_iterations: expected a number, found 'many'"));
  CHECK_THAT(message_of(appended("solver: {max_iterations: 1.5}\n")), ContainsSubstring("whole number"));
  CHECK_THAT(message_of(appended("solver: {max_iterations: 0}\n")), ContainsSubstring("must lie between 1 and"));
  CHECK_THAT(message_of(appended("solver: {max_iterations: [1]}\n")), ContainsSubstring("found a list"));
  CHECK_THAT(message_of(appended("solver: {relative_tolerance: -1}\n")),
             ContainsSubstring("must lie between 0 and 0.001"));
  CHECK_THAT(message_of(appended("solver: {relative_tolerance: 0}\n")), ContainsSubstring("must be positive"));
  CHECK_THAT(message_of(appended("solver: {relative_tolerance: x}\n")), ContainsSubstring("depends on x"));
  CHECK_THAT(message_of(appended("solver: 3\n")), ContainsSubstring("expected a map"));
  CHECK_THAT(message_of(appended("execution: {reproducible: yes}\n")), ContainsSubstring("expected true or false"));
  CHECK_THAT(message_of(appended("output: {fields: potential}\n")), ContainsSubstring("expected a list"));
  CHECK_THAT(message_of(appended("output: {fields: [potential, potential]}\n")), ContainsSubstring("twice"));
  CHECK_THAT(message_of(appended("output: {probes: {\"a/b\": {points: [[0, 0]]}}}\n")), ContainsSubstring("file's"));
  CHECK_THAT(message_of(appended("output: {probes: {a: {points: [[0, 0, 0]]}}}\n")), ContainsSubstring("2 numbers"));
  CHECK_THAT(message_of(appended("output: {probes: {a: {from: [0, 0], points: 3}}}\n")), ContainsSubstring("'to'"));
  CHECK_THAT(message_with("relative_permittivity: 1", "relative_permittivity: -1"), ContainsSubstring("be positive"));
  CHECK_THAT(message_with("relative_permittivity: 1", "relative_permittivity: [1, 2, 3]"),
             ContainsSubstring("a list of 2"));
  CHECK_THAT(message_with("cells: [4, 4]", "cells: 4"), ContainsSubstring("expected a list of 2 to 3 numbers"));
  CHECK_THAT(message_with("cells: [4, 4]", "cells: [4, 0]"), ContainsSubstring("from 1 to"));
  CHECK_THAT(message_with("cells: [4, 4]", "cells: [4, 4], upper: [1, 0]"), ContainsSubstring("must exceed"));
  CHECK_THAT(message_with("cells: [4, 4]", "cells: [4, 4], upper: [1, 1, 1]"), ContainsSubstring("as many as"));
}

TEST_CASE("wrong names of choices come with a suggestion", "[io][host]") {
  CHECK_THAT(message_of(appended("assembly: {strategy: row_gather}\n")),
             ContainsSubstring("case.yaml:9: assembly.strategy: unknown strategy 'row_gather'; did you mean "
                               "'row-gather'? Allowed: auto, reference, atomic, a-coo"));
  CHECK_THAT(message_of(appended("assembly: {coloring: greedy}\n")), ContainsSubstring("allowed: ccm, fcm, ofcm"));
  CHECK_THAT(message_of(appended("solver: {preconditioner: Jacobi}\n")), ContainsSubstring("'jacobi'"));
  CHECK_THAT(message_of(appended("output: {quantities: [capacitence]}\n")), ContainsSubstring("'capacitance'"));
  CHECK_THAT(message_of(appended("discretization: {method: fv}\n")), ContainsSubstring("allowed: cg, dg"));
  CHECK_THAT(message_with("electrostatics", "electrostatic"), ContainsSubstring("did you mean 'electrostatics'"));
}

TEST_CASE("a backend that this build lacks is reported with those it has", "[io][host]") {
  const std::vector<std::string> names = tessera::backend_names();
  for (const char* backend : {"serial", "openmp", "cuda", "hip"}) {
    const std::string message = message_of(appended("execution: {backend: " + std::string(backend) + "}\n"));
    if (std::find(names.begin(), names.end(), backend) != names.end())
      CHECK(message == "no error");
    else
      CHECK_THAT(message, ContainsSubstring("case.yaml:9: execution.backend: this build has no backend") &&
                              ContainsSubstring("it has " + joined(names)));
  }
  CHECK_THAT(message_of(appended("execution: {backend: gpu}\n")), ContainsSubstring("unknown backend 'gpu'"));
}

TEST_CASE("missing keys are reported", "[io][host]") {
  CHECK_THAT(message_with("tessera: 1\n", ""), ContainsSubstring("'tessera' is missing"));
  CHECK_THAT(message_with("tessera: 1", "tessera: 2"),
             ContainsSubstring("case.yaml:1: tessera: this program reads version 1"));
  CHECK_THAT(message_with("mesh: {box: {cells: [4, 4]}}\n", ""), ContainsSubstring("'mesh' is missing"));
  CHECK_THAT(message_with("{box: {cells: [4, 4]}}", "{refine: 1}"),
             ContainsSubstring("case.yaml:2: mesh: exactly one of"));
  CHECK_THAT(message_with("{box: {cells: [4, 4]}}", "{box: {cells: [4, 4]}, file: a.msh}"),
             ContainsSubstring("found file, box"));
  CHECK_THAT(message_with("{cells: [4, 4]}", "{lower: [0, 0]}"), ContainsSubstring("'cells' is missing"));
  CHECK_THAT(message_with("  physics: electrostatics\n", ""),
             ContainsSubstring("case.yaml:3: problem: the key 'physics'"));
  CHECK_THAT(message_with("{relative_permittivity: 1}", "{}"),
             ContainsSubstring("case.yaml:5: problem.materials.domain"));
  CHECK_THAT(message_with("{potential: 1}", "{}"),
             ContainsSubstring("case.yaml:7: problem.boundaries.left: exactly one of"));
  CHECK_THAT(message_with("{potential: 1}", "{potential: 1, surface_charge: 2}"),
             ContainsSubstring("found potential, surface_charge"));
  CHECK_THAT(message_with("{potential: 1}", "{robin: {coefficient: 1}}"), ContainsSubstring("'reference' is missing"));
  CHECK_THAT(message_of(""), ContainsSubstring("empty"));
  const std::string neumann = "tessera: 1\nmesh: {box: {cells: [4, 4]}}\nproblem:\n  physics: electrostatics\n"
                              "  materials: {domain: {relative_permittivity: 1}}\n"
                              "  boundaries: {left: {surface_charge: 1}}\n";
  CHECK_THAT(message_of(neumann), ContainsSubstring("case.yaml:6: problem.boundaries: no boundary has a potential"));
}

TEST_CASE("expressions that do not parse show where", "[io][host]") {
  CHECK_THAT(message_with("potential: 1", "potential: \"sin(x + )\""),
             ContainsSubstring("case.yaml:7: problem.boundaries.left.potential: expected a number or an expression") &&
                 ContainsSubstring("column 9") && ContainsSubstring("\n            ^"));
  CHECK_THAT(message_with("potential: 1", "potential: 1/0"), ContainsSubstring("'1/0' gives inf"));
  CHECK_THAT(message_with("potential: 1", "potential: sqrt(-1)"), ContainsSubstring("nan"));
}

TEST_CASE("several errors are reported together, by line", "[io][host]") {
  const std::string message = message_of(appended("solver: {methd: pcg}\nasembly: {}\ndiscretization: {order: 3}\n"));
  CHECK_THAT(message, ContainsSubstring("case.yaml:9: solver.methd") && ContainsSubstring("case.yaml:10: asembly") &&
                          ContainsSubstring("case.yaml:11: discretization.order: must lie between 1 and 2"));
  CHECK(message.find(":9:") < message.find(":10:"));
  CHECK(message.find(":10:") < message.find(":11:"));
}

TEST_CASE("what is no YAML is reported with its line", "[io][host]") {
  CHECK_THAT(message_of("tessera: 1\nmesh: {box: [\n"), ContainsSubstring("not valid YAML"));
  CHECK_THAT(message_of("tessera: 1\nmesh: 1\nmesh: 2\n"),
             ContainsSubstring("case.yaml:3: the key 'mesh' is given twice, first in line 2"));
  CHECK_THAT(message_of("tessera: 1\n---\ntessera: 1\n"), ContainsSubstring("case.yaml:2: a second YAML document"));
  CHECK_THAT(message_of("- a\n- b\n"), ContainsSubstring("expected a map"));
  CHECK_THROWS_AS(read_case("no/such/file.yaml"), tessera::Error);
  CHECK_THROWS_AS(read_case("."), tessera::Error);
}

TEST_CASE("anchors and aliases work", "[io][host]") {
  const Case input = read_case_text(with("{potential: 1}", "&fixed {potential: 7}") + "    top: *fixed\n", "case.yaml");
  REQUIRE(input.problem.boundaries.size() == 3);
  CHECK(input.problem.boundaries[2].value.value == 7.);
}

TEST_CASE("overrides replace, add and remove keys", "[io][host]") {
  const std::vector<Override> overrides{set("solver.max_iterations=7"),
                                        set("problem.boundaries.left.potential=x > 0.5 ? 1 : 2"),
                                        set("mesh.box.cells=[3, 3, 3]"),
                                        set("problem.boundaries.right="),
                                        set("problem.boundaries.top={potential: 5}"),
                                        set("title=A = b")};
  const Case input = read_case_text(smallest, "case.yaml", overrides);
  CHECK(input.solver.max_iterations == 7);
  CHECK(input.problem.boundaries[0].value.text == "x > 0.5 ? 1 : 2");
  CHECK(input.mesh.dimension == 3);
  REQUIRE(input.problem.boundaries.size() == 2);
  CHECK(input.problem.boundaries[1].group.name == "top");
  CHECK(input.title == "A = b");
  CHECK_THAT(message_of(smallest, {set("solver.methd=pcg")}),
             ContainsSubstring("--set: solver.methd: unknown key") && !ContainsSubstring("case.yaml"));
  CHECK_THAT(message_of(smallest, {set("mesh.box.cells.a=1")}),
             ContainsSubstring("expected a map of keys and values, found a list"));
  CHECK_THROWS_AS(set("solver.method"), tessera::Error);
  CHECK_THROWS_AS(set("=3"), tessera::Error);
  const std::string dotted = with("left:", "\"left.upper\":");
  CHECK(read_case_text(dotted, "case.yaml", {set("problem.boundaries.left.upper.potential=3")})
            .problem.boundaries[0]
            .value.value == 3.);
}

TEST_CASE("keys that do not go together are reported", "[io][host]") {
  CHECK_THAT(message_with("cells: [4, 4]}", "cells: [4, 4]}, dimension: 3"), ContainsSubstring("mesh.dimension is 3"));
  CHECK_THAT(message_with("cells: [4, 4]}", "cells: [4, 4]}, parameters: {a: 1}"),
             ContainsSubstring("mesh.geometry only"));
  CHECK_THAT(message_with("physics: electrostatics", "physics: electrostatics\n  symmetry: axisymmetric\n  depth: 2"),
             ContainsSubstring("case.yaml:6: problem.depth: applies to planar"));
  CHECK_THAT(message_with("{box: {cells: [4, 4]}}", "{file: missing.msh}"), ContainsSubstring("does not exist"));
  CHECK_THAT(message_with("{box: {cells: [4, 4]}}", "{file: mesh.stl}"), ContainsSubstring(".msh, .vtkhdf"));
  CHECK_THAT(message_with("{box: {cells: [4, 4]}}", "{geometry: missing.geo}"),
             ContainsSubstring("does not exist") && ContainsSubstring("'dimension' is missing"));
  CHECK_THAT(message_of(appended("verification: {exact: x, gradient: [1]}\n")), ContainsSubstring("2 expressions"));
  CHECK_THAT(message_of(appended("verification: {gradient: [1, 0]}\n")), ContainsSubstring("'exact'"));
  CHECK_THAT(message_of(appended("verification: {quantities: {charge.lft: {value: 1}}}\n")),
             ContainsSubstring("did you mean 'charge.left'?"));
  const std::string axis = "output: {probes: {axis: {from: [0, 0], to: [1, 0], points: 3}}}\nverification: {probes: ";
  CHECK_THAT(message_of(appended(axis + "{axs: {Ex: {exact: 1}}}}\n")), ContainsSubstring("did you mean 'axis'?"));
  CHECK_THAT(message_of(appended(axis + "{axis: {Ez: {exact: 1}}}}\n")),
             ContainsSubstring("verification.probes.axis.Ez: unknown column 'Ez'") &&
                 ContainsSubstring("potential, Ex, Ey"));
  CHECK_THAT(message_of(appended(axis + "{axis: {Ex: {tolerance: 1}}}}\n")), ContainsSubstring("'exact' is missing"));
  CHECK_THAT(message_of(appended("output: {conductors: [left]}\n")), ContainsSubstring("two different"));
  CHECK_THAT(message_of(appended("output: {conductors: [left, bottom]}\n")), ContainsSubstring("'bottom'"));
}

TEST_CASE("recovered fields are both of the physics, unless the input names others", "[io][host]") {
  const Case all = read_case_text(appended("output: {recovered: true}\n"), "case.yaml");
  CHECK(all.output.recovered);
  CHECK(all.output.fields == std::vector<Field>{Field::solution, Field::gradient, Field::flux, Field::material});
  if (*pictures::cairo_version() != '\0') { // pictures need the field of materials
    const auto fields_of = [](const std::string& output) {
      return read_case_text(appended("output: {report: true, " + output + "}\n"), "case.yaml").output.fields;
    };
    CHECK(fields_of("fields: [potential]") == std::vector<Field>{Field::solution, Field::material});
    CHECK(fields_of("fields: []").empty());
  }
  const Case one = read_case_text(appended("output: {recovered: true, fields: [flux_density]}\n"), "case.yaml");
  CHECK(one.output.fields == std::vector<Field>{Field::flux});
  CHECK_FALSE(read_case_text(appended("output: {fields: [flux_density]}\n"), "case.yaml").output.recovered);
  for (const char* fields : {"[potential, material]", "[]"})
    CHECK_THAT(
        message_of(appended("output: {recovered: true, fields: " + std::string(fields) + "}\n")),
        ContainsSubstring("case.yaml:9: output.recovered: there is nothing to recover: output.fields has neither "
                          "electric_field nor flux_density. Add one, or leave out output.fields."));
  CHECK_THAT(message_of(appended("output: {recovered: 3}\n")),
             ContainsSubstring("case.yaml:9: output.recovered") && ContainsSubstring("true or false"));
}
