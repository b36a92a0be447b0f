// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "harmonic_cases.hpp"
#include "solvers/harmonic/cocg.hpp"
#include "solvers/harmonic/flexible_gmres.hpp"
#include "solvers/harmonic/shifted_multigrid.hpp"
#include "solvers/harmonic/solution_projection.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace tessera;
using solvers::CocgStatus;
using test::Complex;
using test::ComplexVector;

namespace {

/// 60 frequencies over 4.3 decades.
constexpr int n_frequencies = 60;
Complex shift_of(int k) { return test::harmonic_shift(50. * std::pow(2e4, k / (n_frequencies - 1.))); }

/// Total number of iterations of a sweep over the copper bar, with or without start vectors.
template <class ExecutionSpace> int iterations_of_sweep(const ExecutionSpace& exec, double tolerance, bool projects) {
  const index_t n = 64;
  const auto problem = test::copper_bar(n);
  const auto levels = test::levels_of(exec, problem, n, true);
  solvers::ShiftedOperator<ExecutionSpace, 1> a(exec, test::shifted_on(exec, problem.k, problem.m));
  solvers::ShiftedMultigrid<ExecutionSpace, 1> m(exec, levels, {shift_of(0)});
  solvers::CocgOptions options;
  options.relative_tolerance = tolerance;
  solvers::Cocg<ExecutionSpace, 1> cocg(options);
  solvers::SolutionProjection<ExecutionSpace> projection;
  const auto x = test::columns_on<1>(exec, {ComplexVector(problem.k.size())});
  int sum = 0;
  for (int k = 0; k < n_frequencies; ++k) {
    a.set_shifts({shift_of(k)});
    m.set_shifts(exec, {shift_of(k)});
    const auto b = test::columns_on<1>(exec, {problem.rhs(shift_of(k))});
    if (projects)
      projection.start(exec, a, b, x);
    else
      linalg::set_to_zero(exec, x);
    const auto result = cocg.solve(exec, a, m, b, x)[0];
    REQUIRE(result.status == CocgStatus::converged);
    if (projects)
      projection.add(exec, a, x);
    sum += result.iterations;
  }
  return sum;
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Start vectors from eight solutions leave a seventh of a sweep's iterations",
                        "[solvers][device]", test::ExecutionSpaces) {
  const TestType exec;
  const int from_zero = iterations_of_sweep(exec, 1e-8, false);
  REQUIRE(from_zero > 450);
  // A prototype in double precision takes 63 and 23.
  REQUIRE(iterations_of_sweep(exec, 1e-8, true) <= 70);
  REQUIRE(iterations_of_sweep(exec, 1e-5, true) <= 30);
}

TEMPLATE_LIST_TEST_CASE("Start vectors reproduce each of the last solutions, and forget older ones",
                        "[solvers][device]", test::ExecutionSpaces) {
  const TestType exec;
  const index_t n = 16;
  const auto problem = test::copper_bar(n);
  const auto size = problem.k.size();
  solvers::ShiftedOperator<TestType, 1> a(exec, test::shifted_on(exec, problem.k, problem.m));
  solvers::SolutionProjection<TestType> projection(3);
  const auto x = test::columns_on<1>(exec, {ComplexVector(size, 7.)});
  const auto start = [&](const ComplexVector& solution, Complex s) {
    a.set_shifts({s});
    projection.start(exec, a, test::columns_on<1>(exec, {test::multiply(problem.k, problem.m, s, solution)}), x);
    return test::columns_of<1>(exec, x)[0];
  };
  REQUIRE(start(ComplexVector(size, 1.), shift_of(0)) == ComplexVector(size)); // without solutions

  std::vector<ComplexVector> solutions;
  for (unsigned k = 0; k < 7; ++k) {
    const auto re = test::random_vector(static_cast<index_t>(size), 2 * k);
    const auto im = test::random_vector(static_cast<index_t>(size), 2 * k + 1);
    ComplexVector solution(size);
    for (std::size_t i = 0; i < size; ++i) // similar to each other, and of different sizes
      solution[i] =
          std::pow(10., k) * (Complex(1., 0.5) * (1. + 0.01 * i) + 1e-3 * Complex(re[i], k == 2 ? 0. : im[i]));
    solutions.push_back(solution);
    projection.add(exec, a, test::columns_on<1>(exec, {solution}));
    REQUIRE(projection.n_solutions() == std::min<int>(static_cast<int>(k) + 1, 3));
    REQUIRE(projection.n_directions() == 2 * projection.n_solutions());
    for (unsigned l = 0; l <= k; ++l)
      for (const Complex s : {shift_of(5), Complex(1e3)}) {
        const double distance = test::relative_distance(start(solutions[l], s), solutions[l]);
        if (l + 3 > k)
          REQUIRE(distance < 1e-9); // rounding times the condition of K + s M, some 1e3, and of the directions, 1e3
        else
          REQUIRE(distance > 1e-5);
      }
  }

  // Real and repeated solutions add one direction, and none.
  solvers::SolutionProjection<TestType> one;
  const ComplexVector real(size, 2.);
  one.add(exec, a, test::columns_on<1>(exec, {real}));
  REQUIRE(one.n_directions() == 1);
  one.add(exec, a, test::columns_on<1>(exec, {real}));
  REQUIRE(one.n_directions() == 1);
  REQUIRE(one.n_solutions() == 2);
  ComplexVector imaginary(size, Complex(0., 3.));
  imaginary[0] = 0.;
  one.add(exec, a, test::columns_on<1>(exec, {imaginary}));
  REQUIRE(one.n_directions() == 2);
  REQUIRE_THROWS_AS((solvers::SolutionProjection<TestType>(0)), Error);
  REQUIRE_THROWS_AS(one.add(exec, a, test::columns_on<1>(exec, {ComplexVector(3)})), Error);
}

TEMPLATE_LIST_TEST_CASE("Solutions at eight frequencies are a model of all frequencies between", "[solvers][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  constexpr int n_solutions = 8;
  const index_t n = 64;
  const auto problem = test::copper_bar(n);
  const auto levels = test::levels_of(exec, problem, n, true);
  solvers::ShiftedOperator<TestType, 1> a(exec, test::shifted_on(exec, problem.k, problem.m));
  solvers::ShiftedMultigrid<TestType, 1> m(exec, levels, {shift_of(0)});
  solvers::CocgOptions options;
  options.relative_tolerance = 1e-11;
  solvers::Cocg<TestType, 1> cocg(options);
  solvers::SolutionProjection<TestType> model(n_solutions);
  const auto x = test::columns_on<1>(exec, {ComplexVector(problem.k.size())});
  const auto solve = [&](Complex s) {
    a.set_shifts({s});
    m.set_shifts(exec, {s});
    REQUIRE(cocg.solve(exec, a, m, test::columns_on<1>(exec, {problem.rhs(s)}), x)[0].status == CocgStatus::converged);
    return test::columns_of<1>(exec, x)[0];
  };
  for (int k = 0; k < n_solutions; ++k) {
    linalg::set_to_zero(exec, x);
    solve(shift_of(0) * std::pow(2e4, k / (n_solutions - 1.)));
    model.add(exec, a, x);
  }
  solvers::SolutionProjection<TestType> full(n_solutions + 1); // none of which is dropped
  for (int k = 0; k <= n_solutions; ++k)
    full.add(exec, a, x);
  REQUIRE_THROWS_AS(full.add(exec, a, x), Error);
  for (int k = 0; k < n_frequencies; k += 7) {
    const Complex s = shift_of(k);
    const ComplexVector b = problem.rhs(s);
    a.set_shifts({s});
    model.start(exec, a, test::columns_on<1>(exec, {b}), x);
    const ComplexVector of_model = test::columns_of<1>(exec, x)[0];
    const ComplexVector exact = solve(s);
    Complex port, error;
    for (std::size_t i = 0; i < b.size(); ++i) {
      port += b[i] * exact[i];
      error += b[i] * (of_model[i] - exact[i]);
    }
    INFO(k);
    REQUIRE(std::fabs(error.real()) < 1e-8 * std::fabs(port.real()));
    REQUIRE(std::fabs(error.imag()) < 1e-8 * std::fabs(port.imag()));
    REQUIRE(test::relative_distance(of_model, exact) < 1e-4);
  }
}

TEMPLATE_LIST_TEST_CASE("GMRES with real products solves systems that are linear for real factors only",
                        "[solvers][device]", test::ExecutionSpaces) {
  const TestType exec;
  const index_t n = 16;
  const auto problem = test::copper_bar(n);
  const std::size_t size = problem.k.size();
  const auto levels = test::levels_of(exec, problem, n, true);
  const Complex s = shift_of(20);
  solvers::ShiftedOperator<TestType, 1> a(exec, test::shifted_on(exec, problem.k, problem.m));
  a.set_shifts({s});
  const solvers::ShiftedMultigrid<TestType, 1> m(exec, levels, {s});
  // A x + c conj(A x)
  const Complex c(0.3, 0.4);
  const auto product = [&](const ComplexVector& x) {
    ComplexVector y = test::multiply(problem.k, problem.m, s, x);
    for (Complex& entry : y)
      entry += c * std::conj(entry);
    return y;
  };
  ComplexVector exact(size);
  for (std::size_t i = 0; i < size; ++i)
    exact[i] = Complex(1. + 0.01 * static_cast<double>(i), -0.5);
  const ComplexVector b = product(exact);
  double square = 0.;
  for (const Complex& entry : b)
    square += std::norm(entry);
  const auto x = test::columns_on<1>(exec, {ComplexVector(size)});
  const auto kept = test::columns_on<1>(exec, {ComplexVector(size)});
  const auto apply = [&](const auto& from, const auto& to) {
    copy(exec, kept, from);
    copy(exec, to, test::columns_on<1>(exec, {product(test::columns_of<1>(exec, kept)[0])}));
    exec.fence();
  };
  for (const int restart : {60, 8}) {
    solvers::RealGmresOptions options;
    options.threshold = 1e-10 * std::sqrt(square);
    options.restart = restart;
    const auto solve = [&] {
      return solvers::real_gmres<TestType>(exec, apply, m, test::columns_on<1>(exec, {b}), x, options);
    };
    const auto result = solve();
    INFO(restart);
    REQUIRE(result.status == solvers::SolverStatus::converged);
    REQUIRE(result.iterations <= 60);
    REQUIRE(test::relative_distance(test::columns_of<1>(exec, x)[0], exact) < 1e-7);
    options.max_iterations = 2;
    REQUIRE(solve().status == solvers::SolverStatus::max_iterations);
  }
}
