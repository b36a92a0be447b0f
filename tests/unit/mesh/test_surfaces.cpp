// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "host_mesh.hpp"
#include "mesh/checks/checks.hpp"
#include "mesh/checks/curved_surfaces.hpp"
#include "mesh/checks/hanging_nodes.hpp"
#include "mesh/checks/overlaps.hpp"
#include "random_mesh.hpp"
#include "spaces.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <set>
#include <utility>

using namespace tessera;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr double pi = 3.14159265358979323846;

template <int Dim> using Nodes = std::vector<std::array<double, Dim>>;
template <int Dim> using Elements = std::vector<std::array<index_t, Dim + 1>>;

template <int Dim, class ExecutionSpace>
mesh::Mesh<Dim, typename ExecutionSpace::memory_space> mesh_of(const ExecutionSpace& exec, const Nodes<Dim>& nodes,
                                                               const Elements<Dim>& elements,
                                                               const std::vector<group_t>& regions = {}) {
  test::HostMesh<Dim> host;
  host.coordinates = decltype(host.coordinates)("test::coordinates", nodes.size());
  host.elements = decltype(host.elements)("test::elements", elements.size());
  host.regions = decltype(host.regions)("test::regions", elements.size());
  host.region_names = {"domain", "other"};
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (int d = 0; d < Dim; ++d)
      host.coordinates(i, d) = nodes[i][d];
  for (std::size_t e = 0; e < elements.size(); ++e) {
    for (int a = 0; a <= Dim; ++a)
      host.elements(e, a) = elements[e][a];
    host.regions(e) = regions.empty() ? group_t(0) : regions[e];
  }
  return mesh::copy_mesh<typename ExecutionSpace::memory_space>(exec, host);
}

template <class ExecutionSpace, int Dim>
mesh::Surface<Dim> surface_of(const ExecutionSpace& exec,
                              const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                              bool with_interfaces = false) {
  mesh::FacetMarks<typename ExecutionSpace::memory_space> marks;
  const auto report = mesh::check_mesh<ExecutionSpace, Dim>(exec, mesh, &marks);
  CHECK(report.errors() == "");
  return mesh::collect_surface<ExecutionSpace, Dim>(exec, mesh, marks, with_interfaces);
}

/// A regular polygon with `per_side` facets on each side, as a fan around its centre.
template <class ExecutionSpace>
mesh::Mesh<2, typename ExecutionSpace::memory_space> polygon(const ExecutionSpace& exec, int n_corners, int per_side) {
  Nodes<2> nodes{{0., 0.}};
  Elements<2> elements;
  const int n = n_corners * per_side;
  for (int i = 0; i < n; ++i) {
    const double from = 2. * pi * (i / per_side) / n_corners, to = 2. * pi * (i / per_side + 1) / n_corners;
    const double t = static_cast<double>(i % per_side) / per_side;
    nodes.push_back({(1. - t) * std::cos(from) + t * std::cos(to), (1. - t) * std::sin(from) + t * std::sin(to)});
    elements.push_back({0, 1 + i, 1 + (i + 1) % n});
  }
  return mesh_of<2>(exec, nodes, elements);
}

template <class ExecutionSpace, int Dim>
std::size_t n_curved(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  std::size_t n = 0;
  for (const mesh::CurvedSurface& curved :
       mesh::find_curved_surfaces(surface_of<ExecutionSpace, Dim>(exec, mesh, true)))
    n += curved.facets.size();
  return n;
}

} // namespace

TEMPLATE_LIST_TEST_CASE("a facet of three elements is named with its elements and place", "[mesh]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const auto fin =
      mesh_of<2>(exec, {{0., 0.}, {1., 0.}, {0., 1.}, {1., 1.}, {1., 0.75}}, {{0, 1, 2}, {1, 3, 2}, {1, 4, 2}});
  const auto report = mesh::check_mesh(exec, fin);
  CHECK(report.crowded_facets.count == 1);
  CHECK_THAT(report.errors(), ContainsSubstring("1 facet of more than two elements (elements 0, 1, 2 at (0.5, 0.5))"));

  const Nodes<3> corners{{0., 0., 0.}, {1., 0., 0.}, {0., 1., 0.}, {0., 0., 1.}, {0., 0., -1.}, {0.1, 0.1, 2.}};
  const auto solid = mesh_of<3>(exec, corners, {{0, 1, 2, 3}, {0, 2, 1, 4}, {0, 1, 2, 5}});
  CHECK(mesh::check_mesh(exec, solid).crowded_facets.count == 1);
}

