// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "graph/colouring/coloring.hpp"
#include "random_mesh.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace tessera;
using graph::ColoringMethod;

namespace {

const std::vector<ColoringMethod> all_methods = {ColoringMethod::ccm, ColoringMethod::fcm, ColoringMethod::ofcm,
                                                 ColoringMethod::kokkos_kernels, ColoringMethod::node_claims};

/// Independent of verify_coloring: plain loops on the host.
template <class ExecutionSpace>
void check_on_host(const ExecutionSpace& exec, const graph::Coloring<typename ExecutionSpace::memory_space>& coloring,
                   const Array<const index_t*, ExecutionSpace>& element_nodes, int per_element, index_t n_nodes) {
  const auto nodes = to_host(exec, element_nodes);
  const auto elements = to_host(exec, coloring.elements);
  const auto colors = to_host(exec, coloring.colors);
  REQUIRE(coloring.color_offsets.size() == static_cast<std::size_t>(coloring.n_colors) + 1);
  std::vector<int> visits(elements.extent(0), 0);
  bool is_valid = true;
  bool is_ascending = true;
  for (int c = 0; c < coloring.n_colors; ++c) {
    REQUIRE(coloring.class_size(c) > 0);
    std::vector<bool> taken(static_cast<std::size_t>(n_nodes), false);
    for (index_t k = coloring.color_offsets[c]; k < coloring.color_offsets[c + 1]; ++k) {
      ++visits[elements(k)];
      is_ascending = is_ascending && (k == coloring.color_offsets[c] || elements(k - 1) < elements(k));
      is_valid = is_valid && colors(elements(k)) == c;
      for (int a = 0; a < per_element; ++a) {
        const index_t node = nodes(static_cast<std::int64_t>(elements(k)) * per_element + a);
        is_valid = is_valid && !taken[node];
        taken[node] = true;
      }
    }
  }
  CHECK(is_valid);
  CHECK(is_ascending);
  CHECK(std::all_of(visits.begin(), visits.end(), [](int n) { return n == 1; }));
}

template <class ExecutionSpace>
void check_all_methods(const ExecutionSpace& exec, const Array<const index_t*, ExecutionSpace>& element_nodes,
                       int per_element, index_t n_nodes, int most_colors) {
  for (const ColoringMethod method : all_methods)
    for (const bool deterministic : {false, true}) {
      INFO(graph::coloring_method_name(method) << (deterministic ? ", deterministic" : ""));
      graph::ColoringOptions options;
      options.deterministic = deterministic;
      const auto coloring =
          graph::color_elements<ExecutionSpace>(exec, method, element_nodes, per_element, n_nodes, options);
      check_on_host<ExecutionSpace>(exec, coloring, element_nodes, per_element, n_nodes);
      CHECK_NOTHROW(graph::verify_coloring<ExecutionSpace>(exec, coloring, element_nodes, per_element, n_nodes));
      CHECK(coloring.n_colors <= most_colors);
      CHECK(coloring.smallest_class() <= coloring.mean_class());
      CHECK(coloring.mean_class() <= coloring.largest_class());
    }
}

template <class ExecutionSpace>
std::vector<int> colors_of(const ExecutionSpace& exec, ColoringMethod method, bool deterministic,
                           const Array<const index_t*, ExecutionSpace>& element_nodes, int per_element,
                           index_t n_nodes) {
  graph::ColoringOptions options;
  options.deterministic = deterministic;
  const auto colors = to_host(
      exec, graph::color_elements<ExecutionSpace>(exec, method, element_nodes, per_element, n_nodes, options).colors);
  return std::vector<int>(colors.data(), colors.data() + colors.extent(0));
}

/// Triangles around one node.
std::vector<index_t> fan(index_t size) {
  std::vector<index_t> triangles;
  for (index_t k = 0; k < size; ++k)
    triangles.insert(triangles.end(), {0, 1 + k, 1 + (k + 1) % size});
  return triangles;
}

} // namespace

TEMPLATE_LIST_TEST_CASE("every colouring of a random mesh is valid", "[graph]", test::ExecutionSpaces) {
  const TestType exec;
  const unsigned seed = GENERATE(1u, 2u);
  const auto triangles = test::random_box<2>(exec, {97, 89}, seed);
  check_all_methods<TestType>(exec, test::flat_nodes(exec, triangles), 3, triangles.n_nodes(), 16);
  const auto tetrahedra = test::random_box<3>(exec, {13, 11, 17}, seed);
  check_all_methods<TestType>(exec, test::flat_nodes(exec, tetrahedra), 4, tetrahedra.n_nodes(), 64);
}

TEMPLATE_LIST_TEST_CASE("colourings of one element, of none, and of many at one node are valid", "[graph]",
                        test::ExecutionSpaces) {
  const TestType exec;
  check_all_methods<TestType>(exec, test::array_of<index_t>(exec, {2, 0, 1}), 3, 3, 1);
  check_all_methods<TestType>(exec, test::array_of<index_t>(exec, {}), 4, 0, 0);
  for (const index_t size : {17, 40, 70, 300}) { // beyond 16, 32, 64 and 256 colours
    INFO(size << " triangles around a node");
    check_all_methods<TestType>(exec, test::array_of(exec, fan(size)), 3, size + 1, size);
  }
}

