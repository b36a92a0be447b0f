// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "mesh/box.hpp"
#include "mesh/ordering.hpp"
#include "mesh/parts/box_part.hpp"
#include "mesh/refine/bisection.hpp"
#include "mesh/refine/coarser_elements.hpp"
#include "mesh/refine/refinement.hpp"
#include "mesh/simplex.hpp"
#include "random_mesh.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <vector>

using namespace tessera;
using Catch::Matchers::ContainsSubstring;

namespace {

template <int Dim, class Elements, class Coordinates>
double measure(const Elements& elements, const Coordinates& coordinates, index_t e) {
  double p[Dim + 1][Dim];
  for (int a = 0; a <= Dim; ++a)
    for (int d = 0; d < Dim; ++d)
      p[a][d] = coordinates(elements(e, a), d);
  return std::fabs(mesh::signed_measure(p));
}

enum class Order { curve, refined, refined_but_two };

template <int Dim, class ExecutionSpace> void check_children(const ExecutionSpace& exec, index_t n_cells, Order order) {
  std::array<index_t, Dim> cells;
  cells.fill(n_cells);
  std::array<double, Dim> lower{};
  std::array<double, Dim> upper;
  upper.fill(1.);
  const auto coarse = mesh::order_mesh<ExecutionSpace, Dim>(exec, mesh::make_box<Dim>(exec, cells, lower, upper));
  auto fine = mesh::refine_uniform<ExecutionSpace, Dim>(exec, coarse, true);
  if (order == Order::curve)
    fine = mesh::order_mesh<ExecutionSpace, Dim>(exec, fine);
  if (order == Order::refined_but_two) {
    const auto elements = to_host(exec, fine.elements);
    const std::size_t last = elements.extent(0) - 1;
    for (int a = 0; a <= Dim; ++a)
      std::swap(elements(last, a), elements(last - mesh::Children<Dim>::count, a));
    copy(exec, fine.elements, elements);
    exec.fence();
  }
  const auto found = mesh::find_coarser_elements<ExecutionSpace, Dim>(exec, fine);
  const auto nodes = to_host(exec, found.nodes);
  const auto children = to_host(exec, found.children);
  const auto coarse_nodes = to_host(exec, coarse.coordinates);
  const auto fine_nodes = to_host(exec, fine.coordinates);
  const auto elements = to_host(exec, fine.elements);
  REQUIRE(static_cast<index_t>(nodes.extent(0)) == coarse.n_elements());
  std::set<index_t> all;
  for (index_t e = 0; e < coarse.n_elements(); ++e) {
    double sum = 0.;
    double centre[Dim] = {};
    for (int k = 0; k < mesh::Children<Dim>::count; ++k) {
      all.insert(children(e, k));
      CHECK((k == 0 || children(e, k - 1) < children(e, k)));
      const double part = measure<Dim>(elements, fine_nodes, children(e, k));
      sum += part;
      for (int a = 0; a <= Dim; ++a)
        for (int d = 0; d < Dim; ++d)
          centre[d] += part * fine_nodes(elements(children(e, k), a), d) / (Dim + 1.);
    }
    const double whole = measure<Dim>(nodes, coarse_nodes, e);
    CHECK(std::fabs(sum - whole) < 1e-12);
    for (int d = 0; d < Dim; ++d) {
      double expected = 0.;
      for (int a = 0; a <= Dim; ++a)
        expected += coarse_nodes(nodes(e, a), d) / (Dim + 1.);
      CHECK(std::fabs(centre[d] / sum - expected) < 1e-12);
    }
  }
  CHECK(static_cast<index_t>(all.size()) == fine.n_elements());

  const auto without = mesh::find_coarser_elements<ExecutionSpace, Dim>(exec, fine, false);
  CHECK(without.children.extent(0) == 0);
  const auto same_nodes = to_host(exec, without.nodes);
  for (std::size_t e = 0; e < nodes.extent(0); ++e)
    for (std::size_t a = 0; a <= Dim; ++a)
      CHECK(same_nodes(e, a) == nodes(e, a));

  // A mesh in which one element was bisected has no coarser mesh.
  std::vector<std::uint8_t> marks(static_cast<std::size_t>(coarse.n_elements()), 0);
  marks[0] = 1;
  const auto array = test::array_of(exec, marks);
  const auto bisected =
      mesh::bisect_marked<ExecutionSpace, Dim>(exec, coarse, Array<const std::uint8_t*, ExecutionSpace>(array));
  for (const bool with_children : {false, true})
    try {
      mesh::find_coarser_elements<ExecutionSpace, Dim>(exec, bisected, with_children);
      FAIL("no error");
    } catch (const Error& error) {
      CHECK_THAT(error.what(), ContainsSubstring("no uniform refinement"));
    }
  // has no coarser mesh
  CHECK_THROWS_AS((mesh::find_coarser_elements<ExecutionSpace, Dim>(exec, coarse)), Error);
}

/// Coarser elements of partitions of a box, by their children in the box and with their nodes in the order of the
/// partition.
struct Coarser {
  std::vector<index_t> children;
  std::vector<index_t> nodes; // of the box
  bool operator==(const Coarser& other) const { return children == other.children && nodes == other.nodes; }
};

/// Finds them in a mesh whose coarse nodes are those of the box.
template <class ExecutionSpace, int Dim>
std::vector<Coarser> list_of(const ExecutionSpace& exec,
                             const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh, bool is_part) {
  const auto found = mesh::find_coarser_elements<ExecutionSpace, Dim>(exec, mesh, true, is_part);
  const auto nodes = to_host(exec, found.nodes);
  const auto children = to_host(exec, found.children);
  const auto parents = to_host(exec, mesh.node_parents.front());
  const auto node = to_host(exec, mesh.original_node);
  const auto element = to_host(exec, mesh.original_element);
  std::map<index_t, index_t> of_box;
  for (index_t n = 0; n < mesh.n_nodes(); ++n)
    if (parents(n, 0) == parents(n, 1) && parents(n, 0) >= 0)
      of_box[parents(n, 0)] = node(n);
  std::vector<Coarser> list(nodes.extent(0));
  for (std::size_t e = 0; e < list.size(); ++e) {
    for (int k = 0; k < mesh::Children<Dim>::count; ++k)
      list[e].children.push_back(element(children(e, k)));
    for (int a = 0; a <= Dim; ++a)
      list[e].nodes.push_back(of_box.at(nodes(e, a)));
  }
  return list;
}

/// Checks that the elements of each partition are a subset of the whole in its order, and that all elements at owned
/// nodes are among them.
template <int Dim, class ExecutionSpace>
void check_parts(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells, int n_parts) {
  std::array<double, Dim> upper;
  upper.fill(1.3);
  auto box = mesh::make_box<Dim>(exec, cells, std::array<double, Dim>{}, upper);
  box.node_parents = mesh::box_node_parents<Dim>(exec, cells);
  const std::vector<Coarser> whole =
      list_of<ExecutionSpace, Dim>(exec, mesh::order_mesh<ExecutionSpace, Dim>(exec, box), false);
  for (int rank = 0; rank < n_parts; ++rank) {
    INFO("part " << rank << " of " << n_parts);
    const auto part = mesh::make_box_part<Dim>(exec, cells, std::array<double, Dim>{}, upper, rank, n_parts, 1, {},
                                               mesh::CoarserMeshes::elements);
    const std::vector<Coarser> found = list_of<ExecutionSpace, Dim>(exec, part.mesh, true);
    const auto node = to_host(exec, part.mesh.original_node);
    const std::set<index_t> owned(node.data() + part.first_owned, node.data() + part.first_owned + part.n_owned);
    std::size_t next = 0;
    bool has_all = true;
    for (const Coarser& element : whole) {
      const bool is_found = next < found.size() && found[next] == element;
      next += is_found ? 1 : 0;
      for (const index_t n : element.nodes)
        has_all = has_all && (is_found || owned.count(n) == 0);
    }
    CHECK(next == found.size());
    CHECK(has_all);
    CHECK((n_parts == 1 ? next == whole.size() : next < whole.size()));
  }
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Parts of a box find the coarser elements at their nodes, in the order of the whole",
                        "[mesh][device]", test::ExecutionSpaces) {
  const TestType exec;
  check_parts<2>(exec, {16, 12}, 1);
  check_parts<2>(exec, {16, 24}, 3);
  check_parts<2>(exec, {8, 32}, 5);
  check_parts<3>(exec, {8, 8, 12}, 3);
}

TEMPLATE_LIST_TEST_CASE("The elements that a mesh was refined from are found with their children", "[mesh][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  for (const Order order : {Order::curve, Order::refined, Order::refined_but_two}) {
    check_children<2>(exec, 3, order);
    check_children<3>(exec, 3, order);
  }
  check_children<2>(exec, 32, Order::refined_but_two);
  check_children<3>(exec, 6, Order::refined_but_two);
}
