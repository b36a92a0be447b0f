// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "case_messages.hpp"
#include "graph/partition/metis.hpp"
#include "io/input/case_reader.hpp"
#include "io/input/resolved.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>

using Catch::Matchers::ContainsSubstring;
using namespace tessera::io;
using tessera::test::message_of;

namespace {

const char* const transport = R"yaml(tessera: 1
mesh: {box: {cells: [4, 4]}, agglomerate: {elements: 8}}
problem:
  physics: advection-diffusion-reaction
  materials: {domain: {diffusivity: [[2, 0.5], [0.5, 1]], velocity: [1, "x"], reaction: 3}}
  sources: {domain: {source: "sin(x)"}}
  boundaries:
    left: {value: 1}
    right: {flux: 0}
discretization: {order: 3}
)yaml";

std::string message_with(const std::string& piece, const std::string& replacement) {
  return message_of(tessera::test::replaced(transport, piece, replacement));
}

std::string message_of_added(const std::string& text) { return message_of(transport + text); }

} // namespace

TEST_CASE("advection-diffusion-reaction is read with the defaults of dg", "[io][host]") {
  const Case input = read_case_text(transport, "case.yaml");
  CHECK(input.discretization.method == Method::dg);
  CHECK(input.discretization.order.number == 3);
  CHECK(input.discretization.penalty == 5.);
  CHECK(input.mesh.agglomerate.elements == 8);
  const Material& material = input.problem.materials.at(0);
  REQUIRE(material.coefficient.diagonal.size() == 2);
  CHECK(material.coefficient.diagonal[0].value == 2.);
  REQUIRE(material.coefficient.off_diagonal.size() == 1);
  CHECK(material.coefficient.off_diagonal[0].value == 0.5);
  REQUIRE(material.velocity.size() == 2);
  CHECK(material.velocity[1].text == "x");
  CHECK(material.reaction.value == 3.);
  CHECK(input.solver.method == SolverMethod::gmres);
  CHECK(input.solver.preconditioner == Preconditioner::multigrid);
  CHECK(input.solver.restart == 30);
  CHECK(input.output.subdivisions == 1);
}

TEST_CASE("without a velocity dg is symmetric and takes pcg", "[io][host]") {
  const std::string text = tessera::test::replaced(transport, "velocity: [1, \"x\"], ", "");
  CHECK(read_case_text(text, "case.yaml").solver.method == SolverMethod::pcg);
  CHECK(message_of(text + "solver: {preconditioner: block-gauss-seidel}\n") == "no error");
}

TEST_CASE("dg takes multigrid where its levels are as good as diffusion lets them be", "[io][host]") {
  const auto preconditioner_of = [](const std::string& velocity, const std::string& diffusivity,
                                    const std::string& reaction, const std::string& more) {
    return read_case_text("tessera: 1\nmesh: {box: {cells: [4, 4]}}\nproblem:\n"
                          "  physics: advection-diffusion-reaction\n  materials: {domain: {diffusivity: " +
                              diffusivity + ", velocity: " + velocity + ", reaction: " + reaction +
                              "}}\n  boundaries: {left: {value: 1}}\n" + more,
                          "case.yaml")
        .solver.preconditioner;
  };
  const std::string still = "[0, 0]";
  const std::string in_time = "  time: {from: 0, to: 1, steps: 2}\n";
  CHECK(preconditioner_of(still, "1", "0", "") == Preconditioner::multigrid);
  CHECK(preconditioner_of(still, "1", "0", "solver: {preconditioner: auto}\n") == Preconditioner::multigrid);
  CHECK(preconditioner_of(still, "1", "0", in_time) == Preconditioner::automatic); // by a trial
  CHECK(preconditioner_of(still, "1", "0", "discretization: {order: 4}\n") == Preconditioner::multigrid);
  CHECK(preconditioner_of("[1, x]", "1", "0", "") == Preconditioner::multigrid);
  CHECK(preconditioner_of("[1, x]", "1", "0", in_time) == Preconditioner::automatic);
  CHECK(preconditioner_of(still, "1", "0", in_time + "execution: {reproducible: true}\n") == Preconditioner::multigrid);
  // A degree beyond the smoother's range, degrees that are not known yet, matrices for each time step, no diffusion.
  CHECK(preconditioner_of(still, "1", "0", "discretization: {order: 5}\n") == Preconditioner::block_jacobi);
  CHECK(preconditioner_of(still, "1", "0", "discretization: {order: {default: 1, regions: {domain: 5}}}\n") ==
        Preconditioner::block_jacobi);
  CHECK(preconditioner_of(still, "1", "0", "discretization: {order: 1 + x}\n") == Preconditioner::block_jacobi);
  CHECK(preconditioner_of("[1, t]", "1", "0", in_time) == Preconditioner::block_gauss_seidel);
  CHECK(preconditioner_of(still, "1 + t", "0", in_time) == Preconditioner::block_gauss_seidel);
  CHECK(preconditioner_of(still, "1", "t", in_time) == Preconditioner::block_gauss_seidel);
  CHECK(preconditioner_of(still, "0", "1", "") == Preconditioner::block_jacobi);
  CHECK(preconditioner_of("[1, x]", "0", "1", "") == Preconditioner::block_gauss_seidel);
  CHECK(preconditioner_of("[1, x]", "0", "1", "execution: {reproducible: true}\n") == Preconditioner::block_jacobi);
  CHECK(preconditioner_of(still, "1", "0", in_time + "discretization: {local_steps: 2}\n") ==
        Preconditioner::block_gauss_seidel);
}

