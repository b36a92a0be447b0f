// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "graph/ordered_scatter.hpp"
#include "support/random_mesh.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <type_traits>

namespace tessera::test {

namespace {

/// Updates the sum such that the order matters.
KOKKOS_INLINE_FUNCTION void add(double& sum, index_t e, int a) { sum = 0.75 * sum + (e % 97) + 0.3 * a; }

template <int N, class Space> struct AddToNodes {
  Array<const index_t*, Space> nodes;
  Array<double*, Space> sums;
  KOKKOS_FUNCTION void operator()(index_t e, const graph::OwnNodes& owns) const {
    for (int a = 0; a < N; ++a)
      if (owns(nodes(e * N + a)))
        add(sums(nodes(e * N + a)), e, a);
  }
};

template <int N, class ExecutionSpace>
std::vector<double> scattered(const ExecutionSpace& exec, const std::vector<index_t>& nodes, index_t n_vertices,
                              index_t n_nodes) {
  using Space = typename ExecutionSpace::memory_space;
  const Array<const index_t*, Space> element_nodes = array_of(exec, nodes);
  const auto sums = array_of(exec, std::vector<double>(static_cast<std::size_t>(n_nodes), 0.));
  if constexpr (is_host_space<ExecutionSpace>)
    graph::ordered_scatter<N>("test::add_to_nodes", exec, element_nodes, n_vertices, n_nodes,
                              AddToNodes<N, Space>{element_nodes, sums});
  const auto host = to_host(exec, sums);
  return {host.data(), host.data() + host.extent(0)};
}

template <int N> std::vector<double> expected(const std::vector<index_t>& nodes, index_t n_nodes) {
  std::vector<double> sums(static_cast<std::size_t>(n_nodes), 0.);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    add(sums[static_cast<std::size_t>(nodes[i])], static_cast<index_t>(i / N), static_cast<int>(i % N));
  return sums;
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Sums at nodes have the order of the elements, however many threads add", "[graph]",
                        ExecutionSpaces) {
  const TestType exec;
  if (!is_host_space<TestType>)
    return;
  for (const bool is_random : {false, true}) {
    const auto mesh = is_random ? random_box<2>(exec, {61, 47}, 3) : unit_box<2>(exec, {61, 47});
    const auto host = to_host(exec, mesh.elements);
    const std::vector<index_t> nodes(host.data(), host.data() + host.size());
    // Nodes after the vertices are partitioned separately: the sums must not depend on the number of vertices.
    for (const index_t n_vertices : {mesh.n_nodes(), mesh.n_nodes() / 3, index_t(1)})
      CHECK(scattered<3>(exec, nodes, n_vertices, mesh.n_nodes()) == expected<3>(nodes, mesh.n_nodes()));
  }
  CHECK(scattered<3>(exec, {2, 0, 1}, 3, 3) == expected<3>({2, 0, 1}, 3)); // fewer nodes than threads, perhaps
}

TEST_CASE("Ranges of nodes hold each node once", "[graph]") {
  for (const int n_ranges : {1, 2, 3, 7, 64})
    for (const index_t n_vertices : {1, 5, 64, 1000})
      for (const index_t n_nodes : {n_vertices, n_vertices + 1, 4 * n_vertices + 3}) {
        const graph::detail::NodeRanges ranges(n_vertices, n_nodes, n_ranges);
        int n_wrong = 0;
        for (index_t node = 0; node < n_nodes; ++node)
          for (int range = 0; range < n_ranges; ++range)
            n_wrong += ranges.own(range)(node) != (ranges.of_node(node) == range) ? 1 : 0;
        CHECK(n_wrong == 0);
      }
}

} // namespace tessera::test
