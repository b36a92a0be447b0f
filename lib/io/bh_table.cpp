// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/bh_table.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tessera::io {

namespace {

/// The two numbers of a line; false when it holds anything else.
bool parse_pair(std::string line, std::array<double, 2>& pair) {
  for (char& c : line)
    if (c == ',' || c == ';')
      c = ' ';
  std::istringstream words(line);
  std::string word;
  for (double& number : pair) {
    if (!(words >> word))
      return false;
    char* end = nullptr;
    number = std::strtod(word.c_str(), &end);
    if (end == word.c_str() || *end != '\0')
      return false;
  }
  return !(words >> word);
}

/// Reports the first bad point at its own place.
physics::BhTable checked(physics::BhTable table, const std::vector<Location>& places, const Location& whole,
                         InputErrors& errors) {
  const physics::BhTableError error = physics::check_bh_table(table);
  if (error.text.empty())
    return table;
  const Location& where = error.point < places.size() ? places[error.point] : whole;
  std::string values;
  if (error.point < table.size())
    values = " (point " + std::to_string(error.point + 1) + ": H = " + number_text(table[error.point][0]) +
             ", B = " + number_text(table[error.point][1]) + ")";
  errors.add(where, error.text + values + ".");
  return {};
}

} // namespace

physics::BhTable read_bh_file(const std::string& path, const Location& where, InputErrors& errors) {
  std::error_code error;
  std::ifstream file(path);
  if (std::filesystem::is_directory(path, error) || !file) {
    errors.add(where, "the B-H curve '" + path + "' cannot be read.");
    return {};
  }
  physics::BhTable table;
  std::vector<Location> places;
  bool may_be_header = true;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::string text = line.substr(0, line.find('#'));
    if (text.find_first_not_of(" \t\r") == std::string::npos)
      continue;
    std::array<double, 2> pair{};
    if (parse_pair(text, pair)) {
      table.push_back(pair);
      places.push_back({path, number, ""});
    } else if (!may_be_header) {
      errors.add({path, number, ""}, "expected two numbers, H in A/m and B in T, found '" +
                                         text.substr(0, text.find_last_not_of(" \t\r") + 1) + "'.");
      return {};
    }
    may_be_header = false;
  }
  return checked(table, places, {path, 0, ""}, errors);
}

physics::BhTable read_bh_curve(const YamlNode& node, const Location& where, const std::string& folder,
                               InputErrors& errors) {
  if (node.kind == YamlNode::Kind::scalar) {
    std::filesystem::path path(node.text);
    if (path.is_relative() && where.line > 0)
      path = std::filesystem::path(folder) / path;
    return read_bh_file(path.string(), where, errors);
  }
  if (node.kind != YamlNode::Kind::sequence) {
    errors.add(where, "expected a list of points, [[H, B], ...], or the path of a file.");
    return {};
  }
  physics::BhTable table;
  std::vector<Location> places;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const YamlNode& item = node.items[i];
    const Location place = location_of(item, where.path + "[" + std::to_string(i) + "]");
    if (item.kind != YamlNode::Kind::sequence || item.items.size() != 2) {
      errors.add(place, "expected a point [H, B], H in A/m and B in T.");
      return {};
    }
    table.push_back(
        {read_scalar(item.items[0], place, errors, true).value, read_scalar(item.items[1], place, errors, true).value});
    if (std::isnan(table.back()[0]) || std::isnan(table.back()[1]))
      return {}; // told already
    places.push_back(place);
  }
  return checked(table, places, where, errors);
}

} // namespace tessera::io
