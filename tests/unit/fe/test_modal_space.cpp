// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "core/transfer/upload.hpp"
#include "fe/modal/legendre_products.hpp"
#include "fe/modal/modal_space.hpp"
#include "fe/simplex_quadrature.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <numeric>

namespace tessera::test {

namespace {

template <int Dim, class ExecutionSpace>
Array<double* [2][Dim], ExecutionSpace> boxes_of(const ExecutionSpace& exec, index_t n) {
  Array<double* [2][Dim], ExecutionSpace> boxes("test::boxes", n);
  std::vector<double> corners;
  for (index_t e = 0; e < n; ++e)
    for (int side = 0; side < 2; ++side)
      for (int d = 0; d < Dim; ++d)
        corners.push_back(e + side * (0.5 + 0.25 * d));
  upload(exec, boxes, corners);
  return boxes;
}

} // namespace

TEST_CASE("Legendre polynomials are orthonormal in the mean and have their derivatives", "[fe]") {
  const fe::Legendre legendre;
  const fe::GaussRule rule = fe::make_gauss_rule(17, 0);
  double value[17];
  double derivative[17];
  double worst = 0.;
  double mean[17][17] = {};
  double moment[17] = {}; // mean of x L_k' = L_k(1) - mean of L_k, by parts, for even k
  for (int q = 0; q < 17; ++q) {
    const double x = 2. * rule.points[q] - 1.;
    legendre.evaluate(16, x, value, derivative);
    for (int i = 0; i <= 16; ++i) {
      moment[i] += rule.weights[q] * x * derivative[i];
      for (int j = 0; j <= 16; ++j)
        mean[i][j] += rule.weights[q] * value[i] * value[j];
    }
  }
  for (int i = 0; i <= 16; ++i)
    for (int j = 0; j <= 16; ++j)
      worst = std::max(worst, std::fabs(mean[i][j] - (i == j ? 1. : 0.)));
  CHECK(worst <= 1e-13); // sums of 17 products up to 33
  for (int k = 2; k <= 16; k += 2)
    CHECK(std::fabs(moment[k] - std::sqrt(2. * k + 1.)) <= 1e-12);
  legendre.evaluate(3, 0.5, value, derivative);
  CHECK(std::fabs(value[3] + std::sqrt(7.) * 0.4375) <= 1e-15); // P_3 = (5 x^3 - 3 x) / 2
  CHECK(std::fabs(derivative[3] - std::sqrt(7.) * 0.375) <= 1e-15);
}

namespace {

template <int Dim> void check_prefixes(int degree, fe::TimePolynomials time) {
  CAPTURE(Dim, degree, static_cast<int>(time));
  const auto indices = fe::modal_indices<Dim>(degree, time);
  REQUIRE(static_cast<int>(indices.size()) == fe::modal_size<Dim>(time, degree));
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const int in_space = std::accumulate(indices[i].begin(), indices[i].end() - 1, 0);
    const int in_time = indices[i].back();
    const int p = time == fe::TimePolynomials::pq ? std::max(in_space, in_time) : in_space + in_time;
    CHECK((time != fe::TimePolynomials::none || in_time == 0));
    CHECK(static_cast<int>(i) >= (p == 0 ? 0 : fe::modal_size<Dim>(time, p - 1)));
    CHECK(static_cast<int>(i) < fe::modal_size<Dim>(time, p));
    for (std::size_t j = 0; j < i; ++j)
      CHECK(indices[i] != indices[j]);
  }
}

} // namespace

TEST_CASE("Lower degrees are prefixes of the modal basis", "[fe]") {
  for (const auto time : {fe::TimePolynomials::none, fe::TimePolynomials::p, fe::TimePolynomials::pq}) {
    check_prefixes<2>(time == fe::TimePolynomials::none ? 8 : 4, time);
    check_prefixes<3>(time == fe::TimePolynomials::none ? 6 : 3, time);
  }
  CHECK(fe::modal_size<2>(fe::TimePolynomials::p, 5) == 56); // the paper's space-time elements
  CHECK(fe::modal_size<2>(fe::TimePolynomials::pq, 5) == 126);
}

TEST_CASE("Legendre polynomials in powers have the values and derivatives of the recurrence", "[fe]") {
  const fe::Legendre legendre;
  const fe::LegendrePowers powers;
  constexpr int degree = fe::LegendrePowers::max_degree;
  for (int i = 0; i <= 1000; ++i) {
    const double x = -1. + 0.002 * i;
    double values[degree + 1];
    double derivatives[degree + 1];
    legendre.evaluate(degree, x, values, derivatives);
    for (int k = 0; k <= degree; ++k) {
      double value = 0.;
      double derivative = 0.;
      for (int m = degree; m >= 0; --m) {
        derivative = derivative * x + value;
        value = value * x + powers.c[k][m];
      }
      CAPTURE(k, x);
      REQUIRE(std::fabs(value - values[k]) < 1e-13);
      REQUIRE(std::fabs(derivative - derivatives[k]) < 1e-12);
    }
  }
}

