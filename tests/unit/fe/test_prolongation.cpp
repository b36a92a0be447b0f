// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "fe/transfer/prolongation.hpp"
#include "mesh/box.hpp"
#include "mesh/ordering.hpp"
#include "mesh/refine/refinement.hpp"
#include "periodic_pairs.hpp"
#include "random_mesh.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <functional>

namespace fe = tessera::fe;
namespace mesh = tessera::mesh;
using tessera::group_t;
using tessera::index_t;
using tessera::test::pair_of;

namespace {

using Point = std::array<double, 3>;
enum Side : group_t { left, right, bottom, top };

struct Setting {
  const char* name;
  std::vector<fe::Constraint> constraints;
  std::vector<fe::PeriodicPair> pairs;
  std::function<double(const Point&)> linear; ///< satisfies the constraints, with zeros at fixed nodes
};

fe::Constraint constraint_of(group_t group, bool is_tied) {
  fe::Constraint constraint;
  constraint.group = group;
  constraint.is_tied = is_tied;
  return constraint;
}

std::vector<Setting> settings() {
  return {
      {"free", {}, {}, [](const Point& x) { return 1. + 2. * x[0] - 3. * x[1] + x[2]; }},
      {"fixed", {constraint_of(left, false)}, {}, [](const Point& x) { return 4. * x[0]; }},
      {"fixed and tied",
       {constraint_of(left, false), constraint_of(right, true)},
       {},
       [](const Point& x) { return 4. * x[0]; }},
      {"periodic", {}, {pair_of(left, right, false)}, [](const Point& x) { return 2. + x[1] - 2. * x[2]; }},
      {"antiperiodic", {}, {pair_of(left, right, true)}, [](const Point& x) { return 1. - 2. * x[0]; }},
  };
}

/// Evaluates functions at the unknowns of the space, from the nodes' signs and positions.
struct Fine {
  std::vector<double> values;
  std::vector<tessera::linalg::Prolongation<tessera::HostMemory>> prolongations;
};

template <int Order, class ExecutionSpace, int Dim>
Fine prolongations_of(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& grid,
                      const Setting& setting) {
  const auto space = fe::make_space<Order, ExecutionSpace, Dim>(exec, grid);
  const auto classes = fe::identify_nodes<ExecutionSpace, Dim, Order>(exec, grid, space, setting.pairs);
  const auto dofs = fe::number_dofs<ExecutionSpace, Dim, Order>(exec, grid, space, setting.constraints, classes);
  const auto host_dofs = fe::to_host(exec, dofs);
  const auto x = tessera::to_host(exec, space.coordinates);
  Fine fine;
  fine.values.resize(static_cast<std::size_t>(dofs.n_free));
  for (index_t n = 0; n < space.n_nodes(); ++n) {
    Point point{0., 0., 0.};
    for (int d = 0; d < Dim; ++d)
      point[static_cast<std::size_t>(d)] = x(n, d);
    const double sign = host_dofs.node_sign.extent(0) > 0 ? host_dofs.node_sign(n) : 1.;
    if (host_dofs.is_free(host_dofs.node_dof(n)))
      fine.values[static_cast<std::size_t>(host_dofs.node_dof(n))] = sign * setting.linear(point);
  }
  for (const auto& p : fe::make_prolongations<ExecutionSpace, Dim, Order>(exec, grid, space, dofs)) {
    tessera::linalg::Prolongation<tessera::HostMemory> host;
    host.n_coarse = p.n_coarse;
    host.matrix.offsets = tessera::to_host(exec, p.matrix.offsets);
    host.matrix.columns = tessera::to_host(exec, p.matrix.columns);
    host.matrix.values = tessera::to_host(exec, p.matrix.values);
    fine.prolongations.push_back(host);
  }
  return fine;
}

/// Checks level by level that coarse unknowns are fine ones, and that linear functions are interpolated exactly.
template <int Order, class ExecutionSpace, int Dim>
void check_levels(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& grid,
                  std::size_t n_levels) {
  for (const Setting& setting : settings()) {
    CAPTURE(setting.name, Dim, Order);
    const Fine fine = prolongations_of<Order>(exec, grid, setting);
    REQUIRE(fine.prolongations.size() == n_levels);
    std::vector<double> values = fine.values;
    for (const auto& p : fine.prolongations) {
      REQUIRE(p.matrix.n_rows() == static_cast<index_t>(values.size()));
      REQUIRE(p.n_coarse < p.matrix.n_rows());
      std::vector<double> coarse(static_cast<std::size_t>(p.n_coarse), 1e300);
      for (index_t i = 0; i < p.matrix.n_rows(); ++i) {
        const auto begin = p.matrix.offsets(i);
        if (p.matrix.offsets(i + 1) - begin == 1 && std::fabs(p.matrix.values(begin)) == 1.)
          coarse[static_cast<std::size_t>(p.matrix.columns(begin))] =
              p.matrix.values(begin) * values[static_cast<std::size_t>(i)];
      }
      double largest = 0.;
      for (index_t i = 0; i < p.matrix.n_rows(); ++i) {
        double sum = 0.;
        for (auto k = p.matrix.offsets(i); k < p.matrix.offsets(i + 1); ++k) {
          CHECK((k == p.matrix.offsets(i) || p.matrix.columns(k - 1) < p.matrix.columns(k)));
          sum += p.matrix.values(k) * coarse[static_cast<std::size_t>(p.matrix.columns(k))];
        }
        largest = std::fmax(largest, std::fabs(sum - values[static_cast<std::size_t>(i)]));
      }
      CHECK(largest <= 1e-14); // rounding of coordinates below 1 and of one average
      values = coarse;
    }
  }
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Prolongations meet linear functions on nested meshes, under all constraints", "[fe][device]",
                        tessera::test::ExecutionSpaces) {
  const TestType exec;
  SECTION("boxes and their refinements, ordered") {
    auto square = mesh::make_box<2>(exec, {8, 4}, {0., 0.}, {1., 1.});
    square.node_parents = mesh::box_node_parents<2>(exec, {8, 4});
    REQUIRE(square.node_parents.size() == 1); // 4 x 2 cells; 2 x 1 cells have no interior node
    const auto refined = mesh::order_mesh(exec, mesh::refine_uniform(exec, square, true));
    check_levels<1>(exec, refined, 2);
    check_levels<2>(exec, refined, 3);
    auto cube = mesh::make_box<3>(exec, {4, 4, 4}, {0., 0., 0.}, {1., 1., 1.});
    cube.node_parents = mesh::box_node_parents<3>(exec, {4, 4, 4});
    check_levels<1>(exec, mesh::order_mesh(exec, cube), 1);
    check_levels<2>(exec, cube, 2);
  }
  SECTION("meshes refined twice") {
    const auto triangles = tessera::test::random_box<2>(exec, {3, 4}, 5);
    const auto refined = mesh::refine_uniform(exec, mesh::refine_uniform(exec, triangles, true), true);
    check_levels<1>(exec, mesh::order_mesh(exec, refined), 2);
    const auto tetrahedra = tessera::test::random_box<3>(exec, {2, 2, 3}, 5);
    check_levels<1>(exec, mesh::order_mesh(exec, mesh::refine_uniform(exec, tetrahedra, true)), 1);
    check_levels<2>(exec, tetrahedra, 1);
  }
}

TEMPLATE_LIST_TEST_CASE("Prolongations end at the first level that is small enough", "[fe]",
                        tessera::test::ExecutionSpaces) {
  const TestType exec;
  const std::array<index_t, 2> cells{16, 16};
  auto square = mesh::make_box<2>(exec, cells, {0., 0.}, {1., 1.});
  square.node_parents = mesh::box_node_parents<2>(exec, cells);
  const auto space = fe::make_space<1, TestType, 2>(exec, square);
  const auto classes = fe::identify_nodes<TestType, 2, 1>(exec, square, space, {});
  const auto dofs = fe::number_dofs<TestType, 2, 1>(exec, square, space, {constraint_of(left, false)}, classes);
  const auto n_levels = [&](index_t few) {
    return fe::make_prolongations<TestType, 2, 1>(exec, square, space, dofs, few).size();
  };
  REQUIRE(n_levels(0) == 3); // 16 x 17, 8 x 9, 4 x 5, 2 x 3 unknowns
  REQUIRE(n_levels(6) == 3);
  REQUIRE(n_levels(20) == 2);
  REQUIRE(n_levels(71) == 2);
  REQUIRE(n_levels(272) == 0);
}
