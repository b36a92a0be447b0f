// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/hdf5_file.hpp"
#include "io/input/case_reader.hpp"
#include "io/input/output_check.hpp"
#include "io/output/output_directory.hpp"
#include "io/output/probes_file.hpp"
#include "temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <sstream>

using namespace tessera;
using namespace tessera::io;
using Catch::Matchers::ContainsSubstring;
using test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

std::string content(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The message of the error that `work` throws, which must be of this kind.
template <class Work> std::string message_of(ErrorKind kind, const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    CHECK(error.kind() == kind);
    return error.what();
  }
  return "nothing was thrown";
}

/// Limits files to 64 KiB, to simulate a full disk.
class SmallFiles {
public:
  SmallFiles() : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = 65536;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SmallFiles() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

private:
  void (*handler_)(int);
  rlimit before_{};
};

const char* const square = R"yaml(tessera: 1
mesh: {box: {cells: [2, 2]}}
problem:
  physics: electrostatics
  materials: {domain: {relative_permittivity: 1}}
  boundaries: {left: {potential: 1}}
)yaml";

} // namespace

TEST_CASE("output files are whole or absent", "[io][host]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.txt");
  {
    AtomicFile file(path);
    file.stream() << "half";
    CHECK(fs::exists(file.temporary_path()));
    CHECK_FALSE(fs::exists(path));
  }
  CHECK(folder.n_files() == 0);
  {
    AtomicFile file(path);
    file.stream() << "whole";
    file.commit();
  }
  CHECK(content(path) == "whole");
  {
    AtomicFile file(path);
    file.stream() << "new";
  }
  CHECK(content(path) == "whole");
  CHECK(folder.n_files() == 1);
  CHECK_THROWS_AS(AtomicFile(folder.file("no/such/folder/a.txt")), Error);
  CHECK_THROWS_AS(AtomicFile(folder.file("")), Error);
  for (int i = 0; i < 200; ++i) // slots are reused
    AtomicFile(folder.file("b.txt"));
  CHECK(folder.n_files() == 1);
}

TEST_CASE("two writers of one file never share a temporary file", "[io][host]") {
  const TemporaryFolder folder;
  AtomicFile first(folder.file("a.txt")), second(folder.file("a.txt"));
  REQUIRE(first.temporary_path() != second.temporary_path());
  first.stream() << "first";
  second.stream() << "second, longer";
  second.commit();
  first.commit();
  CHECK(content(folder.file("a.txt")) == "first");
  CHECK(folder.n_files() == 1);
}

TEST_CASE("a name of 255 bytes can be written", "[io][host]") {
  const TemporaryFolder folder;
  AtomicFile file(folder.file(std::string(255, 'n')));
  file.commit();
  CHECK(fs::exists(folder.file(std::string(255, 'n'))));
  CHECK_THAT(message_of(ErrorKind::input, [&] { AtomicFile(folder.file(std::string(256, 'n'))).commit(); }),
             ContainsSubstring("File name too long"));
}

TEST_CASE("a file that the disk does not take is reported with the reason and not left in part", "[io][host]") {
  const TemporaryFolder folder;
  const SmallFiles limit;
  const std::string text = message_of(ErrorKind::resource, [&] {
    AtomicFile file(folder.file("a.txt"));
    // The failure occurs in the middle; later writes must not hide it.
    for (int i = 0; i < 100000; ++i)
      file.stream() << "0123456789";
    file.commit();
  });
  CHECK_THAT(text, ContainsSubstring("a.txt': File too large"));
  const std::vector<std::array<double, 3>> positions(10000);
  CHECK_THAT(message_of(ErrorKind::resource,
                        [&] {
                          const std::vector<double> thirds(positions.size(), 1. / 3.);
                          write_table(folder.file("p.csv"), probe_table(positions, {{"potential", "V", thirds}}));
                        }),
             ContainsSubstring("p.csv': File too large"));
  const std::vector<double> values(100000, 1. / 3.);
  const std::string hdf5 = message_of(ErrorKind::resource, [&] {
    AtomicFile target(folder.file("b.hdf"));
    Hdf5File file = Hdf5File::create(target.temporary_path(), target.path());
    file.write<double>("/values", {values.size()}, values.data());
    file.close();
    target.commit();
  });
  CHECK_THAT(hdf5, ContainsSubstring("b.hdf (HDF5: File too large)"));
  CHECK(folder.n_files() == 0);
}

