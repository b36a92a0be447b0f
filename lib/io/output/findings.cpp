// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/output/findings.hpp"

#include <algorithm>
#include <sstream>

namespace tessera::io {

namespace {

ReportNode node_of(const QuantityValue& quantity) {
  return ReportNode::row({{"value", quantity.value},
                          {"unit", ReportNode::unless_empty(quantity.unit)},
                          {"at", ReportNode::unless_empty(quantity.place.at)},
                          {"from", ReportNode::unless_empty(quantity.place.from)},
                          {"to", ReportNode::unless_empty(quantity.place.towards)}});
}

/// "from a to b", "at (0.1, 0.2) m", or nothing.
std::string text_of(const Place& place, int digits) {
  std::ostringstream text;
  text.precision(digits);
  if (!place.from.empty())
    text << "from " << place.from << " to " << place.towards;
  for (std::size_t d = 0; d < place.at.size(); ++d)
    text << (d == 0 ? "at (" : ", ") << place.at[d];
  if (!place.at.empty())
    text << ") m";
  return text.str();
}

/// The node at these keys, separated by dots.
ReportNode& node_at(ReportNode& root, const std::string& keys) {
  if (keys.empty())
    return root;
  const std::size_t dot = keys.find('.');
  ReportNode& next = root[keys.substr(0, dot)];
  return dot == std::string::npos ? next : node_at(next, keys.substr(dot + 1));
}

std::size_t rank_of(const Finding& finding, const Findings::Order& order) {
  const std::string top = finding.section.empty() ? finding.name : finding.section.substr(0, finding.section.find('.'));
  auto found = std::find(order.begin(), order.end(), top);
  if (found == order.end())
    found = std::find(order.begin(), order.end(), "");
  return static_cast<std::size_t>(found - order.begin());
}

} // namespace

std::string column_name(const QuantityValue& quantity) {
  return quantity.name + " [" + (quantity.unit.empty() ? "1" : quantity.unit) + "]";
}

void Findings::add_facts(const std::string& section, ReportNode::Entries facts) {
  for (const auto& [name, value] : facts)
    if (!value.empty())
      list_.push_back({section, name, value});
}

void Findings::add_item(const std::string& section, ReportNode item) {
  list_.push_back({section, "", std::move(item)});
}

void Findings::add_quantity(QuantityValue quantity) {
  list_.push_back({"quantities", quantity.name, node_of(quantity), {quantity}, quantity.name});
}

void Findings::add_line(const std::string& section, const std::string& label, const std::string& text, TextRows table) {
  list_.push_back({section, "", {}, {}, label, text, std::move(table)});
}

std::vector<const Finding*> Findings::ordered(const Order& order) const {
  std::vector<std::pair<std::size_t, const Finding*>> ranked;
  for (const Finding& finding : list_)
    if (const std::size_t rank = rank_of(finding, order); rank < order.size())
      ranked.emplace_back(rank, &finding);
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const Finding*> found;
  for (const auto& entry : ranked)
    found.push_back(entry.second);
  return found;
}

std::vector<QuantityValue> Findings::numbers(const Order& order) const {
  std::vector<QuantityValue> numbers;
  for (const Finding* finding : ordered(order))
    numbers.insert(numbers.end(), finding->numbers.begin(), finding->numbers.end());
  return numbers;
}

bool Findings::has_file(const std::string& name) const {
  return std::any_of(list_.begin(), list_.end(), [&](const Finding& finding) { return finding.file == name; });
}

void Findings::add_to(ReportNode& report, const Order& order) const {
  for (const Finding* finding : ordered(order))
    if (!finding->value.empty()) {
      ReportNode& parent = node_at(report, finding->section);
      (finding->name.empty() ? parent.append() : parent[finding->name]) = finding->value;
    }
}

void Findings::print(Console& console, const Order& order) const {
  for (const Finding* finding : ordered(order)) {
    if (!finding->text.empty() && finding->label.empty())
      console.line(finding->text);
    else if (!finding->text.empty())
      console.item(finding->label, finding->text);
    else if (!finding->label.empty())
      for (const QuantityValue& number : finding->numbers)
        console.quantity(finding->label, number.value, number.unit, text_of(number.place, place_digits));
    if (!finding->table.empty())
      console.table(finding->table.front(), {finding->table.begin() + 1, finding->table.end()});
  }
}

} // namespace tessera::io
