// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "driver/bench/bench_case.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace tessera;
using assembly::Strategy;

namespace {

/// A small problem for which the strategy sorted-coo fails.
template <class ExecutionSpace>
driver::BenchProblem<ExecutionSpace> failing_problem(const ExecutionSpace& exec, ErrorKind kind) {
  auto problem = driver::make_box_problem(exec, driver::parse_bench_mesh("tri-p1-6"));
  problem.make_assembler = [make = problem.make_assembler, kind](const assembly::AssemblyOptions& options) {
    if (options.strategy == Strategy::sorted_coo)
      detail::throw_error(kind, "too many of them");
    return make(options);
  };
  return problem;
}

driver::BenchRequest request() {
  driver::BenchRequest request;
  request.strategies = {Strategy::row_gather, Strategy::sorted_coo, Strategy::ebe_atomic};
  request.repetitions = 1;
  request.iterations_only = true;
  return request;
}

/// Checks that the second strategy has one row with the reason, and the others are measured.
void require_one_skipped(const driver::BenchTable& table, std::size_t rows_per_strategy) {
  CAPTURE(table.title);
  REQUIRE(table.rows.size() == 2 * rows_per_strategy + 1);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const driver::BenchRow& row = table.rows[i];
    CAPTURE(row.label, row.note);
    if (i == rows_per_strategy) {
      CHECK(row.label == "sorted-coo");
      CHECK(row.note == "not measured: too many of them");
      CHECK(row.time.median == 0.);
    } else {
      CHECK(row.time.median > 0.);
    }
  }
}

} // namespace

TEMPLATE_LIST_TEST_CASE("A strategy that does not fit leaves the others to be measured", "[driver]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const auto problem = failing_problem(exec, ErrorKind::resource);
  require_one_skipped(driver::bench_assembly(exec, problem, request()), 2);
  require_one_skipped(driver::bench_operator(exec, problem, request()), 2);
  require_one_skipped(driver::bench_solve(exec, problem, request()), 1);
}

TEMPLATE_LIST_TEST_CASE("Other errors end the benchmark", "[driver]", test::ExecutionSpaces) {
  const TestType exec;
  const auto problem = failing_problem(exec, ErrorKind::input);
  REQUIRE_THROWS_AS(driver::bench_assembly(exec, problem, request()), Error);
}

// The vectors alone need 48 bytes per unknown.
TEMPLATE_LIST_TEST_CASE("Multigrid without a matrix is measured with its memory", "[driver][multigrid]",
                        test::ExecutionSpaces) {
  const TestType exec;
  driver::BenchMesh mesh = driver::parse_bench_mesh("tri-p1-64");
  mesh.with_parents = true;
  driver::BenchRequest multigrid = request();
  multigrid.strategies = {Strategy::row_gather, Strategy::ebe_atomic};
  multigrid.preconditioners = {io::Preconditioner::multigrid};
  multigrid.iterations_only = false;
  const driver::BenchTable table = driver::bench_solve(exec, driver::make_box_problem(exec, mesh), multigrid);
  std::vector<double> bytes; // memory of solvers
  for (const driver::BenchRow& row : table.rows) {
    CAPTURE(row.label, row.note);
    const std::size_t comma = row.note.find(" iterations, ");
    if (row.note.find(" bytes per unknown") == std::string::npos)
      continue;
    REQUIRE(comma != std::string::npos);
    CHECK(std::stoi(row.note) < 12);
    bytes.push_back(std::stod(row.note.substr(row.note.find(", ") + 2)));
    CHECK((bytes.size() < 3 || row.label.find("ebe-atomic, multigrid without a matrix: to ") == 0));
  }
  REQUIRE(bytes.size() == 3); // geometric, algebraic, without a matrix
  CHECK(bytes[2] > 60.);
  CHECK(bytes[2] < 0.5 * bytes[0]);
}

TEST_CASE("Order 2 is measured with order 1 below it alone, too", "[driver][multigrid]") {
  const Kokkos::DefaultHostExecutionSpace exec;
  driver::BenchMesh mesh = driver::parse_bench_mesh("tri-p2-32");
  mesh.with_parents = true;
  driver::BenchRequest multigrid = request();
  multigrid.strategies = {Strategy::row_gather};
  multigrid.preconditioners = {io::Preconditioner::multigrid};
  multigrid.iterations_only = false;
  const driver::BenchTable table = driver::bench_solve(exec, driver::make_box_problem(exec, mesh), multigrid);
  std::vector<std::string> with_start;
  std::vector<std::string> set_ups;
  for (const driver::BenchRow& row : table.rows) {
    if (row.label.find(": set-up") != std::string::npos)
      set_ups.push_back(row.note);
    if (row.label.find(": full multigrid") != std::string::npos)
      with_start.push_back(row.label.substr(0, row.label.find(':')));
  }
  CHECK(with_start ==
        std::vector<std::string>{"row-gather, multigrid geometric", "row-gather, multigrid algebraic from order 1 on"});
  REQUIRE(set_ups.size() == 3);
  CHECK(set_ups[1] != set_ups[0]);
  CHECK(set_ups[1] != set_ups[2]);
}
