// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "fe/dofs/dof_map.hpp"
#include "periodic_pairs.hpp"
#include "random_mesh.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>

using Catch::Matchers::ContainsSubstring;
namespace fe = tessera::fe;
using tessera::group_t;
using tessera::index_t;
using tessera::test::pair_of;
using tessera::test::random_box;

namespace {

enum Side : group_t { left, right, bottom, top, back, front };
constexpr double pi = 3.14159265358979323846;

fe::Constraint fixed(group_t group) {
  fe::Constraint constraint;
  constraint.group = group;
  return constraint;
}

/// The dof map of a mesh on the host, with the positions of its nodes.
struct Numbered {
  fe::DofMap<tessera::HostMemory> dofs;
  std::vector<std::array<double, 3>> x;
};

template <int Order, int Dim, class ExecutionSpace>
Numbered number(const ExecutionSpace& exec, const tessera::mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                const std::vector<fe::PeriodicPair>& pairs, const std::vector<fe::Constraint>& constraints = {}) {
  const auto space = fe::make_space<Order, ExecutionSpace, Dim>(exec, mesh);
  const auto classes = fe::identify_nodes<ExecutionSpace, Dim, Order>(exec, mesh, space, pairs);
  Numbered result;
  result.dofs = fe::to_host(exec, fe::number_dofs<ExecutionSpace, Dim, Order>(exec, mesh, space, constraints, classes));
  const auto coordinates = tessera::to_host(exec, space.coordinates);
  for (index_t n = 0; n < space.n_nodes(); ++n) {
    result.x.push_back({0., 0., 0.});
    for (int d = 0; d < Dim; ++d)
      result.x.back()[static_cast<std::size_t>(d)] = coordinates(n, d);
  }
  return result;
}

int sign_of(const Numbered& numbered, std::size_t n) {
  return numbered.dofs.node_sign.extent(0) > 0 ? numbered.dofs.node_sign(n) : 1;
}

/// Checks all pairs: nodes share an unknown exactly if `same(x, y)` is not 0, and its value is then the sign between
/// them.
template <class Same> void check_all_pairs(const Numbered& numbered, const Same& same) {
  int n_wrong = 0;
  for (std::size_t i = 0; i < numbered.x.size(); ++i)
    for (std::size_t j = 0; j < numbered.x.size(); ++j) {
      const int expected = i == j ? 1 : same(numbered.x[i], numbered.x[j]);
      const bool is_same = numbered.dofs.node_dof(i) == numbered.dofs.node_dof(j);
      n_wrong += is_same != (expected != 0) ? 1 : 0;
      if (is_same && expected != 0)
        n_wrong += sign_of(numbered, i) * sign_of(numbered, j) != expected ? 1 : 0;
    }
  CHECK(n_wrong == 0);
}

/// -1, 0 or 1 when two coordinates differ by that many periods; 2 otherwise.
int periods(double x, double y) {
  const double n = x - y;
  return std::fabs(n - std::round(n)) < 1e-9 && std::fabs(n) < 1.5 ? static_cast<int>(std::round(n)) : 2;
}

/// The unit box bent to a sector: x is the angle from 0 to `angle`, y the radius from `inner` to inner + 1.
template <class ExecutionSpace>
auto sector(const ExecutionSpace& exec, double angle, double inner, double start = 0.3) {
  auto mesh = random_box<2>(exec, {5, 4}, 3);
  const auto coordinates = tessera::to_host(exec, mesh.coordinates);
  for (index_t n = 0; n < mesh.n_nodes(); ++n) {
    const double phi = start + angle * coordinates(n, 0);
    const double r = inner + std::pow(coordinates(n, 1), 1.5);
    coordinates(n, 0) = 2. + r * std::cos(phi);
    coordinates(n, 1) = -1. + r * std::sin(phi);
  }
  Kokkos::deep_copy(exec, mesh.coordinates, coordinates);
  exec.fence();
  return mesh;
}

template <class Work> std::string message_of(const Work& work) {
  try {
    work();
  } catch (const tessera::Error& error) {
    return error.what();
  }
  return "no error";
}

template <int Dim, int Order, class ExecutionSpace>
void check_box(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells, bool anti_x, bool anti_y) {
  const auto mesh = random_box<Dim>(exec, cells, 5);
  const auto numbered = number<Order, Dim>(exec, mesh, {pair_of(left, right, anti_x), pair_of(top, bottom, anti_y)});
  CHECK((numbered.dofs.node_sign.extent(0) > 0) == (anti_x || anti_y));
  check_all_pairs(numbered, [&](const std::array<double, 3>& x, const std::array<double, 3>& y) {
    const int i = periods(x[0], y[0]);
    const int j = periods(x[1], y[1]);
    if (i == 2 || j == 2 || std::fabs(x[2] - y[2]) > 1e-9)
      return 0;
    return (anti_x && i != 0 ? -1 : 1) * (anti_y && j != 0 ? -1 : 1);
  });
}

} // namespace

