// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/checks/checks.hpp"
#include "mesh/curved_facets.hpp"
#include "mesh/ordering.hpp"
#include "mesh/refine/bisection.hpp"
#include "mesh/refine/refinement.hpp"
#include "mesh/refine/straight_edges.hpp"
#include "support/bulged_box.hpp"
#include "support/one_thread.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <set>

namespace tessera::test {

namespace {

constexpr double bulge = 0.4;

/// Number of nodes of the curved side; checks that all of them lie on it.
template <int Dim, class ExecutionSpace>
std::size_t count_on_side(const ExecutionSpace& exec,
                          const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  const auto x = to_host(exec, mesh.coordinates);
  const auto facets = to_host(exec, mesh.facets);
  const auto groups = to_host(exec, mesh.facet_groups);
  std::set<index_t> nodes;
  double largest = 0.;
  for (index_t f = 0; f < mesh.n_facets(); ++f)
    if (groups(f) == 1)
      for (int k = 0; k < Dim; ++k) {
        const index_t n = facets(f, k);
        nodes.insert(n);
        largest = std::max(largest, std::fabs(x(n, 0) - bulged_side<Dim>(bulge, &x(n, 0))));
      }
  CHECK(largest < 1e-14); // a patch of degree 3 represents the parabola; what remains is rounding
  return nodes.size();
}

template <int Dim, class ExecutionSpace>
void check_refinement(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells) {
  auto mesh = bulged_box<Dim>(exec, cells, 3, bulge);
  std::size_t n_on_side = count_on_side<Dim>(exec, mesh);
  for (int level = 0; level < 2; ++level) {
    mesh = mesh::refine_uniform<ExecutionSpace, Dim>(exec, mesh);
    CHECK(mesh::find_inverted<ExecutionSpace, Dim>(exec, mesh).count == 0);
    const std::size_t n = count_on_side<Dim>(exec, mesh);
    CHECK(n > (Dim == 2 ? 1.5 : 2.) * static_cast<double>(n_on_side));
    n_on_side = n;
    mesh = mesh::order_mesh<ExecutionSpace, Dim>(exec, mesh); // the shape must follow the new numbers
  }
}

/// Coordinates after two refinements.
template <int Dim, class ExecutionSpace>
std::vector<double> refined_twice(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells) {
  auto mesh = bulged_box<Dim>(exec, cells, 3, bulge);
  for (int level = 0; level < 2; ++level)
    mesh = mesh::refine_uniform<ExecutionSpace, Dim>(exec, mesh);
  const auto x = to_host(exec, mesh.coordinates);
  return {x.data(), x.data() + x.size()};
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Refinement puts new nodes onto curved boundaries", "[mesh][device]", ExecutionSpaces) {
  const TestType exec;
  check_refinement<2>(exec, {5, 6});
  check_refinement<3>(exec, {3, 2, 3});
}

TEMPLATE_LIST_TEST_CASE("Bisection puts new nodes onto curved boundaries", "[mesh][device]", ExecutionSpaces) {
  const TestType exec;
  const auto check = [&](auto dimension, const auto& cells) {
    constexpr int Dim = decltype(dimension)::value;
    auto mesh = bulged_box<Dim>(exec, cells, 3, bulge);
    for (int round = 0; round < 3; ++round) {
      const std::size_t n = count_on_side<Dim>(exec, mesh);
      std::vector<std::uint8_t> marks(static_cast<std::size_t>(mesh.n_elements()), 0);
      for (std::size_t e = 0; e < marks.size(); e += 3)
        marks[e] = 1;
      const auto marked = array_of(exec, marks);
      mesh = mesh::bisect_marked<TestType, Dim>(exec, mesh, Array<const std::uint8_t*, TestType>(marked));
      CHECK(mesh::find_inverted<TestType, Dim>(exec, mesh).count == 0);
      CHECK(count_on_side<Dim>(exec, mesh) > n);
      mesh = mesh::order_mesh<TestType, Dim>(exec, mesh);
    }
  };
  check(std::integral_constant<int, 2>(), std::array<index_t, 2>{5, 6});
  check(std::integral_constant<int, 3>(), std::array<index_t, 3>{3, 2, 3});
}

TEMPLATE_LIST_TEST_CASE("Curved boundaries have the same bits in every space", "[mesh][device]", ExecutionSpaces) {
  const TestType exec;
  const auto serial = on_one_thread([](const auto& one_thread) {
    return std::make_pair(refined_twice<2>(one_thread, {5, 6}), refined_twice<3>(one_thread, {3, 2, 3}));
  });
  CHECK(refined_twice<2>(exec, {5, 6}) == serial.first);
  CHECK(refined_twice<3>(exec, {3, 2, 3}) == serial.second);
}

TEMPLATE_LIST_TEST_CASE("Edges inside stay straight", "[mesh][device]", ExecutionSpaces) {
  const TestType exec;
  const auto coarse = bulged_box<2>(exec, {5, 6}, 3, bulge);
  auto straight = coarse;
  straight.curved = {};
  const auto fine = mesh::refine_uniform<TestType, 2>(exec, coarse);
  const auto chords = mesh::refine_uniform<TestType, 2>(exec, straight);
  const auto x = to_host(exec, fine.coordinates);
  const auto y = to_host(exec, chords.coordinates);
  int n_moved = 0;
  for (index_t n = 0; n < fine.n_nodes(); ++n)
    n_moved += x(n, 0) != y(n, 0) || x(n, 1) != y(n, 1) ? 1 : 0;
  CHECK(n_moved == 6); // the midpoints of the curved side
}

TEMPLATE_LIST_TEST_CASE("Each curved facet of a fine mesh is a patch of its own", "[mesh][device]", ExecutionSpaces) {
  const TestType exec;
  const auto fine = mesh::refine_uniform<TestType, 3>(exec, bulged_box<3>(exec, {2, 2, 2}, 3, bulge));
  const auto lattice = to_host(exec, mesh::curved_lattice<TestType, 3>(exec, fine.curved));
  double largest = 0.;
  for (std::size_t i = 0; i < lattice.size(); i += 3)
    largest = std::max(largest, std::fabs(lattice(i) - bulged_side<3>(bulge, &lattice(i))));
  CHECK(lattice.size() == 3 * 10 * static_cast<std::size_t>(fine.curved.n_facets()));
  CHECK(largest < 1e-14);
  const auto x = to_host(exec, fine.coordinates);
  const auto nodes = to_host(exec, fine.curved.nodes);
  double corner = 0.;
  for (index_t f = 0; f < fine.curved.n_facets(); ++f)
    for (int d = 0; d < 3; ++d)
      corner = std::max({corner, std::fabs(x(nodes(f, 0), d) - lattice(30 * f + d)),
                         std::fabs(x(nodes(f, 1), d) - lattice(30 * f + 9 + d)),
                         std::fabs(x(nodes(f, 2), d) - lattice(30 * f + 27 + d))});
  CHECK(corner < 1e-14);
}

TEMPLATE_LIST_TEST_CASE("Elements turned inside out by a curved boundary are found", "[mesh][device]",
                        ExecutionSpaces) {
  const TestType exec;
  // Bulged inwards by more than the cell width: chords of two coarse cells along y, and thin cells along x.
  auto mesh = bulged_box<2>(exec, {16, 2}, 3, -1.2);
  CHECK(mesh::find_inverted<TestType, 2>(exec, mesh).count == 0);
  mesh = mesh::refine_uniform<TestType, 2>(exec, mesh);
  const auto inverted = mesh::find_inverted<TestType, 2>(exec, mesh);
  CHECK(inverted.count > 0);
  CHECK(inverted.place[0] > 0.5);
}

TEMPLATE_LIST_TEST_CASE("Edges stay straight where a curved boundary would turn elements inside out", "[mesh][device]",
                        ExecutionSpaces) {
  const TestType exec;
  const auto check = [&](auto dimension, const auto& cells) {
    constexpr int Dim = decltype(dimension)::value;
    const auto coarse = bulged_box<Dim>(exec, cells, 3, -1.2);
    REQUIRE(mesh::find_inverted<TestType, Dim>(exec, coarse).count == 0);
    mesh::StraightEdges straight;
    auto mesh = mesh::refine_uniform<TestType, Dim>(exec, coarse, false, &straight);
    CHECK(mesh::find_inverted<TestType, Dim>(exec, mesh).count == 0);
    CHECK(straight.any());
    CHECK(straight.distance > 0.01);
    CHECK(straight.distance < 1.2);
    CHECK(straight.place[0] > 0.5);
    CHECK(mesh.curved.n_facets() < (Dim == 2 ? 2 : 4) * coarse.curved.n_facets());
    mesh = mesh::refine_uniform<TestType, Dim>(exec, mesh, false, &straight);
    CHECK(mesh::find_inverted<TestType, Dim>(exec, mesh).count == 0);

    const std::vector<std::uint8_t> all(static_cast<std::size_t>(coarse.n_elements()), 1);
    const auto marked = array_of(exec, all);
    mesh::StraightEdges of_bisection;
    mesh =
        mesh::bisect_marked<TestType, Dim>(exec, coarse, Array<const std::uint8_t*, TestType>(marked), &of_bisection);
    CHECK(of_bisection.any());
    CHECK(mesh::find_inverted<TestType, Dim>(exec, mesh).count == 0);
  };
  check(std::integral_constant<int, 2>(), std::array<index_t, 2>{16, 2});
  check(std::integral_constant<int, 3>(), std::array<index_t, 3>{16, 1, 1});

  mesh::StraightEdges none; // fine meshes keep all of the shape
  const auto mesh = mesh::refine_uniform<TestType, 2>(exec, bulged_box<2>(exec, {5, 6}, 3, bulge), false, &none);
  CHECK_FALSE(none.any());
  CHECK(count_on_side<2>(exec, mesh) == 13);
}

} // namespace tessera::test
