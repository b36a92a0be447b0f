// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/output/sweep_table.hpp"

#include "core/error.hpp"
#include "io/input/input_text.hpp"
#include "io/output/probes_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace tessera::io {

namespace {

constexpr std::size_t max_table_bytes = std::size_t{1} << 30;
constexpr const char* first_column = "point";
const std::vector<std::string>& last_columns() {
  static const std::vector<std::string> names{"state", "iterations", "seconds", "taken", "input"};
  return names;
}

/// Whether the column is that of a quantity: only these have units, possibly empty.
bool is_number_column(const std::string& name) { return !name.empty() && name.back() == ']'; }

} // namespace

const std::string* SweepRow::find(const std::string& number) const {
  for (const auto& entry : numbers)
    if (entry.first == number)
      return &entry.second;
  return nullptr;
}

std::vector<std::string> SweepTable::numbers() const {
  std::vector<std::string> names;
  for (const auto& row : rows)
    for (const auto& number : row.second.numbers)
      if (std::find(names.begin(), names.end(), number.first) == names.end())
        names.push_back(number.first);
  return names;
}

std::string short_name(const std::string& key) { return key.substr(key.rfind('.') + 1); }

bool is_exact_value(const std::string& key) {
  const std::string section = "verification.";
  return key.compare(0, section.size(), section) == 0;
}

void write_sweep_table(const std::string& path, const SweepTable& table) {
  const std::vector<std::string> numbers = table.numbers();
  std::vector<std::vector<std::string>> lines(1);
  std::vector<std::string>& head = lines.front();
  head.push_back(first_column);
  head.insert(head.end(), table.keys.begin(), table.keys.end());
  head.insert(head.end(), numbers.begin(), numbers.end());
  head.insert(head.end(), last_columns().begin(), last_columns().end());
  for (const auto& [number, row] : table.rows) {
    std::vector<std::string> line{std::to_string(number)};
    line.insert(line.end(), row.values.begin(), row.values.end());
    for (const std::string& name : numbers) {
      const std::string* text = row.find(name);
      line.push_back(text == nullptr ? "" : *text);
    }
    for (const std::string& text : {row.state, row.iterations, row.seconds, row.taken, row.input})
      line.push_back(text);
    lines.push_back(std::move(line));
  }
  write_rows(path, lines);
}

SweepTable read_sweep_table(const std::string& path) {
  SweepTable table;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return table;
  const std::vector<std::vector<std::string>> lines = read_rows(path, max_table_bytes);
  const auto require = [&](bool is_fine) { TESSERA_REQUIRE(is_fine, path << " is no table of a sweep."); };
  require(!lines.empty());
  const std::vector<std::string>& head = lines.front();
  const std::size_t n_last = last_columns().size();
  require(head.size() > n_last + 1 && head.front() == first_column &&
          std::equal(last_columns().begin(), last_columns().end(), head.end() - static_cast<long>(n_last)));
  std::size_t n_before = 1; // columns before the numbers
  while (!is_number_column(head[n_before]) && n_before + n_last < head.size())
    ++n_before;
  table.keys.assign(head.begin() + 1, head.begin() + static_cast<long>(n_before));
  const std::size_t end = head.size() - n_last;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string>& line = lines[i];
    require(line.size() == head.size());
    SweepRow row;
    row.values.assign(line.begin() + 1, line.begin() + static_cast<long>(n_before));
    for (std::size_t c = n_before; c < end; ++c)
      if (!line[c].empty())
        row.numbers.emplace_back(head[c], line[c]);
    row.state = line[end];
    row.iterations = line[end + 1];
    row.seconds = line[end + 2];
    row.taken = line[end + 3];
    row.input = line[end + 4];
    table.rows[std::atoi(line.front().c_str())] = std::move(row);
  }
  return table;
}

} // namespace tessera::io
