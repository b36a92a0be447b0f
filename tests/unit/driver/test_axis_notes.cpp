// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/advice/checks.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace tessera;
using Catch::Matchers::ContainsSubstring;

namespace {

/// A square with its left side "inner" at radius `x`; "outer" consists of all other sides and, if `is_closed`, of the
/// left one, too.
io::ImportedMesh square(double x, bool is_closed) {
  io::ImportedMesh mesh;
  mesh.dimension = 2;
  mesh.coordinates = {x, 0., 1., 0., 1., 1., x, 1.};
  mesh.elements = {0, 1, 2, 0, 2, 3};
  mesh.regions = {0, 0};
  mesh.facets = {3, 0, 0, 1, 1, 2, 2, 3};
  mesh.facet_groups = {static_cast<group_t>(is_closed ? 1 : 0), 1, 1, 1};
  mesh.region_names = {"air"};
  mesh.boundary_names = {"inner", "outer"};
  return mesh;
}

std::vector<std::string> notes_of(const io::ImportedMesh& mesh, io::BoundaryKind kind,
                                  io::Physics physics = io::Physics::electrostatics,
                                  io::Symmetry symmetry = io::Symmetry::axisymmetric) {
  io::Case input;
  input.problem.physics = physics;
  input.problem.symmetry = symmetry;
  for (const char* name : {"inner", "outer", "missing"}) {
    io::Boundary boundary;
    boundary.group = {name, {"case.yaml", 7, std::string("problem.boundaries.") + name}};
    boundary.kind = kind;
    input.problem.boundaries.push_back(boundary);
  }
  driver::Notes notes;
  driver::axis_notes({input, 1, true, &mesh}, notes);
  return notes;
}

} // namespace

TEST_CASE("conditions on the axis are noted", "[driver]") {
  using Kind = io::BoundaryKind;
  const std::vector<std::string> fixed = notes_of(square(0., false), Kind::value);
  REQUIRE(fixed.size() == 1);
  CHECK_THAT(fixed.front(),
             ContainsSubstring("case.yaml:7: problem.boundaries.inner: 'inner' lies on the axis (x = 0), "
                               "where a fixed potential is that of a wire without thickness"));
  const std::vector<std::string> part = notes_of(square(1e-17, true), Kind::floating);
  REQUIRE(part.size() == 1);
  CHECK_THAT(part.front(), ContainsSubstring("a part of 'outer' lies on the axis (x = 0), where a floating potential"));
  const std::vector<std::string> flux = notes_of(square(0., false), Kind::flux);
  REQUIRE(flux.size() == 1);
  CHECK_THAT(flux.front(), ContainsSubstring("where nothing passes: its condition has no effect"));
}

TEST_CASE("conditions next to the axis, and where there is none, are not noted", "[driver]") {
  using Kind = io::BoundaryKind;
  CHECK(notes_of(square(0.1, false), Kind::value).empty());
  CHECK(notes_of(square(0., true), Kind::flux).empty()); // flux passes through the other sides of the group
  CHECK(notes_of(square(0., false), Kind::value, io::Physics::magnetostatics).empty());
  CHECK(notes_of(square(0., false), Kind::value, io::Physics::heat, io::Symmetry::planar).empty());
}
