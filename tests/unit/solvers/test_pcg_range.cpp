// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solve.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace tessera {

using solvers::PcgOptions;
using solvers::SolverStatus;

TEMPLATE_LIST_TEST_CASE("Right-hand sides whose squares leave the range of doubles are solved to the same digits",
                        "[solvers]", test::ExecutionSpaces) {
  const TestType exec;
  const test::Rows rows = test::laplacian(12, 9);
  const auto b = test::random_vector(static_cast<index_t>(rows.size()), 7);
  for (const char* preconditioner : {"none", "jacobi"}) {
    const test::Solved plain = test::solve(exec, rows, b, preconditioner, PcgOptions());
    REQUIRE(plain.result.status == SolverStatus::converged);
    for (const int exponent : {-1000, -510, 510, 1000}) { // powers of two, so that all digits are the same
      std::vector<double> scaled(b);
      for (double& value : scaled)
        value = std::ldexp(value, exponent);
      PcgOptions options;
      options.absolute_tolerance = std::ldexp(1e-30, exponent);
      const test::Solved far = test::solve(exec, rows, scaled, preconditioner, options);
      INFO(preconditioner << ", 2^" << exponent << ": " << far.result.message);
      REQUIRE(far.result.status == SolverStatus::converged);
      CHECK(far.result.rhs_norm == std::ldexp(plain.result.rhs_norm, exponent));
      CHECK(far.result.message.find("in units of") != std::string::npos);
      REQUIRE(std::abs(far.result.iterations - plain.result.iterations) <= 1); // scaled by a power of two
      for (std::size_t i = 0; i < b.size(); ++i)
        REQUIRE(std::fabs(std::ldexp(far.x[i], -exponent) - plain.x[i]) <= 1e-8 * std::fabs(plain.x[i]));
    }
  }
}

TEMPLATE_LIST_TEST_CASE("A solver keeps its options where a solve in other units ends by an exception", "[solvers]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const test::Rows rows = test::laplacian(12, 9);
  const auto a = test::operator_on(exec, rows);
  const auto jacobi = test::make_preconditioner(exec, "jacobi", a);
  const auto b = test::random_vector(static_cast<index_t>(rows.size()), 7);
  std::vector<double> small(b);
  for (double& value : small)
    value = std::ldexp(value, -900); // about 1e-270
  PcgOptions options;
  options.absolute_tolerance = 1e-273;
  bool throws = true;
  int n_calls = 0;
  options.monitor = [&](int, double) {
    ++n_calls;
    if (throws)
      throw std::runtime_error("stop");
  };
  solvers::Pcg<TestType> pcg(options);
  const auto x = test::vector_on(exec, std::vector<double>(b.size(), 0.));
  CHECK_THROWS_AS(pcg.solve(exec, a, *jacobi, test::vector_on(exec, small), x), std::runtime_error);
  CHECK(n_calls == 1);
  throws = false;
  fill(exec, x, 0.);
  const solvers::PcgResult result = pcg.solve(exec, a, *jacobi, test::vector_on(exec, b), x);
  CHECK(result.status == SolverStatus::converged);
  CHECK(result.iterations > 0);
  CHECK(result.threshold == test::solve(exec, rows, b, "jacobi", PcgOptions()).result.threshold);
  CHECK(n_calls > 1);
}

TEMPLATE_LIST_TEST_CASE("A solution that only an absolute tolerance calls one is reported as inaccurate", "[solvers]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const test::Rows rows = test::laplacian(20, 20);
  const std::vector<double> b(rows.size(), 1.);
  PcgOptions options;
  options.absolute_tolerance = 1e3; // ||b|| is 20
  const test::Solved solved = test::solve(exec, rows, b, "jacobi", options);
  CHECK(solved.result.status == SolverStatus::inaccurate);
  CHECK(std::string(solvers::to_string(solved.result.status)) == "inaccurate");
  CHECK(solved.result.message.find("the true residual is 1 times the right-hand side") != std::string::npos);
  options.largest_residual = std::numeric_limits<double>::infinity();
  CHECK(test::solve(exec, rows, b, "jacobi", options).result.status == SolverStatus::converged);
  options.largest_residual = 1e-3;
  options.absolute_tolerance = 1e-2;
  CHECK(test::solve(exec, rows, b, "jacobi", options).result.status == SolverStatus::converged);
}

TEMPLATE_LIST_TEST_CASE("A fixed node is seen whatever the sizes of the coefficients", "[solvers]",
                        test::ExecutionSpaces) {
  const TestType exec;
  // A chain whose first row is fixed; its coefficients grow by a factor of 1e20 towards the other end.
  const index_t n = 40;
  test::Rows rows(n);
  const auto coefficient = [](index_t i) { return std::pow(10., 0.5 * i); };
  for (index_t i = 0; i < n; ++i) {
    rows[i][i] = coefficient(i) + (i + 1 < n ? coefficient(i + 1) : 0.);
    if (i > 0)
      rows[i][i - 1] = -coefficient(i);
    if (i + 1 < n)
      rows[i][i + 1] = -coefficient(i + 1);
  }
  std::vector<double> b(n, 0.);
  b[0] = 1.;
  const test::Solved solved = test::solve(exec, rows, b, "jacobi", PcgOptions());
  INFO(solved.result.message);
  CHECK_FALSE(solved.result.constants_in_null_space);
}

} // namespace tessera
