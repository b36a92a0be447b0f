// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/geometry/geo_text.hpp"

#include "core/error.hpp"
#include "io/geometry/import_request.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <set>

namespace tessera::io::detail {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_levels = 10;
constexpr std::size_t max_string = 1023; // Gmsh's scanner ends longer strings there and parses the rest as program text

bool begins_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool continues_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_quote(char c) { return c == '"' || c == '\''; }

/// Position after the string whose opening quote is at `open`.
std::size_t end_of_string(const std::string& text, std::size_t open) {
  const std::size_t close = std::min(text.find(text[open], open + 1), text.size());
  return std::min({close, open + 1 + max_string, text.size() - 1}) + 1;
}

/// Replaces comments by blanks; strings and line breaks stay.
void blank_comments(std::string& text) {
  std::size_t i = 0;
  while (i < text.size()) {
    if (is_quote(text[i])) {
      i = end_of_string(text, i);
      continue;
    }
    std::size_t end = i;
    if (text.compare(i, 2, "//") == 0)
      end = std::min(text.find('\n', i), text.size());
    else if (text.compare(i, 2, "/*") == 0)
      end = std::min(text.find("*/", i + 2), text.size() - 2) + 2;
    for (std::size_t k = i; k < end; ++k)
      if (text[k] != '\n')
        text[k] = ' ';
    i = std::max(end, i + 1);
  }
}

std::string head_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  char head[16] = {};
  stream.read(head, sizeof(head) - 1);
  return head;
}

bool begins_with_one(const std::string& text, std::initializer_list<const char*> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&text](const char* beginning) { return text.rfind(beginning, 0) == 0; });
}

/// Whether Gmsh runs a merged file as a script: it has none of the extensions below, and does not begin like a mesh or
/// view.
bool is_script(const std::string& path) {
  static const std::set<std::string> endings{
      ".bdf", ".bmp",  ".brep", ".brp",  ".cgns", ".dat",  ".diff", ".geom", ".iges",    ".igs",
      ".iv",  ".jpeg", ".jpg",  ".med",  ".mesh", ".mmed", ".nas",  ".p3d",  ".pbm",     ".pch",
      ".pgm", ".ply",  ".ply2", ".png",  ".pnm",  ".ppm",  ".rle",  ".rmed", ".sat",     ".step",
      ".stl", ".stp",  ".unv",  ".vrml", ".vtk",  ".wrl",  ".x_b",  ".x_t",  ".xmt_bin", ".xmt_txt"};
  const std::string ending = fs::path(path).extension().string();
  const bool is_upper = std::none_of(ending.begin(), ending.end(), [](unsigned char c) { return std::islower(c); });
  if (endings.count(ending) > 0 || (is_upper && ending != ".BREP" && endings.count(lower_extension(path)) > 0))
    return false;
  return !begins_with_one(head_of(path),
                          {"$MeshFormat", "$Comments", "$NO", "$ELM", "$PTS", "$PARA", "$PostFormat", "$View"});
}

class Walk {
public:
  Walk(bool merges, const std::function<std::size_t(const GeoWord&)>& work) : merges_(merges), work_(work) {}

  void file(const std::string& path) {
    std::error_code error;
    if (!fs::exists(path, error))
      return;
    TESSERA_REQUIRE(fs::is_regular_file(path, error), from() << path << " is no regular file.");
    const std::string canonical = fs::canonical(path, error).string();
    TESSERA_REQUIRE(!error, from() << path << ": " << error.message() << '.');
    TESSERA_REQUIRE(std::find(open_.begin(), open_.end(), canonical) == open_.end(), path << " includes itself.");
    TESSERA_REQUIRE(open_.size() <= max_levels,
                    from() << path << ": files include each other more than " << max_levels << " levels deep.");
    if (!visited_.insert(canonical).second)
      return;
    open_.push_back(canonical);
    std::ifstream stream(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    TESSERA_REQUIRE(text.find('\0') == std::string::npos, path << " is no text: it holds bytes of value 0.");
    blank_comments(text);
    words(path, text);
    if (merges_)
      file(path + ".opt");
    open_.pop_back();
  }

private:
  void words(const std::string& path, const std::string& text) {
    std::size_t i = 0;
    while (i < text.size()) {
      if (is_quote(text[i])) {
        i = end_of_string(text, i);
      } else if (begins_word(text[i])) {
        std::size_t end = i + 1;
        while (end < text.size() && continues_word(text[end]))
          ++end;
        const GeoWord word{path, text, text.substr(i, end - i), end};
        i = work_(word);
        follow(word);
      } else {
        ++i;
      }
    }
  }

  void follow(const GeoWord& word) {
    const bool is_merge = word.word == "Merge" || word.word == "MergeWithBoundingBox";
    if (word.word != "Include" && !(is_merge && merges_))
      return;
    const std::string name = word.quoted(word.next());
    if (name.empty())
      return;
    const std::string path = (fs::path(word.file).parent_path() / name).string();
    std::error_code error;
    if (is_merge && fs::is_regular_file(path, error) && !is_script(path))
      file(path + ".opt");
    else
      file(path);
  }

  /// "a.geo: it includes " if there is an including file.
  std::string from() const { return open_.empty() ? "" : open_.back() + " includes a file: "; }

  bool merges_;
  const std::function<std::size_t(const GeoWord&)>& work_;
  std::set<std::string> visited_;
  std::vector<std::string> open_; // files being read, canonical paths
};

} // namespace

int GeoWord::line() const {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
}

std::size_t GeoWord::next() const { return std::min(text.find_first_not_of(" \t\r\n\f", end), text.size()); }

std::string GeoWord::quoted(std::size_t at) const {
  if (at >= text.size() || !is_quote(text[at]))
    return "";
  const std::size_t close = text.find(text[at], at + 1);
  return close == std::string::npos ? "" : text.substr(at + 1, close - at - 1);
}

void walk_geo(const std::string& path, bool merges, const std::function<std::size_t(const GeoWord&)>& work) {
  Walk(merges, work).file(path);
}

std::vector<std::string> quoted_texts(const std::string& text) {
  std::vector<std::string> quoted;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (is_quote(text[i])) {
      const std::size_t end = end_of_string(text, i);
      quoted.push_back(text.substr(i + 1, std::max(end, i + 2) - i - 2));
      i = end - 1;
    }
  return quoted;
}

std::size_t closing_bracket(const std::string& text, std::size_t open) {
  int depth = 0;
  std::size_t i = open;
  while (i < text.size()) {
    const char c = text[i];
    if (is_quote(c)) {
      i = end_of_string(text, i);
      continue;
    }
    if (c == '[' || c == '{' || c == '(')
      ++depth;
    if ((c == ']' || c == '}' || c == ')') && --depth == 0)
      return i;
    ++i;
  }
  return text.size();
}

bool begins_as_msh(const std::string& path) {
  return begins_with_one(head_of(path), {"$MeshFormat", "$Comments", "$NOD"});
}

} // namespace tessera::io::detail
