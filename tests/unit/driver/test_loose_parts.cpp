// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/advice/checks.hpp"
#include "driver/problem/binding/problem_binding.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>

using namespace tessera;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Two triangles without common nodes, regions "near" and "far", each with a boundary facet: "a" with a fixed value on
/// the first one, and "b" on the second.
struct TwoParts {
  io::ImportedMesh mesh;
  driver::ProblemBinding model;
  io::Case input;

  TwoParts() {
    mesh.dimension = 2;
    mesh.coordinates = {0., 0., 1., 0., 0., 1., 5., 5., 6., 5., 5., 6.};
    mesh.elements = {0, 1, 2, 3, 4, 5};
    mesh.regions = {0, 1};
    mesh.facets = {0, 1, 3, 4};
    mesh.facet_groups = {0, 1};
    mesh.region_names = {"near", "far"};
    mesh.boundary_names = {"a", "b"};
    model.problem.regions.resize(2);
    constrain(0, false, false);
    input.problem.boundaries_where = {"case.yaml", 7, "problem.boundaries"};
  }

  fe::Constraint& constrain(group_t group, bool is_region, bool is_tied) {
    fe::Constraint constraint;
    constraint.group = group;
    constraint.is_region = is_region;
    constraint.is_tied = is_tied;
    model.constraints.push_back(constraint);
    return model.constraints.back();
  }

  physics::NaturalData& natural(group_t group) {
    model.problem.natural.push_back({});
    model.problem.natural.back().group = group;
    return model.problem.natural.back();
  }

  std::string check() const {
    driver::Notes notes;
    driver::check_loose_parts({input, 1, true, &mesh, &model}, notes);
    return notes.empty() ? "" : notes.at(0);
  }
};

} // namespace

TEST_CASE("a part without anything that fixes the solution is reported with its region and place", "[driver]") {
  TwoParts parts;
  CHECK_THAT(parts.check(), ContainsSubstring("in 1 part of the mesh") &&
                                ContainsSubstring("1 element of 'far' about (5.33333, 5.33333)"));
  parts.constrain(1, true, false); // the whole region
  CHECK(parts.check() == "");
  TwoParts touching; // at a node
  touching.mesh.elements[3] = touching.mesh.facets[2] = 2;
  CHECK(touching.check() == "");
}

TEST_CASE("Robin conditions fix a part, floating conductors and periodic sides join it to others", "[driver]") {
  TwoParts robin;
  robin.natural(1).alpha = physics::Expression(2.);
  CHECK(robin.check() == "");
  TwoParts of_zero;
  of_zero.natural(1).alpha = physics::Expression(0.);
  CHECK(of_zero.check() != "");
  of_zero.natural(1).emissivity = physics::Expression(0.5);
  CHECK(of_zero.check() == "");

  TwoParts floating; // a floating part
  floating.constrain(1, false, true);
  CHECK(floating.check() != "");
  TwoParts joined; // one conductor in both parts
  joined.mesh.facets.insert(joined.mesh.facets.end(), {1, 2});
  joined.mesh.facet_groups.push_back(1);
  joined.constrain(1, false, true);
  CHECK(joined.check() == "");
  joined.model.constraints[0].is_tied = true; // no fixed value at all
  CHECK_THAT(joined.check(), ContainsSubstring("2 elements of 'near', 'far'"));

  TwoParts periodic;
  fe::PeriodicPair pair;
  pair.group = 0;
  pair.partner = 1;
  periodic.model.periodic = {pair};
  CHECK(periodic.check() == "");
  TwoParts antiperiodic; // the far part is antiperiodic to itself
  antiperiodic.mesh.boundary_names.push_back("c");
  antiperiodic.mesh.facets.insert(antiperiodic.mesh.facets.end(), {4, 5});
  antiperiodic.mesh.facet_groups.push_back(2);
  pair.group = 1;
  pair.partner = 2;
  antiperiodic.model.periodic = {pair};
  CHECK(antiperiodic.check() != "");
  antiperiodic.model.periodic[0].is_antiperiodic = true;
  CHECK(antiperiodic.check() == "");
}

TEST_CASE("a source, a flux or a charge in a loose part is an error with the place in the input", "[driver]") {
  TwoParts source;
  source.model.problem.regions[0].source = physics::Expression(1.); // in the part with the fixed value
  CHECK(source.check() != "");
  source.model.problem.regions[1].source = physics::Expression(1.);
  CHECK_THROWS_WITH(source.check(), ContainsSubstring("case.yaml:7: problem.boundaries: nothing fixes the solution") &&
                                        ContainsSubstring("'far'"));
  TwoParts flux;
  flux.natural(1).flux = physics::Expression(1.);
  CHECK_THROWS_WITH(flux.check(), ContainsSubstring("a source acts there"));

  TwoParts charge;
  charge.constrain(1, false, true).total = 1e-9;
  CHECK_THROWS_WITH(charge.check(), ContainsSubstring("a source acts there"));
}

TEST_CASE("the axis fixes a part in axisymmetric magnetostatics", "[driver]") {
  TwoParts parts;
  parts.mesh.coordinates = {0., 0., 1., 0., 0., 1., 0., 5., 1., 5., 0., 6.};
  CHECK(parts.check() != "");
  parts.constrain(0, false, false).is_axis = true;
  CHECK(parts.check() == "");
}
