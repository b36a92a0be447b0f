// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/input/case_reader.hpp"
#include "io/materials/material_patterns.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace tessera;
using namespace tessera::io;
using Catch::Matchers::ContainsSubstring;

namespace {

Case case_with(const std::string& materials, const std::string& more = "") {
  return read_case_text(
      "tessera: 1\nmesh: {box: {cells: [2, 2]}}\nproblem:\n  physics: magnetostatics\n  materials:\n" + materials +
          "  boundaries: {outer: {vector_potential: 0}}\n" + more,
      "a.yaml");
}

std::string message_of(const std::string& materials, const std::vector<std::string>& regions) {
  try {
    Case input = case_with(materials);
    spread_materials(input.problem, regions);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Names of regions with their permeabilities.
std::string spread(const std::string& materials, const std::vector<std::string>& regions) {
  Case input = case_with(materials);
  spread_materials(input.problem, regions);
  std::string text;
  for (const Material& material : input.problem.materials)
    text += material.region.name + "=" + number_text(material.relative_permeability[0]) + " ";
  return text;
}

} // namespace

TEST_CASE("a wildcard gives its material to every region that it fits, a name comes before it", "[io]") {
  CHECK(spread("    air: {relative_permeability: 1}\n", {"air"}) == "air=1 ");
  CHECK(spread("    \"slot_*\": {relative_permeability: 2}\n    air: {relative_permeability: 1}\n",
               {"slot_1", "air", "slot_12"}) == "air=1 slot_1=2 slot_12=2 ");
  CHECK(spread("    \"*\": {relative_permeability: 2}\n    core: {relative_permeability: 7}\n", {"core", "b", "c"}) ==
        "core=7 b=2 c=2 ");
  CHECK(spread("    \"s?\": {relative_permeability: 2}\n    s12: {relative_permeability: 3}\n", {"s1", "s12"}) ==
        "s12=3 s1=2 ");
  // Two patterns with the same material do not contradict each other.
  CHECK(spread("    \"a*\": {relative_permeability: 2}\n    \"*b\": {relative_permeability: 2}\n", {"ab"}) == "ab=2 ");
  // A pattern that matches no further region is no error, and a region may have the name of a wildcard.
  CHECK(spread("    \"a*\": {relative_permeability: 2}\n    ab: {relative_permeability: 3}\n", {"ab"}) == "ab=3 ");
  CHECK(spread("    \"a*\": {relative_permeability: 2}\n    ab: {relative_permeability: 3}\n", {"ab", "a*"}) ==
        "a*=2 ab=3 ");
}

TEST_CASE("wildcards that contradict, fit nothing or stand for a shell are errors", "[io]") {
  const std::string both = "    \"slot_*\": {relative_permeability: 2}\n    \"*\": {relative_permeability: 1}\n";
  CHECK_THAT(message_of(both, {"air", "slot_1"}),
             ContainsSubstring("a.yaml:7") &&
                 ContainsSubstring("region 'slot_1' fits '*' and 'slot_*', whose materials differ"));
  CHECK_THAT(message_of("    \"coil*\": {relative_permeability: 2}\n    air: {relative_permeability: 1}\n", {"air"}),
             ContainsSubstring("'coil*' fits no region of the mesh. Its regions are: air"));
  CHECK_THAT(message_of("    \"far*\": {relative_permeability: 1, shell: {inner_radius: 1, outer_radius: 2}}\n", {}),
             ContainsSubstring("a shell is one region"));
}

TEST_CASE("coils and expected quantities may name regions that a wildcard fits", "[io]") {
  const std::string slots = "    \"slot_*\": {relative_permeability: 1}\n";
  const auto coil = [&](const std::string& region) {
    return case_with(slots + "  coils: {w: {regions: {" + region + ": 1}, turns: 10, current: 1}}\n",
                     "output: {quantities: [regions]}\nverification: {quantities: {volume." + region +
                         ": {value: 1}}}\n");
  };
  CHECK_NOTHROW(coil("slot_2"));
  CHECK_THROWS_WITH(coil("slit_2"), ContainsSubstring("unknown region 'slit_2'; did you mean 'slot_*'") &&
                                        ContainsSubstring("unknown quantity 'volume.slit_2'"));
}
