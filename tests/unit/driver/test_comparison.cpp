// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/compare/comparison.hpp"
#include "driver/compare/comparison_tables.hpp"
#include "driver/compare/run_strategies.hpp"
#include "driver/mesh/import.hpp"
#include "driver/visit.hpp"
#include "support/run_case.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <sstream>

using namespace tessera;
using assembly::Strategy;
using driver::Candidate;
using driver::Comparison;

namespace {

/// A converged run of three unknowns.
Candidate run_of(const std::string& backend, Strategy strategy) {
  Candidate run;
  run.backend = backend;
  run.strategy = io::name_of(strategy);
  run.converged = true;
  run.iterations = 3;
  run.relative_tolerance = 1e-10;
  run.arrays.offsets = {0, 2, 5, 7};
  run.arrays.columns = {0, 1, 0, 1, 2, 1, 2};
  run.arrays.values = {2., -1., -1., 2., -1., -1., 2.};
  run.arrays.rhs = {1., 0., 1.};
  run.arrays.product = {0.5, -0.25, 0.125};
  run.arrays.solution = {1., 1., 1.};
  run.arrays.quantities = {1.5};
  return run;
}

/// Whether a run that differs from the first one by `change` agrees with it.
bool agrees(const std::function<void(Candidate&)>& change, bool reproducible = false,
            Strategy strategy = Strategy::row_gather) {
  Comparison comparison(reproducible);
  CHECK(comparison.add(run_of("serial", Strategy::reference)).agrees);
  CHECK(comparison.add(run_of("serial", Strategy::row_gather)).agrees);
  Candidate run = run_of("openmp", strategy);
  change(run);
  const bool result = comparison.add(run).agrees;
  CHECK(comparison.all_agree() == result);
  CHECK(comparison.exit_code() == (result ? 0 : 2));
  return result;
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEST_CASE("Runs that are the same agree", "[driver]") {
  CHECK(agrees([](Candidate&) {}));
  CHECK(agrees([](Candidate&) {}, true));
}

TEST_CASE("Matrices that differ are reported", "[driver]") {
  // Relative to the absolute row sum, 3 or 4.
  CHECK(agrees([](Candidate& run) { run.arrays.values[3] += 2e-12; }));
  CHECK_FALSE(agrees([](Candidate& run) { run.arrays.values[3] += 5e-12; }));
  CHECK_FALSE(agrees([](Candidate& run) { run.arrays.values.back() += 1e-9; }));
  CHECK_FALSE(agrees([](Candidate& run) { run.arrays.values[0] = not_a_number; }));
  CHECK_FALSE(agrees([](Candidate& run) { run.arrays.columns[1] = 2; }));
  CHECK_FALSE(agrees([](Candidate& run) { run.arrays.offsets[1] = 1; }));
  CHECK_FALSE(agrees([](Candidate& run) {
    run.arrays.offsets.back() = 6;
    run.arrays.columns.pop_back();
    run.arrays.values.pop_back();
  }));
}

TEST_CASE("Right-hand sides and products that differ are reported", "[driver]") {
  CHECK(agrees([](Candidate& run) { run.arrays.rhs[1] = 5e-13; }));
  CHECK_FALSE(agrees([](Candidate& run) { run.arrays.rhs[1] = 2e-12; }));
  CHECK_FALSE(agrees([](Candidate& run) { run.arrays.rhs[2] = not_a_number; }));
  CHECK_FALSE(agrees([](Candidate& run) { run.arrays.rhs.pop_back(); }));
  CHECK_FALSE(agrees([](Candidate& run) { run.arrays.product[2] += 1e-12; })); // relative to 0.5
}

TEST_CASE("Solutions that differ are reported", "[driver]") {
  // A thousand times the tolerance of the first run.
  CHECK(agrees([](Candidate& run) { run.arrays.solution[0] += 0.9e-7; }));
  CHECK_FALSE(agrees([](Candidate& run) { run.arrays.solution[0] += 1.1e-7; }));
  CHECK_FALSE(agrees([](Candidate& run) { run.arrays.solution[1] = INFINITY; }));
  CHECK_FALSE(agrees([](Candidate& run) { run.arrays.solution.clear(); }));
}

TEST_CASE("A run that did not converge does not agree", "[driver]") {
  CHECK_FALSE(agrees([](Candidate& run) { run.converged = false; }));
  Comparison comparison(false);
  Candidate first = run_of("serial", Strategy::reference);
  first.converged = false;
  CHECK_FALSE(comparison.add(first).agrees);
  CHECK(comparison.add(run_of("serial", Strategy::atomic)).agrees);
  CHECK(comparison.exit_code() == 2);
}

TEST_CASE("Bits of one strategy must be the same in reproducible runs only", "[driver]") {
  const auto last_bit = [](Candidate& run) { run.arrays.solution[0] = std::nextafter(1., 2.); };
  CHECK(agrees(last_bit, false));
  CHECK_FALSE(agrees(last_bit, true));
  CHECK(agrees(last_bit, true, Strategy::ebe_stored)); // the first of its strategy
  for (const auto& change : std::vector<std::function<void(Candidate&)>>{
           [](Candidate& run) { run.arrays.values[0] = std::nextafter(2., 3.); },
           [](Candidate& run) { run.arrays.rhs[0] = std::nextafter(1., 2.); },
           [](Candidate& run) { run.arrays.product[0] = std::nextafter(0.5, 1.); },
           [](Candidate& run) { run.arrays.quantities[0] = std::nextafter(1.5, 2.); },
           [](Candidate& run) { run.arrays.quantities[0] = -1.5; }, [](Candidate& run) { run.iterations = 4; }})
    CHECK_FALSE(agrees(change, true));
}

TEST_CASE("Bits that are the same on every backend must be so in all runs", "[driver]") {
  const auto last_bit = [](Candidate& run) {
    run.has_fixed_bits = true;
    run.arrays.solution[0] = std::nextafter(1., 2.);
  };
  CHECK_FALSE(agrees(last_bit, false));
  CHECK(agrees(last_bit, false, Strategy::ebe_stored)); // the first of its strategy
}

TEST_CASE("A matrix is held against a matrix only", "[driver]") {
  CHECK(agrees(
      [](Candidate& run) {
        run.arrays.offsets.clear();
        run.arrays.columns.clear();
        run.arrays.values.clear();
      },
      false, Strategy::ebe_atomic));
  CHECK_FALSE(agrees(
      [](Candidate& run) {
        run.arrays.offsets.clear();
        run.arrays.product[0] = 0.5001;
      },
      false, Strategy::ebe_atomic));
}

TEST_CASE("One run agrees with nothing", "[driver]") {
  Comparison comparison(false);
  CHECK_FALSE(comparison.all_agree());
  comparison.add(run_of("serial", Strategy::reference));
  CHECK_FALSE(comparison.all_agree());
  CHECK(comparison.exit_code() == 2);
}

TEST_CASE("A first run with a value that is not a number agrees with nothing", "[driver]") {
  Comparison comparison(false);
  Candidate first = run_of("serial", Strategy::reference);
  first.arrays.solution[1] = not_a_number;
  CHECK_FALSE(comparison.add(first).agrees);
  CHECK_FALSE(comparison.add(first).agrees);
}

TEST_CASE("Every strategy is solved as the case says where it can", "[driver]") {
  io::SolverInput options;
  options.preconditioner = io::Preconditioner::multigrid;
  CHECK(driver::usable_solver(options, Strategy::atomic).preconditioner == io::Preconditioner::multigrid);
  CHECK(driver::usable_solver(options, Strategy::ebe_stored).preconditioner == io::Preconditioner::jacobi);
  options.preconditioner = io::Preconditioner::none;
  CHECK(driver::usable_solver(options, Strategy::ebe_stored).preconditioner == io::Preconditioner::none);
  options.preconditioner = io::Preconditioner::jacobi;
  options.method = io::SolverMethod::ebe_j_pcg;
  CHECK(driver::usable_solver(options, Strategy::ebe_stored).method == io::SolverMethod::ebe_j_pcg);
  CHECK(driver::usable_solver(options, Strategy::ebe_recomputed).method == io::SolverMethod::pcg);
  options.method = io::SolverMethod::multigrid;
  options.preconditioner = io::Preconditioner::multigrid;
  CHECK(driver::usable_solver(options, Strategy::row_gather).method == io::SolverMethod::multigrid);
  CHECK(driver::usable_solver(options, Strategy::ebe_stored).method == io::SolverMethod::pcg);
  CHECK(driver::usable_solver(options, Strategy::ebe_stored, false).method == io::SolverMethod::multigrid);
  CHECK(driver::usable_solver(options, Strategy::ebe_stored).preconditioner == io::Preconditioner::jacobi);
}

TEST_CASE("The worst pair is the one furthest beyond its tolerances", "[driver]") {
  Comparison comparison(false);
  comparison.add(run_of("serial", Strategy::reference));
  Candidate near = run_of("openmp", Strategy::row_gather);
  near.arrays.solution[0] += 1e-9; // a hundredth of the tolerance
  comparison.add(near);
  CHECK(comparison.worst().run.name() == "openmp row-gather");
  Candidate far = run_of("openmp", Strategy::atomic);
  far.arrays.rhs[1] = 1e-10; // a hundred tolerances
  comparison.add(far);
  comparison.add(run_of("serial", Strategy::atomic));
  CHECK(comparison.worst().run.name() == "openmp atomic");
  Candidate unsolved = run_of("serial", Strategy::colored);
  unsolved.converged = false;
  comparison.add(unsolved);
  CHECK(comparison.worst().run.name() == "serial colored");
}

TEST_CASE("Quantities differ by the scale of their unit", "[driver]") {
  using driver::quantity_difference;
  CHECK(quantity_difference({}, {}) == 0.);
  CHECK(quantity_difference({{"energy", 2., "J"}}, {{"energy", 2.002, "J"}}) == Catch::Approx(0.002 / 2.002));
  // A torque that vanishes by symmetry consists of rounding errors of the other components.
  CHECK(quantity_difference({{"t.x", 1e-17, "N m"}, {"t.y", 1., "N m"}}, {{"t.x", -1e-17, "N m"}, {"t.y", 1., "N m"}}) <
        1e-16);
  CHECK(quantity_difference({{"energy", 2., "J"}}, {{"charge", 3., "C"}}) == 0.);
  CHECK(std::isinf(quantity_difference({{"energy", 2., "J"}}, {{"energy", not_a_number, "J"}})));
}

TEST_CASE("The console shows quantities side by side, the worst pair, and the rest on demand", "[driver]") {
  Comparison comparison(false);
  Candidate first = run_of("serial", Strategy::reference);
  first.quantities = {{"energy", 1.5, "J"}, {"a", 1., ""}, {"b", 1., ""}, {"c", 1., ""}, {"d", 1., ""}, {"e", 1., ""}};
  first.phases = {{"symbolic", 0.25, "host", 1024}, {"solve", 0.5, "host", 2048}};
  comparison.add(first);
  Candidate other = run_of("openmp", Strategy::row_gather);
  other.quantities = {{"energy", 1.25, "J"}};
  other.phases = first.phases;
  other.arrays.solution[0] = 2.;
  comparison.add(other);
  std::ostringstream text;
  io::Console console(text, false, false);
  driver::print_quantities(console, comparison);
  driver::print_worst_pair(console, comparison);
  using Catch::Matchers::ContainsSubstring;
  using Catch::Matchers::Matches;
  CHECK_THAT(text.str(), ContainsSubstring("energy [J]"));
  CHECK_THAT(
      text.str(),
      Matches(
          "[\\s\\S]*reference +1.5 [\\s\\S]*750.0 ms +3 +first[\\s\\S]*row-gather +1.25 +-[\\s\\S]*DIFFERS[\\s\\S]*"));
  CHECK_THAT(text.str(), ContainsSubstring("1 more quantities of each run are in compare.yaml"));
  CHECK_THAT(text.str(), ContainsSubstring("Worst pair, with tolerances: serial reference and openmp row-gather, "
                                           "differences of matrix 0.0e+00 (1.0e-12)"));
  CHECK_THAT(text.str(), ContainsSubstring("solution 5.0e-01 (1.0e-07), quantities 1.7e-01: DIFFERS."));
  CHECK(text.str().find("peak") == std::string::npos);
  driver::print_all_runs(console, comparison);
  CHECK_THAT(text.str(), ContainsSubstring("Differences from serial reference."));
  CHECK_THAT(text.str(), ContainsSubstring("2.0 KiB"));
}

namespace {

/// The runs of a case by `reference` and `row-gather`, after a change of the plan of the second one.
std::vector<Candidate> runs_of(const std::vector<std::string>& settings,
                               const std::function<void(driver::Plan&)>& change) {
  std::vector<std::string> all = {"verification=", "output.fields=[]", "output.probes=", "mesh.box.cells=[10, 2]"};
  all.insert(all.end(), settings.begin(), settings.end());
  const io::Case input = test::read_case(test::input_file("cylinder-in-axial-field"), "not-written", all);
  io::Console console(true);
  PhaseLog log;
  std::vector<std::string> notes;
  driver::Context context{input, console, log, notes};
  const io::ImportedMesh imported = driver::import_mesh(input, context);
  const driver::ProblemBinding binding = driver::bind_problem(input, imported);
  std::vector<Candidate> found;
  driver::visit_backend("serial", [&](const auto& exec) {
    driver::StrategyRuns runs = driver::plan_runs(exec, imported, {"reference", "row-gather"}, context);
    change(runs.plans[1]);
    driver::run_strategies(exec, imported, binding, runs, context,
                           [&](Candidate run) { found.push_back(std::move(run)); });
  });
  return found;
}

bool agree(const std::vector<Candidate>& runs) {
  Comparison comparison(false);
  for (const Candidate& run : runs)
    comparison.add(run);
  return comparison.all_agree();
}

} // namespace

TEST_CASE("Runs at frequencies are compared by both matrices and the solutions at all frequencies", "[driver]") {
  const auto nothing = [](driver::Plan&) {};
  const std::vector<std::string> two{"problem.frequency=[50, 400]"};
  const std::vector<Candidate> runs = runs_of(two, nothing);
  REQUIRE(runs.size() == 2);
  CHECK(agree(runs));
  // Both matrices have as many rows, each solution has two parts.
  const std::vector<double>& solution = runs[0].arrays.solution;
  const std::vector<double> alone = runs_of({"problem.frequency=400"}, nothing)[0].arrays.solution;
  REQUIRE(solution.size() == 2 * alone.size());
  CHECK(runs[0].arrays.rhs.size() == runs[0].arrays.offsets.size() - 1);
  double largest = 0.;
  double difference = 0.;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    largest = std::max(largest, std::fabs(alone[i]));
    difference = std::max(difference, std::fabs(alone[i] - solution[alone.size() + i]));
  }
  CHECK(difference < 1e-8 * largest); // the solver's tolerance is 1e-10
  const auto agrees_after = [&](const std::function<void(Candidate&)>& change) {
    std::vector<Candidate> changed = runs;
    change(changed[1]);
    return agree(changed);
  };
  const auto grow = [](double& value) { value = value * (1. + 1e-3) + 1e-6; };
  CHECK_FALSE(agrees_after([&](Candidate& run) { grow(run.arrays.solution.back()); }));
  CHECK_FALSE(agrees_after([&](Candidate& run) { grow(run.arrays.values.back()); })); // of M
  CHECK_FALSE(agrees_after([&](Candidate& run) { grow(run.arrays.rhs[0]); }));
  CHECK_FALSE(agree(runs_of(two, [](driver::Plan& plan) { plan.solver.relative_tolerance = 1e-2; })));
  CHECK_FALSE(agree(runs_of(two, [](driver::Plan& plan) { plan.solver.max_iterations = 2; })));
}
