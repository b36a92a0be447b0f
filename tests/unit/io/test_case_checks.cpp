// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "case_messages.hpp"
#include "core/error.hpp"
#include "io/input/case_reader.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>

using Catch::Matchers::ContainsSubstring;
using namespace tessera::io;

namespace {

using tessera::test::message_of;
using tessera::test::replaced;

/// Electrostatics with these boundaries and further sections.
std::string plates(const std::string& boundaries, const std::string& rest) {
  return "tessera: 1\nmesh: {box: {cells: [4, 4]}}\nproblem:\n  physics: electrostatics\n"
         "  materials: {domain: {relative_permittivity: 1}}\n  boundaries: " +
         boundaries + "\n" + rest + "\n";
}

const std::string two = "{left: {potential: 1}, right: {potential: 0}}";
const std::string three = "{left: {potential: 1}, right: {potential: 0}, top: {potential: 0}}";

std::string coils(const std::string& list, const std::string& rest) {
  return "tessera: 1\nmesh: {box: {cells: [4, 4]}}\nproblem:\n  physics: magnetostatics\n"
         "  materials: {domain: {relative_permeability: 1}}\n  coils: " +
         list + "\n  boundaries: {left: {vector_potential: 0}}\n" + rest + "\n";
}

} // namespace

TEST_CASE("Refinement by error estimates takes its keys and refuses what it cannot do", "[io]") {
  const auto message = [](const std::string& adapt, const std::string& rest, const std::string& boundaries = two) {
    std::string text = plates(boundaries, rest);
    const std::string mesh = "cells: [4, 4]}";
    return message_of(text.insert(text.find(mesh) + mesh.size(), ", adapt: " + adapt));
  };
  CHECK(message("{target_error: 0.01}", "") == "no error");
  CHECK(message("{max_elements: 1000, max_rounds: 5, share: 0.3}", "") == "no error");
  CHECK(message("{max_elements: 1000, estimator: residual}", "") == "no error");
  CHECK_THAT(
      message("{target_error: 0.1, estimator: residuals}", ""),
      ContainsSubstring("case.yaml:2: mesh.adapt.estimator: unknown estimator 'residuals'; did you mean 'residual'?"));
  CHECK_THAT(message("{}", ""),
             ContainsSubstring("case.yaml:2: mesh.adapt: at least one of target_error and max_elements"));
  CHECK_THAT(message("{target_eror: 0.1}", ""),
             ContainsSubstring("unknown key 'target_eror'; did you mean 'target_error'"));
  for (const char* value :
       {"target_error: 0", "target_error: 0.95", "max_elements: 0", "max_rounds: 0, target_error: 0.1",
        "share: 0, target_error: 0.1", "share: 1.5, target_error: 0.1"})
    CHECK_THAT(message("{" + std::string(value) + "}", ""), ContainsSubstring("case.yaml:2: mesh.adapt."));
  const std::string shell = "tessera: 1\nmesh: {file: ball.msh, adapt: {target_error: 0.1, estimator: ESTIMATOR}}\n"
                            "problem:\n  physics: electrostatics\n  materials:\n"
                            "    near: {relative_permittivity: 1}\n"
                            "    far: {relative_permittivity: 1, shell: {inner_radius: 1, outer_radius: 1.2}}\n"
                            "  boundaries: {ball: {potential: 1}}\n";
  const auto with = [&](const std::string& estimator) {
    std::string text = shell;
    return message_of(text.replace(text.find("ESTIMATOR"), 9, estimator));
  };
  CHECK_THAT(with("recovery"), !ContainsSubstring("shell")); // the file does not exist
  CHECK_THAT(with("residual"), ContainsSubstring("mesh.adapt: estimator: residual has no weights for shells") &&
                                   ContainsSubstring("case.yaml:7: problem.materials.far"));
  const std::string some = "{target_error: 0.1}";
  const std::string dg = "discretization: {method: dg, order: 3}";
  CHECK(message(some, dg) == "no error");
  CHECK(message("{target_error: 0.1, max_order: 8, estimator: residual}", dg) == "no error");
  CHECK_THAT(message("{target_error: 0.1, estimator: recovery}", dg),
             ContainsSubstring("dg has estimator: residual only"));
  CHECK_THAT(message("{target_error: 0.1, max_order: 2}", dg),
             ContainsSubstring("case.yaml:2: mesh.adapt: max_order: 2 is below discretization.order, 3"));
  CHECK_THAT(message("{target_error: 0.1, max_order: 9}", dg), ContainsSubstring("max_order"));
  CHECK_THAT(message("{target_error: 0.1, max_order: 3}", ""),
             ContainsSubstring("max_order is for discontinuous elements"));
  CHECK_THAT(message("{target_error: 0.1, compare_setup: true}", dg),
             ContainsSubstring("compare_setup is for continuous elements"));
  CHECK_THAT(message(some, "output: {quantities: [capacitance_matrix]}"),
             ContainsSubstring("output.quantities: capacitance_matrix"));
  CHECK_THAT(message(some, "solver: {preconditioner: multigrid, multigrid: {type: geometric}}"),
             ContainsSubstring("Use auto or algebraic"));
  CHECK_THAT(message(some, "", "{left: {potential: 1}, bottom: {periodic: top}}"),
             ContainsSubstring("periodic boundaries would no longer match"));
}

