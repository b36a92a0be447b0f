// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/constants.hpp"
#include "physics/boundaries/view_factors.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>

namespace tessera::test {

namespace {

using physics::RadiatingSegment;

/// Parts of an enclosure of several segments each.
struct Surfaces {
  bool axisymmetric = false;
  std::vector<RadiatingSegment> segments = {};
  std::vector<std::size_t> starts = {0};

  /// A straight part, which radiates to the right of the way.
  void add_line(double x0, double y0, double x1, double y1, int n) {
    for (int k = 0; k < n; ++k)
      segments.push_back({{x0 + (x1 - x0) * k / n, y0 + (y1 - y0) * k / n},
                          {x0 + (x1 - x0) * (k + 1) / n, y0 + (y1 - y0) * (k + 1) / n}});
    starts.push_back(segments.size());
  }
  /// An arc about the origin, from one angle to another.
  void add_arc(double radius, double from, double to, int n) {
    const auto x = [&](double angle) {
      const double value = radius * std::sin(angle);
      return axisymmetric ? std::max(0., value) : value;
    };
    for (int k = 0; k < n; ++k) {
      const double a = from + (to - from) * k / n;
      const double b = from + (to - from) * (k + 1) / n;
      segments.push_back({{x(a), radius * std::cos(a)}, {x(b), radius * std::cos(b)}});
    }
    starts.push_back(segments.size());
  }
  std::vector<double> areas() const {
    std::vector<double> result;
    for (const RadiatingSegment& s : segments)
      result.push_back(std::hypot(s.end[0] - s.begin[0], s.end[1] - s.begin[1]) *
                       (axisymmetric ? pi * (s.begin[0] + s.end[0]) : 1.));
    return result;
  }
  double area(std::size_t part) const {
    const std::vector<double> all = areas();
    double sum = 0.;
    for (std::size_t i = starts[part]; i < starts[part + 1]; ++i)
      sum += all[i];
    return sum;
  }
  /// View factor between two parts.
  double factor(const std::vector<double>& factors, std::size_t from, std::size_t to) const {
    const std::vector<double> all = areas();
    double sum = 0.;
    for (std::size_t i = starts[from]; i < starts[from + 1]; ++i)
      for (std::size_t j = starts[to]; j < starts[to + 1]; ++j)
        sum += all[i] * factors[i * segments.size() + j];
    return sum / area(from);
  }
  double largest_asymmetry(const std::vector<double>& factors) const {
    const std::vector<double> all = areas();
    double largest = 0.;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        largest =
            std::max(largest, std::fabs(all[i] * factors[i * all.size() + j] - all[j] * factors[j * all.size() + i]) /
                                  std::min(all[i], all[j]));
    return largest;
  }
  /// Largest difference of the sum of a row from 1.
  double openness(const std::vector<double>& factors) const {
    double largest = 0.;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      double sum = 0.;
      for (std::size_t j = 0; j < segments.size(); ++j)
        sum += factors[i * segments.size() + j];
      largest = std::max(largest, std::fabs(sum - 1.));
    }
    return largest;
  }
};

} // namespace

