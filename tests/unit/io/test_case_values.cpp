// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "case_messages.hpp"
#include "core/error.hpp"
#include "io/input/case_reader.hpp"
#include "io/input/resolved.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <ctime>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using namespace tessera::io;
using tessera::test::message_of;

namespace {

const char* const plates = R"yaml(tessera: 1
title: plates
mesh: {box: {cells: [4, 4], lower: [0, 0], upper: [1, 1]}, refine: 0}
problem:
  physics: electrostatics
  materials: {domain: {relative_permittivity: 1}}
  sources: {domain: {charge_density: 1}}
  boundaries:
    left: {potential: 1}
    right: {robin: {coefficient: 1, reference: 0}}
    top: {surface_charge: 0}
    bottom: {floating: {charge: 0}}
solver: {max_iterations: 10, relative_tolerance: 1e-8}
execution: {reproducible: true}
output:
  fields: [potential]
  probes: {axis: {from: [0, 0], to: [1, 0], points: 3}, spots: {points: [[0, 0], [1, 0]]}}
verification:
  exact: x
  gradient: [1, 0]
  quantities: {potential.bottom: {value: 1, tolerance: 0.1}}
)yaml";

std::string with(const std::string& piece, const std::string& replacement) {
  return tessera::test::replaced(plates, piece, replacement);
}

std::string message_with(const std::string& piece, const std::string& replacement) {
  return message_of(with(piece, replacement));
}

/// Processor time of reading and writing: the minimum of three, or the first one below `enough`.
double seconds_of(const std::string& text, double enough = 0.) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3 && !(least < enough); ++i) {
    const std::clock_t start = std::clock();
    try {
      resolved_text(read_case_text(text, "case.yaml"));
    } catch (const tessera::Error&) { // errors take time, too
    }
    least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return least;
}

/// "k0<tail>, k1<tail>, ..."
std::string many(int n, const std::string& tail, const std::string& separator = ", ") {
  std::string text;
  for (int i = 0; i < n; ++i)
    text += (i == 0 ? "k" : separator + "k") + std::to_string(i) + tail;
  return text;
}

} // namespace

