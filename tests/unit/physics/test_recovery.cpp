// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "fe/dofs/dof_map.hpp"
#include "fields_on_boxes.hpp"
#include "physics/fields/point_values.hpp"
#include "physics/fields/side_fields.hpp"
#include "physics/forms/diffusion_form.hpp"
#include "support/random_mesh.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

namespace tessera::test {

namespace {

/// Interpolant of a field on a unit box of two regions, with coefficients 1 and 4 for x < 1/2 and x > 1/2.
template <int Dim, int Order, class ExecutionSpace> struct Model {
  using Space = typename ExecutionSpace::memory_space;
  ExecutionSpace exec;
  mesh::Mesh<Dim, Space> mesh;
  physics::UniformDiffusion<Dim, Order, Space> form;
  Array<const double*, Space> nodal;
  physics::FieldRecovery<ExecutionSpace> recovery;

  /// `one_region`: the coefficient is 1 everywhere. `held`: nodes with one fixed value.
  Model(index_t n_cells, const Field& field, bool one_region, const std::function<bool(const Point&)>& held = {}) {
    std::array<index_t, Dim> cells;
    cells.fill(n_cells);
    mesh = unit_box<Dim>(exec, cells);
    if (one_region)
      mesh.region_names = {"left", "right"};
    else
      divide_in_halves<Dim>(exec, mesh);
    const auto space = fe::make_space<Order, ExecutionSpace, Dim>(exec, mesh);
    physics::DiffusionProblem problem;
    add_regions(problem, Dim, {physics::Expression(1.), physics::Expression(4.)});
    form = physics::make_uniform_form<ExecutionSpace, Dim, Order>(exec, mesh, space, problem);
    const Field is_held = [&](const Point& at) { return held && held(at) ? 1. : 0.; };
    std::vector<group_t> constraints;
    for (const double value : values_at_nodes<Dim>(exec, space, is_held))
      constraints.push_back(value == 1. ? group_t(0) : fe::DofMap<Space>::unconstrained);
    nodal = array_of(exec, values_at_nodes<Dim>(exec, space, field));
    recovery = {true, space.n_nodes(), mesh.regions, array_of(exec, constraints), 1};
  }

  std::vector<physics::PointValue> values_at(const std::vector<Point>& points, bool recovered) {
    recovery.requested = recovered;
    return physics::values_at(exec, form, nodal, points, recovery);
  }
};

/// Points inside elements, at boundaries, and on both sides of x = 1/2.
template <int Dim> std::vector<Point> scattered_points() {
  std::vector<Point> points;
  for (const double x : {0., 0.0071, 0.23, 0.499999, 0.500001, 0.71, 0.993, 1.})
    for (const double y : {0., 0.013, 0.37, 0.61, 1.})
      points.push_back({x, y, Dim == 3 ? 0.5 * y + 0.21 : 0.});
  return points;
}

template <int Dim, int Order, class ExecutionSpace>
double largest_error(index_t n_cells, const Field& field, const std::function<Point(const Point&)>& gradient,
                     bool recovered) {
  Model<Dim, Order, ExecutionSpace> model(n_cells, field, false);
  const auto points = scattered_points<Dim>();
  const auto values = model.values_at(points, recovered);
  double largest = 0.;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point exact = gradient(points[i]);
    const double coefficient = points[i][0] < 0.5 ? 1. : 4.;
    for (std::size_t d = 0; d < Dim; ++d) {
      largest = std::max(largest, std::fabs(values[i].field[d] - exact[d]));
      largest = std::max(largest, std::fabs(values[i].flux[d] - coefficient * exact[d]));
    }
  }
  return largest;
}

/// Smooth on each side of x = 1/2, with the same normal flux there.
double bent(const Point& x) {
  const double along = std::sin(x[1] + 0.5 * x[2]);
  return x[0] < 0.5 ? along * std::sin(4. * (x[0] - 0.5)) : along * std::sin(x[0] - 0.5);
}
Point bent_gradient(const Point& x) {
  const double k = x[0] < 0.5 ? 4. : 1.;
  const double across = std::sin(k * (x[0] - 0.5));
  const double t = x[1] + 0.5 * x[2];
  return {k * std::cos(k * (x[0] - 0.5)) * std::sin(t), across * std::cos(t), 0.5 * across * std::cos(t)};
}

template <int Dim, int Order, class ExecutionSpace> void check_broken_line() {
  const auto broken = [](const Point& x) { return x[0] < 0.5 ? 4. * x[0] : 2. + (x[0] - 0.5); };
  const auto gradient = [](const Point& x) { return Point{x[0] < 0.5 ? 4. : 1., 0., 0.}; };
  CHECK(largest_error<Dim, Order, ExecutionSpace>(4, broken, gradient, true) < 1e-11);
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Recovered fields keep both sides of an interface apart", "[physics][device]",
                        ExecutionSpaces) {
  check_broken_line<2, 1, TestType>();
  check_broken_line<2, 2, TestType>();
  check_broken_line<3, 1, TestType>();
  check_broken_line<3, 2, TestType>();
}

TEMPLATE_LIST_TEST_CASE("Recovered fields of order 1 converge with order 2 up to boundaries, those of elements with "
                        "order 1",
                        "[physics][device]", ExecutionSpaces) {
  // With half the element size, the largest error at the points must be a quarter where the field is smooth, with a
  // margin because the points lie at other positions in their elements.
  const double coarse = largest_error<2, 1, TestType>(12, bent, bent_gradient, true);
  const double fine = largest_error<2, 1, TestType>(24, bent, bent_gradient, true);
  CHECK(fine < 0.35 * coarse);
  CHECK(fine < 0.25 * largest_error<2, 1, TestType>(24, bent, bent_gradient, false));
  const double solid_coarse = largest_error<3, 1, TestType>(6, bent, bent_gradient, true);
  const double solid_fine = largest_error<3, 1, TestType>(12, bent, bent_gradient, true);
  CHECK(solid_fine < 0.35 * solid_coarse);
  CHECK(solid_fine < 0.4 * largest_error<3, 1, TestType>(12, bent, bent_gradient, false));
}

TEMPLATE_LIST_TEST_CASE("Recovered fields of order 2 are exact for quadratic solutions, and converge faster than those "
                        "of elements",
                        "[physics][device]", ExecutionSpaces) {
  const auto quadratic = [](const Point& x) { return x[0] * x[0] - 3. * x[0] * x[1] + x[1] * x[1]; };
  Model<2, 2, TestType> model(5, quadratic, true);
  const auto points = scattered_points<2>();
  const auto values = model.values_at(points, true);
  double largest = 0.;
  for (std::size_t i = 0; i < points.size(); ++i) {
    largest = std::max(largest, std::fabs(values[i].field[0] - (2. * points[i][0] - 3. * points[i][1])));
    largest = std::max(largest, std::fabs(values[i].field[1] - (2. * points[i][1] - 3. * points[i][0])));
  }
  CHECK(largest < 1e-11);
  CHECK(largest_error<2, 2, TestType>(12, bent, bent_gradient, true) <
        0.5 * largest_error<2, 2, TestType>(12, bent, bent_gradient, false));
}

TEMPLATE_LIST_TEST_CASE("Recovered fields do not mix the sides of a plate without thickness", "[physics][device]",
                        ExecutionSpaces) {
  // Two half spaces with opposite fields, of one region, with the plate between them.
  const auto field = [](const Point& x) { return std::fabs(x[0] - 0.5); };
  Model<2, 1, TestType> model(8, field, true, [](const Point& x) { return x[0] == 0.5; });
  for (const double x : {0.3, 0.42, 0.499, 0.501, 0.55, 0.7}) {
    const auto values = model.values_at({{x, 0.43, 0.}, {x, 1., 0.}}, true);
    for (const physics::PointValue& value : values) {
      CHECK(std::fabs(value.field[0] - (x < 0.5 ? -1. : 1.)) < 1e-11);
      CHECK(std::fabs(value.field[1]) < 1e-11);
    }
  }
}

namespace {

/// Checks the sides of a broken line: in the order of the nodes, which are numbered backwards; at interfaces region 0
/// comes first.
template <int Dim, int Order, class ExecutionSpace> void check_sides_of_broken_line() {
  const auto broken = [](const Point& x) { return x[0] < 0.5 ? 4. * x[0] : 2. + (x[0] - 0.5); };
  const Model<Dim, Order, ExecutionSpace> model(4, broken, false);
  std::vector<index_t> backwards;
  for (index_t n = model.mesh.n_nodes(); n > 0; --n)
    backwards.push_back(n - 1);
  const auto original = array_of(model.exec, backwards);
  const auto sides = physics::side_fields(model.exec, model.form, model.nodal, model.recovery,
                                          Array<const index_t*, ExecutionSpace>(original), 2., -1.);
  const auto numbers = to_host(model.exec, sides.nodes);
  const auto x = to_host(model.exec, sides.coordinates);
  const auto solution = to_host(model.exec, sides.solution);
  const auto field = to_host(model.exec, sides.field);
  const auto flux = to_host(model.exec, sides.flux);
  const auto of_elements = to_host(model.exec, sides.of_elements);
  const auto element_nodes = to_host(model.exec, model.form.element_nodes);
  const std::size_t across = 4 * Order + 1;
  const std::size_t at_interface = Dim == 2 ? across : across * across;
  REQUIRE(numbers.extent(0) == at_interface * across + at_interface);
  std::size_t n_double = 0;
  double largest = 0.;
  for (std::size_t i = 0; i < numbers.extent(0); ++i) {
    const bool is_second = i > 0 && numbers(i) == numbers(i - 1);
    CHECK((i == 0 || is_second || numbers(i) == numbers(i - 1) + 1));
    n_double += is_second ? 1 : 0;
    const bool is_lower = x(i, 0) < 0.5 || (x(i, 0) == 0.5 && !is_second);
    largest = std::max(largest, std::fabs(solution(i) - broken({x(i, 0), 0., 0.})));
    for (int d = 0; d < Dim; ++d) {
      largest = std::max(largest, std::fabs(field(i, d) - (d > 0 ? 0. : is_lower ? 8. : 2.)));
      largest = std::max(largest, std::fabs(flux(i, d) - (d > 0 ? 0. : -4.)));
    }
  }
  CHECK(largest < 1e-11);
  CHECK(n_double == at_interface);
  std::size_t n_wrong = 0;
  for (std::size_t i = 0; i < of_elements.extent(0); ++i) {
    const index_t node = element_nodes.data()[i];
    const index_t number = node < model.mesh.n_nodes() ? backwards[static_cast<std::size_t>(node)] : node;
    n_wrong += numbers(of_elements(i)) == number ? 0 : 1;
  }
  CHECK(n_wrong == 0);
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Nodes at an interface have a side with the field of each region", "[physics][device]",
                        ExecutionSpaces) {
  check_sides_of_broken_line<2, 1, TestType>();
  check_sides_of_broken_line<2, 2, TestType>();
  check_sides_of_broken_line<3, 1, TestType>();
  check_sides_of_broken_line<3, 2, TestType>();
}

TEMPLATE_LIST_TEST_CASE("Recovered fields are continuous in a region", "[physics][device]", ExecutionSpaces) {
  Model<2, 1, TestType> model(7, bent, true);
  std::vector<Point> points;
  for (int i = 1; i < 40; ++i) // across element edges, also along a diagonal of the box
    for (const double off : {-1e-9, 1e-9})
      points.push_back({0.025 * i + off, 0.025 * i - 2. * off, 0.});
  const auto values = model.values_at(points, true);
  double jump = 0.;
  for (std::size_t i = 0; i + 1 < values.size(); i += 2)
    for (std::size_t d = 0; d < 2; ++d)
      jump = std::max(jump, std::fabs(values[i + 1].field[d] - values[i].field[d]));
  CHECK(jump < 1e-6); // slope times distance
  CHECK(model.values_at({}, true).empty());
}

} // namespace tessera::test
