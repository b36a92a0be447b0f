// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "core/place_text.hpp"
#include "driver/compare/result_differences.hpp"
#include "driver/driver.hpp"
#include "io/output/console.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iomanip>
#include <iterator>
#include <optional>
#include <sstream>

namespace tessera::driver {

namespace {

constexpr std::size_t most_keys = 8;
constexpr std::size_t most_rows = 20;

std::string digits(double value, int n) {
  std::ostringstream text;
  text << std::setprecision(n) << value;
  return text.str();
}

std::string difference_text(double difference) { return std::isfinite(difference) ? digits(difference, 2) : "-"; }

std::string value_text(const std::optional<double>& value) { return value ? digits(*value, 10) : "-"; }

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : name + " [" + unit + "]";
}

/// The entries with the largest differences, in their original order.
template <class Entry> std::vector<Entry> worst_of(const std::vector<Entry>& entries) {
  if (entries.size() <= most_rows)
    return entries;
  std::vector<double> differences;
  for (const Entry& entry : entries)
    differences.push_back(entry.difference);
  std::nth_element(differences.begin(), differences.begin() + most_rows - 1, differences.end(), std::greater<double>());
  const double limit = differences[most_rows - 1];
  std::vector<Entry> worst;
  std::copy_if(entries.begin(), entries.end(), std::back_inserter(worst),
               [&](const Entry& entry) { return entry.difference >= limit && worst.size() < most_rows; });
  return worst;
}

void print_numbers(io::Console& console, const ResultDifferences& found, bool full) {
  if (found.numbers.empty())
    return;
  const std::vector<ComparedNumber> shown = full ? found.numbers : worst_of(found.numbers);
  std::vector<std::vector<std::string>> rows;
  for (const ComparedNumber& number : shown)
    rows.push_back({with_unit(number.name, number.unit), value_text(number.first), value_text(number.second),
                    difference_text(number.difference)});
  console.table({"quantity", "first", "second", "relative difference"}, rows);
  if (shown.size() < found.numbers.size())
    console.line(std::to_string(found.numbers.size() - shown.size()) + " more differ by no more; --full shows all.");
}

void print_fields(io::Console& console, const ResultDifferences& found) {
  std::vector<std::vector<std::string>> rows;
  for (const ComparedField& field : found.fields) {
    rows.push_back({with_unit(field.name, field.unit) + (field.of_cells ? ", elements" : ", nodes"),
                    digits(field.largest, 6), difference_text(field.difference),
                    field.difference > 0. ? place_text(field.place.data(), static_cast<int>(field.place.size())) : ""});
  }
  if (!rows.empty())
    console.table({"field", "largest value", "largest difference, relative to it", "at (x, y, z) [m]"}, rows);
  if (!found.why_no_fields.empty())
    console.line("Fields are not compared: " + found.why_no_fields + ".");
}

std::string verdict_text(const ResultDifferences& found, double tolerance) {
  const auto worst_number = std::max_element(found.numbers.begin(), found.numbers.end(),
                                             [](const auto& a, const auto& b) { return a.difference < b.difference; });
  const auto worst_field = std::max_element(found.fields.begin(), found.fields.end(),
                                            [](const auto& a, const auto& b) { return a.difference < b.difference; });
  std::string name;
  double worst = -1.;
  if (worst_number != found.numbers.end()) {
    name = worst_number->name;
    worst = worst_number->difference;
  }
  if (worst_field != found.fields.end() && worst_field->difference > worst) {
    name = "the field " + worst_field->name;
    worst = worst_field->difference;
  }
  std::string what;
  if (!found.only_in_one.empty())
    what = found.only_in_one.front();
  else if (!std::isfinite(worst))
    what = name + " is only in one of them, or is not a number";
  else
    what = (worst > 0. ? name + " by " + digits(worst, 2) : "no number by anything") + ", tolerance " +
           digits(tolerance, 2);
  return what;
}

} // namespace

int compare_results(const std::string& first, const std::string& second, const CompareResultsOptions& options) {
  const ResultDifferences found = result_differences(first, second);
  io::Console console(options.quiet);
  console.item("first", first);
  console.item("second", second);
  std::string keys;
  for (std::size_t i = 0; i < found.changed_keys.size() && (options.full || i < most_keys); ++i)
    keys += (i > 0 ? ", " : "") + found.changed_keys[i];
  if (!options.full && found.changed_keys.size() > most_keys)
    keys += " and " + std::to_string(found.changed_keys.size() - most_keys) + " more";
  console.item("inputs",
               found.changed_keys.empty() ? "the same but for title, output and verification" : "differ: " + keys);
  print_numbers(console, found, options.full);
  print_fields(console, found);
  for (const std::string& text : found.only_in_one)
    console.line("Only one: " + text + ".");
  for (const std::string& text : found.warnings)
    console.line("note: " + text + ".");
  const bool agree = found.worst() <= options.tolerance;
  const std::string verdict = verdict_text(found, options.tolerance);
  console.line((agree ? "They agree: " : "They DIFFER: ") + verdict + ".");
  return agree ? 0 : static_cast<int>(ErrorKind::numerical);
}

} // namespace tessera::driver
