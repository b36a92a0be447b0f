// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "holed_box.hpp"
#include "mesh/edges.hpp"
#include "mesh/parts/dual_graph.hpp"
#include "mesh/polytopes/make_polytopic_mesh.hpp"
#include "spaces.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <tuple>

using namespace tessera;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using test::Facet;

namespace {

/// The elements, numbered by their first simplex, and their data, from plain loops.
template <int Dim> struct Expected {
  std::vector<index_t> element_of;
  std::vector<std::vector<index_t>> simplices;
  std::vector<std::tuple<index_t, index_t, index_t, int, index_t>> faces; // elements, simplex, facet, simplex
  std::vector<std::array<index_t, 2>> interfaces;
  std::vector<std::map<index_t, index_t>> neighbours; // per element: neighbour -> interface
  std::map<Facet<Dim>, group_t> groups;

  Expected(const test::HostMesh<Dim>& mesh, const std::vector<index_t>& parts) {
    std::map<index_t, index_t> number;
    for (index_t s = 0; s < mesh.n_elements(); ++s) {
      const auto [found, is_new] = number.emplace(parts[s], static_cast<index_t>(number.size()));
      element_of.push_back(found->second);
      simplices.resize(number.size());
      simplices[found->second].push_back(s);
    }
    const auto last = std::numeric_limits<index_t>::max(); // sorts boundary faces to the end
    for (const auto& [nodes, sides] : test::sides_of(mesh)) {
      if (sides.size() == 1) {
        faces.push_back({last, element_of[sides[0].first], sides[0].first, sides[0].second, -1});
        continue;
      }
      const auto one = element_of[sides[0].first], two = element_of[sides[1].first];
      if (one != two) {
        const auto& low = one < two ? sides[0] : sides[1];
        const auto& high = one < two ? sides[1] : sides[0];
        faces.push_back({std::min(one, two), std::max(one, two), low.first, low.second, high.first});
      }
    }
    std::sort(faces.begin(), faces.end());
    neighbours.resize(simplices.size());
    for (const auto& [first, second, simplex, facet, other] : faces)
      if (first != last && (interfaces.empty() || interfaces.back() != std::array<index_t, 2>{first, second})) {
        neighbours[first][second] = neighbours[second][first] = static_cast<index_t>(interfaces.size());
        interfaces.push_back({first, second});
      }
    for (index_t f = 0; f < mesh.n_facets(); ++f) {
      Facet<Dim> nodes;
      for (int k = 0; k < Dim; ++k)
        nodes[k] = mesh.facets(f, k);
      groups[test::sorted<Dim>(nodes)] = mesh.facet_groups(f);
    }
  }
};

/// Normal times measure.
template <int Dim> std::array<double, Dim> area_vector(const test::HostMesh<Dim>& mesh, const Facet<Dim>& nodes) {
  std::array<std::array<double, Dim>, Dim - 1> edge;
  for (int k = 1; k < Dim; ++k)
    for (int d = 0; d < Dim; ++d)
      edge[k - 1][d] = mesh.coordinates(nodes[k], d) - mesh.coordinates(nodes[0], d);
  if constexpr (Dim == 2)
    return {edge[0][1], -edge[0][0]};
  else
    return {0.5 * (edge[0][1] * edge[1][2] - edge[0][2] * edge[1][1]),
            0.5 * (edge[0][2] * edge[1][0] - edge[0][0] * edge[1][2]),
            0.5 * (edge[0][0] * edge[1][1] - edge[0][1] * edge[1][0])};
}

template <class ExecutionSpace, int Dim>
void check_polytopes(const ExecutionSpace& exec, const test::HostMesh<Dim>& mesh, const std::vector<index_t>& parts) {
  using Space = typename ExecutionSpace::memory_space;
  const Expected<Dim> expected(mesh, parts);
  const auto made = mesh::make_polytopic_mesh(exec, mesh::copy_mesh<Space>(exec, mesh),
                                              Array<const index_t*, ExecutionSpace>(test::array_of(exec, parts)));
  const auto n = static_cast<index_t>(expected.simplices.size());
  REQUIRE(made.n_elements() == n);
  const auto element_of = to_host(exec, made.element_of);
  const auto simplex_offsets = to_host(exec, made.simplex_offsets);
  const auto simplices = to_host(exec, made.element_simplices);
  const auto regions = to_host(exec, made.regions);
  const auto boxes = to_host(exec, made.boxes);
  bool right_elements = true;
  bool right_boxes = true;
  for (index_t s = 0; s < mesh.n_elements(); ++s)
    right_elements = right_elements && element_of(s) == expected.element_of[s];
  for (index_t e = 0; e < n; ++e) {
    right_elements = right_elements && regions(e) == mesh.regions(expected.simplices[e][0]) &&
                     std::vector<index_t>(simplices.data() + simplex_offsets(e),
                                          simplices.data() + simplex_offsets(e + 1)) == expected.simplices[e];
    for (int d = 0; d < Dim; ++d) {
      double lower = 1e300, upper = -1e300;
      for (const index_t s : expected.simplices[e])
        for (int a = 0; a <= Dim; ++a) {
          lower = std::min(lower, mesh.coordinates(mesh.elements(s, a), d));
          upper = std::max(upper, mesh.coordinates(mesh.elements(s, a), d));
        }
      right_boxes = right_boxes && boxes(e, 0, d) == lower && boxes(e, 1, d) == upper;
    }
  }
  CHECK(right_elements);
  CHECK(right_boxes);

  const auto& faces = made.faces;
  REQUIRE(faces.n_faces() == static_cast<index_t>(expected.faces.size()));
  REQUIRE(faces.n_interfaces() == static_cast<index_t>(expected.interfaces.size()));
  const auto nodes = to_host(exec, faces.nodes);
  const auto face_simplices = to_host(exec, faces.simplices);
  const auto groups = to_host(exec, faces.groups);
  const auto interface_elements = to_host(exec, faces.interface_elements);
  const auto interface_faces = to_host(exec, faces.interface_faces);
  const auto neighbour_offsets = to_host(exec, faces.neighbour_offsets);
  const auto neighbour_interfaces = to_host(exec, faces.neighbour_interfaces);
  const auto boundary_offsets = to_host(exec, faces.boundary_offsets);

  std::vector<std::array<double, Dim>> normals(n); // sums over the faces of an element
  std::vector<double> measures(n, 0.), moments(n, 0.);
  bool right_faces = true;
  bool right_groups = true;
  index_t n_interior = 0;
  for (index_t i = 0; i < faces.n_faces(); ++i) {
    const auto [first, second, simplex, apex, other] = expected.faces[i];
    Facet<Dim> face;
    for (int k = 0; k < Dim; ++k)
      face[k] = nodes(i, k);
    right_faces = right_faces && test::sorted<Dim>(face) == test::sorted<Dim>(test::facet_nodes(mesh, simplex, apex)) &&
                  face_simplices(i, 0) == simplex && face_simplices(i, 1) == other;
    n_interior += other < 0 ? 0 : 1;
    if (other < 0) {
      const auto group = expected.groups.find(test::sorted<Dim>(face));
      right_groups =
          right_groups && groups(i - faces.n_interior) ==
                              (group == expected.groups.end() ? mesh::Faces<Dim, Space>::no_group : group->second);
    }
    const auto area = area_vector<Dim>(mesh, face);
    double moment = 0.; // x n, by the divergence theorem Dim times the measure
    for (int d = 0; d < Dim; ++d) {
      double x = 0.;
      for (int k = 0; k < Dim; ++k)
        x += mesh.coordinates(face[k], d) / Dim;
      moment += x * area[d];
    }
    for (const index_t s : {simplex, other})
      if (s >= 0) {
        const double sign = s == simplex ? 1. : -1.;
        moments[element_of(s)] += sign * moment / Dim;
        for (int d = 0; d < Dim; ++d)
          normals[element_of(s)][d] += sign * area[d];
      }
  }
  CHECK(right_faces);
  CHECK(right_groups);
  CHECK(faces.n_interior == n_interior);
  CHECK(groups.extent(0) == static_cast<std::size_t>(faces.n_faces() - n_interior));

  double largest_sum = 0., largest_miss = 0.;
  for (index_t s = 0; s < mesh.n_elements(); ++s)
    measures[element_of(s)] += test::measure(mesh, s);
  for (index_t e = 0; e < n; ++e) {
    for (int d = 0; d < Dim; ++d)
      largest_sum = std::max(largest_sum, std::abs(normals[e][d]));
    largest_miss = std::max(largest_miss, std::abs(moments[e] - measures[e]));
  }
  CHECK(largest_sum < 1e-13);
  CHECK(largest_miss < 1e-13);

  bool right_interfaces = interface_faces(0) == 0 && interface_faces(faces.n_interfaces()) == n_interior;
  for (index_t i = 0; i < faces.n_interfaces(); ++i) {
    right_interfaces = right_interfaces && interface_elements(i, 0) == expected.interfaces[i][0] &&
                       interface_elements(i, 1) == expected.interfaces[i][1] &&
                       interface_faces(i) < interface_faces(i + 1);
    for (index_t f = interface_faces(i); f < interface_faces(i + 1); ++f)
      right_interfaces = right_interfaces && element_of(face_simplices(f, 0)) == expected.interfaces[i][0] &&
                         element_of(face_simplices(f, 1)) == expected.interfaces[i][1];
  }
  CHECK(right_interfaces);
  bool right_neighbours = neighbour_offsets(0) == 0 && boundary_offsets(0) == 0 &&
                          neighbour_offsets(n) == 2 * faces.n_interfaces() &&
                          boundary_offsets(n) == faces.n_faces() - n_interior;
  for (index_t e = 0; e < n; ++e) {
    std::vector<index_t> interfaces;
    for (const auto& [neighbour, interface] : expected.neighbours[e])
      interfaces.push_back(interface);
    right_neighbours =
        right_neighbours && std::vector<index_t>(neighbour_interfaces.data() + neighbour_offsets(e),
                                                 neighbour_interfaces.data() + neighbour_offsets(e + 1)) == interfaces;
    for (index_t f = boundary_offsets(e); f < boundary_offsets(e + 1); ++f)
      right_neighbours = right_neighbours && element_of(face_simplices(n_interior + f, 0)) == e;
  }
  CHECK(right_neighbours);
}

/// Agglomerations of all kinds: single simplices, one element, random elements (disconnected), and a hollow one around
/// a block.
template <class ExecutionSpace, int Dim> void check_kinds(const ExecutionSpace& exec, const test::HostMesh<Dim>& mesh) {
  const index_t n = mesh.n_elements();
  std::vector<index_t> parts(n);
  std::iota(parts.begin(), parts.end(), 0);
  check_polytopes(exec, mesh, parts);
  parts.assign(n, n - 1);
  check_polytopes(exec, mesh, parts);
  std::mt19937 random(5);
  for (index_t& part : parts)
    part = static_cast<index_t>(random() % (n / 5));
  check_polytopes(exec, mesh, parts);
  for (index_t s = 0; s < n; ++s)
    parts[s] = test::is_within(mesh, s, 0.3) ? 1 : (test::is_within(mesh, s, 0.4) ? 0 : 2 + s % 2);
  check_polytopes(exec, mesh, parts);
}

} // namespace

