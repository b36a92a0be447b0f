// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/config.hpp"
#include "core/error.hpp"
#include "io/byte_stream.hpp"
#include "io/child_process.hpp"
#include "io/geometry/import_process.hpp"
#include "io/mesh_files/mesh_handover.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>

namespace {

using namespace tessera;
using tessera::io::ImportedMesh;
using tessera::io::ImportRequest;
using tessera::io::detail::anonymous_file;
using tessera::test::TemporaryFolder;

using Catch::Matchers::ContainsSubstring;

/// Replaces the readers by scripts while the object lives.
class FakeReaders {
public:
  FakeReaders(const TemporaryFolder& folder, const std::string& script) {
    const char* before = std::getenv("TESSERA_IMPORT");
    if (before != nullptr)
      before_ = before;
    for (const char* name : {"tessera-import", "tessera-import-gmsh"})
      ::chmod(folder.write(name, "#!/bin/sh\n" + script + "\n").c_str(), 0755);
    ::setenv("TESSERA_IMPORT", folder.file("tessera-import").c_str(), 1);
  }
  FakeReaders(const FakeReaders&) = delete;
  FakeReaders& operator=(const FakeReaders&) = delete;
  ~FakeReaders() {
    if (before_)
      ::setenv("TESSERA_IMPORT", before_->c_str(), 1);
    else
      ::unsetenv("TESSERA_IMPORT");
  }

private:
  std::optional<std::string> before_;
};

ImportRequest request_for(const std::string& path) {
  ImportRequest request;
  request.path = path;
  request.dimension = 2;
  request.time_limit = 30.;
  return request;
}

/// The error of a call that must fail.
template <class Call> Error error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  FAIL("no error");
  return {ErrorKind::input, ""};
}

Error import_error(const ImportRequest& request) {
  return error_of([&] { io::run_import(request); });
}

ImportedMesh two_triangles() {
  ImportedMesh mesh;
  mesh.dimension = 2;
  mesh.coordinates = {0., 0., 1., 0., 1., 1., 0., 1.};
  mesh.elements = {0, 1, 2, 0, 2, 3};
  mesh.regions = {0, 1};
  mesh.facets = {0, 1};
  mesh.facet_groups = {0};
  mesh.region_names = {"lower", "upper"};
  mesh.boundary_names = {"bottom"};
  mesh.notes = {"A note.", ""};
  return mesh;
}

} // namespace

TEST_CASE("each way in which a reader can end has a sentence and a kind", "[io]") {
  struct End {
    std::string script;
    ErrorKind kind;
    std::string says;
    std::string also;
  };
  const End end = GENERATE(values<End>({
      {"echo 'Info    : Reading'; kill -SEGV $$", ErrorKind::input, "crashed (signal 11",
       "Its last output: \"Info : Reading\""},
      {"echo 'Error   : Too many nodes' >&2; kill -ABRT $$", ErrorKind::input, "crashed (signal 6", "Too many nodes"},
      {"kill -KILL $$", ErrorKind::resource, "was killed (signal 9", "memory ran out"},
      {"kill -XFSZ $$", ErrorKind::resource, "a limit of this shell", "ulimit"},
      {"kill -TERM $$", ErrorKind::resource, "ended from outside", "signal 15"},
      {"exit 0", ErrorKind::input, "ended Gmsh before there was a mesh", "exit code 0. It said nothing."},
      {"exit 1", ErrorKind::input, "AbortOnError", "exit code 1"},
      {"echo 'x: error while loading shared libraries: libGLU.so.1: cannot open' >&2; exit 127", ErrorKind::input,
       "Gmsh does not start on this machine", "libGLU.so.1"},
      // A header without the rest is no mesh.
      {"printf TsrMesh1 >&3", ErrorKind::input, "before there was a mesh", ""},
  }));
  CAPTURE(end.script);
  const TemporaryFolder folder;
  const std::string geometry = folder.write("plates.geo", "Point(1) = {0, 0, 0};\n");
  const FakeReaders fake(folder, end.script);
  const Error error = import_error(request_for(geometry));
  CHECK(error.kind() == end.kind);
  CHECK_THAT(error.what(), ContainsSubstring(end.says) && ContainsSubstring(end.also) && ContainsSubstring(geometry));
}

