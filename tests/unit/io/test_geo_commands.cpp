// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/geometry/geo_commands.hpp"
#include "io/geometry/geo_parameters.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <sys/stat.h>

namespace {

using namespace tessera;
using tessera::io::check_geometry_text;
using tessera::test::data_file;
using tessera::test::TemporaryFolder;

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

} // namespace

TEST_CASE("words of a geometry that run programs or write files are refused with their line", "[io]") {
  const TemporaryFolder folder;
  const std::string word =
      GENERATE("SystemCall \"touch x\";", "System \"touch x\";", "NonBlockingSystemCall \"touch x\";",
               "SystemCall\n\"x\";", "If(1)SystemCall\"touch x\";EndIf", "OnelabRun(\"a\", \"b\");", "OnelabRun \"a\";",
               "Save \"x.msh\";", "Save View[0] \"x.pos\";", "Print \"x.png\";", "Print Sprintf(\"x%g.png\", 1);",
               "CreateDir \"x\";", "Printf(\"x\") > \"file\";", "Printf(\"x)\", 1, 2)  >> \"file\";",
               "Field[1] = ExternalProcess;", "General.TmpFileName = \"x\";", "Plugin(Bubbles).Run;",
               "S2N[\"SystemCall\"] \"touch x\";", "Merge \"x.geo.gz\";");
  CAPTURE(word);
  const std::string path = folder.write("a.geo", "Point(1) = {0, 0, 0}; // a point\n" + word + "\n");
  CHECK_THROWS_MATCHES(check_geometry_text(path, false), Error,
                       MessageMatches(ContainsSubstring("a.geo:2: \"") && ContainsSubstring("mesh.allow_commands")));
  CHECK_NOTHROW(check_geometry_text(path, true));
}

TEST_CASE("words in comments and strings, options and output on the screen are no commands", "[io]") {
  const TemporaryFolder folder;
  const std::string text =
      GENERATE("// SystemCall \"touch x\";", "/* Save \"x\"; \n */", "Printf(\"SystemCall > file\");", "a = 'Save';",
               "Printf(\"%g\", 1 > 0);", "Mesh.SaveAll = 1;", "Print.Background = 0;", "SystemCalls = 3;", "Save = 1;",
               "If(a > 0) Printf(\"x\"); EndIf b = 2 > 1;", "Exit;");
  CAPTURE(text);
  CHECK_NOTHROW(check_geometry_text(folder.write("a.geo", text + "\n"), false));
}

TEST_CASE("commands are found in files that a geometry reads", "[io]") {
  const TemporaryFolder folder;
  const std::string command = "SystemCall \"touch x\";\n";
  const auto refuses = [&](const std::string& name, const std::string& where) {
    CHECK_THROWS_MATCHES(check_geometry_text(folder.file(name), false), Error,
                         MessageMatches(ContainsSubstring(where + ":1: \"SystemCall\"")));
  };
  folder.write("part.geo", command);
  folder.write("a.geo", "Include \"part.geo\";\n");
  refuses("a.geo", "part.geo");
  folder.write("b.geo", "Merge 'part.geo';\n");
  refuses("b.geo", "part.geo");
  folder.write("nested.geo", "Include \"a.geo\";\n");
  refuses("nested.geo", "part.geo");
  // Gmsh runs "<file>.opt" next to any file that it reads.
  folder.write("c.geo", "Point(1) = {0, 0, 0};\n");
  folder.write("c.geo.opt", command);
  refuses("c.geo", "c.geo.opt");
  folder.write("d.msh", "$MeshFormat\n4.1 0 8\n");
  folder.write("d.msh.opt", command);
  refuses("d.msh", "d.msh.opt");
  folder.write("e.geo", "Merge \"d.msh\";\n");
  refuses("e.geo", "d.msh.opt");
  // A script with the extension of a CAD file must not run.
  folder.write("solid.step", command);
  CHECK_NOTHROW(check_geometry_text(folder.write("f.geo", "Merge \"solid.step\";\n"), false));
  // The end of a string that exceeds Gmsh's limit is read as program text.
  const std::string too_long = "a = \"" + std::string(1100, 'x') + " ; " + command.substr(0, 10) + "\";\n";
  CHECK_THROWS_AS(check_geometry_text(folder.write("g.geo", too_long), false), Error);
  CHECK_THROWS_WITH(check_geometry_text(folder.write("h.geo", std::string("// a\0 b", 7)), false),
                    ContainsSubstring("no text"));
}

TEST_CASE("a .msh file that does not begin as one is refused", "[io]") {
  const TemporaryFolder folder;
  for (const std::string text : {"SystemCall \"touch x\";\n", "", "\n$MeshFormat\n", " $MeshFormat\n",
                                 "$PhysicalNames\n0\n$EndPhysicalNames\n", "Exit;\n", "this is no mesh\n"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(check_geometry_text(folder.write("a.msh", text), true), ContainsSubstring("no mesh of Gmsh"));
  }
  for (const char* name : {"square-2.msh", "square-2-binary.msh", "square-4.msh", "square-4-binary.msh"})
    CHECK_NOTHROW(check_geometry_text(data_file(name), false));
  CHECK_NOTHROW(check_geometry_text(folder.write("b.msh", "$Comments\nhello\n$EndComments\n$MeshFormat\n"), false));
}

TEST_CASE("includes without end are reported", "[io]") {
  const TemporaryFolder folder;
  const std::string self = folder.write("self.geo", "Include \"./self.geo\";\n");
  CHECK_THROWS_WITH(io::find_geo_parameters(self), ContainsSubstring("includes itself"));
  folder.write("one.geo", "Include \".//two.geo\";\n");
  CHECK_THROWS_WITH(io::find_geo_parameters(folder.write("two.geo", "Include \"one.geo\";\n")),
                    ContainsSubstring("includes itself"));
  CHECK_THROWS_WITH(io::find_geo_parameters(folder.write("zero.geo", "Include \"/dev/zero\";\n")),
                    ContainsSubstring("/dev/zero is no regular file"));
  REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(io::find_geo_parameters(folder.write("fifo.geo", "Include \"pipe\";\n")),
                    ContainsSubstring("no regular file"));
  for (int level = 0; level < 20; ++level)
    folder.write("level" + std::to_string(level) + ".geo", "Include \"level" + std::to_string(level + 1) +
                                                               ".geo\";\nDefineConstant[ x" + std::to_string(level) +
                                                               " = 1 ];\n");
  CHECK(io::find_geo_parameters(folder.file("level10.geo")).size() == 10);
  CHECK_THROWS_WITH(io::find_geo_parameters(folder.file("level0.geo")), ContainsSubstring("10 levels"));
}
