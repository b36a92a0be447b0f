// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "driver/mesh/import.hpp"
#include "driver/solve.hpp"
#include "io/input/case_reader.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>

using namespace tessera;
using Catch::Matchers::ContainsSubstring;

namespace {

/// A problem and its plan, made from a case as in docs/library.md.
template <class ExecutionSpace> struct Model {
  using Field = std::vector<double>;

  explicit Model(const std::string& text)
      : input(io::read_case_text(text, "case.yaml")), console(true), context{input, console, log, notes} {
    const io::ImportedMesh imported = driver::import_mesh(input, context);
    const driver::ProblemBinding binding = driver::bind_problem(input, imported);
    const auto size = driver::problem_size(input, imported, !is_host_space<ExecutionSpace>);
    plan = driver::make_plan(input, size, -1.);
    problem = driver::make_problem(exec, imported, binding, plan.form, plan.coarser_meshes(), context);
  }

  driver::Excitation excitation(const std::string& name, double value) const {
    driver::Excitation changed = driver::excitation_of(input);
    changed.fixed_values = problem->binding.fixed_values;
    changed.fixed_values.at(driver::find_name(problem->binding.constraint_names, name)) = physics::Expression(value);
    return changed;
  }

  driver::Solution<ExecutionSpace> solve(const driver::Excitation& excitation) {
    return driver::solve(exec, *problem, plan, excitation, log);
  }

  Field field_of(const driver::Solution<ExecutionSpace>& solution) const {
    const auto host = to_host(exec, solution.nodal);
    return {host.data(), host.data() + host.extent(0)};
  }

  ExecutionSpace exec;
  io::Case input;
  io::Console console;
  PhaseLog log;
  std::vector<std::string> notes;
  driver::Context context;
  driver::Plan plan;
  std::unique_ptr<driver::Problem<ExecutionSpace>> problem;
};

std::string electrostatics(const std::string& left) {
  return R"(tessera: 1
mesh: {box: {cells: [13, 9], upper: [0.02, 0.01]}}
problem:
  physics: electrostatics
  materials: {domain: {relative_permittivity: 2}}
  sources: {domain: {charge_density: 1.0e-5}}
  boundaries:
    left: {potential: )" +
         left + R"(}
    right: {potential: x + y}
    top: {floating: {charge: 1.0e-11}}
discretization: {order: 2}
execution: {reproducible: true}
)";
}

std::string magnetostatics(const std::string& left) {
  return R"(tessera: 1
mesh: {box: {cells: [11, 7], upper: [0.02, 0.01]}}
problem:
  physics: magnetostatics
  materials: {domain: {bh_curve: [[0, 0], [100, 1], [1000, 1.5], [100000, 2.2]]}}
  sources: {domain: {current_density: 1.0e+5}}
  boundaries:
    left: {vector_potential: )" +
         left + R"(}
    right: {vector_potential: 0}
execution: {reproducible: true}
)";
}

/// Solves one problem with other values, and again with its own: each result equals that of a separate problem.
template <class ExecutionSpace> void check_excitations(std::string (*text)(const std::string&), double value) {
  Model<ExecutionSpace> model(text("0.005"));
  Model<ExecutionSpace> other(text(std::to_string(value)));
  const auto own = driver::excitation_of(model.input);
  const auto first = model.solve(own);
  const auto second = model.solve(model.excitation("left", value));
  const auto third = model.solve(own);
  const auto expected = other.solve(own);
  for (const auto* solution : {&first, &second, &third, &expected})
    CHECK(solution->report.solver.converged());
  CHECK(first.report.checksums.count("right_hand_side") == 1);
  CHECK(model.field_of(first) != model.field_of(second));
  CHECK(model.field_of(second) == other.field_of(expected));
  CHECK(second.floating == expected.floating);
  CHECK(second.report.checksums == expected.report.checksums);
  CHECK(model.field_of(third) == model.field_of(first));
  CHECK(third.report.checksums == first.report.checksums);
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Solves of one problem with other fixed values give what runs of their own give",
                        "[driver][device]", test::ExecutionSpaces) {
  check_excitations<TestType>(electrostatics, 3.25);
  check_excitations<TestType>(magnetostatics, 0.02);
}