TEST_CASE("a reader whose time is up ends with all that it started", "[io]") {
  const TemporaryFolder folder;
  const std::string geometry = folder.write("plates.geo", "");
  const FakeReaders fake(folder, "sleep 1000 & echo $! > " + folder.file("pid") + "; echo meshing; sleep 1000");
  ImportRequest request = request_for(geometry);
  request.time_limit = 0.5;
  const auto start = std::chrono::steady_clock::now();
  const Error error = import_error(request);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
  CHECK(error.kind() == ErrorKind::input);
  CHECK_THAT(error.what(), ContainsSubstring("took longer than 500.0 ms") && ContainsSubstring("mesh.time_limit") &&
                               ContainsSubstring("meshing"));
  std::ifstream file(folder.file("pid"));
  pid_t grandchild = 0;
  file >> grandchild;
  REQUIRE(grandchild > 0);
  bool is_gone = false; // we cannot wait for its end
  for (int i = 0; i < 100 && !is_gone; ++i) {
    std::ifstream status("/proc/" + std::to_string(grandchild) + "/stat");
    std::string number, name, state;
    status >> number >> name >> state;
    is_gone = state.empty() || state == "Z";
    ::usleep(20000);
  }
  CHECK(is_gone);
}

TEST_CASE("a reader that is not there is reported with where it was looked for", "[io]") {
  const TemporaryFolder folder;
  const std::string geometry = folder.write("plates.geo", "");
  {
    const FakeReaders fake(folder, "exit 0");
    ::unlink(folder.file("tessera-import-gmsh").c_str());
    CHECK_THAT(import_error(request_for(geometry)).what(),
               ContainsSubstring("tessera-import-gmsh") || ContainsSubstring("has no Gmsh"));
    ::unlink(folder.file("tessera-import").c_str());
    CHECK_THAT(import_error(request_for(geometry)).what(), ContainsSubstring("TESSERA_IMPORT names"));
  }
  CHECK_THAT(io::import_program(), ContainsSubstring("tessera-import")); // next to this test
}

TEST_CASE("the one who waits for a reader hears what it says", "[io]") {
  const TemporaryFolder folder;
  const std::string geometry = folder.write("plates.geo", "");
  const FakeReaders fake(folder, "echo first; printf '\\033[1mMeshing  curve\\033[0m 5\\r'; sleep 1");
  std::string said;
  double waited = 0.;
  CHECK_THROWS_AS(io::run_import(request_for(geometry),
                                 [&](double seconds, const std::string& last) {
                                   waited = seconds;
                                   said = last;
                                 }),
                  Error);
  CHECK(waited > 0.3);
  CHECK(said == "Meshing curve 5");
}

TEST_CASE("a caller that breaks off leaves no reader behind", "[io]") {
  const TemporaryFolder folder;
  const std::string geometry = folder.write("plates.geo", "");
  const FakeReaders fake(folder, "echo $$ > " + folder.file("pid") + "; echo started; sleep 1000");
  CHECK_THROWS_AS(io::run_import(request_for(geometry),
                                 [](double, const std::string& said) {
                                   if (said == "started")
                                     throw std::runtime_error("enough");
                                 }),
                  std::runtime_error);
  std::ifstream file(folder.file("pid"));
  pid_t reader = 0;
  file >> reader;
  REQUIRE(reader > 0);
  CHECK((::kill(reader, 0) != 0 && errno == ESRCH));
}

