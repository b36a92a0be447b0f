// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/transfer/upload.hpp"
#include "driver/problem/connected_parts.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace tessera::test {

namespace {

constexpr int n_boundaries = 2;
constexpr group_t none = fe::DofMap<HostMemory>::unconstrained;

/// Triangles and the boundaries of their nodes; the unknown of node n is n.
struct Triangles {
  std::vector<index_t> nodes;
  std::vector<group_t> boundary;
};

/// Rows of squares, each of two triangles, that the columns at multiples of `period` separate, if they have a boundary.
/// Nodes and triangles are numbered by rows, or at random.
Triangles strips(index_t n, index_t period, bool separate, bool shuffled) {
  std::mt19937 random(7);
  std::vector<index_t> number((n + 1) * (n + 1));
  for (std::size_t i = 0; i < number.size(); ++i)
    number[i] = static_cast<index_t>(i);
  std::vector<index_t> squares(n * n);
  for (std::size_t i = 0; i < squares.size(); ++i)
    squares[i] = static_cast<index_t>(i);
  if (shuffled) {
    std::shuffle(number.begin(), number.end(), random);
    std::shuffle(squares.begin(), squares.end(), random);
  }
  Triangles mesh;
  for (const index_t s : squares) {
    const index_t low = s / n * (n + 1) + s % n;
    for (const index_t node : {low, low + 1, low + n + 1, low + 1, low + n + 2, low + n + 1})
      mesh.nodes.push_back(number[node]);
  }
  mesh.boundary.assign(number.size(), none);
  for (index_t y = 0; y <= n && separate; ++y)
    for (index_t x = 0; x <= n; x += period)
      mesh.boundary[number[y * (n + 1) + x]] = x % (2 * period) == 0 ? 0 : 1;
  return mesh;
}

struct Parts {
  index_t n = 1;
  std::vector<index_t> of_element, of_unknown;
};

/// By repeated passes over the elements, with parts numbered by their smallest unknowns.
Parts expected_parts(const Triangles& mesh) {
  const auto is_open = [&](index_t node) { return mesh.boundary[node] >= n_boundaries; };
  std::vector<index_t> root(mesh.boundary.size());
  for (std::size_t i = 0; i < root.size(); ++i)
    root[i] = static_cast<index_t>(i);
  for (bool changes = true; changes;) {
    changes = false;
    for (std::size_t e = 0; e < mesh.nodes.size() / 3; ++e) {
      index_t smallest = static_cast<index_t>(root.size());
      for (std::size_t a = 3 * e; a < 3 * e + 3; ++a)
        smallest = is_open(mesh.nodes[a]) ? std::min(smallest, root[mesh.nodes[a]]) : smallest;
      for (std::size_t a = 3 * e; a < 3 * e + 3; ++a)
        if (is_open(mesh.nodes[a]) && root[mesh.nodes[a]] != smallest) {
          root[mesh.nodes[a]] = smallest;
          changes = true;
        }
    }
  }
  std::vector<index_t> roots;
  for (const index_t node : mesh.nodes)
    if (is_open(node))
      roots.push_back(root[node]);
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  const auto number_of = [&](index_t node) {
    const auto at = std::lower_bound(roots.begin(), roots.end(), root[node]);
    return is_open(node) && at != roots.end() && *at == root[node] ? static_cast<index_t>(at - roots.begin()) : -1;
  };
  Parts parts;
  parts.n = static_cast<index_t>(roots.size());
  for (std::size_t e = 0; e < mesh.nodes.size() / 3; ++e)
    parts.of_element.push_back(
        std::max({number_of(mesh.nodes[3 * e]), number_of(mesh.nodes[3 * e + 1]), number_of(mesh.nodes[3 * e + 2])}));
  for (std::size_t i = 0; i < root.size(); ++i)
    parts.of_unknown.push_back(number_of(static_cast<index_t>(i)));
  return parts;
}

template <class Exec> Parts found_parts(const Triangles& mesh) {
  using Space = typename Exec::memory_space;
  const Exec exec;
  const auto n = static_cast<index_t>(mesh.boundary.size());
  std::vector<index_t> own(mesh.boundary.size());
  for (index_t i = 0; i < n; ++i)
    own[i] = i;
  fe::DofMap<Space> dofs;
  dofs.n_regular = dofs.n_free = n;
  dofs.node_dof = uploaded(exec, "test::dofs", own);
  const auto table = uploaded(exec, "test::nodes", mesh.nodes);
  const auto boundary = uploaded(exec, "test::boundaries", mesh.boundary);
  const auto found = driver::find_connected_parts<Exec>(exec, fe::ElementTable<Space>{table, 3}, dofs,
                                                        Array<const group_t*, Exec>(boundary), n_boundaries);
  Parts parts;
  parts.n = found.n;
  const auto elements = to_host(exec, found.of_element);
  const auto unknowns = to_host(exec, found.of_unknown);
  parts.of_element.assign(elements.data(), elements.data() + elements.extent(0));
  parts.of_unknown.assign(unknowns.data(), unknowns.data() + unknowns.extent(0));
  return parts;
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Connected parts are numbered by their smallest unknowns", "[driver][device]",
                        ExecutionSpaces) {
  for (const bool shuffled : {false, true})
    for (const index_t period : {3, 8, 60}) {
      INFO((shuffled ? "shuffled, " : "by rows, ") << period << " columns each");
      const Triangles mesh = strips(60, period, true, shuffled);
      const Parts parts = found_parts<TestType>(mesh);
      const Parts expected = expected_parts(mesh);
      REQUIRE(parts.n == expected.n);
      CHECK(parts.n == (60 + period - 1) / period);
      if (parts.n > 1) {
        CHECK(parts.of_element == expected.of_element);
        CHECK(parts.of_unknown == expected.of_unknown);
      }
    }
}

TEMPLATE_LIST_TEST_CASE("A connected mesh is one part, without a table", "[driver][device]", ExecutionSpaces) {
  for (const bool shuffled : {false, true}) {
    const Parts parts = found_parts<TestType>(strips(300, 1, false, shuffled));
    CHECK(parts.n == 1);
    CHECK(parts.of_element.empty());
  }
}

} // namespace tessera::test
