// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "physics/fields/body_weights.hpp"
#include "physics/fields/derived.hpp"
#include "physics/forms/diffusion_problem.hpp"
#include "physics/forms/magnetic_problem.hpp"
#include "support/bulged_box.hpp"
#include "support/is_near.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

namespace tessera::test {

namespace {

// Difference quotients of energies with a step of 1e-5 elements have an error of 1e-10 from the third derivative, and
// of
// 1e-16 / 1e-6 from rounding.
constexpr double step = 1e-6;
constexpr double tolerance = 1e-8;

template <class ExecutionSpace, int Dim> using MeshOf = mesh::Mesh<Dim, typename ExecutionSpace::memory_space>;

/// A box with a body inside: the elements whose centre is within 0.2 of (0.45, 0.5, 0.5) in each direction.
template <class ExecutionSpace, int Dim> MeshOf<ExecutionSpace, Dim> box_with_body(const ExecutionSpace& exec) {
  std::array<index_t, Dim> cells;
  cells.fill(Dim == 2 ? 9 : 8); // two surrounding layers of elements
  auto mesh = random_box<Dim>(exec, cells, 7);
  const auto elements = to_host(exec, mesh.elements);
  const auto coordinates = to_host(exec, mesh.coordinates);
  std::vector<group_t> regions(static_cast<std::size_t>(mesh.n_elements()));
  for (index_t e = 0; e < mesh.n_elements(); ++e) {
    bool is_inside = true;
    for (int d = 0; d < Dim; ++d) {
      double centre = 0.;
      for (int a = 0; a <= Dim; ++a)
        centre += coordinates(elements(e, a), d) / (Dim + 1);
      is_inside = is_inside && std::fabs(centre - (d == 0 ? 0.45 : 0.5)) < 0.2;
    }
    regions[static_cast<std::size_t>(e)] = is_inside ? 1 : 0;
  }
  mesh.regions = array_of(exec, regions);
  mesh.region_names = {"air", "body"};
  return mesh;
}

/// The mesh with vertex n at x + weight(n) move(x).
template <class ExecutionSpace, int Dim>
MeshOf<ExecutionSpace, Dim> moved(const ExecutionSpace& exec, const MeshOf<ExecutionSpace, Dim>& mesh,
                                  const Array<double*, ExecutionSpace>& weight,
                                  const std::function<std::array<double, 3>(const std::array<double, 3>&)>& move) {
  auto result = mesh;
  const auto weights = to_host(exec, weight);
  const auto coordinates = to_host(exec, mesh.coordinates);
  for (index_t n = 0; n < mesh.n_nodes(); ++n) {
    std::array<double, 3> x{};
    for (int d = 0; d < Dim; ++d)
      x[static_cast<std::size_t>(d)] = coordinates(n, d);
    const std::array<double, 3> by = move(x);
    for (int d = 0; d < Dim; ++d)
      coordinates(n, d) += weights(n) * by[static_cast<std::size_t>(d)];
  }
  result.coordinates = make_array<decltype(result.coordinates)>(exec, "test::coordinates", mesh.n_nodes());
  Kokkos::deep_copy(exec, result.coordinates, coordinates);
  exec.fence();
  return result;
}

template <class ExecutionSpace> Array<const double*, ExecutionSpace> any_values(const ExecutionSpace& exec, index_t n) {
  std::vector<double> values;
  for (index_t i = 0; i < n; ++i)
    values.push_back(std::sin(1.3 * i) + 0.2 * std::cos(0.1 * i));
  return array_of(exec, values);
}

enum class Which { all, forces, axial_force };

/// Compares forces and torques, for any nodal values, with `sign` times difference quotients of energies on moved
/// meshes.
template <int Dim, class ExecutionSpace, class MakeForm>
void check_virtual_work(const ExecutionSpace& exec, const MakeForm& make_form, double sign, Which which) {
  const bool axial = which == Which::axial_force;
  const auto mesh = box_with_body<ExecutionSpace, Dim>(exec);
  const physics::BodyGroups body{{false, true}, std::vector<bool>(mesh.boundary_names.size(), false)};
  const auto weights = physics::make_body_weights<ExecutionSpace, Dim>(
      exec, mesh, body, {std::vector<bool>(mesh.boundary_names.size(), true), {}, false});
  REQUIRE(weights.is_wide);
  REQUIRE(weights.layer_regions == std::vector<bool>{true, false});
  const auto form = make_form(mesh);
  const auto nodal = any_values(exec, 20000);
  const std::array<double, 3> about{0.2, -0.3, 0.1};
  for (const bool is_wide : {false, true}) {
    const Array<double*, ExecutionSpace> weight = is_wide ? weights.wide : weights.narrow;
    const physics::BodyLoad load =
        physics::body_load(exec, form, nodal, Array<const double*, ExecutionSpace>(weight), about);
    const auto slope = [&](const std::function<std::array<double, 3>(const std::array<double, 3>&)>& direction) {
      double energies[2];
      for (const int side : {0, 1}) {
        const auto there = moved<ExecutionSpace, Dim>(exec, mesh, weight, [&](const std::array<double, 3>& x) {
          auto by = direction(x);
          for (double& b : by)
            b *= side == 0 ? -step : step;
          return by;
        });
        energies[side] = physics::field_energy(exec, make_form(there), nodal);
      }
      return sign * (energies[1] - energies[0]) / (2. * step);
    };
    const double scale = physics::field_energy(exec, form, nodal);
    CAPTURE(Dim, is_wide, scale, load.force[0], load.force[1], load.torque[2]);
    for (int d = axial ? 1 : 0; d < (axial ? 2 : Dim); ++d)
      CHECK(std::fabs(load.force[static_cast<std::size_t>(d)] - slope([&](const auto&) {
                        std::array<double, 3> by{};
                        by[static_cast<std::size_t>(d)] = 1.;
                        return by;
                      })) <= tolerance * scale);
    CHECK(std::fabs(load.force[1]) > 1e-3 * scale); // the force is not negligible
    for (int d = Dim == 2 ? 2 : 0; d < 3 && which == Which::all; ++d)
      CHECK(std::fabs(load.torque[static_cast<std::size_t>(d)] - slope([&](const std::array<double, 3>& x) {
                        const auto i = static_cast<std::size_t>((d + 1) % 3);
                        const auto j = static_cast<std::size_t>((d + 2) % 3);
                        std::array<double, 3> by{}; // the axis of direction d, cross product with (x - about)
                        by[i] = -(x[j] - about[j]);
                        by[j] = x[i] - about[i];
                        return by;
                      })) <= tolerance * scale);
  }
}

physics::DiffusionProblem two_materials(int dimension) {
  physics::DiffusionProblem problem;
  problem.depth = dimension == 2 ? 0.7 : 1.;
  for (const double coefficient : {1.5, 4.}) {
    physics::RegionData data;
    data.coefficient.assign(static_cast<std::size_t>(dimension), physics::Expression(coefficient));
    problem.regions.push_back(data);
  }
  return problem;
}

template <int Dim, int Order, class ExecutionSpace>
void check_electrostatics(const ExecutionSpace& exec, bool by_quadrature, bool axisymmetric) {
  auto problem = two_materials(Dim);
  problem.axisymmetric = axisymmetric;
  const auto general = [&](const auto& mesh) {
    return physics::make_general_form<ExecutionSpace, Dim, Order>(
        exec, mesh, fe::make_space<Order, ExecutionSpace, Dim>(exec, mesh), problem);
  };
  const auto uniform = [&](const auto& mesh) {
    return physics::make_uniform_form<ExecutionSpace, Dim, Order>(
        exec, mesh, fe::make_space<Order, ExecutionSpace, Dim>(exec, mesh), problem);
  };
  if (by_quadrature)
    check_virtual_work<Dim>(exec, general, 1., axisymmetric ? Which::axial_force : Which::all);
  else
    check_virtual_work<Dim>(exec, uniform, 1., axisymmetric ? Which::axial_force : Which::all);
}

/// The curved side of a box as a body: its torque about the origin is the derivative of the discrete energy when it
/// rotates; the node of an edge moves with the middle of the chord and with the edge's curvature.
template <int Dim, class ExecutionSpace> void check_torque_of_curved_side(const ExecutionSpace& exec) {
  std::array<index_t, Dim> cells;
  cells.fill(5);
  const auto mesh = bulged_box<Dim>(exec, cells, 7, 0.4);
  physics::BodyGroups body{{false}, std::vector<bool>(mesh.boundary_names.size(), false)};
  body.boundaries[1] = true; // the curved side
  const auto weights = physics::make_body_weights<ExecutionSpace, Dim>(
      exec, mesh, body, {std::vector<bool>(mesh.boundary_names.size(), false), {}, false});
  auto problem = two_materials(Dim);
  problem.regions.resize(1);
  const auto space = fe::make_space<2, ExecutionSpace, Dim>(exec, mesh);
  REQUIRE(space.curved_elements.extent(0) > 0);
  const auto nodal = any_values(exec, space.n_nodes());
  const auto weight = to_host(exec, weights.narrow);
  const auto x = to_host(exec, space.coordinates);
  const auto nodes = to_host(exec, space.element_nodes);
  const auto energy_after = [&](int axis, double angle) {
    std::vector<double> moved(x.data(), x.data() + x.size());
    const auto turn = [&](index_t n, double share, const std::array<double, 3>& arm) {
      const auto move = [&](int d, double by) {
        if (d < Dim)
          moved[static_cast<std::size_t>(n) * Dim + static_cast<std::size_t>(d)] += share * angle * by;
      };
      move((axis + 1) % 3, -arm[static_cast<std::size_t>((axis + 2) % 3)]);
      move((axis + 2) % 3, arm[static_cast<std::size_t>((axis + 1) % 3)]);
    };
    const auto place = [&](index_t n) {
      std::array<double, 3> p{};
      for (int d = 0; d < Dim; ++d)
        p[static_cast<std::size_t>(d)] = x(n, d);
      return p;
    };
    std::set<index_t> done;
    for (index_t e = 0; e < space.n_elements(); ++e)
      for (int a = 0; a < fe::Lagrange<Dim, 2>::n_nodes; ++a) {
        const index_t n = nodes(e, a);
        if (!done.insert(n).second)
          continue;
        if (a <= Dim) {
          turn(n, weight(n), place(n));
          continue;
        }
        using Simplex = mesh::Simplex<Dim>;
        const index_t k = nodes(e, Simplex::edge_begin(a - Dim - 1));
        const index_t l = nodes(e, Simplex::edge_end(a - Dim - 1));
        std::array<double, 3> bend = place(n);
        for (std::size_t d = 0; d < 3; ++d)
          bend[d] -= 0.5 * (place(k)[d] + place(l)[d]);
        turn(n, 0.5 * weight(k), place(k));
        turn(n, 0.5 * weight(l), place(l));
        turn(n, 0.5 * (weight(k) + weight(l)), bend);
      }
    auto turned = space;
    turned.coordinates = make_array<decltype(turned.coordinates)>(exec, "test::coordinates", space.n_nodes());
    Kokkos::deep_copy(
        exec,
        Array<double*, typename ExecutionSpace::memory_space>(turned.coordinates.data(), turned.coordinates.size()),
        array_of(exec, moved));
    exec.fence();
    const auto form = physics::make_general_form<ExecutionSpace, Dim, 2>(exec, mesh, turned, problem);
    return physics::field_energy(exec, form, nodal);
  };
  const auto form = physics::make_general_form<ExecutionSpace, Dim, 2>(exec, mesh, space, problem);
  const auto load =
      physics::body_load(exec, form, nodal, Array<const double*, ExecutionSpace>(weights.narrow), {0., 0., 0.});
  const double scale = physics::field_energy(exec, form, nodal);
  for (int axis = Dim == 2 ? 2 : 0; axis < 3; ++axis) {
    const double slope = (energy_after(axis, step) - energy_after(axis, -step)) / (2. * step);
    CAPTURE(Dim, axis, slope, scale);
    CHECK(std::fabs(load.torque[static_cast<std::size_t>(axis)] - slope) <= tolerance * scale);
    CHECK(std::fabs(slope) > 1e-3 * scale);
  }
}

template <int Order, class ExecutionSpace>
void check_magnetostatics(const ExecutionSpace& exec, bool axisymmetric, bool with_magnet) {
  physics::MagneticProblem problem;
  problem.medium = two_materials(2);
  problem.medium.axisymmetric = axisymmetric;
  problem.regions.resize(2);
  if (with_magnet) // in the body; it does not rotate with the mesh
    problem.regions[1].remanence = {0.3, 0.5};
  const auto make_form = [&](const auto& mesh) {
    return physics::make_magnetic_form<ExecutionSpace, Order>(
        exec, mesh, fe::make_space<Order, ExecutionSpace, 2>(exec, mesh), problem, {});
  };
  check_virtual_work<2>(exec, make_form, -1., // at fixed fluxes
                        axisymmetric  ? Which::axial_force
                        : with_magnet ? Which::forces
                                      : Which::all);
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Forces are the derivatives of the discrete energy when a body moves", "[physics][device]",
                        ExecutionSpaces) {
  const TestType exec;
  for (const bool by_quadrature : {false, true}) {
    check_electrostatics<2, 1>(exec, by_quadrature, false);
    check_electrostatics<2, 2>(exec, by_quadrature, false);
    check_electrostatics<3, 1>(exec, by_quadrature, false);
    check_electrostatics<3, 2>(exec, by_quadrature, false);
  }
  check_electrostatics<2, 1>(exec, true, true);
  check_electrostatics<2, 2>(exec, true, true);
  for (const bool with_magnet : {false, true}) {
    check_magnetostatics<1>(exec, false, with_magnet);
    check_magnetostatics<2>(exec, false, with_magnet);
    check_magnetostatics<2>(exec, true, with_magnet);
  }
  check_torque_of_curved_side<2>(exec);
  check_torque_of_curved_side<3>(exec);
}

TEMPLATE_LIST_TEST_CASE("The second layer of a body's weights ends at other regions, conditions and the outside",
                        "[physics]", ExecutionSpaces) {
  const TestType exec;
  using Sets = std::map<double, std::set<double>>; // wide weights of the vertices by x
  const auto weights_of = [&](const MeshOf<TestType, 2>& mesh, bool stops, const std::vector<int>& media = {}) {
    physics::BodyGroups body{std::vector<bool>(mesh.region_names.size(), false), std::vector<bool>(4, false)};
    body.boundaries[0] = true; // the left side
    return physics::make_body_weights<TestType, 2>(exec, mesh, body,
                                                   {{stops, stops, false, false}, media, false}); // left and right
  };
  const auto sets_of = [&](const MeshOf<TestType, 2>& mesh, const auto& weights) {
    Sets by_x;
    const auto wide = to_host(exec, weights.wide);
    const auto narrow = to_host(exec, weights.narrow);
    const auto coordinates = to_host(exec, mesh.coordinates);
    for (index_t n = 0; n < mesh.n_nodes(); ++n) {
      by_x[coordinates(n, 0)].insert(wide(n));
      CHECK(narrow(n) == (coordinates(n, 0) == 0. ? 1. : 0.));
    }
    return by_x;
  };
  const Sets two_layers{{0., {1.}}, {0.25, {0.5}}, {0.5, {0.}}, {0.75, {0.}}, {1., {0.}}};
  auto box = unit_box<2>(exec, {4, 3});
  for (const bool stops : {false, true}) { // the body extends to the lower and upper side, which do not limit the
                                           // layers
    const auto weights = weights_of(box, stops);
    CHECK(weights.is_wide);
    CHECK(weights.met_boundaries == std::vector<bool>(4, false));
    CHECK(sets_of(box, weights) == two_layers);
    const auto thin = unit_box<2>(exec, {1, 6});
    const auto single = weights_of(thin, stops);
    CHECK_FALSE(single.is_wide);
    CHECK(single.met_boundaries == std::vector<bool>{false, stops, false, false});
    CHECK(single.meets_outside);
    CHECK(single.meets_at[0] == 1.);
    CHECK(is_near(single.meets_at[1], 1. / 3.));
    CHECK(sets_of(thin, single) == Sets{{0., {1.}}, {1., {0., 0.5}}}); // 1/2 at both corners and next to them
  }
  // Another region from x = 0.25 on, in the upper two thirds.
  const auto elements = to_host(exec, box.elements);
  const auto coordinates = to_host(exec, box.coordinates);
  std::vector<group_t> regions;
  for (index_t e = 0; e < box.n_elements(); ++e) {
    double x = 0., y = 0.;
    for (int a = 0; a < 3; ++a) {
      x += coordinates(elements(e, a), 0) / 3.;
      y += coordinates(elements(e, a), 1) / 3.;
    }
    regions.push_back(x > 0.25 && y > 1. / 3. ? 1 : 0);
  }
  box.regions = array_of(exec, regions);
  box.region_names = {"domain", "other"};
  const auto touching = weights_of(box, true);
  CHECK_FALSE(touching.is_wide); // although the lower third has two layers
  CHECK(touching.met_regions == std::vector<bool>{false, true});
  CHECK(touching.met_boundaries == std::vector<bool>(4, false));
  CHECK_FALSE(touching.meets_outside);
  CHECK(touching.meets_at[0] == 0.25);
  CHECK(is_near(touching.meets_at[1], 1. / 3.));
  CHECK(sets_of(box, touching) == Sets{{0., {1.}}, {0.25, {0., 0.5}}, {0.5, {0.}}, {0.75, {0.}}, {1., {0.}}});
  CHECK(touching.layer_regions == std::vector<bool>{true, false});
  const auto same_medium = weights_of(box, true, {0, 0});
  CHECK(same_medium.is_wide);
  CHECK(same_medium.layer_regions == std::vector<bool>{true, true});
  CHECK(sets_of(box, same_medium) == two_layers);
}

TEMPLATE_LIST_TEST_CASE("The axis of symmetry does not end the layers around a body", "[physics]", ExecutionSpaces) {
  const TestType exec;
  const auto mesh = unit_box<2>(exec, {1, 6});
  const physics::BodyGroups right{std::vector<bool>(mesh.region_names.size(), false), {false, true, false, false}};
  for (const bool has_axis : {false, true})
    CHECK(physics::make_body_weights<TestType, 2>(exec, mesh, right, {std::vector<bool>(4, false), {}, has_axis})
              .is_wide == has_axis);
}

TEMPLATE_LIST_TEST_CASE("The weights of a body at one of two periodic sides are periodic", "[physics]",
                        ExecutionSpaces) {
  const TestType exec;
  auto mesh = unit_box<2>(exec, {8, 3});
  const auto coordinates = to_host(exec, mesh.coordinates);
  std::vector<index_t> sources; // opposite values, as at an antiperiodic boundary
  for (index_t n = 0; n < mesh.n_nodes(); ++n) {
    index_t source = n;
    for (index_t m = 0; m < mesh.n_nodes() && coordinates(n, 0) == 1.; ++m)
      if (coordinates(m, 0) == 0. && coordinates(m, 1) == coordinates(n, 1))
        source = ~m;
    sources.push_back(source);
  }
  const Array<const index_t*, TestType> node_source = array_of(exec, sources);
  physics::BodyGroups body{std::vector<bool>(mesh.region_names.size(), false), std::vector<bool>(4, false)};
  const std::vector<bool> stops(4, false);
  for (const std::size_t side : {0, 1}) { // left, right
    body.boundaries = {side == 0, side == 1, false, false};
    const auto weights = physics::make_body_weights<TestType, 2>(exec, mesh, body, {stops, {}, false}, node_source);
    CHECK(weights.is_periodic);
    const auto narrow = to_host(exec, weights.narrow);
    const auto wide = to_host(exec, weights.wide);
    for (index_t n = 0; n < mesh.n_nodes(); ++n) {
      const double distance = std::min(coordinates(n, 0), 1. - coordinates(n, 0));
      CHECK(narrow(n) == (distance == 0. ? 1. : 0.));
      CHECK(wide(n) == (distance == 0. ? 1. : distance == 0.125 ? 0.5 : 0.));
    }
  }
  body.boundaries = {false, false, true, false};
  CHECK_FALSE(physics::make_body_weights<TestType, 2>(exec, mesh, body, {stops, {}, false}).is_periodic);

  // A triangle next to the right side; only its first layer extends to that side.
  const auto elements = to_host(exec, mesh.elements);
  std::vector<group_t> regions;
  for (index_t e = 0; e < mesh.n_elements(); ++e) {
    double x = 0., y = 0., most = 0.;
    for (int a = 0; a < 3; ++a) {
      x += coordinates(elements(e, a), 0) / 3.;
      y += coordinates(elements(e, a), 1) / 3.;
      most = std::max(most, coordinates(elements(e, a), 0));
    }
    regions.push_back(most == 0.875 && x > 0.8 && y < 1. / 3. ? 1 : 0);
  }
  REQUIRE(std::count(regions.begin(), regions.end(), 1) == 1);
  mesh.regions = array_of(exec, regions);
  mesh.region_names = {"domain", "body"};
  const physics::BodyGroups triangle{{false, true}, std::vector<bool>(4, false)};
  const auto weights = physics::make_body_weights<TestType, 2>(exec, mesh, triangle, {stops, {}, false}, node_source);
  const auto wide = to_host(exec, weights.wide);
  int n_halves = 0;
  for (index_t n = 0; n < mesh.n_nodes(); ++n) {
    const index_t source = sources[static_cast<std::size_t>(n)];
    CHECK(wide(n) == wide(source < 0 ? ~source : source));
    n_halves += source < 0 && wide(n) == 0.5 ? 1 : 0;
  }
  CHECK(n_halves == 3);
}

} // namespace tessera::test