TEMPLATE_LIST_TEST_CASE("identified nodes take the value of a node that has the last of their constraints", "[fe]",
                        tessera::test::ExecutionSpaces) {
  const TestType exec;
  const auto mesh = random_box<2>(exec, {6, 5}, 5);
  for (const group_t last : {left, right}) { // the lower-numbered nodes of all pairs may lie on one side
    const auto numbered =
        number<1, 2>(exec, mesh, {pair_of(left, right)}, {fixed(last == left ? right : left), fixed(last)});
    int n_bound = 0;
    for (std::size_t n = 0; n < numbered.x.size(); ++n) {
      if (numbered.dofs.node_constraint(n) == fe::DofMap<tessera::HostMemory>::unconstrained)
        continue;
      ++n_bound;
      CHECK(numbered.dofs.node_constraint(n) == 1);
      CHECK(numbered.x[static_cast<std::size_t>(numbered.dofs.node_source(n))][0] == (last == left ? 0. : 1.));
    }
    CHECK(n_bound == 2 * 6);
  }
}

TEMPLATE_LIST_TEST_CASE("opposite sides of boxes are identified, corners through chains", "[fe]",
                        tessera::test::ExecutionSpaces) {
  const TestType exec;
  for (const bool anti_x : {false, true})
    for (const bool anti_y : {false, true}) {
      check_box<2, 1>(exec, {7, 5}, anti_x, anti_y);
      check_box<2, 2>(exec, {4, 3}, anti_x, anti_y);
      check_box<3, 1>(exec, {3, 4, 2}, anti_x, anti_y);
      check_box<3, 2>(exec, {2, 3, 2}, anti_x, anti_y);
    }
  check_box<2, 2>(exec, {1, 1}, false, false); // the same unknown occurs several times in one element
}

TEMPLATE_LIST_TEST_CASE("sides of a sector are identified by rotation", "[fe]", tessera::test::ExecutionSpaces) {
  const TestType exec;
  for (const double angle : {pi / 4., pi / 2., 0.9 * pi, -pi / 3.}) { // negative: inverted elements do not matter
    const auto mesh = sector(exec, angle, 0.5);
    const auto same = [&](const std::array<double, 3>& x, const std::array<double, 3>& y) {
      if (std::fabs(std::hypot(x[0] - 2., x[1] + 1.) - std::hypot(y[0] - 2., y[1] + 1.)) > 1e-9)
        return 0;
      const double d = std::remainder(std::atan2(x[1] + 1., x[0] - 2.) - std::atan2(y[1] + 1., y[0] - 2.), 2. * pi);
      return std::fabs(std::fabs(d) - std::fabs(angle)) < 1e-9 ? -1 : 0;
    };
    fe::PeriodicPair explicit_pair = pair_of(left, right, true);
    explicit_pair.map = fe::PeriodicPair::Map::rotation;
    explicit_pair.angle = angle;
    explicit_pair.center = {2., -1.};
    check_all_pairs(number<1, 2>(exec, mesh, {pair_of(left, right, true)}), same);
    check_all_pairs(number<2, 2>(exec, mesh, {pair_of(right, left, true)}), same);
    check_all_pairs(number<1, 2>(exec, mesh, {explicit_pair}), same);
  }
}

