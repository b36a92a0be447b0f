// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "krylov_methods.hpp"
#include "support/kokkos_tools.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>

using namespace tessera;
using Catch::Matchers::ContainsSubstring;
using solvers::SolverStatus;
using test::KrylovOptions;

namespace {

/// Eigenvalues 1, 2 and 5.
test::Rows three_eigenvalues(index_t n) {
  test::Rows rows(static_cast<std::size_t>(n));
  for (index_t i = 0; i < n; ++i)
    rows[static_cast<std::size_t>(i)][i] = i % 3 == 0 ? 1. : i % 3 == 1 ? 2. : 5.;
  return rows;
}

/// Shifts each entry to the next position: the solution is in no Krylov space but the whole space.
test::Rows cyclic_shift(index_t n) {
  test::Rows rows(static_cast<std::size_t>(n));
  for (index_t i = 0; i < n; ++i)
    rows[static_cast<std::size_t>((i + 1) % n)][i] = 1.;
  return rows;
}

/// Advection and diffusion on a grid, upwind.
test::Rows upwind(index_t nx, index_t ny, double advection) {
  test::Rows rows = test::laplacian(nx, ny);
  for (index_t i = 0; i < nx * ny; ++i) {
    auto& row = rows[static_cast<std::size_t>(i)];
    row[i] += advection;
    if (i % nx > 0)
      row[i - 1] -= advection;
  }
  return rows;
}

double norm(const std::vector<double>& x) { return test::distance(x, std::vector<double>(x.size(), 0.)); }

} // namespace

TEMPLATE_LIST_TEST_CASE("GMRES and BiCGStab agree with elimination for nonsymmetric systems", "[solvers][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  KrylovOptions options;
  options.relative_tolerance = 1e-12;
  for (const test::Rows& rows :
       {test::Rows{{{0, 3.}}}, upwind(17, 13, 3.), upwind(40, 1, 0.5), test::laplacian(15, 15),
        test::rows_of(test::random_blocks(test::mixed_sizes(29, {3, 6, 10}), 6, false, 0.3, 3))}) {
    const auto n = static_cast<index_t>(rows.size());
    const std::vector<double> b = test::random_vector(n, 7);
    const std::vector<double> expected = test::solve_dense(rows, b);
    for (const char* method : {"gmres", "bicgstab"})
      for (const char* name : {"none", "jacobi"}) {
        CAPTURE(n, method, name);

        const auto solved = test::solve_krylov(exec, method, rows, b, name, options, test::random_vector(n, 8));

        CAPTURE(solved.result.message);
        REQUIRE(solved.result.status == SolverStatus::converged);
        REQUIRE(solved.result.residual <= solved.result.threshold);
        REQUIRE(solved.result.true_residual <= 2. * solved.result.threshold);
        REQUIRE(test::distance(solved.x, expected) <= 1e-8 * norm(expected)); // condition times tolerance
      }
  }
}

TEMPLATE_LIST_TEST_CASE("Bits and iterations of GMRES and BiCGStab depend neither on the space nor on the checks",
                        "[solvers][device]", test::ExecutionSpaces) {
  const TestType exec;
  const test::Rows rows = upwind(67, 61, 1.);
  const std::vector<double> b = test::random_vector(67 * 61, 9);
  for (const char* method : {"gmres", "bicgstab"})
    for (const char* name : {"none", "jacobi"}) {
      KrylovOptions options;
      options.max_iterations = 300;
      options.restart = 21; // not a multiple of a chunk or of an interval
      const auto expected = test::solve_krylov(Kokkos::DefaultHostExecutionSpace(), method, rows, b, name, options);
      REQUIRE(expected.result.status == SolverStatus::converged);
      REQUIRE(expected.result.iterations > 42);
      for (const int interval : {1, 2, 7, 32, 100000}) {
        CAPTURE(method, name, interval);
        options.check_interval = interval;

        const auto solved = test::solve_krylov(exec, method, rows, b, name, options);

        REQUIRE(solved.result.iterations == expected.result.iterations);
        REQUIRE(solved.x == expected.x);
        REQUIRE(solved.result.history == expected.result.history);
        REQUIRE(solved.result.true_residual == expected.result.true_residual);
        REQUIRE(solved.result.message == expected.result.message);
      }
    }
}