TEST_CASE("a key or an entry without a value is an error wherever it stands", "[io][host]") {
  REQUIRE(message_of(plates) == "no error");
  struct Blank {
    const char* piece;
    const char* replacement;
    const char* message;
  };
  const Blank blanks[] = {
      {"title: plates", "title:", "case.yaml:2: title: expected a text, found no value"},
      {"refine: 0", "refine: ", "case.yaml:3: mesh.refine: expected a number, found no value"},
      {"cells: [4, 4]", "cells: [4, ~]", "mesh.box.cells[1]: expected a number, found no value"},
      {"lower: [0, 0]", "lower: null", "mesh.box.lower: expected a list of 2 to 3 numbers, found no value"},
      {"relative_permittivity: 1", "relative_permittivity: ~", "relative_permittivity: expected a number or an"},
      {"relative_permittivity: 1", "relative_permittivity: [1, NULL]", "relative_permittivity[1]: expected a number"},
      {"{relative_permittivity: 1}", "", "problem.materials.domain: expected a map of keys and values, found no value"},
      {"{domain: {charge_density: 1}}", "",
       "case.yaml:7: problem.sources: expected a map of keys and values, found "
       "no value; write {} for an empty one"},
      {"charge_density: 1", "charge_density: ", "problem.sources.domain.charge_density: expected a number or an"},
      {"{potential: 1}", "", "case.yaml:9: problem.boundaries.left: expected a map"},
      {"{potential: 1}", "{potential: }", "case.yaml:9: problem.boundaries.left.potential: expected a number or an"},
      {"reference: 0", "reference: ", "right.robin.reference: expected a number or an expression"},
      {"charge: 0}}", "charge: }}", "bottom.floating.charge: expected a number, found no value"},
      {"{charge: 0}", "", "bottom.floating: expected a map"},
      {"max_iterations: 10", "max_iterations: ", "solver.max_iterations: expected a number, found no value"},
      {"relative_tolerance: 1e-8", "relative_tolerance: ", "solver.relative_tolerance: expected a number, found no"},
      {"{reproducible: true}", "", "case.yaml:14: execution: expected a map"},
      {"reproducible: true", "reproducible: ", "execution.reproducible: expected true or false, found no value"},
      {"[potential]", "", "output.fields: expected a list"},
      {"[potential]", "[potential, ]", "no error"},
      {"[potential]", "[potential, ~]", "output.fields[1]: expected a text, found no value"},
      {"points: 3", "points: ", "output.probes.axis.points: expected a number, found no value"},
      {"[[0, 0], [1, 0]]", "[[0, 0], ~]", "points[1]: expected a point"},
      {"exact: x", "exact: ", "case.yaml:19: verification.exact: expected a number or an expression"},
      {"gradient: [1, 0]", "gradient: ", "verification.gradient: expected a list"},
      {"value: 1", "value: ", "verification.quantities.potential.bottom.value: expected a number, found no value"},
      {"tolerance: 0.1",
       "tolerance: ", "verification.quantities.potential.bottom.tolerance: expected a number, found no value"},
  };
  for (const Blank& blank : blanks) {
    INFO(blank.piece << " -> " << blank.replacement);
    CHECK_THAT(message_with(blank.piece, blank.replacement), ContainsSubstring(blank.message));
  }
  // A blank value gives one message.
  for (const char* piece : {"{potential: 1}", "{relative_permittivity: 1}", "{charge: 0}"}) {
    const std::string message = message_with(piece, "");
    INFO(message);
    CHECK(std::count(message.begin(), message.end(), '\n') == 0);
  }
  // An option that removes a key, and one that sets a blank one.
  CHECK(message_of(plates, {parse_override("title=", "--set")}) == "no error");
  CHECK(message_of(with("max_iterations: 10", "max_iterations: "),
                   {parse_override("solver.max_iterations=5", "--set")}) == "no error");
  CHECK(message_of(with("{domain: {charge_density: 1}}", "{}")) == "no error");
}

TEST_CASE("numbers that look like those of another unit are noted", "[io][host]") {
  const auto notes_of = [](const std::string& text) {
    std::string joined;
    for (const std::string& note : read_case_text(text, "case.yaml").notes)
      joined += note + "\n";
    return joined;
  };
  CHECK_THAT(
      notes_of(with("relative_permittivity: 1", "relative_permittivity: 2*8.854e-12")),
      ContainsSubstring("case.yaml:6: problem.materials.domain.relative_permittivity: 1.7708e-11 is less than any "
                        "material has") &&
          ContainsSubstring("not in F/m"));
  CHECK(notes_of(plates).empty());
  const std::string magnet = R"yaml(tessera: 1
mesh: {box: {cells: [4, 4]}}
problem:
  physics: magnetostatics
  materials: {domain: {relative_permeability: 1.05, remanence: 1.2, direction: [0, 1]}}
  boundaries: {left: {vector_potential: 0}}
)yaml";
  CHECK(notes_of(magnet).empty());
  CHECK_THAT(notes_of(tessera::test::replaced(magnet, "remanence: 1.2", "remanence: 1200")),
             ContainsSubstring("domain.remanence: the remanence is 1200 T, which no magnet reaches"));
  CHECK_THAT(notes_of(tessera::test::replaced(magnet, "remanence: 1.2", "coercivity: 9.2e8")),
             ContainsSubstring("domain.coercivity: the remanence is 12"));
  CHECK_THAT(notes_of(tessera::test::replaced(magnet, "ability: 1.05", "ability: 4e-7*pi")),
             ContainsSubstring("domain.relative_permeability: 1.25") && ContainsSubstring("not in H/m"));
  const std::string heat = R"yaml(tessera: 1
