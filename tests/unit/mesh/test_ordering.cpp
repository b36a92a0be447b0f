// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "host_mesh.hpp"
#include "mesh/ordering.hpp"
#include "random_mesh.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>

#include <cmath>
#include <numeric>

using namespace tessera;

namespace {

bool is_permutation(const Kokkos::View<index_t*, Kokkos::LayoutRight, Kokkos::HostSpace>& numbers) {
  std::vector<int> visits(numbers.extent(0), 0);
  for (std::size_t i = 0; i < numbers.extent(0); ++i)
    if (numbers(i) >= 0 && static_cast<std::size_t>(numbers(i)) < visits.size())
      ++visits[numbers(i)];
  return std::all_of(visits.begin(), visits.end(), [](int n) { return n == 1; });
}

/// Mean difference between the node numbers of an element.
template <int Dim> double mean_span(const test::HostMesh<Dim>& mesh) {
  double sum = 0.;
  for (index_t e = 0; e < mesh.n_elements(); ++e) {
    const auto nodes = test::sorted_nodes<decltype(mesh.elements), Dim + 1>(mesh.elements, e);
    sum += nodes[Dim] - nodes[0];
  }
  return sum / mesh.n_elements();
}

/// Checks that `ordered` is `mesh` renumbered according to its maps.
template <int Dim> void check_same(const test::HostMesh<Dim>& mesh, const test::HostMesh<Dim>& ordered) {
  REQUIRE(ordered.n_nodes() == mesh.n_nodes());
  REQUIRE(ordered.n_elements() == mesh.n_elements());
  REQUIRE(is_permutation(ordered.original_node));
  REQUIRE(is_permutation(ordered.original_element));
  // By original number, since `mesh` may be renumbered itself.
  const auto invert = [](const auto& numbers, index_t n) {
    std::vector<index_t> inverse(static_cast<std::size_t>(n));
    if (numbers.extent(0) == 0)
      std::iota(inverse.begin(), inverse.end(), 0);
    else
      for (index_t i = 0; i < n; ++i)
        inverse[numbers(i)] = i;
    return inverse;
  };
  const auto node_of = invert(mesh.original_node, mesh.n_nodes());
  const auto element_of = invert(mesh.original_element, mesh.n_elements());
  bool is_same = true;
  for (index_t node = 0; node < mesh.n_nodes(); ++node)
    for (int d = 0; d < Dim; ++d)
      is_same = is_same && ordered.coordinates(node, d) == mesh.coordinates(node_of[ordered.original_node(node)], d);
  for (index_t e = 0; e < mesh.n_elements(); ++e) {
    const index_t old = element_of[ordered.original_element(e)];
    is_same = is_same && ordered.regions(e) == mesh.regions(old);
    for (int a = 0; a <= Dim; ++a)
      is_same = is_same && node_of[ordered.original_node(ordered.elements(e, a))] == mesh.elements(old, a);
  }
  for (index_t f = 0; f < mesh.n_facets(); ++f)
    for (int a = 0; a < Dim; ++a)
      is_same = is_same && node_of[ordered.original_node(ordered.facets(f, a))] == mesh.facets(f, a) &&
                ordered.facet_groups(f) == mesh.facet_groups(f);
  CHECK(is_same);
}

template <int Dim, class ExecutionSpace>
void check_order(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells) {
  const auto box = test::unit_box<Dim>(exec, cells);
  auto shuffled = test::on_host(exec, test::random_box<Dim>(exec, cells, 3));
  for (index_t e = 0; e < shuffled.n_elements(); ++e)
    shuffled.regions(e) = static_cast<group_t>(e % 5); // with a single region no mix-up would show
  const auto random = mesh::copy_mesh<typename ExecutionSpace::memory_space>(exec, shuffled);
  check_same(test::on_host(exec, box), test::on_host(exec, mesh::order_mesh(exec, box)));
  const auto ordered = test::on_host(exec, mesh::order_mesh(exec, random));
  check_same(test::on_host(exec, random), ordered);
  CHECK(test::smallest_measure(ordered) > 0.);

  // Neighbours are near each other: a random numbering has spans of the order of n_nodes.
  if (ordered.n_nodes() > 500)
    CHECK(mean_span(ordered) < 0.2 * mean_span(test::on_host(exec, random)));

  const auto again = test::on_host(exec, mesh::order_mesh(exec, random));
  bool is_equal = true;
  for (index_t e = 0; e < ordered.n_elements(); ++e)
    for (int a = 0; a <= Dim; ++a)
      is_equal = is_equal && ordered.elements(e, a) == again.elements(e, a);
  CHECK(is_equal);
}

} // namespace

TEMPLATE_LIST_TEST_CASE("an ordered mesh is the same mesh with near numbers", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  check_order<2>(exec, {61, 67});
  check_order<3>(exec, {13, 11, 17});
  check_order<2>(exec, {1, 1});
  check_order<3>(exec, {1, 1, 1});
}

TEMPLATE_LIST_TEST_CASE("the Morton curve visits the cells of a grid in Z order", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  const auto box = test::unit_box<2>(exec, {4, 4});
  const auto curve = mesh::curve_through(mesh::bounds_of(exec, box));
  const auto order = to_host(exec, mesh::morton_node_order(exec, box, curve));
  // Nodes of the 5 x 5 grid in the first quadrant of four: (0,0) (1,0) (0,1) (1,1).
  CHECK(order(0) == 0);
  CHECK(order(1) == 1);
  CHECK(order(2) == 5);
  CHECK(order(3) == 6);
  CHECK(order(4) == 2);
  CHECK(order(24) == 24);
}

TEMPLATE_LIST_TEST_CASE("orders that do not fit a mesh are refused", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  const auto box = test::unit_box<2>(exec, {2, 2});
  const auto short_order = test::array_of(exec, test::random_permutation(3, 1));
  CHECK_THROWS_AS(mesh::permute_mesh(exec, box, short_order, short_order), Error);
}
