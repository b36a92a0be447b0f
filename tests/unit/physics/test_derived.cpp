// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/fields/derived.hpp"
#include "physics/fields/point_values.hpp"
#include "physics/forms/diffusion_form.hpp"
#include "physics/forms/diffusion_problem.hpp"
#include "support/kokkos_tools.hpp"
#include "support/random_mesh.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstring>

namespace tessera::test {

namespace {

double scattered(std::int64_t i) {
  return static_cast<double>((static_cast<std::uint32_t>(i) * 2654435761u) >> 8) / 16777216. - 0.5;
}

/// A diffusion problem on a box with moved nodes and random numbering, and values at its nodes.
template <int Dim, class ExecutionSpace> struct Box {
  using Space = typename ExecutionSpace::memory_space;
  mesh::Mesh<Dim, Space> mesh;
  fe::FunctionSpace<Dim, 1, Space> space;
  physics::DiffusionProblem problem;
  physics::UniformDiffusion<Dim, 1, Space> form;
  Array<const double*, Space> nodal;
  std::vector<double> host_nodal;

  Box(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells, double depth = 1.)
      : mesh(random_box<Dim>(exec, cells, 5)), space(fe::make_space<1, ExecutionSpace, Dim>(exec, mesh)) {
    problem.depth = depth;
    physics::RegionData data;
    data.coefficient.assign(Dim, physics::Expression(1.5));
    data.source = physics::Expression(0.25);
    problem.regions.push_back(data);
    form = physics::make_uniform_form<ExecutionSpace, Dim, 1>(exec, mesh, space, problem);
    for (index_t n = 0; n < mesh.n_nodes(); ++n)
      host_nodal.push_back(scattered(n));
    nodal = array_of(exec, host_nodal);
  }
};

template <int Dim, class Elements, class Coordinates>
void vertices_of(const Elements& elements, const Coordinates& coordinates, index_t e, double (&p)[Dim + 1][Dim]) {
  for (int k = 0; k <= Dim; ++k)
    for (int d = 0; d < Dim; ++d)
      p[k][d] = coordinates(elements(e, k), d);
}

/// Vertices, midpoints of edges, points inside of elements, and points outside.
template <int Dim, class Elements, class Coordinates>
std::vector<std::array<double, 3>> points_of(const Elements& elements, const Coordinates& coordinates) {
  std::vector<std::array<double, 3>> points;
  for (index_t e = 0; e < static_cast<index_t>(elements.extent(0)); e += 7) {
    double p[Dim + 1][Dim];
    vertices_of<Dim>(elements, coordinates, e, p);
    std::array<double, 3> vertex{0., 0., 0.};
    std::array<double, 3> middle{0., 0., 0.};
    std::array<double, 3> inside{0., 0., 0.};
    for (int d = 0; d < Dim; ++d) {
      vertex[d] = p[e % (Dim + 1)][d];
      middle[d] = 0.5 * (p[e % (Dim + 1)][d] + p[(e + 1) % (Dim + 1)][d]);
      for (int k = 0; k <= Dim; ++k)
        inside[d] += (k + 1.) * 2. / ((Dim + 1.) * (Dim + 2.)) * p[k][d];
    }
    points.insert(points.end(), {vertex, middle, inside, {1.01 + e, 0.5, 0.5}, {-1e-6, 0.3, 0.5}});
  }
  return points;
}

template <int Dim, class ExecutionSpace>
void check_values(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells) {
  const Box<Dim, ExecutionSpace> box(exec, cells);
  const auto elements = to_host(exec, box.mesh.elements);
  const auto coordinates = to_host(exec, box.mesh.coordinates);
  const auto points = points_of<Dim>(elements, coordinates);
  const auto rows = physics::values_at(exec, box.form, box.nodal, points);
  const auto gradients = to_host(exec, physics::element_gradients(exec, box.form, box.nodal, 1.));
  REQUIRE(rows.size() == points.size());
  int n_inside = 0;
  int n_wrong = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    index_t holder = -1;
    double value = 0.;
    for (index_t e = 0; e < box.mesh.n_elements() && holder < 0; ++e) { // the first element that contains the point
      double p[Dim + 1][Dim];
      double gradient[Dim + 1][Dim];
      vertices_of<Dim>(elements, coordinates, e, p);
      fe::simplex_gradients(p, gradient);
      double lambda[Dim + 1];
      lambda[0] = 1.;
      for (int k = 1; k <= Dim; ++k) {
        lambda[k] = 0.;
        for (int d = 0; d < Dim; ++d)
          lambda[k] += gradient[k][d] * (points[i][d] - p[0][d]);
        lambda[0] -= lambda[k];
      }
      bool inside = true;
      value = 0.;
      for (int k = 0; k <= Dim; ++k) {
        inside = inside && lambda[k] >= -1e-9;
        value += lambda[k] * box.host_nodal[elements(e, k)];
      }
      if (inside)
        holder = e;
    }
    n_inside += holder >= 0 ? 1 : 0;
    if (holder < 0) {
      n_wrong += std::isnan(rows[i].value) && std::isnan(rows[i].field[0]) && rows[i].region < 0 ? 0 : 1;
      continue;
    }
    bool right = std::fabs(rows[i].value - value) < 1e-12;
    for (int d = 0; d < Dim; ++d) // the gradient of this element: those of neighbours differ
      right = right && rows[i].field[static_cast<std::size_t>(d)] == gradients(holder, d);
    n_wrong += right ? 0 : 1;
  }
  INFO(Dim << "D: " << n_inside << " of " << points.size() << " points in the mesh");
  CHECK(n_wrong == 0);
  CHECK(n_inside * 5 == static_cast<int>(points.size()) * 3);
}

/// Constraints on about half of the nodes; one of them has no nodes.
template <int Dim, class ExecutionSpace>
std::vector<group_t> constraints_of(const Box<Dim, ExecutionSpace>& box, int n_constraints) {
  std::vector<group_t> constraint;
  for (index_t n = 0; n < box.mesh.n_nodes(); ++n)
    constraint.push_back(scattered(3 * n + 1) < 0.
                             ? static_cast<group_t>(static_cast<std::uint32_t>(n) * 40503u % (n_constraints - 1))
                             : fe::DofMap<HostMemory>::unconstrained);
  return constraint;
}

template <int Dim, class ExecutionSpace>
void check_totals(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells) {
  const Box<Dim, ExecutionSpace> box(exec, cells);
  std::vector<int> n_kernels;
  for (const int n_constraints : {2, 50}) {
    INFO(n_constraints << " constraints, " << Dim << "D");
    const std::vector<group_t> constraint = constraints_of(box, n_constraints);
    const Array<const group_t*, ExecutionSpace> on_device = array_of(exec, constraint);
    std::vector<double> totals;
    {
      const LabelWatch watch;
      totals = physics::constraint_totals(exec, box.form, box.nodal, on_device, n_constraints);
      n_kernels.push_back(watch.n_kernels());
    }
    std::vector<double> expected(n_constraints, 0.);
    std::vector<double> magnitude(n_constraints, 0.);
    const auto form = box.form.to_host(exec);
    for (index_t e = 0; e < box.mesh.n_elements(); ++e) {
      index_t n[Dim + 1];
      double K[Dim + 1][Dim + 1];
      double f[Dim + 1];
      form.nodes(e, n);
      form.system(e, n, K, f);
      for (int a = 0; a <= Dim; ++a) {
        const group_t c = constraint[n[a]];
        if (c == fe::DofMap<HostMemory>::unconstrained)
          continue;
        double residual = -f[a];
        for (int b = 0; b <= Dim; ++b)
          residual += K[a][b] * box.host_nodal[n[b]];
        expected[c] += residual;
        magnitude[c] += std::fabs(residual);
      }
    }
    REQUIRE(totals.size() == expected.size());
    bool right = true;
    for (int c = 0; c < n_constraints; ++c)
      right = right && std::fabs(totals[c] - expected[c]) <= 1e-13 * magnitude[c];
    CHECK(right);
    CHECK(totals.back() == 0.); // it has no nodes
  }
  // Sorting takes another pass if there are many constraints.
  INFO(n_kernels[0] << " and " << n_kernels[1] << " kernels");
  CHECK(n_kernels[1] <= n_kernels[0] + 6);
}

/// The flux in each element is the coefficient, 1.5, times the gradient.
template <int Dim, class ExecutionSpace, class Form>
void check_fluxes(const ExecutionSpace& exec, const Box<Dim, ExecutionSpace>& box, const Form& form) {
  const auto gradients = to_host(exec, physics::element_gradients(exec, form, box.nodal, 1.));
  const auto fluxes = to_host(exec, physics::element_fluxes(exec, form, box.nodal, 1.));
  int n_wrong = 0;
  for (index_t e = 0; e < box.mesh.n_elements(); ++e)
    for (int d = 0; d < Dim; ++d) // division by the depth rounds
      n_wrong += std::fabs(fluxes(e, d) - 1.5 * gradients(e, d)) <= 1e-14 * std::fabs(gradients(e, d)) ? 0 : 1;
  CHECK(n_wrong == 0);
}

} // namespace

