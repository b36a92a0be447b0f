// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/transfer/upload.hpp"
#include "mesh/box.hpp"
#include "mesh/ordering.hpp"
#include "mesh/parts/box_part.hpp"
#include "mesh/parts/curve_cuts.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <vector>

using namespace tessera;
using Catch::Matchers::ContainsSubstring;

namespace {

template <int Dim> using Nodes = std::array<index_t, Dim>;

/// Compares partitions of a box with the whole, ordered box: nodes, elements and facets are the expected ones, in the
/// global order. `sides`: sides of the box of which every partition has all nodes with all adjacent elements. `cuts`:
/// positions on the curve; empty: partitions get about the same number of nodes.
template <class ExecutionSpace, int Dim>
void check_parts(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells, int n_parts, double width = 1.,
                 int n_layers = 0, const std::vector<group_t>& sides = {},
                 const std::vector<std::uint64_t>& cuts = {}) {
  const std::array<double, Dim> lower = [] {
    std::array<double, Dim> at{};
    at[0] = -0.3;
    return at;
  }();
  std::array<double, Dim> upper;
  upper.fill(0.7);
  upper[0] = lower[0] + width;
  upper[Dim - 1] = 2.1;
  const auto whole = mesh::order_mesh(exec, mesh::make_box<Dim>(exec, cells, lower, upper));
  const auto elements = to_host(exec, whole.elements);
  const auto coordinates = to_host(exec, whole.coordinates);
  const auto original_node = to_host(exec, whole.original_node);
  const auto original_element = to_host(exec, whole.original_element);
  const auto facets = to_host(exec, whole.facets);
  const auto groups = to_host(exec, whole.facet_groups);
  std::vector<index_t> number_of(static_cast<std::size_t>(whole.n_nodes())); // ordered number, by original number
  for (index_t n = 0; n < whole.n_nodes(); ++n)
    number_of[static_cast<std::size_t>(original_node(n))] = n;

  index_t next_owned = 0; // owned nodes are numbered consecutively
  std::vector<int> times(static_cast<std::size_t>(whole.n_elements()), 0);
  std::vector<int> facet_times(static_cast<std::size_t>(whole.n_facets()), 0);
  for (int rank = 0; rank < n_parts; ++rank) {
    INFO("part " << rank << " of " << n_parts);
    const auto part = mesh::make_box_part<Dim>(exec, cells, lower, upper, rank, n_parts, n_layers, {sides, {}},
                                               mesh::CoarserMeshes::none, cuts);
    CHECK(part.n_nodes_of_all == whole.n_nodes());
    CHECK(part.n_elements_of_all == whole.n_elements());
    CHECK(part.n_facets_of_all == whole.n_facets());
    const auto part_nodes = to_host(exec, part.mesh.original_node);
    const auto part_coordinates = to_host(exec, part.mesh.coordinates);
    const auto part_elements = to_host(exec, part.mesh.elements);
    const auto part_originals = to_host(exec, part.mesh.original_element);
    const auto part_facets = to_host(exec, part.mesh.facets);
    const auto part_groups = to_host(exec, part.mesh.facet_groups);
    const auto owner = to_host(exec, part.owner);
    const auto in_whole = [&](index_t n) { return number_of[static_cast<std::size_t>(part_nodes(n))]; };

    CHECK(in_whole(part.first_owned) == next_owned);
    next_owned += part.n_owned;
    const index_t end = next_owned; // global number
    const index_t first = end - part.n_owned;
    if (cuts.empty()) // a position has few nodes, or one row of them
      CHECK(part.n_owned <= whole.n_nodes() / n_parts + 2 * (cells[0] + 1));
    bool is_ascending = true;
    bool is_same = true;
    for (index_t n = 0; n < part.mesh.n_nodes(); ++n) {
      is_ascending = is_ascending && (n == 0 || in_whole(n - 1) < in_whole(n));
      is_same = is_same && (owner(n) == rank) == (n >= part.first_owned && n < part.first_owned + part.n_owned);
      is_same = is_same && (owner(n) < rank) == (n < part.first_owned);
      for (int d = 0; d < Dim; ++d)
        is_same = is_same && part_coordinates(n, d) == coordinates(in_whole(n), d);
    }
    CHECK(is_ascending);
    CHECK(is_same);

    std::vector<bool> is_near(static_cast<std::size_t>(whole.n_nodes()), false); // owned or in the surrounding layers
    for (index_t n = 0; n < whole.n_nodes(); ++n)
      for (index_t owned = first; owned < end && !is_near[static_cast<std::size_t>(n)]; ++owned) {
        index_t a = original_node(n);
        index_t b = original_node(owned);
        bool near = true;
        for (int d = 0; d < Dim; ++d) {
          const index_t n_positions = cells[static_cast<std::size_t>(d)] + 1;
          near = near && std::abs(a % n_positions - b % n_positions) <= n_layers;
          a /= n_positions;
          b /= n_positions;
        }
        is_near[static_cast<std::size_t>(n)] = near;
      }
    for (index_t n = 0; n < whole.n_nodes(); ++n) {
      index_t number = original_node(n);
      for (int d = 0; d < Dim; ++d) {
        const index_t last = cells[static_cast<std::size_t>(d)];
        const index_t position = number % (last + 1);
        number /= last + 1;
        for (const group_t side : sides)
          if (side / 2 == d && (side % 2 == 1 ? last - position : position) <= n_layers)
            is_near[static_cast<std::size_t>(n)] = true;
      }
    }
    const auto is_surrounded = to_host(exec, part.is_surrounded);
    const bool tells = n_layers > 0 || !sides.empty();
    REQUIRE(is_surrounded.extent(0) == static_cast<std::size_t>(tells ? part.mesh.n_nodes() : 0));
    bool was_stated = true;
    for (std::size_t n = 0; n < is_surrounded.extent(0); ++n)
      was_stated =
          was_stated && (is_surrounded(n) == 1) == is_near[static_cast<std::size_t>(in_whole(static_cast<index_t>(n)))];
    CHECK(was_stated);
    std::vector<bool> has_element(static_cast<std::size_t>(part.mesh.n_nodes()), false);
    std::vector<bool> is_next_to(static_cast<std::size_t>(whole.n_nodes()), false); // nodes of elements with such nodes
    std::vector<bool> is_taken(static_cast<std::size_t>(whole.n_elements()), false);
    for (index_t e = 0; e < whole.n_elements(); ++e) {
      bool has_near = false;
      for (int a = 0; a <= Dim; ++a)
        has_near = has_near || is_near[static_cast<std::size_t>(elements(e, a))];
      is_taken[static_cast<std::size_t>(e)] = has_near;
      for (int a = 0; a <= Dim && has_near; ++a)
        is_next_to[static_cast<std::size_t>(elements(e, a))] = true;
    }
    std::vector<bool> takes_facet(static_cast<std::size_t>(whole.n_facets()), false);
    for (index_t f = 0; f < whole.n_facets(); ++f) {
      for (int a = 0; a < Dim; ++a)
        if (is_next_to[static_cast<std::size_t>(facets(f, a))])
          takes_facet[static_cast<std::size_t>(f)] = true;
      for (index_t e = 0; e < whole.n_elements() && takes_facet[static_cast<std::size_t>(f)]; ++e) {
        int n_shared = 0;
        for (int a = 0; a < Dim; ++a)
          for (int b = 0; b <= Dim; ++b)
            n_shared += facets(f, a) == elements(e, b) ? 1 : 0;
        if (n_shared == Dim)
          is_taken[static_cast<std::size_t>(e)] = true;
      }
    }
    std::vector<index_t> in_order; // global element numbers
    for (index_t e = 0; e < whole.n_elements(); ++e)
      if (is_taken[static_cast<std::size_t>(e)])
        in_order.push_back(e);
    REQUIRE(part.mesh.n_elements() == static_cast<index_t>(in_order.size()));
    bool are_alike = true;
    for (index_t e = 0; e < part.mesh.n_elements(); ++e) {
      const index_t of_whole = in_order[static_cast<std::size_t>(e)];
      are_alike = are_alike && part_originals(e) == original_element(of_whole);
      for (int a = 0; a <= Dim; ++a) {
        are_alike = are_alike && in_whole(part_elements(e, a)) == elements(of_whole, a);
        has_element[static_cast<std::size_t>(part_elements(e, a))] = true;
      }
    }
    CHECK(are_alike);
    CHECK(std::all_of(has_element.begin(), has_element.end(), [](bool has) { return has; }));
    const auto owned_elements = to_host(exec, part.owned_elements);
    for (std::size_t k = 0; k < owned_elements.extent(0); ++k)
      ++times[static_cast<std::size_t>(in_order[static_cast<std::size_t>(owned_elements(k))])];

    std::map<std::pair<Nodes<Dim>, group_t>, index_t> facet_of; // facets of the whole box
    for (index_t f = 0; f < whole.n_facets(); ++f) {
      Nodes<Dim> of_facet;
      for (int a = 0; a < Dim; ++a)
        of_facet[static_cast<std::size_t>(a)] = facets(f, a);
      facet_of[{of_facet, groups(f)}] = f;
    }
    std::vector<index_t> found;
    for (index_t f = 0; f < part.mesh.n_facets(); ++f) {
      Nodes<Dim> of_facet;
      for (int a = 0; a < Dim; ++a)
        of_facet[static_cast<std::size_t>(a)] = in_whole(part_facets(f, a));
      const auto position = facet_of.find({of_facet, part_groups(f)});
      REQUIRE(position != facet_of.end());
      found.push_back(position->second);
    }
    std::vector<index_t> expected;
    for (index_t f = 0; f < whole.n_facets(); ++f)
      if (takes_facet[static_cast<std::size_t>(f)])
        expected.push_back(f);
    CHECK(found == expected);
    const auto owned_facets = to_host(exec, part.owned_facets);
    for (std::size_t k = 0; k < owned_facets.extent(0); ++k)
      ++facet_times[static_cast<std::size_t>(found[static_cast<std::size_t>(owned_facets(k))])];
  }
  CHECK(next_owned == whole.n_nodes());
  CHECK(std::all_of(times.begin(), times.end(), [](int n) { return n == 1; }));
  CHECK(std::all_of(facet_times.begin(), facet_times.end(), [](int n) { return n == 1; }));
}

/// Compares the parents of owned nodes of partitions in coarser boxes with those of the whole box; returns the number
/// of parents that are not owned.
template <class ExecutionSpace, int Dim>
std::size_t check_nested(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells, int n_parts) {
  std::array<double, Dim> upper;
  upper.fill(1.7);
  const auto expected = mesh::nest_nodes(exec, mesh::box_node_parents<Dim>(exec, cells));
  const auto n_coarser = to_host(exec, expected.n_coarser);
  const auto parents = to_host(exec, expected.parents);
  REQUIRE(expected.n_levels > 0);
  std::map<index_t, int> owner_of; // by global number
  std::vector<std::pair<index_t, int>> outside;
  for (int rank = 0; rank < n_parts; ++rank) {
    INFO("part " << rank << " of " << n_parts);
    const auto part = mesh::make_box_part<Dim>(exec, cells, std::array<double, Dim>{}, upper, rank, n_parts, 0, {},
                                               mesh::CoarserMeshes::nodes);
    const mesh::NestedPart<typename ExecutionSpace::memory_space>& nested = part.nested;
    const auto number = to_host(exec, part.mesh.original_node);
    const auto part_n_coarser = to_host(exec, nested.n_coarser);
    const auto part_parents = to_host(exec, nested.parents);
    CHECK(nested.n_levels == expected.n_levels);
    REQUIRE(part_n_coarser.extent(0) == static_cast<std::size_t>(part.n_owned));
    REQUIRE(nested.outside.size() == nested.owners_of_outside.size());
    bool is_same = true;
    for (index_t i = 0; i < part.n_owned; ++i) {
      const index_t owned = number(part.first_owned + i);
      owner_of[owned] = rank;
      is_same = is_same && part_n_coarser(i) == n_coarser(owned);
      for (int k = 0; k < 2; ++k) {
        index_t parent = part_parents(i, k);
        if (parent >= part.mesh.n_nodes())
          parent = nested.outside.at(static_cast<std::size_t>(parent - part.mesh.n_nodes()));
        else if (parent >= 0)
          parent = number(parent);
        is_same = is_same && parent == parents(owned, k);
      }
    }
    CHECK(is_same);
    for (std::size_t i = 0; i < nested.outside.size(); ++i)
      outside.push_back({nested.outside[i], nested.owners_of_outside[i]});
  }
  CHECK(std::all_of(outside.begin(), outside.end(),
                    [&](const auto& node) { return owner_of.at(node.first) == node.second; }));
  return outside.size();
}

} // namespace

