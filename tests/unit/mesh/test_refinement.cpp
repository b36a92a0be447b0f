// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "host_mesh.hpp"
#include "mesh/checks/checks.hpp"
#include "mesh/refine/refinement.hpp"
#include "random_mesh.hpp"
#include "spaces.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>

#include <cmath>
#include <set>

using namespace tessera;
using Catch::Approx;

namespace {

/// Checks that facets of group 2 d + s lie at 0 (s = 0) or 1 in direction d, and cover their side.
template <int Dim> void check_sides(const test::HostMesh<Dim>& mesh) {
  bool lies_on_side = true;
  std::vector<double> covered(2 * Dim, 0.);
  for (index_t f = 0; f < mesh.n_facets(); ++f) {
    const int side = mesh.facet_groups(f);
    double corner[3][3] = {};
    for (int a = 0; a < Dim; ++a)
      for (int d = 0; d < Dim; ++d) {
        corner[a][d] = mesh.coordinates(mesh.facets(f, a), d);
        if (d == side / 2)
          lies_on_side = lies_on_side && corner[a][d] == side % 2;
      }
    double u[3];
    double v[3];
    for (int d = 0; d < 3; ++d) {
      u[d] = corner[1][d] - corner[0][d];
      v[d] = corner[2][d] - corner[0][d];
    }
    const double nx = u[1] * v[2] - u[2] * v[1];
    const double ny = u[2] * v[0] - u[0] * v[2];
    const double nz = u[0] * v[1] - u[1] * v[0];
    covered[side] += Dim == 2 ? std::hypot(u[0], u[1]) : 0.5 * std::sqrt(nx * nx + ny * ny + nz * nz);
  }
  CHECK(lies_on_side);
  for (const double area : covered)
    CHECK(area == Approx(1.));
}

template <int Dim, class ExecutionSpace>
void check_refined_box(const ExecutionSpace& exec, const std::array<index_t, Dim>& cells) {
  const index_t n_children = Dim == 2 ? 4 : 8;
  auto coarse = test::random_box<Dim>(exec, cells, 11);
  coarse.region_names = {"even", "odd"};
  const auto regions = to_host(exec, coarse.regions);
  for (index_t e = 0; e < coarse.n_elements(); ++e)
    regions(e) = static_cast<group_t>(e % 2);
  Kokkos::deep_copy(exec, coarse.regions, regions);

  const auto refined = mesh::refine_uniform(exec, coarse);

  const auto before = test::on_host(exec, coarse);
  const auto fine = test::on_host(exec, refined);
  REQUIRE(fine.n_elements() == n_children * before.n_elements());
  CHECK(fine.n_facets() == n_children / 2 * before.n_facets());
  CHECK(fine.region_names == before.region_names);
  CHECK(fine.boundary_names == before.boundary_names);
  bool is_conserved = true;
  bool keeps_region = true;
  bool keeps_number = true;
  for (index_t e = 0; e < before.n_elements(); ++e) {
    const double parent = test::measure(before, e);
    for (index_t c = 0; c < n_children; ++c) {
      const index_t child = e * n_children + c;
      is_conserved = is_conserved && std::abs(n_children * test::measure(fine, child) - parent) < 1e-12 * parent;
      keeps_region = keeps_region && fine.regions(child) == before.regions(e);
      keeps_number = keeps_number && fine.original_element(child) == before.original_element(e) * n_children + c;
    }
  }
  CHECK(is_conserved);
  CHECK(keeps_region);
  CHECK(keeps_number);
  std::set<index_t> originals;
  for (index_t node = 0; node < fine.n_nodes(); ++node)
    originals.insert(fine.original_node(node));
  CHECK(static_cast<index_t>(originals.size()) == fine.n_nodes());
  CHECK(*originals.rbegin() == fine.n_nodes() - 1);
  check_sides(fine);
  std::set<std::array<index_t, Dim>> facets; // the children of a facet are distinct
  for (index_t f = 0; f < fine.n_facets(); ++f)
    facets.insert(test::sorted_nodes<decltype(fine.facets), Dim>(fine.facets, f));
  CHECK(static_cast<index_t>(facets.size()) == fine.n_facets());
  const auto report = mesh::check_mesh(exec, refined);
  CHECK(report.errors().empty());
  CHECK(report.warnings().empty());

  const auto twice = mesh::refine_uniform(exec, refined);
  CHECK(mesh::check_mesh(exec, twice).errors().empty());
  CHECK(test::total_measure(test::on_host(exec, twice)) == Approx(1.));
}

/// Sorted squared edge lengths over volume^(2/3): equal for similar tetrahedra.
std::array<long, 6> shape_of(const test::HostMesh<3>& mesh, index_t element) {
  using Simplex = mesh::Simplex<3>;
  const double scale = std::pow(test::measure(mesh, element), 2. / 3.);
  std::array<long, 6> shape;
  for (int k = 0; k < 6; ++k) {
    double square = 0.;
    for (int d = 0; d < 3; ++d) {
      const double difference = mesh.coordinates(mesh.elements(element, Simplex::edge_begin(k)), d) -
                                mesh.coordinates(mesh.elements(element, Simplex::edge_end(k)), d);
      square += difference * difference;
    }
    shape[k] = std::lround(1e6 * square / scale);
  }
  std::sort(shape.begin(), shape.end());
  return shape;
}

std::size_t n_shapes(const test::HostMesh<3>& mesh) {
  std::set<std::array<long, 6>> shapes;
  for (index_t e = 0; e < mesh.n_elements(); ++e)
    shapes.insert(shape_of(mesh, e));
  return shapes.size();
}

} // namespace

