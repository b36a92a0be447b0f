// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "fields_on_boxes.hpp"
#include "physics/estimates/error_estimate.hpp"
#include "physics/estimates/mark_largest.hpp"
#include "physics/forms/diffusion_form.hpp"
#include "support/one_thread.hpp"
#include "support/random_mesh.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <functional>
#include <numeric>
#include <type_traits>

namespace tessera::test {

namespace {

/// Error estimate of a field's interpolant on a box of two materials, with coefficients 1 and 4 for x < 1/2 and x >
/// 1/2. The nodes at y = 1/2 up to x = `plate` have a fixed value.
template <int Dim, int Order, class ExecutionSpace>
physics::ErrorEstimate<ExecutionSpace> estimate(const ExecutionSpace& exec, index_t n_cells, const Field& field,
                                                double plate = -1.) {
  std::array<index_t, Dim> cells;
  cells.fill(n_cells);
  auto mesh = unit_box<Dim>(exec, cells);
  divide_in_halves<Dim>(exec, mesh);
  const auto space = fe::make_space<Order, ExecutionSpace, Dim>(exec, mesh);
  physics::DiffusionProblem problem;
  add_regions(problem, Dim, {physics::Expression(1.), physics::Expression(4.)});
  const auto form = physics::make_uniform_form<ExecutionSpace, Dim, Order>(exec, mesh, space, problem);
  const auto nodes = to_host(exec, space.coordinates);
  const auto nodal = array_of(exec, values_at_nodes<Dim>(exec, space, field));
  physics::FieldRecovery<ExecutionSpace> recovery;
  recovery.n_nodes = space.n_nodes();
  recovery.regions = mesh.regions;
  if (plate >= 0.) {
    std::vector<group_t> constraint;
    for (index_t n = 0; n < space.n_nodes(); ++n)
      constraint.push_back(
          static_cast<group_t>(std::fabs(nodes(n, 1) - 0.5) < 1e-12 && nodes(n, 0) < plate + 1e-12 ? 0 : 1));
    recovery.node_constraint = array_of(exec, constraint);
    recovery.n_constraints = 1;
  }
  return physics::estimate_error(exec, form, Array<const double*, ExecutionSpace>(nodal), recovery);
}

/// Linear on each side with the same flux: the gradient jumps at the interface.
double broken_line(const std::array<double, 3>& x) { return x[0] < 0.5 ? 4. * x[0] : 2. + (x[0] - 0.5); }

template <class ExecutionSpace>
std::vector<int> marks(const ExecutionSpace& exec, const std::vector<double>& squares, double share) {
  const auto array = array_of(exec, squares);
  const auto host = to_host(exec, physics::mark_largest(exec, Array<const double*, ExecutionSpace>(array), share));
  return {host.data(), host.data() + host.extent(0)};
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Fields that the elements hold have no estimated error, also where the gradient jumps between "
                        "materials",
                        "[physics][device]", ExecutionSpaces) {
  const TestType exec;
  const auto flat = estimate<2, 1>(exec, 6, broken_line);
  CHECK(flat.error < 1e-14 * flat.norm);
  CHECK(std::fabs(flat.norm - std::sqrt(0.5 * 16. + 0.5 * 4. * 1.)) < 1e-12);
  CHECK((estimate<3, 1>(exec, 4, broken_line).error) < 1e-14);
  const Field parabola = [](const auto& x) { return x[0] * x[0] - 2. * x[0] * x[1]; };
  CHECK((estimate<2, 2>(exec, 6, parabola).error) < 1e-13);
  CHECK((estimate<2, 1>(exec, 6, parabola).error) > 1e-2);
}

TEMPLATE_LIST_TEST_CASE("Fields on either side of a plate in a region are not averaged", "[physics][device]",
                        ExecutionSpaces) {
  const TestType exec;
  const Field roof = [](const auto& x) { return x[1] < 0.5 ? 3. * (x[1] - 0.5) : 0.5 - x[1]; };
  const auto check = [&](auto of_dimension, auto of_order) {
    constexpr int dim = decltype(of_dimension)::value;
    constexpr int order = decltype(of_order)::value;
    const auto without = estimate<dim, order>(exec, 4, roof);
    const auto whole = estimate<dim, order>(exec, 4, roof, 1.);
    const auto part = estimate<dim, order>(exec, 4, roof, 0.75);
    CHECK(without.error > 0.1 * without.norm); // the fields on both sides differ by more than their mean
    CHECK(whole.error < 1e-14 * whole.norm);   // constant on each side
    CHECK(part.error > 0.1 * without.error);   // the field is continuous around the plate's end
    CHECK(part.error < 0.8 * without.error);
  };
  check(std::integral_constant<int, 2>(), std::integral_constant<int, 1>());
  check(std::integral_constant<int, 2>(), std::integral_constant<int, 2>());
  check(std::integral_constant<int, 3>(), std::integral_constant<int, 1>());
}

TEMPLATE_LIST_TEST_CASE("The estimate approaches the error of smooth fields", "[physics][device]", ExecutionSpaces) {
  const TestType exec;
  // The interpolant of a parabola in x on cells of size h: the error of du/dx is 2 (x - midpoint), and the mean of its
  // square h^2/3.
  const Field parabola = [](const auto& x) { return x[0] * x[0]; };
  double before = 0.;
  for (const index_t n : {16, 32}) {
    const auto result = estimate<2, 1>(exec, n, parabola);
    const double exact = std::sqrt((1. + 4.) / 2. / 3.) / static_cast<double>(n);
    CHECK(std::fabs(result.error / exact - 1.) < 0.1); // averages at the boundary are one-sided
    CHECK((before == 0. || std::fabs(before / result.error - 2.) < 0.1));
    before = result.error;
    CHECK(std::fabs(result.relative() - result.error / std::hypot(result.error, result.norm)) < 1e-15);
  }
}

TEMPLATE_LIST_TEST_CASE("The estimate has the same bits in every space", "[physics][device]", ExecutionSpaces) {
  const TestType exec;
  const Field field = [](const auto& x) { return std::sin(5. * x[0]) * std::exp(x[1] - x[2]); };
  const auto own = to_host(exec, estimate<3, 2>(exec, 4, field).squares);
  const auto expected = on_one_thread(
      [&](const auto& one_thread) { return to_host(one_thread, estimate<3, 2>(one_thread, 4, field).squares); });
  REQUIRE(own.extent(0) == expected.extent(0));
  double largest = 0.;
  for (std::size_t e = 0; e < own.extent(0); ++e)
    largest = std::max(largest, std::fabs(own(e) - expected(e)) / expected(e));
  CHECK(largest < 1e-10); // compilers contract products differently on devices
}

TEMPLATE_LIST_TEST_CASE("Marks go to the largest errors until their share is reached", "[physics][device]",
                        ExecutionSpaces) {
  const TestType exec;
  CHECK(marks(exec, {1., 8., 0., 2., 5.}, 0.5) == std::vector<int>{0, 1, 0, 0, 0});
  CHECK(marks(exec, {1., 8., 0., 2., 5.}, 0.51) == std::vector<int>{0, 1, 0, 0, 1});
  CHECK(marks(exec, {1., 8., 0., 2., 5.}, 1.) == std::vector<int>{1, 1, 0, 1, 1});
  CHECK(marks(exec, {3., 3., 3.}, 0.1) == std::vector<int>{1, 1, 1}); // equal to the smallest marked one
  CHECK(marks(exec, {0., 0.}, 0.5) == std::vector<int>{0, 0});
  CHECK(marks(exec, {1e-30, 1e-33, 1e-29}, 0.9) == std::vector<int>{0, 0, 1});
  std::vector<double> many;
  for (int i = 0; i < 5000; ++i)
    many.push_back(std::exp(-0.01 * ((i * 7919) % 5000)));
  const std::vector<int> marked = marks(exec, many, 0.8);
  double share = 0.;
  double smallest = 1.;
  for (std::size_t i = 0; i < many.size(); ++i)
    if (marked[i] == 1) {
      share += many[i];
      smallest = std::min(smallest, many[i]);
    }
  share /= std::accumulate(many.begin(), many.end(), 0.);
  CHECK(share >= 0.8);
  CHECK(share < 0.81);
  for (std::size_t i = 0; i < many.size(); ++i)
    CHECK((marked[i] == 1) == (many[i] >= smallest));
}

} // namespace tessera::test