TEST_CASE("only regular files are written over", "[io][host]") {
  const TemporaryFolder folder;
  REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
  for (const std::string& path : {folder.file("pipe"), std::string("/dev/null")})
    CHECK_THAT(message_of(ErrorKind::input, [&] { check_writable(path); }), ContainsSubstring("no regular file"));
}

TEST_CASE("output files have the permissions that the umask leaves", "[io][host]") {
  const TemporaryFolder folder;
  const mode_t before = ::umask(027);
  AtomicFile(folder.file("a.txt")).commit();
  ::umask(before);
  CHECK((fs::status(folder.file("a.txt")).permissions() & fs::perms::mask) == fs::perms(0640));
}

TEST_CASE("output directories are made, or the reason is reported", "[io][host]") {
  const TemporaryFolder folder;
  { const OutputDirectory output(folder.file("a/b/c")); }
  CHECK(fs::is_directory(folder.file("a/b/c")));
  CHECK(fs::is_empty(folder.file("a/b/c")));
  folder.write("file", "x");
  for (const char* name : {"file", "file/below"})
    CHECK_THAT(message_of(ErrorKind::input, [&] { OutputDirectory(folder.file(name)); }),
               ContainsSubstring("cannot be made"));
}

TEST_CASE("an output directory belongs to one run at a time", "[io][host]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("out");
  fs::create_directory(path);
  folder.write("out/.tessera-lock", "process 1 on nowhere\n"); // left by a killed run: no lock
  {
    const OutputDirectory output(path);
    CHECK_THAT(message_of(ErrorKind::input, [&] { OutputDirectory{path}; }),
               ContainsSubstring("Another run writes into the output directory '" + path + "' (process "));
  }
  CHECK(fs::is_empty(path));
  const OutputDirectory first(path), other(folder.file("other"));
  CHECK(first.run_id() != other.run_id());
  CHECK(first.run_id().size() == 36);
  CHECK(first.run_id()[14] == '4');
}

TEST_CASE("temporary files of killed runs are removed, those of others are not", "[io][host]") {
  const TemporaryFolder folder;
  const std::vector<std::string> stale{".report.yaml.0123456789abcdef.part", ".fields.vtkhdf.0123456789abcdef.part",
                                       ".axis.csv.0123456789abcdef.part"};
  const std::vector<std::string> others{".mesh.vtkhdf.0123456789abcdef.part", "download.part",
                                        ".axis.csv.0123456789abcde.part", ".axis.csv.0123456789ABCDEF.part",
                                        "axis.csv"};
  for (const auto& names : {stale, others})
    for (const std::string& name : names)
      folder.write(name, "x");
  const OutputDirectory output(folder.file(""));
  for (const std::string& name : stale)
    CHECK_FALSE(fs::exists(folder.file(name)));
  for (const std::string& name : others)
    CHECK(fs::exists(folder.file(name)));
}

TEST_CASE("files of an earlier run are known by its report, which goes before they do", "[io][host]") {
  const TemporaryFolder folder;
  folder.write("report.yaml",
               "title: a\nfiles:\n  fields.vtkhdf: {bytes: 1}\n  old.csv: {bytes: 1}\n"
               "  gone.csv: {bytes: 1}\n  ../up.csv: {bytes: 1}\nearlier_files: [older.csv,\n  axis.csv]\n"
               "notes: [mine.csv]\n");
  for (const char* name : {"fields.vtkhdf", "old.csv", "older.csv", "axis.csv", "mine.csv"})
    folder.write(name, "x");
  const OutputDirectory output(folder.file(""));
  CHECK(output.files_of_earlier_runs({"fields.vtkhdf", "axis.csv"}) ==
        std::vector<std::string>{"old.csv", "older.csv"});
  output.begin_writing();
  CHECK_FALSE(fs::exists(folder.file("report.yaml")));
  CHECK(fs::exists(folder.file("old.csv")));
  CHECK(output.files_of_earlier_runs({}).empty());
  folder.write("report.yaml", "files: [\n");
  CHECK(output.files_of_earlier_runs({}).empty());
}

TEST_CASE("the report reports size and checksum of a file as the command cksum does", "[io][host]") {
  const TemporaryFolder folder;
  ReportNode table, fields;
  describe_file(folder.write("a.csv", "123456789"), table);
  CHECK(to_yaml(table) == "bytes: 9\ncksum: 930766865\n"); // check value of CRC-32/CKSUM
  describe_file(folder.write("fields.vtkhdf", "123456789"), fields);
  CHECK(to_yaml(fields) == "bytes: 9\n");
}