TEMPLATE_LIST_TEST_CASE("Products of Legendre polynomials are sums of Legendre polynomials", "[fe]", ExecutionSpaces) {
  const TestType exec;
  constexpr int p = 6;
  const auto device = fe::make_legendre_products(exec, p);
  fe::LegendreProducts<HostMemory> products;
  products.degree = p;
  products.coefficients = to_host(exec, device.coefficients);
  const fe::Legendre legendre;
  double worst = 0.;
  for (const double x : {-1., -0.3, 0.7}) {
    double value[2][2 * p + 1]; // and derivatives
    legendre.evaluate(2 * p, x, value[0], value[1]);
    for (int a = 0; a < 2; ++a)
      for (int b = 0; b < 2; ++b)
        for (int i = 0; i <= p; ++i)
          for (int j = 0; j <= p; ++j) {
            const double* const c = products(a, b, i, j);
            const int top = i + j - a - b;
            double sum = 0.;
            for (int m = a + b > 0 ? top & 1 : std::abs(i - j); m <= top; m += 2)
              sum += c[m] * value[0][m];
            const double product = value[a][i] * value[b][j];
            worst = std::max(worst, std::fabs(sum - product) / std::max(1., std::fabs(product)));
          }
  }
  CHECK(worst <= 1e-11); // sums of terms up to 1e4
  CHECK_THROWS_AS(fe::make_legendre_products(exec, 9), Error);
}

TEMPLATE_LIST_TEST_CASE("A modal space numbers elements of different degree and evaluates their functions", "[fe]",
                        ExecutionSpaces) {
  const TestType exec;
  using Space = typename TestType::memory_space;
  const auto boxes = boxes_of<3>(exec, 3);
  const auto space = fe::make_modal_space<3>(exec, boxes, uploaded(exec, "test::degrees", std::vector<int>{2, 0, 6}));
  CHECK_FALSE(space.is_uniform);
  CHECK(space.largest_degree == 6);
  CHECK(space.n_dofs == 10 + 1 + 84);
  const auto host = fe::to_host(exec, space);
  CHECK(host.dof_offsets(2) == 11);
  CHECK(host.size(2) == 84);

  // Element 0: only the coefficient of L_1(x) L_1(y); x in [0, 1/2], y in [0, 3/4].
  std::vector<double> u(space.n_dofs, 0.);
  u[5] = 2.;
  REQUIRE(fe::modal_indices<3>(2, fe::TimePolynomials::none)[5] == std::array<int, 4>{1, 1, 0, 0});
  double gradient[3];
  const double x[4] = {0.5, 0.5, 0.25, 0.};
  const double value = host.evaluate(0, Kokkos::View<double*, HostMemory>(u.data(), u.size()), x, gradient);
  CHECK(std::fabs(value - 2. * 3. * 1. * (1. / 3.)) <= 1e-14);
  CHECK(std::fabs(gradient[0] - 2. * 3. * 4. / 3.) <= 1e-13);
  CHECK(std::fabs(gradient[1] - 2. * 3. * 8. / 3.) <= 1e-13);
  CHECK(gradient[2] == 0.);

  Array<double* [3], Space> points("test::points", 2);
  upload(exec, points, std::vector<double>{0.5, 0.5, 0.25, 9., 9., 9.});
  const Array<const double*, TestType> coefficients = uploaded(exec, "test::coefficients", u);
  const auto elements = uploaded(exec, "test::elements", std::vector<index_t>{0, -1});
  const auto rows = to_host(exec, fe::values_at<3>(exec, space, coefficients, points, elements));
  CHECK(rows(0, 0) == value);
  for (int d = 0; d < 3; ++d)
    CHECK(rows(0, 1 + d) == gradient[d]);
  for (int k = 0; k < 4; ++k)
    CHECK(std::isnan(rows(1, k)));
}

