// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solve.hpp"
#include "support/kokkos_tools.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>

using namespace tessera;

TEMPLATE_LIST_TEST_CASE("Pointwise preconditioners apply what they announce", "[solvers]", test::ExecutionSpaces) {
  const TestType exec;
  const test::Rows rows = test::random_spd(1009, 8, 1);
  const auto a = test::operator_on(exec, rows);
  const std::vector<double> r = test::random_vector(1009, 2);
  for (const char* name : {"none", "jacobi"}) {
    CAPTURE(name);
    const auto m = test::make_preconditioner(exec, name, a);
    const auto z = test::vector_on(exec, std::vector<double>(rows.size(), -1.));

    m->apply(exec, test::vector_on(exec, r), z);

    const std::vector<double> result = test::values_of(exec, z);
    REQUIRE(m->name() == name);
    REQUIRE(m->pointwise().possible);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double scale = m->name() == "jacobi" ? 1. / rows[i].at(static_cast<index_t>(i)) : 1.;
      REQUIRE(result[i] == scale * r[i]);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("Symmetric Gauss-Seidel is symmetric, positive and better than Jacobi", "[solvers]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const test::Rows rows = test::laplacian(43, 37);
  const auto n = static_cast<index_t>(rows.size());
  const auto a = test::operator_on(exec, rows);
  const test::LabelWatch watch(test::LabelWatch::prefixes_with_kokkos_kernels());
  const auto m = test::make_preconditioner(exec, "symmetric-gauss-seidel", a);
  const std::vector<double> u = test::random_vector(n, 3);
  const std::vector<double> v = test::random_vector(n, 4);
  const auto apply = [&](const std::vector<double>& r) {
    const auto z = test::vector_on(exec, std::vector<double>(rows.size(), 1e30)); // what it holds does not matter
    m->apply(exec, test::vector_on(exec, r), z);
    return test::values_of(exec, z);
  };
  const auto product = [](const std::vector<double>& x, const std::vector<double>& y) {
    double sum = 0.;
    for (std::size_t i = 0; i < x.size(); ++i)
      sum += x[i] * y[i];
    return sum;
  };

  const std::vector<double> mu = apply(u);
  const std::vector<double> mv = apply(v);

  REQUIRE(std::abs(product(mu, v) - product(u, mv)) <= 1e-12 * std::abs(product(u, mu)));
  REQUIRE(product(u, mu) > 0.);
  REQUIRE_FALSE(m->pointwise().possible);
  REQUIRE(m->traffic().bytes > 2. * a.traffic().bytes);

  const test::Solved jacobi = test::solve(exec, rows, u, "jacobi", solvers::PcgOptions());
  const test::Solved gauss_seidel = test::solve(exec, rows, u, "symmetric-gauss-seidel", solvers::PcgOptions());
  REQUIRE(gauss_seidel.result.status == solvers::SolverStatus::converged);
  REQUIRE(gauss_seidel.result.iterations < 0.7 * jacobi.result.iterations);
  if (is_host_space<TestType>) // with other spaces come other names
    REQUIRE(watch.bad_labels() == std::set<std::string>());
}

TEMPLATE_LIST_TEST_CASE("Preconditioners of an empty system do nothing", "[solvers]", test::ExecutionSpaces) {
  const TestType exec;
  const auto a = test::operator_on(exec, test::Rows());
  for (const char* name : {"none", "jacobi", "symmetric-gauss-seidel"}) {
    const auto m = test::make_preconditioner(exec, name, a);
    const linalg::Vector<TestType> empty;
    m->apply(exec, empty, empty);
  }
}