TEMPLATE_LIST_TEST_CASE("GMRES ends after as many iterations as there are distinct eigenvalues", "[solvers]",
                        test::ExecutionSpaces) {
  const std::vector<double> b = test::random_vector(90, 1);
  for (const int restart : {3, 30}) {
    KrylovOptions options;
    options.restart = restart;

    const auto solved = test::solve_krylov(TestType(), "gmres", three_eigenvalues(90), b, "none", options);

    REQUIRE(solved.result.status == SolverStatus::converged);
    REQUIRE(solved.result.iterations == 3);
    REQUIRE(solved.result.history[2] > 1e-3 * solved.result.rhs_norm);
  }
}

TEMPLATE_LIST_TEST_CASE("The residuals of GMRES are the smallest of their Krylov spaces", "[solvers]",
                        test::ExecutionSpaces) {
  const test::Rows rows = upwind(20, 20, 2.);
  const std::vector<double> b = test::random_vector(400, 2);
  const std::vector<double> ab = test::multiply(rows, b);
  double bab = 0.;
  for (std::size_t i = 0; i < b.size(); ++i)
    bab += b[i] * ab[i];
  KrylovOptions options;
  options.restart = 400;

  const auto solved = test::solve_krylov(TestType(), "gmres", rows, b, "none", options);

  const auto& history = solved.result.history;
  const double first = std::sqrt(norm(b) * norm(b) - bab * bab / (norm(ab) * norm(ab)));
  REQUIRE(std::abs(history[1] - first) <= 1e-12 * norm(b));
  for (std::size_t k = 1; k < history.size(); ++k)
    REQUIRE(history[k] <= history[k - 1]);
  REQUIRE(solved.result.status == SolverStatus::converged);
  REQUIRE(std::abs(solved.result.true_residual - solved.result.residual) <= 1e-13 * norm(b));
}

TEMPLATE_LIST_TEST_CASE("Restarts cost iterations, and too many of them the convergence", "[solvers]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const std::vector<double> b = test::random_vector(441, 3);
  KrylovOptions options;
  int fewest = 0;
  for (const int restart : {441, 30, 8, 3}) {
    CAPTURE(restart);
    options.restart = restart;
    const auto solved = test::solve_krylov(exec, "gmres", upwind(21, 21, 0.2), b, "jacobi", options);
    REQUIRE(solved.result.status == SolverStatus::converged);
    REQUIRE(solved.result.iterations >= fewest);
    REQUIRE(solved.result.true_residual <= 1.01 * solved.result.threshold);
    fewest = solved.result.iterations;
  }

  options.restart = 9;
  options.max_iterations = 40;
  std::vector<double> unit(10, 0.);
  unit[0] = 1.;
  const auto stagnant = test::solve_krylov(exec, "gmres", cyclic_shift(10), unit, "none", options);
  REQUIRE(stagnant.result.status == SolverStatus::max_iterations);
  REQUIRE(stagnant.result.iterations == 40);
  REQUIRE(stagnant.result.residual == 1.);
  REQUIRE_THAT(stagnant.result.message, ContainsSubstring("GMRES: not converged in 40 iterations"));
  options.restart = 10;
  const auto whole = test::solve_krylov(exec, "gmres", cyclic_shift(10), unit, "none", options);
  REQUIRE(whole.result.status == SolverStatus::converged);
  REQUIRE(whole.result.iterations == 10);
}

TEMPLATE_LIST_TEST_CASE("Running out of iterations is reported by GMRES and BiCGStab, with the x found", "[solvers]",
                        test::ExecutionSpaces) {
  const test::Rows rows = upwind(20, 20, 1.);
  const std::vector<double> b(400, 1.);
  for (const char* method : {"gmres", "bicgstab"})
    for (const int limit : {0, 1, 6, 13}) {
      CAPTURE(method, limit);
      KrylovOptions options;
      options.restart = 6;
      options.check_interval = 4;
      options.max_iterations = limit;

      const auto solved = test::solve_krylov(TestType(), method, rows, b, "jacobi", options);

      const auto& result = solved.result;
      REQUIRE(result.status == SolverStatus::max_iterations);
      REQUIRE(result.iterations == limit);
      REQUIRE(static_cast<int>(result.history.size()) == limit + 1);
      REQUIRE(std::abs(result.true_residual - result.residual) <= 1e-12 * result.rhs_norm);
      const double distance = test::distance(test::multiply(rows, solved.x), b);
      REQUIRE(std::abs(distance - result.true_residual) <= 1e-12 * result.rhs_norm);
      REQUIRE_THAT(result.message, ContainsSubstring("not converged in " + std::to_string(limit)));
    }
}

