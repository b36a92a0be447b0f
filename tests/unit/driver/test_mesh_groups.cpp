// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/mesh/mesh_groups.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cmath>

namespace tessera::test {

namespace {

constexpr double rounding = 1e-15;

/// Two adjacent squares of two triangles each; "top" on both, "seam" between them, no groups on the other sides.
io::ImportedMesh two_squares() {
  io::ImportedMesh mesh;
  mesh.dimension = 2;
  mesh.coordinates = {0., 0., 1., 0., 3., 0., 0., 1., 1., 1., 3., 1.};
  mesh.elements = {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4};
  mesh.regions = {0, 0, 1, 1};
  mesh.facets = {3, 4, 4, 5, 4, 1};
  mesh.facet_groups = {0, 0, 1};
  mesh.region_names = {"left", "right"};
  mesh.boundary_names = {"top", "seam"};
  return mesh;
}

} // namespace

TEST_CASE("Groups of a mesh have their size, place and neighbours", "[driver]") {
  const auto groups = driver::mesh_groups(two_squares());
  REQUIRE(groups.size() == 4);
  const auto &left = groups[0], &right = groups[1], &top = groups[2], &seam = groups[3];
  CHECK((left.is_region && right.is_region && !top.is_region && !seam.is_region));
  CHECK(left.name == "left");
  CHECK(right.n_elements == 2);
  CHECK(std::fabs(left.measure - 1.) <= rounding);
  CHECK(std::fabs(right.measure - 2.) <= rounding);
  CHECK((right.lowest[0] == 1. && right.highest[0] == 3. && right.highest[1] == 1.));
  CHECK(left.neighbours == std::set<std::string>{"right"});
  CHECK(left.n_outer_facets == 2); // left and bottom
  CHECK(right.n_outer_facets == 2);
  CHECK(top.n_elements == 2);
  CHECK(std::fabs(top.measure - 3.) <= rounding);
  CHECK(top.neighbours == std::set<std::string>{"left", "right"});
  CHECK(seam.neighbours == std::set<std::string>{"left", "right"});
}

TEST_CASE("Groups of a solid mesh are measured in space", "[driver]") {
  io::ImportedMesh mesh;
  mesh.dimension = 3;
  mesh.coordinates = {0., 0., 0., 2., 0., 0., 0., 3., 0., 0., 0., 4.};
  mesh.elements = {0, 1, 2, 3};
  mesh.regions = {0};
  mesh.facets = {0, 1, 2, 1, 2, 3};
  mesh.facet_groups = {0, 1};
  mesh.region_names = {"body"};
  mesh.boundary_names = {"floor", "roof"};
  const auto groups = driver::mesh_groups(mesh);
  CHECK(std::fabs(groups[0].measure - 4.) <= rounding);
  CHECK(groups[0].n_outer_facets == 2);
  CHECK(std::fabs(groups[1].measure - 3.) <= rounding);
  CHECK(std::fabs(groups[2].measure - 0.5 * std::sqrt(12. * 12. + 8. * 8. + 6. * 6.)) <= 1e-14);
}

} // namespace tessera::test
