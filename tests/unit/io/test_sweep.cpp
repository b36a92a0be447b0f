// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "case_messages.hpp"
#include "io/input/resolved.hpp"
#include "io/input/sweep.hpp"
#include "io/output/sweep_table.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fstream>

using Catch::Matchers::ContainsSubstring;

namespace tessera::test {

namespace {

const std::string base = R"(tessera: 1
mesh: {box: {cells: [4, 4]}}
problem:
  physics: electrostatics
  materials: {domain: {relative_permittivity: 1}}
  boundaries: {left: {potential: 1}, right: {potential: 0}}
)";

using Values = std::vector<std::vector<std::string>>;

Values values_of(const std::string& sweep) {
  Values values;
  for (const io::SweepPoint& point : io::read_sweep_text(base + sweep, "case.yaml").points)
    values.push_back(point.values);
  return values;
}

std::string sweep_message(const std::string& sweep) {
  try {
    io::read_sweep_text(base + sweep, "case.yaml");
  } catch (const Error& error) {
    CHECK(error.exit_code() == 1);
    return error.what();
  }
  return "no error";
}

/// The message for a sweep with one axis.
std::string message_of_axis(const std::string& axis) { return sweep_message("sweep: {vary: [{" + axis + "}]}\n"); }

const std::string permittivity = "problem.materials.domain.relative_permittivity";
const std::string potential = "problem.boundaries.left.potential";

} // namespace

TEST_CASE("A sweep takes the keys of an entry together and the entries as a product", "[io]") {
  const std::string vary = "[{" + permittivity + ": [1, 2], mesh.scale: [3, 4]}, {" + potential + ": [5, 6, 7]}]";
  const io::Sweep sweep = io::read_sweep_text(base + "sweep: {vary: " + vary + "}\n", "case.yaml");
  CHECK(sweep.keys == std::vector<std::string>{permittivity, "mesh.scale", potential});
  REQUIRE(sweep.points.size() == 6);
  CHECK(sweep.points[1].values == std::vector<std::string>{"1", "3", "6"});
  CHECK(sweep.points[3].values == std::vector<std::string>{"2", "4", "5"});
  for (const io::SweepPoint& point : sweep.points) {
    CHECK(point.input.problem.materials.front().coefficient.diagonal.front().text.find(point.values[0]) == 0);
    CHECK(point.input.mesh.scale == std::stod(point.values[1]));
    CHECK(point.input.problem.boundaries.front().value.value == std::stod(point.values[2]));
  }
}

TEST_CASE("What a sweep resolves to is the same sweep", "[io]") {
  const std::string text =
      base + "sweep:\n  keep_outputs: true\n  vary:\n    - {" + permittivity +
      ": {from: 1, to: 100, points: 3, spacing: logarithmic}, " + potential +
      ": [\"2*3\", -1.0e-3, 7]}\n    - mesh.box.cells: [[4, 4], [8, 2]]\n      mesh.scale: [1, 0.5]\n";
  const io::Sweep sweep = io::read_sweep_text(text, "case.yaml");
  REQUIRE(sweep.points.size() == 6);
  const io::Sweep again = io::read_sweep_text(io::to_yaml(io::resolved_tree(sweep, "")), "resolved.yaml");
  CHECK(again.keeps_outputs);
  CHECK(again.keys == sweep.keys);
  REQUIRE(again.points.size() == 6);
  for (std::size_t i = 0; i < 6; ++i)
    CHECK(io::resolved_text(again.points[i].input) == io::resolved_text(sweep.points[i].input));
}

TEST_CASE("A case without a sweep is its only point", "[io]") {
  const io::Sweep sweep = io::read_sweep_text(base, "case.yaml");
  CHECK_FALSE(sweep.requested());
  CHECK(sweep.points.size() == 1);
}

TEST_CASE("Ranges of a sweep have the values that people would write", "[io]") {
  const auto range = [](const std::string& text) {
    std::vector<std::string> values;
    for (const auto& point : values_of("sweep: {vary: [{" + permittivity + ": {" + text + "}}]}\n"))
      values.push_back(point.front());
    return values;
  };
  using List = std::vector<std::string>;
  CHECK(range("from: 0.1, to: 0.4, points: 4") == List{"0.1", "0.2", "0.3", "0.4"});
  CHECK(range("from: 1, to: 2, step: 0.25") == List{"1", "1.25", "1.5", "1.75", "2"});
  CHECK(range("from: 3, to: 1, step: -1") == List{"3", "2", "1"});
  CHECK(range("from: 1, to: 1000, points: 4, spacing: logarithmic") == List{"1", "10", "100", "1000"});
}