TEMPLATE_LIST_TEST_CASE("a half turn needs to be given", "[fe]", tessera::test::ExecutionSpaces) {
  const TestType exec;
  const auto mesh = sector(exec, pi, 0.5);
  CHECK_THAT(message_of([&] { number<1, 2>(exec, mesh, {pair_of(left, right)}); }),
             ContainsSubstring("'first' and 'second' lie on one line") && ContainsSubstring("rotation: 180"));
  fe::PeriodicPair pair = pair_of(left, right, true);
  pair.map = fe::PeriodicPair::Map::rotation;
  pair.angle = pi;
  pair.center = {2., -1.};
  const auto numbered = number<1, 2>(exec, mesh, {pair});
  CHECK(numbered.dofs.n_free == static_cast<index_t>(numbered.x.size()) - 5);
}

TEMPLATE_LIST_TEST_CASE("constraints hold for all identified nodes, with their signs", "[fe]",
                        tessera::test::ExecutionSpaces) {
  const TestType exec;
  // If only the left side is listed, a corner of the bottom is the only fixed node of its class.
  const auto mesh = random_box<2>(exec, {4, 4}, 9);
  const auto numbered = number<1, 2>(exec, mesh, {pair_of(bottom, top, true)}, {fixed(left), fixed(bottom)});
  const auto& dofs = numbered.dofs;
  int n_checked = 0;
  for (std::size_t n = 0; n < numbered.x.size(); ++n) {
    const auto& x = numbered.x[n];
    const bool on_side = x[1] == 0. || x[1] == 1.;
    const bool is_fixed = on_side || x[0] == 0.;
    CHECK((dofs.node_dof(n) >= dofs.n_free) == is_fixed);
    CHECK(dofs.node_sign(n) == 1); // values include the signs here
    if (!on_side)
      continue;
    CHECK(dofs.node_constraint(n) == 1); // the later constraint, on both sides
    const index_t source = dofs.node_source(n);
    CHECK((source < 0) == (x[1] == 1.));
    const auto& y = numbered.x[static_cast<std::size_t>(source < 0 ? ~source : source)];
    CHECK(y[1] == 0.);
    CHECK(y[0] == x[0]);
    ++n_checked;
  }
  CHECK(n_checked == 10);
  CHECK(dofs.n_fixed() == 5 + 5 + 3);
}

TEMPLATE_LIST_TEST_CASE("a value that would be its own opposite is zero", "[fe]", tessera::test::ExecutionSpaces) {
  const TestType exec;
  // The sector includes its centre: one node lies on both sides.
  const std::vector<std::array<double, 2>> points{{0., 0.}, {1., 0.}, {2., 0.}, {0., 1.}, {0., 2.}};
  tessera::mesh::Mesh<2, tessera::HostMemory> host;
  host.coordinates = decltype(host.coordinates)("x", 5);
  for (std::size_t n = 0; n < 5; ++n)
    for (std::size_t d = 0; d < 2; ++d)
      host.coordinates(n, d) = points[n][d];
  const index_t elements[3][3] = {{0, 1, 3}, {1, 2, 3}, {2, 4, 3}};
  const index_t facets[4][2] = {{0, 1}, {1, 2}, {0, 3}, {3, 4}};
  host.elements = decltype(host.elements)("elements", 3);
  host.regions = decltype(host.regions)("regions", 3);
  host.facets = decltype(host.facets)("facets", 4);
  host.facet_groups = decltype(host.facet_groups)("groups", 4);
  for (int e = 0; e < 3; ++e)
    for (int a = 0; a < 3; ++a)
      host.elements(e, a) = elements[e][a];
  for (int f = 0; f < 4; ++f) {
    host.facets(f, 0) = facets[f][0];
    host.facets(f, 1) = facets[f][1];
    host.facet_groups(f) = f < 2 ? 0 : 1;
  }
  host.region_names = {"domain"};
  host.boundary_names = {"first", "second"};
  const auto mesh = tessera::mesh::copy_mesh<typename TestType::memory_space>(exec, host);
  const auto anti = number<1, 2>(exec, mesh, {pair_of(0, 1, true)});
  CHECK(anti.dofs.n_free == 2);
  CHECK(anti.dofs.n_fixed() == 1);
  CHECK(anti.dofs.node_dof(0) == 2);
  CHECK(anti.dofs.fixed_values(0) == 0.);
  CHECK(anti.dofs.node_constraint(0) == fe::DofMap<tessera::HostMemory>::unconstrained);
  CHECK(anti.dofs.node_dof(1) == anti.dofs.node_dof(3));
  CHECK(anti.dofs.node_sign(1) * anti.dofs.node_sign(3) == -1);
  const auto periodic = number<1, 2>(exec, mesh, {pair_of(0, 1)});
  CHECK(periodic.dofs.n_free == 3);
  CHECK(periodic.dofs.n_fixed() == 0);

  fe::Constraint floating = fixed(0);
  floating.is_tied = true;
  floating.where = "case.yaml:7: problem.boundaries.first";
  CHECK_THAT(
      message_of([&] { number<1, 2>(exec, mesh, {pair_of(0, 1, true)}, {floating}); }),
      ContainsSubstring("case.yaml:7: problem.boundaries.first: A floating body reaches antiperiodic boundaries"));
  CHECK(number<1, 2>(exec, mesh, {pair_of(0, 1)}, {floating}).dofs.n_free == 1);
}