TEST_CASE("dg takes bicgstab where nothing diffuses", "[io][host]") {
  const std::string advection =
      tessera::test::replaced(transport, "diffusivity: [[2, 0.5], [0.5, 1]]", "diffusivity: 0");
  CHECK(read_case_text(advection, "case.yaml").solver.method == SolverMethod::bicgstab);
  CHECK(read_case_text(advection + "solver: {method: gmres}\n", "case.yaml").solver.method == SolverMethod::gmres);
}

TEST_CASE("block Gauss-Seidel sweeps downwind where nothing diffuses, or as the input says", "[io][host]") {
  const std::string sweeps = "solver: {preconditioner: block-gauss-seidel";
  const auto order_of = [&](const std::string& text, const std::string& more) {
    return read_case_text(text + sweeps + more + "}\n", "case.yaml").solver.sweep_order;
  };
  const std::string advection =
      tessera::test::replaced(transport, "diffusivity: [[2, 0.5], [0.5, 1]]", "diffusivity: 0");
  CHECK(order_of(transport, "") == SweepOrder::color);
  CHECK(order_of(transport, ", sweep_order: downwind") == SweepOrder::downwind);
  CHECK(order_of(advection, "") == SweepOrder::downwind);
  CHECK(order_of(advection, ", sweep_order: color") == SweepOrder::color);
  CHECK_THAT(resolved_text(read_case_text(advection + sweeps + "}\n", "case.yaml")),
             ContainsSubstring("sweep_order: downwind"));
  CHECK_THAT(message_of_added("solver: {sweep_order: color}\n"),
             ContainsSubstring("applies to preconditioner block-gauss-seidel only"));
  CHECK_THAT(message_of_added(sweeps + ", sweep_order: upwind}\n"), ContainsSubstring("color, downwind"));
  CHECK_THAT(message_of(tessera::test::replaced(transport, "velocity: [1, \"x\"], ", "") + sweeps +
                        ", sweep_order: downwind}\n"),
             ContainsSubstring("solver.sweep_order") && ContainsSubstring("no downwind direction"));
}

TEST_CASE("a probe cannot have the file of the quantities", "[io][host]") {
  const std::string in_time = tessera::test::replaced(transport, "  boundaries:\n",
                                                      "  time: {from: 0, to: 1, steps: 2}\n"
                                                      "  boundaries:\n");
  const std::string probe = "probes: {Quantities: {points: [[0.5, 0.5]]}}}\n";
  CHECK_THAT(message_of(in_time + "output: {quantities: [mean], " + probe), ContainsSubstring("quantities.csv"));
  CHECK(message_of(in_time + "output: {" + probe) == "no error");
  CHECK_THAT(message_of_added("output: {quantities: [mean], " + probe),
             ContainsSubstring("the file quantities.csv is that of the quantities"));
  CHECK(message_of_added("output: {" + probe) == "no error");
}

