// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "host_mesh.hpp"
#include "mesh/edges.hpp"
#include "random_mesh.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>

#include <map>
#include <set>

using namespace tessera;

namespace {

template <int Dim, class ExecutionSpace>
void check_edges(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& made) {
  using Simplex = mesh::Simplex<Dim>;
  const auto mesh = test::on_host(exec, made);
  std::set<std::pair<index_t, index_t>> expected;
  for (index_t e = 0; e < mesh.n_elements(); ++e)
    for (int k = 0; k < Simplex::n_edges; ++k) {
      const index_t a = mesh.elements(e, Simplex::edge_begin(k));
      const index_t b = mesh.elements(e, Simplex::edge_end(k));
      expected.insert({std::min(a, b), std::max(a, b)});
    }

  const auto edges = mesh::build_edges(exec, made);
  const auto element_edges = to_host(exec, mesh::build_element_edges(exec, made, edges));

  const auto offsets = to_host(exec, edges.offsets);
  const auto upper = to_host(exec, edges.upper);
  std::vector<std::pair<index_t, index_t>> found;
  for (index_t node = 0; node < mesh.n_nodes(); ++node)
    for (index_t k = offsets(node); k < offsets(node + 1); ++k)
      found.push_back({node, upper(k)});
  // The set is sorted, so the edges are numbered by (lower, upper) node.
  REQUIRE(found == std::vector<std::pair<index_t, index_t>>(expected.begin(), expected.end()));
  bool is_right = true;
  for (index_t e = 0; e < mesh.n_elements(); ++e)
    for (int k = 0; k < Simplex::n_edges; ++k) {
      const index_t a = mesh.elements(e, Simplex::edge_begin(k));
      const index_t b = mesh.elements(e, Simplex::edge_end(k));
      is_right = is_right && found[element_edges(e, k)] == std::make_pair(std::min(a, b), std::max(a, b));
    }
  CHECK(is_right);
}

} // namespace

TEMPLATE_LIST_TEST_CASE("every edge of a random mesh has one number", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  check_edges<2>(exec, test::random_box<2>(exec, {37, 41}, 1));
  check_edges<3>(exec, test::random_box<3>(exec, {7, 11, 5}, 2));
  check_edges<2>(exec, test::unit_box<2>(exec, {1, 1}));
}

TEMPLATE_LIST_TEST_CASE("a node of many edges has them all", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  // 100 triangles around node 0: its row exceeds the buffer several times.
  std::vector<index_t> nodes;
  for (index_t k = 0; k < 100; ++k)
    nodes.insert(nodes.end(), {0, 1 + k, 1 + (k + 1) % 100});
  mesh::Mesh<2, typename TestType::memory_space> fan;
  // the last node is in no element
  fan.coordinates = make_array<decltype(fan.coordinates)>(exec, "test::coordinates", 102);
  fan.elements = make_array<decltype(fan.elements)>(exec, "test::elements", 100);
  Kokkos::deep_copy(exec, Array<index_t*, TestType>(fan.elements.data(), 300), test::array_of(exec, nodes));
  exec.fence();
  check_edges<2>(exec, fan);
}

TEST_CASE("local edges join the vertices that edge_of names", "[mesh]") {
  for (int edge = 0; edge < 6; ++edge) {
    CHECK(mesh::Simplex<3>::edge_of(mesh::Simplex<3>::edge_begin(edge), mesh::Simplex<3>::edge_end(edge)) == edge);
    CHECK(mesh::Simplex<3>::edge_of(mesh::Simplex<3>::edge_end(edge), mesh::Simplex<3>::edge_begin(edge)) == edge);
  }
}