TEMPLATE_LIST_TEST_CASE("Tolerances, guesses and the monitor mean the same to GMRES and BiCGStab as to PCG",
                        "[solvers]", test::ExecutionSpaces) {
  const TestType exec;
  const test::Rows rows = upwind(30, 30, 1.);
  const std::vector<double> b = test::random_vector(900, 10);
  for (const char* method : {"gmres", "bicgstab"}) {
    CAPTURE(method);
    KrylovOptions options;
    int looks = 0;
    options.check_interval = 10;
    options.monitor = [&looks](int, double) { ++looks; };
    options.relative_tolerance = 1e-6;
    const auto solved = test::solve_krylov(exec, method, rows, b, "jacobi", options);
    const auto& result = solved.result;
    REQUIRE(result.status == SolverStatus::converged);
    REQUIRE(result.threshold == 1e-6 * result.rhs_norm);
    REQUIRE(static_cast<int>(result.history.size()) == result.iterations + 1);
    REQUIRE(result.history.front() == result.initial_residual);
    REQUIRE(result.history.back() == result.residual);
    REQUIRE(result.history[result.history.size() - 2] > result.threshold);
    REQUIRE(looks == (result.iterations + 9) / 10);

    const auto again = test::solve_krylov(exec, method, rows, b, "jacobi", options, solved.x);
    REQUIRE(again.result.status == SolverStatus::converged);
    REQUIRE(again.result.iterations == 0);
    REQUIRE(again.x == solved.x);

    const auto zero = test::solve_krylov(exec, method, rows, std::vector<double>(900, 0.), "jacobi", options, b);
    REQUIRE(zero.result.status == SolverStatus::converged);
    REQUIRE(zero.result.iterations == 0);
    REQUIRE(zero.x == std::vector<double>(900, 0.));

    options.relative_tolerance = 0.;
    options.absolute_tolerance = 1e3 * result.rhs_norm;
    const auto lax = test::solve_krylov(exec, method, rows, b, "jacobi", options, test::random_vector(900, 4));
    REQUIRE(lax.result.status == SolverStatus::inaccurate);
  }
}

TEMPLATE_LIST_TEST_CASE("Right-hand sides of any magnitude give GMRES and BiCGStab the same digits", "[solvers]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const test::Rows rows = upwind(20, 20, 1.);
  const std::vector<double> b = test::random_vector(400, 5);
  for (const char* method : {"gmres", "bicgstab"}) {
    const auto plain = test::solve_krylov(exec, method, rows, b, "jacobi", KrylovOptions());
    for (const double factor : {std::ldexp(1., 600), std::ldexp(1., -600)}) {
      std::vector<double> far = b;
      for (double& value : far)
        value *= factor;
      const auto solved = test::solve_krylov(exec, method, rows, far, "jacobi", KrylovOptions());
      REQUIRE(solved.result.status == SolverStatus::converged);
      REQUIRE_THAT(solved.result.message, ContainsSubstring("in units of"));
      for (std::size_t i = 0; i < b.size(); ++i)
        REQUIRE(std::abs(solved.x[i] - factor * plain.x[i]) <= 1e-9 * factor * norm(plain.x));
    }
  }
}

