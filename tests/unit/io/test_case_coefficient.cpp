// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "case_messages.hpp"
#include "io/input/case_reader.hpp"
#include "io/input/resolved.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <string>

using Catch::Matchers::ContainsSubstring;
using namespace tessera::io;

namespace {

std::string text_with(const std::string& material, bool solid = false) {
  return std::string("tessera: 1\nmesh: {box: {cells: ") + (solid ? "[2, 2, 2]" : "[2, 2]") +
         "}}\nproblem:\n  physics: electrostatics\n  materials: {domain: {relative_permittivity: " + material +
         "}}\n  boundaries: {left: {potential: 1}, right: {potential: 0}}\n";
}

Coefficient read(const std::string& material, bool solid = false) {
  const Case input = read_case_text(text_with(material, solid), "case.yaml");
  CHECK(resolved_text(read_case_text(resolved_text(input), "resolved.yaml")) == resolved_text(input));
  return input.problem.materials.at(0).coefficient;
}

std::string message_of(const std::string& material, bool solid = false) {
  return tessera::test::message_of(text_with(material, solid));
}

bool is_near(const Scalar& value, double exact) { return value.is_constant && std::fabs(value.value - exact) < 1e-14; }

} // namespace

TEST_CASE("Full tensors of materials are read in rows", "[io][host]") {
  const Coefficient tensor = read("[[2, 0.5], [0.5, 1]]");
  REQUIRE(tensor.diagonal.size() == 2);
  CHECK(tensor.diagonal[1].value == 1.);
  REQUIRE(tensor.off_diagonal.size() == 1);
  CHECK(tensor.off_diagonal[0].value == 0.5);
  const Coefficient solid = read("[[3, 1, 0.5], [1, 2, x], [0.5, x, 4]]", true);
  CHECK(solid.off_diagonal.at(1).value == 0.5);
  CHECK(solid.off_diagonal.at(2).text == "x");
}

TEST_CASE("Principal values are turned into tensors", "[io][host]") {
  const Coefficient quarter = read("[2, 1], rotation: 90");
  CHECK(is_near(quarter.diagonal[0], 1.));
  CHECK(is_near(quarter.diagonal[1], 2.));
  CHECK(is_near(quarter.off_diagonal.at(0), 0.));
  const Coefficient eighth = read("[2, 1], rotation: 45");
  CHECK(is_near(eighth.diagonal[0], 1.5));
  CHECK(is_near(eighth.off_diagonal.at(0), 0.5));
  const Coefficient varying = read("[\"2 + x\", 1], rotation: 45");
  CHECK_FALSE(varying.diagonal[0].is_constant);
  const Coefficient turned = read("[1, 2, 3], axes: [[0, 2, 0], [0, 0, 1], [1, 0, 0]]", true);
  CHECK(is_near(turned.diagonal[0], 3.));
  CHECK(is_near(turned.diagonal[1], 1.));
  CHECK(is_near(turned.diagonal[2], 2.));
  CHECK(is_near(turned.off_diagonal.at(0), 0.));
}

TEST_CASE("Wrong tensors and turns are reported", "[io][host]") {
  CHECK_THAT(message_of("[[2, 1.5], [1.5, 1]]"), ContainsSubstring("problem.materials.domain.relative_permittivity") &&
                                                     ContainsSubstring("must be positive definite"));
  CHECK_THAT(message_of("[[1, 1], [1, 1]]"), ContainsSubstring("must be positive definite"));
  CHECK_THAT(message_of("[[-2, 0], [0, 1]]"), ContainsSubstring("must be positive definite"));
  CHECK_THAT(message_of("[[2, 0, 1.5], [0, 1, 0], [1.5, 0, 1]]", true), ContainsSubstring("must be positive definite"));
  CHECK_THAT(message_of("[[2, 0.5], [0.4, 1]]"), ContainsSubstring("must be symmetric"));
  CHECK_THAT(message_of("2, rotation: 30"), ContainsSubstring("turns principal values"));
  for (const char* turn : {"[2, 1], rotation: x", "[2, 1], axes: [[x, 0], [0, 1]]"})
    CHECK_THAT(message_of(turn), !ContainsSubstring("positive definite") && ContainsSubstring("expected"));
  CHECK_THAT(message_of("[[2, 0.5], [0.5, 1]], rotation: 30"), ContainsSubstring("turns principal values"));
  CHECK_THAT(message_of("[2, 1, 1], rotation: 30", true), ContainsSubstring("in 3D give axes"));
  CHECK_THAT(message_of("[2, 1], axes: [[1, 0], [1, 1]]"), ContainsSubstring("at right angles"));
  CHECK_THAT(message_of("[2, 1], axes: [[1, 0]]"), ContainsSubstring("expected 2 directions"));
  CHECK_THAT(message_of("[2, 1], axes: [[1, 0], [0, 0]]"), ContainsSubstring("must not be zero"));
  CHECK_THAT(message_of("[2, 1], rotation: 30, axes: [[1, 0], [0, 1]]"), ContainsSubstring("not both"));
}

TEST_CASE("a conductivity of zero is refused with the way out", "[io][host]") {
  const std::string text = "tessera: 1\nmesh: {box: {cells: [2, 2]}}\nproblem:\n  physics: current-flow\n"
                           "  materials: {domain: {conductivity: 0}}\n"
                           "  boundaries: {left: {potential: 1}, right: {potential: 0}}\n";
  CHECK_THAT(tessera::test::message_of(text),
             ContainsSubstring("case.yaml:5: problem.materials.domain.conductivity: must be positive, but is 0. What "
                               "lets nothing through is left out of the mesh"));
}
