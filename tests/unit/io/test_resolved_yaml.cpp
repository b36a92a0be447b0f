// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/input/case_reader.hpp"
#include "io/input/resolved.hpp"
#include "io/output/report.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

using namespace tessera::io;
namespace fs = std::filesystem;

namespace {

/// Strings that YAML 1.1 or 1.2 read as a number, a date, a truth value, null, an infinity or a merge key.
const std::vector<std::string> deceptive{"1",
                                         "-1",
                                         "1.5",
                                         "1e5",
                                         "1.0e+5",
                                         "1_000",
                                         "0x1F",
                                         "0o17",
                                         "017",
                                         "0b11",
                                         "12:30:00",
                                         "+.inf",
                                         ".inf",
                                         "-.inf",
                                         ".NaN",
                                         "yes",
                                         "No",
                                         "ON",
                                         "off",
                                         "y",
                                         "N",
                                         "true",
                                         "False",
                                         "null",
                                         "Null",
                                         "NULL",
                                         "~",
                                         "<<",
                                         "=",
                                         "2001-01-01",
                                         "2001-1-1t1:1",
                                         "-",
                                         "- a",
                                         "?",
                                         "? a",
                                         ":",
                                         "a: b",
                                         "a #b",
                                         "#a",
                                         "*a",
                                         "&a",
                                         "!a",
                                         "%a",
                                         "@a",
                                         "`a",
                                         "|",
                                         ">",
                                         "'a'",
                                         "\"a\"",
                                         "a\\b",
                                         "{a}",
                                         "[a]",
                                         "a, b",
                                         " a",
                                         "a ",
                                         ".",
                                         "..",
                                         "---",
                                         "...",
                                         "1 a",
                                         "caf\xc3\xa9",
                                         "\xf0\x9f\x98\x80",
                                         "\xef\xbb\xbf"
                                         "a",
                                         "\xef\xbf\xbf"};

std::string printed(double value) {
  ReportNode node;
  node = value;
  const std::string text = to_yaml(node);
  return text.substr(0, text.size() - 1);
}

} // namespace

TEST_CASE("names that look like other things read back as names", "[io][host]") {
  std::string text = "tessera: 1\ntitle: \"two\\nlines\\x07\\u0085\\u2028\"\nmesh: {box: {cells: [1, 1]}}\nproblem:\n"
                     "  physics: electrostatics\n  materials:\n";
  const auto quoted = [](const std::string& name) {
    std::string result = "\"";
    for (const char c : name)
      result += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return result + '"';
  };
  std::vector<std::string> names = deceptive;
  names.push_back(std::string(250, 'k'));
  names.push_back(std::string(500, '"')); // escaped, twice as long: YAML's limit for keys is 1024
  for (const std::string& name : names)
    text += "    " + quoted(name) + ": {relative_permittivity: 1}\n";
  text += "  boundaries:\n";
  for (const std::string& name : names)
    text += "    " + quoted(name) + ": {potential: 1}\n";
  const Case first = read_case_text(text, "case.yaml");
  REQUIRE(first.problem.materials.size() == names.size());
  const std::string resolved = resolved_text(first);
  INFO(resolved);
  const Case second = read_case_text(resolved, "resolved.yaml");
  CHECK(second.title == first.title);
  REQUIRE(second.problem.materials.size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(second.problem.materials[i].region.name == names[i]);
    CHECK(second.problem.boundaries[i].group.name == names[i]);
  }
  for (const std::string& name : deceptive)
    CHECK(resolved.find("\n    " + name + ": ") == std::string::npos); // quoted
}

TEST_CASE("numbers are written so that YAML 1.1 and 1.2 read the same", "[io][host]") {
  CHECK(number_text(1e-10) == "1.0e-10");
  CHECK(number_text(1e300) == "1.0e+300");
  CHECK(number_text(1.5e-10) == "1.5e-10");
  CHECK(number_text(48.) == "48");
  CHECK(number_text(-0.) == "-0.0");
  CHECK(number_text(std::numeric_limits<double>::quiet_NaN()) == "nan");
  CHECK(printed(1e-10) == "1.0e-10");
  CHECK(printed(std::numeric_limits<double>::infinity()) == ".inf");
  CHECK(printed(-std::numeric_limits<double>::quiet_NaN()) == ".nan");
  for (const double value : {5e-324, 1.7976931348623157e308, 0.1, 1. / 3., 123456789012345680., 2.5e-8, -1e22})
    CHECK(std::strtod(number_text(value).c_str(), nullptr) == value);

  ReportNode node;
  const auto expression = [&](const char* text) {
    return resolved_text(read_case_text("tessera: 1\nmesh: {box: {cells: [1, 1]}}\nproblem: {physics: electrostatics, "
                                        "materials: {domain: {relative_permittivity: 1}}, boundaries: {left: "
                                        "{potential: \"" +
                                            std::string(text) + "\"}}}\n",
                                        "case.yaml"));
  };
  // The user's text is written, unless one of the YAML versions reads it as another number, a date or a truth value.
  CHECK(expression("1e-3").find("{potential: 0.001}") != std::string::npos);
  CHECK(expression("1e-30").find("{potential: 1.0e-30}") != std::string::npos);
  CHECK(expression("010").find("{potential: 10}") != std::string::npos);
  CHECK(expression("2001-01-01").find("{potential: 1999}") != std::string::npos);
  CHECK(expression("y").find("{potential: \"y\"}") != std::string::npos);
  CHECK(expression("1/3").find("{potential: \"1/3\"}") != std::string::npos);
  CHECK(expression("sin(pi*x)").find("{potential: sin(pi*x)}") != std::string::npos);
}

TEST_CASE("the resolved input names the mesh from where it lies itself", "[io][host]") {
  const tessera::test::TemporaryFolder folder;
  fs::create_directories(folder.file("project/results/a"));
  fs::create_directories(folder.file("project/geometry"));
  folder.write("project/geometry/plates.geo", "// empty");
  const std::string text = "tessera: 1\nmesh: {geometry: geometry/plates.geo, dimension: 2}\nproblem: {physics: "
                           "electrostatics, materials: {a: {relative_permittivity: 1}}, boundaries: {left: {potential: "
                           "1}}}\n";
  const Case input = read_case_text(text, folder.file("project/case.yaml"));
  const std::string out = folder.file("project/results/a");
  const ReportNode tree = resolved_tree(input, out);
  CHECK(to_yaml(tree).find("geometry: \"../../geometry/plates.geo\"\n") != std::string::npos);
  CHECK(resolved_text(input).find(folder.file("project/geometry/plates.geo")) != std::string::npos);
  // The same after the project was moved.
  fs::rename(folder.file("project"), folder.file("moved"));
  const Case again = read_case_text(to_yaml(tree), folder.file("moved/results/a/resolved.yaml"));
  CHECK(fs::equivalent(again.mesh.path, folder.file("moved/geometry/plates.geo")));
  // Through a link, ".." would lead to another folder.
  fs::create_directory_symlink(folder.file("moved/results/a"), folder.file("link"));
  const Case linked = read_case_text(to_yaml(resolved_tree(again, folder.file("link"))), folder.file("link/r.yaml"));
  CHECK(fs::equivalent(linked.mesh.path, again.mesh.path));
  // A path that shares only the root stays absolute.
  CHECK(to_yaml(resolved_tree(again, "/no-such-folder/out")).find("geometry: /") != std::string::npos);
}