TEMPLATE_LIST_TEST_CASE("polytopes of a random mesh are those of a plain walk", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  check_kinds<TestType, 2>(exec, test::on_host(exec, test::random_box<2>(exec, {17, 23}, 1)));
  check_kinds<TestType, 3>(exec, test::on_host(exec, test::random_box<3>(exec, {5, 7, 6}, 2)));
}

TEMPLATE_LIST_TEST_CASE("polytopes of a mesh with a hole and two regions are those of a plain walk", "[mesh]",
                        test::ExecutionSpaces) {
  const TestType exec;
  check_kinds<TestType, 2>(exec, test::holed_box<2>(exec, {22, 19}, 3));
  check_kinds<TestType, 3>(exec, test::holed_box<3>(exec, {7, 8, 6}, 4));
}

TEMPLATE_LIST_TEST_CASE("every simplex can be an element of its own", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  const auto mesh = test::unit_box<3>(exec, {2, 1, 3});
  const auto made = mesh::make_polytopic_mesh(
      exec, mesh, Array<const index_t*, TestType>(mesh::simplicial_elements<TestType, 3>(exec, mesh)));
  REQUIRE(made.n_elements() == mesh.n_elements());
  const auto element_of = to_host(exec, made.element_of);
  const auto simplices = to_host(exec, made.element_simplices);
  for (index_t e = 0; e < mesh.n_elements(); ++e) {
    CHECK(element_of(e) == e);
    CHECK(simplices(e) == e);
  }
}