TEMPLATE_LIST_TEST_CASE("Parts of a box are cut where that is asked for, also by work", "[mesh]", ExecutionSpaces) {
  const TestType exec;
  const std::array<index_t, 2> cells{12, 9};
  const auto whole = mesh::make_box_part<2>(exec, cells, {0., 0.}, {1., 1.}, 0, 1);
  const auto positions = mesh::node_positions<TestType, 2>(exec, whole.mesh, whole.curve);
  const auto on_host = to_host(exec, positions);
  const index_t n = whole.mesh.n_nodes();
  std::vector<std::int64_t> work_before{0}; // the first nodes have most of the work
  for (index_t i = 0; i < n; ++i)
    work_before.push_back(work_before.back() + (i < n / 5 ? 10 : 1));
  const mesh::ItemsOnCurve<TestType> items{positions, uploaded(exec, "test::work", work_before)};
  constexpr int n_bits = 2 * mesh::curve_bits<2>;
  const std::uint64_t end = std::uint64_t(1) << n_bits;
  CHECK(mesh::cut_curve(exec, comm::alone(), items, n_bits) == std::vector<std::uint64_t>{0, end});
  const std::vector<std::uint64_t> cuts{0, on_host(n / 5), on_host(n / 2), end};
  CHECK(mesh::work_before(exec, comm::alone(), items, cuts) ==
        std::vector<std::int64_t>{0, 10 * (n / 5), 10 * (n / 5) + n / 2 - n / 5, work_before.back()});
  CHECK(mesh::work_before<TestType>(exec, comm::alone(), {positions, {}}, cuts) ==
        std::vector<std::int64_t>{0, n / 5, n / 2, n});
  for (int rank = 0; rank < 3; ++rank) {
    const auto part =
        mesh::make_box_part<2>(exec, cells, {0., 0.}, {1., 1.}, rank, 3, 0, {}, mesh::CoarserMeshes::none, cuts);
    CHECK(part.n_owned == (rank == 0 ? n / 5 : rank == 1 ? n / 2 - n / 5 : n - n / 2));
  }
}

