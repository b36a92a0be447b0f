// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/plan/quantity_list.hpp"

#include "io/output/probes_file.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace tessera::driver {

bool wants(const io::Case& input, io::Quantity quantity) {
  const auto& asked = input.output.quantities;
  return std::find(asked.begin(), asked.end(), quantity) != asked.end();
}

void add_quantity(Results& results, const std::string& name, double value, const std::string& unit) {
  results.quantities.push_back({name, value, unit});
  if (!std::isfinite(value))
    results.failures.push_back("The quantity " + name + " is " + io::number_text(value) +
                               ": numbers on its way are too large for double precision.");
  else if (std::fpclassify(value) == FP_SUBNORMAL)
    results.notes.push_back("The quantity " + name + " is so small that double precision keeps few of its digits.");
}

void add_table(Results& results, const std::string& name, const std::string& member,
               const std::vector<std::string>& members, const std::vector<std::string>& heads) {
  QuantityTable table{name, member, members, {}, {}};
  table.values.resize(members.size());
  std::unordered_map<std::string, const QuantityValue*> by_name;
  for (const QuantityValue& quantity : results.quantities)
    by_name[quantity.name] = &quantity;
  for (const std::string& head : heads) {
    std::vector<const QuantityValue*> found(members.size(), nullptr);
    const QuantityValue* any = nullptr;
    for (std::size_t m = 0; m < members.size(); ++m)
      if (const auto quantity = by_name.find(head + "." + members[m]); quantity != by_name.end())
        any = found[m] = quantity->second;
    if (any == nullptr)
      continue;
    table.columns.push_back(head + " [" + (any->unit.empty() ? "1" : any->unit) + "]");
    for (std::size_t d = 0; d < any->at.size(); ++d)
      table.columns.push_back(head + "_" + "xyz"[d] + " [m]");
    for (std::size_t m = 0; m < members.size(); ++m) {
      table.values[m].push_back(found[m] != nullptr ? found[m]->value : std::nan(""));
      for (std::size_t d = 0; d < any->at.size(); ++d)
        table.values[m].push_back(found[m] != nullptr ? found[m]->at[d] : std::nan(""));
    }
  }
  results.tables.push_back(table);
}

void write_quantities(const std::vector<QuantityValue>& quantities, const io::OutputDirectory& output) {
  std::vector<io::TableColumn> columns;
  for (const QuantityValue& quantity : quantities)
    columns.push_back({quantity.name, quantity.unit.empty() ? "1" : quantity.unit, {quantity.value}});
  if (!columns.empty())
    io::write_table(output.file(quantities_file_name), columns);
}

void write_tables(const std::vector<QuantityTable>& tables, const io::OutputDirectory& output) {
  for (const QuantityTable& table : tables) {
    std::vector<std::vector<std::string>> rows{{table.member}};
    rows[0].insert(rows[0].end(), table.columns.begin(), table.columns.end());
    for (std::size_t m = 0; m < table.members.size(); ++m) {
      rows.push_back({table.members[m]});
      for (const double value : table.values[m])
        rows.back().push_back(io::csv_number(value));
    }
    io::write_rows(output.file(table.name + ".csv"), rows);
  }
}

} // namespace tessera::driver
