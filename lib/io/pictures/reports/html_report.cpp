// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/pictures/reports/html_report.hpp"

#include "io/atomic_file.hpp"
#include "io/input/physics_traits.hpp"
#include "io/output/console.hpp"
#include "io/output/findings.hpp"
#include "io/pictures/chart.hpp"
#include "io/pictures/field_picture.hpp"
#include "io/pictures/reports/html.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

namespace tessera::io::pictures {

namespace {

double number_at(const YamlNode& node, const std::vector<std::string>& keys) {
  return std::strtod(text_at(node, keys).c_str(), nullptr);
}

void write_quantities(const RunResults& results, std::ostream& out) {
  const YamlNode* quantities = results.report.find("quantities");
  const YamlNode* errors = results.report.find("errors");
  if (quantities != nullptr && !quantities->items.empty()) {
    const bool has_errors = errors != nullptr && !errors->items.empty();
    const bool has_estimates =
        std::any_of(quantities->items.begin(), quantities->items.end(),
                    [](const YamlNode& entry) { return entry.find("estimated_error") != nullptr; });
    out << "<h2>Quantities</h2>\n<div class=\"wide\"><table><thead><tr><th>quantity</th><th>value</th><th>unit</th>"
        << (has_estimates ? "<th>estimated error</th>" : "") << (has_errors ? "<th>relative error</th>" : "")
        << "</tr></thead><tbody>\n";
    for (std::size_t i = 0; i < quantities->items.size(); ++i) {
      const YamlNode& entry = quantities->items[i];
      const std::string& name = quantities->keys[i];
      out << "<tr><th>" << escaped(name) << "</th>"
          << quantity_cells(number_at(entry, {"value"}), text_at(entry, {"unit"}), text_at(entry, {"value"}));
      if (has_estimates)
        out << "<td class=\"number\">"
            << (entry.find("estimated_error") == nullptr
                    ? ""
                    : escaped(error_text(number_at(entry, {"value"}), number_at(entry, {"estimated_error"}),
                                         text_at(entry, {"unit"}))))
            << "</td>";
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
  // with the key of its members
  std::vector<std::pair<std::string, std::string>> kinds{{"inductance_matrix", "coils"}};
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

std::vector<std::string> texts_of(const YamlNode* list) {
  std::vector<std::string> texts;
  if (list != nullptr)
    for (const YamlNode& item : list->items)
      texts.push_back(item.text);
  return texts;
}

void write_pictures(const RunResults& results, std::ostream& out) {
  if (!results.has_fields()) {
    write_remark("The run wrote no file of fields, so that there are no pictures of them.", out);
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
    if (file.find(field) != nullptr && file.find(field)->is_phasor && field == fields[0]) {
      wanted.phase = 0.;
      out << figure(draw_field(results, file, wanted, size), "The field " + field + " at phase 0");
      wanted.phase.reset();
    }
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
         "<th class=\"share\"></th><th>peak memory</th><th class=\"share\"></th></tr></thead><tbody>\n";
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

/// Rounds of adaptive refinement, with the times of set-up in each if they were compared.
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

/// Returns the path.
std::string write_document(const std::string& directory, const std::string& text) {
  AtomicFile file(directory + "/" + html_report_name);
  file.stream() << text;
  file.commit();
  return file.path();
}

} // namespace

std::string html_report(const RunResults& results) {
  const YamlNode& report = results.report;
  std::ostringstream out;
  begin_document(results.title,
                 std::string(results.physics->name) + (results.is_axisymmetric ? ", axisymmetric" : "") + "; Tessera " +
                     text_at(report, {"versions", "tessera"}) + ", " + text_at(report, {"device"}),
                 out);
  const bool converged = text_at(report, {"solver", "converged"}) == "true";
  write_verdict(converged && report.find("failures") == nullptr,
                (converged ? "The solver converged. Status: "
                           : "The solver did not converge: the results are not a solution. Status: ") +
                    text_at(report, {"solver", "status"}) + ", " + text_at(report, {"solver", "iterations"}) +
                    " iterations.",
                out);
  write_list(texts_of(report.find("failures")), "Failures", true, out);
  write_quantities(results, out);
  write_matrices(results, out);
  write_list(texts_of(report.find("notes")), "Notes", false, out);
  write_pictures(results, out);
  Chart chart;
  if (convergence_chart(results, chart))
    out << "<h2>Convergence</h2>\n" << figure(draw_chart(chart, {}), "Residuals over iterations");
  write_rounds(results, out);
  write_phases(results, out);
  write_facts(report,
              {"versions", "backend", "device", "threads", "processes", "mesh", "discretization", "assembly", "solver",
               "checksums", "run_id"},
              out);
  end_document("Input with all defaults", results.resolved_text, out);
  return out.str();
}

std::string write_html_report(const RunResults& results) {
  return write_document(results.directory, html_report(results));
}

std::string write_html_report(const SweepResults& results) {
  return write_document(results.directory, html_report(results));
}

std::string write_html_report(const std::string& directory) {
  return is_sweep(directory) ? write_html_report(read_sweep_results(directory))
                             : write_html_report(read_results(directory));
}

} // namespace tessera::io::pictures