TEMPLATE_LIST_TEST_CASE("A Krylov space that ends without a solution is a breakdown of GMRES", "[solvers]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const test::Rows nilpotent = {{{1, 1.}}, {}};
  const auto solved = test::solve_krylov(exec, "gmres", nilpotent, {0., 1.}, "none", KrylovOptions());
  REQUIRE(solved.result.status == SolverStatus::breakdown);
  REQUIRE(solved.result.iterations == 1);
  REQUIRE(solved.x == std::vector<double>{0., 0.});
  REQUIRE_THAT(solved.result.message, ContainsSubstring("is singular: the Krylov space ends without a solution in "
                                                        "iteration 2"));

  // Linearly dependent direction, but the solution is in the space: no breakdown.
  const auto lucky = test::solve_krylov(exec, "gmres", {{{0, 2.}}, {{1, 3.}}}, {0., 6.}, "none", KrylovOptions());
  REQUIRE(lucky.result.status == SolverStatus::converged);
  REQUIRE(lucky.result.iterations == 1);
  REQUIRE(lucky.x == std::vector<double>{0., 2.});
}

TEMPLATE_LIST_TEST_CASE("Both breakdowns of BiCGStab are reported, and GMRES solves these systems", "[solvers]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const test::Rows turn = {{{1, 1.}}, {{0, -1.}}};
  const test::Rows no_descent = {{{0, 1.}, {1, 1.}}, {{0, 1.}}};
  const std::vector<double> b = {1., 0.};
  for (const auto& [rows, sign] :
       {std::pair<test::Rows, const char*>{turn, "(r_0, A M^-1 p) = 0 is zero to rounding"},
        std::pair<test::Rows, const char*>{no_descent, "(A M^-1 s, s) = 0 is zero to rounding"}}) {
    const auto broken = test::solve_krylov(exec, "bicgstab", rows, b, "none", KrylovOptions());
    REQUIRE(broken.result.status == SolverStatus::breakdown);
    REQUIRE(broken.result.iterations == 0);
    REQUIRE(broken.x == std::vector<double>{0., 0.});
    REQUIRE_THAT(broken.result.message, ContainsSubstring(sign));
    REQUIRE(test::solve_krylov(exec, "gmres", rows, b, "none", KrylovOptions()).result.status ==
            SolverStatus::converged);
  }
}

TEMPLATE_LIST_TEST_CASE("BiCGStab starts anew where its shadow residual no longer helps", "[solvers]",
                        test::ExecutionSpaces) {
  // Along this flow the first residual has no effect on the last unknowns for many products.
  const TestType exec;
  const test::Rows rows = upwind(300, 1, 1.);
  const std::vector<double> b(300, 1.);
  const auto solved = test::solve_krylov(exec, "bicgstab", rows, b, "jacobi", KrylovOptions());
  CAPTURE(solved.result.message);
  REQUIRE(solved.result.status == SolverStatus::converged);
  REQUIRE(solved.result.iterations < 600);
  bool has_idle_step = false;
  for (std::size_t k = 1; k < solved.result.history.size(); ++k)
    has_idle_step = has_idle_step || solved.result.history[k] == solved.result.history[k - 1];
  REQUIRE(has_idle_step);
  REQUIRE(test::distance(solved.x, test::solve_dense(rows, b)) <= 1e-7 * norm(solved.x));
}

TEMPLATE_LIST_TEST_CASE("Values that are not finite are distinguished by GMRES and BiCGStab", "[solvers]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const test::Rows rows = upwind(20, 20, 1.);
  const std::vector<double> b = test::random_vector(400, 3);
  for (const char* method : {"gmres", "bicgstab"}) {
    CAPTURE(method);
    std::vector<double> bad = b;
    bad[17] = std::nan("");
    const auto rhs = test::solve_krylov(exec, method, rows, bad, "jacobi", KrylovOptions());
    REQUIRE(rhs.result.status == SolverStatus::breakdown);
    REQUIRE_THAT(rhs.result.message, ContainsSubstring("right-hand side holds a value that is not finite"));
    const auto guess = test::solve_krylov(exec, method, rows, b, "jacobi", KrylovOptions(), bad);
    REQUIRE_THAT(guess.result.message, ContainsSubstring("initial guess holds a value that is not finite"));

    for (const bool of_operator : {true, false}) {
      KrylovOptions options;
      options.restart = 4;
      const auto healthy = test::operator_on(exec, rows);
      const test::FailingOperator<TestType> a(healthy, of_operator ? 6 : 100000);
      const test::FailingPreconditioner<TestType> m(a.size(), of_operator ? 100000 : 6);
      const auto x = test::vector_on(exec, std::vector<double>(400, 0.));

      const auto result = test::run_krylov(exec, method, a, m, test::vector_on(exec, b), x, options);

      REQUIRE(result.status == SolverStatus::breakdown);
      REQUIRE(result.iterations > 0);
      REQUIRE_THAT(result.message, ContainsSubstring(of_operator ? "the operator gave a value that is not finite"
                                                                 : "the preconditioner gave a value that is not "
                                                                   "finite"));
      REQUIRE_THAT(result.message, ContainsSubstring("in iteration " + std::to_string(result.iterations + 1)));
      for (const double value : test::values_of(exec, x))
        REQUIRE(std::isfinite(value));
    }
  }
}

