// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "graph/partition/metis.hpp"
#include "holed_box.hpp"
#include "mesh/checks/check_elements.hpp"
#include "mesh/polytopes/agglomerate.hpp"
#include "mesh/polytopes/hilbert_curve.hpp"
#include "mesh/polytopes/make_polytopic_mesh.hpp"
#include "one_thread.hpp"
#include "spaces.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <limits>
#include <set>
#include <tuple>

using namespace tessera;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

template <class ExecutionSpace>
std::vector<index_t> to_vector(const ExecutionSpace& exec, const Array<index_t*, ExecutionSpace>& array) {
  const auto host = to_host(exec, array);
  return {host.data(), host.data() + host.extent(0)};
}

/// The elements of an agglomeration, found by plain loops.
template <int Dim> struct Walk {
  std::vector<index_t> sizes;
  std::vector<index_t> n_pieces;
  std::vector<std::set<group_t>> regions;
  std::int64_t n_cut = 0;

  Walk(const test::HostMesh<Dim>& mesh, const std::vector<index_t>& element_of, index_t n_elements)
      : sizes(n_elements, 0), n_pieces(n_elements, 0), regions(n_elements) {
    std::vector<std::vector<index_t>> joined(mesh.n_elements());
    for (const auto& [nodes, sides] : test::sides_of(mesh))
      if (sides.size() == 2) {
        const auto one = sides[0].first, two = sides[1].first;
        n_cut += element_of[one] != element_of[two] ? 1 : 0;
        if (element_of[one] == element_of[two]) {
          joined[one].push_back(two);
          joined[two].push_back(one);
        }
      }
    std::vector<bool> is_seen(mesh.n_elements(), false);
    for (index_t s = 0; s < mesh.n_elements(); ++s) {
      ++sizes[element_of[s]];
      regions[element_of[s]].insert(mesh.regions(s));
      if (is_seen[s])
        continue;
      ++n_pieces[element_of[s]];
      std::vector<index_t> open{s};
      is_seen[s] = true;
      while (!open.empty()) {
        const index_t at = open.back();
        open.pop_back();
        for (const index_t other : joined[at])
          if (!is_seen[other]) {
            is_seen[other] = true;
            open.push_back(other);
          }
      }
    }
  }
};

/// Agglomerates, checks the properties of every agglomeration, and returns its elements.
template <class ExecutionSpace, int Dim>
Walk<Dim> check_agglomeration(const ExecutionSpace& exec, const test::HostMesh<Dim>& host, index_t n_requested,
                              index_t n_expected, index_t* n_repaired = nullptr) {
  const auto method = n_repaired != nullptr ? mesh::AgglomerationMethod::metis : mesh::AgglomerationMethod::device;
  const auto agglomerate = [&](const auto& space, const auto& simplices) {
    using Space = std::decay_t<decltype(space)>;
    return mesh::agglomerate<Space, Dim>(space, simplices, mesh::build_dual_graph<Space, Dim>(space, simplices),
                                         n_requested, method);
  };
  const auto mesh = mesh::copy_mesh<typename ExecutionSpace::memory_space>(exec, host);
  const auto made = agglomerate(exec, mesh);
  CAPTURE(Dim, n_requested);
  CHECK(made.n_elements == n_expected - made.n_empty);
  if (n_repaired != nullptr)
    *n_repaired += made.n_empty + made.n_disconnected;
  else
    CHECK(made.n_empty + made.n_disconnected == 0);
  const std::vector<index_t> element_of = to_vector(exec, made.element_of);
  const Walk<Dim> walk(host, element_of, made.n_elements);
  bool is_sound = true;
  for (index_t e = 0; e < made.n_elements; ++e)
    is_sound = is_sound && walk.sizes[e] > 0 && walk.n_pieces[e] == 1 && walk.regions[e].size() == 1;
  CHECK(is_sound);
  index_t n_numbered = 0; // numbered by their first simplex
  bool is_in_order = true;
  for (const index_t e : element_of) {
    is_in_order = is_in_order && e <= n_numbered;
    n_numbered = std::max(n_numbered, e + 1);
  }
  CHECK(is_in_order);
  CHECK(made.n_cut == walk.n_cut);
  CHECK(made.smallest == *std::min_element(walk.sizes.begin(), walk.sizes.end()));
  CHECK(made.largest == *std::max_element(walk.sizes.begin(), walk.sizes.end()));
  CHECK(made.mean == Approx(static_cast<double>(host.n_elements()) / made.n_elements));
  const auto dual = mesh::build_dual_graph<ExecutionSpace, Dim>(exec, mesh);
  CHECK_FALSE(mesh::check_elements<ExecutionSpace, Dim>(exec, mesh, dual, made.element_of, made.n_elements).any());

  const auto again = test::on_one_thread([&](const auto& one_thread) {
    using Space = typename OneThreadSpace::memory_space;
    return to_vector(one_thread, agglomerate(one_thread, mesh::copy_mesh<Space>(one_thread, host)).element_of);
  });
  CHECK(again == element_of);
  return walk;
}