TEMPLATE_LIST_TEST_CASE("two elements on one side of their facet are named, as in a folded star", "[mesh]",
                        test::ExecutionSpaces) {
  const TestType exec;
  // The centre of a square of four triangles was moved out of it, and the inverted element was reoriented.
  const auto folded = mesh_of<2>(exec, {{0., 0.}, {1., 0.}, {1., 1.}, {0., 1.}, {0.5, 1.25}},
                                 {{0, 1, 4}, {1, 2, 4}, {2, 4, 3}, {3, 0, 4}});
  const auto report = mesh::check_mesh(exec, folded);
  CHECK(report.folded_facets.count == 2);
  CHECK_THAT(report.errors(), ContainsSubstring("2 facets with two elements on the same side, which overlap (elements "
                                                "1, 2 at (0.75, 1.125); elements 2, 3 at (0.25, 1.125))"));

  const Nodes<3> corners{{0., 0., 0.}, {1., 0., 0.}, {0., 1., 0.}, {0., 0., 1.}, {0.2, 0.2, 2.}};
  CHECK(mesh::check_mesh(exec, mesh_of<3>(exec, corners, {{0, 1, 2, 3}, {1, 2, 0, 4}})).folded_facets.count == 1);
  CHECK(mesh::check_mesh(exec, mesh_of<3>(exec, corners, {{0, 1, 2, 3}, {1, 2, 3, 4}})).errors() == "");
}

TEMPLATE_LIST_TEST_CASE("elements that turn about a node twice are reported", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  Nodes<2> nodes{{0.3, 0.1}};
  Elements<2> elements;
  for (index_t i = 0; i < 10; ++i) { // two turns of five triangles each, every facet with one triangle on each side
    const double angle = 4. * pi * i / 10.;
    nodes.push_back({0.3 + (1. + 0.01 * i) * std::cos(angle), 0.1 + (1. + 0.01 * i) * std::sin(angle)});
    elements.push_back({0, 1 + i, 1 + (i + 1) % 10});
  }
  const auto report = mesh::check_mesh(exec, mesh_of<2>(exec, nodes, elements));
  CHECK(report.overlapped_nodes.count == 1);
  CHECK_THAT(report.errors(), ContainsSubstring("1 node around which elements overlap (node 0 at (0.3, 0.1))"));
  // An element with a wrong node overlaps those of a fan that is complete without it.
  const Nodes<2> square{{0., 0.}, {2., 0.}, {2., 2.}, {0., 2.}, {1., 1.}, {3., 1.}, {3., 0.5}};
  const auto upon = mesh_of<2>(exec, square, {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}, {4, 6, 5}});
  CHECK(mesh::check_mesh(exec, upon).overlapped_nodes.first == std::vector<index_t>{4});
  // Elements that share only one node.
  const Nodes<3> corners{{0., 0., 0.}, {2., 0., 0.}, {0., 2., 0.}, {0., 0., 2.},
                         {3., 1., 1.}, {1., 3., 1.}, {1., 1., 3.}};
  CHECK(mesh::check_mesh(exec, mesh_of<3>(exec, corners, {{0, 1, 2, 3}, {0, 4, 5, 6}})).overlapped_nodes.count == 1);
}

