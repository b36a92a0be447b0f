// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/materials/bh_table.hpp"

#include "io/input/input_text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <utility>

namespace tessera::io {

namespace {

constexpr std::size_t max_file_bytes = 8 << 20;

/// T. No material reaches half of this magnetisation.
constexpr double doubtful_polarization = 10.;

/// Reads a decimal number and nothing else; strtod alone would accept hexadecimal numbers, "inf" and "nan".
bool parse_number(const std::string& word, double& number) {
  char* end = nullptr;
  number = std::strtod(word.c_str(), &end);
  return end != word.c_str() && *end == '\0' && word.find_first_not_of("0123456789+-.eE") == std::string::npos;
}

/// Reads the two numbers of a line; false if it contains anything else.
bool parse_pair(std::string line, std::array<double, 2>& pair) {
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == ',' || c == ';'; }, ' ');
  std::istringstream words(line);
  std::string word;
  for (double& number : pair)
    if (!(words >> word) || !parse_number(word, number))
      return false;
  return !(words >> word);
}

bool holds(const std::string& text, const char* word) { return text.find(word) != std::string::npos; }

/// Splits a header into headings, in lower case and without quotes: separated by ',', ';' or tabs if there are any,
/// otherwise by blanks; then a unit in brackets belongs to the preceding word.
std::vector<std::string> headings(const std::string& line) {
  const bool by_blanks = line.find_first_of(",;\t") == std::string::npos;
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (by_blanks ? c == ' ' : (c == ',' || c == ';' || c == '\t'))
      cells.emplace_back();
    else if (by_blanks && (c == '(' || c == '[')) {
      while (cells.back().empty() && cells.size() > 1)
        cells.pop_back();
      cells.back() += c;
    } else if (c != '"' && c != '\'' && c != '\r')
      cells.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  for (std::string& cell : cells) {
    cell.erase(0, std::min(cell.find_first_not_of(' '), cell.size()));
    cell.erase(cell.find_last_not_of(' ') + 1);
  }
  cells.erase(std::remove(cells.begin(), cells.end(), ""), cells.end());
  return cells;
}

/// Unit of a heading as in "H (A/m)", "H [A/m]", "H in A/m" or "H/(A/m)", without blanks; empty if it has none.
std::string unit_of(const std::string& heading) {
  std::string unit;
  const std::size_t open = heading.find_first_of("([");
  const std::size_t in = heading.find(" in ");
  const std::size_t slash = heading.find('/');
  if (open != std::string::npos)
    unit = heading.substr(open + 1, heading.find_last_of(")]") - open - 1);
  else if (in != std::string::npos)
    unit = heading.substr(in + 4);
  else if (slash != std::string::npos)
    unit = heading.substr(slash + 1);
  unit.erase(std::remove(unit.begin(), unit.end(), ' '), unit.end());
  return unit;
}

/// Meaning of a heading: 'H', 'B', the polarisation ('J'), or unknown (0).
char quantity_of(const std::string& heading) {
  const std::string name = heading.substr(0, heading.find_first_of(" ([/_"));
  if (name == "h" || holds(heading, "field strength"))
    return 'H';
  if (name == "b" || holds(heading, "flux density") || holds(heading, "induction"))
    return 'B';
  return name == "j" || name == "m" || holds(heading, "polari") ? 'J' : '\0';
}

/// Error in a header; empty if it can describe H in A/m and B in T. Anything but a pair of headings is treated as a
/// title, and unknown units as correct.
std::string header_error(const std::string& line) {
  const std::vector<std::string> cells = headings(line);
  if (cells.size() != 2)
    return "";
  const std::vector<std::string> wrong_units[] = {
      {"ka/m", "a/cm", "ka/cm", "a/mm", "ma/m", "oe", "koe", "oersted", "t", "tesla", "mt", "g", "kg", "gauss"},
      {"mt", "g", "kg", "gauss", "kgauss", "a/m", "ka/m", "oe"}};
  const char* const names[] = {"H in A/m", "B in T"};
  for (std::size_t k = 0; k < 2; ++k) {
    const char quantity = quantity_of(cells[k]);
    const auto& units = wrong_units[k];
    if ((quantity != '\0' && quantity != "HB"[k]) ||
        std::find(units.begin(), units.end(), unit_of(cells[k])) != units.end())
      return "column " + std::to_string(k + 1) + " must hold " + names[k] + ", but its heading is '" +
             printable(cells[k]) + "'";
  }
  return "";
}