template <int Dim> test::HostMesh<Dim> with_regions(test::HostMesh<Dim> mesh, group_t (*region)(double)) {
  for (index_t s = 0; s < mesh.n_elements(); ++s)
    mesh.regions(s) = region(test::centroid(mesh, s)[0]);
  return mesh;
}

template <int Dim> void check_hilbert_curve() {
  constexpr int bits = 3;
  constexpr std::uint32_t side = 1 << bits;
  std::map<std::uint64_t, std::array<int, Dim>> cells;
  for (std::uint32_t i = 0; i < (1u << (Dim * bits)); ++i) {
    std::uint32_t cell[Dim];
    std::array<int, Dim> as_array;
    std::uint32_t rest = i;
    for (int d = 0; d < Dim; ++d) {
      as_array[d] = static_cast<int>(cell[d] = rest % side);
      rest /= side;
    }
    cells[mesh::hilbert_position<Dim, bits>(cell)] = as_array;
  }
  REQUIRE(cells.size() == 1u << (Dim * bits)); // each position once
  CHECK(cells.rbegin()->first == cells.size() - 1);
  bool is_continuous = true; // every step leads to a neighbouring cell
  for (auto at = cells.begin(), next = std::next(at); next != cells.end(); ++at, ++next) {
    int length = 0;
    for (int d = 0; d < Dim; ++d)
      length += std::abs(at->second[d] - next->second[d]);
    is_continuous = is_continuous && length == 1;
  }
  CHECK(is_continuous);
}

} // namespace

TEST_CASE("the Hilbert curve passes through all cells by steps between neighbours", "[mesh]") {
  check_hilbert_curve<2>();
  check_hilbert_curve<3>();
}

TEMPLATE_LIST_TEST_CASE("agglomerates are connected, of even size and the same everywhere", "[mesh]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const auto check = [&](const auto& mesh, index_t n, double smallest, double largest, double longest_cut) {
    constexpr int dim = std::decay_t<decltype(mesh)>::dimension;
    const auto walk = check_agglomeration<TestType, dim>(exec, mesh, n, n);
    const double mean = static_cast<double>(mesh.n_elements()) / n;
    CHECK(*std::min_element(walk.sizes.begin(), walk.sizes.end()) >= smallest * mean);
    CHECK(*std::max_element(walk.sizes.begin(), walk.sizes.end()) <= largest * mean);
    CHECK(static_cast<double>(walk.n_cut) <= longest_cut * mesh.n_elements());
  };
  const auto plane = test::on_host(exec, test::random_box<2>(exec, {60, 50}, 1));
  check(plane, 1, 1., 1., 0.);
  check(plane, 7, 0.8, 1.2, 0.06);
  check(plane, 100, 0.75, 1.25, 0.20);
  check(plane, 1500, 0.25, 2., 0.75);
  check(plane, 6000, 1., 1., 1.5);
  const auto space = test::on_host(exec, test::random_box<3>(exec, {9, 10, 8}, 2));
  check(space, 1, 1., 1., 0.);
  check(space, 9, 0.75, 1.25, 0.30);
  check(space, 200, 0.6, 1.4, 0.8);
  check(space, 1000, 0.2, 2., 1.3);
  check(space, 4320, 1., 1., 2.);
}

