// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/output/findings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

namespace tessera::io {

namespace {

ReportNode node_of(const QuantityValue& quantity) {
  ReportNode node = ReportNode::row({{"value", quantity.value},
                                     {"unit", ReportNode::unless_empty(quantity.unit)},
                                     {"at", ReportNode::unless_empty(quantity.place.at)},
                                     {"from", ReportNode::unless_empty(quantity.place.from)},
                                     {"to", ReportNode::unless_empty(quantity.place.towards)}});
  if (quantity.place.rounding > 0.)
    node["rounding"] = quantity.place.rounding;
  return node;
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

/// Appends the errors of a finding's numbers to them. Returns false, without a change, if one has no estimate.
bool add_errors(const std::map<std::string, Estimate>& estimates, std::vector<QuantityValue>& numbers) {
  std::vector<QuantityValue> errors;
  for (const QuantityValue& number : numbers)
    if (const auto found = estimates.find(number.name); found != estimates.end())
      errors.push_back({estimated_error + number.name, found->second.error, number.unit});
  if (errors.size() != numbers.size())
    return false;
  numbers.insert(numbers.end(), errors.begin(), errors.end());
  return true;
}

/// The number with its unit and, if it has one, its error: for the console.
std::string unit_and_error(const std::vector<QuantityValue>& numbers) {
  const QuantityValue& number = numbers.front();
  if (numbers.size() == 1)
    return number.unit;
  return number.unit + (number.unit.empty() ? "" : " ") + error_text(number.value, numbers[1].value, number.unit);
}

/// For report and console, below a matrix with errors: these, and the entries on the finer mesh, by row and column.
std::vector<Finding> estimates_of_matrix(const Finding& matrix, const std::map<std::string, Estimate>& estimates) {
  const std::size_t n_entries = matrix.numbers.size() / 2;
  const auto n = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(n_entries))));
  ReportNode errors;
  ReportNode refined;
  double largest = 0.;
  double largest_error = 0.;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> row_of_errors;
    std::vector<double> row_of_refined;
    for (std::size_t j = 0; j < n; ++j) {
      const QuantityValue& entry = matrix.numbers[i * n + j];
      const Estimate& estimate = estimates.at(entry.name);
      row_of_errors.push_back(estimate.error);
      row_of_refined.push_back(estimate.refined);
      largest = std::max(largest, std::fabs(entry.value));
      largest_error = std::max(largest_error, estimate.error);
    }
    errors.append() = row_of_errors;
    refined.append() = row_of_refined;
  }
  const std::string section = matrix.section + ".estimates." + matrix.name;
  const std::string text = error_text(largest, largest_error, matrix.numbers.front().unit) + " of the largest entry";
  return {{section, "error", errors, {}, matrix.name, text}, {section, "refined", refined}};
}

std::size_t rank_of(const Finding& finding, const Findings::Order& order) {
  const std::string top = finding.section.empty() ? finding.name : finding.section.substr(0, finding.section.find('.'));
  auto found = std::find(order.begin(), order.end(), top);
  if (found == order.end())
    found = std::find(order.begin(), order.end(), "");
  return static_cast<std::size_t>(found - order.begin());
}

} // namespace

std::string error_text(double value, double error, const std::string& unit) {
  const double percent = 100. * error / std::fabs(value);
  char text[64];
  if (!(percent <= 100.)) {
    std::snprintf(text, sizeof(text), "+- %.2g", error);
    return unit.empty() ? text : std::string(text) + ' ' + unit;
  }
  std::snprintf(text, sizeof(text), percent < 9.5 ? "+- %.2g %%" : "+- %.0f %%", percent);
  return text;
}

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

void Findings::set_estimates(const std::map<std::string, Estimate>& estimates) {
  std::vector<Finding> list;
  for (Finding& finding : list_) {
    const bool has_errors =
        !finding.numbers.empty() && finding.section != "errors" && add_errors(estimates, finding.numbers);
    const bool is_quantity = finding.section == "quantities";
    if (has_errors && is_quantity) {
      finding.value["estimated_error"] = finding.numbers[1].value;
      finding.value["refined"] = estimates.at(finding.name).refined;
    }
    list.push_back(std::move(finding));
    if (has_errors && !is_quantity)
      for (Finding& below : estimates_of_matrix(list.back(), estimates))
        list.push_back(std::move(below));
  }
  list_ = std::move(list);
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
    else if (!finding->label.empty() && !finding->numbers.empty())
      console.quantity(finding->label, finding->numbers.front().value, unit_and_error(finding->numbers),
                       text_of(finding->numbers.front().place, place_digits));
    if (!finding->table.empty())
      console.table(finding->table.front(), {finding->table.begin() + 1, finding->table.end()});
  }
}

} // namespace tessera::io