TEMPLATE_LIST_TEST_CASE("elements of one simplex each keep numbers in any order", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  const auto mesh = test::on_host(exec, test::random_box<2>(exec, {3, 5}, 1));
  const index_t n = mesh.n_elements();
  std::vector<index_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::shuffle(numbers.begin(), numbers.end(), std::mt19937(3));
  const auto simplices = mesh::copy_mesh<typename TestType::memory_space>(exec, mesh);
  const auto incidence = mesh::build_node_incidence(exec, simplices);
  const auto made =
      mesh::make_polytopic_mesh(exec, simplices, incidence, mesh::build_dual_graph(exec, simplices, incidence),
                                mesh::ElementNumbers<TestType>{test::array_of(exec, numbers), n});
  const auto offsets = to_host(exec, made.simplex_offsets);
  const auto element_simplices = to_host(exec, made.element_simplices);
  const auto regions = to_host(exec, made.regions);
  const auto face_simplices = to_host(exec, made.faces.simplices);
  const auto interface_elements = to_host(exec, made.faces.interface_elements);
  REQUIRE(made.n_elements() == n);
  CHECK(offsets(n) == n);
  for (index_t s = 0; s < n; ++s) {
    CHECK(offsets(numbers[s]) == numbers[s]);
    CHECK(element_simplices(numbers[s]) == s);
    CHECK(regions(numbers[s]) == mesh.regions(s));
  }
  for (index_t i = 0; i < made.faces.n_interfaces(); ++i) { // one face each
    CHECK(interface_elements(i, 0) < interface_elements(i, 1));
    for (int side = 0; side < 2; ++side)
      CHECK(numbers[face_simplices(i, side)] == interface_elements(i, side));
  }
}