TEMPLATE_LIST_TEST_CASE("Strips see each other as the rule of crossed strings says, also past a third", "[physics]",
                        ExecutionSpaces) {
  const TestType exec;
  Surfaces opposite;
  opposite.add_line(0.5, 0., -0.5, 0., 10); // upwards
  opposite.add_line(-0.5, 1., 0.5, 1., 10); // downwards
  auto factors = physics::view_factors(exec, opposite.segments, false);
  CHECK(std::fabs(opposite.factor(factors, 0, 1) - (std::sqrt(2.) - 1.)) < 1e-6);
  CHECK(opposite.factor(factors, 0, 0) == 0.);
  CHECK(opposite.largest_asymmetry(factors) < 1e-6);

  // Strings pass a screen of width 2 c halfway between strips at distance 2.
  for (const double c : {0.05, 0.2, 0.4}) {
    Surfaces hidden;
    hidden.add_line(0.5, 0., -0.5, 0., 40);
    hidden.add_line(-0.5, 2., 0.5, 2., 40);
    hidden.add_line(-c, 1., c, 1., 7); // downwards
    hidden.add_line(c, 1. + 1e-9, -c, 1. + 1e-9, 3);
    factors = physics::view_factors(exec, hidden.segments, false);
    const double expected = 2. * (std::hypot(0.5 - c, 1.) - 1.);
    CHECK(std::fabs(hidden.factor(factors, 0, 1) - expected) < 2e-4);
    // of two strips of widths 2 c and 1 at distance 1
    const double screen = std::hypot(0.5 + c, 1.) - std::hypot(0.5 - c, 1.);
    CHECK(std::fabs(hidden.factor(factors, 0, 2) - screen) < 1e-5);
    CHECK(hidden.factor(factors, 0, 3) == 0.);
    const std::vector<double> before = factors;
    physics::make_reciprocal(hidden.areas(), factors);
    CHECK(hidden.largest_asymmetry(factors) < 1e-12);
    CHECK(std::fabs(hidden.factor(factors, 0, 1) - expected) < 2e-4);
    for (std::size_t i = 0; i < hidden.segments.size(); ++i) {
      double sum = 0.;
      for (std::size_t j = 0; j < hidden.segments.size(); ++j)
        sum += factors[i * hidden.segments.size() + j] - before[i * hidden.segments.size() + j];
      CHECK(std::fabs(sum) < 1e-11);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("What radiates between closed surfaces arrives", "[physics]", ExecutionSpaces) {
  const TestType exec;
  for (const bool axisymmetric : {false, true}) {
    CAPTURE(axisymmetric);
    Surfaces round;
    round.axisymmetric = axisymmetric;
    const double angle = axisymmetric ? pi : 2. * pi;
    round.add_arc(1., angle, 0., 36); // radiates outwards
    round.add_arc(2., 0., angle, 48); // inwards
    auto factors = physics::view_factors(exec, round.segments, axisymmetric);
    CHECK(round.openness(factors) < (axisymmetric ? 1e-12 : 1e-9));
    CHECK(std::fabs(round.factor(factors, 0, 1) - 1.) < 1e-9);
    const double back = round.area(0) / round.area(1);
    CHECK(std::fabs(round.factor(factors, 1, 0) - back) < (axisymmetric ? 2e-3 : 1e-3));
    physics::make_reciprocal(round.areas(), factors);
    CHECK(round.largest_asymmetry(factors) < 1e-12);
    CHECK(round.openness(factors) < 1e-9);
    CHECK(std::fabs(round.factor(factors, 1, 0) - back) < 1e-9);
    CHECK(std::fabs(round.factor(factors, 1, 1) - (1. - back)) < 1e-9);
  }
}

TEMPLATE_LIST_TEST_CASE("Coaxial discs and a tube see each other as published", "[physics]", ExecutionSpaces) {
  // Discs of radius 1 at distance 1: (3 - sqrt(5)) / 2 (J. R. Howell, configuration C-41); the tube closes them.
  const TestType exec;
  Surfaces tube{true, {}, {0}};
  tube.add_line(1., 0., 0., 0., 12); // upwards
  tube.add_line(0., 1., 1., 1., 12); // downwards
  tube.add_line(1., 1., 1., 0., 12); // inwards
  auto factors = physics::view_factors(exec, tube.segments, true);
  const double expected = 0.5 * (3. - std::sqrt(5.));
  CHECK(std::fabs(tube.factor(factors, 0, 1) - expected) < 2e-3);
  CHECK(std::fabs(tube.factor(factors, 0, 2) - (1. - expected)) < 2e-3);
  CHECK(tube.factor(factors, 0, 0) == 0.);
  CHECK(tube.openness(factors) < 1e-12);
  physics::make_reciprocal(tube.areas(), factors);
  CHECK(std::fabs(tube.factor(factors, 0, 1) - expected) < 2e-3);
  CHECK(std::fabs(tube.factor(factors, 2, 0) - 0.5 * (1. - expected)) < 1e-3);
  CHECK(tube.largest_asymmetry(factors) < 1e-12);
}

TEMPLATE_LIST_TEST_CASE("View factors have the same bits on every backend", "[physics]", ExecutionSpaces) {
  const TestType exec;
  using First = std::tuple_element_t<0, ExecutionSpaces>;
  for (const bool axisymmetric : {false, true}) {
    Surfaces round;
    round.axisymmetric = axisymmetric;
    const double angle = axisymmetric ? pi : 2. * pi;
    round.add_arc(1., angle, 0., 9);
    round.add_arc(2., 0., angle, 11);
    CHECK(physics::view_factors(exec, round.segments, axisymmetric) ==
          physics::view_factors(First(), round.segments, axisymmetric));
  }
}

} // namespace tessera::test
