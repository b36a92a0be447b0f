// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/input/case.hpp"
#include "io/output/probes_file.hpp"
#include "io/pictures/chart.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

namespace tessera::io::pictures {

namespace {

constexpr std::size_t most_curves = 8; // number of distinguishable colours

bool read_value(const std::string& text, double& value) {
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

/// Keys with more than one value, except exact values that follow the others.
std::vector<std::size_t> varied_keys(const SweepTable& table) {
  std::vector<std::size_t> varied;
  for (std::size_t k = 0; k < table.keys.size(); ++k) {
    std::set<std::string> values;
    for (const auto& row : table.rows)
      values.insert(row.second.values[k]);
    if (values.size() > 1 && !is_exact_value(table.keys[k]))
      varied.push_back(k);
  }
  return varied;
}

/// The first varied key whose values are all numbers; the number of keys if there is none.
std::size_t key_of_abscissa(const SweepTable& table, const std::vector<std::size_t>& varied) {
  for (const std::size_t k : varied) {
    double value = 0.;
    if (std::all_of(table.rows.begin(), table.rows.end(),
                    [&](const auto& row) { return read_value(row.second.values[k], value); }))
      return k;
  }
  return table.keys.size();
}

} // namespace

Chart sweep_chart(const SweepTable& table, const std::string& title, std::string& wanted) {
  std::vector<std::string> names;
  std::map<std::string, std::string> units;
  for (const std::string& number : table.numbers()) {
    const auto [name, unit] = name_and_unit(number);
    names.push_back(name);
    units[name] = unit;
  }
  TESSERA_REQUIRE(!names.empty(), title << ": the table of the sweep has no quantities.");
  if (wanted.empty())
    wanted = names.front();
  TESSERA_REQUIRE(units.count(wanted) > 0, unknown_name_message("quantity", wanted, names));

  const std::vector<std::size_t> varied = varied_keys(table);
  const std::size_t abscissa = key_of_abscissa(table, varied);
  Chart chart;
  chart.title = title;
  chart.x_name = abscissa < table.keys.size() ? short_name(table.keys[abscissa]) : "point";
  chart.x_unit = "";
  chart.y_name = wanted;
  chart.y_unit = units[wanted];
  std::string others; // keys that distinguish the curves
  for (const std::size_t k : varied)
    if (k != abscissa && abscissa < table.keys.size())
      others += (others.empty() ? "" : ", ") + short_name(table.keys[k]);
  bool is_complete = true;
  std::vector<std::vector<std::pair<double, double>>> points;
  for (const auto& [number, row] : table.rows) {
    const std::string* text = row.find(wanted + " [" + units[wanted] + ']');
    double x = number, y = 0.;
    if (text == nullptr || !read_value(*text, y) ||
        (abscissa < table.keys.size() && !read_value(row.values[abscissa], x)))
      continue;
    std::string name;
    for (const std::size_t k : varied)
      if (k != abscissa && abscissa < table.keys.size())
        name += (name.empty() ? "" : ", ") + row.values[k];
    auto curve = std::find_if(chart.curves.begin(), chart.curves.end(), [&](const Curve& c) { return c.name == name; });
    if (curve == chart.curves.end()) {
      if (chart.curves.size() == most_curves) {
        is_complete = false;
        continue;
      }
      chart.curves.push_back({name, {}, {}});
      points.emplace_back();
      curve = chart.curves.end() - 1;
    }
    points[static_cast<std::size_t>(curve - chart.curves.begin())].emplace_back(x, y);
  }
  TESSERA_REQUIRE(!chart.curves.empty(), title << ": no point of the sweep has the quantity " << wanted << '.');
  if (!others.empty())
    chart.caption = (is_complete ? "a curve for each " : "the first curves, for each ") + others;
  for (std::size_t c = 0; c < chart.curves.size(); ++c) {
    std::sort(points[c].begin(), points[c].end());
    for (const auto& [x, y] : points[c]) {
      chart.curves[c].x.push_back(x);
      chart.curves[c].y.push_back(y);
    }
    if (chart.curves.size() == 1)
      chart.curves[c].name = wanted;
  }
  return chart;
}

} // namespace tessera::io::pictures
