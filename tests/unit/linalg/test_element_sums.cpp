// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/transfer/upload.hpp"
#include "linalg/element_sums.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace tessera::test {

namespace {

template <class Space> struct Values {
  Array<const double*, Space> values;
  KOKKOS_FUNCTION void operator()(std::int64_t e, double (&term)[1]) const { term[0] = values(e); }
};

template <class ExecutionSpace> double sum_of(const std::vector<double>& values, bool same_bits) {
  const ExecutionSpace exec;
  const Array<const double*, ExecutionSpace> array = uploaded(exec, "test::values", values);
  const linalg::ElementSums<ExecutionSpace> sums(exec, static_cast<std::int64_t>(values.size()), same_bits);
  return sums("test::sum", exec, Values<typename ExecutionSpace::memory_space>{array});
}

/// Positive and negative numbers with magnitudes that differ by up to 2^`spread`.
std::vector<double> numbers_of(std::size_t n, int spread) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> mantissa(-1., 1.);
  std::uniform_int_distribution<int> exponent(-spread, 0);
  std::vector<double> values(n);
  for (double& value : values)
    value = std::ldexp(mantissa(random), exponent(random));
  return values;
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Sums with the same bits do not depend on the order of the elements", "[linalg][device]",
                        ExecutionSpaces) {
  for (const int spread : {0, 40}) {
    INFO("spread " << spread);
    std::vector<double> values = numbers_of(10007, spread);
    const double sum = sum_of<TestType>(values, true);
    double exact = 0.;
    double absolute = 0.;
    for (const double value : values) {
      exact += value;
      absolute += std::fabs(value);
    }
    CHECK(std::fabs(sum - exact) <= 1e-14 * absolute); // the rounding of the loop above
    bool differ_in_order = false;
    for (unsigned seed = 0; seed < 4; ++seed) {
      std::shuffle(values.begin(), values.end(), std::mt19937(seed));
      CHECK(sum_of<TestType>(values, true) == sum);
      differ_in_order =
          differ_in_order || sum_of<TestType>(values, false) != sum_of<TestType>(numbers_of(10007, spread), false);
    }
    CHECK(differ_in_order); // otherwise the check above is void
  }
}

TEMPLATE_LIST_TEST_CASE("Sums with the same bits are exact where terms share a grid, and keep small and large scales",
                        "[linalg][device]", ExecutionSpaces) {
  const double huge = std::ldexp(1., 1000);
  CHECK(sum_of<TestType>({huge, 3., -huge}, true) == 0.); // 3 is below the grid of 2^-61 of the largest
  CHECK(sum_of<TestType>({0.5, -0.25, 1024., 3.}, true) == 1027.25);
  const double tiny = std::ldexp(1., -1000);
  CHECK(sum_of<TestType>({tiny, tiny, -tiny}, true) == tiny);
  CHECK(sum_of<TestType>({0., -0.}, true) == 0.);
  CHECK(sum_of<TestType>({}, true) == 0.);
  for (const double bad : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    for (const bool same_bits : {false, true})
      CHECK(!std::isfinite(sum_of<TestType>({1., bad, 2.}, same_bits)));
}

TEMPLATE_LIST_TEST_CASE("Sums over some of the elements leave out the others", "[linalg][device]", ExecutionSpaces) {
  const TestType exec;
  const Array<const double*, TestType> values =
      uploaded(exec, "test::values", std::vector<double>{1., 2., 4., 8., 16.});
  for (const bool same_bits : {false, true}) {
    const auto sum = [&](const std::vector<index_t>& elements) {
      const Array<const index_t*, TestType> list = uploaded(exec, "test::elements", elements);
      return linalg::ElementSums<TestType>(exec, list, comm::alone(), same_bits)(
          "test::sum", exec, Values<typename TestType::memory_space>{values});
    };
    CHECK(sum({1, 3}) == 10.);
    CHECK(sum({}) == 0.);
    CHECK(sum({4}) == 16.);
  }
}

} // namespace tessera::test