TEMPLATE_LIST_TEST_CASE("GMRES and BiCGStab can be used again, for other sizes too, and allocate once", "[solvers]",
                        test::ExecutionSpaces) {
  const TestType exec;
  solvers::Gmres<TestType> gmres;
  solvers::BiCgStab<TestType> bicgstab;
  for (const index_t n : {50, 10, 0, 300, 300}) {
    CAPTURE(n);
    const test::Rows rows = n == 0 ? test::Rows() : upwind(n, 1, 1.);
    const auto a = test::operator_on(exec, rows);
    const solvers::Jacobi<TestType> jacobi(exec, a);
    const auto b = test::vector_on(exec, std::vector<double>(rows.size(), 1.));
    const auto x = test::vector_on(exec, std::vector<double>(rows.size(), 0.));
    const auto y = test::vector_on(exec, std::vector<double>(rows.size(), 0.));
    const test::LabelWatch watch;
    REQUIRE(gmres.solve(exec, a, jacobi, b, x).status == SolverStatus::converged);
    const auto result = bicgstab.solve(exec, a, jacobi, b, y);
    CAPTURE(result.message);
    REQUIRE(result.status == SolverStatus::converged);
    REQUIRE(watch.bad_labels() == std::set<std::string>());
  }
  const auto count = [&exec](const char* method, int limit) {
    KrylovOptions options;
    options.max_iterations = limit;
    options.restart = 4;
    const auto a = test::operator_on(exec, upwind(60, 60, 1.));
    const solvers::Jacobi<TestType> jacobi(exec, a);
    const auto b = test::vector_on(exec, std::vector<double>(3600, 1.));
    const auto x = test::vector_on(exec, std::vector<double>(3600, 0.));
    const test::LabelWatch watch;
    test::run_krylov(exec, method, a, jacobi, b, x, options);
    return watch.n_allocations();
  };
  for (const char* method : {"gmres", "bicgstab"})
    REQUIRE(count(method, 5) == count(method, 50));
}

TEMPLATE_LIST_TEST_CASE("GMRES refuses to restart before the first iteration", "[solvers]", test::ExecutionSpaces) {
  solvers::GmresOptions options;
  options.restart = 0;
  REQUIRE_THROWS_AS(solvers::Gmres<TestType>(options), Error);
  options.restart = 5;
  options.relative_tolerance = -1.;
  REQUIRE_THROWS_AS(solvers::Gmres<TestType>(options), Error);
}

TEMPLATE_LIST_TEST_CASE("Traffic of a GMRES iteration grows with the restart, that of BiCGStab is two products",
                        "[solvers]", test::ExecutionSpaces) {
  const TestType exec;
  const auto a = test::operator_on(exec, upwind(30, 30, 1.));
  const solvers::Jacobi<TestType> jacobi(exec, a);
  // One vector: twice products 16 and subtraction 24, then 16.
  REQUIRE(solvers::Gmres<TestType>::iteration_traffic(a, jacobi, 1).bytes == a.traffic().bytes + 96. * 900.);
  REQUIRE(solvers::Gmres<TestType>::iteration_traffic(a, jacobi, 15).bytes ==
          a.traffic().bytes + (32. * 8. + 48. + 16.) * 900.);
  REQUIRE(solvers::BiCgStab<TestType>::iteration_traffic(a, jacobi).bytes == 2. * a.traffic().bytes + 152. * 900.);
}
