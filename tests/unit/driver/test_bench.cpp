// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "driver/bench/bench_case.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>

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
void require_one_skipped(driver::TimeTable table, std::size_t rows_per_strategy) {
  CAPTURE(table.title);
  const auto is_kernel = [](const io::BenchRow& row) { return row.label.compare(0, 2, "  ") == 0; };
  table.rows.erase(std::remove_if(table.rows.begin(), table.rows.end(), is_kernel), table.rows.end());
  REQUIRE(table.rows.size() == 2 * rows_per_strategy + 1);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const io::BenchRow& row = table.rows[i];
    CAPTURE(row.label, row.note);
    CHECK(row.is_measured == (i != rows_per_strategy));
    if (i == rows_per_strategy) {
      CHECK(row.label == "sorted-coo");
      CHECK(row.note == "not measured: too many of them");
      CHECK(std::isnan(table.median(i)));
    } else {
      CHECK(table.median(i) > 0.);
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
  const driver::TimeTable table = driver::bench_solve(exec, driver::make_box_problem(exec, mesh), multigrid);
  std::vector<double> bytes; // memory of solvers
  for (const io::BenchRow& row : table.rows) {
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
  driver::BenchMesh mesh = driver::parse_bench_mesh("tri-p2-48");
  mesh.with_parents = true;
  driver::BenchRequest multigrid = request();
  multigrid.strategies = {Strategy::row_gather};
  multigrid.preconditioners = {io::Preconditioner::multigrid};
  multigrid.iterations_only = false;
  const driver::TimeTable table = driver::bench_solve(exec, driver::make_box_problem(exec, mesh), multigrid);
  std::vector<std::string> with_start;
  std::vector<std::string> set_ups;
  for (const io::BenchRow& row : table.rows) {
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

TEST_CASE("Meshes of one problem share a curve", "[driver]") {
  CHECK(driver::family_of("tri-p1-1000") == "tri-p1");
  CHECK(driver::family_of("dg-tet-p3-16+1") == "dg-tet-p3");
  CHECK(driver::family_of("tri-p2-500+1-shuffled-ordered") == "tri-p2-shuffled-ordered");
  CHECK(driver::family_of("transformer-24k") == "transformer");
  CHECK(driver::family_of("transformer-24k+2") == "transformer");
  CHECK(driver::family_of("capacitor+3") == "capacitor");
  CHECK(driver::family_of("capacitor-p2") == "capacitor-p2");
  CHECK(driver::family_of("dg-3d") == "dg-3d");
}

TEMPLATE_LIST_TEST_CASE("a-COO has rows of its kernels, and memory with the mesh", "[driver]", test::ExecutionSpaces) {
  const TestType exec;
  auto problem = driver::make_box_problem(exec, driver::parse_bench_mesh("tri-p1-100")); // short loops are no kernels
  problem.bytes = static_cast<std::size_t>(100 * problem.n_elements);
  driver::BenchRequest of_lists = request();
  of_lists.strategies = {Strategy::a_coo};
  of_lists.copy_bandwidth = 1e9;
  const std::vector<std::string> kernels{"a_coo_insert", "a_coo_consolidate", "a_coo_to_crs"};
  driver::TimeTable table = driver::bench_assembly(exec, problem, of_lists);
  const auto has_row = [&](const std::string& kernel) {
    return std::count_if(table.rows.begin(), table.rows.end(),
                         [&](const io::BenchRow& row) { return row.part == kernel; }) == 1;
  };
  // A kernel that other programs interrupt may leave the others less than the share that gives them a row.
  for (int k = 0; k < 20 && !std::all_of(kernels.begin(), kernels.end(), has_row); ++k)
    table = driver::bench_assembly(exec, problem, of_lists);
  for (const std::string& kernel : kernels)
    CHECK(has_row(kernel));
  for (const io::BenchRow& row : table.rows) {
    CHECK(row.method == "a-coo");
    CHECK(row.problem == "tri-p1");
    CHECK(table.value(row, "elements") == 20000.);
  }
  const io::BenchRow& numeric = table.rows.at(1);
  REQUIRE(numeric.part == "numeric");
  CHECK(table.value(numeric, "memory with mesh per element") == table.value(numeric, "memory per element") + 100.);
  CHECK(table.value(numeric, "kept memory per element") < 0.8 * table.value(numeric, "memory per element"));
  CHECK(table.value(numeric, "share of copy") == table.value(numeric, "rate") / 1e9);
}

TEST_CASE("Coloured strategies are measured by each colouring that is named", "[driver]") {
  const Kokkos::DefaultHostExecutionSpace exec;
  driver::BenchRequest by_each = request();
  by_each.strategies = {Strategy::row_gather, Strategy::ebe_recomputed};
  by_each.colorings = {graph::ColoringMethod::ofcm, graph::ColoringMethod::node_claims};
  by_each.compares_colorings = true;
  const auto problem = driver::make_box_problem(exec, driver::parse_bench_mesh("tri-p1-12"));
  std::vector<std::string> methods;
  const driver::TimeTable table = driver::bench_methods(exec, problem, by_each);
  for (const io::BenchRow& row : table.rows)
    if (row.part == "assembly")
      methods.push_back(row.method);
  CHECK(methods == std::vector<std::string>{"row-gather", "ebe-recomputed by ofcm", "ebe-recomputed by node-claims"});
}