TEST_CASE("Files of matrices and colours are those that the strategy has", "[io]") {
  const auto message = [](const std::string& output, const std::string& rest = "") {
    return message_of(plates(two, rest + "\noutput: {" + output + "}"));
  };
  CHECK(message("matrix: system.mtx") == "no error");
  for (const std::string name : {"''", ".mtx", "system", "system.MTX", "a/system.mtx", "a b.mtx", "system.mtx.gz"})
    CHECK_THAT(message("matrix: " + name), ContainsSubstring("case.yaml:8: output.matrix: "));
  CHECK_THAT(message("matrix: A.mtx", "assembly: {strategy: ebe-stored}"),
             ContainsSubstring("case.yaml:8: output.matrix: assembly.strategy: ebe-stored has no matrix. Use auto, or "
                               "reference, atomic, "));
  CHECK_THAT(
      message_of(replaced(plates(two, "output: {matrix: A.mtx}"), "[4, 4]}", "[4, 4]}, adapt: {target_error: 0.1}")),
      ContainsSubstring("output.matrix: each round of mesh.adapt has a matrix (case.yaml:2: mesh.adapt)"));
  CHECK(message("fields: [potential, colour]", "assembly: {strategy: ebe-stored}") == "no error");
  CHECK_THAT(message("fields: [color]", "assembly: {strategy: colored}"),
             ContainsSubstring("unknown field 'color'; did you mean 'colour'?"));
  for (const std::string strategy : {"auto", "row-gather", "ebe-atomic"})
    CHECK_THAT(message("fields: [colour]", "assembly: {strategy: " + strategy + "}"),
               ContainsSubstring("case.yaml:8: output.fields: 'colour' is that of a strategy with colours, "
                                 "assembly.strategy: colored, ebe-stored or ebe-recomputed, but the strategy is '" +
                                 strategy + "'"));
  CHECK_THAT(message("fields: [colour]", "discretization: {method: dg, order: 1}"),
             ContainsSubstring("output.fields: discretization.method: dg assembles without colours"));
  const auto in_time = [](const std::string& physics, const std::string& material, const std::string& rest) {
    return message_of("tessera: 1\nmesh: {box: {cells: [4, 4]}}\nproblem:\n  physics: " + physics +
                      "\n  materials: {domain: {" + material + "}}\n  boundaries: {left: {" +
                      (physics == "heat" ? "temperature" : "value") +
                      ": 0}}\n  initial: 1\n  time: {from: 0, to: 1, steps: 2}\noutput: {matrix: A.mtx}\n" + rest);
  };
  CHECK_THAT(in_time("heat", "thermal_conductivity: 1, density: 1, specific_heat: 1", ""),
             ContainsSubstring("case.yaml:9: output.matrix: the systems of time steps (case.yaml:8: problem.time)"));
  CHECK(in_time("advection-diffusion-reaction", "diffusivity: 1", "discretization: {method: dg, order: 1}\n") ==
        "no error");
}