TEST_CASE("subdivisions of the fields are those of dg", "[io][host]") {
  const Case input = read_case_text(std::string(transport) + "output: {subdivisions: 4}\n", "case.yaml");
  CHECK(input.output.subdivisions == 4);
  CHECK_THAT(resolved_text(input), ContainsSubstring("subdivisions: 4"));
  CHECK_THAT(message_of_added("output: {subdivisions: 0}\n"), ContainsSubstring("output.subdivisions"));
  CHECK_THAT(message_of_added("output: {subdivisions: 33}\n"), ContainsSubstring("output.subdivisions"));
  CHECK_THAT(message_of("tessera: 1\nmesh: {box: {cells: [2, 2]}}\nproblem: {physics: diffusion, materials: {domain: "
                        "{diffusivity: 1}}, boundaries: {left: {value: 0}}}\noutput: {subdivisions: 2}\n"),
             ContainsSubstring("applies to discretization.method dg only"));
}

TEST_CASE("a resolved input of dg reads back to itself", "[io][host]") {
  const Case input = read_case_text(transport, "case.yaml");
  const std::string text = resolved_text(input);
  CHECK(resolved_text(read_case_text(text, "case.yaml")) == text);
  CHECK_THAT(text, ContainsSubstring("velocity: [1, x]") && ContainsSubstring("restart: 30") &&
                       ContainsSubstring("elements: 8") && ContainsSubstring("penalty: 5"));
}

TEST_CASE("degrees are read by region and as expressions", "[io][host]") {
  const auto order_of = [](const std::string& order) {
    return read_case_text(tessera::test::replaced(transport, "order: 3", "order: " + order), "case.yaml");
  };
  const Case regions = order_of("{default: 2, regions: {domain: 4, air: 0}}");
  CHECK(regions.discretization.order.number == 2);
  REQUIRE(regions.discretization.order.regions.size() == 2);
  CHECK(regions.discretization.order.regions[0].region.name == "domain");
  CHECK(regions.discretization.order.regions[0].number == 4);
  CHECK(regions.discretization.order.regions[1].number == 0);
  CHECK(!regions.discretization.order.expression);
  const Case expression = order_of("\"1 + 4*x\"");
  REQUIRE(expression.discretization.order.expression);
  CHECK(expression.discretization.order.expression->text == "1 + 4*x");
  CHECK(order_of("\"1 + 2\"").discretization.order.number == 3);
  CHECK(order_of("0").discretization.order.number == 0);
  for (const Case& input : {regions, expression}) {
    const std::string text = resolved_text(input);
    CHECK(resolved_text(read_case_text(text, "case.yaml")) == text);
  }
  CHECK_THAT(resolved_text(regions), ContainsSubstring("order: {default: 2, regions: {domain: 4, air: 0}}"));
}