mesh: {box: {cells: [4, 4]}}
problem:
  physics: heat
  materials: {domain: {thermal_conductivity: 1}}
  boundaries: {left: {temperature: 400}, right: {radiation: {emissivity: 0.5, ambient: 20}}}
)yaml";
  CHECK_THAT(notes_of(heat),
             ContainsSubstring("right.radiation.ambient: radiation takes temperatures in kelvins: 20 K are"));
  CHECK(notes_of(tessera::test::replaced(heat, "ambient: 20", "ambient: 3")).empty());
  CHECK(notes_of(tessera::test::replaced(heat, "ambient: 20", "ambient: 293")).empty());
  CHECK_THAT(notes_of(tessera::test::replaced(heat, "temperature: 400", "temperature: 80")),
             ContainsSubstring("left.temperature: radiation takes"));
}

TEST_CASE("differences that are lost in the solver's tolerance are noted", "[io][host]") {
  const std::string heat = R"yaml(tessera: 1
mesh: {box: {cells: [4, 4]}}
problem:
  physics: heat
  materials: {domain: {thermal_conductivity: 1}}
  boundaries:
    left: {temperature: 300}
    right: {radiation: {emissivity: 0.5, ambient: 300.01}}
)yaml";
  const auto has_note = [](const std::string& text) {
    const std::vector<std::string> notes = read_case_text(text, "case.yaml").notes;
    return std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
      return note.find("case.yaml:6: problem.boundaries: the temperature is given with differences of") == 0;
    });
  };
  CHECK_FALSE(has_note(heat));
  const std::string lost = tessera::test::replaced(heat, "300.01", "300.0001"); // 3e-7 of 300
  CHECK(has_note(lost));
  CHECK_FALSE(has_note(lost + "solver: {relative_tolerance: 1e-12}\n"));
  // Linear problems with continuous elements are solved for corrections.
  CHECK_FALSE(has_note(tessera::test::replaced(lost, "radiation: {emissivity: 0.5,", "convection: {coefficient: 5,")));
  CHECK_FALSE(has_note(tessera::test::replaced(heat, "300.01", "300")));
  // Other data that cause differences.
  CHECK_FALSE(
      has_note(tessera::test::replaced(lost, "  boundaries:", "  sources: {domain: {heat_source: 1}}\n  boundaries:")));
  CHECK_FALSE(has_note(lost + "    top: {heat_flux: 1}\n"));
  CHECK_FALSE(has_note(tessera::test::replaced(lost, "temperature: 300", "temperature: 300 + x")));
}

TEST_CASE("an unknown condition is reported once", "[io][host]") {
  const std::string message = message_of(R"yaml(tessera: 1
mesh: {box: {cells: [4, 4]}}
problem:
  physics: electrostatics
  materials: {domain: {relative_permittivity: 1}}
  boundaries: {left: {temperature: 1}, right: {potential: 0}}
output: {quantities: [capacitance]}
)yaml");
  CHECK_THAT(message, ContainsSubstring("unknown key 'temperature'"));
  CHECK(std::count(message.begin(), message.end(), '\n') == 0);
}

