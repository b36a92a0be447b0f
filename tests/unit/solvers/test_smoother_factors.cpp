// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

// Polynomials of the Chebyshev smoother, compared with their defining properties.

#include "solvers/multigrid/smoother_factors.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using namespace tessera;
using solvers::ChebyshevKind;

constexpr int most_steps = 10;
constexpr int n_points = 100000; // of [0, 1]

std::vector<double> factors(ChebyshevKind kind, int degree) {
  std::vector<double> result;
  for (int step = 1; step <= degree; ++step)
    result.push_back(solvers::step_factor(degree, kind, step));
  return result;
}

double polynomial(const std::vector<double>& factors, double t) {
  double product = 1.;
  for (const double factor : factors)
    product *= 1. - factor * t;
  return product;
}

/// The largest value of f in (0, 1].
template <class F> double largest(const F& f) {
  double value = 0.;
  for (int i = 1; i <= n_points; ++i)
    value = std::max(value, f(static_cast<double>(i) / n_points));
  return value;
}

} // namespace

// t p^2 / (1 - p^2) bounds the convergence of V-cycles (Lottes); at zero it is 1 / (2 sum of the factors). The
// polynomial with
// the smallest bound has the same value at both ends and at all maxima between them.
TEST_CASE("The best polynomial has the same bound at both ends and between them", "[solvers][multigrid]") {
  for (int degree = 1; degree <= most_steps; ++degree) {
    CAPTURE(degree);
    const auto best = factors(ChebyshevKind::best, degree);
    const auto bound = [&](double t) {
      const double square = std::pow(polynomial(best, t), 2);
      return t * square / (1. - square);
    };
    double sum = 0.;
    for (const double factor : best)
      sum += factor;
    const double at_zero = 0.5 / sum;
    CHECK(std::abs(bound(1.) / at_zero - 1.) < 1e-12);
    CHECK(std::abs(largest(bound) / at_zero - 1.) < 1e-7); // maxima lie between the points
    int n_maxima = 0;
    for (int i = 2; i < n_points; ++i) {
      const double t = static_cast<double>(i) / n_points;
      const double step = 1. / n_points;
      if (bound(t) > bound(t - step) && bound(t) >= bound(t + step)) {
        ++n_maxima;
        CHECK(std::abs(bound(t) / at_zero - 1.) < 1e-3);
      }
    }
    CHECK(n_maxima == degree - 1);
  }
}

// The polynomial of the fourth kind minimizes the maximum of t p^2, which is 1 / (2 k + 1)^2 and is attained at one.
TEST_CASE("The polynomial of the fourth kind damps large eigenvalues most", "[solvers][multigrid]") {
  for (int degree = 1; degree <= most_steps; ++degree) {
    CAPTURE(degree);
    const auto fourth = factors(ChebyshevKind::fourth, degree);
    const double expected = 1. / std::pow(2. * degree + 1., 2);
    const double largest_weighted = largest([&](double t) { return t * std::pow(polynomial(fourth, t), 2); });
    CHECK(std::abs(largest_weighted / expected - 1.) < 1e-9);
    CHECK(std::abs(std::pow(polynomial(fourth, 1.), 2) / expected - 1.) < 1e-9);
    CHECK(std::abs(polynomial(factors(ChebyshevKind::best, degree), 1.)) > std::sqrt(expected));
  }
}