TEMPLATE_LIST_TEST_CASE("A problem gives the values and gradients of a solution", "[driver][device]",
                        test::ExecutionSpaces) {
  Model<TestType> model(R"(tessera: 1
mesh: {box: {cells: [7, 5], upper: [2, 1]}}
problem:
  physics: electrostatics
  materials: {domain: {relative_permittivity: 3}}
  boundaries: {left: {potential: 10}, right: {potential: 4}}
solver: {relative_tolerance: 1.0e-13}
)");
  const auto& problem = *model.problem;
  CHECK(problem.form() == model.plan.form);
  CHECK(problem.summary.n_elements == 70);
  CHECK(problem.summary.n_unknowns + problem.summary.n_fixed == problem.n_space_nodes);
  CHECK(std::fabs(problem.measure(model.exec) - 2.) < 1e-14);

  // u = 10 - 3 x
  const auto solution = model.solve(driver::excitation_of(model.input));
  const auto u = model.field_of(solution);
  double error = 0.;
  const driver::HostGrid on_host = problem.host_grid(model.exec);
  REQUIRE(static_cast<std::size_t>(on_host.grid.n_nodes) == u.size());
  for (index_t n = 0; n < on_host.grid.n_nodes; ++n)
    error = std::fmax(error, std::fabs(u[n] - (10. - 3. * on_host.grid.coordinates[2 * n])));
  CHECK(error < 1e-10);
  const auto at_elements = problem.vector_field(model.exec, solution.nodal, driver::VectorField::element_gradient, -1.);
  const auto at_nodes = problem.vector_field(model.exec, solution.nodal, driver::VectorField::nodal_gradient, -1.);
  CHECK(at_elements.extent(0) == 70);
  CHECK(at_nodes.extent(0) == u.size());
  for (const auto& field : {at_elements, at_nodes})
    for (std::size_t i = 0; i < field.extent(0); ++i)
      error = std::fmax(error, std::hypot(field(i, 0) - 3., field(i, 1)));
  CHECK(error < 1e-9);
  const auto values = problem.values_at(model.exec, solution.nodal, {{0.3, 0.4, 0.}}, true);
  CHECK(std::fabs(values.at(0).value - 9.1) < 1e-10);
  CHECK(std::fabs(values.at(0).field[0] + 3.) < 1e-9);
  CHECK(values.at(0).region == 0);
}

TEST_CASE("An excitation has a value for every constraint", "[driver]") {
  Model<test::FirstSpace> model(electrostatics("1"));
  auto excitation = model.excitation("left", 2.);
  excitation.fixed_values.pop_back();
  CHECK_THROWS_WITH(model.solve(excitation), ContainsSubstring("2 fixed values for 3 constraints"));
}

TEMPLATE_LIST_TEST_CASE("Jacobi takes the place of multigrid that auto chose and that cannot be made",
                        "[driver][device]", test::ExecutionSpaces) {
  // Nothing fixes the solution, as the coefficient vanishes everywhere; inflow and outflow balance.
  const auto text = [](const std::string& preconditioner) {
    return R"(tessera: 1
mesh: {box: {cells: [120, 120]}}
problem:
  physics: diffusion
  materials: {domain: {diffusivity: 2}}
  boundaries: {left: {flux: 1}, right: {flux: -1}, top: {robin: {coefficient: 0*x, reference: 0}}}
assembly: {strategy: row-gather}
solver: {relative_tolerance: 1.0e-8, preconditioner: )" +
           preconditioner + "}\n";
  };
  const auto solve = [&](const std::string& preconditioner) {
    Model<TestType> model(text(preconditioner));
    driver::SolverOutcome outcome = model.solve(driver::excitation_of(model.input)).report.solver;
    driver::note_solver(model.input, outcome, model.notes);
    return std::make_pair(outcome, model.notes);
  };
  const auto [chosen, notes] = solve("auto");
  CHECK(chosen.converged());
  CHECK_THAT(chosen.fallback, ContainsSubstring("it maps constants to zero"));
  REQUIRE(!notes.empty());
  CHECK_THAT(notes.back(), ContainsSubstring("auto took jacobi, because multigrid could not be made"));
  const auto jacobi = solve("jacobi");
  CHECK(jacobi.first.linear.iterations == chosen.linear.iterations);
  CHECK(jacobi.first.fallback.empty());
  CHECK_THROWS_WITH(solve("multigrid"), ContainsSubstring("it maps constants to zero"));
}