TEST_CASE("Values of a sweep may be lists and texts", "[io]") {
  const std::string keys = "mesh.box.cells: [[4, 4], [8, 2]], " + potential + ": [\"2*x\", 1]";
  const io::Sweep sweep = io::read_sweep_text(base + "sweep: {vary: [{" + keys + "}]}\n", "case.yaml");
  CHECK(sweep.points[1].values.front() == "[8, 2]");
  CHECK(sweep.points[1].input.mesh.box.cells[0] == 8);
  CHECK_FALSE(sweep.points[0].input.problem.boundaries.front().value.is_constant);
}

TEST_CASE("Errors in a sweep are reported with their place", "[io]") {
  CHECK_THAT(sweep_message("sweep: {}\n"), ContainsSubstring("case.yaml:7: sweep: the key 'vary' is missing"));
  CHECK_THAT(sweep_message("sweep: {vary: []}\n"), ContainsSubstring("list of keys to vary is empty"));
  CHECK_THAT(sweep_message("sweep: {vary: [{}]}\n"), ContainsSubstring("expected keys with their values"));
  CHECK_THAT(sweep_message("sweep: {vari: [{}]}\n"), ContainsSubstring("did you mean 'vary'"));
  CHECK_THAT(message_of_axis(permittivity + ": 3"), ContainsSubstring("case.yaml:7: sweep.vary." + permittivity) &&
                                                        ContainsSubstring("expected a list of values"));
  CHECK_THAT(message_of_axis(permittivity + ": []"), ContainsSubstring("expected a list of values"));
  CHECK_THAT(message_of_axis(permittivity + ": [1, 2], mesh.scale: [1]"),
             ContainsSubstring("has 1 values, and " + permittivity + ", which varies with it, has 2"));
  CHECK_THAT(sweep_message("sweep: {vary: [{mesh.scale: [1]}, {mesh.scale: [2]}]}\n"),
             ContainsSubstring("varies this key twice"));
  const std::string whole = "problem.materials.domain: [{relative_permittivity: 3}]";
  const std::string part = "problem.materials.domain.relative_permittivity: [1]";
  CHECK_THAT(sweep_message("sweep: {vary: [{" + part + "}, {" + whole + "}]}\n"),
             ContainsSubstring("case.yaml:7: sweep.vary.problem.materials.domain: replaces '" + permittivity + "'"));
  const io::Sweep both = io::read_sweep_text(base + "sweep: {vary: [{" + whole + "}, {" + part + "}]}\n", "case.yaml");
  CHECK(both.points.front().input.problem.materials.front().coefficient.diagonal[0].value == 1.);
  for (const char* key : {"title", "execution.backend", "output.directory", "sweep.vary", "tessera"})
    CHECK_THAT(message_of_axis(std::string(key) + ": [1]"), ContainsSubstring("is the same for all points"));
  CHECK_THAT(message_of_axis("output: [{quantities: [energy]}]"),
             ContainsSubstring("case.yaml:7: sweep.vary.output: output as a whole holds output.directory, which is the "
                               "same for all points"));
  CHECK(message_of_axis("output.quantities: [[energy]]") == "no error");
  CHECK_THAT(message_of_axis("problem.physics.x: [1]"),
             ContainsSubstring("case.yaml:4: problem.physics: expected a map of keys and values, found one value; "
                               "case.yaml:7: sweep.vary sets 'problem.physics.x' in it"));
  CHECK_THAT(message_of_axis("mesh.scale: {from: 1, to: 2}"), ContainsSubstring("exactly one of points and step"));
  CHECK_THAT(message_of_axis("mesh.scale: {from: 1, to: 2, points: 1}"), ContainsSubstring("points"));
  CHECK_THAT(message_of_axis("mesh.scale: {from: 1, to: 2, step: 0.3}"), ContainsSubstring("do not lead from 1"));
  CHECK_THAT(message_of_axis("mesh.scale: {from: 1, to: 2, step: -0.5}"), ContainsSubstring("do not lead from 1"));
  CHECK_THAT(message_of_axis("mesh.scale: {from: 0, to: 2, points: 3, spacing: logarithmic}"),
             ContainsSubstring("ends of one sign"));
  CHECK_THAT(message_of_axis("mesh.scale: {from: 1, to: 2, points: 3, spacing: logaritmic}"),
             ContainsSubstring("did you mean 'logarithmic'"));
  const std::string many = ": {from: 1, to: 2, points: 1001}}";
  CHECK_THAT(sweep_message("sweep: {vary: [{mesh.scale" + many + ", {" + permittivity + many + "]}\n"),
             ContainsSubstring("a sweep has at most 100000"));
}

