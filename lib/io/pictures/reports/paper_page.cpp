// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/pictures/reports/paper_page.hpp"

#include "io/atomic_file.hpp"
#include "io/pictures/reports/html.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

namespace tessera::io::pictures {

namespace {

void write_head(const std::vector<std::string>& names, std::ostream& out) {
  out << "<div class=\"wide\"><table><thead><tr>";
  for (const std::string& name : names)
    out << "<th>" << escaped(name) << "</th>";
  out << "</tr></thead><tbody>\n";
}

std::string cell(double value, const std::string& unit, int digits = 4) {
  if (!std::isfinite(value))
    return number_cell("");
  const UnitScale scale = unit == "1" ? UnitScale{} : unit_scale(unit, std::abs(value));
  return number_cell(number_with_digits(value * scale.factor, digits) + (scale.unit.empty() ? "" : ' ' + scale.unit));
}

void write_published(const PaperSection& section, std::ostream& out) {
  if (section.published.empty())
    return;
  write_head({"published in " + section.source, "paper", "here", "here / paper"}, out);
  for (const PublishedValue& published : section.published) {
    const double ours = value_of(published, section.results.tables);
    out << "<tr><td>" << escaped(published.what) << "</td>" << cell(published.value, published.unit)
        << (std::isfinite(ours) ? cell(ours, published.unit) + cell(ours / published.value, "1", 3)
                                : "<td>not measured</td><td></td>")
        << "</tr>\n";
  }
  out << "</tbody></table></div>\n";
}

void write_table(const BenchTable& table, const std::vector<std::string>& more, std::ostream& out) {
  std::vector<std::size_t> shown;
  std::vector<std::string> names{"case", "method", "part"};
  std::vector<std::string> wanted{table.over, "median", "slowest"};
  wanted.insert(wanted.end(), more.begin(), more.end());
  for (const std::string& name : wanted)
    if (table.has_column(name)) {
      shown.push_back(table.column(name));
      names.push_back(name);
    }
  names.emplace_back("");
  write_head(names, out);
  for (const BenchRow& row : table.rows) {
    out << "<tr><td>" << escaped(row.case_name) << "</td><td>" << escaped(row.method) << "</td><td>"
        << escaped(row.part) << "</td>";
    for (const std::size_t c : shown)
      out << cell(row.values[c], table.columns[c].name == table.over ? "1" : table.columns[c].unit,
                  table.columns[c].name == table.over ? 12 : 4);
    out << "<td>" << escaped(row.note) << "</td></tr>\n";
  }
  out << "</tbody></table></div>\n";
}

} // namespace

double value_of(const PublishedValue& published, const std::vector<BenchTable>& tables) {
  double found = std::numeric_limits<double>::quiet_NaN();
  for (const BenchTable& table : tables)
    if (table.has_column(published.column))
      for (const BenchRow& row : table.rows)
        if (row.method == published.method && row.part == published.part &&
            (published.case_name.empty() || row.case_name == published.case_name))
          found = table.value(row, published.column);
  return found;
}

void write_paper_page(const std::string& path, const PaperFacts& facts, const std::vector<PaperSection>& sections) {
  AtomicFile file(path);
  std::ostream& out = file.stream();
  begin_document(facts.title, facts.authors, out);
  write_remark("Hardware of the paper: " + facts.hardware, out);
  if (!sections.empty())
    write_remark("Hardware here: " + sections.front().results.caption, out);
  std::string commands;
  for (const PaperSection& section : sections) {
    out << "<h2>" << escaped(section.source + ": " + section.title) << "</h2>\n";
    if (!section.remark.empty())
      write_remark(section.remark, out);
    write_published(section, out);
    if (*cairo_version() != '\0')
      for (const BenchChart& drawn : section.results.charts())
        out << figure(draw_chart(drawn.chart, {PictureFormat::svg}), drawn.name);
    if (section.has_charts_only)
      continue;
    for (const BenchTable& table : section.results.tables)
      write_table(table, section.columns, out);
    commands += section.command + '\n';
  }
  end_document("Commands", commands, out);
  file.commit();
}

} // namespace tessera::io::pictures
