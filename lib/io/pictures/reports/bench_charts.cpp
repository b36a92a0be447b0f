// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/pictures/reports/bench_charts.hpp"

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/pictures/reports/run_results.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

namespace tessera::io::pictures {

namespace {

constexpr std::size_t most_bench_curves = 10; // number of distinguishable colours

/// A column that has charts.
struct Measure {
  const char* column;
  const char* name; ///< of the chart
  bool is_logarithmic;
};
constexpr Measure measures[] = {{"median", "time", true},
                                {"slowest", "time", true},
                                {"speed-up", "speed-up", false},
                                {"time per unknown", "time-per-unknown", true},
                                {"memory per element", "memory", false},
                                {"memory with mesh per element", "memory-with-mesh", false},
                                {"memory per unknown", "memory", false},
                                {"rate", "rate", true},
                                {"share of copy", "share-of-copy", false},
                                {"operation rate", "operation-rate", true},
                                {"share of peak", "share-of-peak", false}};

/// A text as part of a file's name.
std::string file_part(const std::string& text) {
  std::string result;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      result += c;
    else if (!result.empty() && result.back() != '-')
      result += '-';
  return result.substr(0, result.find_last_not_of('-') + 1);
}

/// The chart of a column for one part of the work; without curves if there is no method with two sizes.
Chart chart_of(const BenchTable& table, const std::string& part, const Measure& measure) {
  const std::size_t over = table.column(table.over), column = table.column(measure.column);
  const bool has_several_problems = std::any_of(table.rows.begin(), table.rows.end(), [&](const BenchRow& row) {
    return row.problem != table.rows.front().problem;
  });
  std::vector<std::pair<std::string, std::vector<std::pair<double, double>>>> curves;
  for (const BenchRow& row : table.rows) {
    if (row.part != part || !std::isfinite(row.values[over]) || !std::isfinite(row.values[column]))
      continue;
    std::string name = row.method;
    if (has_several_problems)
      name = row.problem + (name.empty() ? "" : ", ") + name;
    auto curve = std::find_if(curves.begin(), curves.end(), [&](const auto& entry) { return entry.first == name; });
    if (curve == curves.end())
      curve = curves.insert(curves.end(), {name, {}});
    curve->second.emplace_back(row.values[over], row.values[column]);
  }
  Chart chart;
  std::size_t n_left_out = 0;
  for (auto& [name, points] : curves) {
    std::sort(points.begin(), points.end());
    if (points.front().first == points.back().first)
      continue;
    if (chart.curves.size() == most_bench_curves) {
      ++n_left_out;
      continue;
    }
    Curve curve{name.empty() ? part : name, {}, {}};
    for (const auto& [x, y] : points) {
      curve.x.push_back(x);
      curve.y.push_back(y);
    }
    chart.curves.push_back(std::move(curve));
  }
  chart.title = table.name + (part.empty() ? "" : ", " + part);
  if (n_left_out > 0)
    chart.caption = "the first " + std::to_string(most_bench_curves) + " of " +
                    std::to_string(most_bench_curves + n_left_out) + " curves; ";
  chart.x_name = table.over;
  chart.y_name = measure.column;
  chart.y_unit = table.columns[column].unit == "1" ? "" : table.columns[column].unit;
  chart.is_logarithmic = measure.is_logarithmic;
  chart.is_logarithmic_x = table.over != "processes" && table.over != "processors" && table.over != "degree";
  chart.has_points = true;
  return chart;
}

/// Operation rates over arithmetic intensity, below what peak and copy bandwidth allow; without curves if there are
/// none.
Chart roofline_chart(const BenchTable& table) {
  Chart chart;
  for (const char* column : {"arithmetic intensity", "operation rate", "share of peak", "rate", "share of copy"})
    if (!table.has_column(column))
      return chart;
  double peak = 0., bandwidth = 0., least = 0., most = 0.;
  std::vector<std::pair<std::string, std::vector<std::pair<double, double>>>> curves;
  const bool has_several_problems = std::any_of(table.rows.begin(), table.rows.end(), [&](const BenchRow& row) {
    return row.problem != table.rows.front().problem;
  });
  for (const BenchRow& row : table.rows) {
    const double intensity = table.value(row, "arithmetic intensity"), rate = table.value(row, "operation rate");
    const double share = table.value(row, "share of peak"), of_copy = table.value(row, "share of copy");
    if (!(intensity > 0.) || !(rate > 0.) || !(share > 0.) || !(of_copy > 0.))
      continue;
    peak = rate / share;
    bandwidth = table.value(row, "rate") / of_copy;
    least = least > 0. ? std::min(least, intensity) : intensity;
    most = std::max(most, intensity);
    const std::string name = (has_several_problems ? row.problem + ", " : "") + row.part;
    auto curve = std::find_if(curves.begin(), curves.end(), [&](const auto& entry) { return entry.first == name; });
    if (curve == curves.end() && curves.size() == most_bench_curves)
      continue;
    if (curve == curves.end())
      curve = curves.insert(curves.end(), {name, {}});
    curve->second.emplace_back(intensity, rate);
  }
  if (curves.empty())
    return chart;
  const double ridge = peak / bandwidth;
  Curve roof{"roofline", {}, {}};
  for (const double x : {std::min(0.5 * least, 0.5 * ridge), ridge, std::max(2. * most, 2. * ridge)}) {
    roof.x.push_back(x);
    roof.y.push_back(std::min(peak, bandwidth * x));
  }
  chart.curves.push_back(std::move(roof));
  for (auto& [name, points] : curves) {
    std::sort(points.begin(), points.end());
    Curve curve{name, {}, {}};
    for (const auto& [x, y] : points) {
      curve.x.push_back(x);
      curve.y.push_back(y);
    }
    chart.curves.push_back(std::move(curve));
  }
  chart.title = table.name + ", roofline";
  chart.x_name = "arithmetic intensity";
  chart.x_unit = "1/B";
  chart.y_name = "operation rate";
  chart.y_unit = "1/s";
  chart.is_logarithmic = chart.is_logarithmic_x = chart.has_points = true;
  return chart;
}

} // namespace

std::vector<BenchChart> bench_charts(const BenchTable& table, const std::string& caption) {
  std::vector<std::string> parts;
  for (const BenchRow& row : table.rows)
    if (std::find(parts.begin(), parts.end(), row.part) == parts.end())
      parts.push_back(row.part);
  std::vector<BenchChart> charts;
  for (const std::string& part : parts)
    for (const Measure& measure : measures) {
      if (!table.has_column(measure.column) || !table.has_column(table.over))
        continue;
      BenchChart drawn{table.name + (part.empty() ? "" : "-" + file_part(part)) + "-" + measure.name,
                       chart_of(table, part, measure)};
      drawn.chart.caption += caption;
      if (!drawn.chart.curves.empty())
        charts.push_back(std::move(drawn));
    }
  BenchChart roofline{table.name + "-roofline", roofline_chart(table)};
  roofline.chart.caption += caption;
  if (!roofline.chart.curves.empty())
    charts.push_back(std::move(roofline));
  return charts;
}

std::vector<BenchChart> BenchResults::charts() const {
  std::vector<BenchChart> all;
  for (const BenchTable& table : tables)
    for (BenchChart& chart : bench_charts(table, caption))
      all.push_back(std::move(chart));
  return all;
}

bool is_bench(const std::string& directory) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(directory + '/' + bench_description_name, ignored) &&
         !std::filesystem::exists(directory + "/report.yaml", ignored);
}