TEST_CASE("a mesh comes out of another process as it went in", "[io]") {
  const ImportedMesh mesh = two_triangles();
  const io::detail::Descriptor file = anonymous_file("test");
  CHECK_FALSE(io::was_handed_over(file.number()));
  io::hand_over(file.number(), two_triangles());
  CHECK(io::was_handed_over(file.number()));
  const ImportedMesh copy = io::take_over(file.number(), "a.msh");
  CHECK(copy.dimension == mesh.dimension);
  CHECK(copy.coordinates == mesh.coordinates);
  CHECK(copy.elements == mesh.elements);
  CHECK(copy.regions == mesh.regions);
  CHECK(copy.facets == mesh.facets);
  CHECK(copy.facet_groups == mesh.facet_groups);
  CHECK(copy.original_node.empty());
  CHECK(copy.region_names == mesh.region_names);
  CHECK(copy.boundary_names == mesh.boundary_names);
  CHECK(copy.notes == mesh.notes);

  io::hand_over_failure(file.number(), ErrorKind::resource, "No memory.");
  const Error error = error_of([&] { io::take_over(file.number(), "a.msh"); });
  CHECK(error.kind() == ErrorKind::resource);
  CHECK(error.what() == std::string("No memory."));
}

TEST_CASE("a whole mesh is taken from a reader that ended well, and from no other", "[io]") {
  const TemporaryFolder folder;
  const std::string whole = folder.write("whole", "");
  const io::detail::Descriptor file(::open(whole.c_str(), O_RDWR));
  io::hand_over(file.number(), two_triangles());
  const std::string geometry = folder.write("plates.geo", "");
  {
    const FakeReaders fake(folder, "cat " + whole + " >&3");
    CHECK(io::run_import(request_for(geometry)).elements == two_triangles().elements);
  }
  {
    const FakeReaders fake(folder, "cat " + whole + " >&3; kill -SEGV $$");
    CHECK_THAT(import_error(request_for(geometry)).what(), ContainsSubstring("crashed (signal 11"));
  }
  const FakeReaders fake(folder, "cat " + whole + " >&3; exit 1");
  CHECK_THAT(import_error(request_for(geometry)).what(), ContainsSubstring("exit code 1"));
}

TEST_CASE("no byte of a mesh from another process changes unseen", "[io]") {
  const io::detail::Descriptor file = anonymous_file("test");
  io::hand_over(file.number(), two_triangles());
  struct stat status {};
  REQUIRE(::fstat(file.number(), &status) == 0);
  for (off_t at = 0; at < status.st_size; ++at) {
    char byte = 0;
    REQUIRE(::pread(file.number(), &byte, 1, at) == 1);
    for (const int bit : {0, 7}) {
      const char changed = static_cast<char>(byte ^ (1 << bit));
      REQUIRE(::pwrite(file.number(), &changed, 1, at) == 1);
      CAPTURE(at, bit);
      CHECK_THROWS_AS(io::take_over(file.number(), "a.msh"), Error);
    }
    REQUIRE(::pwrite(file.number(), &byte, 1, at) == 1);
  }
  CHECK(io::take_over(file.number(), "a.msh").n_elements() == 2);
  REQUIRE(::ftruncate(file.number(), status.st_size - 8) == 0);
  CHECK_THROWS_AS(io::take_over(file.number(), "a.msh"), Error);
}

TEST_CASE("numbers of a mesh from another process are held against its sizes", "[io]") {
  ImportedMesh wrong = two_triangles();
  SECTION("a node") { wrong.elements[4] = 4; }
  SECTION("a region") { wrong.regions[1] = 2; }
  SECTION("a missing node of an element") { wrong.elements.pop_back(); }
  SECTION("half a facet") { wrong.facets.pop_back(); }
  SECTION("another dimension") { wrong.dimension = 4; }
  const io::detail::Descriptor file = anonymous_file("test");
  io::hand_over(file.number(), std::move(wrong));
  CHECK_THROWS_AS(io::take_over(file.number(), "a.msh"), Error);
}

