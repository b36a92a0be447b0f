// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "driver/steps.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace tessera;

namespace {

using ExecutionSpace = test::FirstSpace;

/// Takes as many iterations as the number of the step; quantity "step" is that number.
class Counter final : public driver::Discretization<ExecutionSpace> {
public:
  explicit Counter(int fails_at = 0) : fails_at_(fails_at) {}

  bool solve(driver::Results& results) override {
    solvers::PcgResult& linear = results.solve.solver.linear;
    linear.status = ++step == fails_at_ ? solvers::SolverStatus::max_iterations : solvers::SolverStatus::converged;
    linear.iterations = step;
    linear.message = "outcome";
    results.step = {step, n_steps, double(step - 1) / n_steps, double(step) / n_steps, step == n_steps, false};
    return step == 1;
  }
  void finish(driver::Results&) override { ++n_finished; }
  void write_fields(const io::OutputDirectory*) override { FAIL("there is no directory"); }
  void begin_evaluation() override { evaluated.push_back(step); }
  std::vector<physics::PointValue> values_at(const std::vector<std::array<double, 3>>& points, bool) const override {
    return std::vector<physics::PointValue>(points.size());
  }
  void add_quantities(driver::Results& results) const override {
    CHECK(evaluated.back() == step);
    TESSERA_REQUIRE(fails_at_ >= 0, "no quantity");
    results.findings.add_quantity({"step", static_cast<double>(step), ""});
  }
  std::vector<driver::NormError> errors(const physics::Expression&,
                                        const std::vector<physics::Expression>&) const override {
    return {};
  }

  int step = 0;
  int n_steps = 1;
  int n_finished = 0;
  std::vector<int> evaluated;

private:
  int fails_at_; // negative: never, but there are no quantities
};

driver::Results run(Counter& problem, int steps, int every) {
  io::Case input;
  input.problem.time.to = 1.;
  input.problem.time.steps = steps;
  input.output.every = every;
  input.output.fields = {io::Field::solution};
  input.output.quantities = {io::Quantity::mean};
  io::Console console(true);
  PhaseLog log;
  driver::Results results;
  problem.n_steps = std::max(1, steps);
  driver::Context context{input, console, log, results.notes};
  driver::run_steps(ExecutionSpace(), problem, nullptr, context, results);
  return results;
}

std::vector<double> steps_in(const driver::Results& results) {
  std::vector<double> values;
  for (const driver::QuantityValue& quantity : results.findings.numbers({"quantities"}))
    values.push_back(quantity.value);
  return values;
}

} // namespace

TEST_CASE("Time steps are solved in order, and evaluated as often as the input says", "[driver]") {
  Counter problem;
  const driver::Results results = run(problem, 5, 2);
  CHECK(problem.step == 5);
  CHECK(problem.n_finished == 1);
  CHECK(problem.evaluated == std::vector<int>{2, 4, 5});
  CHECK(results.iterations == 15);
  CHECK(steps_in(results) == std::vector<double>{5.}); // those of the last step
  CHECK(results.solve.solver.message() == "time step 5 of 5: outcome");
  CHECK(results.failures.empty());
}

TEST_CASE("A time step that does not converge is the last one, and is evaluated", "[driver]") {
  Counter problem(3);
  const driver::Results results = run(problem, 5, 2);
  CHECK(problem.step == 3);
  CHECK(problem.n_finished == 1);
  CHECK(problem.evaluated == std::vector<int>{2, 3});
  CHECK(steps_in(results) == std::vector<double>{3.});
  CHECK(!results.solve.solver.converged());
}

TEST_CASE("A steady problem is one step, and keeps its solution if quantities cannot be computed", "[driver]") {
  Counter steady;
  const driver::Results results = run(steady, 0, 1);
  CHECK(steady.step == 1);
  CHECK(steady.evaluated == std::vector<int>{1});
  CHECK(steps_in(results) == std::vector<double>{1.});
  CHECK(results.solve.solver.message() == "outcome");
  Counter without_quantities(-1);
  const driver::Results failed = run(without_quantities, 0, 1);
  CHECK(without_quantities.n_finished == 1);
  CHECK(failed.failures == std::vector<std::string>{"no quantity"});
  Counter in_time(-1);
  CHECK(run(in_time, 2, 1).failures ==
        std::vector<std::string>{"At t = 0.5 s: no quantity", "At t = 1 s: no quantity"});
}
