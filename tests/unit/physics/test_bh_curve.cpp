// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "physics/expressions/bh_curve.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>

using namespace tessera::physics;
using tessera::index_t;

namespace {

/// Curves of different shapes: electrical steel with a foot and a knee, nearly linear, abrupt, and one interval.
const std::vector<BhTable>& curves() {
  static const std::vector<BhTable> tables{
      {{0., 0.},
       {40., 0.2},
       {50., 0.5},
       {65., 0.8},
       {90., 1.},
       {160., 1.2},
       {370., 1.35},
       {1000., 1.5},
       {3500., 1.65},
       {9000., 1.8},
       {2e4, 1.93}},
      {{0., 0.}, {1000., 0.5}, {2100., 1.}, {3500., 1.5}},
      {{0., 0.}, {1., 1.}, {600., 1.001}, {1e5, 1.2}, {1.1e5, 1.3}},
      {{0., 0.}, {1000., 0.1}},
  };
  return tables;
}

BhCurves<tessera::HostMemory> host_curves() { return make_bh_curves(Kokkos::DefaultHostExecutionSpace(), curves()); }

double field(const BhCurves<tessera::HostMemory>& all, index_t curve, double b) {
  return all.reluctivity(curve, b * b).nu * b;
}

/// dH/dB from the derivative of nu with respect to B^2.
double slope(const BhCurves<tessera::HostMemory>& all, index_t curve, double b) {
  const Reluctivity value = all.reluctivity(curve, b * b);
  return value.nu + 2. * b * b * value.derivative;
}

template <class Space> struct Evaluate {
  BhCurves<Space> curves;
  tessera::Array<double* [4], Space> result;
  int n_points;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const double b = 3. * (i % n_points) / n_points;
    const Reluctivity value = curves.reluctivity(i / n_points, b * b);
    const MagneticEnergy energy = curves.energy(i / n_points, b * b);
    result(i, 0) = value.nu;
    result(i, 1) = value.derivative;
    result(i, 2) = energy.energy;
    result(i, 3) = energy.coenergy;
  }
};

} // namespace

TEST_CASE("a B-H curve meets its points", "[physics][host]") {
  const auto all = host_curves();
  for (std::size_t c = 0; c < curves().size(); ++c)
    for (std::size_t k = 1; k < curves()[c].size(); ++k) {
      const auto& point = curves()[c][k];
      for (const double near : {1. - 1e-14, 1., 1. + 1e-14}) {
        INFO("curve " << c << ", point " << k);
        CHECK(std::fabs(field(all, static_cast<index_t>(c), near * point[1]) - point[0]) < 1e-9 * point[0]);
      }
    }
}

TEST_CASE("a B-H table beyond any material is refused, swapped columns for example", "[physics][host]") {
  CHECK(check_bh_table({{0., 0.}, {1e3, 1.5}, {7.7e7, 99.}}).text.empty());
  const BhTableError error = check_bh_table({{0., 0.}, {1.2, 100.}, {1.8, 5000.}});
  CHECK(error.point == 2);
  CHECK(error.text.find("the columns are H (A/m) and B (T), in this order") != std::string::npos);
  CHECK(check_bh_table({{0., 0.}, {1e-320, 0.3}, {600., 0.45}}).text.find("1e9 times") != std::string::npos);
}

TEST_CASE("a B-H curve is monotone, its slope continuous and that of vacuum in the end", "[physics][host]") {
  const auto all = host_curves();
  for (index_t c = 0; c < static_cast<index_t>(curves().size()); ++c) {
    const int n = 200000;
    const double end = 2.5 * curves()[static_cast<std::size_t>(c)].back()[1];
    double before = 0.;
    double largest_drop = 0.;
    double largest_error = 0.;
    double smallest_nu = 1e300;
    const double step = end / n;
    for (int i = 1; i <= n; ++i) {
      const double b = i * step;
      const double h = field(all, c, b);
      largest_drop = std::fmax(largest_drop, before - h);
      before = h;
      smallest_nu = std::fmin(smallest_nu, h / b);
      // The returned derivative is that of the values.
      const double d = 1e-6 * b;
      const double numerical = (field(all, c, b + d) - field(all, c, b - d)) / (2. * d);
      const double reference = std::fmax(field(all, c, b) / b, slope(all, c, b));
      largest_error = std::fmax(largest_error, std::fabs(numerical - slope(all, c, b)) / reference);
    }
    INFO("curve " << c);
    CHECK(largest_drop <= 1e-12 * before);
    CHECK(largest_error < 1e-3); // of a difference quotient across a knot, where the second derivative jumps
    CHECK(smallest_nu > 0.);
    const std::vector<BhPiece> pieces = make_bh_pieces(curves()[static_cast<std::size_t>(c)]);
    for (std::size_t k = 1; k < pieces.size(); ++k) { // values on both sides of a knot agree
      const double t = pieces[k].b - pieces[k - 1].b;
      const double left = pieces[k - 1].c1 + t * (2. * pieces[k - 1].c2 + t * 3. * pieces[k - 1].c3);
      CHECK(std::fabs(left - pieces[k].c1) <= 1e-9 * (pieces[k - 1].c1 + pieces[k].c1));
    }
    CHECK(std::fabs(slope(all, c, end) * vacuum_permeability - 1.) < 1e-12);
    CHECK(slope(all, c, 0.) > 0.);
  }
}