TEST_CASE("Matrices over conductors have the names of their physics", "[io]") {
  const auto current_flow = [](const std::string& boundaries, const std::string& rest) {
    return message_of("tessera: 1\nmesh: {box: {cells: [4, 4]}}\nproblem:\n  physics: current-flow\n"
                      "  materials: {domain: {conductivity: 1}}\n  boundaries: " +
                      boundaries + "\n" + rest + "\n");
  };
  const std::string terminals = "{left: {potential: 1}, right: {terminal: {current: 0}}}";
  const std::string asks = "output: {quantities: [conductance_matrix]";
  CHECK(current_flow(terminals, asks + ", ground: left}") == "no error");
  CHECK(current_flow(terminals, asks + "}\nverification: {quantities: {mutual_conductance.left.right: {value: 1}}}") ==
        "no error");
  CHECK_THAT(current_flow(terminals, asks + ", ground: right}"),
             ContainsSubstring("'right' is floating, but the ground is held at 0 V. Give it a potential"));
  CHECK_THAT(
      current_flow("{left: {potential: 1}}", asks + "}"),
      ContainsSubstring("a conductance matrix takes at least two terminals, one of which may be the ground (or a "
                        "contact), but 1 boundary has a potential"));
  CHECK(current_flow("{left: {terminal: {current: 1}}, right: {contact: {conductance: 1, potential: 0}}}",
                     asks + "}") == "no error"); // the contact is the ground
  CHECK_THAT(current_flow("{left: {potential: 1}, right: {contact: {conductance: 0, potential: 0}}}", asks + "}"),
             ContainsSubstring("takes at least two terminals"));
  CHECK_THAT(current_flow(terminals, "output: {quantities: [capacitance_matrix]}"),
             ContainsSubstring("unknown quantity 'capacitance_matrix'"));
  CHECK_THAT(current_flow(terminals, "output: {quantities: [resistance], ground: left}"),
             ContainsSubstring("output.ground: applies to the quantity conductance_matrix only."));
  CHECK_THAT(message_of(plates(two, asks + "}")), ContainsSubstring("unknown quantity 'conductance_matrix'"));
  CHECK_THAT(current_flow(terminals, "output: {quantities: [resistance]}\nverification: {quantities: "
                                     "{conductance_matrix.left.right: {value: 1}}}"),
             ContainsSubstring("List 'conductance_matrix' under output.quantities."));
}

TEST_CASE("Groups of a surface that are no list, or an empty one, are reported once", "[io]") {
  const auto message = [](const std::string& groups) {
    return message_of(plates(two, "output: {surfaces: {side: {groups: " + groups + "}}}"));
  };
  CHECK(message("[left, right]") == "no error");
  CHECK_THAT(message("left"), ContainsSubstring("output.surfaces.side.groups: expected a list, for example [a, b]") &&
                                  !ContainsSubstring("is empty"));
  CHECK_THAT(message("[]"), ContainsSubstring("output.surfaces.side.groups: the list is empty"));
}

