// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "host_mesh.hpp"
#include "mesh/checks/checks.hpp"
#include "random_mesh.hpp"
#include "spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <limits>

using namespace tessera;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Applies `change` to a copy of the mesh on the host.
template <class ExecutionSpace, int Dim, class Change>
mesh::Mesh<Dim, typename ExecutionSpace::memory_space>
changed(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
        const Change& change) {
  auto host = test::on_host(exec, mesh);
  change(host);
  return mesh::copy_mesh<typename ExecutionSpace::memory_space>(exec, host);
}

template <class MeshType> void swap_nodes(MeshType& mesh, index_t element) {
  std::swap(mesh.elements(element, 0), mesh.elements(element, 1));
}

using Numbers = std::vector<index_t>;

} // namespace

TEMPLATE_LIST_TEST_CASE("a sound random mesh passes the checks", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  const auto triangles = mesh::check_mesh(exec, test::random_box<2>(exec, {23, 29}, 1));
  CHECK_FALSE(triangles.has_errors());
  CHECK((triangles.errors() + triangles.warnings()).empty());
  const auto tetrahedra = mesh::check_mesh(exec, test::random_box<3>(exec, {5, 7, 3}, 1));
  CHECK((tetrahedra.errors() + tetrahedra.warnings()).empty());
}

TEMPLATE_LIST_TEST_CASE("inverted, degenerate and duplicate elements are named by their original numbers", "[mesh]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const auto random = test::random_box<2>(exec, {9, 8}, 1);
  index_t degenerate = 0;
  index_t duplicate = 0;
  Numbers inverted;
  const auto broken = changed(exec, random, [&](test::HostMesh<2>& mesh) {
    for (const index_t e : {5, 17, 3}) {
      swap_nodes(mesh, e);
      inverted.push_back(mesh.original_element(e));
    }
    mesh.elements(40, 1) = mesh.elements(40, 0);
    degenerate = mesh.original_element(40);
    for (int a = 0; a < 3; ++a)
      mesh.elements(70, (a + 1) % 3) = mesh.elements(60, a);
    duplicate = mesh.original_element(70);
  });
  std::sort(inverted.begin(), inverted.end());

  const auto report = mesh::check_mesh(exec, broken);

  CHECK(report.has_errors());
  CHECK(report.inverted_elements.first == inverted);
  CHECK(report.degenerate_elements.first == Numbers{degenerate});
  CHECK(report.duplicate_elements.first == Numbers{duplicate});
  CHECK_THAT(report.errors(), ContainsSubstring("3 inverted elements (negative measure)"));
}

TEMPLATE_LIST_TEST_CASE("only the first ten offenders are named", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  const auto broken = changed(exec, test::unit_box<3>(exec, {3, 3, 3}), [](test::HostMesh<3>& mesh) {
    for (index_t e = 4; e < 24; ++e)
      swap_nodes(mesh, e);
  });
  const auto report = mesh::check_mesh(exec, broken);
  CHECK(report.inverted_elements.count == 20);
  CHECK(report.inverted_elements.first == Numbers{4, 5, 6, 7, 8, 9, 10, 11, 12, 13});
  CHECK_THAT(report.errors(), ContainsSubstring("12, 13, ...)"));
}

TEMPLATE_LIST_TEST_CASE("flat elements are degenerate however small or large the mesh", "[mesh]",
                        test::ExecutionSpaces) {
  const TestType exec;
  for (const double scale : {1e-9, 1., 1e9}) {
    const auto scaled = changed(exec, test::unit_box<3>(exec, {2, 2, 2}), [scale](test::HostMesh<3>& mesh) {
      for (index_t node = 0; node < mesh.n_nodes(); ++node)
        for (int d = 0; d < 3; ++d)
          mesh.coordinates(node, d) *= scale;
    });
    CHECK_FALSE(mesh::check_mesh(exec, scaled).has_errors());
    const auto flat = changed(exec, scaled, [](test::HostMesh<3>& mesh) {
      for (int d = 0; d < 3; ++d) // the fourth vertex of element 6 between two others
        mesh.coordinates(mesh.elements(6, 3), d) =
            0.5 * (mesh.coordinates(mesh.elements(6, 0), d) + mesh.coordinates(mesh.elements(6, 1), d));
    });
    const auto report = mesh::check_mesh(exec, flat);
    CHECK(std::count(report.degenerate_elements.first.begin(), report.degenerate_elements.first.end(), 6) == 1);
  }
}

TEMPLATE_LIST_TEST_CASE("nodes that only rounding separates are found, those of thin layers are not", "[mesh]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const auto count = [&](double distance) {
    const auto doubled = changed(exec, test::unit_box<2>(exec, {10, 7}), [&](test::HostMesh<2>& mesh) {
      auto coordinates = decltype(mesh.coordinates)("test::coordinates", mesh.n_nodes() + 1);
      for (index_t node = 0; node < mesh.n_nodes(); ++node)
        for (int d = 0; d < 2; ++d)
          coordinates(node, d) = mesh.coordinates(node, d);
      coordinates(mesh.n_nodes(), 0) = 1. + distance; // next to the node at (1, 0)
      mesh.coordinates = coordinates;
    });
    return mesh::check_mesh(exec, doubled).coincident_nodes.count;
  };
  CHECK(count(0.) == 1);
  CHECK(count(4e-16) == 1);
  CHECK(count(1e-13) == 1);
  CHECK(count(1e-11) == 0);
}

