// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/forms/magnetic_problem.hpp"
#include "support/random_mesh.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <cstring>

namespace tessera::test {

namespace {

constexpr double pi = 3.14159265358979324;
const physics::BhTable steel = {{{0., 0.}, {150., 0.6}, {400., 1.1}, {2000., 1.5}, {12000., 1.8}, {60000., 2.1}}};

enum Region : group_t { air, magnet, iron, shell, n_regions };

physics::MagneticProblem make_magnetic(bool axisymmetric) {
  physics::MagneticProblem problem;
  problem.medium.axisymmetric = axisymmetric;
  problem.medium.depth = axisymmetric ? 1. : 0.3;
  problem.regions.resize(n_regions);
  for (int r = 0; r < n_regions; ++r) {
    physics::RegionData data;
    data.coefficient.assign(2, physics::Expression(r == magnet ? 1.05 : 1.));
    data.coefficient_factor = physics::vacuum_permeability;
    data.source = physics::Expression::parse(r == shell ? "0" : "1e6*(1 + x - y)");
    problem.medium.regions.push_back(data);
  }
  problem.regions[magnet].remanence = {0.4, -1.1};
  problem.regions[iron].curve = 0;
  problem.regions[shell].is_shell = true;
  problem.regions[shell].center = {0., -0.5};
  problem.regions[shell].inner_radius = 0.4;
  problem.regions[shell].outer_radius = 2.;
  problem.coils.push_back({"coil", 30., 40., {1., -1., 0., 0.}, ""});
  problem.curves = {steel};
  return problem;
}

/// The integrals of one element from first principles: A as a polynomial through its nodal values (r A in r^2 and z for
/// axisymmetric elements of order 1), mapped to the position
/// in space that a shell represents, differentiated numerically, and B by its definition. Shares with the form only the
/// points of the quadrature rule.
template <class HostForm, class HostPoints> struct Element {
  const HostForm& form;
  const HostPoints& points; // points of the nodes
  const physics::MagneticProblem& problem;
  index_t e;
  index_t n[HostForm::n_nodes];
  double length = 0.;

  Element(const HostForm& form_in, const HostPoints& points_in, const physics::MagneticProblem& problem_in,
          index_t e_in)
      : form(form_in), points(points_in), problem(problem_in), e(e_in) {
    form.nodes(e, n);
    length = std::hypot(points(n[1], 0) - points(n[0], 0), points(n[1], 1) - points(n[0], 1));
  }

  bool in_squares() const { return HostForm::order == 1 && problem.medium.axisymmetric; }

  /// Coefficients of 1, x, y, x^2, x y, y^2; for r A with x^2 instead of x.
  std::vector<double> polynomial(const double (&A)[HostForm::n_nodes]) const {
    constexpr int N = HostForm::n_nodes;
    double m[N][N + 1];
    for (int i = 0; i < N; ++i) {
      const double x = in_squares() ? points(n[i], 0) * points(n[i], 0) : points(n[i], 0);
      const double y = points(n[i], 1);
      const double powers[] = {1., x, y, x * x, x * y, y * y};
      for (int j = 0; j < N; ++j)
        m[i][j] = powers[j];
      m[i][N] = in_squares() ? points(n[i], 0) * A[i] : A[i];
    }
    for (int k = 0; k < N; ++k) {
      int pivot = k;
      for (int i = k; i < N; ++i)
        pivot = std::fabs(m[i][k]) > std::fabs(m[pivot][k]) ? i : pivot;
      std::swap(m[k], m[pivot]);
      for (int i = 0; i < N; ++i)
        if (i != k)
          for (int j = N; j >= k; --j)
            m[i][j] -= m[i][k] / m[k][k] * m[k][j];
    }
    std::vector<double> c(6, 0.);
    for (int k = 0; k < N; ++k)
      c[k] = m[k][N] / m[k][k];
    return c;
  }

  const physics::MagneticRegion& region() const { return problem.regions[form.medium.regions(e)]; }

  std::array<double, 2> place(double x, double y) const {
    if (!region().is_shell)
      return {x, y};
    const double dx = x - region().center[0];
    const double dy = y - region().center[1];
    const double R = std::hypot(dx, dy);
    const double X =
        region().inner_radius * (region().outer_radius - region().inner_radius) / (region().outer_radius - R);
    return {region().center[0] + dx * X / R, region().center[1] + dy * X / R};
  }

  double potential(const std::vector<double>& c, double x, double y) const {
    double value = in_squares() ? (c[0] + c[1] * x * x + c[2] * y) / x
                                : c[0] + c[1] * x + c[2] * y + c[3] * x * x + c[4] * x * y + c[5] * y * y;
    if (region().is_shell && problem.medium.axisymmetric) // r A is preserved by the map
      value *= x / place(x, y)[0];
    return value;
  }

  struct Local {
    double weight;
    double potential;
    double B[2];
    double H[2];
    double energy;
  };

  Local at(const std::vector<double>& c, int q) const {
    double lambda[3];
    double p[3][2];
    double weight = HostForm::volume_rule::point(q, lambda);
    double x = 0.;
    double y = 0.;
    for (int k = 0; k < 3; ++k) {
      p[k][0] = in_squares() ? points(n[k], 0) * points(n[k], 0) : points(n[k], 0);
      p[k][1] = points(n[k], 1);
      x += lambda[k] * p[k][0];
      y += lambda[k] * p[k][1];
    }
    weight *= 0.5 * std::fabs((p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]));
    if (in_squares()) { // d(r^2) = 2 r dr
      x = std::sqrt(x);
      weight /= 2. * x;
    }
    const double h = 1e-5 * length;
    double J[2][2];
    double g[2];
    for (int d = 0; d < 2; ++d) {
      const double dx = d == 0 ? h : 0.;
      const double dy = d == 1 ? h : 0.;
      g[d] = (potential(c, x + dx, y + dy) - potential(c, x - dx, y - dy)) / (2. * h);
      for (int i = 0; i < 2; ++i)
        J[i][d] = (place(x + dx, y + dy)[i] - place(x - dx, y - dy)[i]) / (2. * h);
    }
    const double det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
    const double gx = (J[1][1] * g[0] - J[1][0] * g[1]) / det;
    const double gy = (J[0][0] * g[1] - J[0][1] * g[0]) / det;
    const double r = place(x, y)[0];
    Local local;
    local.potential = potential(c, x, y);
    local.weight = weight * std::fabs(det) * (problem.medium.axisymmetric ? 2. * pi * r : problem.medium.depth);
    if (problem.medium.axisymmetric) {
      local.B[0] = -gy;
      local.B[1] = gx + local.potential / r;
    } else {
      local.B[0] = gy;
      local.B[1] = -gx;
    }
    if (region().curve >= 0) {
      const double b = std::hypot(local.B[0], local.B[1]);
      const auto strength = [&](double s) { return form.curves.reluctivity(0, s * s).nu * s; };
      local.energy = 0.;
      const int n_steps = 4000; // intervals of Simpson's rule
      for (int i = 0; i < n_steps; ++i) {
        const double s = b * i / n_steps;
        const double ds = b / n_steps;
        local.energy += ds / 6. * (strength(s) + 4. * strength(s + 0.5 * ds) + strength(s + ds));
      }
      for (int d = 0; d < 2; ++d)
        local.H[d] = strength(b) * local.B[d] / b;
    } else {
      const double mu =
          problem.medium.regions[form.medium.regions(e)].coefficient[0].value() * physics::vacuum_permeability;
      for (int d = 0; d < 2; ++d)
        local.H[d] = (local.B[d] - region().remanence[d]) / mu;
      local.energy = 0.5 * mu * (local.H[0] * local.H[0] + local.H[1] * local.H[1]);
    }
    return local;
  }