TEMPLATE_LIST_TEST_CASE("The depth of a planar problem is no part of its fluxes", "[physics][device]",
                        ExecutionSpaces) {
  const TestType exec;
  for (const double depth : {1., 0.3, 7.}) {
    const Box<2, TestType> box(exec, {9, 8}, depth);
    check_fluxes(exec, box, box.form);
    check_fluxes(exec, box, physics::make_general_form<TestType, 2, 1>(exec, box.mesh, box.space, box.problem));
  }
}

TEMPLATE_LIST_TEST_CASE("Values at points are those of the first element that holds them", "[physics][device]",
                        ExecutionSpaces) {
  check_values<2>(TestType(), {17, 14});
  check_values<3>(TestType(), {6, 5, 7});
}

TEMPLATE_LIST_TEST_CASE("Totals of many constraints are right, and take no more passes than those of few",
                        "[physics][device]", ExecutionSpaces) {
  check_totals<2>(TestType(), {31, 23});
  check_totals<3>(TestType(), {9, 8, 7});
}

TEMPLATE_LIST_TEST_CASE("No points have no values", "[physics]", ExecutionSpaces) {
  const TestType exec;
  const Box<2, TestType> box(exec, {3, 3});
  CHECK(physics::values_at(exec, box.form, box.nodal, {}).empty());
}

} // namespace tessera::test