TEST_CASE("bad numbers are reported with file, line and key", "[io][host]") {
  struct Bad {
    const char* piece;
    const char* replacement;
    const char* message;
  };
  const Bad values[] = {
      {"potential: 1", "potential: 1e400",
       "case.yaml:9: problem.boundaries.left.potential: expected a number or an "
       "expression of x, y, z and t, but '1e400' gives inf"},
      {"potential: 1", "potential: 1e-400",
       "case.yaml:9: problem.boundaries.left.potential: expected a number or an "
       "expression of x, y, z and t, but '1e-400' is below the smallest number"},
      {"potential: 1", "potential: 5 mm", "numbers have no unit behind them (all are in SI units), found 'm'"},
      {"potential: 1", "potential: .inf", "left.potential: '.inf' is no finite number"},
      {"potential: 1", "potential: -.INF", "left.potential: '-.INF' is no finite number"},
      {"potential: 1", "potential: .nan", "left.potential: '.nan' is no finite number"},
      {"potential: 1", "potential: log(-1)",
       "left.potential: expected a number or an expression of x, y, z and t, but "
       "'log(-1)' gives nan"},
      {"potential: 1", "potential: \"x + 1/(2 - 2)\"", "'1/(2 - 2)' gives inf, which is no finite number"},
      {"potential: 1", "potential: 1/(1/0)", "'1/0' gives inf"},
      {"potential: 1", "potential: true", "found 'true'"},
      {"potential: 1", "potential: yes", "found 'yes'"},
      {"potential: 1", "potential: 0x10", "column 2: expected an operator or the end, found 'x'"},
      {"potential: 1", "potential: 0o17", "found 'o'"},
      {"potential: 1", "potential: 1_000", "found '_'"},
      {"potential: 1", "potential: \"1 \xe2\x88\x92 2\"", "found '\xe2\x88\x92'"},
      {"charge_density: 1", "charge_density: exp(1000)", "'exp(1000)' gives inf"},
      {"charge: 0}}", "charge: 1e999}}", "bottom.floating.charge: expected a number, but '1e999' gives inf"},
      {"coefficient: 1", "coefficient: -1", "right.robin.coefficient: must not be negative, but is -1"},
      {"relative_permittivity: 1", "relative_permittivity: 0", "relative_permittivity: must be positive, but is 0"},
      {"relative_permittivity: 1", "relative_permittivity: [1, -2]", "relative_permittivity[1]: must be positive"},
      {"max_iterations: 10", "max_iterations: 1.5", "solver.max_iterations: expected a whole number, found 1.5"},
      {"max_iterations: 10", "max_iterations: 1e10", "must lie between 1 and 2000000000, but is 10000000000"},
      {"max_iterations: 10", "max_iterations: true", "expected a number, found 'true'"},
      {"cells: [4, 4]", "cells: [4, 3e9]", "a whole number of cells from 1 to 1000000000, but one is 3000000000"},
      {"upper: [1, 1]", "upper: [1, 1e-15]", "no error"},
      {"lower: [0, 0], upper: [1, 1]", "lower: [1, 0], upper: [1.000000000000002, 1]", "smaller than the rounding"},
      {"lower: [0, 0], upper: [1, 1]", "lower: [-1e308, 0], upper: [1e308, 1]", "extent of the box is no finite"},
      {"refine: 0", "refine: 0, scale: -1", "mesh.scale: must be positive"},
      {"refine: 0", "refine: 0, refine_at: []", "mesh.refine_at: applies to mesh.geometry only"},
      {"refine: 0", "refine: 0, gap_elements: 3", "mesh.gap_elements: applies to mesh.geometry only"},
      {"refine: 0", "refine: 0, levels: 1", "mesh.levels: applies to mesh.geometry only"},
      {"refine: 0", "refine: 0, levels: -1", "mesh.levels: must lie between 0 and 6, but is -1"},
      {"refine: 0", "refine: 0, levels: all", "mesh.levels: expected auto or a whole number from 0 to 6, found 'all'"},
      {"refine: 0", "refine: 0, gap_elements: -1", "mesh.gap_elements: must lie between 0 and 100, but is -1"},
      {"refine: 0", "refine: 0, refine_at: [{point: [0, 0], size: 0}]", "mesh.refine_at[0].size: must be positive"},
      {"refine: 0", "refine: 0, refine_at: [{point: [0, 0], size: 1, radius: -1}]", "mesh.refine_at[0].radius: must"},
      {"refine: 0", "refine: 0, refine_at: [{point: [0], size: 1}]", "mesh.refine_at[0].point: expected a list of 2"},
      {"refine: 0", "refine: 0, refine_at: [{size: 1}]", "mesh.refine_at[0]"},
      {"refine: 0", "refine: 0, curved: false", "mesh.curved: applies to the readers of mesh.geometry and mesh.file"},
      {"refine: 0", "refine: 0, order: 2", "mesh.order: unknown key 'order'"},
      {"to: [1, 0]", "to: [0, 0]", "case.yaml:17: output.probes.axis.to: is the same point as from"},
      {"points: 3", "points: 1", "output.probes.axis.points: must lie between 2 and 1000000"},
      {"[[0, 0], [1, 0]]", "[]", "output.probes.spots.points: the list is empty"},
      {"gradient: [1, 0]", "gradient: []", "case.yaml:20: verification.gradient: the list is empty"},
      {"value: 1", "value: 0", "verification.quantities.potential.bottom.value: must not be zero"},
      {"tolerance: 0.1", "tolerance: -0.1", "potential.bottom.tolerance: must not be negative, but is -0.1"},
      {"axis: {from",
       "a234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234"
       "56789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
       "012345678901: {from",
       "at most 200 characters"},
      {"top: {surface_charge: 0}", "top: {periodic: {with: bottom, translation: [0, 0]}}", "must not be zero"},
      {"top: {surface_charge: 0}", "top: {periodic: {with: bottom, rotation: 720}}", "must not be a full turn"},
  };
  for (const Bad& bad : values) {
    INFO(bad.piece << " -> " << bad.replacement);
    CHECK_THAT(message_with(bad.piece, bad.replacement), ContainsSubstring(bad.message));
  }
  const std::string undetermined = with("left: {potential: 1}", "left: {surface_charge: 1}");
  std::string without = undetermined;
  without.replace(without.find("coefficient: 1"), 14, "coefficient: 0");
  CHECK(message_of(undetermined) == "no error");
  CHECK_THAT(message_of(without), ContainsSubstring("case.yaml:8: problem.boundaries: no boundary has a potential"));
  CHECK(message_with("potential: 1", "potential: \"1 > 2 ? 1/0 : x\"") == "no error"); // the bad branch is dropped
}

