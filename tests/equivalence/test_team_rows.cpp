// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

// The columns of rows as computed on devices, tested on every execution space: rows too long for a set, sets that do
// not fit into the store, and teams whose rows do not fit into scratch memory.

#include "assembly/rows/element_columns.hpp"
#include "linalg/pattern/crs_pattern.hpp"
#include "support/random_mesh.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <random>
#include <set>
#include <vector>

using namespace tessera;

namespace {

/// Computes the columns of elements by teams, on every execution space.
template <int N, class Space>
struct TeamColumns : assembly::ElementColumns<fe::ElementDofs<N, Space>, assembly::LinkedIncidence<Space>> {
  using accumulator = assembly::team_accumulator_t<N>;
  static constexpr int rows = assembly::rows_per_team<N>;
};

/// Elements with N distinct nodes of `n_nodes`, of which the last `n_fixed` are fixed. Every 50th node belongs to many
/// elements.
template <int N> std::vector<index_t> random_elements(index_t n_nodes, index_t n_elements) {
  std::mt19937 random(7);
  std::vector<index_t> nodes;
  for (index_t e = 0; e < n_elements; ++e) {
    std::set<index_t> element;
    const index_t near = static_cast<index_t>(random() % static_cast<unsigned>(n_nodes));
    if (e % 3 == 0)
      element.insert(near / 50 * 50);
    while (element.size() < N)
      element.insert((near + static_cast<index_t>(random() % (3 * N))) % n_nodes);
    nodes.insert(nodes.end(), element.begin(), element.end());
  }
  return nodes;
}

/// Checks offsets and columns of all free rows, computed by the two loops with a store of `room` entries.
template <int N, class ExecutionSpace>
void check_columns(const ExecutionSpace& exec, std::int64_t room, int max_entries) {
  using Space = typename ExecutionSpace::memory_space;
  using Source = TeamColumns<N, Space>;
  using Columns = typename Source::accumulator;
  using Find = linalg::detail::CountColumns<Source>;
  using Fill = linalg::detail::FillColumns<Source, linalg::NoRowItems>;
  constexpr int rows = Source::rows;
  const index_t n_nodes = 1000;
  const index_t n_free = 930;
  const index_t n_elements = 1500;
  const std::vector<index_t> nodes = random_elements<N>(n_nodes, n_elements);
  std::vector<index_t> identity(n_nodes);
  for (index_t i = 0; i < n_nodes; ++i)
    identity[i] = i;

  const auto flat = test::array_of(exec, nodes);
  const Kokkos::View<const index_t* [N], Kokkos::LayoutRight, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>
      element_nodes(flat.data(), n_elements);
  const fe::ElementDofs<N, Space> dofs{{n_free, n_free}, element_nodes, test::array_of(exec, identity)};
  const Source source{{dofs, assembly::link_incidence(exec, dofs)}};
  auto offsets = make_filled<Array<offset_t*, ExecutionSpace>>(exec, "test", n_free + 1, 0);
  Find find{source, offsets, {}};
  find.cache.allocate(exec, n_free, rows);
  if (room >= 0 && room < static_cast<std::int64_t>(find.cache.entries.extent(0)))
    find.cache.entries = Kokkos::subview(find.cache.entries, std::make_pair(std::int64_t(0), room));
  linalg::for_each_team_rows<rows>("test", exec, n_free, Find::scratch_bytes(), find);
  const std::int64_t n_entries = counts_to_offsets(exec, offsets, n_free, "entries");
  auto columns = make_filled<Array<index_t*, ExecutionSpace>>(exec, "test", n_entries, -1);
  Fill fill{source, find.cache, offsets, columns, {}, max_entries};
  linalg::for_each_team_rows<rows>("test", exec, n_free, fill.scratch_bytes(), fill);

  std::vector<std::set<index_t>> expected(n_free);
  for (std::size_t s = 0; s < nodes.size(); ++s)
    for (std::size_t t = s / N * N; t < (s / N + 1) * N; ++t)
      if (nodes[s] < n_free && nodes[t] < n_free)
        expected[nodes[s]].insert(nodes[t]);
  const auto host_offsets = to_host(exec, offsets);
  const auto host_columns = to_host(exec, columns);
  std::size_t longest = 0;
  std::size_t n_wrong = 0;
  for (index_t row = 0; row < n_free; ++row) {
    longest = std::max(longest, expected[row].size());
    const std::vector<index_t> found(host_columns.data() + host_offsets(row),
                                     host_columns.data() + host_offsets(row + 1));
    n_wrong += found == std::vector<index_t>(expected[row].begin(), expected[row].end()) ? 0 : 1;
  }
  CHECK(longest > static_cast<std::size_t>(Columns::capacity)); // some rows need windows
  CHECK(n_wrong == 0);
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Rows have the columns of their elements", "[equivalence]", test::ExecutionSpaces) {
  const TestType exec;
  SECTION("all find room") {
    check_columns<3>(exec, -1, 1000);
    check_columns<4>(exec, -1, 2000);
    check_columns<10>(exec, -1, 0);
  }
  SECTION("no room in scratch memory") {
    check_columns<3>(exec, -1, 100);
    check_columns<4>(exec, -1, 100);
  }
  SECTION("little room in the store") { check_columns<10>(exec, 5000, 0); }
  SECTION("no room in the store") { check_columns<10>(exec, 0, 0); }
}
