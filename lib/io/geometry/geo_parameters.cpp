// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/geometry/geo_parameters.hpp"

#include "core/error.hpp"
#include "io/geometry/geo_text.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

namespace tessera::io {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// Splits at commas outside brackets and strings.
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

/// Returns the string after the word `Name` in an attribute list, or "".
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
      value = trimmed(value.substr(1, detail::closing_bracket(value, 0) - 1));
      parameter.label = name_attribute(value);
    }
    parameter.is_number = value.empty() || (value[0] != '"' && value.compare(0, 3, "Str") != 0);
    if (!parameter.variable.empty())
      parameters.push_back(parameter);
  }
}

} // namespace

std::vector<GeoParameter> find_geo_parameters(const std::string& path) {
  std::vector<GeoParameter> parameters;
  detail::walk_geo(path, false, [&](const detail::GeoWord& word) {
    const std::size_t open = word.next();
    if (word.word != "DefineConstant" || open == word.text.size() || (word.text[open] != '[' && word.text[open] != '('))
      return word.end;
    const std::size_t close = detail::closing_bracket(word.text, open);
    add_definitions(word.text.substr(open + 1, close - open - 1), parameters);
    return close;
  });
  return parameters;
}

std::vector<std::string> find_geo_files(const std::string& path) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  std::set<std::string> scripts;
  const auto add = [&files](const std::string& file) {
    if (std::find(files.begin(), files.end(), file) == files.end())
      files.push_back(file);
  };
  detail::walk_geo(path, true, [&](const detail::GeoWord& word) {
    if (!scripts.insert(word.file).second)
      return word.end;
    add(word.file);
    for (const std::string& name : detail::quoted_texts(word.text)) {
      const std::string named = (fs::path(word.file).parent_path() / name).string();
      std::error_code error;
      if (fs::is_regular_file(named, error))
        add(named);
    }
    return word.end;
  });
  return files;
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
