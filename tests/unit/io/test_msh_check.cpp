// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/mesh_files/msh_check.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <iterator>

namespace {

using namespace tessera;
using tessera::io::check_msh;
using tessera::test::data_file;
using tessera::test::TemporaryFolder;

using Catch::Matchers::ContainsSubstring;

/// Two triangles and a line, line by line.
const std::string old_format = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                               "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n7 0 1 0\n$EndNodes\n"
                               "$Elements\n3\n1 1 2 1 1 1 2\n2 2 2 2 1 1 2 3\n3 2 2 2 1 1 3 7\n$EndElements\n";
const std::string new_format = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
                               "$Nodes\n1 4 1 7\n2 1 0 4\n1\n2\n3\n7\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n$EndNodes\n"
                               "$Elements\n2 3 1 3\n1 1 1 1\n1 1 2\n2 1 2 2\n2 1 2 3\n3 1 3 7\n$EndElements\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

} // namespace

TEST_CASE("sound msh files pass the check", "[io]") {
  const TemporaryFolder folder;
  for (const char* name : {"square-2.msh", "square-2-binary.msh", "square-4.msh", "square-4-binary.msh",
                           "square-order-2.msh", "no-groups.msh", "quads.msh"})
    CHECK_NOTHROW(check_msh(data_file(name)));
  CHECK_NOTHROW(check_msh(folder.write("old.msh", old_format)));
  CHECK_NOTHROW(check_msh(folder.write("new.msh", new_format)));
  // Format 2 repeats an element for each of its physical groups.
  CHECK_NOTHROW(check_msh(folder.write("groups.msh", replaced(replaced(old_format, "$Elements\n3\n", "$Elements\n4\n"),
                                                              "1 1 2 1 1 1 2\n", "1 1 2 1 1 1 2\n1 1 2 5 1 1 2\n"))));
  CHECK_NOTHROW(check_msh(folder.write("none.msh", "Point(1) = {0, 0, 0};\n")));
}

TEST_CASE("entries beyond the count and too few of them are reported with the line", "[io]") {
  const TemporaryFolder folder;
  const auto check = [&folder](const std::string& text) { check_msh(folder.write("bad.msh", text)); };
  // An element's line is duplicated but the count is unchanged: Gmsh ignores the last element.
  CHECK_THROWS_WITH(check(replaced(old_format, "2 2 2 2 1 1 2 3\n", "2 2 2 2 1 1 2 3\n2 2 2 2 1 1 2 3\n")),
                    ContainsSubstring("line 16: expected $EndElements after the 3 entries that $Elements announces, "
                                      "found '3 2 2 2 1 1 3 7'"));
  CHECK_THROWS_WITH(check(replaced(new_format, "2 1 2 3\n", "2 1 2 3\n2 1 2 3\n")), ContainsSubstring("$EndElements"));
  CHECK_THROWS_WITH(check(replaced(old_format, "$Nodes\n4\n", "$Nodes\n3\n")),
                    ContainsSubstring("line 9: expected $EndNodes after the 3 entries"));
  CHECK_THROWS_WITH(check(replaced(old_format, "$Nodes\n4\n", "$Nodes\n5\n")),
                    ContainsSubstring("announces 5 nodes, but gives 4"));
  CHECK_THROWS_WITH(check(replaced(old_format, "$Elements\n3\n", "$Elements\n4\n")),
                    ContainsSubstring("announces 4 elements, but gives 3"));
  CHECK_THROWS_WITH(check(replaced(new_format, "2 3 1 3\n", "2 2 1 3\n")), ContainsSubstring("a block of 2 entries"));
  CHECK_THROWS_WITH(check(replaced(new_format, "2 3 1 3\n", "2 4 1 3\n")),
                    ContainsSubstring("announces 4 elements, but its blocks have 3"));
  CHECK_THROWS_WITH(check(replaced(new_format, "1 4 1 7\n", "1 5 1 7\n")),
                    ContainsSubstring("announces 5 nodes, but its blocks have 4"));
  CHECK_THROWS_WITH(check(old_format.substr(0, old_format.find("$EndElements"))),
                    ContainsSubstring("found the end of the file"));
}

TEST_CASE("entries given twice, unknown nodes and broken lines are reported", "[io]") {
  const TemporaryFolder folder;
  const auto check = [&folder](const std::string& text) { check_msh(folder.write("bad.msh", text)); };
  CHECK_THROWS_WITH(check(replaced(old_format, "3 2 2 2 1 1 3 7", "2 2 2 2 1 1 3 7")),
                    ContainsSubstring("element 2 is given twice"));
  CHECK_THROWS_WITH(check(replaced(old_format, "7 0 1 0", "2 0 1 0")), ContainsSubstring("node 2 is given twice"));
  for (const char* node : {"4", "0", "-1", "2147483648"}) {
    CHECK_THROWS_WITH(check(replaced(old_format, "1 1 3 7\n", std::string("1 1 3 ") + node + "\n")),
                      ContainsSubstring(std::string("element 3 refers to node ") + node + ", which the file does not"));
    CHECK_THROWS_WITH(check(replaced(new_format, "3 1 3 7\n", std::string("3 1 3 ") + node + "\n")),
                      ContainsSubstring("element 3 refers to node"));
  }
  CHECK_THROWS_WITH(check(replaced(old_format, "1 1 3 7", "1 1 3")), ContainsSubstring("has 2 nodes"));
  CHECK_THROWS_WITH(check(replaced(old_format, "7 0 1 0", "7 0 1")), ContainsSubstring("has 2 coordinates"));
  CHECK_THROWS_WITH(check(replaced(old_format, "7 0 1 0", "7 0 1x 0")), ContainsSubstring("'1x' is no number"));
  CHECK_THROWS_WITH(check(replaced(old_format, "7 0 1 0", "7.5 0 1 0")), ContainsSubstring("no whole number"));
}

TEST_CASE("binary msh files that are cut off or do not end where they should are reported", "[io]") {
  const TemporaryFolder folder;
  const std::string name = GENERATE("square-2-binary.msh", "square-4-binary.msh");
  const std::string good = contents(data_file(name));
  const std::size_t elements = good.find("$Elements");
  CHECK_THROWS_WITH(check_msh(folder.write("cut.msh", good.substr(0, elements + 60))), ContainsSubstring("byte "));
  std::string bad = good;
  bad.insert(good.find("$EndElements") - 1, 8, '\0');
  CHECK_THROWS_WITH(check_msh(folder.write("long.msh", bad)), ContainsSubstring("$EndElements"));
}
