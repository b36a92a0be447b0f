// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solve.hpp"
#include "solvers/krylov/column_counts.hpp"
#include "solvers/krylov/pcg_columns.hpp"
#include "solvers/multigrid/multigrid.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <limits>

using namespace tessera;
using solvers::MultigridOptions;

namespace {

solvers::PcgOptions options_of(double tolerance) {
  solvers::PcgOptions options;
  options.relative_tolerance = tolerance;
  options.look_for_constant_null_space = false;
  return options;
}

/// Right-hand sides of many kinds: random, smooth, zero, one entry, large and small ones.
std::vector<std::vector<double>> right_hand_sides(index_t n, int number) {
  std::vector<std::vector<double>> b;
  for (int c = 0; c < number; ++c) {
    b.push_back(test::random_vector(n, c + 1));
    for (index_t i = 0; i < n; ++i) {
      double& entry = b.back()[static_cast<std::size_t>(i)];
      entry = c % 5 == 1   ? 1.
              : c % 5 == 2 ? 0.
              : c % 5 == 3 ? (i == n / 2 ? 1. : 0.)
              : c % 5 == 4 ? 1e-30 * entry
                           : entry;
    }
  }
  return b;
}

/// Solves all right-hand sides together and one by one, and requires the same bits and the same results.
template <int N, class ExecutionSpace>
void require_same(const ExecutionSpace& exec, const linalg::CrsOperator<ExecutionSpace>& a,
                  const solvers::Preconditioner<ExecutionSpace>& m, const solvers::PcgOptions& options,
                  const std::vector<std::vector<double>>& rhs) {
  REQUIRE(solvers::PcgColumns<ExecutionSpace, N>::suits(a, m));
  solvers::PcgColumns<ExecutionSpace, N> columns(exec, a, m, options);
  solvers::Pcg<ExecutionSpace> pcg(options);
  std::vector<linalg::ConstVector<ExecutionSpace>> b;
  std::vector<solvers::PcgResult> alone;
  std::vector<std::vector<double>> x_alone;
  for (const auto& values : rhs) {
    b.push_back(test::vector_on(exec, values));
    const auto x = make_filled<linalg::Vector<ExecutionSpace>>(exec, "test", a.size(), 0.);
    alone.push_back(pcg.solve(exec, a, m, b.back(), x));
    x_alone.push_back(test::values_of(exec, x));
  }
  for (int repetition = 0; repetition < 2; ++repetition) { // vectors of an earlier solve have no effect
    const auto results = columns.solve(exec, b);
    REQUIRE(results.size() == rhs.size());
    for (std::size_t c = 0; c < rhs.size(); ++c) {
      CAPTURE(c, repetition);
      REQUIRE(results[c].has_value());
      REQUIRE(results[c]->status == alone[c].status);
      REQUIRE(results[c]->message == alone[c].message);
      REQUIRE(results[c]->iterations == alone[c].iterations);
      REQUIRE(results[c]->history == alone[c].history);
      REQUIRE(results[c]->true_residual == alone[c].true_residual);
      const auto together = make_filled<linalg::Vector<ExecutionSpace>>(exec, "test", a.size(), -1.);
      columns.copy_solution(exec, static_cast<int>(c), together);
      REQUIRE(test::values_of(exec, together) == x_alone[c]);
    }
  }
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Columns of conjugate gradients have the bits that each has alone", "[solvers][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const index_t nx = GENERATE(3, 67);
  const bool dense = GENERATE(false, true);
  test::Rows rows = test::laplacian(nx, 61);
  const auto n = static_cast<index_t>(rows.size());
  if (dense) // longer rows have several accumulators
    for (index_t i = 0; i < n; ++i)
      for (index_t j = i + 2; j < std::min<index_t>(n, i + 9); ++j) {
        rows[static_cast<std::size_t>(i)][j] -= 0.1;
        rows[static_cast<std::size_t>(j)][i] -= 0.1;
        rows[static_cast<std::size_t>(i)][i] += 0.2;
        rows[static_cast<std::size_t>(j)][j] += 0.2;
      }
  const auto a = test::operator_on(exec, rows);
  for (const char* name : {"none", "jacobi"}) {
    CAPTURE(name);
    const auto m = test::make_preconditioner(exec, name, a);
    require_same<8>(exec, a, *m, options_of(1e-9), right_hand_sides(n, 8));
    require_same<8>(exec, a, *m, options_of(1e-9), right_hand_sides(n, 5));
    require_same<4>(exec, a, *m, options_of(1e-9), right_hand_sides(n, 4));
    solvers::PcgOptions few = options_of(1e-9);
    few.max_iterations = 7;
    require_same<4>(exec, a, *m, few, right_hand_sides(n, 3));
  }
}

TEMPLATE_LIST_TEST_CASE("Columns of conjugate gradients with multigrid have the bits that each has alone",
                        "[solvers][device]", test::ExecutionSpaces) {
  const TestType exec;
  const test::Rows rows = test::laplacian(70, 61);
  const auto n = static_cast<index_t>(rows.size());
  const auto a = test::operator_on(exec, rows);
  MultigridOptions multigrid;
  multigrid.coarsest_size = 30;
  multigrid.precision = GENERATE(Precision::single_precision, Precision::double_precision);
  multigrid.degree = GENERATE(1, 2, 3);
  multigrid.cycle =
      GENERATE(solvers::MultigridCycle::V, solvers::MultigridCycle::automatic, solvers::MultigridCycle::full);
  const solvers::Multigrid<TestType> m(exec, a.matrix(), {}, multigrid);
  REQUIRE(m.levels().size() > 2);
  require_same<8>(exec, a, m, options_of(1e-9), right_hand_sides(n, 8));
  require_same<4>(exec, a, m, options_of(1e-9), right_hand_sides(n, 3));
}

TEMPLATE_LIST_TEST_CASE("Columns of conjugate gradients report what breaks, each for itself", "[solvers][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  test::Rows rows = test::laplacian(12, 10);
  const auto n = static_cast<index_t>(rows.size());
  rows.push_back({{n, -1.}}); // not positive definite for right-hand sides that couple to it
  const auto a = test::operator_on(exec, rows);
  const solvers::Identity<TestType> m(a.size());
  std::vector<std::vector<double>> b(3, test::random_vector(n + 1, 5));
  b[0].back() = b[2].back() = 0.;
  require_same<4>(exec, a, m, options_of(1e-9), b);
  solvers::PcgColumns<TestType, 4> columns(exec, a, m, options_of(1e-9));
  const auto on_space = [&](const std::vector<double>& values) {
    return linalg::ConstVector<TestType>(test::vector_on(exec, values));
  };
  const auto results = columns.solve(exec, {on_space(b[0]), on_space(b[1])});
  REQUIRE(results[0]->status == solvers::SolverStatus::converged);
  REQUIRE(results[1]->status == solvers::SolverStatus::breakdown);

  std::vector<double> large = b[0];
  std::vector<double> nan = b[0];
  for (double& entry : large)
    entry *= 1e200;
  nan[3] = std::numeric_limits<double>::quiet_NaN();
  const auto odd = columns.solve(exec, {on_space(large), on_space(b[0]), on_space(nan)});
  REQUIRE(!odd[0].has_value()); // for Pcg, which scales the right-hand side
  REQUIRE(odd[1]->status == solvers::SolverStatus::converged);
  REQUIRE(!odd[2].has_value());
  REQUIRE_THROWS(columns.solve(exec, std::vector<linalg::ConstVector<TestType>>(5, on_space(b[0]))));
}

TEST_CASE("Right-hand sides are solved together by the least count that takes them", "[solvers]") {
  using solvers::columns_for;
  REQUIRE(columns_for(1) == 1);
  REQUIRE(columns_for(2) == 4);
  REQUIRE(columns_for(4) == 4);
  REQUIRE(columns_for(5) == 8);
  REQUIRE(columns_for(20) == 8);
  REQUIRE(columns_for(20, 4) == 4);
  REQUIRE(columns_for(20, 1) == 1);
  REQUIRE(columns_for(3, 8) == 4);
}
