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
    REQUIRE(solvers::pointwise_of(*m).kind != solvers::Inverse::stored);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double scale = m->name() == "jacobi" ? 1. / rows[i].at(static_cast<index_t>(i)) : 1.;
      REQUIRE(result[i] == scale * r[i]);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("Preconditioners of an empty system do nothing", "[solvers]", test::ExecutionSpaces) {
  const TestType exec;
  const auto a = test::operator_on(exec, test::Rows());
  for (const char* name : {"none", "jacobi"}) {
    const auto m = test::make_preconditioner(exec, name, a);
    const linalg::Vector<TestType> empty;
    m->apply(exec, empty, empty);
  }
}