/// Reports the first invalid point at its place; notes values that no material reaches, and raised points.
BhCurve checked(physics::BhTable table, const std::vector<Location>& locations, const Location& whole,
                InputErrors& errors) {
  BhCurve curve;
  if (!table.empty() && table[0][0] < 0. && table[0][1] == 0.)
    curve.coercive_field = -table[0][0];
  for (std::array<double, 2>& point : table)
    point[0] += curve.coercive_field;
  const auto location = [&](std::size_t point) { return point < locations.size() ? locations[point] : whole; };
  const auto values = [&](std::size_t point) {
    return "point " + std::to_string(point + 1) + ": H = " + number_text(table[point][0] - curve.coercive_field) +
           ", B = " + number_text(table[point][1]);
  };
  const RaisedPoints raised = raise_saturated_end(table);
  const physics::BhTableError error = physics::check_bh_table(table);
  if (!error.text.empty()) {
    errors.add(location(error.point),
               error.text + (error.point < table.size() ? " (" + values(error.point) + ")" : "") + ".");
    return {};
  }
  constexpr double noted = 1e-9; // T; less is rounding of the numbers' texts
  if (raised.largest > noted) {
    std::ostringstream note;
    note.precision(2);
    note << (raised.first == raised.last ? "at point " : "from point ") << raised.first + 1;
    if (raised.first != raised.last)
      note << " to " << raised.last + 1;
    note << " B rises less than in vacuum, as rounded tables do; it was raised by up to " << raised.largest << " T.";
    errors.add_note(location(raised.first), note.str());
  }
  for (std::size_t k = 0; k < table.size(); ++k)
    if (table[k][1] - physics::vacuum_permeability * table[k][0] > doubtful_polarization) {
      errors.add_note(location(k),
                      "B - mu0 H is more than 10 T (" + values(k) +
                          "), which no material reaches; are the columns H in A/m and B in T, in this order?");
      break;
    }
  if (curve.coercive_field > 0. && table.back()[0] <= curve.coercive_field) {
    errors.add(location(table.size() - 1),
               "the curve of a magnet ends at H > 0, beyond its remanence (" + values(table.size() - 1) + ").");
    return {};
  }
  curve.table = std::move(table);
  return curve;
}

/// Points of a list in the input, with their places.
struct Points {
  physics::BhTable values; // empty after an error
  std::vector<Location> locations;
};

/// What a list and a point look like, for messages.
struct Shape {
  const char* list;
  const char* point;
};

Points read_points(const YamlNode& node, const Location& where, const Shape& shape, InputErrors& errors) {
  if (node.kind != YamlNode::Kind::sequence) {
    errors.add(where, std::string("expected a list of points, ") + shape.list + ".");
    return {};
  }
  Points points;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const YamlNode& item = node.items[i];
    const Location location = location_of(item, where.path + "[" + std::to_string(i) + "]");
    if (item.kind != YamlNode::Kind::sequence || item.items.size() != 2) {
      errors.add(location, std::string("expected a point ") + shape.point + ".");
      return {};
    }
    points.values.push_back({read_scalar(item.items[0], location, errors, true).value,
                             read_scalar(item.items[1], location, errors, true).value});
    if (std::isnan(points.values.back()[0]) || std::isnan(points.values.back()[1]))
      return {}; // already reported
    points.locations.push_back(location);
  }
  if (points.values.empty())
    errors.add(where, std::string("expected a list of points, ") + shape.list + ", but it is empty.");
  return points;
}

/// The B-H curve of a relative permeability that is given at values of B, from 0 on, and linear between them: H at many
/// values of B, so that the cubics between these are the same curve.
BhCurve curve_of_permeability(const Points& given, const Location& where, InputErrors& errors) {
  constexpr int n_between = 32;
  if (given.values.empty())
    return {};
  physics::BhTable table = {{0., 0.}};
  std::vector<Location> locations = {given.locations.front()};
  for (std::size_t k = 0; k < given.values.size(); ++k) {
    const auto& [b, mu] = given.values[k];
    const double last = k == 0 ? 0. : given.values[k - 1][0];
    if (!(mu > 0.) || std::isinf(mu) || (k == 0 ? b != 0. : !(b > last))) {
      errors.add(given.locations[k], !(mu > 0.) || std::isinf(mu)
                                         ? "the permeability must be positive, but is " + number_text(mu) + "."
                                         : std::string(k == 0 ? "the first point is at B = 0." : "B must rise."));
      return {};
    }
    for (int i = 1; k > 0 && i <= n_between; ++i) {
      const double t = static_cast<double>(i) / n_between;
      const double at = last + t * (b - last);
      const double permeability = (1. - t) * given.values[k - 1][1] + t * mu;
      table.push_back({at / (physics::vacuum_permeability * permeability), at});
      locations.push_back(given.locations[k]);
    }
  }
  return checked(table, locations, where, errors);
}

} // namespace

