// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/compare/result_differences.hpp"

#include "core/error.hpp"
#include "driver/compare/field_differences.hpp"
#include "io/output/findings.hpp"
#include "io/output/probes_file.hpp"
#include "io/pictures/reports/run_results.hpp"
#include "io/pictures/reports/sweep_results.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

namespace tessera::driver {

namespace {

using io::YamlNode;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double least_share = 1e-3; // of the largest number of a unit, see ComparedNumber

/// Numbers of a run, in its order.
using Numbers = std::vector<io::QuantityValue>;

/// A number of a report or table; NaN for .nan, .inf and texts that are not entirely a number.
double number_of(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return text.empty() || end != text.c_str() + text.size() ? std::numeric_limits<double>::quiet_NaN() : value;
}

bool is_list(const YamlNode& node) { return node.kind == YamlNode::Kind::sequence; }

/// Whether a node is a list of rows of `n` numbers each.
bool is_matrix(const YamlNode& node, std::size_t n) {
  return is_list(node) && node.items.size() == n &&
         std::all_of(node.items.begin(), node.items.end(),
                     [n](const YamlNode& row) { return is_list(row) && row.items.size() == n; });
}

/// Adds the matrices of a report: maps with a unit, a list of names, and forms with as many rows and columns.
void add_matrices(const YamlNode& report, Numbers& numbers) {
  for (std::size_t i = 0; i < report.items.size(); ++i) {
    const YamlNode& entry = report.items[i];
    if (entry.kind != YamlNode::Kind::map || entry.find("unit") == nullptr)
      continue;
    const YamlNode* names = entry.find("conductors") != nullptr ? entry.find("conductors") : entry.find("coils");
    for (std::size_t k = 0; names != nullptr && k < entry.items.size(); ++k) {
      const YamlNode& form = entry.items[k];
      for (std::size_t r = 0; is_matrix(form, names->items.size()) && r < form.items.size(); ++r)
        for (std::size_t c = 0; c < form.items.size(); ++c)
          numbers.push_back(
              {report.keys[i] + "." + entry.keys[k] + "." + names->items[r].text + "." + names->items[c].text,
               number_of(form.items[r].items[c].text),
               entry.keys[k] == "coupling" ? "" : io::pictures::text_at(entry, {"unit"})});
    }
  }
}

Numbers numbers_of_run(const YamlNode& report) {
  Numbers numbers;
  if (const YamlNode* quantities = report.find("quantities"))
    for (std::size_t i = 0; i < quantities->items.size(); ++i)
      numbers.push_back({quantities->keys[i], number_of(io::pictures::text_at(quantities->items[i], {"value"})),
                         io::pictures::text_at(quantities->items[i], {"unit"})});
  add_matrices(report, numbers);
  return numbers;
}

/// Numbers of all points; errors are excluded, as they are differences themselves.
Numbers numbers_of_sweep(const io::SweepTable& table) {
  Numbers numbers;
  for (const auto& [point, row] : table.rows)
    for (const auto& [column, text] : row.numbers) {
      if (column.compare(0, 6, "error.") == 0 || column.rfind(io::estimated_error, 0) == 0 || text.empty())
        continue;
      const auto [name, unit] = io::name_and_unit(column);
      numbers.push_back({"point " + std::to_string(point) + ": " + name, number_of(text), unit});
    }
  return numbers;
}

void add_number_differences(const Numbers& a, const Numbers& b, ResultDifferences& found) {
  std::map<std::string, std::size_t> position;
  for (const io::QuantityValue& number : a) {
    position.emplace(number.name, found.numbers.size());
    found.numbers.push_back({number.name, number.unit, number.value, std::nullopt, 0.});
  }
  for (const io::QuantityValue& number : b) {
    const auto at = position.find(number.name);
    if (at == position.end())
      found.numbers.push_back({number.name, number.unit, std::nullopt, number.value, 0.});
    else
      found.numbers[at->second].second = number.value;
  }
  std::map<std::string, double> largest;
  for (const ComparedNumber& number : found.numbers)
    for (const std::optional<double>& value : {number.first, number.second})
      if (value && std::isfinite(*value))
        largest[number.unit] = std::max(largest[number.unit], std::fabs(*value));
  for (ComparedNumber& number : found.numbers) {
    if (!number.first || !number.second) {
      number.difference = infinite;
      continue;
    }
    const double size =
        std::max({std::fabs(*number.first), std::fabs(*number.second), least_share * largest[number.unit]});
    const double difference = std::fabs(*number.first - *number.second);
    number.difference = difference == 0. ? 0. : (std::isfinite(difference) ? difference / size : infinite);
  }
}

/// Keys of an input with the text of their values, in order; a list is one text.
void flatten(const YamlNode& node, const std::string& path, std::vector<std::pair<std::string, std::string>>& keys) {
  if (node.kind == YamlNode::Kind::map) {
    for (std::size_t i = 0; i < node.items.size(); ++i)
      flatten(node.items[i], path.empty() ? node.keys[i] : path + "." + node.keys[i], keys);
    return;
  }
  std::string text = node.text;
  if (is_list(node)) {
    std::vector<std::pair<std::string, std::string>> items;
    for (const YamlNode& item : node.items)
      flatten(item, "", items);
    text = "[";
    for (const auto& item : items)
      text += (text.size() > 1 ? ", " : "") + (item.first.empty() ? "" : item.first + ": ") + item.second;
    text += "]";
  }
  keys.emplace_back(path, text);
}

std::string shortened(const std::string& text) { return text.size() > 40 ? text.substr(0, 37) + "..." : text; }

void add_changed_keys(const std::string& a, const std::string& b, ResultDifferences& found) {
  std::vector<std::pair<std::string, std::string>> of_a, of_b;
  flatten(io::parse_yaml(a, "resolved.yaml"), "", of_a);
  flatten(io::parse_yaml(b, "resolved.yaml"), "", of_b);
  const std::map<std::string, std::string> first(of_a.begin(), of_a.end()), second(of_b.begin(), of_b.end());
  const auto is_compared = [](const std::string& key) {
    return key != "title" && key.compare(0, 7, "output.") != 0 && key.compare(0, 13, "verification.") != 0;
  };
  for (const auto& [key, text] : of_a) {
    const auto other = second.find(key);
    if (is_compared(key) && (other == second.end() || other->second != text))
      found.changed_keys.push_back(key + " (" + shortened(text) + "; " +
                                   (other == second.end() ? "none" : shortened(other->second)) + ")");
  }
  for (const auto& [key, text] : of_b)
    if (is_compared(key) && first.find(key) == first.end())
      found.changed_keys.push_back(key + " (none; " + shortened(text) + ")");
}

void compare_runs(const io::pictures::RunResults& a, const io::pictures::RunResults& b, ResultDifferences& found) {
  for (const io::pictures::RunResults* results : {&a, &b})
    if (io::pictures::text_at(results->report, {"solver", "converged"}) == "false")
      found.warnings.push_back(std::string(results == &a ? "the first" : "the second") + " did not converge");
  add_number_differences(numbers_of_run(a.report), numbers_of_run(b.report), found);
  add_changed_keys(a.resolved_text, b.resolved_text, found);
  if (a.has_fields() && b.has_fields())
    detail::add_field_differences(a.file("fields.vtkhdf"), b.file("fields.vtkhdf"), found);
  else if (a.has_fields() || b.has_fields())
    found.only_in_one.push_back(std::string("fields.vtkhdf is only in the ") + (a.has_fields() ? "first" : "second"));
  else
    found.why_no_fields = "neither has fields.vtkhdf";
}

void compare_sweeps(const io::pictures::SweepResults& a, const io::pictures::SweepResults& b,
                    ResultDifferences& found) {
  for (const auto& [point, row] : a.table.rows) {
    const auto other = b.table.rows.find(point);
    const std::string name = "point " + std::to_string(point);
    if (other == b.table.rows.end())
      found.only_in_one.push_back(name + " is only in the first");
    else if (a.table.keys != b.table.keys || row.values != other->second.values)
      found.only_in_one.push_back(name + " has different values in each");
    else if (row.is_done() != other->second.is_done())
      found.only_in_one.push_back(name + " is done only in the " + (row.is_done() ? "first" : "second"));
    else if (!row.is_done())
      found.warnings.push_back(name + " is done in neither (the first: " + row.state +
                               "; the second: " + other->second.state + ")");
  }
  for (const auto& entry : b.table.rows)
    if (a.table.rows.count(entry.first) == 0)
      found.only_in_one.push_back("point " + std::to_string(entry.first) + " is only in the second");
  add_number_differences(numbers_of_sweep(a.table), numbers_of_sweep(b.table), found);
  add_changed_keys(a.resolved_text, b.resolved_text, found);
  found.why_no_fields = "those of sweeps are not compared, but those of their points with sweep.keep_outputs: "
                        "point-00001 and so on in the directory";
}

} // namespace

double ResultDifferences::worst() const {
  double largest = only_in_one.empty() ? 0. : infinite;
  for (const ComparedNumber& number : numbers)
    largest = std::max(largest, number.difference);
  for (const ComparedField& field : fields)
    largest = std::max(largest, field.difference);
  return largest;
}

ResultDifferences result_differences(const std::string& first, const std::string& second) {
  namespace pictures = io::pictures;
  const bool is_sweep = pictures::is_sweep(first);
  TESSERA_REQUIRE(is_sweep == pictures::is_sweep(second),
                  "compare: " << (is_sweep ? first : second) << " is the output of a sweep, "
                              << (is_sweep ? second : first) << " that of a run.");
  ResultDifferences found;
  if (is_sweep)
    compare_sweeps(pictures::read_sweep_results(first), pictures::read_sweep_results(second), found);
  else
    compare_runs(pictures::read_results(first), pictures::read_results(second), found);
  TESSERA_REQUIRE(found.any_compared() || !found.only_in_one.empty(),
                  "compare: " << first << " and " << second << " have no quantities, and no fields on the same mesh ("
                              << found.why_no_fields << "): there is nothing to compare.");
  return found;
}

} // namespace tessera::driver
