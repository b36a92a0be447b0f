// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/mesh/split_joints.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <set>

namespace tessera::test {

namespace {

/// Four squares of two triangles each, with nodes i + 3 j at (i, j). Group 0: `joints`, 1: the bottom.
io::ImportedMesh four_squares(const std::vector<index_t>& joints) {
  io::ImportedMesh mesh;
  mesh.dimension = 2;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      mesh.coordinates.insert(mesh.coordinates.end(), {double(i), double(j)});
  for (const index_t n : {0, 1, 3, 4}) {
    mesh.elements.insert(mesh.elements.end(), {n, n + 1, n + 4, n, n + 4, n + 3});
    mesh.regions.insert(mesh.regions.end(), 2, static_cast<group_t>(n));
  }
  mesh.facets = joints;
  mesh.facet_groups.assign(joints.size() / 2, 0);
  mesh.facets.insert(mesh.facets.end(), {0, 1, 1, 2});
  mesh.facet_groups.insert(mesh.facet_groups.end(), {1, 1});
  mesh.region_names = {"a", "b", "", "c", "d"};
  mesh.boundary_names = {"joint", "bottom"};
  return mesh;
}

/// Nodes of the elements of some regions.
std::set<index_t> nodes_of(const io::ImportedMesh& mesh, const std::set<group_t>& regions) {
  const auto n = static_cast<std::size_t>(mesh.dimension) + 1;
  std::set<index_t> nodes;
  for (std::size_t e = 0; e < mesh.n_elements(); ++e)
    if (regions.count(mesh.regions[e]) > 0)
      nodes.insert(mesh.elements.begin() + static_cast<std::ptrdiff_t>(e * n),
                   mesh.elements.begin() + static_cast<std::ptrdiff_t>((e + 1) * n));
  return nodes;
}

int n_common(const std::set<index_t>& one, const std::set<index_t>& other) {
  return static_cast<int>(std::count_if(one.begin(), one.end(), [&](index_t node) { return other.count(node) > 0; }));
}

std::vector<double> place_of(const io::ImportedMesh& mesh, index_t node) {
  const auto n = static_cast<std::size_t>(mesh.dimension);
  const auto first = mesh.coordinates.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(node) * n);
  return {first, first + static_cast<std::ptrdiff_t>(n)};
}

/// Elements keep their places.
void check_places(const io::ImportedMesh& mesh, const io::ImportedMesh& split) {
  REQUIRE(split.elements.size() == mesh.elements.size());
  for (std::size_t i = 0; i < mesh.elements.size(); ++i)
    CHECK(place_of(split, split.elements[i]) == place_of(mesh, mesh.elements[i]));
}

} // namespace

TEST_CASE("A joint across a mesh doubles its nodes and facets", "[driver]") {
  const io::ImportedMesh mesh = four_squares({1, 4, 4, 7});
  const io::ImportedMesh split = driver::split_joints(mesh, {0});
  CHECK(split.n_nodes() == 12);
  check_places(mesh, split);
  CHECK(n_common(nodes_of(split, {0, 3}), nodes_of(split, {1, 4})) == 0); // left and right
  CHECK(n_common(nodes_of(split, {0}), nodes_of(split, {3})) == 2);       // an edge with node 4, as before
  REQUIRE(split.facet_groups == std::vector<group_t>{0, 0, 0, 0, 1, 1});
  for (const std::size_t first : {0, 4}) { // both sides have the same places in the same order
    CHECK(place_of(split, split.facets[first]) == place_of(split, split.facets[first + 2]));
    CHECK(place_of(split, split.facets[first + 1]) == place_of(split, split.facets[first + 3]));
    CHECK(split.facets[first] != split.facets[first + 2]);
  }
  const std::set<index_t> right = nodes_of(split, {1, 4}); // the bottom follows its elements
  CHECK((right.count(split.facets[10]) == 1 && right.count(split.facets[11]) == 1));
  CHECK((right.count(split.facets[8]) == 0 && right.count(split.facets[9]) == 0));
}

TEST_CASE("A joint that ends within the body has a single node there", "[driver]") {
  const io::ImportedMesh mesh = four_squares({4, 7});
  const io::ImportedMesh split = driver::split_joints(mesh, {0});
  CHECK(split.n_nodes() == 10); // node 7 at the outside is two
  check_places(mesh, split);
  CHECK(n_common(nodes_of(split, {3}), nodes_of(split, {4})) == 1);
  CHECK(n_common(nodes_of(split, {0}), nodes_of(split, {1})) == 2);
  CHECK(split.facet_groups == std::vector<group_t>{0, 0, 1, 1});
}

TEST_CASE("Where joints cross, every part has its own node", "[driver]") {
  const io::ImportedMesh mesh = four_squares({1, 4, 4, 7, 3, 4, 4, 5});
  const io::ImportedMesh split = driver::split_joints(mesh, {0});
  CHECK(split.n_nodes() == 16); // four squares apart
  check_places(mesh, split);
  for (const group_t one : {0, 1, 3, 4})
    CHECK(nodes_of(split, {one}).size() == 4);
}

TEST_CASE("Meshes without facets in the groups of joints stay, and joints in space are split", "[driver]") {
  const io::ImportedMesh plane = four_squares({});
  const io::ImportedMesh same = driver::split_joints(plane, {0});
  CHECK(same.elements == plane.elements);
  CHECK(same.facets == plane.facets);

  io::ImportedMesh space; // two tetrahedra with a common face
  space.dimension = 3;
  space.coordinates = {0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1., 1., 1., 1.};
  space.elements = {0, 1, 2, 3, 4, 1, 3, 2};
  space.regions = {0, 1};
  space.facets = {1, 2, 3};
  space.facet_groups = {0};
  space.original_node = {0, 1, 2, 3, 4};
  space.region_names = {"one", "other"};
  space.boundary_names = {"joint"};
  const io::ImportedMesh split = driver::split_joints(space, {0});
  CHECK(split.n_nodes() == 8);
  CHECK(split.original_node.size() == 8);
  check_places(space, split);
  CHECK(n_common(nodes_of(split, {0}), nodes_of(split, {1})) == 0);
  CHECK(split.n_facets() == 2);
}

} // namespace tessera::test