TEMPLATE_LIST_TEST_CASE("Parts of a box know what their nodes are in coarser boxes", "[mesh]", ExecutionSpaces) {
  const TestType exec;
  CHECK(check_nested<TestType, 2>(exec, {16, 8}, 1) == 0);
  CHECK(check_nested<TestType, 2>(exec, {16, 24}, 3) > 0);
  CHECK(check_nested<TestType, 2>(exec, {32, 16}, 5) > 0);
  CHECK(check_nested<TestType, 3>(exec, {8, 16, 8}, 5) > 0);
}

TEMPLATE_LIST_TEST_CASE("Parts of a box are cut out of the whole", "[mesh]", ExecutionSpaces) {
  const TestType exec;
  for (const int n_parts : {1, 2, 3, 4, 7}) {
    check_parts<TestType, 2>(exec, {13, 9}, n_parts);
    check_parts<TestType, 3>(exec, {5, 3, 6}, n_parts);
  }
  check_parts<TestType, 2>(exec, {1, 40}, 5);
  // Narrower than the cells of the curve: the nodes of a row share one position and are ordered by their numbers.
  check_parts<TestType, 2>(exec, {6, 21}, 3, 1e-7);
  check_parts<TestType, 3>(exec, {4, 3, 5}, 3, 1e-7);
}