RaisedPoints raise_saturated_end(physics::BhTable& table) {
  constexpr double flattest = 0.5; // of the slope in vacuum
  constexpr double saturated = 1.1;
  const auto slope = [&](std::size_t k) {
    return (table[k][1] - table[k - 1][1]) / (physics::vacuum_permeability * (table[k][0] - table[k - 1][0]));
  };
  std::size_t begin = table.size();
  while (begin > 1 && slope(begin - 1) >= flattest && slope(begin - 1) <= saturated)
    --begin;
  RaisedPoints raised;
  if (begin == 1) // not the end of a curve, but all of it: wrong units
    return raised;
  for (std::size_t k = begin; k < table.size(); ++k) {
    const double vacuum = table[k - 1][1] + physics::vacuum_permeability * (table[k][0] - table[k - 1][0]);
    if (table[k][1] >= vacuum)
      continue;
    if (raised.largest == 0.)
      raised.first = k;
    raised.last = k;
    raised.largest = std::max(raised.largest, vacuum - table[k][1]);
    table[k][1] = vacuum;
  }
  return raised;
}

BhCurve read_bh_file(const std::string& path, const Location& where, InputErrors& errors) {
  const FileText content = read_small_file(path, max_file_bytes);
  if (!content.error.empty()) {
    errors.add(where, "the B-H curve '" + printable(path, 300) + "' cannot be read: it " + content.error + ".");
    return {};
  }
  const bool has_mark = content.text.compare(0, 3, "\xef\xbb\xbf") == 0; // byte order mark of UTF-8
  std::istringstream file(content.text.substr(has_mark ? 3 : 0));
  physics::BhTable table;
  std::vector<Location> locations;
  bool may_be_header = true;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::string text = line.substr(0, line.find('#'));
    text.erase(text.find_last_not_of(" \t\r") + 1);
    if (text.empty())
      continue;
    std::array<double, 2> pair{};
    double ignored = 0.;
    const bool is_pair = parse_pair(text, pair);
    const std::vector<std::string> cells = headings(text);
    const bool is_header = may_be_header && std::none_of(cells.begin(), cells.end(), [&](const std::string& cell) {
                             return parse_number(cell, ignored);
                           });
    std::string wrong;
    if (is_pair) {
      table.push_back(pair);
      locations.push_back({path, number, where.path});
    } else if (is_header) {
      wrong = header_error(text);
    } else {
      wrong = "expected two numbers, H in A/m and B in T, found '" + printable(text) + "'";
    }
    if (!wrong.empty()) {
      errors.add({path, number, where.path}, wrong + ".");
      return {};
    }
    may_be_header = false;
  }
  return checked(table, locations, {path, 0, where.path}, errors);
}

std::string bh_path(const YamlNode& node, const Location& where, const std::string& folder) {
  if (node.kind != YamlNode::Kind::scalar)
    return "";
  std::filesystem::path path(node.text);
  if (path.is_relative() && where.line > 0)
    path = std::filesystem::path(folder) / path;
  return path.string();
}

BhCurve read_bh_curve(const YamlNode& node, const Location& where, const std::string& folder, InputErrors& errors) {
  if (node.kind == YamlNode::Kind::scalar)
    return read_bh_file(bh_path(node, where, folder), where, errors);
  constexpr const char* key = "relative_permeability";
  const YamlNode* const permeability = node.kind == YamlNode::Kind::map ? node.find(key) : nullptr;
  if (permeability != nullptr && node.items.size() == 1)
    return curve_of_permeability(
        read_points(*permeability, location_of(*permeability, where.path + "." + key),
                    {"[[B, relative_permeability], ...]", "[B, relative_permeability], B in T"}, errors),
        where, errors);
  const Points given =
      read_points(node, where,
                  {"[[H, B], ...], the path of a file, or {relative_permeability: [[B, relative_permeability], ...]}",
                   "[H, B], H in A/m and B in T"},
                  errors);
  return given.values.empty() ? BhCurve() : checked(given.values, given.locations, where, errors);
}

} // namespace tessera::io
