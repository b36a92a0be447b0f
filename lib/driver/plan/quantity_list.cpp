// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/plan/quantity_list.hpp"

#include "io/output/probes_file.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace tessera::driver {

bool wants(const io::Case& input, io::Quantity quantity) {
  const auto& requested = input.output.quantities;
  return std::find(requested.begin(), requested.end(), quantity) != requested.end();
}

void add_quantity(Results& results, const std::string& name, double value, const std::string& unit,
                  const io::Place& place) {
  results.findings.add_quantity({name, value, unit, place});
  if (!std::isfinite(value))
    results.failures.push_back("The quantity " + name + " is " + io::number_text(value) +
                               ": numbers on its way are too large for double precision.");
  else if (std::fpclassify(value) == FP_SUBNORMAL)
    results.notes.push_back("The quantity " + name + " is so small that double precision keeps few of its digits.");
}

void add_table(Results& results, const std::string& name, const std::string& member,
               const std::vector<std::string>& members, const std::vector<std::string>& heads) {
  io::Finding table{""};
  table.file = name + ".csv";
  table.rows = {{member}};
  for (const std::string& one : members)
    table.rows.push_back({one});
  const std::vector<QuantityValue> quantities = results.findings.numbers({"quantities"});
  std::unordered_map<std::string, const QuantityValue*> by_name;
  for (const QuantityValue& quantity : quantities)
    by_name[quantity.name] = &quantity;
  for (const std::string& head : heads) {
    std::vector<const QuantityValue*> found(members.size(), nullptr);
    const QuantityValue* any = nullptr;
    for (std::size_t m = 0; m < members.size(); ++m)
      if (const auto quantity = by_name.find(head + "." + members[m]); quantity != by_name.end())
        any = found[m] = quantity->second;
    if (any == nullptr)
      continue;
    const std::size_t dimension = any->place.at.size();
    table.rows[0].push_back(io::column_name({head, 0., any->unit}));
    for (std::size_t d = 0; d < dimension; ++d)
      table.rows[0].push_back(head + "_" + "xyz"[d] + " [m]");
    for (std::size_t m = 0; m < members.size(); ++m) {
      std::vector<std::string>& row = table.rows[m + 1];
      row.push_back(found[m] != nullptr ? io::csv_number(found[m]->value) : "");
      for (std::size_t d = 0; d < dimension; ++d)
        row.push_back(found[m] != nullptr ? io::csv_number(found[m]->place.at[d]) : "");
    }
  }
  results.findings.add(std::move(table));
}

void write_quantities(const io::Findings& findings, const io::OutputDirectory& output) {
  std::vector<io::TableColumn> columns;
  for (const QuantityValue& quantity : findings.numbers({"quantities"}))
    columns.push_back({quantity.name, quantity.unit.empty() ? "1" : quantity.unit, {quantity.value}});
  if (!columns.empty())
    io::write_table(output.file(quantities_file_name), columns);
}

void write_tables(const io::Findings& findings, std::size_t first, const io::OutputDirectory& output) {
  for (std::size_t k = first; k < findings.list().size(); ++k)
    if (const io::Finding& finding = findings.list()[k]; !finding.file.empty())
      io::write_rows(output.file(finding.file), finding.rows);
}

} // namespace tessera::driver
