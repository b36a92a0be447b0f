// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "fe/lagrange.hpp"
#include "fe/quadrature.hpp"
#include "fe/simplex_quadrature.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>

namespace tessera::test {

namespace {

double factorial(int n) { return n <= 1 ? 1. : n * factorial(n - 1); }

/// Mean over a simplex of the product of powers of barycentric coordinates.
template <int N> double exact_mean(const int (&power)[N]) {
  double result = factorial(N - 1);
  int sum = 0;
  for (const int p : power) {
    result *= factorial(p);
    sum += p;
  }
  return result / factorial(sum + N - 1);
}

/// Calls `work(power)` for all powers of total degree at most `degree`.
template <int N, class Work> void for_each_monomial(int degree, const Work& work, int (&power)[N], int d = 0) {
  if (d == N) {
    work(power);
    return;
  }
  for (power[d] = 0; power[d] <= degree; ++power[d])
    for_each_monomial<N>(degree - power[d], work, power, d + 1);
}

/// Checks a rule whose `point(q, lambda)` sets a point and returns its weight: points are inside, so that data are not
/// evaluated outside the element, weights positive, all monomials integrated exactly.
template <int N, class PointOf> void check_rule(int n_points, int degree, const PointOf& point) {
  for (int q = 0; q < n_points; ++q) {
    double lambda[N];
    CHECK(point(q, lambda) > 0.);
    CHECK(*std::min_element(lambda, lambda + N) > 0.);
  }
  double worst = 0.;
  int power[N];
  for_each_monomial<N>(
      degree,
      [&](const int(&p)[N]) {
        double sum = 0.;
        for (int q = 0; q < n_points; ++q) {
          double lambda[N];
          double term = point(q, lambda);
          for (int k = 0; k < N; ++k)
            term *= std::pow(lambda[k], p[k]);
          sum += term;
        }
        worst = std::max(worst, std::fabs(sum - exact_mean<N>(p)));
      },
      power);
  CHECK(worst <= 1e-15);
}

template <class Rule, int N> void check_rule(int degree) {
  check_rule<N>(Rule::n_points, degree, [](int q, double(&lambda)[N]) { return Rule::point(q, lambda); });
}

template <int N> void check_simplex_rule(int degree) {
  const fe::SimplexRule rule = fe::make_simplex_rule(N - 1, degree);
  REQUIRE(rule.n_vertices == N);
  check_rule<N>(rule.n_points(), degree, [&](int q, double(&lambda)[N]) {
    std::copy_n(rule.points.begin() + q * N, N, lambda);
    return rule.weights[q];
  });
}

template <int DimValue, int OrderValue> struct Element {
  static constexpr int Dim = DimValue;
  static constexpr int Order = OrderValue;
  using type = fe::Lagrange<Dim, Order>;
};

} // namespace

TEST_CASE("Quadrature rules are exact to their degree", "[fe]") {
  check_rule<fe::Quadrature<1, 5>, 2>(5);
  check_rule<fe::Quadrature<2, 2>, 3>(2);
  check_rule<fe::Quadrature<2, 4>, 3>(4);
  check_rule<fe::Quadrature<2, 6>, 3>(6);
  check_rule<fe::Quadrature<3, 2>, 4>(2);
  check_rule<fe::Quadrature<3, 5>, 4>(5);
}

TEST_CASE("Rules of a run-time degree are exact to it", "[fe]") {
  for (int degree = 0; degree <= 18; ++degree) {
    CAPTURE(degree);
    check_simplex_rule<2>(degree);
    check_simplex_rule<3>(degree);
    if (degree <= 14)
      check_simplex_rule<4>(degree);
  }
}

TEMPLATE_TEST_CASE("Shape functions are one at their node, add up to one, and have their gradients", "[fe]",
                   (Element<2, 1>), (Element<2, 2>), (Element<3, 1>), (Element<3, 2>)) {
  constexpr int Dim = TestType::Dim;
  using Lagrange = typename TestType::type;
  double grad_lambda[Dim + 1][Dim] = {}; // of the unit simplex
  for (int d = 0; d < Dim; ++d) {
    grad_lambda[0][d] = -1.;
    grad_lambda[d + 1][d] = 1.;
  }
  double lambda[Dim + 1] = {0.1};
  lambda[1] = 0.25;
  lambda[Dim] = Dim == 2 ? 0.65 : 0.4;
  if (Dim == 3)
    lambda[Dim - 1] = 0.25;
  double sum = 0.;
  for (int a = 0; a < Lagrange::n_nodes; ++a) {
    sum += Lagrange::value(a, lambda);
    double gradient[Dim];
    Lagrange::gradient(a, lambda, grad_lambda, gradient);
    const double step = 1e-6;
    for (int d = 0; d < Dim; ++d) {
      double value[2];
      for (int side = 0; side < 2; ++side) {
        double moved[Dim + 1];
        for (int k = 0; k <= Dim; ++k)
          moved[k] = lambda[k] + (side == 0 ? -step : step) * grad_lambda[k][d];
        value[side] = Lagrange::value(a, moved);
      }
      CHECK(std::fabs((value[1] - value[0]) / (2. * step) - gradient[d]) <= 1e-9); // polynomials of degree 2
    }
    for (int b = 0; b < Lagrange::n_nodes; ++b) {
      double node[Dim + 1];
      Lagrange::node_position(b, node);
      CHECK(Lagrange::value(a, node) == (a == b ? 1. : 0.));
    }
  }
  CHECK(std::fabs(sum - 1.) <= 1e-15);
}

} // namespace tessera::test
