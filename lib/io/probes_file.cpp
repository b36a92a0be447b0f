// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/probes_file.hpp"

#include "io/atomic_file.hpp"
#include "io/input_text.hpp"

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

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (const char c : text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

void write_table(const std::string& path, const std::vector<TableColumn>& columns) {
  AtomicFile target(path);
  std::ostream& file = target.stream();
  const auto write_row = [&](const auto& text_of) {
    for (std::size_t c = 0; c < columns.size(); ++c)
      file << (c > 0 ? "," : "") << text_of(columns[c]);
    file << '\n';
  };
  write_row([](const TableColumn& column) { return csv_cell(column.name + " [" + column.unit + ']'); });
  for (std::size_t i = 0; i < columns.at(0).values.size(); ++i)
    write_row([i](const TableColumn& column) { return csv_number(column.values[i]); });
  target.commit();
}

void write_rows(const std::string& path, const std::vector<std::vector<std::string>>& rows) {
  AtomicFile target(path);
  for (const std::vector<std::string>& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c)
      target.stream() << csv_cell(row[c]) << (c + 1 < row.size() ? ',' : '\n');
  target.commit();
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

void write_probe_file(const std::string& path, const std::vector<std::array<double, 3>>& positions,
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
  write_table(path, table);
}

} // namespace tessera::io
