// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/expressions/effective_curve.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>

namespace tessera::test {

namespace {

using physics::BhTable;
using physics::effective_curve;
using physics::Sinusoid;

/// H at the point of a table with B.
double strength_at(const BhTable& table, double b) {
  const auto point =
      std::find_if(table.begin(), table.end(), [&](const auto& entry) { return std::fabs(entry[1] - b) < 1e-9; });
  return point == table.end() ? -1. : (*point)[0];
}

/// The point of a table next to H.
std::array<double, 2> nearest(const BhTable& table, double h) {
  return *std::min_element(table.begin(), table.end(),
                           [&](const auto& a, const auto& b) { return std::fabs(a[0] - h) < std::fabs(b[0] - h); });
}

constexpr double pi = 3.14159265358979323846;

} // namespace

TEST_CASE("The effective curve of a straight line is the line", "[physics]") {
  for (const Sinusoid sinusoid : {Sinusoid::strength, Sinusoid::density})
    for (const auto& point : effective_curve({{{0., 0.}}, {{1000., 2.}}}, sinusoid))
      if (point[1] <= 2.)
        CHECK(std::fabs(point[1] - point[0] / 500.) < 1e-13);
}

TEST_CASE("Effective curves are valid tables that end in saturation", "[physics]") {
  const BhTable steel{{{0., 0.}}, {{60., 0.3}}, {{100., 0.7}}, {{320., 1.25}}, {{2000., 1.53}}, {{1e5, 2.2}}};
  for (const Sinusoid sinusoid : {Sinusoid::strength, Sinusoid::density}) {
    const BhTable table = effective_curve(steel, sinusoid);
    CHECK(physics::check_bh_table(table).text.empty());
    CHECK(table.back()[1] > 4.);
    const double slope =
        (table.back()[1] - table[table.size() - 2][1]) / (table.back()[0] - table[table.size() - 2][0]);
    CHECK(slope < 1.02 * physics::vacuum_permeability);
  }
}

TEST_CASE("First harmonics of powers are the known ones", "[physics]") {
  BhTable cubic{{{0., 0.}}}; // H = 1000 B^3
  for (int k = 1; k <= 200; ++k) {
    const double b = 0.01 * k;
    cubic.push_back({1000. * b * b * b, b});
  }
  // 4/pi times the integral of sin^4 over a quarter of a period is 3/4.
  const BhTable by_density = effective_curve(cubic, Sinusoid::density);
  for (const double b : {1., 1.5, 2.})
    CHECK(std::fabs(strength_at(by_density, b) / (750. * b * b * b) - 1.) < 1e-3);
  // 4/pi times the integral of sin^(4/3): 2 Gamma(7/6) / (sqrt(pi) Gamma(5/3))
  const double factor = 2. * std::tgamma(7. / 6.) / (std::sqrt(pi) * std::tgamma(5. / 3.));
  const BhTable by_strength = effective_curve(cubic, Sinusoid::strength);
  for (const double b : {1., 1.5, 2.}) {
    const auto point = nearest(by_strength, 1000. * b * b * b);
    CHECK(std::fabs(point[1] / (factor * std::cbrt(point[0] / 1000.)) - 1.) < 1e-3);
  }
}

TEST_CASE("The first harmonic of a square wave is 4/pi times its height", "[physics]") {
  const BhTable step{{{0., 0.}}, {{1., 1.}}, {{1e4, 1.0127}}}; // almost constant beyond 1 A/m
  const BhTable table = effective_curve(step, Sinusoid::strength);
  const auto point = nearest(table, 5e3);
  CHECK(std::fabs(point[1] - physics::vacuum_permeability * point[0] - 4. / pi) < 2e-3);
}

TEST_CASE("The largest permeability of a curve is that of its steepest chord from the origin", "[physics]") {
  const double mu0 = physics::vacuum_permeability;
  CHECK(physics::largest_permeability({{{0., 0.}}, {{100., 0.1}}, {{200., 0.4}}, {{1000., 1.}}}) == 0.4 / (mu0 * 200.));
  CHECK(physics::largest_permeability({}) == 1.);
}

} // namespace tessera::test
