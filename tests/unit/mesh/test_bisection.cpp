// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "host_mesh.hpp"
#include "mesh/checks/checks.hpp"
#include "mesh/ordering.hpp"
#include "mesh/refine/bisection.hpp"
#include "one_thread.hpp"
#include "random_mesh.hpp"
#include "spaces.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>

#include <cmath>
#include <map>
#include <set>

using namespace tessera;
using Catch::Approx;

namespace {

using Marks = std::vector<std::uint8_t>;

template <int Dim, class ExecutionSpace>
auto bisect(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
            const Marks& marks) {
  const auto array = test::array_of(exec, marks);
  return mesh::bisect_marked<ExecutionSpace, Dim>(exec, mesh, Array<const std::uint8_t*, ExecutionSpace>(array));
}

/// Elements near a corner.
template <int Dim> Marks marks_at_corner(const test::HostMesh<Dim>& mesh, double distance) {
  Marks marks(static_cast<std::size_t>(mesh.n_elements()), 0);
  for (index_t e = 0; e < mesh.n_elements(); ++e)
    for (int a = 0; a <= Dim; ++a) {
      double square = 0.;
      for (int d = 0; d < Dim; ++d)
        square += std::pow(mesh.coordinates(mesh.elements(e, a), d), 2);
      if (square <= distance * distance)
        marks[static_cast<std::size_t>(e)] = 1;
    }
  return marks;
}

/// Interior facets have two elements, those on the box's sides one: there are no hanging nodes.
template <int Dim> bool is_conforming(const test::HostMesh<Dim>& mesh) {
  std::map<std::array<index_t, Dim>, int> count;
  for (index_t e = 0; e < mesh.n_elements(); ++e)
    for (int skipped = 0; skipped <= Dim; ++skipped) {
      std::array<index_t, Dim> face;
      int n = 0;
      for (int a = 0; a <= Dim; ++a)
        if (a != skipped)
          face[static_cast<std::size_t>(n++)] = mesh.elements(e, a);
      std::sort(face.begin(), face.end());
      ++count[face];
    }
  std::set<std::array<index_t, Dim>> facets;
  for (index_t f = 0; f < mesh.n_facets(); ++f)
    facets.insert(test::sorted_nodes<decltype(mesh.facets), Dim>(mesh.facets, f));
  bool is_fine = static_cast<index_t>(facets.size()) == mesh.n_facets();
  for (const auto& entry : count)
    is_fine = is_fine && entry.second == (facets.count(entry.first) > 0 ? 1 : 2);
  return is_fine;
}

/// Measure divided by the power of the longest edge, for the worst element.
template <int Dim> double worst_shape(const test::HostMesh<Dim>& mesh) {
  double worst = 1.;
  for (index_t e = 0; e < mesh.n_elements(); ++e) {
    double longest = 0.;
    for (int k = 0; k < mesh::Simplex<Dim>::n_edges; ++k) {
      double square = 0.;
      for (int d = 0; d < Dim; ++d)
        square += std::pow(mesh.coordinates(mesh.elements(e, mesh::Simplex<Dim>::edge_begin(k)), d) -
                               mesh.coordinates(mesh.elements(e, mesh::Simplex<Dim>::edge_end(k)), d),
                           2);
      longest = std::max(longest, square);
    }
    worst = std::min(worst, test::measure(mesh, e) / std::pow(longest, 0.5 * Dim));
  }
  return worst;
}

template <int Dim, class ExecutionSpace>
void check_bisected(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells) {
  auto coarse = test::random_box<Dim>(exec, cells, 5);
  coarse.region_names = {"even", "odd"};
  const auto regions = to_host(exec, coarse.regions);
  for (index_t e = 0; e < coarse.n_elements(); ++e)
    regions(e) = static_cast<group_t>(e % 2);
  Kokkos::deep_copy(exec, coarse.regions, regions);
  const auto before = test::on_host(exec, coarse);
  Marks marks(static_cast<std::size_t>(before.n_elements()), 0);
  for (std::size_t e = 0; e < marks.size(); e += 7)
    marks[e] = 1;

  const auto bisected = bisect<Dim>(exec, coarse, marks);
  const auto fine = test::on_host(exec, bisected);
  CHECK(fine.n_elements() > before.n_elements());
  CHECK(is_conforming(fine));
  CHECK(mesh::check_mesh(exec, bisected).errors().empty());
  CHECK(test::smallest_measure(fine) > 0.);
  CHECK(test::total_measure(fine) == Approx(1.).epsilon(1e-12));
  CHECK(fine.region_names == before.region_names);
  CHECK(fine.boundary_names == before.boundary_names);
  // Children follow their parents, region by region, and their measures add up to the parent's.
  std::array<double, 2> measure_before{};
  std::array<double, 2> measure{};
  for (index_t e = 0; e < before.n_elements(); ++e)
    measure_before[static_cast<std::size_t>(before.regions(e))] += test::measure(before, e);
  for (index_t e = 0; e < fine.n_elements(); ++e)
    measure[static_cast<std::size_t>(fine.regions(e))] += test::measure(fine, e);
  for (std::size_t r = 0; r < 2; ++r)
    CHECK(measure[r] == Approx(measure_before[r]).epsilon(1e-12));
  index_t child = 0;
  const int n_of_marked = Dim == 2 ? 4 : 8;
  bool is_cut = true;
  for (index_t e = 0; e < before.n_elements(); ++e) {
    double left = test::measure(before, e);
    const double whole = left;
    int n_children = 0;
    while (left > 1e-9 * whole) {
      left -= test::measure(fine, child++);
      ++n_children;
    }
    is_cut = is_cut && (marks[static_cast<std::size_t>(e)] == 0 || n_children == n_of_marked);
  }
  CHECK(is_cut);
  CHECK(child == fine.n_elements());
  const auto parents = to_host(exec, bisected.node_parents.at(0));
  // If an edge is bisected, so is the longest one of the element.
  std::set<std::pair<index_t, index_t>> halved;
  for (index_t node = before.n_nodes(); node < fine.n_nodes(); ++node)
    halved.insert(std::minmax(parents(node, 0), parents(node, 1)));
  bool has_longest = true;
  for (index_t e = 0; e < before.n_elements(); ++e) {
    bool is_any = false;
    bool is_longest = false;
    double longest = 0.;
    for (int k = 0; k < mesh::Simplex<Dim>::n_edges; ++k) {
      const index_t a = before.elements(e, mesh::Simplex<Dim>::edge_begin(k));
      const index_t b = before.elements(e, mesh::Simplex<Dim>::edge_end(k));
      double square = 0.;
      for (int d = 0; d < Dim; ++d)
        square += std::pow(before.coordinates(a, d) - before.coordinates(b, d), 2);
      const bool is_halved = halved.count(std::minmax(a, b)) > 0;
      is_any = is_any || is_halved;
      if (square > longest * (1. + 1e-12)) { // any of several equal ones
        longest = square;
        is_longest = is_halved;
      } else if (square > longest * (1. - 1e-12)) {
        is_longest = is_longest || is_halved;
      }
    }
    has_longest = has_longest && (!is_any || is_longest);
  }
  CHECK(has_longest);
  // Nodes keep their numbers; new nodes are the midpoints of their parents.
  bool is_between = true;
  for (index_t node = 0; node < fine.n_nodes(); ++node) {
    is_between = is_between && (node >= before.n_nodes() || parents(node, 0) == node);
    for (int d = 0; d < Dim; ++d)
      is_between = is_between && fine.coordinates(node, d) == 0.5 * (before.coordinates(parents(node, 0), d) +
                                                                     before.coordinates(parents(node, 1), d));
  }
  CHECK(is_between);
}

template <int Dim, class ExecutionSpace>
void check_repeated(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells, int n_rounds) {
  auto mesh = test::unit_box<Dim>(exec, cells);
  const double shape = worst_shape(test::on_host(exec, mesh));
  double distance = 0.5;
  for (int round = 0; round < n_rounds; ++round, distance *= 0.6) {
    mesh = bisect<Dim>(exec, mesh, marks_at_corner(test::on_host(exec, mesh), distance));
    mesh = mesh::order_mesh<ExecutionSpace, Dim>(exec, mesh);
  }
  const auto fine = test::on_host(exec, mesh);
  CHECK(is_conforming(fine));
  CHECK(test::total_measure(fine) == Approx(1.).epsilon(1e-12));
  CHECK(worst_shape(fine) > 0.2 * shape); // after any number of bisections
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Bisection cuts what is marked and keeps meshes conforming, with regions and groups", "[mesh]",
                        test::ExecutionSpaces) {
  const TestType exec;
  check_bisected<2>(exec, {13, 11});
  check_bisected<3>(exec, {4, 5, 3});
}

TEMPLATE_LIST_TEST_CASE("Repeated bisection keeps the shapes of elements", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  check_repeated<2>(exec, {4, 4}, 16);
  check_repeated<3>(exec, {2, 2, 2}, 9);
}

TEMPLATE_LIST_TEST_CASE("Without marks bisection changes nothing", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  const auto mesh = test::random_box<2>(exec, {5, 4}, 3);
  const auto before = test::on_host(exec, mesh);
  const auto after = test::on_host(exec, bisect<2>(exec, mesh, Marks(static_cast<std::size_t>(mesh.n_elements()), 0)));
  REQUIRE(after.n_elements() == before.n_elements());
  CHECK(after.n_nodes() == before.n_nodes());
  CHECK(after.n_facets() == before.n_facets());
  for (index_t e = 0; e < before.n_elements(); ++e)
    for (int a = 0; a < 3; ++a)
      CHECK(after.elements(e, a) == before.elements(e, a));
}

TEMPLATE_LIST_TEST_CASE("Bisected meshes have the same bits in every space", "[mesh][device]", test::ExecutionSpaces) {
  const TestType exec;
  const auto run = [](const auto& space) {
    auto mesh = test::random_box<3>(space, {4, 3, 3}, 9);
    for (int round = 0; round < 2; ++round)
      mesh = bisect<3>(space, mesh, marks_at_corner(test::on_host(space, mesh), 0.6));
    return test::on_host(space, mesh);
  };
  const auto expected = test::on_one_thread(run);
  const auto mesh = run(exec);
  REQUIRE(mesh.n_elements() == expected.n_elements());
  REQUIRE(mesh.n_nodes() == expected.n_nodes());
  bool is_same = true;
  for (index_t e = 0; e < mesh.n_elements(); ++e)
    for (int a = 0; a < 4; ++a)
      is_same = is_same && mesh.elements(e, a) == expected.elements(e, a);
  for (index_t node = 0; node < mesh.n_nodes(); ++node)
    for (int d = 0; d < 3; ++d)
      is_same = is_same && mesh.coordinates(node, d) == expected.coordinates(node, d);
  CHECK(is_same);
}