TEMPLATE_LIST_TEST_CASE("Parts of a box have layers around them", "[mesh]", ExecutionSpaces) {
  const TestType exec;
  check_parts<TestType, 2>(exec, {13, 9}, 3, 1., 1);
  check_parts<TestType, 2>(exec, {20, 17}, 4, 1., 3);
  check_parts<TestType, 3>(exec, {7, 3, 6}, 3, 1., 2);
  check_parts<TestType, 2>(exec, {6, 21}, 3, 1e-7, 1);
}

TEMPLATE_LIST_TEST_CASE("Parts of a box have all elements at whole sides", "[mesh]", ExecutionSpaces) {
  const TestType exec;
  check_parts<TestType, 2>(exec, {13, 9}, 3, 1., 0, {0, 1});
  check_parts<TestType, 2>(exec, {20, 17}, 4, 1., 1, {3});
  check_parts<TestType, 3>(exec, {5, 3, 6}, 3, 1., 0, {2, 5});
}

TEMPLATE_LIST_TEST_CASE("Parts of a box may have nodes of distant pieces of the curve", "[mesh]", ExecutionSpaces) {
  const TestType exec;
  const auto around_middle = [](int n_bits) { // the second partition has the end of the lower half and the beginning of
                                              // the upper one
    const std::uint64_t half = std::uint64_t(1) << (n_bits - 1);
    return std::vector<std::uint64_t>{0, half - half / 8, half + half / 8, 2 * half};
  };
  const auto in_2d = around_middle(2 * mesh::curve_bits<2>);
  const auto in_3d = around_middle(3 * mesh::curve_bits<3>);
  check_parts<TestType, 2>(exec, {28, 83}, 3, 1., 0, {}, in_2d); // cells of the same length
  check_parts<TestType, 2>(exec, {17, 40}, 3, 1., 2, {}, in_2d);
  check_parts<TestType, 2>(exec, {17, 40}, 3, 1., 0, {0}, in_2d);
  check_parts<TestType, 3>(exec, {8, 5, 12}, 3, 1., 0, {}, in_3d);
  check_parts<TestType, 3>(exec, {7, 5, 9}, 3, 1., 1, {}, in_3d);
  check_parts<TestType, 3>(exec, {7, 5, 9}, 3, 1., 1, {4}, in_3d);
}

TEMPLATE_LIST_TEST_CASE("A box with fewer nodes than parts is refused", "[mesh]", ExecutionSpaces) {
  const TestType exec;
  const auto part = [&](int rank) {
    return mesh::make_box_part<2>(exec, std::array<index_t, 2>{1, 1}, {0., 0.}, {1., 1.}, rank, 5);
  };
  CHECK_THROWS_WITH(
      [&] {
        for (int rank = 0; rank < 5; ++rank)
          part(rank);
      }(),
      ContainsSubstring("too few nodes for 5 processes"));
}
