// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/box.hpp"
#include "mesh/radial_extent.hpp"
#include "support/spaces.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>

namespace tessera::mesh {

TEMPLATE_LIST_TEST_CASE("Radii, angles and sizes of a box about a point are those of its corners and sides", "[mesh]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const auto box = make_box<2>(exec, {1, 2}, {1., -1.}, {3., 1.});
  const double rounding = 1e-14;
  const RadialExtent region = region_extent<TestType, 2>(exec, box, 0, {0., 0.});
  CHECK_FALSE(region.is_empty);
  CHECK(std::fabs(region.smallest - 1.) <= rounding); // the node in the middle of the left side
  CHECK(std::fabs(region.largest - std::sqrt(10.)) <= rounding);
  CHECK(std::fabs(region.measure - 4.) <= rounding);
  CHECK(std::fabs(region.angle - 0.25 * std::acos(-1.)) <= rounding); // an edge of the left side

  const RadialExtent top = boundary_extent<TestType, 2>(exec, box, 3, {0., 0.});
  CHECK(std::fabs(top.smallest - std::sqrt(2.)) <= rounding);
  CHECK(std::fabs(top.largest - std::sqrt(10.)) <= rounding);
  CHECK(std::fabs(top.measure - 2.) <= rounding);
  CHECK(std::fabs(top.angle - (std::atan2(1., 1.) - std::atan2(1., 3.))) <= rounding);

  CHECK(region_extent<TestType, 2>(exec, box, 1, {0., 0.}).is_empty);
  CHECK(boundary_extent<TestType, 2>(exec, box, 4, {0., 0.}).is_empty);
}

TEMPLATE_LIST_TEST_CASE("Radii, angles and sizes of a cuboid and a side of it are those of its corners", "[mesh]",
                        test::ExecutionSpaces) {
  const TestType exec;
  const auto box = make_box<3>(exec, {1, 1, 1}, {1., 0., 0.}, {2., 1., 1.});
  const double rounding = 1e-14;
  const RadialExtent left = boundary_extent<TestType, 3>(exec, box, 0, {0., 0., 0.});
  CHECK_FALSE(left.is_empty);
  CHECK(std::fabs(left.smallest - 1.) <= rounding);
  CHECK(std::fabs(left.largest - std::sqrt(3.)) <= rounding);
  CHECK(std::fabs(left.measure - 1.) <= rounding);
  CHECK(std::fabs(left.angle - std::acos(1. / std::sqrt(3.))) <= rounding); // the diagonal from the nearest corner

  const RadialExtent region = region_extent<TestType, 3>(exec, box, 0, {0., 0., 0.});
  CHECK(std::fabs(region.smallest - 1.) <= rounding);
  CHECK(std::fabs(region.largest - std::sqrt(6.)) <= rounding);
  CHECK(std::fabs(region.measure - 1.) <= rounding);
  CHECK(std::fabs(region.angle - left.angle) <= rounding); // an edge of a tetrahedron there
  CHECK(region_extent<TestType, 3>(exec, box, 1, {0., 0., 0.}).is_empty);
}

} // namespace tessera::mesh