TEST_CASE("wrong degrees are reported by key", "[io][host]") {
  const auto message_of_order = [](const std::string& order) { return message_with("order: 3", "order: " + order); };
  CHECK_THAT(message_of_order("{regions: {domain: 9}}"),
             ContainsSubstring("case.yaml:10: discretization.order.regions.domain: must lie between 0 and 8"));
  CHECK_THAT(message_of_order("{default: -1, regions: {domain: 1}}"),
             ContainsSubstring("discretization.order.default: must lie between 0 and 8"));
  CHECK_THAT(message_of_order("{regions: {domain: 1.5}}"), ContainsSubstring("expected a whole number"));
  CHECK_THAT(message_of_order("{default: 2}"), ContainsSubstring("the key 'regions' is missing"));
  CHECK_THAT(message_of_order("{regions: {domain: 2}, air: 1}"), ContainsSubstring("unknown key 'air'"));
  CHECK_THAT(message_of_order("\"1 + t\""), ContainsSubstring("discretization.order: the degree of an element cannot"));
  CHECK_THAT(message_of_order("\"1 + q\""), ContainsSubstring("case.yaml:10: discretization.order"));
  CHECK_THAT(message_of_order("[1, 2]"), ContainsSubstring("case.yaml:10: discretization.order"));
  const std::string symmetric = "tessera: 1\nmesh: {box: {cells: [4, 4]}}\nproblem:\n  physics: diffusion\n"
                                "  materials: {domain: {diffusivity: 1}}\n  boundaries: {left: {value: 1}}\n"
                                "discretization: {method: dg, order: 2}\n";
  CHECK(message_of(symmetric + "solver: {preconditioner: multigrid, multigrid: {cycle: W}}\n") == "no error");
  const std::string advection = "tessera: 1\nmesh: {box: {cells: [4, 4]}}\nproblem:\n"
                                "  physics: advection-diffusion-reaction\n"
                                "  materials: {domain: {diffusivity: D, velocity: [1, 0]}}\n"
                                "  boundaries: {left: {value: 1}}\ndiscretization: {method: dg, order: 2}\n"
                                "solver: {preconditioner: multigrid}\n";
  const auto with_diffusivity = [&](const std::string& number) {
    std::string text = advection;
    return message_of(text.replace(text.find("D,"), 1, number));
  };
  CHECK(with_diffusivity("0.1") == "no error");
  CHECK_THAT(with_diffusivity("0"),
             ContainsSubstring("solver.preconditioner: multigrid of dg is for diffusion, and there is none"));
  CHECK_THAT(message_of("tessera: 1\nmesh: {box: {cells: [4, 4]}}\nproblem:\n  physics: diffusion\n"
                        "  time: {from: 0, to: 1, steps: 2}\n  materials: {domain: {diffusivity: 1}}\n"
                        "  boundaries: {left: {value: 1}}\n"
                        "discretization: {method: dg, order: 2, local_steps: 2}\n"
                        "solver: {preconditioner: multigrid}\n"),
             ContainsSubstring("multigrid of dg does not go with discretization.local_steps"));
  for (const char* options : {"{type: geometric}", "{cycle: full}"})
    CHECK_THAT(message_of(symmetric + "solver: {preconditioner: multigrid, multigrid: " + options + "}\n"),
               ContainsSubstring("solver.multigrid: dg has type algebraic"));
  const std::string cg = "tessera: 1\nmesh: {box: {cells: [4, 4]}}\nproblem:\n  physics: diffusion\n"
                         "  materials: {domain: {diffusivity: 1}}\n  boundaries: {left: {value: 1}}\n";
  CHECK_THAT(message_of(cg + "discretization: {order: x}\n"), ContainsSubstring("discretization.order"));
  CHECK_THAT(message_of(cg + "discretization: {order: 0}\n"), ContainsSubstring("must lie between 1 and 2"));
}

TEST_CASE("steps of elements are read like degrees, as powers of two", "[io][host]") {
  const std::string in_time =
      tessera::test::replaced(transport, "problem:\n", "problem:\n  time: {from: 0, to: 1, steps: 4}\n");
  const auto with = [&](const std::string& steps) {
    return tessera::test::replaced(in_time, "order: 3", "order: 3, local_steps: " + steps);
  };
  CHECK(read_case_text(in_time, "case.yaml").discretization.local_steps.number == 1);
  const Case number = read_case_text(with("64"), "case.yaml");
  CHECK(number.discretization.local_steps.number == 64);
  const Case regions = read_case_text(with("{default: 2, regions: {domain: 8}}"), "case.yaml");
  CHECK(regions.discretization.local_steps.number == 2);
  REQUIRE(regions.discretization.local_steps.regions.size() == 1);
  CHECK(regions.discretization.local_steps.regions[0].number == 8);
  const Case expression = read_case_text(with("\"1 + 4*x\""), "case.yaml");
  CHECK(expression.discretization.local_steps.expression);
  for (const Case& input : {number, regions, expression}) {
    const std::string text = resolved_text(input);
    CHECK(resolved_text(read_case_text(text, "case.yaml")) == text);
  }
  CHECK_THAT(message_of(with("3")), ContainsSubstring("discretization.local_steps: must be a power of two, but is 3"));
  CHECK_THAT(message_of(with("{regions: {domain: 6}}")),
             ContainsSubstring("local_steps.regions.domain: must be a power of two, but is 6"));
  CHECK_THAT(message_of(with("128")), ContainsSubstring("local_steps: must lie between 1 and 64"));
  CHECK_THAT(message_of(with("\"1 + t\"")),
             ContainsSubstring("the number of steps of an element cannot change with t"));
  CHECK_THAT(message_with("order: 3", "order: 3, local_steps: 2"),
             ContainsSubstring("discretization.local_steps: applies to method dg with problem.time only"));
}

