// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/bench/scaling.hpp"

#include "core/error.hpp"
#include "io/input/case_reader.hpp"

#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <regex>
#include <sstream>

namespace tessera::driver {

namespace {

constexpr char separator = '\t';

/// Splits a line at tabulators.
std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> parts(1);
  for (const char c : line)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

} // namespace

io::Case scaling_case(const std::string& name, const std::string& backend, const std::vector<io::Override>& overrides) {
  static const std::regex form("(dg-)?(tri|tet)-p([1-8])-([0-9]{1,5})(\\+[0-9])?");
  std::smatch match;
  const bool has_form = std::regex_match(name, match, form);
  TESSERA_REQUIRE(has_form && (match[1].matched || match[3].str() < "3") && std::atoi(match[4].str().c_str()) > 0,
                  "bench scaling: '" << name
                                     << "' is no mesh of it. Its form is [dg-]tri|tet-pORDER-CELLS[+REFINEMENTS]"
                                     << " with an order of 1 or 2, of dg up to 8, for example tri-p1-1000 or "
                                     << "dg-tet-p2-16.");
  const bool is_plane = match[2] == "tri";
  const std::string cells = match[4];
  std::ostringstream text;
  text << "tessera: 1\nmesh:\n  box: {cells: [" << cells << ", " << cells << (is_plane ? "" : ", " + cells) << "]}\n";
  if (match[5].matched)
    text << "  refine: " << match[5].str().substr(1) << '\n';
  text
      << "problem:\n  physics: diffusion\n  materials:\n    domain: {diffusivity: 1}\n  sources:\n    domain: {source: "
         "1}\n  boundaries:\n";
  for (const char* side : {"left", "right", "bottom", "top", "back", "front"})
    if (!is_plane || (side[0] != 'f' && std::string(side) != "back"))
      text << "    " << side << ": {value: 0}\n";
  text << "discretization: {method: " << (match[1].matched ? "dg" : "cg") << ", order: " << match[3] << "}\n"
       << "execution: {backend: " << backend << "}\n"
       << "output: {fields: []}\n";
  return io::read_case_text(text.str(), name, overrides);
}

void lengthen(io::Case& input, int copies) {
  TESSERA_REQUIRE(input.mesh.source == io::MeshSource::box,
                  input.file << ": a problem that grows with the number of processes needs mesh.box.");
  io::BoxOptions& box = input.mesh.box;
  box.cells[0] *= copies;
  box.upper[0] = box.lower[0] + copies * (box.upper[0] - box.lower[0]);
  input.mesh.agglomerate.elements *= copies;
}

void add_scaling_row(io::BenchTable& table, const std::string& case_name, const ScalingRow& row, int n_processes) {
  io::BenchRow& added = table.add(row.what);
  added.case_name = case_name;
  added.problem = case_name;
  added.method = "processes";
  added.part = row.what;
  added.note = row.note;
  table.set("processes", n_processes);
  table.set("slowest", row.slowest);
  table.set("mean", row.mean);
  if (row.waiting > 0.)
    table.set("waiting", row.waiting);
  if (row.messages > 0.)
    table.set("messages", row.messages);
}

void write_figures(const std::string& path, const std::vector<ScalingFigures>& figures) {
  std::ofstream file(path);
  file << std::setprecision(17);
  for (const ScalingFigures& one : figures) {
    file << one.title << separator << one.processes << separator << one.rows.size() << '\n';
    for (const ScalingRow& row : one.rows)
      file << row.what << separator << row.slowest << separator << row.mean << separator << row.waiting << separator
           << row.messages << separator << row.note << '\n';
  }
  file.close();
  TESSERA_REQUIRE_KIND(file.good(), ErrorKind::resource, "Cannot write the file '" << path << "'.");
}

std::vector<ScalingFigures> read_figures(const std::string& path) {
  std::vector<ScalingFigures> figures;
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    const std::vector<std::string> head = split(line);
    TESSERA_REQUIRE(head.size() == 3, "The file of figures '" << path << "' is damaged.");
    figures.push_back({head[0], head[1], {}});
    for (int k = std::atoi(head[2].c_str()); k > 0; --k) {
      TESSERA_REQUIRE(std::getline(file, line), "The file of figures '" << path << "' is incomplete.");
      const std::vector<std::string> parts = split(line);
      TESSERA_REQUIRE(parts.size() == 6, "The file of figures '" << path << "' is damaged.");
      const auto number = [&](std::size_t i) { return std::strtod(parts[i].c_str(), nullptr); };
      figures.back().rows.push_back({parts[0], number(1), number(2), number(3), number(4), parts[5]});
    }
  }
  return figures;
}

} // namespace tessera::driver
