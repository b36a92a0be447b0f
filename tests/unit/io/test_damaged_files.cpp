// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/config.hpp"
#include "core/error.hpp"
#include "io/geometry/import_process.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <iterator>
#include <sstream>

#if TESSERA_HAVE_GMSH

namespace {

using namespace tessera;
using tessera::io::ImportedMesh;
using tessera::io::ImportRequest;
using tessera::test::data_file;
using tessera::test::TemporaryFolder;

using Catch::Matchers::ContainsSubstring;

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

/// Result of reading: "" for a mesh, otherwise the error message; every error must refer to the file.
std::string failure_of(const ImportRequest& request) {
  try {
    io::run_import(request);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::input);
    CHECK_THAT(error.what(), ContainsSubstring(request.path));
    return error.what();
  }
  return "";
}

std::string failure_of(const std::string& path, int dimension = 2, double time_limit = 60.) {
  ImportRequest request;
  request.path = path;
  request.dimension = dimension;
  request.time_limit = time_limit;
  return failure_of(request);
}

constexpr const char* square_geo = R"(
DefineConstant[ size = 0.5, biggest = 1e22, smallest = 0 ];
Mesh.MeshSizeMax = biggest;
Mesh.MeshSizeMin = smallest;
Point(1) = {0, 0, 0, size}; Point(2) = {1, 0, 0, size}; Point(3) = {1, 1, 0, size}; Point(4) = {0, 1, 0, size};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
)";

} // namespace

TEST_CASE("damaged .msh files end in a message", "[io]") {
  const TemporaryFolder folder;
  const std::string old = text_of(data_file("square-2.msh")), recent = text_of(data_file("square-4.msh"));
  const std::size_t nodes = old.find("$Nodes\n") + 7;
  const std::string n_nodes = old.substr(nodes, old.find('\n', nodes) - nodes);
  const auto with_count = [&](int change) {
    return replaced(old, "$Nodes\n" + n_nodes, "$Nodes\n" + std::to_string(std::stoi(n_nodes) + change));
  };
  CHECK(failure_of(folder.write("a.msh", with_count(0))).empty());
  CHECK_FALSE(failure_of(folder.write("a.msh", with_count(-1))).empty());
  CHECK_FALSE(failure_of(folder.write("a.msh", with_count(1))).empty());
  CHECK_FALSE(failure_of(folder.write("a.msh", replaced(old, "$Nodes\n" + n_nodes + "\n1 ",
                                                        "$Nodes\n" + n_nodes + "\n2147483648 ")))
                  .empty());

  const std::size_t elements = recent.find("$Elements\n") + 10;
  const std::string head = recent.substr(elements, recent.find('\n', elements) - elements);
  std::istringstream numbers(head);
  long n_blocks = 0, n_elements = 0, first = 0, last = 0;
  numbers >> n_blocks >> n_elements >> first >> last;
  for (const long missing : {1l, n_elements - 1}) {
    std::ostringstream changed;
    changed << n_blocks << ' ' << n_elements - missing << ' ' << first << ' ' << last - missing;
    failure_of(folder.write("b.msh", replaced(recent, "$Elements\n" + head, "$Elements\n" + changed.str())));
  }
}

TEST_CASE("damaged CAD files end in a message", "[io]") {
  const TemporaryFolder folder;
  const std::string step = text_of(data_file("box.step"));
  std::vector<std::size_t> lines{0};
  for (std::size_t at = step.find('\n'); at + 1 < step.size(); at = step.find('\n', at + 1))
    lines.push_back(at + 1);
  const std::size_t n_tried = 12;
  for (std::size_t k = 0; k < n_tried; ++k) {
    const std::size_t line = lines.size() * k / n_tried;
    const std::size_t end = line + 1 < lines.size() ? lines[line + 1] : step.size();
    CAPTURE(line);
    failure_of(folder.write("a.step", step.substr(0, lines[line]) + step.substr(end)), 3, 10.);
  }
  // OpenCASCADE 7.6 does not terminate on this one.
  const std::string brep = text_of(data_file("box.brep"));
  CHECK_FALSE(failure_of(folder.write("b.brep", brep.substr(0, brep.size() * 2 / 5)), 3, 2.).empty());
}

