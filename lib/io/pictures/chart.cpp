// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/pictures/chart.hpp"

#include "core/error.hpp"
#include "io/input/case.hpp"
#include "io/input/input_text.hpp"
#include "io/output/convergence_file.hpp"
#include "io/output/probes_file.hpp"
#include "io/pictures/colours.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>

namespace tessera::io::pictures {

namespace {

/// Distinguishable in grey, too.
Colour curve_colour(std::size_t number) {
  constexpr double looks[][3] = {{0.45, 0.16, 260.}, {0.66, 0.17, 55.},  {0.55, 0.13, 150.}, {0.40, 0.16, 20.},
                                 {0.70, 0.12, 300.}, {0.75, 0.12, 210.}, {0.80, 0.15, 100.}, {0.30, 0.08, 150.},
                                 {0.62, 0.20, 350.}, {0.55, 0.01, 260.}};
  const double* look = looks[number % (sizeof(looks) / sizeof(looks[0]))];
  return oklch(look[0], look[1], look[2]);
}

struct Limits {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// The limits with a margin, as an axis in its scale.
Axis axis_of(Limits limits, const std::string& name, const std::string& unit, bool is_logarithmic, double room,
             double& factor) {
  const UnitScale scale =
      is_logarithmic ? UnitScale{1., unit} : unit_scale(unit, std::max(std::abs(limits.low), std::abs(limits.high)));
  factor = scale.factor;
  if (is_logarithmic) {
    limits.low = std::pow(10., std::floor(std::log10(limits.low) - 0.02));
    limits.high = std::pow(10., std::ceil(std::log10(limits.high) + 0.02));
  } else {
    const double span = limits.high > limits.low ? limits.high - limits.low : std::max(std::abs(limits.high), 1e-300);
    if (!(limits.high > limits.low))
      room = 0.5;
    limits.low -= room * span;
    limits.high += room * span;
  }
  return {limits.low * factor, limits.high * factor, name + (scale.unit.empty() ? "" : " [" + scale.unit + "]"),
          is_logarithmic};
}

/// Cells of a line of a CSV file.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      cells.back() += line[i++];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += line[i];
  }
  return cells;
}

struct Column {
  std::string name, unit;
  std::vector<double> values;
};

std::vector<Column> read_table(const std::string& path) {
  constexpr std::size_t most_bytes = std::size_t(1) << 28;
  const FileText file = read_small_file(path, most_bytes);
  TESSERA_REQUIRE(file.error.empty(), path << " " << file.error << ".");
  std::istringstream text(file.text);
  std::vector<Column> columns;
  std::string line;
  std::getline(text, line);
  for (const std::string& cell : cells_of(line)) {
    const auto [name, unit] = name_and_unit(cell);
    columns.push_back({name, unit, {}});
  }
  while (std::getline(text, line)) {
    const std::vector<std::string> cells = cells_of(line);
    TESSERA_REQUIRE(cells.size() == columns.size(), path << " is not a table: a row has " << cells.size()
                                                         << " cells, the first " << columns.size() << '.');
    for (std::size_t c = 0; c < cells.size(); ++c) {
      char* end = nullptr;
      const double value = std::strtod(cells[c].c_str(), &end);
      columns[c].values.push_back(end == cells[c].c_str() ? std::numeric_limits<double>::quiet_NaN() : value);
    }
  }
  return columns;
}

} // namespace

std::string draw_chart(const Chart& chart, const PictureSize& size) {
  const auto is_drawn = [&](const Curve& curve, std::size_t i) {
    return std::isfinite(curve.y[i]) && (!chart.is_logarithmic || curve.y[i] > 0.) &&
           (!chart.is_logarithmic_x || curve.x[i] > 0.);
  };
  Limits x, y;
  for (const Curve& curve : chart.curves)
    for (std::size_t i = 0; i < curve.x.size(); ++i)
      if (is_drawn(curve, i)) {
        x.add(curve.x[i]);
        y.add(curve.y[i]);
      }
  TESSERA_REQUIRE(x.low <= x.high, "There is no value to draw in '" << chart.title << "'.");
  double x_factor = 1., y_factor = 1.;
  const Axis horizontal = axis_of(x, chart.x_name, chart.x_unit, chart.is_logarithmic_x, 0., x_factor);
  const Axis vertical = axis_of(y, chart.y_name, chart.y_unit, chart.is_logarithmic, 0.05, y_factor);
  const bool has_legend = chart.curves.size() > 1;
  constexpr double left = 90., plot_height = 300., below = 52.;
  const auto canvas = begin_picture(size, title_height + plot_height + below);
  constexpr double least_legend = 170., most_legend = 300., key_width = 66.;
  double legend = least_legend;
  for (const Curve& curve : chart.curves)
    legend = std::clamp(canvas->text_width(curve.name, {text_size, ink}) + key_width, legend, most_legend);
  const Box plot{left, title_height, picture_width - left - (has_legend ? legend : 24.), plot_height};
  draw_title(*canvas, chart.title, chart.caption);
  draw_axes(*canvas, plot, horizontal, vertical, true);
  canvas->begin_clip({plot.x - 2., plot.y - 2., plot.width + 4., plot.height + 4.});
  constexpr double nearest = 0.3; // minimum distance in units between points of a line: many points would make large
                                  // files
  std::vector<LegendEntry> entries;
  for (std::size_t c = 0; c < chart.curves.size(); ++c) {
    const Curve& curve = chart.curves[c];
    std::vector<Polyline> lines(1);
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      if (!is_drawn(curve, i)) {
        lines.emplace_back(); // a gap
        continue;
      }
      std::vector<Place>& places = lines.back().places;
      const Place place{plot.x + plot.width * share_of(horizontal, curve.x[i] * x_factor),
                        plot.bottom() - plot.height * share_of(vertical, curve.y[i] * y_factor)};
      if (places.empty() || std::abs(place.x - places.back().x) > nearest ||
          std::abs(place.y - places.back().y) > nearest || i + 1 == curve.x.size())
        places.push_back(place);
    }
    for (Polyline& line : lines)
      if (line.places.size() == 1) // a single point
        line.places.push_back(line.places[0]);
    const Colour colour = curve_colour(c);
    canvas->lines(lines, {colour, 2.});
    constexpr double side = 7.;
    if (chart.has_points)
      for (const Polyline& line : lines)
        for (const Place& place : line.places)
          canvas->fill({place.x - 0.5 * side, place.y - 0.5 * side, side, side}, colour);
    entries.push_back({colour, curve.name});
  }
  canvas->end_clip();
  if (has_legend)
    draw_legend(*canvas, {plot.right() + 18., plot.y, picture_width - plot.right() - 24., plot.height}, entries);
  return end_picture(*canvas);
}

