// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "graph/components.hpp"
#include "graph/partition/partition.hpp"
#include "random_mesh.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>

#include <numeric>
#include <utility>

using namespace tessera;

namespace {

/// Graph of `n` vertices with the given edges; vertices have up to three neighbours.
template <class ExecutionSpace>
graph::Neighbours<3, typename ExecutionSpace::memory_space>
graph_of(const ExecutionSpace& exec, index_t n, const std::vector<std::pair<index_t, index_t>>& edges) {
  Array<index_t* [3], HostMemory> host("test::neighbours", n);
  Kokkos::deep_copy(host, -1);
  const auto add = [&](index_t from, index_t to) {
    int k = 0;
    while (host(from, k) >= 0)
      ++k;
    host(from, k) = to;
  };
  for (const auto& [one, two] : edges) {
    add(one, two);
    add(two, one);
  }
  Array<index_t* [3], ExecutionSpace> table("test::neighbours", n);
  Kokkos::deep_copy(exec, table, host);
  exec.fence();
  return {table};
}

} // namespace

TEMPLATE_LIST_TEST_CASE("components are named by their smallest vertices", "[graph]", test::ExecutionSpaces) {
  const TestType exec;
  // A path through 4000 vertices in random order, cut where the part changes, and 4000 isolated vertices.
  const index_t n = 4000;
  const auto path = test::random_permutation(n, 7);
  std::vector<std::pair<index_t, index_t>> edges;
  std::vector<index_t> parts(2 * n, 0), expected(2 * n);
  std::iota(expected.begin(), expected.end(), 0);
  for (index_t i = 0; i < n; ++i) {
    parts[path[i]] = i / 900 % 2;
    if (i > 0)
      edges.push_back({path[i - 1], path[i]});
  }
  for (index_t begin = 0; begin < n; begin += 900) {
    const auto first = path.begin() + begin, last = path.begin() + std::min(begin + 900, n);
    const index_t smallest = *std::min_element(first, last);
    for (auto v = first; v != last; ++v)
      expected[*v] = smallest;
  }
  const auto root = make_array<Array<index_t*, TestType>>(exec, "test::roots", 2 * n);
  const auto parents = make_array<Array<index_t*, TestType>>(exec, "test::parents", 2 * n);
  graph::find_components<TestType, 3>(exec, graph_of(exec, 2 * n, edges), test::array_of(exec, parts), parents, root);
  const auto found = to_host(exec, root);
  CHECK(std::vector<index_t>(found.data(), found.data() + 2 * n) == expected);
}

TEMPLATE_LIST_TEST_CASE("pieces of a part go where they have most edges", "[graph]", test::ExecutionSpaces) {
  const TestType exec;
  using Space = typename TestType::memory_space;
  // A ring of twelve vertices with chords. Part 0 has the pieces {0, 1, 2}, {6} and {9, 10}; 6 lies between parts 1
  // (vertex 5) and 2 (7, and 8 by a chord), 9 and 10 between 2 and 1 (11, and 3 by a chord).
  const std::vector<index_t> parts{0, 0, 0, 1, 1, 1, 0, 2, 2, 0, 0, 1};
  std::vector<std::pair<index_t, index_t>> edges{{6, 8}, {10, 3}, {11, 4}};
  for (index_t v = 0; v < 12; ++v)
    edges.push_back({v, (v + 1) % 12});
  graph::Partition<2, Space> made;
  made.neighbours = graph_of(exec, 12, edges);
  made.points = Array<index_t* [2], Space>("test::points", 12);
  made.targets = Array<graph::PartTarget*, Space>("test::targets", 3);
  made.part = test::array_of(exec, parts);
  made.size = make_array<Array<index_t*, Space>>(exec, "test::sizes", 3);
  graph::connect_parts(exec, made);
  const auto found = to_host(exec, made.part);
  CHECK(std::vector<index_t>(found.data(), found.data() + 12) ==
        std::vector<index_t>{0, 0, 0, 1, 1, 1, 2, 2, 2, 1, 1, 1});
  const auto size = to_host(exec, made.size);
  CHECK(std::vector<index_t>(size.data(), size.data() + 3) == std::vector<index_t>{3, 6, 3});
}

TEST_CASE("parts are apportioned by size, one at least to each component", "[graph]") {
  using Shares = std::vector<index_t>;
  CHECK(graph::apportion_parts({100}, 7) == Shares{7});
  CHECK(graph::apportion_parts({100, 100}, 7) == Shares{4, 3});
  CHECK(graph::apportion_parts({10, 60, 30}, 10) == Shares{1, 6, 3});
  CHECK(graph::apportion_parts({1, 1, 998}, 10) == Shares{1, 1, 8});
  CHECK(graph::apportion_parts({50, 1, 49}, 2) == Shares{1, 1, 1});
  CHECK(graph::apportion_parts({3, 2, 1}, 6) == Shares{3, 2, 1});
  CHECK(graph::apportion_parts({1000000000, 1147483647}, 2000000000) == Shares{931322575, 1068677425});
  // A component that becomes too small only after smaller ones got their shares.
  CHECK(graph::apportion_parts({1, 1, 1, 1, 13, 83}, 8) == Shares{1, 1, 1, 1, 1, 3});
}

TEST_CASE("sizes of parts stay within a fifth of the mean", "[graph]") {
  const auto check = [](index_t n_members, index_t n_parts, index_t lowest, index_t highest) {
    const auto target = graph::part_target(n_members, n_parts);
    CHECK(target.lowest == lowest);
    CHECK(target.highest == highest);
  };
  check(1000, 10, 80, 120);
  check(40, 10, 3, 5);
  check(10, 10, 1, 2);
  check(15, 10, 1, 2);
  check(2000000000, 1, 1600000000, 2000000000);
}
