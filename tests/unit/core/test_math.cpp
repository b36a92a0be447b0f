// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/checksum.hpp"
#include "core/math.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cfloat>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace tessera;

namespace {

using Long = long double;

struct OneArgument {
  const char* name;
  double (*ours)(double);
  Long (*exact)(Long);
  double lower, upper; // range of the argument; sampled logarithmically if lower is positive
  double bound;        // bound of the error in units of the last place
};

constexpr double smallest = 5e-324;
constexpr double largest = 1.7e308;

const OneArgument one_argument[] = {
    {"exp", math::exp, std::exp, -745., 709.7, 1.},
    {"exp", math::exp, std::exp, 1e-20, 1., 1.},
    {"log", math::log, std::log, smallest, largest, 1.},
    {"log", math::log, std::log, 0.7, 1.5, 1.},
    {"log10", math::log10, std::log10, smallest, largest, 1.},
    {"log10", math::log10, std::log10, 0.7, 1.5, 1.},
    {"sin", math::sin, std::sin, -1000., 1000., 1.},
    {"sin", math::sin, std::sin, smallest, 5e14, 1.},
    {"cos", math::cos, std::cos, -1000., 1000., 1.},
    {"cos", math::cos, std::cos, smallest, 5e14, 1.},
    {"tan", math::tan, std::tan, -1000., 1000., 3.},
    {"tan", math::tan, std::tan, smallest, 5e14, 3.},
    {"asin", math::asin, std::asin, -1., 1., 3.},
    {"asin", math::asin, std::asin, smallest, 1., 3.},
    {"acos", math::acos, std::acos, -1., 1., 3.},
    {"atan", math::atan, std::atan, -5., 5., 1.},
    {"atan", math::atan, std::atan, smallest, largest, 1.},
    {"sinh", math::sinh, std::sinh, -710.4, 710.4, 2.},
    {"sinh", math::sinh, std::sinh, smallest, 3., 2.},
    {"cosh", math::cosh, std::cosh, -710.4, 710.4, 2.},
    {"tanh", math::tanh, std::tanh, -30., 30., 3.},
    {"tanh", math::tanh, std::tanh, smallest, 3., 3.},
};

/// Distance of a result from the exact value in units of its last place.
double error_in_places(double result, Long exact) {
  int exponent = 0;
  std::frexp(exact, &exponent);
  const Long place = std::ldexp(Long(1), std::max(exponent - 53, -1074));
  return static_cast<double>(std::fabs((static_cast<Long>(result) - exact) / place));
}

std::vector<double> arguments(double lower, double upper, int n) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> part(0., 1.);
  std::vector<double> values;
  for (int i = 0; i < n; ++i)
    values.push_back(lower > 0. ? std::exp(std::log(lower) + part(random) * (std::log(upper) - std::log(lower)))
                                : lower + part(random) * (upper - lower));
  return values;
}

/// All functions at one pair of arguments.
template <class Space> struct Evaluate {
  Array<const double*, Space> x;
  Array<const double*, Space> y;
  Array<double* [18], Space> result;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const double a = x(i);
    const double b = y(i);
    result(i, 0) = math::exp(a);
    result(i, 1) = math::log(a);
    result(i, 2) = math::log10(a);
    result(i, 3) = math::sin(a);
    result(i, 4) = math::cos(a);
    result(i, 5) = math::tan(a);
    result(i, 6) = math::asin(b);
    result(i, 7) = math::acos(b);
    result(i, 8) = math::atan(a);
    result(i, 9) = math::sinh(a);
    result(i, 10) = math::cosh(a);
    result(i, 11) = math::tanh(b);
    result(i, 12) = math::atan2(a, b);
    result(i, 13) = math::atan2(b, a);
    result(i, 14) = math::pow(a, b);
    result(i, 15) = math::pow(b, a);
    result(i, 16) = math::hypot(a, b);
    result(i, 17) = math::sqrt(a);
  }
};

template <class ExecutionSpace>
std::uint64_t checksum_of_all(const ExecutionSpace& exec, const std::vector<double>& x, const std::vector<double>& y) {
  using Space = typename ExecutionSpace::memory_space;
  const auto upload = [&](const std::vector<double>& values) {
    const auto array = make_array<Array<double*, Space>>(exec, "test", values.size());
    Kokkos::deep_copy(
        exec, array,
        Kokkos::View<const double*, HostMemory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(values.data(), values.size()));
    exec.fence();
    return array;
  };
  const auto result = make_array<Array<double* [18], Space>>(exec, "test", x.size());
  for_each("tessera::test::evaluate", exec, static_cast<std::int64_t>(x.size()),
           Evaluate<Space>{upload(x), upload(y), result});
  return checksum(exec, result);
}