TEST_CASE("a request arrives with all that it asks", "[io]") {
  ImportRequest request;
  request.path = "a \"b\"\n.geo";
  request.dimension = 3;
  request.parameters = {{"gap", 0.1}, {"Parameters/Height", -2.}};
  request.sizes = {{"core", 0.25}, {"a b", 1e-3}};
  request.groups = {{"coil", {"w_*", "x"}, {{1., 2., 3.}}, {}, false, {}, {}},
                    {"rim", {}, {}, {{4., 5., 6.}, {7., 8., 9.}}, false, {}, {}},
                    {"open", {}, {}, {}, true, {"air"}, {"axis", "f*"}}};
  request.join = 0.25;
  request.refine_at = {{{1., 2., 3.}, 0.5, 4.}};
  request.size_factor = 0.5;
  request.levels = io::automatic_levels;
  request.gap_elements = 7;
  request.periodic = {"left", "right"};
  request.scale = 1e-3;
  request.allow_commands = true;
  request.entities = true;
  request.time_limit = 7.;
  request.memory_limit = 1e9;
  const io::detail::Descriptor file = anonymous_file("test");
  io::write_request(file.number(), request);
  const ImportRequest copy = io::read_request(file.number());
  CHECK(copy.path == request.path);
  CHECK(copy.dimension == 3);
  CHECK(copy.parameters == request.parameters);
  CHECK(copy.sizes == request.sizes);
  REQUIRE(copy.groups.size() == 3);
  CHECK(copy.groups[0].members == request.groups[0].members);
  CHECK(copy.groups[0].inside == request.groups[0].inside);
  CHECK(copy.groups[1].name == "rim");
  CHECK(copy.groups[1].near == request.groups[1].near);
  CHECK(copy.groups[2].outside);
  CHECK(copy.groups[2].outside_of == request.groups[2].outside_of);
  CHECK(copy.groups[2].except == request.groups[2].except);
  CHECK(copy.join == 0.25);
  REQUIRE(copy.refine_at.size() == 1);
  CHECK(copy.refine_at[0].point == request.refine_at[0].point);
  CHECK(copy.refine_at[0].size == 0.5);
  CHECK(copy.refine_at[0].radius == 4.);
  CHECK(copy.size_factor == 0.5);
  CHECK(copy.levels == io::automatic_levels);
  CHECK(copy.gap_elements == 7);
  CHECK(copy.periodic == request.periodic);
  CHECK(copy.scale == 1e-3);
  CHECK(copy.allow_commands);
  CHECK(copy.entities);
  CHECK(copy.time_limit == 7.);
  CHECK(copy.memory_limit == 1e9);
}

TEST_CASE("what is no regular file is not opened", "[io]") {
  const TemporaryFolder folder;
  const std::string fifo = folder.file("pipe.geo");
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  CHECK_THAT(import_error(request_for(fifo)).what(), ContainsSubstring("no regular file"));
  CHECK_THAT(import_error(request_for(folder.file("."))).what(), ContainsSubstring("no regular file"));
  CHECK_THAT(import_error(request_for(folder.file("none.geo"))).what(), ContainsSubstring("there is no such file"));
}

#if TESSERA_HAVE_GMSH &&                                                                                               \
    !defined(__SANITIZE_ADDRESS__) // it reserves terabytes of address space and handles large sizes itself
TEST_CASE("a reader takes no more memory than it may", "[io]") {
  const TemporaryFolder folder;
  // Two million nodes; the reader needs about a hundred bytes for each.
  std::string text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2000000\n";
  for (int i = 1; i <= 2000000; ++i)
    text += std::to_string(i) + " 0 0 0\n";
  ImportRequest request = request_for(folder.write("large.msh", text));
  request.memory_limit = 32. * 1024. * 1024.;
  const Error error = import_error(request);
  CHECK(error.kind() == ErrorKind::resource);
  CHECK_THAT(error.what(), ContainsSubstring("mesh.memory_limit") && ContainsSubstring("32.0 MiB"));
}
#endif
