// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "graph/partition/metis.hpp"
#include "host_mesh.hpp"
#include "mesh/box.hpp"
#include "mesh/parts/divide.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <numeric>

using namespace tessera;
using Catch::Matchers::ContainsSubstring;

namespace {

template <class ExecutionSpace, int Dim>
void check_division(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells) {
  std::array<double, Dim> lower{};
  std::array<double, Dim> upper;
  upper.fill(1.);
  const auto box = mesh::make_box<Dim>(exec, cells, lower, upper);
  std::vector<index_t> part_of; // parts unrelated to the order of the elements
  for (index_t e = 0; e < box.n_elements(); ++e)
    part_of.push_back((e * 7 / 3) % 4);
  const auto divided = mesh::divide_mesh<ExecutionSpace, Dim>(exec, box, part_of, 4);
  REQUIRE(divided.first_element.size() == 5);
  CHECK(divided.first_element.back() == box.n_elements());
  CHECK(divided.first_node.back() == box.n_nodes());
  const auto before = to_host(exec, divided.elements_of_before);
  const auto elements = to_host(exec, divided.mesh.elements);
  const auto old_node = to_host(exec, divided.mesh.original_node);
  const auto old_elements = to_host(exec, box.elements);
  std::vector<index_t> lowest(static_cast<std::size_t>(box.n_nodes()), 4);
  bool is_by_part = true;
  bool keeps_order = true;
  bool is_same = true;
  for (int part = 0; part < 4; ++part)
    for (index_t e = divided.first_element[part]; e < divided.first_element[part + 1]; ++e) {
      is_by_part = is_by_part && part_of[before(e)] == part;
      keeps_order = keeps_order && (e == divided.first_element[part] || before(e - 1) < before(e));
      for (int a = 0; a <= Dim; ++a) {
        is_same = is_same && old_node(elements(e, a)) == old_elements(before(e), a);
        index_t& first = lowest[static_cast<std::size_t>(elements(e, a))];
        first = std::min<index_t>(first, part);
      }
    }
  CHECK(is_by_part);
  CHECK(keeps_order);
  CHECK(is_same);
  bool nodes_are_by_part = true;
  for (int part = 0; part < 4; ++part)
    for (index_t n = divided.first_node[part]; n < divided.first_node[part + 1]; ++n)
      nodes_are_by_part = nodes_are_by_part && lowest[static_cast<std::size_t>(n)] == part;
  CHECK(nodes_are_by_part);
}

} // namespace

TEMPLATE_LIST_TEST_CASE("A divided mesh is the same mesh, numbered part by part", "[mesh][device]",
                        test::ExecutionSpaces) {
  const TestType exec;
  check_division<TestType, 2>(exec, {7, 5});
  check_division<TestType, 3>(exec, {3, 4, 2});
}

TEST_CASE("The graph of nodes has the edges of a mesh, and the elements around each node", "[mesh][device]") {
  using ExecutionSpace = std::tuple_element_t<0, test::ExecutionSpaces>;
  const ExecutionSpace exec;
  const auto box = mesh::make_box<2>(exec, {1, 1}, {0., 0.}, {1., 1.}); // two triangles: four sides and a diagonal
  const mesh::NodeGraph nodes = mesh::node_graph<ExecutionSpace, 2>(exec, box);
  REQUIRE(nodes.graph.offsets.size() == 5);
  CHECK(nodes.graph.neighbours.size() == 10);
  for (std::size_t n = 0; n < 4; ++n) { // an end of the diagonal belongs to both triangles
    const index_t n_neighbours = nodes.graph.offsets[n + 1] - nodes.graph.offsets[n];
    CHECK(n_neighbours == nodes.n_elements[n] + 1);
    CHECK((n_neighbours == 2 || n_neighbours == 3));
  }
}

TEST_CASE("Parts by METIS have even weights and short cuts", "[mesh][host]") {
  using ExecutionSpace = std::tuple_element_t<0, test::ExecutionSpaces>;
  const ExecutionSpace exec;
  const auto box = mesh::make_box<2>(exec, {40, 40}, {0., 0.}, {1., 1.}); // numbered row by row
  const mesh::HostGraph graph = mesh::element_graph<ExecutionSpace, 2>(exec, box);
  REQUIRE(graph.offsets.size() == static_cast<std::size_t>(box.n_elements()) + 1);
  if (*graph::metis_version() == '\0') {
    CHECK_THROWS_WITH(mesh::divide_by_metis(graph, {}, 2), ContainsSubstring("no METIS"));
    return;
  }
  std::vector<std::int64_t> weights(static_cast<std::size_t>(box.n_elements()), 1);
  std::fill(weights.begin(), weights.begin() + 800, 5'000'000'000); // exceeds METIS's integers
  std::fill(weights.begin() + 800, weights.end(), 1'000'000'000);
  for (const auto& work : {std::vector<std::int64_t>(), weights}) {
    const mesh::MetisDivision division = mesh::divide_by_metis(graph, work, 4);
    std::vector<double> sums(4, 0.);
    for (std::size_t e = 0; e < division.part_of.size(); ++e)
      sums.at(static_cast<std::size_t>(division.part_of[e])) += work.empty() ? 1. : static_cast<double>(work[e]);
    const double mean = std::accumulate(sums.begin(), sums.end(), 0.) / 4.;
    for (const double sum : sums)
      CHECK(std::abs(sum / mean - 1.) < 0.05);
    std::int64_t cut = 0;
    for (std::size_t e = 0; e < division.part_of.size(); ++e)
      for (index_t k = graph.offsets[e]; k < graph.offsets[e + 1]; ++k)
        cut += division.part_of[e] < division.part_of[static_cast<std::size_t>(graph.neighbours[k])] ||
                       division.part_of[e] > division.part_of[static_cast<std::size_t>(graph.neighbours[k])]
                   ? 1
                   : 0;
    CHECK(division.cut == cut / 2);
    CHECK(division.n_neighbours == 3 * 40 * 40 - 2 * 40);
    CHECK(division.cut < division.cut_of_runs); // three rows of 40 or more
  }
  CHECK_THROWS_WITH(mesh::divide_by_metis(mesh::HostGraph{{0, 1, 2}, {1, 0}}, {}, 3),
                    ContainsSubstring("3 processes are more than the mesh has elements (2)"));
}
