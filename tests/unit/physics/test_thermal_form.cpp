// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/transfer/upload.hpp"
#include "fields_on_boxes.hpp"
#include "mesh/box.hpp"
#include "physics/forms/thermal_problem.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>

namespace tessera::test {

namespace {

using physics::Expression;

/// The residual of an element at the iterate. (As a lambda, it makes nvcc's front end crash.)
template <class Form, int N> void residual_of(const Form& form, index_t e, double (&r)[N]) {
  index_t n[N];
  double u[N];
  form.nodes(e, n);
  for (int a = 0; a < N; ++a)
    u[a] = form.iterate(n[a]);
  form.residual(e, n, u, r);
}

/// A cube with a tensor and a capacity of temperature, a source and convection, in a step of time.
template <class ExecutionSpace, int Dim, int Order> void check_thermal() {
  using Space = typename ExecutionSpace::memory_space;
  using Form = physics::ThermalDiffusion<Dim, Order, Space>;
  constexpr int N = Form::n_nodes;
  const ExecutionSpace exec;
  std::array<int, Dim> cells;
  std::array<double, Dim> lower;
  std::array<double, Dim> upper;
  cells.fill(2);
  lower.fill(0.);
  upper.fill(1.);
  const auto mesh = mesh::make_box<Dim>(exec, cells, lower, upper);
  const auto space = fe::make_space<Order, ExecutionSpace, Dim>(exec, mesh);
  physics::DiffusionProblem problem;
  problem.has_storage = true;
  problem.depends_on_temperature = true;
  problem.rest_temperature = 2.;
  physics::RegionData region;
  region.coefficient.assign(Dim, Expression::parse("3 + T^2 + x"));
  region.coefficient[0] = Expression::parse("5 + exp(-T)");
  region.off_diagonal.assign(Form::n_pairs, Expression::parse("0.1*T"));
  region.capacity = Expression::parse("table(T, 0, 1, 2, 3, 4, 3.5)");
  region.source = Expression(7.);
  problem.regions.push_back(region);
  physics::NaturalData datum;
  datum.alpha = Expression(4.);
  datum.reference = Expression(1.5);
  problem.natural.push_back(datum);
  physics::NaturalFacets<Dim, Space> facets;
  const auto frozen =
      physics::make_general_form<ExecutionSpace, Dim, Order>(exec, mesh, space, physics::at_rest(problem), &facets);
  const auto form = physics::make_thermal_form<ExecutionSpace, Dim, Order>(exec, frozen, space.n_nodes(), problem);
  physics::ThermalMaterials<ExecutionSpace, Dim, Order> materials(exec, form, problem);
  fill(exec, form.rate, 10.);
  const auto nodal = [&](const auto& value) {
    return uploaded(exec, "test::nodal", values_at_nodes<Dim>(exec, space, value));
  };
  const Array<const double*, ExecutionSpace> last =
      nodal([](const Point& p) { return 1.4 + 0.3 * p[0] * p[1] + 0.2 * p[2]; });
  const Array<const double*, ExecutionSpace> before_last = nodal([](const Point& p) { return 1.1 + 0.2 * p[0]; });
  materials.count_from(exec, {{1.4, last}, {-0.4, before_last}});

  const auto at = [&](double step) { // linearised at u + step d
    upload(exec, form.iterate, values_at_nodes<Dim>(exec, space, [&](const Point& p) {
             return 1.6 + p[0] + 0.5 * p[1] * p[1] + step * std::sin(3. * p[0] + p[1] + 2. * p[2]);
           }));
    materials.linearize(exec);
    return form.to_host(exec);
  };
  constexpr double h = 1e-5;
  const auto host = at(0.);
  const auto before = at(-h);
  const auto after = at(h);
  for (index_t e = 0; e < host.n_elements(); ++e) {
    index_t n[N];
    double K[N][N];
    double f[N];
    double r[N];
    double r_before[N];
    double r_after[N];
    host.nodes(e, n);
    host.system(e, n, K, f);
    residual_of(host, e, r);
    residual_of(before, e, r_before);
    residual_of(after, e, r_after);
    for (int a = 0; a < N; ++a) {
      double product = -f[a];
      double change = 0.;
      double size = std::fabs(f[a]);
      for (int b = 0; b < N; ++b) {
        product += K[a][b] * host.iterate(n[b]);
        change += K[a][b] * (after.iterate(n[b]) - before.iterate(n[b])) / (2. * h);
        size += std::fabs(K[a][b]);
      }
      CHECK(std::fabs(product - r[a]) < 1e-13 * size);
      CHECK(std::fabs(change - (r_after[a] - r_before[a]) / (2. * h)) < 1e-8 * size); // differences of order 2

      double row[N];
      const double load = host.row(e, a, n, row);
      CHECK(load == f[a]);
      for (int b = 0; b < N; ++b)
        CHECK(row[b] == K[a][b]);
    }
  }
}

} // namespace

TEMPLATE_LIST_TEST_CASE("The matrix of materials of temperature is the derivative of the residual", "[physics][device]",
                        ExecutionSpaces) {
  check_thermal<TestType, 2, 1>();
  check_thermal<TestType, 2, 2>();
  check_thermal<TestType, 3, 1>();
  check_thermal<TestType, 3, 2>();
}

} // namespace tessera::test