/// Equal special values, or equal up to a few roundings.
bool near(double a, double b) {
  if (a != a || b != b || a == 0. || b == 0. || std::isinf(a) || std::isinf(b))
    return (a != a && b != b) || (a == b && std::signbit(a) == std::signbit(b));
  return std::fabs(a - b) <= 4e-16 * std::fabs(b);
}

} // namespace

TEST_CASE("Functions of one argument are within their stated error", "[core]") {
  if (LDBL_MANT_DIG < 64)
    SKIP("no longer type than double to compare with");
  for (const OneArgument& f : one_argument) {
    double worst = 0.;
    double at = 0.;
    for (const double x : arguments(f.lower, f.upper, 20000)) {
      const double error = error_in_places(f.ours(x), f.exact(x));
      if (!(error <= worst)) {
        worst = error;
        at = x;
      }
    }
    INFO(f.name << " from " << f.lower << " to " << f.upper << ": " << worst << " places at " << at);
    CHECK(worst <= f.bound);
    SUCCEED("see above");
  }
}

TEST_CASE("Functions of two arguments are within their stated error", "[core]") {
  if (LDBL_MANT_DIG < 64)
    SKIP("no longer type than double to compare with");
  double pow_error = 0., atan2_error = 0., hypot_error = 0.;
  const std::vector<double> x = arguments(1e-300, 1e300, 20000);
  const std::vector<double> y = arguments(-2., 2., 20000);
  const std::vector<double> near_one = arguments(0.9, 1.1, 20000);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double one = near_one[i];
    const double many = 3000. * y[i];
    const double back = x[x.size() - 1 - i];
    if (std::fabs(std::pow(static_cast<Long>(x[i]), static_cast<Long>(0.5 * y[i]))) > 1e-307L)
      pow_error =
          std::max(pow_error, error_in_places(math::pow(x[i], 0.5 * y[i]),
                                              std::pow(static_cast<Long>(x[i]), static_cast<Long>(0.5 * y[i]))));
    pow_error = std::max(
        pow_error, error_in_places(math::pow(one, many), std::pow(static_cast<Long>(one), static_cast<Long>(many))));
    for (const double sign : {1., -1.})
      atan2_error =
          std::max(atan2_error, error_in_places(math::atan2(y[i], sign * one),
                                                std::atan2(static_cast<Long>(y[i]), static_cast<Long>(sign * one))));
    hypot_error = std::max(hypot_error, error_in_places(math::hypot(x[i], back),
                                                        std::hypot(static_cast<Long>(x[i]), static_cast<Long>(back))));
    hypot_error = std::max(hypot_error, error_in_places(math::hypot(y[i], one),
                                                        std::hypot(static_cast<Long>(y[i]), static_cast<Long>(one))));
  }
  INFO("pow " << pow_error << ", atan2 " << atan2_error << ", hypot " << hypot_error);
  CHECK(pow_error <= 1.5);
  CHECK(atan2_error <= 2.);
  CHECK(hypot_error <= 1.);
  SUCCEED("see above");
}

TEST_CASE("Special values are those of the standard library", "[core]") {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double values[] = {0.,   -0., 1.,       -1.,       2.,  -2.,   3.,     -3.,   0.5,
                           -0.5, 2.5, infinity, -infinity, nan, 1e300, -1e300, 5e-324};
  for (const double x : values) {
    INFO(x);
    CHECK(near(math::exp(x), std::exp(x)));
    CHECK(near(math::log(x), std::log(x)));
    CHECK(near(math::sinh(x), std::sinh(x)));
    for (const double y : values) {
      INFO(y);
      CHECK(near(math::pow(x, y), std::pow(x, y)));
      CHECK(near(math::atan2(x, y), std::atan2(x, y)));
      CHECK(near(math::hypot(x, y), std::hypot(x, y)));
    }
  }
  for (int k = -300; k <= 300; k += 7)
    CHECK(math::log10(std::pow(10., k)) == static_cast<double>(k));
  CHECK(std::isnan(math::sin(infinity)));
  CHECK(std::isnan(math::acos(1.5)));
  CHECK(math::tanh(infinity) == 1.);
  CHECK(math::sinh(-infinity) == -infinity);
  CHECK(math::cosh(-infinity) == infinity);
}

TEMPLATE_LIST_TEST_CASE("Functions have the same bits on every space", "[core]", test::ExecutionSpaces) {
  const TestType exec;
  const Kokkos::DefaultHostExecutionSpace host;
  for (const double upper : {1., 30., 700., 1e12}) {
    const std::vector<double> x = arguments(1e-9, upper, 30000);
    const std::vector<double> y = arguments(-1., 1., 30000);
    CHECK(checksum_of_all(exec, x, y) == checksum_of_all(host, x, y));
  }
}