TEST_CASE("what dg and cg do not have is reported by key", "[io][host]") {
  CHECK_THAT(message_with("{order: 3}", "{method: cg}"),
             ContainsSubstring("case.yaml:10: discretization.method: advection-diffusion-reaction is solved by dg"));
  CHECK_THAT(message_with("order: 3", "order: 9"), ContainsSubstring("discretization.order") && ContainsSubstring("8"));
  CHECK_THAT(message_with("cells: [4, 4]", "cells: [4, 4, 4]"),
             ContainsSubstring("discretization.order") || ContainsSubstring("one per direction"));
  CHECK_THAT(message_with("{flux: 0}", "{robin: {coefficient: 1, reference: 0}}"), ContainsSubstring("right"));
  CHECK_THAT(message_with("{elements: 8}", "{elements: 8, mean_size: 1}"), ContainsSubstring("exactly one of"));
  CHECK_THAT(message_with("{elements: 8}", "{elements: 8, from: a.part}"), ContainsSubstring("exactly one of"));
  CHECK_THAT(message_with("{elements: 8}", "{from: a.part.4}"),
             ContainsSubstring("case.yaml:2: mesh.agglomerate.from: the file 'a.part.4' does not exist"));
  CHECK_THAT(message_with("{elements: 8}", "{from: element}"),
             ContainsSubstring("mesh.agglomerate.from: 'element' is no partition file") &&
                 ContainsSubstring("VTKHDF files only"));
  CHECK_THAT(message_with("{elements: 8}", "{from: cells, method: metis}"),
             ContainsSubstring("mesh.agglomerate.method: does not go with from"));
  CHECK_THAT(message_with("order: 3", "order: 3, covering: paper"),
             ContainsSubstring("discretization.covering: unknown covering 'paper'; allowed: surface, p-coverable, "
                               "simplices"));
  CHECK_THAT(message_with("order: 3", "order: 3, extra_degree: 9"), ContainsSubstring("discretization.extra_degree"));
  CHECK_THAT(message_with("order: 3", "order: 3, extra_degree: -1"), ContainsSubstring("discretization.extra_degree"));
  CHECK_THAT(message_with("{elements: 8}", "{elements: 0}"), ContainsSubstring("mesh.agglomerate.elements"));
  CHECK_THAT(message_with("{elements: 8}", "{elements: 8, method: scotch}"),
             ContainsSubstring("mesh.agglomerate.method: unknown method 'scotch'; allowed: device, metis"));
  if (*tessera::graph::metis_version() == '\0')
    CHECK_THAT(message_with("{elements: 8}", "{elements: 8, method: metis}"),
               ContainsSubstring("mesh.agglomerate.method: this build has no METIS") &&
                   ContainsSubstring("libmetis-dev"));
  else
    CHECK(message_with("{elements: 8}", "{elements: 8, method: metis}") == "no error");
  CHECK_THAT(message_with("[0.5, 1]]", "[0.4, 1]]"), ContainsSubstring("must be symmetric"));
  CHECK_THAT(message_with("[[2, 0.5], [0.5, 1]]", "[[1, 2], [2, 1]]"), ContainsSubstring("negative eigenvalue"));
  CHECK_THAT(message_with("[[2, 0.5], [0.5, 1]]", "-1"), ContainsSubstring("diffusivity"));
  CHECK_THAT(message_with("[1, \"x\"]", "[1, 2, 3]"), ContainsSubstring("velocity") && ContainsSubstring("list of 2"));
  CHECK_THAT(message_of_added("solver: {method: pcg}\n"), ContainsSubstring("pcg needs a symmetric matrix"));
  CHECK_THAT(message_of_added("solver: {method: ebe-j-pcg}\n"), ContainsSubstring("ebe-j-pcg needs element matrices"));
  CHECK_THAT(message_of_added("solver: {method: bicgstab, restart: 10}\n"), ContainsSubstring("applies to gmres"));
  const std::string cg = "tessera: 1\nmesh: {box: {cells: [4, 4]}}\nproblem:\n  physics: diffusion\n"
                         "  materials: {domain: {diffusivity: 1}}\n  boundaries: {left: {value: 1}}\n";
  CHECK_THAT(message_of(cg + "solver: {method: gmres}\n"), ContainsSubstring("gmres applies to"));
  CHECK_THAT(message_of(cg + "solver: {preconditioner: block-jacobi}\n"), ContainsSubstring("block-jacobi applies to"));
  for (const char* option : {"penalty: 3", "covering: simplices", "extra_degree: 1"})
    CHECK_THAT(message_of(cg + "discretization: {" + option + "}\n"), ContainsSubstring("applies to method dg"));
  const auto notes_with_penalty = [&](const std::string& penalty) {
    std::string all;
    for (const std::string& note :
         tessera::io::read_case_text(cg + "discretization: {method: dg, penalty: " + penalty + "}\n", "case.yaml")
             .notes)
      all += note + "\n";
    return all;
  };
  CHECK_THAT(notes_with_penalty("1e6"), ContainsSubstring("case.yaml:7: discretization.penalty: is so large"));
  CHECK_THAT(notes_with_penalty("0.5"), ContainsSubstring("case.yaml:7: discretization.penalty: below 1 the matrix"));
  CHECK(notes_with_penalty("1e3").empty());
  CHECK(notes_with_penalty("1").empty());
  CHECK_THAT(message_of(tessera::test::replaced(cg, "[4, 4]}", "[4, 4]}, agglomerate: {elements: 2}")),
             ContainsSubstring("needs discretization.method dg"));
  CHECK_THAT(message_of_added("output: {quantities: [energy]}\n"),
             ContainsSubstring("output.quantities[0]: unknown quantity 'energy'; allowed: total_flux, mean."));
  CHECK_THAT(message_of_added("verification: {quantities: {mean: {value: 1}}}\n"),
             ContainsSubstring("List 'mean' under output.quantities"));
  CHECK_THAT(message_of_added("output: {quantities: [mean]}\nverification: {quantities: {mean.air: {value: 1}}}\n"),
             ContainsSubstring("unknown quantity 'mean.air'; allowed: mean, mean.domain, total_flux.left"));
  CHECK(message_of_added("output: {quantities: [mean, total_flux]}\nverification: {quantities: {mean.domain: {value: "
                         "1}, total_flux.right: {value: 1}}}\n") == "no error");
  CHECK_THAT(message_of_added("solver: {initial_guess: 1}\n"), ContainsSubstring("dg starts from zero"));
  CHECK_THAT(message_of_added("output: {fields: [flux]}\n"), ContainsSubstring("does not write 'flux'"));
  CHECK_THAT(message_of_added("output: {recovered: true}\n"),
             ContainsSubstring("case.yaml:11: output.recovered: applies to discretization.method cg only."));
  CHECK_THAT(message_of_added("assembly: {strategy: row-gather}\n"), ContainsSubstring("block-rows"));
  CHECK_THAT(message_of_added("assembly: {coloring: ccm}\n"), ContainsSubstring("method cg only"));
  CHECK_THAT(message_of_added("assembly: {precision: half}\n"), ContainsSubstring("allowed: single, double"));
  CHECK_THAT(message_of_added("assembly: {precision: single, strategy: reference}\n"),
             ContainsSubstring("assembly.precision: the strategy 'reference' has double precision only"));
  CHECK(message_of_added("assembly: {precision: single}\n") == "no error");
  CHECK_THAT(message_of(cg + "assembly: {precision: single}\n"), ContainsSubstring("method dg only"));
  CHECK(message_of(cg + "discretization: {method: dg}\noutput: {quantities: [energy, total_flux, mean]}\n") ==
        "no error");
  CHECK_THAT(message_of(cg + "output: {quantities: [mean]}\n"), ContainsSubstring("unknown quantity 'mean'"));
}

