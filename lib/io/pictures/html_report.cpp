// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/pictures/html_report.hpp"

#include "core/error.hpp"
#include "io/atomic_file.hpp"
#include "io/console.hpp"
#include "io/input_text.hpp"
#include "io/physics_traits.hpp"
#include "io/pictures/chart.hpp"
#include "io/pictures/field_picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace tessera::io::pictures {

namespace {

constexpr const char* style = R"(
body { font: 16px/1.45 system-ui, sans-serif; color: #1a1c20; background: #fff; max-width: 1100px; margin: 0 auto; padding: 0 1rem 3rem; }
h1 { font-size: 1.6rem; margin: 1.2rem 0 0.2rem; } h2 { font-size: 1.2rem; margin: 2rem 0 0.5rem; border-bottom: 1px solid #ccd; }
table { border-collapse: collapse; } th, td { text-align: left; padding: 0.15rem 1.2rem 0.15rem 0; vertical-align: top; }
th { font-weight: 600; } td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
thead th { border-bottom: 1px solid #889; } .subtle { color: #555b66; } .wide { overflow-x: auto; }
figure { margin: 1rem 0; break-inside: avoid; } figure img { width: 100%; max-width: 900px; height: auto; display: block; }
.good { color: #14602a; } .bad { color: #a31515; font-weight: 600; }
.bar { background: #4a6fa5; height: 0.8rem; display: inline-block; min-width: 1px; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
td.share { width: 30%; } pre { background: #f4f5f7; padding: 0.8rem; overflow-x: auto; font-size: 0.85rem; }
@media print { body { max-width: none; } h2 { break-after: avoid; } pre { white-space: pre-wrap; } }
@media (max-width: 600px) { body { font-size: 15px; } td, th { padding-right: 0.6rem; } td.share { display: none; } }
)";

/// Text of a document, without its special characters.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text)
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      result += c;
    }
  return result;
}

/// An SVG drawing as an image of its own, so that the names in it cannot meet those of others.
std::string figure(const std::string& svg, const std::string& alternative) {
  std::string url;
  for (const char c : svg)
    switch (c) {
    case '%':
      url += "%25";
      break;
    case '#':
      url += "%23";
      break;
    case '<':
      url += "%3C";
      break;
    case '>':
      url += "%3E";
      break;
    case '"':
      url += '\'';
      break;
    case '\n':
      url += ' ';
      break;
    default:
      url += c;
    }
  return "<figure><img alt=\"" + escaped(alternative) + "\" src=\"data:image/svg+xml;charset=utf-8," + url +
         "\"></figure>\n";
}

double number_at(const YamlNode& node, const std::vector<std::string>& keys) {
  return std::strtod(text_at(node, keys).c_str(), nullptr);
}

/// Shown with seven digits in a unit of readable size, and whole where the pointer rests.
std::string quantity_cells(double value, const std::string& unit, const std::string& whole) {
  const UnitScale scale = unit_scale(unit, std::abs(value));
  return "<td class=\"number\" title=\"" + escaped(whole + (unit.empty() ? "" : " " + unit)) + "\">" +
         escaped(number_with_digits(value * scale.factor, 7)) + "</td><td>" + escaped(scale.unit) + "</td>";
}

void write_quantities(const RunResults& results, std::ostream& out) {
  const YamlNode* quantities = results.report.find("quantities");
  const YamlNode* errors = results.report.find("errors");
  if (quantities != nullptr && !quantities->items.empty()) {
    const bool has_errors = errors != nullptr && !errors->items.empty();
    out << "<h2>Quantities</h2>\n<div class=\"wide\"><table><thead><tr><th>quantity</th><th>value</th><th>unit</th>"
        << (has_errors ? "<th>relative error</th>" : "") << "</tr></thead><tbody>\n";
    for (std::size_t i = 0; i < quantities->items.size(); ++i) {
      const YamlNode& entry = quantities->items[i];
      const std::string& name = quantities->keys[i];
      out << "<tr><th>" << escaped(name) << "</th>"
          << quantity_cells(number_at(entry, {"value"}), text_at(entry, {"unit"}), text_at(entry, {"value"}));
      if (has_errors)
        out << "<td class=\"number\">"
            << (errors->find(name) == nullptr ? "" : escaped(number_with_digits(number_at(*errors, {name}), 3)))
            << "</td>";
      out << "</tr>\n";
    }
    out << "</tbody></table></div>\n";
  }
  if (errors != nullptr) {
    std::string rest;
    for (std::size_t i = 0; i < errors->items.size(); ++i)
      if (quantities == nullptr || quantities->find(errors->keys[i]) == nullptr)
        rest += "<tr><th>" + escaped(errors->keys[i]) + "</th><td class=\"number\">" +
                escaped(number_with_digits(std::strtod(errors->items[i].text.c_str(), nullptr), 4)) + "</td></tr>\n";
    if (!rest.empty())
      out << "<h2>Errors against exact values</h2>\n<table><tbody>\n" << rest << "</tbody></table>\n";
  }
}

/// Matrices over conductors or coils.
void write_matrices(const RunResults& results, std::ostream& out) {
  std::vector<std::pair<std::string, std::string>> kinds{{"inductance_matrix", "coils"}}; // with the key of its members
  for (const PhysicsTraits& traits : physics_table())
    if (*traits.matrix.name != '\0')
      kinds.emplace_back(traits.matrix.name, traits.matrix.members);
  for (const auto& [name, key] : kinds) {
    const YamlNode* matrix = results.report.find(name);
    if (matrix == nullptr)
      continue;
    const YamlNode* members = matrix->find(key);
    for (std::size_t i = 0; i < matrix->items.size() && members != nullptr; ++i) {
      const YamlNode& form = matrix->items[i];
      if (form.kind != YamlNode::Kind::sequence || form.items.empty() || form.items[0].kind != YamlNode::Kind::sequence)
        continue;
      double largest = 0.;
      for (const YamlNode& row : form.items)
        for (const YamlNode& entry : row.items)
          largest = std::max(largest, std::abs(std::strtod(entry.text.c_str(), nullptr)));
      const bool has_unit = matrix->keys[i] != "coupling";
      const UnitScale scale = unit_scale(has_unit ? text_at(*matrix, {"unit"}) : "", has_unit ? largest : 1.);
      out << "<h2>" << escaped(matrix->keys[i]) << " (" << escaped(name)
          << (scale.unit.empty() ? "" : ", " + escaped(scale.unit))
          << ")</h2>\n<div class=\"wide\"><table><thead><tr><th></th>";
      for (const YamlNode& member : members->items)
        out << "<th>" << escaped(member.text) << "</th>";
      out << "</tr></thead><tbody>\n";
      for (std::size_t r = 0; r < form.items.size(); ++r) {
        out << "<tr><th>" << (r < members->items.size() ? escaped(members->items[r].text) : "") << "</th>";
        for (const YamlNode& entry : form.items[r].items)
          out << "<td class=\"number\">"
              << escaped(number_with_digits(std::strtod(entry.text.c_str(), nullptr) * scale.factor, 6)) << "</td>";
        out << "</tr>\n";
      }
      out << "</tbody></table></div>\n";
    }
  }
}

void write_list(const YamlNode* list, const std::string& title, const char* looks, std::ostream& out) {
  if (list == nullptr || list->items.empty())
    return;
  out << "<h2>" << title << "</h2>\n<ul" << looks << ">\n";
  for (const YamlNode& item : list->items)
    out << "<li>" << escaped(item.text) << "</li>\n";
  out << "</ul>\n";
}

void write_pictures(const RunResults& results, std::ostream& out) {
  if (!results.has_fields()) {
    out << "<p class=\"subtle\">The run wrote no file of fields, so that there are no pictures of them.</p>\n";
    return;
  }
  const ResultFile file = open_fields(results);
  // Sharp on most pages, and small.
  const PictureSize size{PictureFormat::svg, 960};
  const bool is_space = file.grid().dimension == 3;
  std::vector<std::string> fields{main_field(results, file)};
  for (const char* name : {results.physics->solution.name, results.physics->gradient.name})
    if (file.find(name) != nullptr && name != fields[0])
      fields.emplace_back(name);
  out << "<h2>Fields</h2>\n";
  for (const std::string& field : fields) {
    FieldPicture wanted;
    wanted.field = field;
    out << figure(draw_field(results, file, wanted, size), "The field " + field);
    if (is_space && field == fields[0]) {
      wanted.is_cut_open = true;
      out << figure(draw_field(results, file, wanted, size), "The field " + field + " in space");
    }
  }
  out << "<h2>" << (file.grid().regions.empty() ? "Mesh" : "Mesh and materials") << "</h2>\n";
  FieldPicture wanted;
  wanted.field = mesh_picture;
  wanted.is_cut_open = is_space;
  out << figure(draw_field(results, file, wanted, size), "The mesh");
}

void write_phases(const RunResults& results, std::ostream& out) {
  const YamlNode* phases = results.report.find("phases");
  if (phases == nullptr)
    return;
  double longest = 0.;
  double most = 0.;
  for (const YamlNode& phase : phases->items) {
    longest = std::max(longest, number_at(phase, {"seconds"}));
    most = std::max(most, number_at(phase, {"peak_bytes"}));
  }
  const auto bar = [](double value, double largest) {
    return "<td class=\"share\"><span class=\"bar\" style=\"width:" +
           std::to_string(largest > 0. ? std::lround(100. * value / largest) : 0) + "%\"></span></td>";
  };
  out << "<h2>Time and memory</h2>\n<div class=\"wide\"><table><thead><tr><th>phase</th><th>where</th><th>time</th>"
         "<th></th><th>peak memory</th><th></th></tr></thead><tbody>\n";
  for (const YamlNode& phase : phases->items) {
    const double seconds = number_at(phase, {"seconds"});
    const double bytes = number_at(phase, {"peak_bytes"});
    out << "<tr><th>" << escaped(text_at(phase, {"name"})) << "</th><td>" << escaped(text_at(phase, {"where"}))
        << "</td><td class=\"number\">" << escaped(format_seconds(seconds)) << "</td>" << bar(seconds, longest)
        << "<td class=\"number\">" << escaped(format_bytes(bytes)) << "</td>" << bar(bytes, most) << "</tr>\n";
  }
  out << "<tr><th>total</th><td></td><td class=\"number\">"
      << escaped(format_seconds(number_at(results.report, {"total_seconds"})))
      << "</td><td class=\"share\"></td><td class=\"number\">"
      << escaped(format_bytes(number_at(results.report, {"memory", "peak_bytes"})))
      << "</td><td class=\"share\"></td></tr>\n</tbody></table></div>\n";
}

/// Rounds of refinement, with what set-up costs in each where that was compared.
void write_rounds(const RunResults& results, std::ostream& out) {
  const YamlNode* rounds = results.report.find("adaptation");
  if (rounds == nullptr)
    return;
  std::vector<std::string> strategies;
  for (const YamlNode& round : rounds->items)
    if (const YamlNode* setup = round.find("setup"))
      for (const std::string& strategy : setup->keys)
        if (std::find(strategies.begin(), strategies.end(), strategy) == strategies.end())
          strategies.push_back(strategy);
  out << "<h2>Rounds of refinement</h2>\n<div class=\"wide\"><table><thead><tr><th>elements</th><th>unknowns</th>"
         "<th>estimated error</th><th>iterations</th>";
  for (const std::string& strategy : strategies)
    out << "<th>set-up by " << escaped(strategy) << "</th>";
  out << "</tr></thead><tbody>\n";
  for (const YamlNode& round : rounds->items) {
    out << "<tr><td class=\"number\">" << escaped(text_at(round, {"elements"})) << "</td><td class=\"number\">"
        << escaped(text_at(round, {"unknowns"})) << "</td><td class=\"number\">"
        << escaped(number_with_digits(number_at(round, {"estimated_error"}), 3)) << "</td><td class=\"number\">"
        << escaped(text_at(round, {"iterations"})) << "</td>";
    for (const std::string& strategy : strategies)
      out << "<td class=\"number\">"
          << (node_at(round, {"setup", strategy}) == nullptr
                  ? ""
                  : escaped(format_seconds(number_at(round, {"setup", strategy, "symbolic"}) +
                                           number_at(round, {"setup", strategy, "numeric"}))))
          << "</td>";
    out << "</tr>\n";
  }
  out << "</tbody></table></div>\n";
}

/// Rows of the scalars below a node; of lists the entries that are scalars.
void write_rows(const YamlNode& node, const std::string& name, std::ostream& out) {
  if (node.kind == YamlNode::Kind::map) {
    for (std::size_t i = 0; i < node.items.size(); ++i)
      if (node.keys[i] != "step_length")
        write_rows(node.items[i], (name.empty() ? "" : name + ".") + node.keys[i], out);
    return;
  }
  std::string text = node.text;
  for (const YamlNode& item : node.items)
    if (item.kind == YamlNode::Kind::scalar)
      text += (text.empty() ? "" : ", ") + item.text;
  if (!text.empty())
    out << "<tr><th>" << escaped(name) << "</th><td>" << escaped(text) << "</td></tr>\n";
}

} // namespace

std::string html_report(const RunResults& results) {
  const YamlNode& report = results.report;
  std::ostringstream out;
  out << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width, initial-scale=1\">\n<title>"
      << escaped(results.title) << "</title>\n<style>" << style << "</style></head>\n<body>\n<h1>"
      << escaped(results.title) << "</h1>\n<p class=\"subtle\">" << escaped(results.physics->name)
      << (results.is_axisymmetric ? ", axisymmetric" : "") << "; Tessera "
      << escaped(text_at(report, {"versions", "tessera"})) << ", " << escaped(text_at(report, {"device"})) << "</p>\n";
  const bool converged = text_at(report, {"solver", "converged"}) == "true";
  const bool failed = !converged || report.find("failures") != nullptr;
  out << "<p class=\"" << (failed ? "bad" : "good") << "\">"
      << (!converged ? "The solver did not converge: the results are not a solution. Status: "
                     : "The solver converged. Status: ")
      << escaped(text_at(report, {"solver", "status"})) << ", " << escaped(text_at(report, {"solver", "iterations"}))
      << " iterations.</p>\n";
  write_list(report.find("failures"), "Failures", " class=\"bad\"", out);
  write_quantities(results, out);
  write_matrices(results, out);
  write_list(report.find("notes"), "Notes", "", out);
  write_pictures(results, out);
  Chart chart;
  if (convergence_chart(results, chart))
    out << "<h2>Convergence</h2>\n" << figure(draw_chart(chart, {}), "Residuals over iterations");
  write_rounds(results, out);
  write_phases(results, out);
  out << "<h2>How it was computed</h2>\n<div class=\"wide\"><table><tbody>\n";
  for (const char* key : {"versions", "backend", "device", "threads", "processes", "mesh", "discretization", "assembly",
                          "solver", "checksums", "run_id"})
    if (const YamlNode* node = report.find(key))
      write_rows(*node, key, out);
  out << "</tbody></table></div>\n<h2>Input with all defaults</h2>\n<pre>" << escaped(results.resolved_text)
      << "</pre>\n</body></html>\n";
  return out.str();
}

std::string write_html_report(const RunResults& results) {
  const std::string text = html_report(results);
  AtomicFile file(results.file(html_report_name));
  file.stream() << text;
  file.commit();
  return file.path();
}

} // namespace tessera::io::pictures
