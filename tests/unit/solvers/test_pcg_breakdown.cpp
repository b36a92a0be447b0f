// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "solve.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <limits>

using namespace tessera;
using Catch::Matchers::ContainsSubstring;
using solvers::PcgOptions;
using solvers::SolverStatus;

namespace {
const double nan_value = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();
} // namespace

TEMPLATE_LIST_TEST_CASE("A zero right-hand side gives the zero solution", "[solvers]", test::ExecutionSpaces) {
  const TestType exec;
  const std::vector<double> b(100, 0.);

  const test::Solved solved =
      test::solve(exec, test::laplacian(10, 10), b, "jacobi", PcgOptions(), test::random_vector(100, 1));

  REQUIRE(solved.result.status == SolverStatus::converged);
  REQUIRE(solved.result.iterations == 0);
  REQUIRE(solved.result.initial_residual > 0.);
  REQUIRE(solved.result.true_residual == 0.);
  REQUIRE(solved.x == b);
}

TEMPLATE_LIST_TEST_CASE("An indefinite operator is reported with the number and the iteration", "[solvers]",
                        test::ExecutionSpaces) {
  const TestType exec;
  test::Rows rows = test::laplacian(30, 1);
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i][static_cast<index_t>(i)] -= 0.5;
  std::string first_message;
  for (const int interval : {1, 5, 50}) {
    PcgOptions options;
    options.check_interval = interval;

    const test::Solved solved = test::solve(exec, rows, test::random_vector(30, 2), "none", options);

    REQUIRE(solved.result.status == SolverStatus::breakdown);
    REQUIRE_THAT(solved.result.message, ContainsSubstring("not positive definite: (p, A p) = -"));
    REQUIRE_THAT(solved.result.message,
                 ContainsSubstring("in iteration " + std::to_string(solved.result.iterations + 1)));
    REQUIRE(solved.result.true_residual - solved.result.true_residual == 0.);
    if (first_message.empty())
      first_message = solved.result.message;
    REQUIRE(solved.result.message == first_message);
  }
}

TEMPLATE_LIST_TEST_CASE("Values that are not finite are distinguished", "[solvers]", test::ExecutionSpaces) {
  const TestType exec;
  const test::Rows rows = test::laplacian(20, 20);
  const std::vector<double> b = test::random_vector(400, 3);
  PcgOptions options;

  for (const double bad : {nan_value, infinity}) {
    std::vector<double> bad_vector = b;
    bad_vector[17] = bad;

    const test::Solved rhs = test::solve(exec, rows, bad_vector, "jacobi", options);
    REQUIRE(rhs.result.status == SolverStatus::breakdown);
    REQUIRE_THAT(rhs.result.message, ContainsSubstring("right-hand side holds a value that is not finite"));

    const test::Solved guess = test::solve(exec, rows, b, "jacobi", options, bad_vector);
    REQUIRE(guess.result.status == SolverStatus::breakdown);
    REQUIRE_THAT(guess.result.message, ContainsSubstring("initial guess holds a value that is not finite"));

    test::Rows bad_rows = rows;
    bad_rows[5][6] = bad;
    const test::Solved matrix = test::solve(exec, bad_rows, b, "jacobi", options, b);
    REQUIRE(matrix.result.status == SolverStatus::breakdown);
    REQUIRE_THAT(matrix.result.message, ContainsSubstring("operator gave a value that is not finite"));
    REQUIRE(matrix.x == b);
  }
}

TEMPLATE_LIST_TEST_CASE("A pure Neumann problem is solved when consistent and reported when not", "[solvers]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const test::Rows rows = test::laplacian(31, 17, true);
  std::vector<double> b = test::random_vector(31 * 17, 4);
  double mean = 0.;
  for (const double value : b)
    mean += value / static_cast<double>(b.size());
  std::vector<double> consistent = b;
  for (double& value : consistent)
    value -= mean;

  const test::Solved solved = test::solve(exec, rows, consistent, "jacobi", PcgOptions());
  REQUIRE(solved.result.constants_in_null_space);
  REQUIRE(solved.result.status == SolverStatus::converged);
  REQUIRE(test::distance(test::multiply(rows, solved.x), consistent) <= 1e-9 * solved.result.rhs_norm);

  const test::Solved refused = test::solve(exec, rows, b, "jacobi", PcgOptions());
  REQUIRE(refused.result.status == SolverStatus::breakdown);
  REQUIRE(refused.result.iterations == 0);
  REQUIRE_THAT(refused.result.message, ContainsSubstring("maps constants to zero"));

  const test::Solved fixed = test::solve(exec, test::laplacian(31, 17), b, "jacobi", PcgOptions());
  REQUIRE_FALSE(fixed.result.constants_in_null_space);
  REQUIRE(fixed.result.status == SolverStatus::converged);
}

TEMPLATE_LIST_TEST_CASE("Without the look for constants an inconsistent problem still ends", "[solvers]",
                        test::ExecutionSpaces) {
  PcgOptions options;
  options.look_for_constant_null_space = false;
  options.max_iterations = 500;

  const test::Solved solved =
      test::solve(TestType(), test::laplacian(30, 1, true), std::vector<double>(30, 1.), "none", options);

  REQUIRE(solved.result.status == SolverStatus::breakdown);
  REQUIRE_THAT(solved.result.message, ContainsSubstring("(p, A p)"));
}

TEMPLATE_LIST_TEST_CASE("A diagonal that is not positive is named", "[solvers]", test::ExecutionSpaces) {
  const TestType exec;
  for (const double bad : {0., -3., nan_value, infinity}) {
    test::Rows rows = test::laplacian(5000, 1);
    rows[4000][4000] = bad;
    rows[4500][4500] = -1.;
    try {
      test::make_preconditioner(exec, "jacobi", test::operator_on(exec, rows));
      FAIL("did not throw");
    } catch (const Error& error) {
      REQUIRE(error.kind() == ErrorKind::numerical);
      REQUIRE_THAT(error.what(), ContainsSubstring("diagonal entry of unknown 4000 is "));
    }
  }
}

TEMPLATE_LIST_TEST_CASE("Options and sizes out of range are refused", "[solvers]", test::ExecutionSpaces) {
  const TestType exec;
  PcgOptions options;
  options.relative_tolerance = -1.;
  REQUIRE_THROWS_AS(solvers::Pcg<TestType>(options), Error);
  options = PcgOptions();
  options.absolute_tolerance = nan_value;
  REQUIRE_THROWS_AS(solvers::Pcg<TestType>(options), Error);
  options = PcgOptions();
  options.max_iterations = -1;
  REQUIRE_THROWS_AS(solvers::Pcg<TestType>(options), Error);
  REQUIRE_THROWS_AS(test::solve(exec, test::laplacian(10, 1), std::vector<double>(9, 1.), "none", PcgOptions()), Error);
}
