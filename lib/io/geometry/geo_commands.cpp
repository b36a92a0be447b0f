// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/geometry/geo_commands.hpp"

#include "core/error.hpp"
#include "io/geometry/geo_text.hpp"
#include "io/geometry/import_request.hpp"

#include <map>

namespace tessera::io {

namespace {

/// Words of Gmsh's language (4.8 to 4.15) with effects outside the model, and their effects.
const std::map<std::string, std::string>& reaching_words() {
  static const std::map<std::string, std::string> words{
      {"SystemCall", "runs a shell command"},
      {"System", "runs a shell command"},
      {"NonBlockingSystemCall", "runs a shell command"},
      {"OnelabRun", "runs a program"},
      {"ExternalProcess", "runs a program"},
      {"SendToServer", "sends data to another program"},
      {"Save", "writes a file"},
      {"Print", "writes a file"},
      {"CreateDir", "makes a folder"},
      {"TmpFileName", "names a file that Gmsh deletes"},
      {"Bubbles", "is a plugin that writes files"},
      {"NearToFarField", "is a plugin that writes files"},
      {"VoroMetal", "is a plugin that writes files"},
      {"S2N", "makes a word of a text, which cannot be checked"},
      {"StringToName", "makes a word of a text, which cannot be checked"}};
  return words;
}

/// Effect of a word outside the model, or "".
std::string reach_of(const detail::GeoWord& word) {
  const auto found = reaching_words().find(word.word);
  const std::size_t next = word.next();
  if (found != reaching_words().end()) {
    // "Mesh.Save... = 1" and "Print.Background = 0" are options; `Save` and `Print` are commands before a name.
    const bool is_assigned = next < word.text.size() && (word.text[next] == '.' || word.text[next] == '=');
    return is_assigned && word.word != "TmpFileName" ? "" : found->second;
  }
  if (word.word == "Printf" && next < word.text.size() && word.text[next] == '(') {
    const std::size_t close = detail::closing_bracket(word.text, next);
    const std::size_t following = word.text.find_first_not_of(" \t\r\n\f", close + 1);
    if (following != std::string::npos && word.text[following] == '>')
      return "writes a file";
  }
  const std::string merged = word.word.rfind("Merge", 0) == 0 ? word.quoted(next) : "";
  if (lower_extension(merged) == ".gz")
    return "of a compressed file runs a shell command";
  return "";
}

} // namespace

void check_geometry_text(const std::string& path, bool allow_commands) {
  const std::string extension = lower_extension(path);
  TESSERA_REQUIRE(extension != ".msh" || detail::begins_as_msh(path),
                  path << " is no mesh of Gmsh: such files begin with $MeshFormat. (Gmsh would run this one as a "
                          "script.)");
  const auto check = [&](const detail::GeoWord& word) {
    const std::string reach = allow_commands ? "" : reach_of(word);
    TESSERA_REQUIRE(reach.empty(), word.file << ":" << word.line() << ": \"" << word.word << "\" " << reach
                                             << ". A geometry is a program; if you know what this one does, allow it "
                                                "with mesh.allow_commands: true.");
    return word.end;
  };
  const bool is_script = extension == ".geo" || extension == ".geo_unrolled";
  detail::walk_geo(is_script ? path : path + ".opt", true, check);
}

} // namespace tessera::io
