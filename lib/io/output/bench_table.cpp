// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/output/bench_table.hpp"

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/input/case.hpp"
#include "io/input/input_text.hpp"
#include "io/output/probes_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace tessera::io {

namespace {

constexpr std::size_t max_table_bytes = std::size_t{1} << 26;
constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

/// Texts of a row before its numbers, in the order of the file.
constexpr const char* first_columns[] = {"case", "problem", "method", "part"};
constexpr const char* note_column = "note";

std::vector<std::string> texts_of(const BenchRow& row) { return {row.case_name, row.problem, row.method, row.part}; }

bool has_values(const BenchTable& table, std::size_t column) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [&](const BenchRow& row) { return !std::isnan(row.values[column]); });
}

} // namespace

bool BenchTable::has_column(const std::string& wanted) const {
  return std::any_of(columns.begin(), columns.end(), [&](const BenchColumn& entry) { return entry.name == wanted; });
}

std::size_t BenchTable::column(const std::string& wanted) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const BenchColumn& entry) { return entry.name == wanted; });
  TESSERA_REQUIRE(found != columns.end(), "The table '" << name << "' has no column '" << wanted << "'.");
  return static_cast<std::size_t>(found - columns.begin());
}

BenchRow& BenchTable::add(const std::string& label) {
  rows.emplace_back();
  rows.back().label = label;
  rows.back().values.assign(columns.size(), no_value);
  return rows.back();
}

void print_bench_table(Console& console, const BenchTable& table) {
  console.line("");
  console.line(table.title);
  if (!table.details.empty())
    console.line(table.details);
  const bool has_settings = !table.setting_heading.empty();
  std::vector<std::string> headline(1);
  if (has_settings)
    headline.push_back(table.setting_heading);
  for (const BenchColumn& column : table.columns)
    if (!column.heading.empty())
      headline.push_back(column.heading);
  headline.emplace_back();
  std::vector<std::vector<std::string>> lines;
  for (const BenchRow& row : table.rows) {
    if (!row.is_measured)
      continue;
    std::vector<std::string> line{row.label};
    if (has_settings)
      line.push_back(row.setting);
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const BenchColumn& column = table.columns[c];
      if (!column.heading.empty())
        line.push_back(std::isnan(row.values[c])
                           ? ""
                           : format_fixed(column.factor * row.values[c], column.digits) + column.suffix);
    }
    line.push_back(row.note);
    lines.push_back(std::move(line));
  }
  console.table(headline, lines);
  for (const BenchRow& row : table.rows)
    if (!row.is_measured)
      console.line(row.label + ": " + row.note);
}

void write_bench_table(const std::string& path, const BenchTable& table) {
  const bool has_settings = !table.setting_heading.empty();
  std::vector<std::vector<std::string>> lines(1, {std::begin(first_columns), std::end(first_columns)});
  if (has_settings)
    lines.front().push_back(table.setting_heading);
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (has_values(table, c)) {
      kept.push_back(c);
      lines.front().push_back(table.columns[c].name + " [" + table.columns[c].unit + ']');
    }
  lines.front().emplace_back(note_column);
  for (const BenchRow& row : table.rows) {
    std::vector<std::string> line = texts_of(row);
    if (has_settings)
      line.push_back(row.setting);
    for (const std::size_t c : kept)
      line.push_back(csv_number(row.values[c]));
    line.push_back(row.note);
    lines.push_back(std::move(line));
  }
  write_rows(path, lines);
}

BenchTable read_bench_table(const std::string& path) {
  const std::vector<std::vector<std::string>> lines = read_rows(path, max_table_bytes);
  const auto require = [&](bool is_fine) { TESSERA_REQUIRE(is_fine, path << " is no table of the benchmark."); };
  require(!lines.empty());
  const std::vector<std::string>& head = lines.front();
  constexpr std::size_t n_first = std::size(first_columns);
  require(head.size() > n_first && head.back() == note_column &&
          std::equal(std::begin(first_columns), std::end(first_columns), head.begin()));
  BenchTable table;
  table.name = std::filesystem::path(path).stem().string();
  std::size_t n_before = n_first;
  if (head[n_first].back() != ']' && n_first + 1 < head.size()) { // numbers have units
    table.setting_heading = head[n_first];
    ++n_before;
  }
  for (std::size_t c = n_before; c + 1 < head.size(); ++c) {
    const auto [name, unit] = name_and_unit(head[c]);
    table.columns.push_back({name, unit});
  }
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string>& line = lines[i];
    require(line.size() == head.size());
    BenchRow& row = table.add("");
    row.case_name = line[0];
    row.problem = line[1];
    row.method = line[2];
    row.part = line[3];
    if (n_before > n_first)
      row.setting = line[n_first];
    row.note = line.back();
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const std::string& text = line[n_before + c];
      char* end = nullptr;
      const double value = std::strtod(text.c_str(), &end);
      require(end == text.c_str() + text.size());
      if (!text.empty())
        row.values[c] = value;
    }
  }
  return table;
}

BenchFiles::BenchFiles(const std::string& directory) : directory_(directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  TESSERA_REQUIRE(!error, "bench --output: cannot create the directory '" << printable(directory, 300)
                                                                          << "': " << error.message() << '.');
  TESSERA_REQUIRE(!std::filesystem::exists(directory + "/report.yaml", error),
                  "bench --output: '" << printable(directory, 300)
                                      << "' has the results of a run (report.yaml). Name another directory.");
  check_writable(directory + '/' + bench_description_name);
}

void BenchFiles::add(const BenchTable& table) {
  auto same =
      std::find_if(tables_.begin(), tables_.end(), [&](const BenchTable& other) { return other.name == table.name; });
  if (same == tables_.end()) {
    same = tables_.insert(tables_.end(), table);
    ReportNode& entry = description_["tables"].append().flow();
    entry["file"] = table.name + ".csv";
    entry["over"] = table.over;
  } else {
    same->rows.insert(same->rows.end(), table.rows.begin(), table.rows.end());
  }
  write_bench_table(directory_ + '/' + table.name + ".csv", *same);
  write_yaml(directory_ + '/' + bench_description_name, description_);
}

} // namespace tessera::io
