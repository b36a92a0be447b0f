// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/box.hpp"
#include "physics/boundaries/natural_conditions.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>

namespace tessera::test {

namespace {

constexpr double rounding = 1e-13; // rounding of sums over a few facets

/// A unit cube with a flux of 7 on its left side, convection on its right side, and radiation and convection at its
/// bottom.
template <class ExecutionSpace, int Dim, int Order> struct Cube {
  using Space = typename ExecutionSpace::memory_space;
  mesh::Mesh<Dim, Space> mesh;
  fe::FunctionSpace<Dim, Order, Space> space;
  physics::DiffusionProblem problem;
  physics::NaturalFacets<Dim, Space> facets;
  physics::GeneralDiffusion<Dim, Order, Space> form;

  explicit Cube(const ExecutionSpace& exec) {
    std::array<int, Dim> cells;
    std::array<double, Dim> lower;
    std::array<double, Dim> upper;
    cells.fill(3);
    lower.fill(0.);
    upper.fill(1.);
    mesh = mesh::make_box<Dim>(exec, cells, lower, upper);
    space = fe::make_space<Order, ExecutionSpace, Dim>(exec, mesh);
    physics::RegionData region;
    region.coefficient.assign(Dim, physics::Expression(2.));
    problem.regions.push_back(region);
    for (group_t side = 0; side < 3; ++side) {
      physics::NaturalData datum;
      datum.group = side;
      problem.natural.push_back(datum);
    }
    problem.natural[0].flux = physics::Expression(7.);
    problem.natural[1].alpha = physics::Expression(4.);
    problem.natural[1].reference = physics::Expression(250.);
    problem.natural[2].alpha = physics::Expression(5.);
    problem.natural[2].reference = physics::Expression(400.);
    problem.natural[2].emissivity = physics::Expression(0.5);
    form = physics::make_general_form<ExecutionSpace, Dim, Order>(exec, mesh, space, problem, &facets);
  }

  Array<const double*, Space> constant(double value) const {
    return make_filled<Array<double*, Space>>(ExecutionSpace(), "test::constant", space.n_nodes(), value);
  }
};

double radiated(double u) { return 0.5 * physics::stefan_boltzmann * (std::pow(400., 4) - std::pow(u, 4)); }

bool is_near(double value, double exact) { return std::fabs(value - exact) <= rounding * std::fabs(exact); }

template <class ExecutionSpace, int Dim, int Order> void check() {
  const ExecutionSpace exec;
  const Cube<ExecutionSpace, Dim, Order> cube(exec);
  const physics::Radiation<ExecutionSpace, Dim, Order> radiation(exec, cube.form, cube.facets, cube.problem);
  const auto cold = cube.constant(300.);
  const auto hot = cube.constant(900.);

  radiation.linearize(exec, hot);
  const auto totals = physics::natural_totals<ExecutionSpace, Dim, Order>(exec, cube.form, cube.facets, 3, hot);
  CHECK(is_near(totals[0].inflow, 7.));
  CHECK(is_near(totals[1].inflow, 4. * (250. - 900.)));
  CHECK(is_near(totals[2].inflow, 5. * (400. - 900.) + radiated(900.)));
  CHECK(is_near(totals[1].energy, 0.5 * 4. * 650. * 650.)); // measured from the reference

  // The derivative of the energy for a constant u is minus the inflow, times the change of u along the line.
  const linalg::ElementSums<ExecutionSpace> sums(exec, cube.mesh.n_elements());
  const auto u = make_array<Array<double*, ExecutionSpace>>(exec, "test::u", cube.space.n_nodes());
  for (const double s : {0., 0.25, 1.}) {
    const double at = 300. + s * 600.;
    const double inflow = 7. + 4. * (250. - at) + 5. * (400. - at) + radiated(at);
    CHECK(is_near(radiation.slope(exec, cold, hot, s, u, sums), -600. * inflow));
  }

  // At rest, radiation is linearised at the surroundings' 400 K.
  radiation.linearize_at_rest(exec);
  const auto alpha = to_host(exec, cube.facets.alpha);
  const auto datum = to_host(exec, cube.facets.datum);
  for (index_t f = 0; f < cube.facets.n(); ++f)
    if (datum(f) == 2)
      CHECK(is_near(alpha(f, 0), 5. + 4. * 0.5 * physics::stefan_boltzmann * std::pow(400., 3)));
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Flux, convection and radiation let in what they say, and slopes are those of their energy",
                        "[physics][device]", ExecutionSpaces) {
  check<TestType, 2, 1>();
  check<TestType, 2, 2>();
  check<TestType, 3, 1>();
  check<TestType, 3, 2>();
}

} // namespace tessera::test