TEMPLATE_LIST_TEST_CASE("agglomerates of a mesh with a hole keep to their region", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  const auto plane = test::holed_box<2>(exec, {42, 39}, 3);
  for (const index_t n : {2, 5, 40, 400, 1200})
    check_agglomeration<TestType, 2>(exec, plane, n, n);
  const auto space = test::holed_box<3>(exec, {8, 9, 7}, 4);
  for (const index_t n : {2, 5, 40, 300, 1000})
    check_agglomeration<TestType, 3>(exec, space, n, n);
}

TEMPLATE_LIST_TEST_CASE("every connected piece of a region has an agglomerate", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  // Three strips of region 1 between four of region 0.
  const auto striped = with_regions<2>(test::on_host(exec, test::unit_box<2>(exec, {20, 4})),
                                       [](double x) -> group_t { return static_cast<int>(20. * x) % 6 >= 4 ? 1 : 0; });
  for (const index_t n : {1, 3, 6, 7})
    check_agglomeration<TestType, 2>(exec, striped, n, std::max<index_t>(n, 7));
  const auto walk = check_agglomeration<TestType, 2>(exec, striped, 40, 40);
  CHECK(walk.sizes.size() == 40);
}

TEMPLATE_LIST_TEST_CASE("parts of METIS are made connected, within their regions, and empty ones vanish", "[mesh]",
                        test::ExecutionSpaces) {
  if (*graph::metis_version() == '\0')
    SKIP("built without METIS");
  const TestType exec;
  index_t n_repaired = 0;
  const auto plane = test::on_host(exec, test::random_box<2>(exec, {60, 50}, 1));
  for (const index_t n : {1, 7, 100, 1500, 6000}) {
    const auto walk = check_agglomeration<TestType, 2>(exec, plane, n, n, &n_repaired);
    if (n <= 100)
      CHECK(static_cast<double>(walk.n_cut) <= 0.25 * plane.n_elements());
  }
  const auto space = test::holed_box<3>(exec, {8, 9, 7}, 4);
  for (const index_t n : {2, 40, 1000})
    check_agglomeration<TestType, 3>(exec, space, n, n, &n_repaired);
  const auto striped = with_regions<2>(test::on_host(exec, test::unit_box<2>(exec, {20, 4})),
                                       [](double x) -> group_t { return static_cast<int>(20. * x) % 6 >= 4 ? 1 : 0; });
  for (const index_t n : {1, 7, 40})
    check_agglomeration<TestType, 2>(exec, striped, n, std::max<index_t>(n, 7), &n_repaired);
  CHECK(n_repaired > 0); // otherwise nothing is tested
}

TEMPLATE_LIST_TEST_CASE("given parts are elements, and their pieces within a region if they are not connected",
                        "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  const auto striped = with_regions<2>(test::on_host(exec, test::unit_box<2>(exec, {6, 4})),
                                       [](double x) -> group_t { return x > 0.5 ? 1 : 0; });
  const auto mesh = mesh::copy_mesh<typename TestType::memory_space>(exec, striped);
  const auto dual = mesh::build_dual_graph<TestType, 2>(exec, mesh);
  const auto joined = [&](const auto& part_of_middle, index_t n_parts) {
    std::vector<index_t> parts;
    for (index_t s = 0; s < striped.n_elements(); ++s) {
      double x = 0.;
      for (int k = 0; k < 3; ++k)
        x += striped.coordinates(striped.elements(s, k), 0) / 3.;
      parts.push_back(part_of_middle(x));
    }
    const Array<const index_t*, TestType> on_device = test::array_of(exec, parts);
    const auto made = mesh::agglomerate_parts<TestType, 2>(exec, mesh, dual, on_device, n_parts);
    const Walk<2> walk(striped, to_vector(exec, made.element_of), made.n_elements);
    for (index_t e = 0; e < made.n_elements; ++e)
      CHECK((walk.n_pieces[e] == 1 && walk.regions[e].size() == 1));
    CHECK(made.n_cut == walk.n_cut);
    return made;
  };
  const auto halves = joined([](double x) { return x > 0.5 ? 0 : 1; }, 2);
  CHECK((halves.n_elements == 2 && halves.n_disconnected == 0 && halves.smallest == 24 && halves.largest == 24));
  const auto across = joined([](double) { return 0; }, 1);
  CHECK((across.n_elements == 2 && across.n_disconnected == 1));
  // Columns of cells, every other one of part 0: three pieces, in both regions; part 1 likewise.
  const auto columns = joined([](double x) { return static_cast<int>(6. * x) % 2; }, 2);
  CHECK((columns.n_elements == 6 && columns.n_disconnected == 2 && columns.mean == 8.));
}

