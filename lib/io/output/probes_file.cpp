// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/output/probes_file.hpp"

#include "io/input/input_text.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace tessera::io {

std::string csv_number(double value) {
  if (std::isnan(value))
    return "";
  char text[32];
  for (int digits = 15; digits <= 17; ++digits) {
    std::snprintf(text, sizeof(text), "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value)
      break;
  }
  return text;
}

std::pair<std::string, std::string> name_and_unit(const std::string& head) {
  const std::size_t bracket = head.rfind(" [");
  if (bracket == std::string::npos || head.back() != ']')
    return {head, ""};
  return {head.substr(0, bracket), head.substr(bracket + 2, head.size() - bracket - 3)};
}

void TableFile::add(const std::vector<std::string>& cells) {
  std::ostream& file = target_.stream();
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const std::string& text = cells[c];
    file << (c > 0 ? "," : "");
    if (text.find_first_of(",\"\n\r") == std::string::npos) {
      file << text;
      continue;
    }
    file << '"';
    for (const char letter : text)
      file << (letter == '"' ? "\"" : "") << letter;
    file << '"';
  }
  file << '\n';
}

void write_table(const std::string& path, const std::vector<TableColumn>& columns) {
  TableFile file(path);
  std::vector<std::string> row(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c)
    row[c] = columns[c].texts.empty() ? columns[c].name + " [" + columns[c].unit + ']' : columns[c].name;
  file.add(row);
  for (std::size_t i = 0; i < columns.at(0).values.size(); ++i) {
    for (std::size_t c = 0; c < columns.size(); ++c)
      row[c] = columns[c].texts.empty() ? csv_number(columns[c].values[i]) : columns[c].texts[i];
    file.add(row);
  }
  file.complete();
}

void write_rows(const std::string& path, const std::vector<std::vector<std::string>>& rows) {
  TableFile file(path);
  for (const std::vector<std::string>& row : rows)
    file.add(row);
  file.complete();
}

std::vector<std::vector<std::string>> read_rows(const std::string& path, std::size_t max_bytes) {
  const FileText content = read_small_file(path, max_bytes);
  TESSERA_REQUIRE(content.error.empty(), "The table '" << printable(path, 300) << "' " << content.error << '.');
  std::vector<std::vector<std::string>> rows(1, {""});
  bool is_quoted = false;
  const std::string& text = content.text;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"')
      rows.back().back() += text[++i];
    else if (c == '"')
      is_quoted = !is_quoted;
    else if (!is_quoted && c == ',')
      rows.back().emplace_back();
    else if (!is_quoted && c == '\n')
      rows.push_back({""});
    else if (is_quoted || c != '\r')
      rows.back().back() += c;
  }
  if (rows.back() == std::vector<std::string>{""})
    rows.pop_back();
  return rows;
}

std::vector<TableColumn> probe_table(const std::vector<std::array<double, 3>>& positions,
                                     const std::vector<TableColumn>& columns, const std::vector<double>& times) {
  std::vector<TableColumn> table;
  if (!times.empty())
    table.push_back({"t", "s", times});
  for (const char* name : {"x", "y", "z"}) {
    table.push_back({name, "m", {}});
    for (const std::array<double, 3>& position : positions)
      table.back().values.push_back(position[static_cast<std::size_t>(name[0] - 'x')]);
  }
  table.insert(table.end(), columns.begin(), columns.end());
  return table;
}

} // namespace tessera::io