TEMPLATE_LIST_TEST_CASE("impossible numbers of elements are refused", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  const auto mesh = test::unit_box<2>(exec, {2, 2});
  const auto make = [&](const std::vector<index_t>& parts) {
    return mesh::make_polytopic_mesh(exec, mesh, Array<const index_t*, TestType>(test::array_of(exec, parts)));
  };
  CHECK_THROWS_WITH(make({0, 1, 2}), ContainsSubstring("8 simplices") && ContainsSubstring("not 3"));
  CHECK_THROWS_WITH(make({0, 1, 2, 3, 4, 5, 6, 8}), ContainsSubstring("Simplex 7 is said to be in element 8"));
  CHECK_THROWS_WITH(make({0, 1, -2, 3, 4, 5, 6, 7}), ContainsSubstring("from 0 to 7"));
}

TEMPLATE_LIST_TEST_CASE("a dual graph leads from each facet to its other side", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  const auto check = [&](const auto& host) {
    constexpr int dim = std::decay_t<decltype(host)>::dimension;
    using Space = typename TestType::memory_space;
    const auto dual = mesh::build_dual_graph<TestType, dim>(exec, mesh::copy_mesh<Space>(exec, host));
    const auto across = to_host(exec, dual.across);
    bool is_right = true;
    for (const auto& [nodes, sides] : test::sides_of<dim>(host)) {
      const auto side = [&](std::size_t i) { return offset_t(sides[i].first) * (dim + 1) + sides[i].second; };
      is_right = is_right && across(sides[0].first, sides[0].second) == (sides.size() == 1 ? -1 : side(1));
      is_right = is_right && (sides.size() == 1 || across(sides[1].first, sides[1].second) == side(0));
    }
    CHECK(is_right);
  };
  check(test::holed_box<2>(exec, {13, 14}, 7));
  check(test::holed_box<3>(exec, {6, 5, 7}, 8));
}
