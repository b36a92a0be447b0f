// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "case_messages.hpp"
#include "io/input/case_reader.hpp"
#include "io/input/resolved.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>

using Catch::Matchers::ContainsSubstring;
using namespace tessera::io;
using tessera::test::message_of;
using tessera::test::replaced;

namespace {

const char* const plates = R"yaml(tessera: 1
mesh: {box: {cells: [4, 4]}}
problem:
  physics: electrostatics
  materials: {domain: {relative_permittivity: 2}}
  sources: {domain: {charge_density: 1e-6}}
  point_sources:
    ion: {at: [0.5, 0.25], charge: 1e-9}
    other: {at: [0.25, 0.25], charge: -1e-9}
  boundaries:
    left: {potential: 1}
    right: {potential: 0}
)yaml";

std::string message_with(const std::string& piece, const std::string& replacement) {
  return message_of(replaced(plates, piece, replacement));
}

} // namespace

TEST_CASE("Point sources are read with their places", "[io][host]") {
  const Case input = read_case_text(plates, "case.yaml");
  REQUIRE(input.problem.point_sources.size() == 2);
  const PointSourceInput& ion = input.problem.point_sources.front();
  CHECK(ion.name.name == "ion");
  CHECK(ion.at == std::array<double, 3>{0.5, 0.25, 0.});
  CHECK(ion.strength == 1e-9);
  CHECK(ion.name.where.line == 8);
  CHECK(resolved_text(read_case_text(resolved_text(input), "resolved.yaml")) == resolved_text(input));
}

TEST_CASE("Wrong point sources are reported", "[io][host]") {
  CHECK_THAT(message_with("charge: 1e-9", "current: 1e-9"),
             ContainsSubstring("problem.point_sources.ion") && ContainsSubstring("charge"));
  CHECK_THAT(message_with(", charge: 1e-9", ""), ContainsSubstring("'charge' is missing"));
  CHECK_THAT(message_with("at: [0.5, 0.25], ", ""), ContainsSubstring("'at' is missing"));
  CHECK_THAT(message_with("[0.5, 0.25]", "[0.5, 0.25, 0]"), ContainsSubstring("list of 2 numbers"));
  CHECK_THAT(message_with("[0.5, 0.25]", "[0.25, 0.25]"),
             ContainsSubstring("point_sources.other: is at the position of 'ion'"));
  CHECK_THAT(message_with("electrostatics\n", "electrostatics\n  symmetry: axisymmetric\n"),
             ContainsSubstring("no error"));
  CHECK_THAT(message_of(replaced(replaced(plates, "electrostatics\n", "electrostatics\n  symmetry: axisymmetric\n"),
                                 "[0.5, 0.25]", "[-0.5, 0.25]")),
             ContainsSubstring("must not be negative"));
  CHECK_THAT(message_of(std::string(plates) + "discretization: {method: dg}\n"),
             ContainsSubstring("dg has no sources at points; use cg"));
}

TEST_CASE("Line sources are read with their ends, in three dimensions", "[io][host]") {
  const std::string solid = R"yaml(tessera: 1
mesh: {box: {cells: [2, 2, 2]}}
problem:
  physics: electrostatics
  materials: {domain: {relative_permittivity: 2}}
  line_sources:
    wire: {from: [0.5, 0.25, 0], to: [0.5, 0.25, 1], charge_per_length: 1e-9}
  boundaries: {left: {potential: 1}}
)yaml";
  const Case input = read_case_text(solid, "case.yaml");
  REQUIRE(input.problem.line_sources.size() == 1);
  const LineSourceInput& wire = input.problem.line_sources.front();
  CHECK(wire.name.name == "wire");
  CHECK(wire.from == std::array<double, 3>{0.5, 0.25, 0.});
  CHECK(wire.to == std::array<double, 3>{0.5, 0.25, 1.});
  CHECK(wire.density == 1e-9);
  CHECK(resolved_text(read_case_text(resolved_text(input), "resolved.yaml")) == resolved_text(input));

  const auto message = [&](const std::string& piece, const std::string& replacement) {
    return message_of(replaced(solid, piece, replacement));
  };
  CHECK_THAT(message("charge_per_length", "charge"),
             ContainsSubstring("problem.line_sources.wire") && ContainsSubstring("charge_per_length"));
  CHECK_THAT(message("from: [0.5, 0.25, 0], ", ""), ContainsSubstring("'from' is missing"));
  CHECK_THAT(message("[0.5, 0.25, 1]", "[0.5, 0.25]"), ContainsSubstring("list of 3 numbers"));
  CHECK_THAT(message("[0.5, 0.25, 1]", "[0.5, 0.25, 0]"),
             ContainsSubstring("line_sources.wire.to: is the same point as from: the line has no length"));
  CHECK_THAT(message("[2, 2, 2]", "[2, 2]"),
             ContainsSubstring("problem.line_sources: is for three dimensions. In two a point source is a line"));
  CHECK_THAT(message_of(solid + "discretization: {method: dg}\n"),
             ContainsSubstring("dg has no sources along lines; use cg"));
}

TEST_CASE("A region has a density of its source or a total", "[io][host]") {
  const std::string total = replaced(plates, "charge_density: 1e-6", "charge: 2e-9");
  const Case input = read_case_text(total, "case.yaml");
  CHECK(input.problem.sources.at(0).total == 2e-9);
  CHECK(resolved_text(read_case_text(resolved_text(input), "resolved.yaml")) == resolved_text(input));
  CHECK_THAT(message_with("charge_density: 1e-6", "charge_density: 1e-6, charge: 2e-9"),
             ContainsSubstring("problem.sources.domain") && ContainsSubstring("found both"));
  CHECK_THAT(message_with("charge_density: 1e-6", "charge: x"), ContainsSubstring("problem.sources.domain.charge"));
  CHECK_THAT(message_with("{charge_density: 1e-6}", "{}"),
             ContainsSubstring("or charge, its integral over the region"));
  const std::string sources =
      "  point_sources:\n    ion: {at: [0.5, 0.25], charge: 1e-9}\n    other: {at: [0.25, 0.25], "
      "charge: -1e-9}\n";
  CHECK_THAT(message_of(replaced(total, sources, "") + "discretization: {method: dg}\n"),
             ContainsSubstring("dg has no charge of a region"));
}

TEST_CASE("A ring of current needs a radius", "[io][host]") {
  const std::string loop = R"yaml(tessera: 1
mesh: {box: {cells: [4, 4]}}
problem:
  physics: magnetostatics
  symmetry: axisymmetric
  materials: {domain: {relative_permeability: 1}}
  point_sources: {loop: {at: [0.5, 0.25], current: 10}}
  boundaries: {right: {vector_potential: 0}}
)yaml";
  CHECK(read_case_text(loop, "case.yaml").problem.point_sources.front().strength == 10.);
  CHECK_THAT(message_of(replaced(loop, "[0.5, 0.25]", "[0, 0.25]")), ContainsSubstring("a ring of radius 0"));
}