TEST_CASE("what a case reads is not written over", "[io][host]") {
  const TemporaryFolder folder;
  folder.write("report.yaml", square);
  const Case own = read_case(folder.file("report.yaml"), {{"output.directory", folder.file(""), "--output"}});
  CHECK_THAT(message_of(ErrorKind::input, [&] { check_outputs(own, run_outputs(own)); }),
             ContainsSubstring("output.directory") && ContainsSubstring("report.yaml' would be overwritten") &&
                 ContainsSubstring("the input file itself"));
  CHECK_NOTHROW(check_outputs(own, {"compare.yaml"}));

  folder.write("case.yaml", square);
  const std::string geometry = folder.write("plates.geo", "Include \"sizes.geo\";\n");
  fs::create_hard_link(folder.write("sizes.geo", "gap = 1;"), folder.file("link.vtkhdf"));
  Case input = read_case(folder.file("case.yaml"));
  input.mesh.source = MeshSource::geometry;
  input.mesh.path = geometry;
  const std::string plain = folder.write("plain.geo", "Include \"names.geo\";\n// Merge \"no.step\";\n");
  folder.write("names.geo", "v() = ShapeFromFile('part.brep'); Physical Volume(\"nothing\") = {1};\n");
  for (const char* name : {"part.brep", "no.step", "plain.geo.opt"})
    folder.write(name, "");
  Case names = input;
  names.mesh.path = plain;
  std::vector<std::string> paths;
  for (const InputFile& file : input_files(names))
    paths.push_back(fs::path(file.path).filename().string());
  CHECK(paths ==
        std::vector<std::string>{"case.yaml", "plain.geo", "plain.geo", "names.geo", "part.brep", "plain.geo.opt"});
  for (const auto& [path, what] : std::initializer_list<std::pair<const char*, const char*>>{
           {"case.yaml", "the input file itself"},
           {"plates.geo", "mesh.geometry"},
           {"link.vtkhdf", "a file that mesh.geometry includes"}})
    CHECK_THAT(message_of(ErrorKind::input, [&] { check_output_file(input, folder.file(path), "-o"); }),
               ContainsSubstring("-o: '") && ContainsSubstring(what));
  input.mesh.source = MeshSource::file;
  CHECK_THAT(message_of(ErrorKind::input, [&] { check_output_file(input, geometry, "-o"); }),
             ContainsSubstring("mesh.file"));
  CHECK_NOTHROW(check_output_file(input, folder.file("new.vtkhdf"), "--output"));
  CHECK_THAT(message_of(ErrorKind::input, [&] { check_output_file(input, "/dev/null", "-o"); }),
             ContainsSubstring("no regular file"));
}

TEST_CASE("a probe's table does not replace a B-H curve", "[io][host]") {
  const TemporaryFolder folder;
  folder.write("iron.csv", "0, 0\n100, 1\n1000, 1.5\n");
  folder.write("case.yaml", R"yaml(tessera: 1
mesh: {box: {cells: [2, 2]}}
problem:
  physics: magnetostatics
  materials: {domain: {bh_curve: iron.csv}}
  boundaries: {left: {vector_potential: 0}}
output:
  probes:
    axis: {points: [[0.5, 0.5]]}
    iron: {points: [[0.5, 0.5]]}
)yaml");
  const Case input = read_case(folder.file("case.yaml"), {{"output.directory", folder.file(""), "--output"}});
  CHECK_THAT(message_of(ErrorKind::input, [&] { check_outputs(input, run_outputs(input)); }),
             ContainsSubstring("case.yaml:10: output.probes.iron") &&
                 ContainsSubstring("B-H curve of region 'domain'"));
}

TEST_CASE("names of probes make different files", "[io][host]") {
  const auto read = [](const std::string& probes) {
    return message_of(ErrorKind::input,
                      [&] { read_case_text(square + ("output: {probes: {" + probes + "}}\n"), "case.yaml"); });
  };
  CHECK(read("axis: {points: [[0, 0]]}") == "nothing was thrown");
  CHECK_THAT(read("axis: {points: [[0, 0]]}, Axis: {points: [[0, 0]]}"),
             ContainsSubstring("output.probes.Axis") && ContainsSubstring("upper and lower case"));
  CHECK_THAT(read("a/b: {points: [[0, 0]]}"), ContainsSubstring("only letters"));
  CHECK_THAT(read(std::string(201, 'n') + ": {points: [[0, 0]]}"), ContainsSubstring("200 characters"));
}