TEMPLATE_LIST_TEST_CASE("colourings work for elements of any number of nodes", "[graph]", test::ExecutionSpaces) {
  const TestType exec;
  // A chain of segments and a strip of elements of six nodes that share two.
  std::vector<index_t> segments;
  std::vector<index_t> strip;
  for (index_t k = 0; k < 1009; ++k) {
    segments.insert(segments.end(), {k, k + 1});
    for (index_t a = 0; a < 6; ++a)
      strip.push_back(4 * k + a);
  }
  check_all_methods<TestType>(exec, test::array_of(exec, segments), 2, 1010, 48);
  check_all_methods<TestType>(exec, test::array_of(exec, strip), 6, 4 * 1009 + 2, 12);
}

TEMPLATE_LIST_TEST_CASE("ccm, fcm and ofcm give the same colours", "[graph]", test::ExecutionSpaces) {
  const TestType exec;
  const auto mesh = test::random_box<2>(exec, {53, 47}, 5);
  const auto nodes = test::flat_nodes(exec, mesh);
  const auto ccm = colors_of<TestType>(exec, ColoringMethod::ccm, false, nodes, 3, mesh.n_nodes());
  CHECK(colors_of<TestType>(exec, ColoringMethod::fcm, false, nodes, 3, mesh.n_nodes()) == ccm);
  CHECK(colors_of<TestType>(exec, ColoringMethod::ofcm, false, nodes, 3, mesh.n_nodes()) == ccm);
  const std::vector<index_t> hub = fan(300);
  const auto hub_ccm = colors_of<TestType>(exec, ColoringMethod::ccm, false, test::array_of(exec, hub), 3, 301);
  CHECK(colors_of<TestType>(exec, ColoringMethod::ofcm, false, test::array_of(exec, hub), 3, 301) == hub_ccm);
}

TEMPLATE_LIST_TEST_CASE("deterministic claims give the same colours in every run and on every backend", "[graph]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const auto mesh = test::random_box<3>(exec, {11, 13, 7}, 3);
  const auto nodes = test::flat_nodes(exec, mesh);
  const auto first = colors_of<TestType>(exec, ColoringMethod::node_claims, true, nodes, 4, mesh.n_nodes());
  for (int run = 0; run < 5; ++run)
    CHECK(colors_of<TestType>(exec, ColoringMethod::node_claims, true, nodes, 4, mesh.n_nodes()) == first);

  using Host = std::tuple_element_t<0, ExecutionSpaces>;
  const Host host;
  const auto host_mesh = test::random_box<3>(host, {11, 13, 7}, 3);
  CHECK(colors_of<Host>(host, ColoringMethod::node_claims, true, test::flat_nodes(host, host_mesh), 4,
                        mesh.n_nodes()) == first);
}

TEMPLATE_LIST_TEST_CASE("classes of node claims are even", "[graph]", test::ExecutionSpaces) {
  const TestType exec;
  const auto mesh = test::unit_box<2>(exec, {200, 200});
  const auto coloring = graph::color_elements<TestType>(exec, ColoringMethod::node_claims, test::flat_nodes(exec, mesh),
                                                        3, mesh.n_nodes());
  CHECK(coloring.n_colors >= 11);
  CHECK(coloring.n_colors <= 13);
  CHECK(coloring.largest_class() < 1.05 * coloring.n_colors / 12. * coloring.mean_class());
}

TEMPLATE_LIST_TEST_CASE("a wrong colouring is refused with its elements and node", "[graph]", test::ExecutionSpaces) {
  using Catch::Matchers::ContainsSubstring;
  const TestType exec;
  const auto nodes = test::array_of<index_t>(exec, {0, 1, 2, 1, 3, 2, 4, 5, 6});
  graph::Coloring<typename TestType::memory_space> coloring;
  coloring.n_colors = 1;
  coloring.color_offsets = {0, 3};
  coloring.elements = test::array_of<index_t>(exec, {0, 1, 2});
  coloring.colors = test::array_of<graph::color_t>(exec, {0, 0, 0});
  CHECK_THROWS_WITH(graph::verify_coloring<TestType>(exec, coloring, nodes, 3, 7),
                    ContainsSubstring("elements 0 and 1 of colour 0 share node 1"));

  coloring.n_colors = 2;
  coloring.color_offsets = {0, 2, 3};
  coloring.colors = test::array_of<graph::color_t>(exec, {0, 1, 0});
  coloring.elements = test::array_of<index_t>(exec, {0, 2, 1});
  CHECK_NOTHROW(graph::verify_coloring<TestType>(exec, coloring, nodes, 3, 7));
  coloring.elements = test::array_of<index_t>(exec, {0, 0, 1}); // one twice, one never
  CHECK_THROWS_AS(graph::verify_coloring<TestType>(exec, coloring, nodes, 3, 7), Error);
  coloring.elements = test::array_of<index_t>(exec, {0, 1, 2});
  CHECK_THROWS_AS(graph::verify_coloring<TestType>(exec, coloring, nodes, 3, 7), Error);
}