TEST_CASE("a problem in time is read with its own defaults and reads back to itself", "[io][host]") {
  const std::string text = tessera::test::replaced(
      transport, "  sources:", "  time: {from: 1, to: 3, steps: 4}\n  initial: \"x*y\"\n  sources:");
  const Case input = read_case_text(text, "case.yaml");
  CHECK(input.problem.time.nodes() == std::vector<double>{1., 1.5, 2., 2.5, 3.});
  CHECK(input.problem.time.initial.text == "x*y");
  CHECK(input.discretization.time_polynomials == tessera::fe::TimePolynomials::p);
  CHECK(input.solver.method == SolverMethod::bicgstab);
  CHECK(input.solver.preconditioner == Preconditioner::automatic);
  CHECK(input.output.every == 1);
  const std::string resolved = resolved_text(input);
  CHECK(resolved_text(read_case_text(resolved, "case.yaml")) == resolved);
  CHECK_THAT(resolved, ContainsSubstring("time: {from: 1, to: 3, steps: 4}") && ContainsSubstring("initial: x*y") &&
                           ContainsSubstring("time_polynomials: p") && ContainsSubstring("every: 1"));

  const auto with_time = [&](const std::string& time) {
    return tessera::test::replaced(text, "{from: 1, to: 3, steps: 4}", time);
  };
  const Case sizes = read_case_text(with_time("{from: 1, sizes: [0.5, 0.25]}"), "case.yaml");
  CHECK(sizes.problem.time.nodes() == std::vector<double>{1., 1.5, 1.75});
  const std::string again = resolved_text(sizes);
  CHECK(resolved_text(read_case_text(again, "case.yaml")) == again);

  CHECK_THAT(message_of(with_time("{from: 1, to: 1, steps: 4}")),
             ContainsSubstring("case.yaml:6: problem.time.to: must be later than from, 1 s"));
  CHECK_THAT(message_of(with_time("{to: 1, steps: 0}")), ContainsSubstring("problem.time.steps"));
  CHECK_THAT(message_of(with_time("{from: 1, to: 1.0000000000000002, steps: 4}")),
             ContainsSubstring("case.yaml:6: problem.time.steps: a time step of") &&
                 ContainsSubstring("is lost in the rounding of times up to"));
  CHECK_THAT(message_of(with_time("{from: 1e9, sizes: [1, 1e-6]}")),
             ContainsSubstring("problem.time.sizes: a time step of 1.0e-06 s is lost in the rounding"));
  CHECK(message_of(with_time("{from: 1700000000, to: 1700000001, steps: 100}")) == "no error");
  CHECK_THAT(message_of(with_time("{to: 1}")), ContainsSubstring("the key 'steps' is missing"));
  CHECK_THAT(message_of(with_time("{steps: 1}")), ContainsSubstring("the key 'to' is missing"));
  CHECK_THAT(message_of(with_time("{sizes: [0.5, 0]}")), ContainsSubstring("a time step of 0 s"));
  CHECK_THAT(message_of(with_time("{sizes: [0.5], to: 1}")),
             ContainsSubstring("give the sizes of the steps, or to and steps"));
  CHECK_THAT(message_of(text + "solver: {method: pcg}\n"), ContainsSubstring("in time it is not"));
  CHECK_THAT(message_of(text + "output: {every: 0}\n"), ContainsSubstring("output.every"));
}

TEST_CASE("keys of time without a time are reported", "[io][host]") {
  CHECK_THAT(message_with("  sources:", "  initial: 1\n  sources:"), ContainsSubstring("problems with a time only"));
  CHECK_THAT(message_with("{order: 3}", "{order: 3, time_polynomials: pq}"),
             ContainsSubstring("discretization.time_polynomials: applies to method dg with problem.time only"));
  CHECK_THAT(message_of_added("output: {every: 2}\n"), ContainsSubstring("output.every: applies to problems with"));
  CHECK_THAT(message_of("tessera: 1\nmesh: {box: {cells: [4, 4]}}\nproblem:\n  physics: current-flow\n"
                        "  time: {to: 1, steps: 2}\n"
                        "  materials: {domain: {conductivity: 1}}\n  boundaries: {left: {potential: 1}}\n"),
             ContainsSubstring("problem.time: applies to heat, diffusion and advection-diffusion-reaction only"));
}
