// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "mesh/groups.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

using namespace tessera;
using Catch::Matchers::Message;

TEST_CASE("Groups are found by name, and an unknown name is reported with those there are", "[mesh]") {
  mesh::Mesh<2, HostMemory> mesh;
  mesh.region_names = {"iron", "air"};
  mesh.boundary_names = {"left", "air", "right"};

  CHECK(mesh::find_region(mesh, "iron") == 0);
  CHECK(mesh::find_region(mesh, "air") == 1);
  CHECK(mesh::find_boundary(mesh, "air") == 1);
  CHECK(mesh::find_boundary(mesh, "right") == 2);
  CHECK_THROWS_MATCHES(mesh::find_region(mesh, "left"), Error,
                       Message("The mesh has no region 'left'; it has 'iron', 'air'."));
  mesh.boundary_names.clear();
  CHECK_THROWS_MATCHES(mesh::find_boundary(mesh, "left"), Error,
                       Message("The mesh has no boundary 'left'; it has none."));
}
