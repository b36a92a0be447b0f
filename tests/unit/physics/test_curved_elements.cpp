// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "core/transfer/upload.hpp"
#include "fe/element_map.hpp"
#include "mesh/refine/straight_edges.hpp"
#include "physics/fields/derived.hpp"
#include "physics/fields/point_values.hpp"
#include "physics/forms/diffusion_form.hpp"
#include "physics/forms/diffusion_problem.hpp"
#include "physics/forms/magnetic_problem.hpp"
#include "support/bulged_box.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>

namespace tessera::test {

namespace {

using Catch::Approx;
using physics::Expression;

constexpr double bulge = 0.4;
constexpr double rounding = 1e-12; // of sums over a few hundred elements

physics::DiffusionProblem diffusion(int dimension) {
  physics::DiffusionProblem problem;
  physics::RegionData data;
  data.coefficient.assign(static_cast<std::size_t>(dimension), Expression(3.));
  data.source = Expression(0.);
  problem.regions.push_back(data);
  return problem;
}

/// Points in the bulge, outside straight elements, points inside, and one outside.
template <int Dim> std::vector<std::array<double, 3>> points_in_box() {
  std::vector<std::array<double, 3>> points;
  for (const double share : {0.05, 0.5, 0.93, 1. - 1e-8})
    for (const double y : {0.13, 0.29, 0.5, 0.77}) {
      std::array<double, 3> x{0., y, Dim == 3 ? 0.37 + 0.3 * y : 0.};
      x[0] = share * bulged_side<Dim>(bulge, x.data());
      points.push_back(x);
    }
  std::array<double, 3> outside{0., 0.5, Dim == 3 ? 0.5 : 0.};
  outside[0] = 1.0001 * bulged_side<Dim>(bulge, outside.data());
  points.push_back(outside);
  return points;
}

/// u = x is in the space: all derived quantities are known.
template <int Dim, class ExecutionSpace, class Form>
void check_linear_field(const ExecutionSpace& exec, const Form& form,
                        const fe::FunctionSpace<Dim, 2, typename ExecutionSpace::memory_space>& space,
                        const Array<const double*, ExecutionSpace>& nodal) {
  std::vector<Expression> gradient{Expression(1.), Expression(0.)};
  if (Dim == 3)
    gradient.push_back(Expression(0.));
  const auto errors = physics::error_norms(exec, form, nodal, Expression::parse("x"), gradient);
  CHECK(errors.l2 < rounding);
  CHECK(errors.h1 < rounding);
  CHECK(errors.exact_h1 == Approx(std::sqrt(bulged_measure<Dim>(bulge))).epsilon(rounding));
  const auto points = points_in_box<Dim>();
  const auto values = physics::values_at(exec, form, nodal, points);
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    INFO("point " << points[i][0] << ", " << points[i][1] << ", " << points[i][2]);
    CHECK(values[i].value == Approx(points[i][0]).epsilon(rounding));
  }
  CHECK(std::isnan(values.back().value));
  const auto centroids = to_host(exec, physics::element_gradients(exec, form, nodal, 1.));
  const auto nodes = to_host(exec, physics::nodal_gradients(exec, form, space.n_nodes(), nodal, 1.));
  double largest = 0.;
  constexpr int along = Form::has_vector_potential ? 1 : 0; // B = (dA/dy, -dA/dx)
  const double expected = Form::has_vector_potential ? -1. : 1.;
  for (int d = 0; d < Dim; ++d) {
    for (index_t e = 0; e < space.n_elements(); ++e)
      largest = std::max(largest, std::fabs(centroids(e, d) - (d == along ? expected : 0.)));
    for (index_t n = 0; n < space.n_nodes(); ++n)
      largest = std::max(largest, std::fabs(nodes(n, d) - (d == along ? expected : 0.)));
  }
  CHECK(largest < 1e-11);
}

template <int Dim, class ExecutionSpace>
void check_diffusion(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells) {
  using Space = typename ExecutionSpace::memory_space;
  const auto mesh = bulged_box<Dim>(exec, cells, 4, bulge);
  const auto space = fe::make_space<2, ExecutionSpace, Dim>(exec, mesh);
  physics::DiffusionProblem problem = diffusion(Dim);
  physics::NaturalData natural; // integrals: the area of the curved side and a moment
  natural.group = 1;
  natural.flux = Expression::parse("x");
  problem.natural.push_back(natural);
  const auto form = physics::make_general_form<ExecutionSpace, Dim, 2>(exec, mesh, space, problem);
  const auto nodal = make_array<Array<double*, Space>>(exec, "test::nodal", space.n_nodes());
  physics::interpolate<ExecutionSpace, Dim>(exec, space.coordinates, Expression::parse("x"), nodal, "");
  CHECK(physics::field_energy(exec, form, Array<const double*, ExecutionSpace>(nodal)) ==
        Approx(1.5 * bulged_measure<Dim>(bulge)).epsilon(rounding));
  check_linear_field<Dim>(exec, form, space, nodal);
  CHECK_THROWS_WITH((physics::make_uniform_form<ExecutionSpace, Dim, 2>(exec, mesh, space, diffusion(Dim))),
                    Catch::Matchers::ContainsSubstring("straight edges"));

  // Rows and element systems of curved elements agree; the sum of loads is the integral of the flux over the curved
  // side.
  const auto host = form.to_host(exec);
  constexpr int N = decltype(host)::n_nodes;
  double total = 0., difference = 0.;
  int n_curved = 0;
  for (index_t e = 0; e < host.n_elements(); ++e) {
    index_t n[N];
    double K[N][N], f[N], k[N];
    host.nodes(e, n);
    host.system(e, n, K, f);
    n_curved += host.is_curved(e) ? 1 : 0;
    for (int a = 0; a < N; ++a) {
      total += f[a];
      difference = std::max(difference, std::fabs(host.row(e, a, n, k) - f[a]));
      for (int b = 0; b < N; ++b)
        difference = std::max(difference, std::fabs(k[b] - K[a][b]));
    }
  }
  CHECK(n_curved > 0);
  CHECK(n_curved < host.n_elements());
  CHECK(difference < 1e-13);
  if (Dim == 2) { // int x ds along x = 1 + b y (1 - y), by a composite Gauss rule
    double exact = 0.;
    constexpr int n_intervals = 2000;
    for (int i = 0; i < n_intervals; ++i)
      for (const double s : {0.5 - 0.5 / std::sqrt(3.), 0.5 + 0.5 / std::sqrt(3.)}) {
        const double y = (i + s) / n_intervals, slope = bulge * (1. - 2. * y);
        exact += 0.5 / n_intervals * (1. + bulge * y * (1. - y)) * std::sqrt(1. + slope * slope);
      }
    CHECK(total == Approx(exact).epsilon(1e-9)); // the form's rule of degree 5 on six facets
  }
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Curved elements represent linear fields exactly", "[physics][device]", ExecutionSpaces) {
  const TestType exec;
  check_diffusion<2>(exec, {5, 6});
  check_diffusion<3>(exec, {3, 3, 3});
}

TEMPLATE_LIST_TEST_CASE("Curved elements represent uniform magnetic fields and currents exactly", "[physics][device]",
                        ExecutionSpaces) {
  using Space = typename TestType::memory_space;
  const TestType exec;
  const auto mesh = bulged_box<2>(exec, {5, 6}, 4, bulge);
  const auto space = fe::make_space<2, TestType, 2>(exec, mesh);
  physics::MagneticProblem problem;
  problem.medium = diffusion(2);
  problem.regions.resize(1);
  physics::Coil coil;
  coil.turns = 5.;
  coil.current = 2.;
  coil.direction = {1.};
  problem.coils.push_back(coil);
  const auto densities = physics::coil_densities<TestType, 2>(exec, mesh, space, problem, {exec, mesh.n_elements()});
  CHECK(densities[0][0] == Approx(5. / bulged_measure<2>(bulge)).epsilon(rounding));
  const auto form = physics::make_magnetic_form<TestType, 2>(exec, mesh, space, problem, densities);
  const auto nodal = make_array<Array<double*, Space>>(exec, "test::nodal", space.n_nodes());
  physics::interpolate<TestType, 2>(exec, space.coordinates, Expression::parse("x"), nodal, "");
  const Array<const double*, TestType> potential = nodal;
  CHECK(physics::field_energy(exec, form, potential) == Approx(0.5 / 3. * bulged_measure<2>(bulge)).epsilon(rounding));
  CHECK(physics::largest_flux_density(exec, form, potential, 0) == Approx(1.).epsilon(rounding));
  // int x over the box: half the integral of the squared side
  const double moment = 0.5 * (1. + bulge / 3. + bulge * bulge / 30.);
  CHECK(physics::flux_linkage(exec, form, potential, densities[0]) ==
        Approx(5. * moment / bulged_measure<2>(bulge)).epsilon(rounding));
  check_linear_field<2>(exec, form, space, potential);
}

TEST_CASE("The map of a curved element, its derivatives and its inverse fit each other", "[physics]") {
  const FirstSpace exec;
  const auto mesh = bulged_box<3>(exec, {2, 2, 2}, 4, bulge);
  const auto space = fe::make_space<2, FirstSpace, 3>(exec, mesh);
  using Element = fe::Lagrange<3, 2>;
  int n_curved = 0;
  for (index_t e = 0; e < space.n_elements(); ++e) {
    if (space.curved_elements(e) == 0)
      continue;
    ++n_curved;
    index_t n[Element::n_nodes];
    for (int a = 0; a < Element::n_nodes; ++a)
      n[a] = space.element_nodes(e, a);
    fe::ElementMap<Element> map;
    map.load(space.coordinates.data(), n, true);
    const double lambda[4] = {0.2, 0.15, 0.4, 0.25};
    constexpr double step = 1e-5;
    for (int k = 1; k < 4; ++k) {
      double dx[3] = {0., 0., 0.};
      for (const double sign : {-1., 1.}) {
        double at[4] = {lambda[0] - sign * step, lambda[1], lambda[2], lambda[3]};
        at[k] += sign * step;
        map.move_to(space.coordinates.data(), n, at);
        for (int d = 0; d < 3; ++d)
          dx[d] += sign * map.coordinate(d, at) / (2. * step);
      }
      map.move_to(space.coordinates.data(), n, lambda);
      for (int l = 1; l < 4; ++l) { // central differences of a quadratic map are exact up to rounding / step
        double product = 0.;
        for (int d = 0; d < 3; ++d)
          product += map.grad_lambda[l][d] * dx[d];
        CHECK(std::fabs(product - (k == l ? 1. : 0.)) < 1e-9);
      }
    }
    double x[3];
    double found[4];
    for (int d = 0; d < 3; ++d)
      x[d] = map.coordinate(d, lambda);
    REQUIRE(map.find(space.coordinates.data(), n, x, found));
    for (int k = 0; k < 4; ++k)
      CHECK(std::fabs(found[k] - lambda[k]) < 1e-10);
    for (int a = 0; a < Element::n_nodes; ++a) { // isoparametric: nodes map to nodes
      double at[4];
      Element::node_position(a, at);
      map.move_to(space.coordinates.data(), n, at);
      for (int d = 0; d < 3; ++d)
        CHECK(std::fabs(map.coordinate(d, at) - space.coordinates(n[a], d)) < 1e-14);
    }
  }
  CHECK(n_curved > 0);
}

TEMPLATE_LIST_TEST_CASE("Elements that a curved boundary would fold keep straight edges", "[physics][device]",
                        ExecutionSpaces) {
  const TestType exec;
  const auto mesh = bulged_box<2>(exec, {16, 2}, 3, -1.2);
  mesh::StraightEdges straight;
  const auto space = fe::make_space<2, TestType, 2>(exec, mesh, straight);
  CHECK(straight.any());
  CHECK(straight.distance > 0.01);
  const auto form = physics::make_general_form<TestType, 2, 2>(exec, mesh, space, diffusion(2));
  const auto nodal = make_array<Array<double*, typename TestType::memory_space>>(exec, "test::nodal", space.n_nodes());
  const auto x = to_host(exec, space.coordinates);
  std::vector<double> values;
  for (index_t n = 0; n < space.n_nodes(); ++n)
    values.push_back(x(n, 0));
  upload(exec, nodal, values);
  // u = x is in the space whatever the shape, unless an element is folded.
  const auto errors = physics::error_norms(exec, form, Array<const double*, TestType>(nodal), Expression::parse("x"),
                                           {Expression(1.), Expression(0.)});
  CHECK(errors.h1 < rounding);
  CHECK(errors.exact_h1 > 0.);

  mesh::StraightEdges none;
  fe::make_space<2, TestType, 2>(exec, bulged_box<2>(exec, {5, 6}, 3, bulge), none);
  CHECK_FALSE(none.any());
}

TEMPLATE_LIST_TEST_CASE("Elements folded by a curved boundary are refused", "[physics][device]", ExecutionSpaces) {
  const TestType exec;
  const auto mesh = bulged_box<2>(exec, {16, 2}, 3, -1.2);
  CHECK_THROWS_WITH((fe::make_space<2, TestType, 2>(exec, mesh)),
                    Catch::Matchers::ContainsSubstring("folded") && Catch::Matchers::ContainsSubstring("mesh.curved"));
  CHECK_NOTHROW(fe::make_space<1, TestType, 2>(exec, mesh));
}

} // namespace tessera::test