  double current(int q) const {
    double lambda[3];
    HostForm::volume_rule::point(q, lambda);
    double x = 0.;
    double y = 0.;
    for (int k = 0; k < 3; ++k) {
      x += lambda[k] * points(n[k], 0);
      y += lambda[k] * points(n[k], 1);
    }
    return region().is_shell ? 0. : 1e6 * (1. + x - y) + form.coil_density(form.medium.regions(e));
  }

  /// Energy, integral of H . B, and the functional that the solution minimises.
  std::array<double, 3> integrals(const double (&A)[HostForm::n_nodes]) const {
    const auto c = polynomial(A);
    std::array<double, 3> sums{0., 0., 0.};
    for (int q = 0; q < HostForm::volume_rule::n_points; ++q) {
      const Local local = at(c, q);
      sums[0] += local.weight * local.energy;
      sums[1] += local.weight * (local.H[0] * local.B[0] + local.H[1] * local.B[1]);
      sums[2] += local.weight * (local.energy - current(q) * local.potential);
    }
    return sums;
  }
};

double difference(double a, double b, double scale) { return std::fabs(a - b) / scale; }

template <int Order, class ExecutionSpace> void check_form(const ExecutionSpace& exec, bool axisymmetric) {
  auto mesh = random_box<2>(exec, {3, 4}, 5);
  std::vector<group_t> regions(mesh.n_elements());
  for (std::size_t i = 0; i < regions.size(); ++i)
    regions[i] = static_cast<group_t>(i % n_regions);
  mesh.regions = array_of(exec, regions);
  mesh.region_names = {"air", "magnet", "iron", "shell"};
  const auto space = fe::make_space<Order, ExecutionSpace, 2>(exec, mesh);
  const auto problem = make_magnetic(axisymmetric);
  const auto device_form = physics::make_magnetic_form<ExecutionSpace, Order>(
      exec, mesh, space, problem,
      physics::coil_densities<ExecutionSpace, Order>(exec, mesh, space, problem, {exec, mesh.n_elements()}));
  physics::interpolate<ExecutionSpace, 2>(
      exec, space.coordinates, physics::Expression::parse("0.6*x*(1 + y) + 0.5*x*sin(3*y)"), device_form.iterate);
  const auto form = device_form.to_host(exec);
  using HostForm = std::decay_t<decltype(form)>;
  constexpr int N = HostForm::n_nodes;
  const auto points = to_host(exec, space.coordinates);
  const auto residual = [&](index_t e, const index_t(&n)[N], const double(&A)[N], double(&R)[N]) {
    for (int a = 0; a < N; ++a)
      form.iterate(n[a]) = A[a];
    double K[N][N];
    double f[N];
    form.system(e, n, K, f);
    for (int a = 0; a < N; ++a) {
      R[a] = -f[a];
      for (int b = 0; b < N; ++b)
        R[a] += K[a][b] * A[b];
    }
  };
  for (index_t e = 0; e < form.n_elements(); ++e) {
    const Element<HostForm, decltype(points)> element(form, points, problem, e);
    const index_t(&n)[N] = element.n;
    INFO("region " << mesh.region_names[form.medium.regions(e)] << ", order " << Order << ", element " << e
                   << (axisymmetric ? ", axisymmetric" : ", planar"));
    double A[N];
    double d[N];
    for (int a = 0; a < N; ++a) {
      A[a] = form.iterate(n[a]);
      d[a] = 0.1 * std::cos(7. * n[a]);
    }
    const auto exact = element.integrals(A);
    const double scale = exact[0] + std::fabs(exact[1]);
    CHECK(difference(form.energy(e, n, A), exact[0], scale) < 1e-7);
    CHECK(difference(form.coenergy(e, n, A), exact[1] - exact[0], scale) < 1e-7);

    double K[N][N];
    double f[N];
    double R[N];
    form.system(e, n, K, f);
    residual(e, n, A, R);
    double largest = 0.;
    double slope = 0.;
    for (int a = 0; a < N; ++a) {
      for (int b = 0; b < N; ++b)
        largest = std::max(largest, std::fabs(K[a][b]));
      slope += R[a] * d[a];
    }
    CHECK(difference(form.slope(e, n, A, d), slope, largest) < 1e-12);
    for (int a = 0; a < N; ++a) {
      // The residual is the gradient of the functional, and K the derivative of the residual.
      const double h = 1e-4;
      double up[N];
      double down[N];
      double R_up[N];
      double R_down[N];
      std::memcpy(up, A, sizeof(A));
      std::memcpy(down, A, sizeof(A));
      up[a] += h;
      down[a] -= h;
      const double gradient = (element.integrals(up)[2] - element.integrals(down)[2]) / (2. * h);
      CHECK(difference(R[a], gradient, largest) < 2e-6);
      residual(e, n, up, R_up);
      residual(e, n, down, R_down);
      for (int b = 0; b < N; ++b) {
        INFO("entry " << a << ", " << b);
        CHECK(difference(K[b][a], (R_up[b] - R_down[b]) / (2. * h), largest) < 2e-5);
        form.iterate(n[b]) = A[b];
      }
    }
    for (int a = 0; a < N; ++a) {
      index_t row_nodes[N];
      double k[N];
      const double load = form.row(e, a, row_nodes, k);
      CHECK(std::memcmp(row_nodes, n, sizeof(row_nodes)) == 0);
      CHECK(std::memcmp(k, K[a], sizeof(k)) == 0);
      CHECK(std::memcmp(&load, &f[a], sizeof(load)) == 0);
    }
    // B at the quadrature points, at the position in space that a shell represents.
    const auto c = element.polynomial(A);
    for (int q = 0; q < HostForm::volume_rule::n_points; ++q) {
      double lambda[3];
      double B[2];
      HostForm::volume_rule::point(q, lambda);
      form.flux_density(e, n, lambda, A, B);
      const auto local = element.at(c, q);
      const double size = std::hypot(local.B[0], local.B[1]);
      CHECK(difference(B[0], local.B[0], size) < 1e-7);
      CHECK(difference(B[1], local.B[1], size) < 1e-7);
      double x[2] = {0., 0.};
      for (int d = 0; d < 2; ++d)
        for (int k = 0; k < 3; ++k)
          x[d] += lambda[k] * form.coordinates(n[k], d);
      form.field_strength(e, x, B);
      const double strength = std::hypot(local.H[0], local.H[1]);
      CHECK(difference(B[0], local.H[0], strength) < 1e-6);
      CHECK(difference(B[1], local.H[1], strength) < 1e-6);
    }
  }
}

} // namespace

