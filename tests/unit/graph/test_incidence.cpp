// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "graph/colouring/conflict_graph.hpp"
#include "graph/incidence.hpp"
#include "random_mesh.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>

#include <map>
#include <set>

using namespace tessera;

namespace {

using Lists = std::vector<std::vector<offset_t>>;

/// Computed by plain loops over the pairs.
Lists expected_pairs(const std::vector<index_t>& element_nodes, const std::vector<index_t>& node_rows, index_t n_rows) {
  Lists lists(static_cast<std::size_t>(n_rows));
  for (std::size_t s = 0; s < element_nodes.size(); ++s) {
    const index_t row = node_rows.empty() ? element_nodes[s] : node_rows[element_nodes[s]];
    if (row >= 0 && row < n_rows)
      lists[row].push_back(static_cast<offset_t>(s));
  }
  return lists;
}

template <class ExecutionSpace>
Lists built_pairs(const ExecutionSpace& exec, const std::vector<index_t>& element_nodes, int per_element,
                  const std::vector<index_t>& node_rows, index_t n_rows) {
  const auto rows = graph::build_incidence<ExecutionSpace>(exec, test::array_of(exec, element_nodes), per_element,
                                                           test::array_of(exec, node_rows), n_rows);
  const auto offsets = to_host(exec, rows.offsets);
  const auto pairs = to_host(exec, rows.pairs);
  REQUIRE(rows.n_rows() == n_rows);
  Lists lists;
  for (index_t row = 0; row < n_rows; ++row)
    lists.emplace_back(pairs.data() + offsets(row), pairs.data() + offsets(row + 1));
  REQUIRE(static_cast<std::size_t>(offsets(n_rows)) == pairs.extent(0));
  return lists;
}

template <int Dim, class ExecutionSpace>
std::vector<index_t> random_elements(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells) {
  const auto mesh = test::random_box<Dim>(exec, cells, 7);
  const auto nodes = to_host(exec, test::flat_nodes(exec, mesh));
  return std::vector<index_t>(nodes.data(), nodes.data() + nodes.extent(0));
}

} // namespace

TEMPLATE_LIST_TEST_CASE("the incidence lists the elements at each node in ascending order", "[graph]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const auto triangles = random_elements<2>(exec, {31, 29});
  CHECK(built_pairs(exec, triangles, 3, {}, 32 * 30) == expected_pairs(triangles, {}, 32 * 30));
  const auto tetrahedra = random_elements<3>(exec, {7, 5, 11});
  CHECK(built_pairs(exec, tetrahedra, 4, {}, 8 * 6 * 12) == expected_pairs(tetrahedra, {}, 8 * 6 * 12));
}

TEMPLATE_LIST_TEST_CASE("the incidence leaves out nodes without a row and gathers those that share one", "[graph]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const auto triangles = random_elements<2>(exec, {41, 37});
  const index_t n_nodes = 42 * 38;
  std::vector<index_t> rows(n_nodes);
  index_t n_rows = 0;
  // A seventh of the nodes has no row (some numbers below, some above the range); a third shares the last row, whose
  // length then exceeds both one byte and what one thread sorts.
  for (index_t node = 0; node < n_nodes; ++node)
    rows[node] = node % 7 == 0 ? (node % 2 == 0 ? -1 : n_nodes + node) : (node % 3 == 0 ? -2 : n_rows++);
  const index_t shared = n_rows++;
  std::replace(rows.begin(), rows.end(), index_t(-2), shared);

  const auto lists = built_pairs(exec, triangles, 3, rows, n_rows);

  CHECK(lists == expected_pairs(triangles, rows, n_rows));
  CHECK(lists[shared].size() > 1000);
}

TEMPLATE_LIST_TEST_CASE("pairs of rows of medium length are sorted together", "[graph]", test::ExecutionSpaces) {
  const TestType exec;
  // Fans of 70 and of 300 triangles, and a single triangle.
  std::vector<index_t> triangles;
  index_t next = 3;
  for (const index_t size : {70, 300}) {
    const index_t hub = size == 70 ? 0 : 1;
    for (index_t k = 0; k < size; ++k)
      triangles.insert(triangles.end(), {next + k, hub, next + (k + 1) % size});
    next += size;
  }
  triangles.insert(triangles.end(), {2, next, next + 1});
  const index_t n_nodes = next + 3; // the last ones are in no element
  CHECK(built_pairs(exec, triangles, 3, {}, n_nodes) == expected_pairs(triangles, {}, n_nodes));
}

TEMPLATE_LIST_TEST_CASE("the incidence of nothing is empty", "[graph]", test::ExecutionSpaces) {
  const TestType exec;
  CHECK(built_pairs(exec, {}, 3, {}, 0).empty());
  CHECK(built_pairs(exec, {}, 4, {}, 2) == Lists(2));
  CHECK(built_pairs(exec, {0, 1, 2}, 3, {-1, -1, -1}, 0).empty());
  CHECK(built_pairs(exec, {2, 0, 1}, 3, {}, 3) == Lists{{1}, {2}, {0}});
}

TEMPLATE_LIST_TEST_CASE("the conflict graph joins elements that share a node, once", "[graph]", test::ExecutionSpaces) {
  const TestType exec;
  const auto tetrahedra = random_elements<3>(exec, {3, 5, 4});
  const index_t n_nodes = 4 * 6 * 5;
  const index_t n_elements = static_cast<index_t>(tetrahedra.size() / 4);
  std::vector<std::set<index_t>> expected(n_elements);
  for (const auto& pairs : expected_pairs(tetrahedra, {}, n_nodes))
    for (const offset_t a : pairs)
      for (const offset_t b : pairs)
        if (a / 4 != b / 4)
          expected[a / 4].insert(b / 4);

  const auto graph = graph::build_conflict_graph<TestType>(exec, test::array_of(exec, tetrahedra), 4, n_nodes);

  const auto offsets = to_host(exec, graph.offsets);
  const auto neighbors = to_host(exec, graph.neighbors);
  REQUIRE(graph.n_vertices() == n_elements);
  for (index_t e = 0; e < n_elements; ++e) {
    const std::set<index_t> found(neighbors.data() + offsets(e), neighbors.data() + offsets(e + 1));
    REQUIRE(found == expected[e]);
    REQUIRE(static_cast<offset_t>(found.size()) == offsets(e + 1) - offsets(e));
  }
}