TEMPLATE_LIST_TEST_CASE("hanging nodes are distinguished from parts that touch and from slits", "[mesh]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const Nodes<2> nodes{{0., 0.}, {1., 0.}, {1., 1.}, {0., 1.}, {1., 0.5}, {2., 0.5}};
  // Next to the square, two triangles that share half of its right side each.
  const auto hanging = mesh_of<2>(exec, nodes, {{0, 1, 2}, {0, 2, 3}, {1, 5, 4}, {4, 5, 2}});
  const auto found = mesh::find_nodes_on_facets(surface_of<TestType, 2>(exec, hanging));
  REQUIRE(found.size() == 1);
  CHECK(found[0].node == 4);
  CHECK(found[0].element == 0);
  CHECK(found[0].place == std::array<double, 2>{1., 0.5});
  CHECK(found[0].is_hanging);

  // The same with separate nodes: the parts touch.
  Nodes<2> doubled = nodes;
  doubled.insert(doubled.end(), {{1., 0.}, {1., 1.}});
  const auto touching = mesh_of<2>(exec, doubled, {{0, 1, 2}, {0, 2, 3}, {6, 5, 4}, {4, 5, 7}});
  const auto touches = mesh::find_nodes_on_facets(surface_of<TestType, 2>(exec, touching));
  REQUIRE(touches.size() == 1);
  CHECK_FALSE(touches[0].is_hanging);

  // A slit from the left side to the middle: its nodes occur twice, with equal coordinates.
  const auto slit = mesh_of<2>(exec, {{0., 0.}, {1., 0.}, {1., 1.}, {0., 1.}, {0., 0.5}, {0.5, 0.5}, {0., 0.5}},
                               {{0, 1, 5}, {1, 2, 5}, {2, 3, 5}, {3, 6, 5}, {4, 0, 5}});
  CHECK(mesh::find_nodes_on_facets(surface_of<TestType, 2>(exec, slit)).empty());
  CHECK_FALSE(mesh::find_overlap(exec, slit, surface_of<TestType, 2>(exec, slit)).has_value());

  // A tetrahedron on top of two that halve its base.
  const auto solid =
      mesh_of<3>(exec, {{0., 0., 0.}, {1., 0., 0.}, {0., 1., 0.}, {0., 0., 1.}, {0., 0., -1.}, {0.5, 0.5, 0.}},
                 {{0, 1, 2, 3}, {0, 5, 1, 4}, {0, 2, 5, 4}});
  const auto in_3d = mesh::find_nodes_on_facets(surface_of<TestType, 3>(exec, solid));
  REQUIRE_FALSE(in_3d.empty());
  CHECK(std::all_of(in_3d.begin(), in_3d.end(), [](const auto& entry) { return entry.node == 5; }));
  CHECK(std::any_of(in_3d.begin(), in_3d.end(), [](const auto& entry) { return entry.is_hanging; }));
}

namespace {

/// Number of distinct nodes.
template <int Dim> std::size_t n_nodes(const std::vector<mesh::NarrowGap<Dim>>& found) {
  std::set<index_t> nodes;
  for (const mesh::NarrowGap<Dim>& entry : found)
    nodes.insert(entry.node);
  return nodes.size();
}

} // namespace

TEMPLATE_LIST_TEST_CASE("narrow gaps are distinguished from parts that are joined, touch, or stand apart", "[mesh]",
                        test::ExecutionSpaces) {
  const TestType exec;
  // Two squares of two triangles each, at a distance from each other; the second may have a node in the middle of its
  // side.
  const auto gaps = [&](double gap, bool matches) {
    const double x = 1. + gap;
    const Nodes<2> nodes{{0., 0.}, {1., 0.}, {1., 1.}, {0., 1.}, {x, 0.}, {2., 0.}, {2., 1.}, {x, 1.}, {x, 0.5}};
    const Elements<2> whole{{0, 1, 2}, {0, 2, 3}, {4, 5, 6}, {4, 6, 7}};
    const Elements<2> halves{{0, 1, 2}, {0, 2, 3}, {4, 5, 8}, {5, 6, 8}, {6, 7, 8}};
    const Nodes<2> used(nodes.begin(), nodes.end() - (matches ? 1 : 0));
    return mesh::find_narrow_gaps(surface_of<TestType, 2>(exec, mesh_of<2>(exec, used, matches ? whole : halves)));
  };
  for (const double gap : {1e-11, 1e-9, 1e-6, 4e-4}) {
    INFO(gap);
    const auto found = gaps(gap, true);
    REQUIRE(n_nodes(found) == 4); // each corner is close to the other side
    CHECK(found[0].width == Approx(gap).epsilon(1e-4));
    CHECK(std::fabs(found[0].place[0] - 1.) < 2. * gap);
    CHECK(n_nodes(gaps(gap, false)) == (gap > 2e-6 ? 5u : 4u)); // for smaller gaps, the node in the middle touches
  }
  CHECK(n_nodes(gaps(-1e-9, true)) == 4);
  // Within the tolerance of coinciding nodes they are joined and reported as such; other distances are large enough to
  // be intended.
  for (const double gap : {0., 1e-14, 2e-3, 0.1}) {
    INFO(gap);
    CHECK(gaps(gap, true).empty());
    CHECK(gaps(gap, false).empty());
  }
  CHECK(mesh::find_narrow_gaps(surface_of<TestType, 2>(exec, test::random_box<2>(exec, {23, 29}, 1))).empty());
  CHECK(mesh::find_narrow_gaps(surface_of<TestType, 3>(exec, test::random_box<3>(exec, {5, 7, 3}, 1))).empty());
  // In 3D: a tetrahedron above another one.
  for (const double gap : {1e-5, 0.01}) {
    const auto pair = mesh_of<3>(exec,
                                 {{0., 0., 0.},
                                  {1., 0., 0.},
                                  {0., 1., 0.},
                                  {0., 0., -1.},
                                  {0.2, 0.2, gap},
                                  {0.7, 0.2, gap},
                                  {0.2, 0.7, gap},
                                  {0.2, 0.2, 1.}},
                                 {{0, 2, 1, 3}, {4, 5, 6, 7}});
    CHECK(n_nodes(mesh::find_narrow_gaps(surface_of<TestType, 3>(exec, pair))) == (gap < 1e-3 ? 3u : 0u));
  }
}

