// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/jacobi.hpp"
#include "solvers/krylov/pcg.hpp"
#include "solvers/krylov/richardson.hpp"
#include "solvers/multigrid/multigrid.hpp"
#include "support/matrices.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>

using namespace tessera;
using Catch::Matchers::ContainsSubstring;
using solvers::SolverStatus;

namespace {

/// r -> factor r
template <class ExecutionSpace> class Multiple final : public solvers::Preconditioner<ExecutionSpace> {
public:
  using typename solvers::Preconditioner<ExecutionSpace>::vector_type;
  using typename solvers::Preconditioner<ExecutionSpace>::const_vector_type;
  struct Kernel {
    const double* r;
    double* z;
    double factor;
    KOKKOS_FUNCTION void operator()(std::int64_t i) const { z[i] = factor * r[i]; }
  };
  Multiple(index_t size, double factor)
      : solvers::Preconditioner<ExecutionSpace>(size, "multiple", true), factor_(factor) {}
  void apply(const ExecutionSpace& exec, const const_vector_type& r, const vector_type& z) const override {
    stream("test::multiple", exec, static_cast<std::int64_t>(r.extent(0)), Kernel{r.data(), z.data(), factor_});
  }

private:
  double factor_;
};

solvers::SolverOptions to(double tolerance, int max_iterations = 1000) {
  solvers::SolverOptions options;
  options.relative_tolerance = tolerance;
  options.max_iterations = max_iterations;
  return options;
}

struct Outcome {
  solvers::SolverResult result;
  std::vector<double> x;
};

template <class ExecutionSpace>
Outcome solve(const ExecutionSpace& exec, const test::Rows& rows, const solvers::Preconditioner<ExecutionSpace>& m,
              const solvers::SolverOptions& options, double first = 0.) {
  const auto a = test::operator_on(exec, rows);
  const auto n = static_cast<index_t>(rows.size());
  const auto x = make_filled<linalg::Vector<ExecutionSpace>>(exec, "test", n, first);
  const auto b = test::vector_on(exec, test::random_vector(n, 3));
  Outcome outcome;
  outcome.result = solvers::Richardson<ExecutionSpace>("multigrid", options).solve(exec, a, m, b, x);
  outcome.x = test::values_of(exec, x);
  return outcome;
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Cycles of multigrid alone converge to the solution of PCG, on all spaces by the same bits",
                        "[solvers][device]", test::ExecutionSpaces) {
  const TestType exec;
  const Kokkos::DefaultHostExecutionSpace host;
  const test::Rows rows = test::laplacian(60, 50);
  solvers::MultigridOptions cycle;
  cycle.cycle = solvers::MultigridCycle::W;
  const solvers::Multigrid<TestType> m(exec, test::crs_on(exec, rows), {}, cycle);
  const Outcome outcome = solve(exec, rows, m, to(1e-10));
  REQUIRE(outcome.result.status == SolverStatus::converged);
  CHECK_THAT(outcome.result.message, ContainsSubstring("multigrid: converged in "));
  CHECK(outcome.result.true_residual <= 1e-10 * outcome.result.rhs_norm);
  CHECK(outcome.result.residual == outcome.result.true_residual); // both are computed from x
  CHECK(outcome.result.mean_factor() < 0.6);                      // aggregation; geometric levels are tested in
                                                                  // regression
  CHECK(static_cast<int>(outcome.result.history.size()) == outcome.result.iterations + 1);

  const auto a = test::operator_on(exec, rows);
  const auto x = make_filled<linalg::Vector<TestType>>(exec, "test", rows.size(), 0.);
  solvers::PcgOptions options;
  options.relative_tolerance = 1e-12;
  const auto b = test::vector_on(exec, test::random_vector(static_cast<index_t>(rows.size()), 3));
  REQUIRE(solvers::Pcg<TestType>(options).solve(exec, a, m, b, x).status == SolverStatus::converged);
  const std::vector<double> expected = test::values_of(exec, x);
  double difference = 0.;
  double largest = 0.;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    difference = std::max(difference, std::fabs(expected[i] - outcome.x[i]));
    largest = std::max(largest, std::fabs(expected[i]));
  }
  CHECK(difference <= 1e-7 * largest); // residuals of 1e-10, condition number about 1000

  const solvers::Multigrid<Kokkos::DefaultHostExecutionSpace> on_host(host, test::crs_on(host, rows), {}, cycle);
  const Outcome there = solve<Kokkos::DefaultHostExecutionSpace>(host, rows, on_host, to(1e-10));
  CHECK(there.result.iterations == outcome.result.iterations);
  CHECK(there.x == outcome.x);
}

TEMPLATE_LIST_TEST_CASE("Richardson's iteration reports how it fails", "[solvers][device]", test::ExecutionSpaces) {
  const TestType exec;
  const test::Rows rows = test::laplacian(30, 30); // eigenvalues below 8
  const index_t n = 900;
  const Outcome few = solve<TestType>(exec, rows, Multiple<TestType>(n, 0.24), to(1e-10, 15));
  CHECK(few.result.status == SolverStatus::max_iterations);
  CHECK(few.result.iterations == 15);
  CHECK_THAT(few.result.message, ContainsSubstring("multigrid: not converged in 15 iterations"));
  // The convergence factor is 1 - 0.24 * 2 (1 - cos(pi / 31)) ... = 0.995: 0.9 in 20 iterations.
  const Outcome slow = solve<TestType>(exec, rows, Multiple<TestType>(n, 0.12), to(1e-10, 5000));
  CHECK(slow.result.status == SolverStatus::breakdown);
  CHECK(slow.result.iterations % 20 == 0);
  CHECK_THAT(slow.result.message, ContainsSubstring("the residual does not fall") && ContainsSubstring("method pcg"));
  const Outcome growing = solve<TestType>(exec, rows, Multiple<TestType>(n, 0.5), to(1e-10, 5000));
  CHECK(growing.result.status == SolverStatus::breakdown);
  CHECK(growing.result.iterations == 20);
  CHECK(growing.result.residual > growing.result.initial_residual);
  const Outcome explodes = solve<TestType>(exec, rows, Multiple<TestType>(n, 1e200), to(1e-10, 5000));
  CHECK(explodes.result.status == SolverStatus::breakdown);
  CHECK_THAT(explodes.result.message, ContainsSubstring("is not finite"));
  // The tolerance is below rounding.
  const solvers::Multigrid<TestType> m(exec, test::crs_on(exec, rows));
  const Outcome rounding = solve<TestType>(exec, rows, m, to(1e-18, 5000));
  CHECK(rounding.result.status == SolverStatus::breakdown);
  CHECK_THAT(rounding.result.message, ContainsSubstring("does not fall"));
  CHECK(rounding.result.true_residual < 1e-12 * rounding.result.rhs_norm);
}

TEMPLATE_LIST_TEST_CASE("Richardson's iteration goes on from an initial guess", "[solvers]", test::ExecutionSpaces) {
  const TestType exec;
  const test::Rows rows = test::laplacian(30, 30);
  const solvers::Multigrid<TestType> m(exec, test::crs_on(exec, rows));
  const Outcome outcome = solve(exec, rows, m, to(1e-8), 5.);
  CHECK(outcome.result.status == SolverStatus::converged);
  CHECK(outcome.result.initial_residual > outcome.result.rhs_norm);
}