TEST_CASE("A capacitance matrix takes two conductors with known names", "[io]") {
  const std::string asks = "output: {quantities: [capacitance_matrix]";
  CHECK(message_of(plates(three, asks + "}")) == "no error");
  CHECK(message_of(plates(three, asks + ", conductors: [left, top, right]}")) == "no error");
  CHECK(message_of(plates(three, asks + ", ground: top}")) == "no error");
  CHECK(message_of(plates(two, asks + ", conductors: [left]}")) == "no error"); // right is the ground
  CHECK_THAT(message_of(plates("{left: {potential: 1}}", asks + "}")),
             ContainsSubstring("case.yaml:7: output.quantities[0]: a capacitance matrix takes at least two conductors, "
                               "one of which may be the ground (or a robin), but 1 boundary has a potential"));
  CHECK_THAT(message_of(plates(three, asks + ", conductors: [left, topp]}")),
             ContainsSubstring("case.yaml:7: output.conductors[1]: unknown conductor 'topp'; did you mean 'top'?") &&
                 ContainsSubstring("left, right, top"));
  CHECK_THAT(message_of(plates(three, asks + ", conductors: [left, left]}")),
             ContainsSubstring("output.conductors[1]: 'left' is listed twice."));
  CHECK_THAT(message_of(plates(three, asks + ", conductors: []}")),
             ContainsSubstring("output.conductors: the list is empty.") && ContainsSubstring("left, right, top"));
  CHECK_THAT(message_of(plates(three, asks + ", ground: bottom}")),
             ContainsSubstring("case.yaml:7: output.ground: unknown ground 'bottom'") &&
                 ContainsSubstring("left, right, top"));
  CHECK_THAT(message_of(plates(three, asks + ", conductors: [left, top], ground: top}")),
             ContainsSubstring("output.ground: 'top' is one of output.conductors"));
  CHECK_THAT(message_of(plates("{left: {potential: 1}, right: {floating: {charge: 0}}}", asks + ", ground: right}")),
             ContainsSubstring("output.ground: 'right' is floating, but the ground is held at 0 V.") &&
                 ContainsSubstring("left"));
  CHECK_THAT(message_of(plates(two, "output: {quantities: [capacitance], ground: left}")),
             ContainsSubstring("output.ground: applies to the quantity capacitance_matrix only."));
  CHECK_THAT(message_of(plates(three, "output: {quantities: [capacitance], conductors: [left, top, right]}")),
             ContainsSubstring("output.conductors: expected two different groups"));
  CHECK_THAT(message_of(plates(three, "output: {quantities: [capacitance, capacitance_matrix], conductors: [left, top, "
                                      "right]}")),
             ContainsSubstring("output.conductors: the capacitance is between two conductors, but 3 are listed."));
  CHECK_THAT(message_of(plates(two, asks + ", probes: {Capacitance_Matrix: {points: [[0, 0]]}}}")),
             ContainsSubstring("the file capacitance_matrix.csv is that of the quantity."));
  CHECK_THAT(message_of(plates(two, "discretization: {method: dg}\n" + asks + "}")),
             ContainsSubstring("unknown quantity 'capacitance_matrix'"));
  CHECK_THAT(message_of(plates(two, "output: {quantities: [capacitance]}\nverification: {quantities: "
                                    "{mutual_capacitance.left.right: {value: 1}}}")),
             ContainsSubstring("List 'capacitance_matrix' under output.quantities."));
  CHECK(message_of(plates(two, asks + "}\nverification: {quantities: {mutual_capacitance.left.right: {value: 1}}}")) ==
        "no error");
}

TEST_CASE("An inductance matrix is of coils among linear materials", "[io]") {
  const std::string asks = "output: {quantities: [inductance_matrix]}";
  const std::string coil = "{a: {regions: {domain: 1}, turns: 2, current: 0}}";
  CHECK(message_of(coils(coil, asks)) == "no error"); // it needs no current
  CHECK_THAT(message_of(coils("{}", asks)),
             ContainsSubstring("case.yaml:8: output.quantities[0]: 'inductance_matrix' is of coils"));
  std::string curved = coils(coil, asks);
  curved.replace(curved.find("relative_permeability: 1"), 24, "bh_curve: [[0, 0], [100, 1], [1000, 1.5]]");
  CHECK_THAT(message_of(curved),
             ContainsSubstring("case.yaml:8: output.quantities[0]: the inductance matrix is that of linear materials, "
                               "but 'domain' has a B-H curve (case.yaml:5: ") &&
                 ContainsSubstring("Give it a relative_permeability, or list flux_linkage instead."));
  CHECK_THAT(message_of(plates(two, asks)), ContainsSubstring("unknown quantity 'inductance_matrix'"));
}