TEMPLATE_LIST_TEST_CASE("a slit with double nodes in a box of tetrahedra is sound", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  const auto box = test::on_host(exec, test::unit_box<3>(exec, {4, 3, 4}));
  Nodes<3> nodes;
  for (index_t node = 0; node < box.n_nodes(); ++node)
    nodes.push_back({box.coordinates(node, 0), box.coordinates(node, 1), box.coordinates(node, 2)});
  std::vector<index_t> upper(nodes.size()); // node of the elements above the slit
  for (std::size_t node = 0, n = nodes.size(); node < n; ++node) {
    upper[node] = static_cast<index_t>(node);
    if (nodes[node][2] == 0.5 && nodes[node][0] < 0.5) {
      upper[node] = static_cast<index_t>(nodes.size());
      const std::array<double, 3> twin = nodes[node];
      nodes.push_back(twin);
    }
  }
  Elements<3> elements;
  for (index_t e = 0; e < box.n_elements(); ++e) {
    std::array<index_t, 4> element;
    double height = 0.;
    for (int a = 0; a < 4; ++a) {
      element[a] = box.elements(e, a);
      height += nodes[element[a]][2] / 4.;
    }
    for (index_t& node : element)
      node = height > 0.5 ? upper[node] : node;
    elements.push_back(element);
  }
  const auto slit = mesh_of<3>(exec, nodes, elements);
  const auto surface = surface_of<TestType, 3>(exec, slit);
  CHECK(surface.n_facets() == 4 * (4 * 3 + 4 * 4 + 3 * 4) + 2 * 2 * (2 * 3)); // plus both sides of the slit
  CHECK(mesh::find_nodes_on_facets(surface).empty());
  CHECK(mesh::find_narrow_gaps(surface).empty());
  CHECK_FALSE(mesh::find_overlap(exec, slit, surface).has_value());
}

TEMPLATE_LIST_TEST_CASE("elements that overlap without a common facet are reported with the place", "[mesh]",
                        test::ExecutionSpaces) {
  const TestType exec;
  // The tip of a triangle inside a larger one, and the triangle next to it.
  const Nodes<2> nodes{{0., 0.}, {4., 0.}, {0., 4.}, {1., 1.}, {5., 4.}, {4., 5.}};
  const auto plane = mesh_of<2>(exec, nodes, {{0, 1, 2}, {3, 4, 5}});
  const auto in_plane = mesh::find_overlap(exec, plane, surface_of<TestType, 2>(exec, plane));
  REQUIRE(in_plane.has_value());
  CHECK(in_plane->element == 0);
  CHECK(in_plane->other == 1);
  CHECK(in_plane->place[0] + in_plane->place[1] < 4.);
  const auto apart =
      mesh_of<2>(exec, {{0., 0.}, {4., 0.}, {0., 4.}, {2., 2.}, {5., 4.}, {4., 5.}}, {{0, 1, 2}, {3, 4, 5}});
  CHECK_FALSE(mesh::find_overlap(exec, apart, surface_of<TestType, 2>(exec, apart)).has_value());

  // A small tetrahedron inside a large one.
  const auto solid = mesh_of<3>(
      exec,
      {{0., 0., 0.}, {9., 0., 0.}, {0., 9., 0.}, {0., 0., 9.}, {1., 1., 1.}, {2., 1., 1.}, {1., 2., 1.}, {1., 1., 2.}},
      {{4, 5, 6, 7}, {0, 1, 2, 3}});
  const auto in_solid = mesh::find_overlap(exec, solid, surface_of<TestType, 3>(exec, solid));
  REQUIRE(in_solid.has_value());
  CHECK(in_solid->element == 1);
  CHECK(in_solid->other == 0);
}