TEST_CASE("Wrong values and keys of a point are reported with the point and the line of the sweep", "[io]") {
  const std::string wrong_value = sweep_message("sweep:\n  vary:\n    - " + permittivity + ": [1, -1]\n");
  CHECK_THAT(wrong_value, ContainsSubstring("case.yaml:7: sweep: point 2 (" + permittivity + " = -1)"));
  CHECK_THAT(wrong_value, ContainsSubstring("case.yaml:9: " + permittivity + ": must be positive"));
  const std::string wrong_key = message_of_axis("problem.materials.domain.relative_permitivity: [1]");
  CHECK_THAT(wrong_key, ContainsSubstring("did you mean 'relative_permittivity'"));
}

TEST_CASE("Values that a sweep replaces are checked, too, where they make a case", "[io]") {
  const auto message = [](const std::string& value) {
    try {
      io::read_sweep_text(replaced(base, "potential: 1", "potential: " + value) + "sweep: {vary: [{" + potential +
                              ": [1, 2]}]}\n",
                          "case.yaml");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  CHECK(message("3") == "no error");
  CHECK(message("") == "no error"); // a value that the sweep sets
  for (const char* value : {".nan", "$HOME"})
    CHECK_THAT(message(value), ContainsSubstring("case.yaml:7: sweep: the case without its sweep") &&
                                   ContainsSubstring("case.yaml:6: " + potential));
}

TEST_CASE("Commands for one case refuse a sweep", "[io]") {
  const std::string text = base + "sweep: {vary: [{mesh.scale: [1, 2]}]}\n";
  CHECK_THAT(message_of(text), ContainsSubstring("case.yaml:7: sweep: several cases in one"));
  CHECK(message_of(text, {{"sweep", "", "--set"}}) == "no error");
}

TEST_CASE("The table of a sweep is read back as it was written", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("sweep.csv");
  CHECK(io::read_sweep_table(path).rows.empty());
  io::SweepTable table;
  table.keys = {"a.b", "c"};
  table.rows[1] = {{"1", "[2, 3]"}, {{"energy [J]", "1.5"}}, io::sweep_done, "3", "0.1", "mesh", "ff"};
  table.rows[3] = {{"2", "x"}, {{"mean [1]", "7"}}, "failed: a \"text\", in\ntwo lines", "", "0.2", "nothing", "fe"};
  io::write_sweep_table(path, table);
  const io::SweepTable again = io::read_sweep_table(path);
  CHECK(again.keys == table.keys);
  REQUIRE(again.rows.size() == 2);
  for (const auto& [number, row] : table.rows) {
    const io::SweepRow& read = again.rows.at(number);
    CHECK(read.values == row.values);
    CHECK(read.numbers == row.numbers);
    CHECK(read.state == row.state);
    CHECK(read.is_done() == (number == 1));
    CHECK(std::vector<std::string>{read.iterations, read.seconds, read.taken, read.input} ==
          std::vector<std::string>{row.iterations, row.seconds, row.taken, row.input});
  }
  CHECK(again.numbers() == std::vector<std::string>{"energy [J]", "mean [1]"});
}

TEST_CASE("Another table in the place of a sweep's is reported", "[io]") {
  const TemporaryFolder folder;
  for (const char* text : {"", "x,y\n1,2\n", "point,a,state,iterations,seconds,taken,input\n1,2\n"}) {
    std::ofstream(folder.file("sweep.csv")) << text;
    CHECK_THROWS_WITH(io::read_sweep_table(folder.file("sweep.csv")), ContainsSubstring("is no table of a sweep"));
  }
}

} // namespace tessera::test