TEMPLATE_LIST_TEST_CASE("The magnetic form is the derivative of the energy", "[physics][device]", ExecutionSpaces) {
  const TestType exec;
  check_form<1>(exec, false);
  check_form<2>(exec, false);
  check_form<1>(exec, true);
  check_form<2>(exec, true);
}

TEMPLATE_LIST_TEST_CASE("Uniform fields and constant fluxes of linear elements leave no residual", "[physics][device]",
                        ExecutionSpaces) {
  // A = B r / 2 + C / r; the second term has no field; C = 0 if the mesh touches the axis.
  const TestType exec;
  for (const double shift : {0., 0.5}) {
    auto mesh = random_box<2>(exec, {5, 6}, 6);
    const auto moved = to_host(exec, mesh.coordinates);
    for (index_t node = 0; node < mesh.n_nodes(); ++node)
      moved(node, 0) += shift;
    Kokkos::deep_copy(exec, mesh.coordinates, moved);
    const auto space = fe::make_space<1, TestType, 2>(exec, mesh);
    physics::MagneticProblem problem;
    problem.medium.axisymmetric = true;
    problem.regions.resize(1);
    physics::RegionData data;
    data.coefficient.assign(2, physics::Expression(1.));
    problem.medium.regions.push_back(data);
    const auto form = physics::make_magnetic_form<TestType, 1>(exec, mesh, space, problem, {}).to_host(exec);
    const auto points = to_host(exec, space.coordinates);
    const auto potential = [&](index_t node) {
      const double r = points(node, 0);
      return 0.5 * r + (shift > 0. ? 3. / r : 0.);
    };
    std::vector<double> residual(mesh.n_nodes(), 0.);
    std::vector<double> magnitude(mesh.n_nodes(), 0.);
    for (index_t e = 0; e < form.n_elements(); ++e) {
      index_t n[3];
      double K[3][3];
      double f[3];
      form.nodes(e, n);
      form.system(e, n, K, f);
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) {
          residual[n[a]] += K[a][b] * potential(n[b]);
          magnitude[n[a]] += std::fabs(K[a][b] * potential(n[b]));
        }
      double B[2];
      const double A[3] = {potential(n[0]), potential(n[1]), potential(n[2])};
      for (const double lambda : {1. / 3., 1.}) { // the second one may lie on the axis
        const double rest = 0.5 * (1. - lambda);
        form.flux_density(e, n, {lambda, rest, rest}, A, B);
        CHECK(std::fabs(B[0]) < 1e-12);
        CHECK(std::fabs(B[1] - 1.) < 1e-12);
      }
    }
    int n_inner = 0;
    for (index_t node = 0; node < mesh.n_nodes(); ++node) {
      const double x = points(node, 0) - shift;
      const double y = points(node, 1);
      if (x == 0. || x == 1. || y == 0. || y == 1.)
        continue;
      ++n_inner;
      CHECK(std::fabs(residual[node]) < 1e-13 * magnitude[node]);
    }
    CHECK(n_inner == 20);
  }
}

} // namespace tessera::test