TEMPLATE_LIST_TEST_CASE("refinement conserves volumes, regions, groups and orientation", "[mesh]",
                        test::ExecutionSpaces) {
  const TestType exec;
  check_refined_box<2>(exec, {13, 11});
  check_refined_box<2>(exec, {1, 1});
  check_refined_box<3>(exec, {3, 5, 2});
  check_refined_box<3>(exec, {1, 1, 1});
}

TEMPLATE_LIST_TEST_CASE("repeated refinement of a tetrahedron makes at most three shapes", "[mesh]",
                        test::ExecutionSpaces) {
  const TestType exec;
  mesh::Mesh<3, HostMemory> one;
  one.coordinates = decltype(one.coordinates)("test::coordinates", 4);
  one.elements = decltype(one.elements)("test::elements", 1);
  one.regions = decltype(one.regions)("test::regions", 1);
  one.region_names = {"domain"};
  const double corners[4][3] = {{0.1, 0., 0.}, {1., 0.2, 0.}, {0.3, 0.9, 0.1}, {0.2, 0.4, 1.1}};
  for (int a = 0; a < 4; ++a) {
    one.elements(0, a) = a;
    for (int d = 0; d < 3; ++d)
      one.coordinates(a, d) = corners[a][d];
  }
  auto fine = mesh::copy_mesh<typename TestType::memory_space>(exec, one);
  for (int level = 0; level < 4; ++level)
    fine = mesh::refine_uniform(exec, fine);
  CHECK(fine.n_elements() == 4096);
  CHECK(n_shapes(test::on_host(exec, fine)) <= 3);

  auto box = test::unit_box<3>(exec, {2, 1, 1}); // the children of Kuhn tetrahedra of a cuboid are similar to their
                                                 // parents
  const auto box_shapes = n_shapes(test::on_host(exec, box));
  box = mesh::refine_uniform(exec, mesh::refine_uniform(exec, box));
  CHECK(n_shapes(test::on_host(exec, box)) == box_shapes);
}

TEMPLATE_LIST_TEST_CASE("a facet that is no face of an element cannot be refined", "[mesh]", test::ExecutionSpaces) {
  const TestType exec;
  auto box = test::unit_box<2>(exec, {3, 3});
  const auto facets = to_host(exec, box.facets);
  facets(0, 0) = 0;
  facets(0, 1) = 15;
  Kokkos::deep_copy(exec, box.facets, facets);
  exec.fence();
  CHECK_THROWS_AS(mesh::refine_uniform(exec, box), Error);
}