TEMPLATE_LIST_TEST_CASE("Steps of elements have polynomials of their own", "[fe]", ExecutionSpaces) {
  const TestType exec;
  const auto boxes = boxes_of<2>(exec, 2);
  const auto degrees = uploaded(exec, "test::degrees", std::vector<int>{1, 0});
  const auto make = [&](fe::TimePolynomials time, const std::vector<int>& steps) {
    return fe::make_modal_space<2>(exec, boxes, degrees, time, uploaded(exec, "test::steps", steps));
  };
  auto space = make(fe::TimePolynomials::p, {2, 4});
  CHECK(space.n_dofs == 2 * 4 + 4 * 1);
  CHECK(space.largest_size == 8);
  CHECK((space.smallest_steps == 2 && space.largest_steps == 4));
  space.from = 1.;
  space.to = 3.;
  const auto host = fe::to_host(exec, space);
  CHECK((host.step_size(0) == 4 && host.step_size(1) == 1));
  CHECK(
      (host.step_at(0, 1.) == 0 && host.step_at(0, 1.9) == 0 && host.step_at(0, 2.) == 1 && host.step_at(0, 3.) == 1));
  CHECK(
      (host.step_start(1, 3) == 2.5 && host.step_coordinate(1, 3, 2.5) == -1. && host.step_coordinate(1, 3, 3.) == 1.));

  std::vector<double> u(space.n_dofs, 0.);
  u[0] = 5.;  // 1 in the first step
  u[4] = 7.;  // 1 in the second one
  u[7] = 1.;  // and its linear function of time
  u[11] = 9.; // 1 in the last step of the other element
  REQUIRE(host.indices(3, 2) == 1);
  const Kokkos::View<double*, HostMemory> coefficients(u.data(), u.size());
  const auto at = [&](index_t e, double t) {
    const double x[3] = {0.1, 0.1, t};
    double gradient[3];
    const double value = host.evaluate(e, coefficients, x, gradient);
    return std::array<double, 2>{value, gradient[2]};
  };
  CHECK(at(0, 1.3) == std::array<double, 2>{5., 0.});
  CHECK(std::fabs(at(0, 2.75)[0] - (7. + std::sqrt(3.) * 0.5)) <= 1e-14);
  CHECK(std::fabs(at(0, 2.75)[1] - 2. * std::sqrt(3.)) <= 1e-14); // step size 1 s
  CHECK((at(1, 2.4)[0] == 0. && at(1, 3.)[0] == 9.));

  const auto before = uploaded(exec, "test::u", u);
  const auto after = make_filled<Array<double*, TestType>>(exec, "test::extended", u.size(), -1.);
  fe::extend_from_end<2>(exec, space, Array<const double*, TestType>(before), after);
  const auto extended = to_host(exec, after);
  for (int step = 0; step < 2; ++step)
    CHECK(std::fabs(extended(4 * step) - (7. + std::sqrt(3.))) <= 1e-14);
  for (int i = 8; i < 12; ++i)
    CHECK(extended(i) == 9.);
  CHECK((extended(3) == 0. && extended(7) == 0.));

  using Catch::Matchers::ContainsSubstring;
  for (const std::vector<int>& steps : {std::vector<int>{3, 1}, {0, 1}, {128, 1}, {-1, 1}})
    CHECK_THROWS_WITH(make(fe::TimePolynomials::p, steps), ContainsSubstring("a power of two from 1 to 64"));
  CHECK_THROWS_WITH(make(fe::TimePolynomials::p, {2}), ContainsSubstring("1 numbers of steps for 2 elements"));
  CHECK_THROWS_WITH(make(fe::TimePolynomials::none, {2, 1}), ContainsSubstring("within a time slab only"));
}

TEMPLATE_LIST_TEST_CASE("Elements of one degree have as many unknowns each", "[fe]", ExecutionSpaces) {
  const TestType exec;
  const auto boxes = boxes_of<2>(exec, 3);
  const auto steps = uploaded(exec, "test::steps", std::vector<int>{4, 4, 4});
  const auto space = fe::make_modal_space<2>(exec, boxes, 2, fe::TimePolynomials::p, steps);
  CHECK(space.is_uniform);
  CHECK((space.smallest_degree == 2 && space.largest_degree == 2));
  CHECK((space.largest_size == 40 && space.n_dofs == 120));
  const auto host = fe::to_host(exec, space);
  for (index_t e = 0; e < 3; ++e) {
    CHECK(host.degrees(e) == 2);
    CHECK((host.size(e) == 40 && host.step_size(e) == 10));
  }
  const auto same = fe::make_modal_space<2>(exec, boxes, uploaded(exec, "test::degrees", std::vector<int>{2, 2, 2}),
                                            fe::TimePolynomials::p, steps);
  CHECK((same.is_uniform && same.largest_size == 40 && same.n_dofs == 120));
}

TEMPLATE_LIST_TEST_CASE("Degrees out of range are refused", "[fe]", ExecutionSpaces) {
  const TestType exec;
  CHECK(fe::make_modal_space<2>(exec, boxes_of<2>(exec, 4), 8).n_dofs == 4 * 45);
  CHECK_THROWS_WITH(fe::make_modal_space<2>(exec, boxes_of<2>(exec, 4), 9),
                    Catch::Matchers::ContainsSubstring("degree is 9; in 2D it may be 0 to 8"));
  CHECK_THROWS_WITH(fe::make_modal_space<3>(exec, boxes_of<3>(exec, 2), -1),
                    Catch::Matchers::ContainsSubstring("degree is -1; in 3D it may be 0 to 6"));
}

} // namespace tessera::test
