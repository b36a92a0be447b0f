// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "physics/expressions/capacity_breaks.hpp"
#include "physics/expressions/dual_program.hpp"
#include "support/is_near.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cmath>

namespace tessera::test {

namespace {

using Catch::Matchers::ContainsSubstring;
using physics::Dual;
using physics::Expression;

Dual dual(const Expression& expression, double T) {
  return physics::evaluate_dual(expression.code().data(), static_cast<int>(expression.code().size()), 0.3, 0.7, 0., T);
}

std::string message_of(const std::string& text) {
  try {
    Expression::parse(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

} // namespace

TEST_CASE("derivatives by the temperature equal differences", "[physics][host]") {
  for (const char* text : {"400*(1 - 0.001*(T - 300))", "T^3 + T^-2", "exp(-T)*sin(T) + cos(2*T)", "tan(T/3) + atan(T)",
                           "log(T) + log10(T)", "sqrt(T)*x + y", "T^1.5 + 2^T", "abs(T - 3)", "min(T, 2)*max(T, 0.5)",
                           "T < 2 ? T^2 : 1/T", "hypot(T, 2)", "atan2(T, 3) + sinh(T) - cosh(T/2) + tanh(T)",
                           "asin(T/9) + acos(T/7)", "table(T, 0, 1, 1, 3, 3, 4, 6, 4.5)",
                           "-T + floor(T) + ceil(T) + sign(T) + step(T)", "(T + 1)*(T + 1)/(T + 1 + x)"}) {
    const Expression expression = Expression::parse(text);
    const Expression shortened = expression.store_repeated_parts();
    for (const double T : {0.7, 1.9, 2.6, 4.4}) {
      constexpr double h = 1e-5;
      const double difference = (expression(0.3, 0.7, 0., T + h) - expression(0.3, 0.7, 0., T - h)) / (2. * h);
      INFO(text << " at " << T);
      CHECK(is_near(dual(expression, T).value, expression(0.3, 0.7, 0., T), 1e-14));
      CHECK(std::fabs(dual(expression, T).slope - difference) < 1e-8 * (1. + std::fabs(difference)));
      CHECK(dual(shortened, T).slope == dual(expression, T).slope);
    }
  }
}

TEST_CASE("a table takes its values, is monotone between them, and constant beyond", "[physics][host]") {
  const Expression table = Expression::parse("table(T, 0, 1, 1, 3, 2, 3, 5, 10, 6, 9)");
  const auto at = [&](double T) { return table(0., 0., 0., T); };
  for (const auto& [T, value] : {std::pair(0., 1.), {1., 3.}, {2., 3.}, {5., 10.}, {6., 9.}, {-7., 1.}, {60., 9.}})
    CHECK(is_near(at(T), value, 1e-14));
  for (double T = 0.; T < 4.985; T += 0.01)
    CHECK(at(T + 0.01) >= at(T) - 1e-14);
  CHECK(is_near(at(1.5), 3., 1e-14));
  const auto range = physics::range_of_tables(table);
  REQUIRE(range);
  CHECK((*range)[0] == 0.);
  CHECK((*range)[1] == 6.);
  const auto common = physics::range_of_tables(Expression::parse("table(T, 0, 1, 6, 2)*table(T, 1, 1, 3, 2, 9, 3)"));
  REQUIRE(common);
  CHECK((*common)[0] == 1.);
  CHECK((*common)[1] == 6.);
  CHECK(!physics::range_of_tables(Expression::parse("min(max(T, 0), 1)")));
  CHECK(is_near(Expression::parse("table(x, 0, 0, 2, 4)")(1.5, 0.), 3., 1e-14)); // two points: a line
}

TEST_CASE("the integral of a capacity over the pieces between its breaks has all peaks", "[physics][host]") {
  const double root_of_pi = std::sqrt(3.14159265358979323846);
  for (const auto& [text, integral] : {std::pair("3 + 2*T", 3. * 2000. + 2e6),
                                       {"1 + ((T > 399.9 && T < 400) ? 5e4 : 0)", 2000. + 5e3},
                                       {"table(T, 400, 1, 400.1, 3)", 900. + 3. * 1099.9 + 0.2},
                                       {"1 + 100*exp(-(T - 700)^2)", 2000. + 100. * root_of_pi},
                                       {"1 + step(T - 1000)", 2500.},
                                       {"1 + (T < 0 ? 0*sqrt(-T) : 50*exp(-(T - 700)^2))", 2000. + 50. * root_of_pi}}) {
    const Expression capacity = Expression::parse(text);
    std::vector<double> ends = physics::capacity_breaks(capacity);
    ends.insert(ends.end(), {-500., 1500.});
    std::sort(ends.begin(), ends.end());
    double sum = 0.;
    for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
      const double from = std::max(ends[k], -500.);
      const double to = std::min(ends[k + 1], 1500.);
      for (int q = 0; q < 4 && to > from; ++q)
        sum += physics::CapacityRule::weight(q) * (to - from) *
               capacity(0., 0., 0., from + physics::CapacityRule::point(q) * (to - from));
    }
    INFO(text);
    CHECK(is_near(sum, integral, 1e-10));
  }
}

TEST_CASE("wrong tables are reported with their column", "[physics][host]") {
  CHECK_THAT(message_of("table(T, 300, 1, 200, 2)"), ContainsSubstring("arguments increase"));
  CHECK_THAT(message_of("table(T, 300, 1, 300, 2)"), ContainsSubstring("arguments increase"));
  CHECK_THAT(message_of("table(T, 300, 1)"), ContainsSubstring("at least two pairs"));
  CHECK_THAT(message_of("table(T, 300, 1, 400)"), ContainsSubstring("pairs"));
  CHECK_THAT(message_of("table(T, 300, 1, 400, x)"), ContainsSubstring("a number"));
  CHECK_THAT(message_of("table(300, 300, 1, 400, 2)"), ContainsSubstring("a variable"));
  CHECK_THAT(message_of("T + t"), ContainsSubstring("either t or T"));
}

} // namespace tessera::test