TEST_CASE("the reluctivity is finite and smooth at zero field", "[physics][host]") {
  const auto all = host_curves();
  for (index_t c = 0; c < static_cast<index_t>(curves().size()); ++c) {
    const Reluctivity zero = all.reluctivity(c, 0.);
    const Reluctivity tiny = all.reluctivity(c, 1e-300);
    const auto& first = curves()[static_cast<std::size_t>(c)][1];
    CHECK(zero.nu >= 0.5 * first[0] / first[1] * (1. - 1e-12));
    CHECK(zero.nu <= 1.5 * first[0] / first[1] * (1. + 1e-12));
    CHECK(std::isfinite(zero.derivative));
    CHECK(tiny.nu == zero.nu);
    CHECK(tiny.derivative == zero.derivative);
    CHECK(all.energy(c, 0.).energy == 0.);
  }
  // One interval is a straight line.
  CHECK(std::fabs(all.reluctivity(3, 0.).nu - 1e4) < 1e-8);
  CHECK(std::fabs(all.reluctivity(3, 0.0025).nu - 1e4) < 1e-8);
}

TEST_CASE("energy and coenergy of a B-H curve are its integrals", "[physics][host]") {
  const auto all = host_curves();
  for (index_t c = 0; c < static_cast<index_t>(curves().size()); ++c)
    for (const double end : {0.05, 0.3, 1.0005, 1.4, 2.2, 3.}) {
      std::vector<double> knots; // between them Simpson's rule is exact
      for (const BhPiece& piece : make_bh_pieces(curves()[static_cast<std::size_t>(c)]))
        knots.push_back(std::fmin(piece.b, end));
      knots.push_back(end);
      double integral = 0.;
      for (std::size_t k = 1; k < knots.size(); ++k)
        integral += (knots[k] - knots[k - 1]) / 6. *
                    (field(all, c, knots[k - 1]) + 4. * field(all, c, (knots[k - 1] + knots[k]) / 2.) +
                     field(all, c, knots[k]));
      const MagneticEnergy energy = all.energy(c, end * end);
      INFO("curve " << c << " to " << end);
      CHECK(std::fabs(energy.energy - integral) < 1e-11 * integral);
      CHECK(std::fabs(energy.energy + energy.coenergy - end * field(all, c, end)) < 1e-12 * end * field(all, c, end));
      CHECK(energy.energy > 0.);
      CHECK(energy.coenergy > 0.);
    }
}

TEMPLATE_LIST_TEST_CASE("B-H curves have the same values on host and device", "[physics]",
                        tessera::test::ExecutionSpaces) {
  using Space = typename TestType::memory_space;
  const TestType exec;
  const int n_points = 1000;
  const int n = n_points * static_cast<int>(curves().size());
  tessera::Array<double* [4], Space> result("result", n);
  tessera::for_each("tessera::test::bh", exec, n, Evaluate<Space>{make_bh_curves(exec, curves()), result, n_points});
  const auto values = tessera::to_host(exec, result);
  Evaluate<tessera::HostMemory> host{host_curves(), tessera::Array<double* [4], tessera::HostMemory>("host", n),
                                     n_points};
  int n_different = 0;
  for (int i = 0; i < n; ++i) {
    host(i);
    for (int k = 0; k < 4; ++k)
      n_different += values(i, k) == host.result(i, k) ? 0 : 1;
  }
  CHECK(n_different == 0);
}

TEST_CASE("wrong B-H tables are reported", "[physics][host]") {
  using Catch::Matchers::ContainsSubstring;
  const auto message = [](const BhTable& table) {
    try {
      make_bh_curves(Kokkos::DefaultHostExecutionSpace(), {curves()[0], table});
    } catch (const tessera::Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  CHECK_THAT(message({}), ContainsSubstring("B-H curve 2, point 1") && ContainsSubstring("at least two points"));
  CHECK_THAT(message({{0., 0.1}, {1., 1.}}), ContainsSubstring("starts at [0, 0]"));
  CHECK_THAT(message({{0., 0.}, {1., 1.}, {2., 1.}}), ContainsSubstring("point 3") && ContainsSubstring("both rise"));
  CHECK_THAT(message({{0., 0.}, {1., 1.}, {1., 2.}}), ContainsSubstring("both rise"));
  CHECK_THAT(message({{0., 0.}, {1., NAN}}), ContainsSubstring("finite"));
  CHECK_THAT(message({{0., 0.}, {1., 1e-6}}), ContainsSubstring("less than in vacuum"));
  CHECK(message({{0., 0.}, {1., vacuum_permeability}}) == "no error");
}