TEMPLATE_LIST_TEST_CASE("sound meshes have whole surfaces, no nodes on facets and no overlaps", "[mesh]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const auto triangles = surface_of<TestType, 2>(exec, test::random_box<2>(exec, {23, 29}, 1));
  CHECK(triangles.n_facets() == 2 * (23 + 29));
  CHECK(mesh::find_nodes_on_facets(triangles).empty());
  CHECK_FALSE(mesh::find_overlap(exec, test::random_box<2>(exec, {23, 29}, 1), triangles).has_value());
  const auto tetrahedra = surface_of<TestType, 3>(exec, test::random_box<3>(exec, {5, 7, 3}, 1));
  CHECK_FALSE(mesh::find_overlap(exec, test::random_box<3>(exec, {5, 7, 3}, 1), tetrahedra).has_value());
  CHECK(tetrahedra.n_facets() == 4 * (5 * 7 + 5 * 3 + 7 * 3));
  CHECK(mesh::find_nodes_on_facets(tetrahedra).empty());
  double flux = 0.; // flux of the position vector: three times the volume if every facet is oriented outwards
  for (index_t f = 0; f < tetrahedra.n_facets(); ++f) {
    const auto p = [&](int k, int d) { return tetrahedra.points(f, 3 * k + d); };
    flux +=
        0.5 * (p(0, 0) * (p(1, 1) * p(2, 2) - p(1, 2) * p(2, 1)) + p(0, 1) * (p(1, 2) * p(2, 0) - p(1, 0) * p(2, 2)) +
               p(0, 2) * (p(1, 0) * p(2, 1) - p(1, 1) * p(2, 0)));
  }
  CHECK(flux == Approx(3.));

  auto host = test::on_host(exec, test::unit_box<2>(exec, {4, 4}));
  for (index_t e = 0; e < host.n_elements(); ++e)
    host.regions(e) = e < host.n_elements() / 2 ? 0 : 1;
  const auto halves = mesh::copy_mesh<typename TestType::memory_space>(exec, host);
  CHECK(surface_of<TestType, 2>(exec, halves, true).n_facets() == 16 + 2 * 4);
}

TEMPLATE_LIST_TEST_CASE("circles count as curved from eight facets on, polygons and chamfers do not", "[mesh]",
                        test::ExecutionSpaces) {
  const TestType exec;
  for (const int n : {8, 9, 64, 1000})
    CHECK(n_curved<TestType, 2>(exec, polygon(exec, n, 1)) == static_cast<std::size_t>(n));
  for (const auto& [n_corners, per_side] : {std::pair{3, 1}, {4, 1}, {6, 1}, {6, 5}, {8, 2}, {8, 3}, {12, 2}})
    CHECK(n_curved<TestType, 2>(exec, polygon(exec, n_corners, per_side)) == 0);
  // A square with its corners cut off by one facet each; its sides have three facets.
  Nodes<2> outline;
  const double cut = 0.1;
  const Nodes<2> corners{{0., 0.}, {1., 0.}, {1., 1.}, {0., 1.}};
  for (int c = 0; c < 4; ++c) {
    const auto &a = corners[c], &b = corners[(c + 1) % 4];
    for (const double t : {cut, 0.4, 0.6, 1. - cut})
      outline.push_back({a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])});
  }
  Nodes<2> nodes{{0.5, 0.5}};
  nodes.insert(nodes.end(), outline.begin(), outline.end());
  Elements<2> fan;
  for (index_t i = 0; i < 16; ++i)
    fan.push_back({0, 1 + i, 1 + (i + 1) % 16});
  CHECK(n_curved<TestType, 2>(exec, mesh_of<2>(exec, nodes, fan)) == 0);

  CHECK(n_curved<TestType, 3>(exec, test::unit_box<3>(exec, {4, 3, 2})) == 0);
  // The box bent to a quarter of a tube: its inner and outer sides are curved, its flat ends and sides are not.
  auto host = test::on_host(exec, test::unit_box<3>(exec, {6, 3, 2}));
  for (index_t node = 0; node < host.n_nodes(); ++node) {
    const double angle = 0.5 * pi * (1. - host.coordinates(node, 0)), radius = 1. + host.coordinates(node, 1);
    host.coordinates(node, 0) = radius * std::cos(angle);
    host.coordinates(node, 1) = radius * std::sin(angle);
  }
  const auto tube = mesh::copy_mesh<typename TestType::memory_space>(exec, host);
  const auto curved = mesh::find_curved_surfaces(surface_of<TestType, 3>(exec, tube));
  REQUIRE(curved.size() == 1);
  CHECK(curved[0].angle == Approx(15.));
  // Of six columns, the outermost ones do not count, since they turn by 90 degrees there, and neither does half of the
  // columns next to them.
  CHECK(curved[0].facets.size() == 2 * 2 * (2 * 2 + 2 * 1));
}
