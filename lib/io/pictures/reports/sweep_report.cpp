// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "io/input/case.hpp"
#include "io/output/console.hpp"
#include "io/output/probes_file.hpp"
#include "io/pictures/chart.hpp"
#include "io/pictures/reports/html.hpp"
#include "io/pictures/reports/html_report.hpp"
#include "io/pictures/reports/run_results.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <sstream>

namespace tessera::io::pictures {

namespace {

// Maximum number of rows shown for a large sweep; sweep.csv has the rest.
constexpr std::size_t most_rows = 200;
constexpr std::size_t most_columns = 12;
constexpr std::size_t most_charts = 8;
constexpr std::size_t most_failures = 20;

struct Counts {
  std::size_t done = 0, failed = 0, not_run = 0;
};

Counts counts_of(const SweepTable& table) {
  Counts counts;
  for (const auto& entry : table.rows)
    ++(entry.second.is_done() ? counts.done : entry.second.was_run() ? counts.failed : counts.not_run);
  return counts;
}

/// "scale = 2, current = 5"
std::string values_text(const SweepTable& table, const SweepRow& row) {
  std::string text;
  for (std::size_t k = 0; k < table.keys.size(); ++k)
    if (!is_exact_value(table.keys[k]))
      text += (text.empty() ? "" : ", ") + short_name(table.keys[k]) + " = " + row.values[k];
  return text;
}

void write_state(const SweepResults& results, const Counts& counts, std::ostream& out) {
  const std::size_t n_points = results.table.rows.size();
  std::string text = std::to_string(counts.done) + " of " + std::to_string(n_points) + " points are done";
  if (counts.failed > 0)
    text += ", " + std::to_string(counts.failed) + " failed";
  if (counts.not_run > 0)
    text += ", " + std::to_string(counts.not_run) + " did not run";
  const std::string seconds = text_at(results.report, {"sweep", "seconds"});
  text += seconds.empty() ? "." : ", in " + format_seconds(std::strtod(seconds.c_str(), nullptr)) + ".";
  if (!results.has_ended())
    text += " The sweep was interrupted, or still runs: started again, it continues.";
  write_verdict(results.has_ended() && counts.done == n_points, text, out);
}

void write_failures(const SweepResults& results, std::ostream& out) {
  std::vector<std::string> texts;
  std::size_t n_failed = 0;
  for (const auto& [number, row] : results.table.rows)
    if (row.was_run() && !row.is_done() && ++n_failed <= most_failures)
      texts.push_back("point " + std::to_string(number) + " (" + values_text(results.table, row) + "): " + row.state);
  if (n_failed > most_failures)
    texts.push_back(std::to_string(n_failed - most_failures) + " more in " + sweep_table_name);
  write_list(texts, "Failed points", true, out);
}

/// The largest magnitude of a column's numbers; 0 if none is finite, or all are zero.
double largest_of(const SweepTable& table, const std::string& number, bool& has_finite) {
  double largest = 0.;
  has_finite = false;
  for (const auto& entry : table.rows)
    if (const std::string* text = entry.second.find(number))
      if (const double size = std::abs(std::strtod(text->c_str(), nullptr)); std::isfinite(size)) {
        largest = std::max(largest, size);
        has_finite = true;
      }
  return largest;
}

void write_charts(const SweepResults& results, std::vector<std::string> numbers, std::ostream& out) {
  out << "<h2>Quantities</h2>\n";
  numbers.erase(std::remove_if(numbers.begin(), numbers.end(),
                               [&](const std::string& number) {
                                 bool has_finite = false;
                                 largest_of(results.table, number, has_finite);
                                 return !has_finite;
                               }),
                numbers.end());
  if (numbers.empty())
    write_remark("No point has a quantity yet: there is nothing to draw.", out);
  for (std::size_t i = 0; i < std::min(numbers.size(), most_charts); ++i) {
    std::string name = name_and_unit(numbers[i]).first;
    out << figure(draw_chart(sweep_chart(results.table, results.title, name), {}), "The quantity " + name);
  }
  if (numbers.size() > most_charts)
    write_remark(std::to_string(numbers.size() - most_charts) + " more: tessera plot " + results.directory +
                     " --show " + name_and_unit(numbers[most_charts]).first,
                 out);
}

/// A column of numbers in one unit of readable size.
struct ReportColumn {
  std::string number; ///< its name in the table
  std::string name;
  UnitScale scale;
};

std::vector<ReportColumn> columns_of(const SweepTable& table, const std::vector<std::string>& numbers) {
  std::vector<ReportColumn> columns;
  for (std::size_t i = 0; i < std::min(numbers.size(), most_columns); ++i) {
    bool has_finite = false;
    const double largest = largest_of(table, numbers[i], has_finite);
    const auto [name, unit] = name_and_unit(numbers[i]);
    ReportColumn column{numbers[i], name, {1., ""}};
    if (unit != "1")
      column.scale = unit_scale(unit, largest);
    columns.push_back(column);
  }
  return columns;
}

void write_points(const SweepTable& table, const std::vector<std::string>& numbers, std::ostream& out) {
  const std::vector<ReportColumn> columns = columns_of(table, numbers);
  out << "<h2>Points</h2>\n<div class=\"wide\"><table><thead><tr><th>point</th>";
  for (const std::string& key : table.keys)
    if (!is_exact_value(key))
      out << "<th title=\"" << escaped(key) << "\">" << escaped(short_name(key)) << "</th>";
  for (const ReportColumn& column : columns)
    out << "<th>" << escaped(column.name) << (column.scale.unit.empty() ? "" : " [" + escaped(column.scale.unit) + "]")
        << "</th>";
  out << "<th>state</th><th>iterations</th><th>time</th><th>kept</th></tr></thead><tbody>\n";
  std::size_t n_rows = 0;
  for (const auto& [number, row] : table.rows) {
    if (++n_rows > most_rows)
      break;
    out << "<tr><th>" << number << "</th>";
    for (std::size_t k = 0; k < table.keys.size(); ++k)
      if (!is_exact_value(table.keys[k]))
        out << number_cell(row.values[k]);
    for (const ReportColumn& column : columns) {
      const std::string* text = row.find(column.number);
      out << (text == nullptr
                  ? number_cell("")
                  : number_cell(number_with_digits(std::strtod(text->c_str(), nullptr) * column.scale.factor, 7),
                                *text));
    }
    out << "<td"
        << (row.is_done()   ? ""
            : row.was_run() ? " class=\"bad\""
                            : " class=\"subtle\"")
        << '>' << (row.is_done() || !row.was_run() ? escaped(row.state) : "failed") << "</td>"
        << number_cell(row.iterations)
        << number_cell(row.seconds.empty() ? "" : format_seconds(std::strtod(row.seconds.c_str(), nullptr))) << "<td>"
        << escaped(row.taken) << "</td></tr>\n";
  }
  out << "</tbody></table></div>\n";
  std::string rest;
  if (table.rows.size() > most_rows)
    rest = "the first " + std::to_string(most_rows) + " of " + std::to_string(table.rows.size()) + " points";
  if (numbers.size() > most_columns)
    rest += (rest.empty() ? "" : " and ") + ("the first " + std::to_string(most_columns)) + " of " +
            std::to_string(numbers.size()) + " numbers";
  if (!rest.empty())
    write_remark("These are " + rest + "; all are in " + sweep_table_name + ".", out);
}

void write_kept(const SweepResults& results, std::ostream& out) {
  std::map<std::string, std::pair<std::size_t, double>> kept; // points and seconds
  for (const auto& entry : results.table.rows)
    if (!entry.second.taken.empty()) { // it has completed
      auto& [n, seconds] = kept[entry.second.taken];
      ++n;
      seconds += std::strtod(entry.second.seconds.c_str(), nullptr);
    }
  out << "<h2>What points took over from the one before</h2>\n<table><thead><tr><th>kept</th><th>points</th>"
         "<th>time of each</th></tr></thead><tbody>\n";
  for (const auto& [name, count] : kept)
    out << "<tr><th>" << escaped(name) << "</th>" << number_cell(std::to_string(count.first))
        << number_cell(format_seconds(count.second / static_cast<double>(count.first))) << "</tr>\n";
  out << "</tbody></table>\n";
  const std::string n_earlier = text_at(results.report, {"sweep", "of_earlier_runs"});
  if (!n_earlier.empty() && n_earlier != "0")
    write_remark(n_earlier + " of them were in the table of an earlier run.", out);
}

} // namespace

std::string html_report(const SweepResults& results) {
  const SweepTable& table = results.table;
  const std::vector<std::string> numbers = table.numbers();
  std::vector<std::string> varied;
  std::copy_if(table.keys.begin(), table.keys.end(), std::back_inserter(varied),
               [](const std::string& key) { return !is_exact_value(key); });
  std::ostringstream out;
  begin_document(results.title,
                 results.physics + "; sweep of " + std::to_string(table.rows.size()) + " points over " +
                     joined(varied) +
                     (results.has_ended() ? "; Tessera " + text_at(results.report, {"versions", "tessera"}) + ", " +
                                                text_at(results.report, {"backend"})
                                          : ""),
                 out);
  write_state(results, counts_of(table), out);
  write_failures(results, out);
  write_charts(results, numbers, out);
  write_points(table, numbers, out);
  write_kept(results, out);
  if (results.has_ended())
    write_facts(results.report, {"versions", "backend", "run_id"}, out);
  end_document("Input of the first point with all defaults, and the sweep", results.resolved_text, out);
  return out.str();
}

} // namespace tessera::io::pictures