TEST_CASE("Forces need bodies, and axisymmetric problems have no torque", "[io]") {
  CHECK(message_of(plates(two, "output: {quantities: [force, torque], bodies: {left: {about: [0, 1]}}}")) ==
        "no error");
  CHECK_THAT(
      message_of(plates(two, "output: {quantities: [force]}")),
      ContainsSubstring("case.yaml:7: output.quantities[0]: 'force' is of bodies, but output.bodies lists none."));
  CHECK_THAT(
      message_of(plates(two + "\n  symmetry: axisymmetric", "output: {quantities: [torque], bodies: {left: {}}}")),
      ContainsSubstring("axisymmetric fields have no torque."));
  CHECK_THAT(message_of(plates(two, "output: {bodies: {left: {about: [0, 1, 2]}}}")), ContainsSubstring("about"));
  CHECK_THAT(message_of(plates(two, "output: {bodies: {left: {groups: []}}}")),
             ContainsSubstring("output.bodies.left.groups: the list is empty."));
  CHECK_THAT(message_of(plates(two, "output: {bodies: {left: {group: [right]}}}")), ContainsSubstring("group"));
  CHECK_THAT(message_of(plates(two, "output: {quantities: [force], bodies: {left: {}}}\nverification: {quantities: "
                                    "{force.right.x: {value: 1}}}")),
             ContainsSubstring("force.right.x"));
}

TEST_CASE("A capacitance without two conductors of one potential each is refused when the case is read", "[io]") {
  const std::string asks = "output: {quantities: [energy, capacitance]}";
  CHECK(message_of(plates(two, asks)) == "no error");
  CHECK(message_of(plates("{left: {potential: 1}, right: {floating: {charge: 0}}}", asks)) == "no error");
  CHECK_THAT(message_of(plates(three, asks)),
             ContainsSubstring("case.yaml:7: output.quantities[1]: a capacitance is between two conductors, but 3 "
                               "boundaries have a potential (left, right, top). Name two under output.conductors."));
  CHECK(message_of(plates(three, "output: {quantities: [capacitance], conductors: [left, top]}")) == "no error");
  CHECK_THAT(message_of(plates("{left: {potential: 1}, right: {surface_charge: 0}}", asks)),
             ContainsSubstring("but 1 boundary has a potential (left)."));
  CHECK_THAT(message_of(plates("{left: {potential: y}, right: {potential: 0}}", asks)),
             ContainsSubstring("that of 'left' varies: y (case.yaml:6: problem.boundaries.left)"));
  CHECK_THAT(message_of(plates("{left: {potential: 2}, right: {potential: 2}}", asks)),
             ContainsSubstring("'left' and 'right' have the same potential, 2 V"));
  CHECK_THAT(message_of(plates(three, "output: {quantities: [capacitance], conductors: [right, top]}")),
             ContainsSubstring("'right' and 'top' have the same potential, 0 V"));
}

TEST_CASE("Quantities of conductors or coils that the problem lacks are refused when the case is read", "[io]") {
  CHECK_THAT(message_of(plates("{left: {antiperiodic: right}}", "output: {quantities: [charge]}")),
             ContainsSubstring("output.quantities[0]: 'charge' is of groups with a value or a flux"));
  CHECK_THAT(message_of(coils("{}", "output: {quantities: [flux_linkage]}")),
             ContainsSubstring("output.quantities[0]: 'flux_linkage' is of coils, but problem.coils lists none"));
  const std::string idle = "{winding: {regions: {domain: 1}, turns: 10, current: 0}}";
  CHECK(message_of(coils(idle, "output: {quantities: [flux_linkage]}")) == "no error");
  CHECK_THAT(
      message_of(coils(idle, "output: {quantities: [flux_linkage, inductance]}")),
      ContainsSubstring("output.quantities[1]: the inductance of coil 'winding' needs a current in it, but it is "
                        "0 (case.yaml:6: problem.coils.winding). List flux_linkage instead."));
}