bool convergence_chart(const RunResults& results, Chart& chart) {
  constexpr std::size_t most_curves = 5; // number that can be distinguished
  const std::string file = text_at(results.report, {"solver", "history"});
  if (file.empty())
    return false;
  // Of several rounds and steps the last is used, which belongs to the results.
  std::vector<ResidualHistory> chosen;
  for (ResidualHistory& history : read_convergence(results.file(file))) {
    const auto same = std::find_if(chosen.begin(), chosen.end(),
                                   [&](const ResidualHistory& other) { return other.solve == history.solve; });
    if (same == chosen.end())
      chosen.push_back(std::move(history));
    else
      *same = std::move(history);
  }
  std::size_t n_left_out = 0;
  int round = 1;
  for (ResidualHistory& history : chosen) {
    if (history.residuals.size() < 2)
      continue;
    if (chart.curves.size() == most_curves) {
      ++n_left_out;
      continue;
    }
    // The conductor of "capacitance_matrix.plate": labels next to a chart are short.
    Curve curve{history.solve.substr(history.solve.find('.') + 1), {}, std::move(history.residuals)};
    if (history.step > 1)
      curve.name += ' ' + std::to_string(history.step);
    round = std::max(round, history.round);
    for (std::size_t i = 0; i < curve.y.size(); ++i)
      curve.x.push_back(static_cast<double>(i));
    chart.curves.push_back(std::move(curve));
  }
  chart.title = "Convergence";
  chart.caption = "residual over the norm of the right-hand side; " + text_at(results.report, {"solver", "method"}) +
                  ", " + text_at(results.report, {"solver", "preconditioner"}) + ": " +
                  text_at(results.report, {"solver", "status"});
  if (round > 1)
    chart.caption += "; round " + std::to_string(round);
  if (n_left_out > 0)
    chart.caption += "; " + std::to_string(n_left_out) + " more in " + file;
  chart.x_name = "iterations";
  chart.y_name = "relative residual";
  chart.is_logarithmic = true;
  return !chart.curves.empty();
}

Chart probe_chart(const RunResults& results, const std::string& probe, const std::string& wanted) {
  std::vector<Column> columns = read_table(results.file(probe + ".csv"));
  columns.erase(std::remove_if(columns.begin(), columns.end(), [](const Column& c) { return c.unit.empty(); }),
                columns.end()); // removes columns of texts
  const auto column = [&](const std::string& name) {
    return std::find_if(columns.cbegin(), columns.cend(), [&](const Column& c) { return c.name == name; });
  };
  const auto x = column("x"), y = column("y"), z = column("z"), t = column("t");
  TESSERA_REQUIRE(z != columns.cend() && z + 1 != columns.cend() && x != columns.cend() && y != columns.cend() &&
                      !x->values.empty(),
                  results.file(probe + ".csv") << " is no table of a probe.");
  const std::size_t n = x->values.size();
  std::vector<double> distance(n, 0.);
  double longest = 0.;
  for (std::size_t i = 0; i < n; ++i) {
    distance[i] = std::hypot(x->values[i] - x->values[0], y->values[i] - y->values[0], z->values[i] - z->values[0]);
    longest = std::max(longest, distance[i]);
  }
  const bool in_time = t != columns.cend() && longest == 0.;
  // Of several times the last is used.
  std::size_t first = 0;
  if (t != columns.cend() && !in_time)
    while (first < n && t->values[first] != t->values[n - 1])
      ++first;
  std::vector<std::string> names;
  for (auto c = z + 1; c != columns.cend(); ++c)
    names.push_back(c->name);
  const auto chosen = wanted.empty() ? z + 1 : column(wanted);
  TESSERA_REQUIRE(chosen != columns.cend() && chosen > z, unknown_name_message("column", wanted, names));
  Chart chart;
  chart.title = results.title;
  chart.caption = "probe " + probe;
  if (t != columns.cend() && !in_time)
    chart.caption += ", t = " + number_with_digits(t->values[n - 1], 4) + " s";
  chart.x_name = in_time ? "time" : "distance";
  chart.x_unit = in_time ? "s" : "m";
  chart.y_unit = chosen->unit;
  for (auto c = z + 1; c != columns.cend(); ++c)
    if (c->unit == chosen->unit) {
      Curve curve{c->name, {}, {}};
      for (std::size_t i = first; i < n; ++i) {
        curve.x.push_back(in_time ? t->values[i] : distance[i]);
        curve.y.push_back(c->values[i]);
      }
      chart.curves.push_back(std::move(curve));
    }
  for (const Curve& curve : chart.curves)
    chart.y_name += (chart.y_name.empty() ? "" : ", ") + curve.name;
  return chart;
}

} // namespace tessera::io::pictures
