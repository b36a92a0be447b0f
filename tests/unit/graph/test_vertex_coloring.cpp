// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/transfer/upload.hpp"
#include "graph/colouring/vertex_coloring.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

using namespace tessera;

namespace {

using Neighbors = std::vector<std::set<index_t>>;

Neighbors random_graph(index_t n, int n_edges, unsigned seed) {
  std::mt19937 random(seed);
  Neighbors graph(static_cast<std::size_t>(n));
  for (int e = 0; e < n_edges; ++e) {
    const auto u = static_cast<index_t>(random() % static_cast<unsigned>(n));
    const auto v = static_cast<index_t>(random() % static_cast<unsigned>(n));
    graph[static_cast<std::size_t>(u)].insert(v); // including self-loops
    graph[static_cast<std::size_t>(v)].insert(u);
  }
  return graph;
}

template <class ExecutionSpace> std::vector<index_t> colors_of(const ExecutionSpace& exec, const Neighbors& graph) {
  std::vector<offset_t> offsets = {0};
  std::vector<index_t> neighbors;
  for (const auto& list : graph) {
    neighbors.insert(neighbors.end(), list.begin(), list.end());
    offsets.push_back(static_cast<offset_t>(neighbors.size()));
  }
  const auto colors = to_host(exec, graph::color_vertices<ExecutionSpace>(exec, uploaded(exec, "test", offsets),
                                                                          uploaded(exec, "test", neighbors)));
  return std::vector<index_t>(colors.data(), colors.data() + colors.extent(0));
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Neighbours have different colours, few and the same on all spaces", "[graph][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  Neighbors complete(150); // more colours than bits in a word
  for (index_t u = 0; u < 150; ++u)
    for (index_t v = 0; v < 150; ++v)
      complete[static_cast<std::size_t>(u)].insert(v);
  for (const Neighbors& graph :
       {random_graph(5000, 12000, 1), random_graph(300, 9000, 2), complete, Neighbors(9), Neighbors{{}}, Neighbors()}) {
    const std::vector<index_t> colors = colors_of(exec, graph);
    REQUIRE(colors.size() == graph.size());
    for (std::size_t u = 0; u < graph.size(); ++u) {
      REQUIRE(colors[u] >= 0);
      REQUIRE(colors[u] <= static_cast<index_t>(graph[u].size())); // the smallest that no neighbour has
      for (const index_t v : graph[u])
        if (static_cast<std::size_t>(v) != u)
          REQUIRE(colors[static_cast<std::size_t>(v)] != colors[u]);
    }
    REQUIRE(colors == colors_of(Kokkos::DefaultHostExecutionSpace(), graph));
  }
}
