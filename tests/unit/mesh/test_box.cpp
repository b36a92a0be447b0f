// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "host_mesh.hpp"
#include "mesh/box.hpp"
#include "mesh/checks/checks.hpp"
#include "spaces.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>

#include <set>

using namespace tessera;
using Catch::Approx;

namespace {

/// Checks that the facets of side `group` lie at `position` in direction d, and their number.
template <int Dim>
void check_side(const test::HostMesh<Dim>& mesh, group_t group, int d, double position, index_t n_expected) {
  index_t n = 0;
  bool lies_on_side = true;
  for (index_t f = 0; f < mesh.n_facets(); ++f)
    if (mesh.facet_groups(f) == group) {
      ++n;
      for (int a = 0; a < Dim; ++a)
        lies_on_side = lies_on_side && mesh.coordinates(mesh.facets(f, a), d) == position;
    }
  CHECK(n == n_expected);
  CHECK(lies_on_side);
}

} // namespace

TEMPLATE_LIST_TEST_CASE("a box of triangles fills its rectangle", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  const auto made = mesh::make_box<2>(exec, {7, 5}, {-1., 2.}, {0.4, 3.});
  const auto box = test::on_host(exec, made);
  CHECK(box.n_nodes() == 8 * 6);
  CHECK(box.n_elements() == 7 * 5 * 2);
  CHECK(box.n_facets() == 2 * (7 + 5));
  CHECK(box.region_names == std::vector<std::string>{"domain"});
  CHECK(box.boundary_names == std::vector<std::string>{"left", "right", "bottom", "top"});
  CHECK(test::smallest_measure(box) == Approx(0.2 * 0.2 / 2.));
  CHECK(test::total_measure(box) == Approx(1.4));
  CHECK(box.coordinates(9, 0) == Approx(-0.8)); // x varies fastest
  CHECK(box.coordinates(9, 1) == Approx(2.2));
  check_side<2>(box, 0, 0, -1., 5);
  check_side<2>(box, 1, 0, 0.4, 5);
  check_side<2>(box, 2, 1, 2., 7);
  check_side<2>(box, 3, 1, 3., 7);
  CHECK(mesh::check_mesh(exec, made).errors().empty());
  CHECK(mesh::check_mesh(exec, made).warnings().empty());
}

TEMPLATE_LIST_TEST_CASE("a box of tetrahedra fills its cuboid with positive volumes", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  const auto made = mesh::make_box<3>(exec, {3, 5, 2}, {0., -1., 1.}, {3., 4., 5.});
  const auto box = test::on_host(exec, made);
  CHECK(box.n_nodes() == 4 * 6 * 3);
  CHECK(box.n_elements() == 3 * 5 * 2 * 6);
  CHECK(box.n_facets() == 4 * (3 * 5 + 5 * 2 + 2 * 3));
  CHECK(box.boundary_names == std::vector<std::string>{"left", "right", "bottom", "top", "back", "front"});
  CHECK(test::smallest_measure(box) == Approx(2. / 6.));
  CHECK(test::total_measure(box) == Approx(60.));
  check_side<3>(box, 0, 0, 0., 2 * 5 * 2);
  check_side<3>(box, 1, 0, 3., 2 * 5 * 2);
  check_side<3>(box, 2, 1, -1., 2 * 3 * 2);
  check_side<3>(box, 3, 1, 4., 2 * 3 * 2);
  check_side<3>(box, 4, 2, 1., 2 * 3 * 5);
  check_side<3>(box, 5, 2, 5., 2 * 3 * 5);
  // No stray facets: the facets are faces of elements, so the triangulation of a side is that of its cells.
  CHECK(mesh::check_mesh(exec, made).errors().empty());
  std::set<std::array<index_t, 3>> distinct;
  for (index_t f = 0; f < box.n_facets(); ++f)
    distinct.insert(test::sorted_nodes<decltype(box.facets), 3>(box.facets, f));
  CHECK(static_cast<index_t>(distinct.size()) == box.n_facets());
}

TEMPLATE_LIST_TEST_CASE("a box without cells or extent is refused", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  CHECK_THROWS_AS(mesh::make_box<2>(exec, {0, 1}, {0., 0.}, {1., 1.}), Error);
  CHECK_THROWS_AS(mesh::make_box<2>(exec, {1, 1}, {0., 1.}, {1., 1.}), Error);
  CHECK_THROWS_AS(mesh::make_box<3>(exec, {2000, 2000, 2000}, {0., 0., 0.}, {1., 1., 1.}), Error);
}
