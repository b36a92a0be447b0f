// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solve.hpp"
#include "support/direct_solve.hpp"
#include "support/kokkos_tools.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>

using namespace tessera;
using solvers::PcgOptions;
using solvers::SolverStatus;

namespace {

std::vector<double> reference_solution(const test::Rows& rows, const std::vector<double>& b) {
  return test::solve_directly(test::crs_on(Kokkos::DefaultHostExecutionSpace(), rows), b);
}

} // namespace

TEST_CASE("The reference solver inverts matrices that can be checked by hand", "[solvers]") {
  const test::Rows rows = {{{0, 4.}, {1, 2.}}, {{0, 2.}, {1, 10.}, {2, 3.}}, {{1, 3.}, {2, 2.}}};

  const std::vector<double> x = reference_solution(rows, {8., 31., 12.});

  REQUIRE(test::distance(x, {1., 2., 3.}) <= 1e-14);
  REQUIRE(reference_solution({}, {}).empty());
  REQUIRE_THROWS_AS(reference_solution({{{0, 1.}, {1, 2.}}, {{0, 2.}, {1, 1.}}}, {1., 1.}), Error);
}

TEMPLATE_LIST_TEST_CASE("PCG agrees with the reference solver", "[solvers]", test::ExecutionSpaces) {
  const TestType exec;
  PcgOptions options;
  options.relative_tolerance = 1e-13;
  for (const test::Rows& rows : {test::laplacian(1, 1), test::laplacian(40, 1), test::laplacian(37, 41),
                                 test::random_spd(1009, 8, 1), test::random_spd(701, 40, 2)}) {
    const auto n = static_cast<index_t>(rows.size());
    const std::vector<double> b = test::random_vector(n, 7);
    const std::vector<double> expected = reference_solution(rows, b);
    const double norm = test::distance(expected, std::vector<double>(rows.size(), 0.));
    for (const char* name : {"none", "jacobi"}) {
      CAPTURE(n, name);
      const test::Solved solved = test::solve(exec, rows, b, name, options, test::random_vector(n, 8));

      CAPTURE(solved.result.message);
      REQUIRE(solved.result.status == SolverStatus::converged);
      REQUIRE(solved.result.residual <= solved.result.threshold);
      REQUIRE(test::distance(solved.x, expected) <= 1e-9 * norm);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("Bits and iterations depend neither on the space nor on the check interval", "[solvers]",
                        test::ExecutionSpaces) {
  const TestType exec;
  for (const test::Rows& rows : {test::laplacian(97, 61), test::random_spd(5003, 12, 3)}) {
    const std::vector<double> b = test::random_vector(static_cast<index_t>(rows.size()), 9);
    for (const char* name : {"none", "jacobi"}) {
      PcgOptions options;
      options.max_iterations = 1000; // the only check of the longest interval comes after all of them
      const test::Solved expected = test::solve(Kokkos::DefaultHostExecutionSpace(), rows, b, name, options);
      REQUIRE(expected.result.status == SolverStatus::converged);
      for (const int interval : {1, 2, 7, 32, 100000}) {
        CAPTURE(name, interval);
        options.check_interval = interval;

        const test::Solved solved = test::solve(exec, rows, b, name, options);

        REQUIRE(solved.result.iterations == expected.result.iterations);
        REQUIRE(solved.x == expected.x);
        REQUIRE(solved.result.history == expected.result.history);
        REQUIRE(solved.result.residual == expected.result.residual);
        REQUIRE(solved.result.true_residual == expected.result.true_residual);
      }
    }
  }
}

TEMPLATE_LIST_TEST_CASE("PCG prepares the products, with the same bits", "[solvers][device]", test::ExecutionSpaces) {
  const TestType exec;
  const Kokkos::DefaultHostExecutionSpace host;
  const test::Rows rows = test::laplacian(160, 100);
  const auto b = test::random_vector(16000, 11);
  const auto a = test::operator_on(exec, rows);
  const auto x = test::vector_on(exec, std::vector<double>(rows.size(), 0.));
  const solvers::Jacobi<TestType> jacobi(exec, a);

  const solvers::PcgResult result = solvers::Pcg<TestType>().solve(exec, a, jacobi, test::vector_on(exec, b), x);

  REQUIRE(result.status == SolverStatus::converged);
  REQUIRE(a.has_compressed_columns() == !is_host_space<TestType>);
  REQUIRE(test::values_of(exec, x) == test::solve(host, rows, b, "jacobi", PcgOptions()).x);
}

TEMPLATE_LIST_TEST_CASE("PCG ends after as many iterations as there are distinct eigenvalues", "[solvers]",
                        test::ExecutionSpaces) {
  // b = sum of three eigenvectors of the Laplacian in 1D.
  const TestType exec;
  const index_t n = 101;
  const double pi = std::acos(-1.);
  PcgOptions options;
  options.relative_tolerance = 1e-8; // rounding times the condition number, 4000, is above the default
  std::vector<double> b;
  std::vector<double> exact;
  for (index_t i = 1; i <= n; ++i) {
    double bi = 0.;
    double xi = 0.;
    for (const int k : {1, 10, 60}) {
      const double v = std::sin(pi * k * i / (n + 1.));
      bi += v;
      xi += v / (2. - 2. * std::cos(pi * k / (n + 1.)));
    }
    b.push_back(bi);
    exact.push_back(xi);
  }

  const test::Solved solved = test::solve(exec, test::laplacian(n, 1), b, "none", options);

  REQUIRE(solved.result.iterations == 3);
  REQUIRE(solved.result.history[2] > 1e-3 * solved.result.rhs_norm);
  REQUIRE(test::distance(solved.x, exact) <= 1e-8 * test::distance(exact, std::vector<double>(exact.size(), 0.)));
}

TEMPLATE_LIST_TEST_CASE("Tolerances, history and residuals mean what the options say", "[solvers]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const test::Rows rows = test::laplacian(50, 50);
  const std::vector<double> b = test::random_vector(2500, 10);
  PcgOptions options;
  int looks = 0;
  options.check_interval = 10;
  options.monitor = [&looks](int, double) { ++looks; };

  options.relative_tolerance = 1e-6;
  const test::Solved relative = test::solve(exec, rows, b, "jacobi", options);
  const auto& result = relative.result;
  REQUIRE(result.status == SolverStatus::converged);
  REQUIRE(result.threshold == 1e-6 * result.rhs_norm);
  REQUIRE(std::abs(result.rhs_norm - test::distance(b, std::vector<double>(2500, 0.))) <= 1e-12 * result.rhs_norm);
  REQUIRE(static_cast<int>(result.history.size()) == result.iterations + 1);
  REQUIRE(result.history.front() == result.initial_residual);
  REQUIRE(result.history.back() == result.residual);
  REQUIRE(result.history[result.history.size() - 2] > result.threshold);
  REQUIRE(std::abs(result.true_residual - result.residual) <= 1e-10 * result.rhs_norm);
  REQUIRE(looks == (result.iterations + 9) / 10);
  REQUIRE(result.message.find("converged in") != std::string::npos);

  options.relative_tolerance = 0.;
  options.absolute_tolerance = 0.01;
  options.record_history = false;
  const test::Solved absolute = test::solve(exec, rows, b, "jacobi", options);
  REQUIRE(absolute.result.threshold == 0.01);
  REQUIRE(absolute.result.residual <= 0.01);
  REQUIRE(absolute.result.iterations < result.iterations);
  REQUIRE(absolute.result.history.empty());

  const test::Solved again = test::solve(exec, rows, b, "jacobi", options, absolute.x);
  REQUIRE(again.result.status == SolverStatus::converged);
  REQUIRE(again.result.iterations == 0);
  REQUIRE(again.x == absolute.x);
}

TEMPLATE_LIST_TEST_CASE("Running out of iterations is reported with the residual", "[solvers]", test::ExecutionSpaces) {
  const TestType exec;
  const std::vector<double> b(400, 1.);
  PcgOptions options;
  options.check_interval = 4;
  for (const int limit : {0, 1, 6}) {
    CAPTURE(limit);
    options.max_iterations = limit;

    const test::Solved solved = test::solve(exec, test::laplacian(20, 20), b, "jacobi", options);

    REQUIRE(solved.result.status == SolverStatus::max_iterations);
    REQUIRE(solved.result.iterations == limit);
    REQUIRE(static_cast<int>(solved.result.history.size()) == limit + 1);
    REQUIRE(solved.result.message.find("not converged in " + std::to_string(limit)) != std::string::npos);
  }
}

TEMPLATE_LIST_TEST_CASE("A solver can be used again, for other sizes too", "[solvers]", test::ExecutionSpaces) {
  const TestType exec;
  solvers::Pcg<TestType> pcg;
  for (const index_t n : {50, 10, 0, 3000, 3000}) {
    CAPTURE(n);
    const test::Rows rows = n == 0 ? test::Rows() : test::laplacian(n, 1);
    const auto a = test::operator_on(exec, rows);
    const solvers::Jacobi<TestType> jacobi(exec, a);
    const auto b = test::vector_on(exec, std::vector<double>(rows.size(), 1.));
    const auto x = test::vector_on(exec, std::vector<double>(rows.size(), 0.));
    const test::LabelWatch watch;

    const solvers::PcgResult result = pcg.solve(exec, a, jacobi, b, x);

    REQUIRE(result.status == SolverStatus::converged);
    REQUIRE(watch.bad_labels() == std::set<std::string>());
  }
}

TEMPLATE_LIST_TEST_CASE("The number of allocations does not grow with the iterations", "[solvers]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const auto count = [&exec](int limit) {
    const test::Rows rows = test::laplacian(60, 60);
    const auto a = test::operator_on(exec, rows);
    const solvers::Jacobi<TestType> jacobi(exec, a);
    const auto b = test::vector_on(exec, std::vector<double>(rows.size(), 1.));
    const auto x = test::vector_on(exec, std::vector<double>(rows.size(), 0.));
    PcgOptions options;
    options.max_iterations = limit;
    options.record_history = false;
    solvers::Pcg<TestType> pcg(options);
    const test::LabelWatch watch;
    pcg.solve(exec, a, jacobi, b, x);
    return watch.n_allocations();
  };

  REQUIRE(count(5) == count(50));
}