BenchResults read_bench_results(const std::string& directory) {
  BenchResults results;
  results.directory = without_slash(directory);
  const std::string path = results.directory + '/' + bench_description_name;
  const YamlNode description = read_yaml(path);
  for (const char* key : {"backend", "device", "commit"})
    results.caption += (results.caption.empty() ? "" : ", ") + text_at(description, {key});
  const YamlNode* tables = description.find("tables");
  TESSERA_REQUIRE(tables != nullptr && tables->kind == YamlNode::Kind::sequence, path << " names no tables.");
  for (const YamlNode& entry : tables->items) {
    const std::string file = text_at(entry, {"file"});
    TESSERA_REQUIRE(!file.empty() && std::filesystem::path(file).filename() == file,
                    path << ": '" << file << "' is no file of its directory.");
    results.tables.push_back(read_bench_table(results.directory + '/' + file));
    results.tables.back().over = text_at(entry, {"over"});
  }
  return results;
}

std::vector<std::string> draw_bench_charts(const std::string& directory, int pixels) {
  std::vector<std::string> paths;
  for (const BenchChart& drawn : read_bench_results(directory).charts()) {
    paths.push_back(without_slash(directory) + '/' + drawn.name + ".png");
    AtomicFile file(paths.back());
    file.stream() << draw_chart(drawn.chart, {PictureFormat::png, pixels});
    file.commit();
  }
  return paths;
}

} // namespace tessera::io::pictures
