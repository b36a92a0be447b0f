// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "linalg/copy_bandwidth.hpp"
#include "linalg/peak_rate.hpp"
#include "linalg/vector_kernels.hpp"
#include "support/matrices.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>

using namespace tessera;

TEMPLATE_LIST_TEST_CASE("Dot products equal the plain sums", "[linalg]", test::ExecutionSpaces) {
  const TestType exec;
  for (const index_t n : {0, 1, 1009, 300007}) {
    CAPTURE(n);
    const std::vector<double> x = test::random_vector(n, 1);
    const std::vector<double> y = test::random_vector(n, 2);
    long double xy = 0.;
    for (std::size_t i = 0; i < x.size(); ++i)
      xy += static_cast<long double>(x[i]) * y[i];
    const ReduceWorkspace<TestType> workspace(exec, n, 1);
    const auto result = make_array<linalg::Vector<TestType>>(exec, "test", 1);

    linalg::dot<TestType>(exec, test::vector_on(exec, x), test::vector_on(exec, y), workspace, result.data());

    // Tree summation keeps the error near the rounding of |x|.|y|.
    REQUIRE(std::abs(read_entry(exec, result, 0) - static_cast<double>(xy)) <= 1e-15 * (1. + n));
  }
}

TEMPLATE_LIST_TEST_CASE("The copy bandwidth is a plausible rate and frees its arrays", "[linalg]",
                        test::ExecutionSpaces) {
  const double rate = linalg::copy_bandwidth(TestType(), 3, 1 << 20);

  REQUIRE(rate > 1e7);
  REQUIRE(rate < 1e14);
  REQUIRE_THROWS_AS(linalg::copy_bandwidth(TestType(), 3, 0.), Error);
}

TEMPLATE_LIST_TEST_CASE("The peak of multiply-adds is a plausible rate", "[linalg]", test::ExecutionSpaces) {
  for (const Precision precision : {Precision::double_precision, Precision::single_precision}) {
    const double rate = linalg::peak_rate(TestType(), 1, precision);
    REQUIRE(rate > 1e7);
    REQUIRE(rate < 1e15);
  }
  REQUIRE_THROWS_AS(linalg::peak_rate(TestType(), 0), Error);
}