TEST_CASE("A value to be verified that the run does not compute is refused when the case is read", "[io]") {
  CHECK_THAT(message_of(plates(two, "verification: {quantities: {energy: {value: 1}}}")),
             ContainsSubstring("case.yaml:7: verification.quantities.energy: the run has no quantity 'energy'. List "
                               "'energy' under output.quantities."));
  CHECK_THAT(message_of(plates(two, "output: {quantities: [energy]}\n"
                                    "verification: {quantities: {charge.left: {value: 1}}}")),
             ContainsSubstring("the run has no quantity 'charge.left'. List 'charge' under output.quantities."));
  // Potentials of floating bodies need not be requested.
  CHECK(message_of(plates("{left: {potential: 1}, right: {floating: {charge: 0}}}",
                          "verification: {quantities: {potential.right: {value: 1}}}")) == "no error");
  CHECK_THAT(message_of(plates(two, "output: {probes: {line: {from: [0, 0], to: [1, 1], points: 3}}}\n"
                                    "verification: {probes: {line: {Ez: {exact: 1}}}}")),
             ContainsSubstring("unknown column 'Ez'"));
}

TEST_CASE("Tolerances with which a result would be no solution are refused", "[io]") {
  CHECK(message_of(plates(two, "solver: {relative_tolerance: 1e-3}")) == "no error");
  CHECK_THAT(
      message_of(plates(two, "solver: {relative_tolerance: 1}")),
      ContainsSubstring("case.yaml:7: solver.relative_tolerance: must lie between 0 and 0.001, but is 1. A larger "
                        "residual leaves fields and capacitances wrong"));
  CHECK_THAT(message_of(coils("{}", "solver: {nonlinear: {relative_tolerance: 0.1}}")),
             ContainsSubstring("must be positive and at most 0.001, but is 0.1."));
}

TEST_CASE("A solver that does not go with the strategy is refused when the case is read", "[io]") {
  CHECK_THAT(message_of(plates(two, "assembly: {strategy: atomic}\nsolver: {method: ebe-j-pcg}")),
             ContainsSubstring("solver.method: ebe-j-pcg works on stored element matrices"));
}

TEST_CASE("Ways between GPUs are refused on hosts", "[io]") {
  CHECK_THAT(message_of(plates(two, "execution: {backend: openmp, messages: peer}")),
             ContainsSubstring("execution.messages: peer connects GPUs, but the backend is openmp. Use mpi."));
  CHECK_THAT(message_of(plates(two, "execution: {backend: openmp, messages: pigeon}")),
             ContainsSubstring("auto, mpi, peer, nccl"));
}

