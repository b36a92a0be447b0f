// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "fields_on_boxes.hpp"
#include "physics/estimates/chequered_vertices.hpp"
#include "physics/estimates/residual_estimate.hpp"
#include "physics/forms/magnetic_problem.hpp"
#include "support/one_thread.hpp"
#include "support/random_mesh.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <type_traits>

namespace tessera::test {

namespace {

/// A problem on a box, and a field at its nodes.
template <int Dim> struct Setting {
  std::array<index_t, Dim> cells{};
  Field field;
  std::vector<std::string> coefficient;            ///< for x < 1/2 and x > 1/2, isotropic; if only one: everywhere
  std::string source = "0";                        ///< everywhere
  std::function<bool(const Point&)> is_fixed = {}; ///< nodes with a fixed value; empty: none
  std::vector<physics::NaturalData> natural = {};
  bool axisymmetric = false;
  bool general = true; ///< uses the form with quadrature
  bool moved = false;  ///< moves the interior nodes
};

template <int Dim, int Order, class ExecutionSpace>
physics::ErrorEstimate<ExecutionSpace> estimate(const ExecutionSpace& exec, const Setting<Dim>& setting) {
  auto mesh = setting.moved ? random_box<Dim>(exec, setting.cells, 5) : unit_box<Dim>(exec, setting.cells);
  physics::DiffusionProblem problem;
  problem.axisymmetric = setting.axisymmetric;
  problem.natural = setting.natural;
  if (setting.coefficient.size() == 2)
    divide_in_halves<Dim>(exec, mesh);
  std::vector<physics::Expression> coefficients;
  for (const std::string& coefficient : setting.coefficient)
    coefficients.push_back(physics::Expression::parse(coefficient));
  add_regions(problem, Dim, coefficients, physics::Expression::parse(setting.source));
  const auto space = fe::make_space<Order, ExecutionSpace, Dim>(exec, mesh);
  const auto nodal = array_of(exec, values_at_nodes<Dim>(exec, space, setting.field));
  physics::FieldRecovery<ExecutionSpace> conditions;
  conditions.n_nodes = space.n_nodes();
  conditions.regions = mesh.regions;
  if (setting.is_fixed) {
    const Field number = [&](const Point& x) { return setting.is_fixed(x) ? 0. : 1.; };
    std::vector<group_t> constraint;
    for (const double value : values_at_nodes<Dim>(exec, space, number))
      constraint.push_back(static_cast<group_t>(value));
    conditions.node_constraint = array_of(exec, constraint);
    conditions.n_constraints = 1;
  }
  const auto neighbours = mesh::build_dual_graph<ExecutionSpace, Dim>(exec, mesh);
  const Array<const double*, ExecutionSpace> values = nodal;
  if (setting.general)
    return physics::estimate_error_by_residuals(
        exec, physics::make_general_form<ExecutionSpace, Dim, Order>(exec, mesh, space, problem), values, conditions,
        neighbours);
  return physics::estimate_error_by_residuals(
      exec, physics::make_uniform_form<ExecutionSpace, Dim, Order>(exec, mesh, space, problem), values, conditions,
      neighbours);
}

bool on_boundary(const Point& x, int dimension) {
  for (int d = 0; d < dimension; ++d)
    if (x[static_cast<std::size_t>(d)] < 1e-12 || x[static_cast<std::size_t>(d)] > 1. - 1e-12)
      return true;
  return false;
}
template <int Dim> bool on_box(const Point& x) { return on_boundary(x, Dim); }

template <class ExecutionSpace>
std::vector<double> squares_of(const ExecutionSpace& exec, const physics::ErrorEstimate<ExecutionSpace>& result) {
  const auto host = to_host(exec, result.squares);
  return {host.data(), host.data() + host.extent(0)};
}

double constant(int dimension, int order) { return std::pow(physics::residual_constant(dimension, order), 2); }

} // namespace

TEMPLATE_LIST_TEST_CASE("Residuals of two triangles are those by hand", "[physics][device]", ExecutionSpaces) {
  const TestType exec;
  // Triangles (0,0) (1,0) (1,1) and (0,0) (1,1) (0,1), u = 1 except u(1,1) = 2: gradients (0,1) and (1,0); D = 2, s =
  // 3.
  Setting<2> setting{{1, 1}, [](const Point& x) { return 1. + x[0] * x[1]; }, {"2"}, "3", nullptr};
  // Interior: h^2/a s^2 area = 2/2 * 9 * 1/2. Diagonal: half of h/a (2 sqrt 2)^2 length. Sides: outflow 2 at bottom and
  // left.
  const double within = physics::residual_weight(1) * 4.5;
  const double diagonal = 0.5 * std::sqrt(2.) / 2. * 8. * std::sqrt(2.);
  const double side = 1. / 2. * 4.;
  for (const bool general : {false, true}) {
    setting.general = general;
    setting.is_fixed = nullptr;
    const auto free = squares_of(exec, estimate<2, 1>(exec, setting));
    REQUIRE(free.size() == 2);
    for (const double square : free)
      CHECK(std::fabs(square - constant(2, 1) * (within + diagonal + side)) < 1e-13);
    setting.is_fixed = [](const Point& x) { return x[1] < 0.5; }; // the bottom
    const auto fixed = squares_of(exec, estimate<2, 1>(exec, setting));
    CHECK(std::fabs(fixed[0] - constant(2, 1) * (within + diagonal)) < 1e-13);
    CHECK(std::fabs(fixed[1] - constant(2, 1) * (within + diagonal + side)) < 1e-13);
    // The norm: D |grad u|^2 = 2 on the whole square.
    CHECK(std::fabs(estimate<2, 1>(exec, setting).norm - std::sqrt(2.)) < 1e-14);
  }
  // Boundary conditions. The flux at left and bottom is -2, which equals 4 (1/2 - u) for u = 1.
  setting.is_fixed = nullptr;
  physics::NaturalData bottom;
  bottom.group = 2;
  bottom.flux = physics::Expression(-2.);
  physics::NaturalData left;
  left.group = 0;
  left.alpha = physics::Expression(4.);
  left.reference = physics::Expression(0.5);
  setting.natural = {left, bottom};
  for (const double square : squares_of(exec, estimate<2, 1>(exec, setting)))
    CHECK(std::fabs(square - constant(2, 1) * (within + diagonal)) < 1e-13);
  setting.natural[1].flux = physics::Expression(0.); // the natural condition
  CHECK(std::fabs(squares_of(exec, estimate<2, 1>(exec, setting))[0] - constant(2, 1) * (within + diagonal + side)) <
        1e-13);
}

TEMPLATE_LIST_TEST_CASE("Exact solutions have no residual, others do", "[physics][device]", ExecutionSpaces) {
  const TestType exec;
  const Field parabola = [](const Point& x) { return x[0] * x[0] + 3. * x[0] * x[1] - 2. * x[1]; };
  const Field in_space = [](const Point& x) { return x[0] * x[0] + 3. * x[2] * x[1] - 2. * x[1] * x[1]; };
  for (const bool general : {false, true}) {
    Setting<2> plane{{5, 4}, parabola, {"4"}, "-8", on_box<2>, {}, false, general, true};
    CHECK((estimate<2, 2>(exec, plane).error) < 1e-11);
    CHECK((estimate<2, 1>(exec, plane).error) > 0.1);
    plane.source = "-7";
    CHECK((estimate<2, 2>(exec, plane).error) > 0.01);
    Setting<3> body{{3, 2, 3}, in_space, {"4"}, "8", on_box<3>, {}, false, general, true};
    CHECK((estimate<3, 2>(exec, body).error) < 1e-11);
    CHECK((estimate<3, 1>(exec, body).error) > 0.1);
    body.source = "9";
    CHECK((estimate<3, 2>(exec, body).error) > 0.01);
  }
  // Varying coefficient: div((1 + x) grad(2 y + x)) = 1.
  Setting<2> varying{{5, 4}, [](const Point& x) { return 2. * x[1] + x[0]; }, {"1 + x"}, "-1", on_box<2>};
  varying.moved = true;
  CHECK((estimate<2, 1>(exec, varying).error) < 1e-12);
  CHECK((estimate<2, 2>(exec, varying).error) < 1e-11);
  varying.source = "0";
  CHECK((estimate<2, 1>(exec, varying).error) > 0.01);
  // Around an axis: div grad(r^2 + z) = 4.
  Setting<2> axis{{5, 4}, [](const Point& x) { return x[0] * x[0] + x[1]; }, {"2"}, "-8", on_box<2>, {}, true};
  CHECK((estimate<2, 2>(exec, axis).error) < 1e-11);
  axis.source = "-7";
  CHECK((estimate<2, 2>(exec, axis).error) > 0.01);
}

TEMPLATE_LIST_TEST_CASE("Fluxes that jump between materials are seen, gradients that must are not", "[physics][device]",
                        ExecutionSpaces) {
  const TestType exec;
  const auto check = [&](auto of_dimension, auto of_order) {
    constexpr int dim = decltype(of_dimension)::value;
    constexpr int order = decltype(of_order)::value;
    Setting<dim> setting;
    setting.cells.fill(4);
    setting.coefficient = {"1", "4"};
    setting.is_fixed = on_box<dim>;
    for (const bool general : {false, true}) {
      setting.general = general;
      setting.field = [](const Point& x) { return x[0] < 0.5 ? 4. * x[0] : 2. + (x[0] - 0.5); }; // the same flux
      const auto continuous = estimate<dim, order>(exec, setting);
      CHECK(continuous.error < 1e-12 * continuous.norm);
      setting.field = [](const Point& x) { return x[0]; };
      // [F . n] = 3 on faces of measure h or h^2/2 at x = 1/2: h_E/4 * 9 * measure, with h = 1/4 and the larger
      // material. In 3D there are 32 faces, of which two, in corners, have only fixed nodes.
      const double expected = dim == 2 ? 0.75 : std::sqrt(30. / 32. * 36. * std::sqrt(2.) / 64.);
      const double error = estimate<dim, order>(exec, setting).error;
      CHECK(std::fabs(error - physics::residual_constant(dim, order) * expected) < 1e-12);
    }
  };
  check(std::integral_constant<int, 2>(), std::integral_constant<int, 1>());
  check(std::integral_constant<int, 2>(), std::integral_constant<int, 2>());
  check(std::integral_constant<int, 3>(), std::integral_constant<int, 1>());
}

TEMPLATE_LIST_TEST_CASE("A plate may have a flux that jumps", "[physics][device]", ExecutionSpaces) {
  const TestType exec;
  Setting<2> setting{
      {4, 4}, [](const Point& x) { return x[1] < 0.5 ? 3. * (x[1] - 0.5) : 0.5 - x[1]; }, {"1"}, "0", on_box<2>};
  CHECK((estimate<2, 1>(exec, setting).error) > 0.1);
  setting.is_fixed = [](const Point& x) { return on_boundary(x, 2) || std::fabs(x[1] - 0.5) < 1e-12; };
  CHECK((estimate<2, 1>(exec, setting).error) < 1e-13);
}

TEMPLATE_LIST_TEST_CASE("The estimate by residuals follows the error, whatever the contrast of the materials",
                        "[physics][device]", ExecutionSpaces) {
  const TestType exec;
  // -(a u')' = 1 with u(0) = u(1) = 0: the mean square error of the interpolant is h^2 u''^2 / 12 in each cell, and so
  // is that of the solution. Nothing depends on y.
  constexpr int n = 16;
  std::vector<double> ratios;
  for (const double contrast : {1e-6, 1e-2, 1., 1e2, 1e6}) {
    // Flux c - x; u(1/2) from both sides: (c/2 - 1/8) = -(1/contrast) (c/2 - 3/8).
    const double c = (1. / 8. + 3. / 8. / contrast) / (0.5 + 0.5 / contrast);
    Setting<2> setting{{n, n},
                       [&](const Point& x) {
                         return x[0] <= 0.5 ? c * x[0] - 0.5 * x[0] * x[0]
                                            : (c * (x[0] - 1.) - 0.5 * (x[0] * x[0] - 1.)) / contrast;
                       },
                       {"1", std::to_string(contrast)},
                       "1",
                       [](const Point& x) { return x[0] < 1e-12 || x[0] > 1. - 1e-12; }};
    const double error = std::sqrt(1. / 12. / n / n * (0.5 + 0.5 / contrast));
    ratios.push_back(estimate<2, 1>(exec, setting).error / error);
    INFO("contrast " << contrast);
    CHECK(ratios.back() > 0.7);
    CHECK(ratios.back() < 1.5);
    CHECK(std::fabs(ratios.back() / ratios.front() - 1.) < 0.1);
  }
}

TEMPLATE_LIST_TEST_CASE("Magnetic fields: exact potentials have no residual, others do", "[physics][device]",
                        ExecutionSpaces) {
  const TestType exec;
  const auto of = [&](auto of_order, bool axisymmetric, const Field& potential, const std::string& current,
                      const std::array<double, 2>& remanence) {
    constexpr int order = decltype(of_order)::value;
    const auto mesh = unit_box<2>(exec, {4, 5});
    physics::MagneticProblem problem;
    problem.medium.axisymmetric = axisymmetric;
    physics::RegionData data;
    data.coefficient.assign(2, physics::Expression(0.5));
    data.source = physics::Expression::parse(current);
    problem.medium.regions = {data};
    problem.regions.resize(1);
    problem.regions[0].remanence = remanence;
    const auto space = fe::make_space<order, TestType, 2>(exec, mesh);
    const auto form = physics::make_magnetic_form<TestType, order>(
        exec, mesh, space, problem,
        physics::coil_densities<TestType, order>(exec, mesh, space, problem, {exec, mesh.n_elements()}));
    std::vector<group_t> constraint;
    for (const double value : values_at_nodes<2>(exec, space, [](const Point& x) { return on_box<2>(x) ? 0. : 1.; }))
      constraint.push_back(static_cast<group_t>(value));
    physics::FieldRecovery<TestType> conditions;
    conditions.n_nodes = space.n_nodes();
    conditions.regions = mesh.regions;
    conditions.node_constraint = array_of(exec, constraint);
    conditions.n_constraints = 1;
    const auto nodal = array_of(exec, values_at_nodes<2>(exec, space, potential));
    return physics::estimate_error_by_residuals(exec, form, Array<const double*, TestType>(nodal), conditions,
                                                mesh::build_dual_graph<TestType, 2>(exec, mesh))
        .error;
  };
  const std::integral_constant<int, 1> one;
  const std::integral_constant<int, 2> two;
  const Field parabola = [](const Point& x) { return x[0] * x[0] + 2. * x[1] * x[1]; };
  CHECK(of(two, false, parabola, "-12", {0.3, 0.2}) < 1e-11); // a uniform magnet has no current
  CHECK(of(two, false, parabola, "-11", {0., 0.}) > 0.01);
  const Field linear = [](const Point& x) { return x[0] - 2. * x[1]; };
  CHECK(of(one, false, linear, "0", {0.3, 0.2}) < 1e-12);
  CHECK(of(one, false, linear, "1", {0., 0.}) > 0.01);
  // A uniform field along the axis, and B_z = 3 r with J = -dH_z/dr = -6.
  const Field uniform = [](const Point& x) { return x[0]; };
  CHECK(of(one, true, uniform, "0", {0., 0.}) < 1e-12);
  CHECK(of(one, true, uniform, "1", {0., 0.}) > 0.01);
  const Field square = [](const Point& x) { return x[0] * x[0]; };
  CHECK(of(two, true, square, "-6", {0., 0.}) < 1e-11);
  CHECK(of(two, true, square, "-5", {0., 0.}) > 0.01);
}

namespace {

/// The worst chequered vertex of a box with a coefficient, for an estimate of 1 in each element; returns the raised
/// squares of the estimates and their total, too.
template <int Dim, int Order, class ExecutionSpace>
physics::ChequeredVertex chequered(const ExecutionSpace& exec, const std::string& coefficient, bool is_fixed,
                                   std::vector<double>& squares, double& error) {
  std::array<index_t, Dim> cells;
  cells.fill(4);
  const auto mesh = unit_box<Dim>(exec, cells);
  const auto space = fe::make_space<Order, ExecutionSpace, Dim>(exec, mesh);
  physics::DiffusionProblem problem;
  add_regions(problem, Dim, {physics::Expression::parse(coefficient)});
  const auto form = physics::make_general_form<ExecutionSpace, Dim, Order>(exec, mesh, space, problem);
  physics::FieldRecovery<ExecutionSpace> conditions;
  conditions.n_nodes = space.n_nodes();
  conditions.n_vertices = mesh.n_nodes();
  conditions.node_constraint =
      array_of(exec, std::vector<group_t>(static_cast<std::size_t>(space.n_nodes()), is_fixed ? 0 : 1));
  conditions.n_constraints = 1;
  const auto nodal = array_of(exec, values_at_nodes<Dim>(exec, space, [](const Point& x) { return x[0]; }));
  physics::ErrorEstimate<ExecutionSpace> estimate;
  estimate.squares = array_of(exec, std::vector<double>(static_cast<std::size_t>(mesh.n_elements()), 1.));
  estimate.error = std::sqrt(mesh.n_elements());
  physics::raise_at_chequered_vertices(exec, form, Array<const double*, ExecutionSpace>(nodal), conditions, estimate);
  squares = squares_of(exec, estimate);
  error = estimate.error;
  return estimate.chequered;
}

template <int Dim, int Order, class ExecutionSpace> void check_chequered(const ExecutionSpace& exec) {
  std::vector<double> squares;
  double error = 0.;
  const auto contrast = [&](const std::string& coefficient, bool is_fixed = false) {
    return chequered<Dim, Order>(exec, coefficient, is_fixed, squares, error).contrast;
  };
  const auto n_raised = [&] { return std::count_if(squares.begin(), squares.end(), [](double s) { return s != 1.; }); };
  for (const char* monotone :
       {"2", "exp(3*x)", "x < 0.5 ? 1 : 100", "x > 0.5 && y > 0.5 ? 100 : 1", "x > 0.5 && y > 0.5 ? 1 : 100",
        "x > 0.5 && y > 0.5 ? 100 : x > 0.5 || y > 0.5 ? 10 : 1", "(x - 0.5)*(y - 0.5) > 0 ? 1.9 : 1"}) {
    INFO(monotone);
    CHECK(contrast(monotone) == 1.);
    CHECK(n_raised() == 0);
  }
  const std::string board = "(x - 0.5)*(y - 0.5) > 0 ? 300 : x > 0.5 ? 3 : 2";
  CHECK(contrast(board, true) == 1.);
  const physics::ChequeredVertex found = chequered<Dim, Order>(exec, board, false, squares, error);
  CHECK(std::fabs(found.contrast - 100.) < 1e-10); // 300 / 3, the larger one of 3 and 2
  CHECK(found.at[0] == 0.5);
  CHECK(found.at[1] == 0.5);
  double sum = 0.;
  for (const double square : squares) {
    CHECK((square == 1. || square == physics::chequered_factor(Order, found.contrast)));
    sum += square;
  }
  CHECK(n_raised() > 0);
  CHECK(n_raised() < static_cast<std::ptrdiff_t>(squares.size()) / 2);
  if (Dim == 2)
    CHECK(n_raised() == 6);
  CHECK(std::fabs(error * error / sum - 1.) < 1e-14);
  // Of the two opposite quadrants with 300 and 100, the smaller value determines the contrast, 100 / 2.
  CHECK(std::fabs(contrast("x > 0.5 && y > 0.5 ? 300 : x < 0.5 && y < 0.5 ? 100 : 2") - 50.) < 1e-10);
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Estimates are raised where materials meet in a chequered way, and nowhere else",
                        "[physics][device]", ExecutionSpaces) {
  const TestType exec;
  check_chequered<2, 1>(exec);
  check_chequered<2, 2>(exec);
  check_chequered<3, 1>(exec);
  CHECK(std::fabs(physics::chequered_exponent(1.) - 1.) < 1e-15);
  CHECK(std::fabs(physics::chequered_exponent(3.) - 2. / 3.) < 1e-15);
  CHECK(std::fabs(physics::chequered_exponent(161.4476) - 0.1) < 1e-6); // R. B. Kellogg, Appl. Anal. 4, 1975
}

TEMPLATE_LIST_TEST_CASE("Residuals have the same values in every space", "[physics][device]", ExecutionSpaces) {
  const TestType exec;
  Setting<3> setting{{4, 3, 3},
                     [](const Point& x) { return std::sin(5. * x[0]) * std::exp(x[1] - x[2]); },
                     {"1 + x*y"},
                     "3*z",
                     on_box<3>};
  const auto own = squares_of(exec, estimate<3, 2>(exec, setting));
  const auto expected = on_one_thread(
      [&](const auto& one_thread) { return squares_of(one_thread, estimate<3, 2>(one_thread, setting)); });
  REQUIRE(own.size() == expected.size());
  double largest = 0.;
  for (std::size_t e = 0; e < own.size(); ++e)
    largest = std::max(largest, std::fabs(own[e] - expected[e]) / expected[e]);
  CHECK(largest < 1e-10); // compilers contract products differently on devices
}

} // namespace tessera::test
