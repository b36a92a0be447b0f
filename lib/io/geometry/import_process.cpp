// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/geometry/import_process.hpp"

#include "core/available_memory.hpp"
#include "core/config.hpp"
#include "core/error.hpp"
#include "core/module.hpp"
#include "io/build_settings.hpp"
#include "io/byte_stream.hpp"
#include "io/child_process.hpp"
#include "io/mesh_files/mesh_file.hpp"
#include "io/mesh_files/mesh_handover.hpp"
#include "io/output/console.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

namespace tessera::io {

namespace fs = std::filesystem;
using detail::ChildEnd;

namespace {

constexpr double version_time_limit = 60.; // s

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Name of the program that reads this kind of file.
std::string program_for(bool needs_gmsh) {
  const std::string program = import_program();
  if (!needs_gmsh)
    return program;
  const std::string with_gmsh = program + "-gmsh";
  TESSERA_REQUIRE(is_program(with_gmsh) || TESSERA_HAVE_GMSH,
                  "this build of Tessera has no Gmsh. Make the mesh file on a machine that has it (tessera mesh "
                  "CASE.yaml -o mesh.vtkhdf) and give it as mesh.file, or build with -DTessera_ENABLE_GMSH=ON.");
  TESSERA_REQUIRE(is_program(with_gmsh), "the program " << with_gmsh << ", which calls Gmsh, is not there.");
  return with_gmsh;
}

/// Text " Its last output: ...", with the last error if that is not among the last two lines.
std::string last_words(const ChildEnd& end) {
  const std::vector<std::string>& lines = end.lines;
  if (lines.empty())
    return " It said nothing.";
  const std::size_t first = lines.size() < 2 ? 0 : lines.size() - 2;
  std::string words;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (i >= first || (lines[i].rfind("Error", 0) == 0 && i + 1 == first))
      words += (words.empty() ? "" : " | ") + lines[i];
  return " Its last output: \"" + words + "\".";
}

[[noreturn]] void fail(ErrorKind kind, const std::string& message) { throw Error(kind, message); }

/// Reports a reader that was ended by a signal.
[[noreturn]] void fail_by_signal(const ImportRequest& request, const ChildEnd& end, const std::string& who) {
  const std::string signal = "signal " + std::to_string(end.code) + ", " + ::strsignal(end.code);
  if (end.code == SIGKILL)
    fail(ErrorKind::resource, who + " was killed (" + signal + ") while it read " + request.path +
                                  ", most likely because the machine's memory ran out." + last_words(end));
  if (end.code == SIGXCPU || end.code == SIGXFSZ)
    fail(ErrorKind::resource,
         who + " was ended by a limit of this shell (" + signal + ", see ulimit) while it read " + request.path + ".");
  if (end.code == SIGTERM || end.code == SIGINT || end.code == SIGHUP)
    fail(ErrorKind::resource, who + " was ended from outside (" + signal + ") while it read " + request.path + ".");
  // Not every library checks whether an allocation succeeded.
  const bool is_full = request.memory_limit > 0. && end.peak_bytes > 0.8 * request.memory_limit;
  fail(is_full ? ErrorKind::resource : ErrorKind::input,
       who + " crashed (" + signal + ") while it read " + request.path +
           (is_full ? ", after it had used " + format_bytes(end.peak_bytes) + " of the " +
                          format_bytes(request.memory_limit) + " that it may use (mesh.memory_limit)."
                    : ": the file is damaged, or contains something that " + who + " cannot cope with.") +
           last_words(end));
}

/// Reports a reader that ended without a mesh and without a message.
[[noreturn]] void fail_by_end(const ImportRequest& request, const ChildEnd& end, const std::string& who) {
  const auto lacks = [](const std::string& line) { return line.find("shared librar") != std::string::npos; };
  const auto line = std::find_if(end.lines.begin(), end.lines.end(), lacks);
  if (end.code == 127 && line != end.lines.end())
    fail(ErrorKind::input, "Cannot read " + request.path + ": " + who + " does not start on this machine: " + *line);
  if (end.how == ChildEnd::How::signalled)
    fail_by_signal(request, end, who);
  if (end.how == ChildEnd::How::timed_out)
    fail(ErrorKind::input, "Reading " + request.path + " took longer than " + format_seconds(request.time_limit) +
                               " and was ended (mesh.time_limit)." +
                               (is_cad_model(request.path) ? " Gmsh may never end on damaged models." : "") +
                               last_words(end));
  const std::string extension = lower_extension(request.path);
  const bool is_script = extension == ".geo" || extension == ".geo_unrolled";
  fail(ErrorKind::input, (is_script ? "The geometry " + request.path +
                                          " ended Gmsh before there was a mesh (by Exit, or by an error with "
                                          "General.AbortOnError), with exit code "
                                    : who + " ended without a mesh of " + request.path + ", with exit code ") +
                             std::to_string(end.code) + "." + last_words(end));
}

} // namespace

std::string import_program() {
  const std::string name = "tessera-import";
  const std::string named = environment("TESSERA_IMPORT");
  TESSERA_REQUIRE(named.empty() || is_program(named),
                  "TESSERA_IMPORT names '" << named << "', which is no program that can be started.");
  if (!named.empty())
    return named;
  std::error_code error;
  std::vector<fs::path> folders{library_folder(), TESSERA_INSTALL_BINDIR};
  std::string looked;
  for (const fs::path& folder : folders)
    looked += (looked.empty() ? "" : ", ") + folder.string();
  const std::string path = environment("PATH");
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    folders.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  for (const fs::path& folder : folders)
    if (folder.is_absolute() && is_program(folder / name))
      return (folder / name).string();
  TESSERA_REQUIRE(false, "the program tessera-import, which reads meshes for Tessera, was not found in "
                             << looked
                             << " or along PATH. It is installed next to tessera; the environment variable "
                                "TESSERA_IMPORT can name it.");
  return "";
}

ImportedMesh run_import(const ImportRequest& requested, const ImportWatch& watch) {
  check_request(requested);
  ImportRequest request = requested;
  if (request.memory_limit <= 0.)
    request.memory_limit = std::max(available_host_memory(), 0.);
  const bool needs_gmsh = !is_mesh_file_name(requested.path);
  detail::ChildCall call;
  try {
    call.program = program_for(needs_gmsh);
  } catch (const Error& error) {
    fail(error.kind(), "Cannot read " + request.path + ": " + error.what());
  }
  const detail::Descriptor input = detail::anonymous_file("tessera-request");
  const detail::Descriptor output = detail::anonymous_file("tessera-mesh");
  write_request(input.number(), request);
  call.arguments = {"--child", std::to_string(::getpid())};
  call.input = input.number();
  call.output = output.number();
  call.time_limit = request.time_limit;
  call.watch = watch;
  const ChildEnd end = detail::run_child(call);
  const bool ended_well = end.how == ChildEnd::How::unknown || (end.how == ChildEnd::How::exited && end.code == 0);
  if (!ended_well || !was_handed_over(output.number()))
    fail_by_end(request, end, needs_gmsh ? "Gmsh" : "The reader of mesh files");
  return take_over(output.number(), request.path);
}

std::string gmsh_version() {
  detail::ChildCall call;
  call.program = program_for(true);
  call.arguments = {"--version"};
  call.time_limit = version_time_limit;
  const ChildEnd end = detail::run_child(call);
  const std::string said = end.lines.empty() ? "" : end.lines.back();
  const std::string mark = "Gmsh ";
  TESSERA_REQUIRE(said.rfind(mark, 0) == 0, call.program << " does not start: " << said);
  return said.substr(mark.size());
}

} // namespace tessera::io