TEMPLATE_LIST_TEST_CASE("impossible agglomerations are refused", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  const auto mesh = test::unit_box<2>(exec, {4, 4});
  const auto agglomerate = [&](std::int64_t n) { return mesh::agglomerate<TestType, 2>(exec, mesh, n); };
  CHECK_THROWS_WITH(agglomerate(0), ContainsSubstring("into 0 elements") && ContainsSubstring("from 1 to 32"));
  CHECK_THROWS_WITH(agglomerate(-3), ContainsSubstring("into -3 elements"));
  CHECK_THROWS_WITH(agglomerate(33), ContainsSubstring("into 33 elements"));
  const auto of_size = [&](double size) { return mesh::elements_of_mean_size<TestType, 2>(exec, mesh, size); };
  CHECK_THROWS_WITH(of_size(0.), ContainsSubstring("must be positive"));
  CHECK_THROWS_WITH(of_size(std::numeric_limits<double>::quiet_NaN()), ContainsSubstring("must be positive"));
  CHECK_THROWS_WITH(of_size(0.1), ContainsSubstring("would be 100") && ContainsSubstring("32"));
  CHECK_THROWS_WITH(of_size(1e-200), ContainsSubstring("more than the mesh has simplices"));
  try {
    agglomerate(0);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::input);
  }
  CHECK(of_size(0.25) == 16);
  CHECK(of_size(3.) == 1);
  CHECK(mesh::elements_of_mean_size<TestType, 3>(exec, test::unit_box<3>(exec, {4, 4, 4}), 0.5) == 8);
}

TEMPLATE_LIST_TEST_CASE("empty, disconnected and mixed elements are found", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  // Eight triangles, paired to squares from left to right.
  const auto host = with_regions<2>(test::on_host(exec, test::unit_box<2>(exec, {4, 1})),
                                    [](double x) -> group_t { return x > 0.5 ? 1 : 0; });
  const auto mesh = mesh::copy_mesh<typename TestType::memory_space>(exec, host);
  const auto dual = mesh::build_dual_graph<TestType, 2>(exec, mesh);
  const auto faults = [&](const std::vector<index_t>& parts, index_t n) {
    return mesh::check_elements<TestType, 2>(exec, mesh, dual, test::array_of(exec, parts), n);
  };
  CHECK_FALSE(faults({0, 0, 1, 1, 2, 2, 3, 3}, 4).any());
  const auto empty = faults({0, 0, 1, 1, 3, 3, 3, 3}, 6);
  CHECK(empty.n_empty == 3);
  CHECK(empty.n_disconnected + empty.n_mixed == 0);
  const auto mixed = faults({0, 0, 1, 1, 1, 1, 2, 2}, 3);
  CHECK(mixed.n_mixed == 1);
  CHECK(mixed.n_empty + mixed.n_disconnected == 0);
  index_t n_apart = 0; // one of the triangles of a square is not adjacent to the other square
  for (const std::vector<index_t>& parts :
       {std::vector<index_t>{0, 1, 0, 1, 2, 2, 2, 2}, std::vector<index_t>{0, 1, 1, 0, 2, 2, 2, 2}})
    n_apart += faults(parts, 3).n_disconnected;
  CHECK(n_apart == 3);
}