TEST_CASE("mesh sizes that Gmsh cannot cope with are reported", "[io]") {
  const TemporaryFolder folder;
  ImportRequest request;
  request.path = folder.write("square.geo", square_geo);
  request.dimension = 2;
  request.time_limit = 60.;
  CHECK(failure_of(request).empty());
  const auto with = [&](const std::string& name, double value) {
    ImportRequest changed = request;
    changed.parameters[name] = value;
    return failure_of(changed);
  };
  CHECK_THAT(with("biggest", 0.), ContainsSubstring("Mesh.MeshSizeMax is 0"));
  CHECK_THAT(with("biggest", -1.), ContainsSubstring("Mesh.MeshSizeMax is -1"));
  CHECK_THAT(with("smallest", -1.), ContainsSubstring("Mesh.MeshSizeMin is -1"));
  with("size", -0.5);
  const auto after = [&](const std::string& statement) {
    return failure_of(folder.write("other.geo", square_geo + statement + "\n"));
  };
  after("Mesh.MeshSizeFactor = 0;");
  CHECK_THAT(after("Mesh.MeshSizeMax = 0; Mesh 2;"), ContainsSubstring("other.geo"));
}

TEST_CASE("a geometry that ends Gmsh is reported", "[io]") {
  const TemporaryFolder folder;
  CHECK_THAT(failure_of(folder.write("a.geo", std::string(square_geo) + "Exit;\n")),
             ContainsSubstring("ended Gmsh before there was a mesh") && ContainsSubstring("exit code 0"));
  CHECK_THAT(failure_of(folder.write("b.geo", std::string("General.AbortOnError = 4;\nLine(7) = {70, 71};\n"))),
             ContainsSubstring("b.geo") && ContainsSubstring("7"));
}

TEST_CASE("a geometry runs commands only when it may", "[io]") {
  const TemporaryFolder folder;
  ImportRequest request;
  request.path = folder.write("a.geo", square_geo + std::string("SystemCall \"touch ") + folder.file("made") + "\";\n");
  request.dimension = 2;
  CHECK_THAT(failure_of(request), ContainsSubstring("SystemCall") && ContainsSubstring("mesh.allow_commands"));
  CHECK_FALSE(std::filesystem::exists(folder.file("made")));
  request.allow_commands = true;
  CHECK(failure_of(request).empty());
  CHECK(std::filesystem::exists(folder.file("made")));
}

TEST_CASE("a file of Gmsh that is none is not run", "[io]") {
  const TemporaryFolder folder;
  const std::string command = "SystemCall \"touch " + folder.file("made") + "\";\n";
  for (const std::string name : {"a.msh", "a.step", "a.brep", "a.STEP", "a.Brep"}) {
    CAPTURE(name);
    CHECK_FALSE(failure_of(folder.write(name, command), 3, 20.).empty());
  }
  std::filesystem::copy_file(data_file("square-4.msh"), folder.file("b.msh"));
  folder.write("b.msh.opt", command);
  CHECK_THAT(failure_of(folder.file("b.msh")), ContainsSubstring("b.msh.opt:1"));
  CHECK_FALSE(std::filesystem::exists(folder.file("made")));
}

TEST_CASE("a single solid in a STEP or BREP file is meshed", "[io]") {
  ImportRequest request;
  request.path = data_file(GENERATE("box.step", "box.brep"));
  request.dimension = 3;
  const ImportedMesh mesh = io::run_import(request);
  CHECK(mesh.region_names.size() == 1);
  CHECK(mesh.boundary_names.size() == 6);
  CHECK(mesh.n_elements() > 0);
}

#endif
