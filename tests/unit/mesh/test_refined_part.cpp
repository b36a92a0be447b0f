// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/transfer/upload.hpp"
#include "mesh/ordering.hpp"
#include "mesh/parts/refined_numbers.hpp"
#include "mesh/parts/refined_part.hpp"
#include "mesh/refine/refinement.hpp"
#include "random_mesh.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

using namespace tessera;

namespace {

template <class A, class B> bool are_same(const A& a, const B& b) {
  if (a.size() != b.size())
    return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a.data()[i] != b.data()[i])
      return false;
  return true;
}

/// The partition of a single process is the whole mesh.
template <class ExecutionSpace, int Dim>
void check_whole(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells, int n_refinements) {
  const auto coarse = test::unit_box<Dim>(exec, cells);
  auto fine = coarse;
  for (int level = 0; level < n_refinements; ++level)
    fine = mesh::refine_uniform<ExecutionSpace, Dim>(exec, fine);
  const auto whole = mesh::order_mesh(exec, fine);
  const auto part = mesh::make_refined_part<ExecutionSpace, Dim>(exec, coarse, n_refinements, comm::alone());
  CHECK(part.n_nodes_of_all == whole.n_nodes());
  CHECK(part.n_elements_of_all == whole.n_elements());
  CHECK(part.n_facets_of_all == whole.n_facets());
  CHECK(part.first_owned == 0);
  CHECK(part.n_owned == whole.n_nodes());
  CHECK(are_same(to_host(exec, part.mesh.coordinates), to_host(exec, whole.coordinates)));
  CHECK(are_same(to_host(exec, part.mesh.elements), to_host(exec, whole.elements)));
  CHECK(are_same(to_host(exec, part.mesh.regions), to_host(exec, whole.regions)));
  CHECK(are_same(to_host(exec, part.mesh.original_element), to_host(exec, whole.original_element)));
  CHECK(are_same(to_host(exec, part.mesh.facets), to_host(exec, whole.facets)));
  CHECK(are_same(to_host(exec, part.mesh.facet_groups), to_host(exec, whole.facet_groups)));
  CHECK(part.owned_elements.extent(0) == whole.elements.extent(0));
  CHECK(part.owned_facets.extent(0) == whole.facets.extent(0));
  const auto numbers = to_host(exec, part.mesh.original_node);
  bool are_ascending = true;
  for (index_t n = 0; n < whole.n_nodes(); ++n)
    are_ascending = are_ascending && numbers(n) == n;
  CHECK(are_ascending);
}

/// Node keys identify points: the weights of the coarse nodes give their coordinates, and no two keys are equal.
template <class ExecutionSpace, int Dim>
void check_names(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells, int n_refinements) {
  const auto coarse = test::unit_box<Dim>(exec, cells);
  auto fine = coarse;
  for (int level = 0; level < n_refinements; ++level)
    fine = mesh::refine_uniform<ExecutionSpace, Dim>(exec, fine, true);
  std::vector<index_t> shifted; // other numbers, as in a partition
  for (index_t n = 0; n < coarse.n_nodes(); ++n)
    shifted.push_back(3 * n);
  const auto names =
      to_host(exec, mesh::make_node_ids<ExecutionSpace, Dim>(
                        exec, fine, Array<const index_t*, ExecutionSpace>(uploaded(exec, "test::numbers", shifted))));
  const auto points = to_host(exec, fine.coordinates);
  const auto corners = to_host(exec, coarse.coordinates);
  std::set<std::vector<std::int64_t>> seen;
  double error = 0.;
  for (index_t n = 0; n < fine.n_nodes(); ++n) {
    std::vector<std::int64_t> name;
    std::array<double, Dim> place{};
    std::int64_t sum = 0;
    for (int k = 0; k <= Dim; ++k) {
      const std::int64_t entry = names(n, k);
      name.push_back(entry);
      const std::int64_t weight = entry & 0xffffffff;
      sum += weight;
      for (int d = 0; d < Dim && weight > 0; ++d)
        place[static_cast<std::size_t>(d)] += std::ldexp(static_cast<double>(weight), -n_refinements) *
                                              corners(static_cast<index_t>((entry >> 32) / 3), d);
    }
    REQUIRE(sum == 1 << n_refinements);
    for (int d = 0; d < Dim; ++d)
      error = std::max(error, std::abs(place[static_cast<std::size_t>(d)] - points(n, d)));
    seen.insert(name);
  }
  CHECK(error < 1e-14); // a few roundings of numbers up to 1
  CHECK(static_cast<index_t>(seen.size()) == fine.n_nodes());
}

} // namespace

TEMPLATE_LIST_TEST_CASE("The refined part of one process is the whole", "[mesh]", ExecutionSpaces) {
  const TestType exec;
  check_whole<TestType, 2>(exec, {3, 2}, 0);
  check_whole<TestType, 2>(exec, {5, 3}, 3);
  check_whole<TestType, 3>(exec, {2, 1, 3}, 0);
  check_whole<TestType, 3>(exec, {2, 3, 1}, 2);
}

TEMPLATE_LIST_TEST_CASE("Nodes of a refined mesh have names that do not depend on the part", "[mesh]",
                        ExecutionSpaces) {
  const TestType exec;
  check_names<TestType, 2>(exec, {3, 2}, 3);
  check_names<TestType, 3>(exec, {2, 1, 2}, 2);
  check_names<TestType, 2>(exec, {1, 1}, 0);
}