TEMPLATE_LIST_TEST_CASE("orphan, coincident and non-finite nodes are found", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  const auto broken = changed(exec, test::unit_box<2>(exec, {11, 7}), [](test::HostMesh<2>& mesh) {
    auto coordinates = decltype(mesh.coordinates)("test::coordinates", mesh.n_nodes() + 3);
    for (index_t node = 0; node < mesh.n_nodes(); ++node)
      for (int d = 0; d < 2; ++d)
        coordinates(node, d) = mesh.coordinates(node, d);
    const index_t n = mesh.n_nodes();
    coordinates(n, 0) = -0.; // a copy of node 0, with negative zero
    coordinates(n + 1, 0) = std::numeric_limits<double>::quiet_NaN();
    coordinates(n + 2, 1) = std::numeric_limits<double>::infinity();
    mesh.coordinates = coordinates;
  });
  const auto report = mesh::check_mesh(exec, broken);
  CHECK(report.orphan_nodes.first == Numbers{96, 97, 98});
  CHECK(report.coincident_nodes.first == Numbers{96});
  CHECK(report.non_finite_nodes.first == Numbers{97, 98});
  CHECK_THAT(report.warnings(), ContainsSubstring("3 orphan nodes (in no element) (96, 97, 98)."));

  CHECK_THAT(report.warnings(), ContainsSubstring("there the mesh is cut"));

  const auto compact = test::on_host(exec, mesh::drop_orphan_nodes(exec, broken));
  CHECK(compact.n_nodes() == 96);
  CHECK(compact.original_node(95) == 95);
}

TEMPLATE_LIST_TEST_CASE("numbers out of range and stray facets are found", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  const auto box = test::unit_box<3>(exec, {2, 3, 2});
  const auto bad_element = changed(exec, box, [](test::HostMesh<3>& mesh) {
    mesh.elements(7, 2) = mesh.n_nodes();
    mesh.elements(9, 0) = -1;
  });
  CHECK(mesh::check_mesh(exec, bad_element).elements_out_of_range.first == Numbers{7, 9});
  const auto bad_facets = changed(exec, box, [](test::HostMesh<3>& mesh) {
    mesh.facets(3, 1) = -5;
    mesh.facets(4, 0) = mesh.facets(4, 1); // an edge
    mesh.facets(8, 2) = mesh.n_nodes() - 1;
  });
  const auto report = mesh::check_mesh(exec, bad_facets);
  CHECK(report.facets_out_of_range.first == Numbers{3});
  CHECK(report.stray_facets.first == Numbers{4, 8});
}

TEMPLATE_LIST_TEST_CASE("dropping orphan nodes keeps the rest of the mesh", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  const auto random = test::random_box<2>(exec, {6, 5}, 4);
  // Without the elements at a corner of the box that belongs to only one element, its node is an orphan.
  const auto host = test::on_host(exec, random);
  std::vector<int> n_elements(host.n_nodes(), 0);
  for (index_t e = 0; e < host.n_elements(); ++e)
    for (int a = 0; a < 3; ++a)
      ++n_elements[host.elements(e, a)];
  const index_t single_node =
      static_cast<index_t>(std::find(n_elements.begin(), n_elements.end(), 1) - n_elements.begin());
  const auto cut = changed(exec, random, [single_node](test::HostMesh<2>& mesh) {
    for (index_t e = 0; e < mesh.n_elements(); ++e)
      for (int a = 0; a < 3; ++a)
        if (mesh.elements(e, a) == single_node) {
          const index_t other = e == 0 ? 1 : 0;
          for (int b = 0; b < 3; ++b)
            mesh.elements(e, b) = mesh.elements(other, b);
          a = 3;
        }
  });
  CHECK_THROWS_WITH(mesh::drop_orphan_nodes(exec, cut), ContainsSubstring("boundary facets use 2 of them"));

  const auto without_facets = changed(exec, cut, [](test::HostMesh<2>& mesh) {
    mesh.facets = decltype(mesh.facets)("test::facets", 0);
    mesh.facet_groups = decltype(mesh.facet_groups)("test::facet_groups", 0);
  });
  const auto before = test::on_host(exec, without_facets);
  const auto after = test::on_host(exec, mesh::drop_orphan_nodes(exec, without_facets));
  REQUIRE(after.n_nodes() == before.n_nodes() - 1);
  bool is_same = true;
  for (index_t node = 0; node < after.n_nodes(); ++node)
    is_same = is_same && after.original_node(node) == before.original_node(node < single_node ? node : node + 1);
  for (index_t e = 0; e < before.n_elements(); ++e)
    for (int a = 0; a < 3; ++a)
      for (int d = 0; d < 2; ++d)
        is_same = is_same && after.coordinates(after.elements(e, a), d) == before.coordinates(before.elements(e, a), d);
  CHECK(is_same);
}
