// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/probes_file.hpp"

#include "io/atomic_file.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace tessera::io {

namespace {

/// Shortest text that reads back as the same number.
std::string number(double value) {
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

/// In quotes if it has a comma or quotes, which are then doubled.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"") == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (const char c : text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

} // namespace

void write_table(const std::string& path, const std::vector<TableColumn>& columns) {
  AtomicFile target(path);
  std::ostream& file = target.stream();
  const auto write_row = [&](const auto& text_of) {
    for (std::size_t c = 0; c < columns.size(); ++c)
      file << (c > 0 ? "," : "") << text_of(columns[c]);
    file << '\n';
  };
  write_row([](const TableColumn& column) { return cell(column.name + " [" + column.unit + ']'); });
  for (std::size_t i = 0; i < columns.at(0).values.size(); ++i)
    write_row([i](const TableColumn& column) { return number(column.values[i]); });
  target.commit();
}

void write_rows(const std::string& path, const std::vector<std::vector<std::string>>& rows) {
  AtomicFile target(path);
  for (const std::vector<std::string>& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c)
      target.stream() << cell(row[c]) << (c + 1 < row.size() ? ',' : '\n');
  target.commit();
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