TEST_CASE("at most twenty errors are listed, and long values are cut", "[io][host]") {
  const std::string text = plates + std::string("assembly: {") + many(30, ": 1") + "}\n";
  const std::string message = message_of(text);
  CHECK(std::count(message.begin(), message.end(), '\n') == 20);
  CHECK_THAT(message, ContainsSubstring("\n... and 10 more."));
  const std::string long_value(5000, 'k');
  for (const char* key : {"title: [", "assembly: {strategy: ", "execution: {backend: ", "solver: {method: "}) {
    const bool is_list = key[7] == '[';
    const std::string cut = message_of("tessera: 1\n" + std::string(key) + long_value + (is_list ? "]" : "}") + "\n");
    CHECK(cut.size() < 2000);
  }
  CHECK(message_with("potential: 1", "potential: " + long_value).size() < 1000);
  CHECK(message_with("physics: electrostatics", "physics: " + long_value).size() < 1000);
  CHECK(message_with("max_iterations: 10", "max_iterations: " + long_value).size() < 1000);
  CHECK_THAT(message_with("physics: electrostatics", "physics: \"a\\e[2J\\nb\""),
             ContainsSubstring("unknown physics 'a\\x1b[2J\\x0ab'"));
}

TEST_CASE("reading takes a time that is linear in the size of the input", "[io][host]") {
  const auto terms = [](int n) {
    std::string sum;
    for (int i = 0; i < n; ++i)
      sum += "x+";
    return sum + "1";
  };
  using Make = std::function<std::string(int)>;
  const std::pair<const char*, Make> inputs[] = {
      {"unknown keys", [](int n) { return plates + std::string("assembly: {") + many(n, ": 1") + "}\n"; }},
      {"materials",
       [](int n) { return with("domain: {relative_permittivity: 1}", many(n, ": {relative_permittivity: 1}")); }},
      {"boundaries", [](int n) { return with("top: {surface_charge: 0}", many(n, ": {periodic: left}", "\n    ")); }},
      {"expected quantities",
       [](int n) {
         return with("{potential.bottom: {value: 1, tolerance: 0.1}}", "{" + many(n, ": {value: 1}") + "}");
       }},
      {"conductors",
       [](int n) { return with("fields: [potential]", "fields: [potential], conductors: [" + many(n, "") + "]"); }},
      {"terms", [&](int n) { return with("potential: 1", "potential: " + terms(10 * n)); }}};
  for (const auto& [name, make] : inputs) {
    const double small = seconds_of(make(5000));
    const double most = 24. * small; // linear: 8, quadratic: 64
    const double large = seconds_of(make(40000), most);
    INFO(name << ": " << small << " s and " << large << " s");
    CHECK(large < most);
  }
}