TEST_CASE("Options of multigrid are reported where they are wrong or useless", "[io]") {
  const auto with = [](const std::string& options) {
    return plates(two, "solver: {preconditioner: multigrid, multigrid: " + options + "}");
  };
  CHECK_THAT(
      message_of(plates(two, "solver: {preconditioner: jacobi, multigrid: {cycle: W}}")),
      ContainsSubstring("case.yaml:7: solver.multigrid: applies to the preconditioners multigrid and auto only."));
  CHECK_THAT(message_of(with("{cycle: F}")),
             ContainsSubstring("case.yaml:7: solver.multigrid.cycle") && ContainsSubstring("V, W"));
  CHECK_THAT(message_of(with("{precision: half}")), ContainsSubstring("single, double"));
  CHECK_THAT(message_of(with("{type: amg}")), ContainsSubstring("auto, geometric, algebraic"));
  CHECK(message_of(with("{type: geometric}")) == "no error");
  CHECK_THAT(message_of(tessera::test::replaced(with("{type: geometric}"), "[4, 4]", "[3, 4]")),
             ContainsSubstring("case.yaml:7: solver.multigrid.type: geometric needs coarser meshes") &&
                 ContainsSubstring("even numbers of cells"));
  CHECK_THAT(message_of(with("{replicated_size: 0}")), ContainsSubstring("solver.multigrid.replicated_size"));
  for (const char* key : {"levels", "smoother", "degree", "strength"})
    CHECK_THAT(message_of(with(std::string("{") + key + ": 3}")),
               ContainsSubstring(std::string("solver.multigrid.") + key + ": unknown key '" + key + "'"));
  CHECK(message_of(plates(two, "assembly: {strategy: ebe-atomic}\nsolver: {preconditioner: multigrid}")) == "no error");
  for (const char* what : {"mesh.refine makes some", "type algebraic", "mesh.adapt"}) {
    // Matrix-free multigrid needs a coarser level.
    const std::string key =
        what[0] == 't' ? "{preconditioner: multigrid, multigrid: {type: algebraic}}" : "{preconditioner: multigrid}";
    const std::string box = std::string(what) == "mesh.adapt"
                                ? "mesh: {box: {cells: [4, 4]}, adapt: {target_error: 0.1}}\n"
                            : what[0] == 't' ? "mesh: {box: {cells: [4, 4]}}\n"
                                             : "mesh: {box: {cells: [4, 2]}}\n";
    std::string text = plates(two, "assembly: {strategy: ebe-atomic}\nsolver: " + key);
    const std::size_t begin = text.find("mesh:");
    text.replace(begin, text.find('\n', begin) + 1 - begin, box);
    CHECK_THAT(message_of(text), ContainsSubstring("solver.preconditioner: multigrid needs an assembled matrix, as") &&
                                     ContainsSubstring(what) &&
                                     ContainsSubstring("But strategy 'ebe-atomic' has none. Use jacobi"));
    CHECK(message_of(text + "discretization: {order: 2}\n") == (what[0] == 't' ? message_of(text) : "no error"));
  }
  CHECK(message_of(plates(two, "discretization: {method: dg}\nsolver: {preconditioner: auto}")) == "no error");
  CHECK(message_of(plates(two, "solver: {multigrid: {cycle: W}}")) == "no error"); // auto may choose it
  CHECK(message_of(plates(two, "solver: {method: multigrid, multigrid: {cycle: W}}")) == "no error");
  CHECK(message_of(plates(two, "solver: {method: multigrid, preconditioner: multigrid}")) == "no error");
  CHECK_THAT(message_of(plates(two, "solver: {method: multigrid, preconditioner: jacobi}")),
             ContainsSubstring("solver.preconditioner: method multigrid allows only multigrid"));
  CHECK_THAT(message_of(plates(two, "solver: {method: multigrid, preconditioner: auto}")),
             ContainsSubstring("solver.preconditioner: method multigrid allows only multigrid"));
  CHECK_THAT(message_of(plates(
                 two, "assembly: {strategy: ebe-atomic}\nsolver: {method: multigrid, multigrid: {type: algebraic}}")),
             ContainsSubstring("solver.method: multigrid needs an assembled matrix"));
  CHECK_THAT(message_of(plates(two, "discretization: {method: dg}\nsolver: {method: multigrid}")),
             ContainsSubstring("solver.method: multigrid needs element matrices of cg or their sum; dg has pcg"));
  CHECK(message_of(plates(two, "solver: {method: ebe-j-pcg}")) == "no error");
}

TEST_CASE("An exact solution of zero has no relative error", "[io]") {
  CHECK(message_of(plates(two, "verification: {exact: \"0*x + 1\"}")) == "no error");
  CHECK_THAT(message_of(plates(two, "verification: {exact: 0}")),
             ContainsSubstring("verification.exact: must not be zero: the error is relative to it"));
}

TEST_CASE("Open space at no given temperature is noted", "[io]") {
  const auto heat = [](const std::string& far) {
    std::string all;
    for (const std::string& note :
         read_case_text("tessera: 1\nmesh: {box: {cells: [4, 4]}}\nproblem:\n  physics: heat\n"
                        "  materials: {a: {thermal_conductivity: 2}}\n"
                        "  boundaries: {far: {asymptotic: {thermal_conductivity: 2" +
                            far + "}}}\n",
                        "case.yaml")
             .notes)
      all += note + '\n';
    return all;
  };
  CHECK_THAT(heat(""), ContainsSubstring("problem.boundaries.far: the temperature at infinity is 0 K, as no ambient"));
  CHECK(heat(", ambient: 293").empty());
  CHECK(heat(", ambient: 0").empty());
  CHECK_THAT(heat(", ambient: -5"), ContainsSubstring("far.asymptotic.ambient: -5 K is below absolute zero"));
}