TEMPLATE_LIST_TEST_CASE("unknowns and nodal values of periodic meshes convert into one another", "[fe]",
                        tessera::test::ExecutionSpaces) {
  using Space = typename TestType::memory_space;
  const TestType exec;
  const auto mesh = random_box<2>(exec, {6, 4}, 13);
  const auto space = fe::make_space<2, TestType, 2>(exec, mesh);
  const auto classes = fe::identify_nodes<TestType, 2, 2>(exec, mesh, space, {pair_of(right, left, true)});
  const auto dofs = fe::number_dofs<TestType, 2, 2>(exec, mesh, space, {fixed(top)}, classes);
  std::vector<double> values;
  for (index_t i = 0; i < dofs.n_free; ++i)
    values.push_back(1. + i);
  const auto unknowns = tessera::test::array_of(exec, values);
  tessera::Array<double*, Space> nodal("nodal", space.n_nodes());
  tessera::Array<double*, Space> back("back", dofs.n_free);
  fe::expand(exec, dofs, tessera::Array<const double*, Space>(unknowns), nodal);
  fe::restrict_to_unknowns(exec, dofs, tessera::Array<const double*, Space>(nodal), back);
  const auto nodal_host = tessera::to_host(exec, nodal);
  const auto back_host = tessera::to_host(exec, back);
  const auto host = fe::to_host(exec, dofs);
  int n_negative = 0;
  for (index_t n = 0; n < space.n_nodes(); ++n)
    if (host.node_dof(n) < dofs.n_free) {
      CHECK(nodal_host(n) == host.node_sign(n) * values[static_cast<std::size_t>(host.node_dof(n))]);
      n_negative += nodal_host(n) < 0. ? 1 : 0;
    }
  CHECK(n_negative == 8); // 9 pairs, one of them fixed
  for (index_t i = 0; i < dofs.n_free; ++i)
    CHECK(back_host(i) == values[static_cast<std::size_t>(i)]);
}

TEMPLATE_LIST_TEST_CASE("meshes that do not match are reported with the distance", "[fe]",
                        tessera::test::ExecutionSpaces) {
  const TestType exec;
  const auto mesh = random_box<2>(exec, {4, 5}, 7);
  fe::PeriodicPair moved = pair_of(left, right);
  moved.map = fe::PeriodicPair::Map::translation;
  moved.translation = {1., 0.05, 0.};
  CHECK_THAT(message_of([&] { number<1, 2>(exec, mesh, {moved}); }),
             ContainsSubstring("'first' and 'second' do not match: 6 of 6 nodes have no partner") &&
                 ContainsSubstring("0.05 m away") && ContainsSubstring("shortest edge is 0.2 m"));
  CHECK_THAT(message_of([&] { number<1, 2>(exec, mesh, {pair_of(left, top)}); }),
             ContainsSubstring("have 6 and 5 nodes"));
  moved.translation = {1., 1e-6, 0.}; // within the tolerance
  CHECK(message_of([&] { number<1, 2>(exec, mesh, {moved}); }) == "no error");
  const auto bent = random_box<3>(exec, {2, 3, 3}, 7);
  CHECK_THAT(message_of([&] { number<1, 3>(exec, bent, {pair_of(top, front)}); }), ContainsSubstring("do not match"));
}
