// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/geo_parameters.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace tessera::io {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// Replaces comments by blanks; strings stay.
std::string without_comments(std::string text) {
  enum class In { code, string, line_comment, block_comment } in = In::code;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (in == In::string) {
      in = c == '"' ? In::code : In::string;
    } else if (in == In::code) {
      if (c == '"')
        in = In::string;
      else if (c == '/' && (next == '/' || next == '*'))
        in = next == '/' ? In::line_comment : In::block_comment;
    }
    if (in == In::line_comment && c == '\n') {
      in = In::code;
    } else if (in == In::block_comment && c == '*' && next == '/') {
      text[i] = text[i + 1] = ' ';
      ++i;
      in = In::code;
    } else if ((in == In::line_comment || in == In::block_comment) && c != '\n') {
      text[i] = ' ';
    }
  }
  return text;
}

/// Position of the quote or bracket that closes the one at `open`, or the text's end.
std::size_t closing(const std::string& text, std::size_t open) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"')
      in_string = !in_string;
    if (in_string)
      continue;
    if (c == '[' || c == '{' || c == '(')
      ++depth;
    if ((c == ']' || c == '}' || c == ')') && --depth == 0)
      return i;
  }
  return text.size();
}

/// The parts between commas outside of brackets and strings.
std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  bool in_string = false;
  for (const char c : text) {
    if (c == '"')
      in_string = !in_string;
    if (!in_string && (c == '[' || c == '{' || c == '('))
      ++depth;
    if (!in_string && (c == ']' || c == '}' || c == ')'))
      --depth;
    if (!in_string && depth == 0 && c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

/// The string that follows the word `Name` in an attribute list, or "".
std::string name_attribute(const std::string& attributes) {
  for (const std::string& part : split_list(attributes)) {
    const std::string attribute = trimmed(part);
    if (attribute.compare(0, 4, "Name") != 0 || (attribute.size() > 4 && is_word(attribute[4])))
      continue;
    const std::size_t open = attribute.find('"');
    const std::size_t close = open == std::string::npos ? open : attribute.find('"', open + 1);
    if (close != std::string::npos)
      return attribute.substr(open + 1, close - open - 1);
  }
  return "";
}

void add_definitions(const std::string& list, std::vector<GeoParameter>& parameters) {
  for (const std::string& part : split_list(list)) {
    const std::size_t equals = part.find('=');
    GeoParameter parameter;
    parameter.variable = trimmed(part.substr(0, equals));
    std::string value = equals == std::string::npos ? "" : trimmed(part.substr(equals + 1));
    if (!value.empty() && value[0] == '{') {
      value = trimmed(value.substr(1, closing(value, 0) - 1));
      parameter.label = name_attribute(value);
    }
    parameter.is_number = value.empty() || (value[0] != '"' && value.compare(0, 3, "Str") != 0);
    if (!parameter.variable.empty())
      parameters.push_back(parameter);
  }
}

void scan_file(const std::string& path, std::set<std::string>& visited, std::vector<GeoParameter>& parameters) {
  std::ifstream file(path, std::ios::binary);
  if (!file || !visited.insert(path).second)
    return; // Gmsh itself tells of missing included files
  const std::string text =
      without_comments(std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()));
  std::size_t i = 0;
  while (i < text.size()) {
    std::size_t end = i + 1;
    if (text[i] == '"') {
      end = std::min(text.find('"', i + 1), text.size() - 1) + 1;
    } else if (is_word(text[i])) {
      while (end < text.size() && is_word(text[end]))
        ++end;
      const std::string word = text.substr(i, end - i);
      const std::size_t next = std::min(text.find_first_not_of(" \t\r\n", end), text.size());
      const char opening = next < text.size() ? text[next] : '\0';
      if (word == "DefineConstant" && (opening == '[' || opening == '(')) {
        end = closing(text, next);
        add_definitions(text.substr(next + 1, end - next - 1), parameters);
      } else if (word == "Include" && opening == '"') {
        const std::size_t close = std::min(text.find('"', next + 1), text.size() - 1);
        const std::filesystem::path included = text.substr(next + 1, close - next - 1);
        scan_file((std::filesystem::path(path).parent_path() / included).string(), visited, parameters);
        end = close + 1;
      }
    }
    i = end;
  }
}

} // namespace

std::vector<GeoParameter> find_geo_parameters(const std::string& path) {
  std::vector<GeoParameter> parameters;
  std::set<std::string> visited;
  scan_file(path, visited, parameters);
  return parameters;
}

std::map<std::string, double> resolve_geo_parameters(const std::string& path,
                                                     const std::map<std::string, double>& overrides) {
  std::map<std::string, double> resolved;
  if (overrides.empty())
    return resolved;
  const std::vector<GeoParameter> parameters = find_geo_parameters(path);
  for (const auto& [name, value] : overrides) {
    const std::string& wanted = name;
    const auto found = std::find_if(parameters.begin(), parameters.end(), [&wanted](const GeoParameter& parameter) {
      return parameter.variable == wanted || (!parameter.label.empty() && parameter.label == wanted);
    });
    if (found == parameters.end()) {
      std::string names;
      for (const GeoParameter& parameter : parameters)
        names += (names.empty() ? "" : ", ") + parameter.variable;
      TESSERA_REQUIRE(!parameters.empty(),
                      path << " defines no parameters (DefineConstant), so that \"" << name << "\" cannot be set.");
      TESSERA_REQUIRE(false, path << " defines no parameter \"" << name
                                  << "\"; those it does (DefineConstant): " << names << ".");
    }
    TESSERA_REQUIRE(found->is_number,
                    "The parameter \"" << name << "\" of " << path << " is a text; only numbers can be set.");
    resolved[found->variable] = value;
  }
  return resolved;
}

} // namespace tessera::io
