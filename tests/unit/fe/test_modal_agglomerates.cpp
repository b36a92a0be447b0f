// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/transfer/upload.hpp"
#include "fe/modal/modal_agglomerates.hpp"
#include "spaces.hpp"
#include "support/block_matrices.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>

namespace tessera::test {

namespace {

/// Overlapping bounding boxes of elements, as those of polygons are, and the agglomerates of the elements.
template <int Dim, class ExecutionSpace> struct Elements {
  Array<double* [2][Dim], ExecutionSpace> boxes;
  Array<int*, ExecutionSpace> degrees;
  Array<index_t*, ExecutionSpace> agglomerate_of;

  Elements(const ExecutionSpace& exec, const std::vector<int>& given_degrees, const std::vector<index_t>& agglomerates)
      : boxes("test::boxes", given_degrees.size()), degrees("test::degrees", given_degrees.size()),
        agglomerate_of("test::agglomerates", given_degrees.size()) {
    std::vector<double> corners;
    for (std::size_t e = 0; e < given_degrees.size(); ++e)
      for (int side = 0; side < 2; ++side)
        for (int d = 0; d < Dim; ++d)
          corners.push_back(10. + static_cast<double>(e) * (d == 0 ? 0.7 : -0.2) + side * (1. + 0.25 * d));
    upload(exec, boxes, corners);
    upload(exec, degrees, given_degrees);
    upload(exec, agglomerate_of, agglomerates);
  }
};

template <int Dim, class ExecutionSpace>
void check_nesting(const ExecutionSpace& exec, const std::vector<int>& degrees, fe::TimePolynomials time,
                   const std::vector<int>& expected_degrees) {
  const std::vector<index_t> agglomerates{0, 0, 1, 1, 1, 2};
  const Elements<Dim, ExecutionSpace> elements(exec, degrees, agglomerates);
  auto space = fe::make_modal_space<Dim>(exec, elements.boxes, elements.degrees, time);
  space.from = 1.;
  space.to = 1.5;
  const auto children = children_of(exec, elements.agglomerate_of, 3);
  const auto coarse =
      fe::agglomerated_space<Dim, ExecutionSpace>(exec, space, children, comm::Layout<ExecutionSpace>::local(3));
  const auto p = fe::make_modal_transfer<Dim, ExecutionSpace>(exec, space, coarse, elements.agglomerate_of,
                                                              space.n_elements(), children);
  const auto host = fe::to_host<ExecutionSpace, Dim>(exec, space);
  const auto host_coarse = fe::to_host<ExecutionSpace, Dim>(exec, coarse);
  for (index_t a = 0; a < 3; ++a)
    CHECK(host_coarse.degrees(a) == expected_degrees[static_cast<std::size_t>(a)]);

  std::vector<double> coefficients(static_cast<std::size_t>(coarse.n_dofs));
  for (std::size_t i = 0; i < coefficients.size(); ++i)
    coefficients[i] = std::cos(1. + 3. * static_cast<double>(i));
  const Array<double*, ExecutionSpace> x("test::coarse", coefficients.size());
  upload(exec, x, coefficients);
  const Array<double*, ExecutionSpace> y("test::fine", space.n_dofs);
  const Array<double*, ExecutionSpace> sum("test::sum", space.n_dofs);
  linalg::interpolate_and_add<ExecutionSpace>(exec, p, x, y, sum);
  const auto fine_values = to_host(exec, y);
  const auto coarse_values = to_host(exec, x);
  for (std::size_t e = 0; e < degrees.size(); ++e)
    for (const double share : {0.1, 0.6, 1.}) {
      double at[Dim + 1];
      const auto element = static_cast<index_t>(e);
      for (int d = 0; d < Dim; ++d)
        at[d] = host.boxes(element, 0, d) +
                (d == 0 ? share : 1. - 0.5 * share) * (host.boxes(element, 1, d) - host.boxes(element, 0, d));
      at[Dim] = 1. + 0.5 * share;
      double gradient[Dim];
      double coarse_gradient[Dim];
      const double value = host.evaluate(element, fine_values, at, gradient);
      const double expected = host_coarse.evaluate(agglomerates[e], coarse_values, at, coarse_gradient);
      CAPTURE(e, share, value, expected);
      CHECK(std::fabs(value - expected) <= 1e-11); // sums of some 100 terms of up to 40
      for (int d = 0; d < Dim; ++d)
        CHECK(std::fabs(gradient[d] - coarse_gradient[d]) <= 1e-9); // derivatives up to 100 times as large
    }
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Polynomials of agglomerates are the same on their elements", "[fe][device]", ExecutionSpaces) {
  const TestType exec;
  using fe::TimePolynomials;
  check_nesting<2>(exec, {3, 3, 3, 3, 3, 3}, TimePolynomials::none, {3, 3, 3});
  check_nesting<2>(exec, {8, 8, 8, 8, 8, 8}, TimePolynomials::none, {8, 8, 8});
  check_nesting<2>(exec, {1, 4, 2, 2, 5, 0}, TimePolynomials::none, {1, 2, 0});
  check_nesting<2>(exec, {3, 3, 2, 3, 3, 3}, TimePolynomials::p, {3, 2, 3});
  check_nesting<2>(exec, {2, 2, 2, 1, 2, 2}, TimePolynomials::pq, {2, 1, 2});
  check_nesting<3>(exec, {2, 3, 2, 2, 2, 4}, TimePolynomials::none, {2, 2, 4});
  check_nesting<3>(exec, {2, 2, 2, 2, 2, 2}, TimePolynomials::p, {2, 2, 2});
}

TEMPLATE_LIST_TEST_CASE("The box of an agglomerate is that around its elements'", "[fe][device]", ExecutionSpaces) {
  const TestType exec;
  const std::vector<index_t> agglomerates{0, 1, 0, 1, 1};
  const Elements<2, TestType> elements(exec, {1, 1, 1, 1, 1}, agglomerates);
  const auto space = fe::make_modal_space<2>(exec, elements.boxes, elements.degrees);
  const auto coarse = fe::agglomerated_space<2, TestType>(exec, space, children_of(exec, elements.agglomerate_of, 2),
                                                          comm::Layout<TestType>::local(2));
  const auto boxes = to_host(exec, elements.boxes);
  const auto found = fe::to_host<TestType, 2>(exec, coarse).boxes;
  for (index_t a = 0; a < 2; ++a)
    for (int d = 0; d < 2; ++d) {
      double lower = 1e30;
      double upper = -1e30;
      for (index_t e = 0; e < 5; ++e)
        if (agglomerates[static_cast<std::size_t>(e)] == a) {
          lower = std::min(lower, boxes(e, 0, d));
          upper = std::max(upper, boxes(e, 1, d));
        }
      CHECK(found(a, 0, d) == lower);
      CHECK(found(a, 1, d) == upper);
    }
}

} // namespace tessera::test
