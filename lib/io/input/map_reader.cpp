// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/map_reader.hpp"

#include "core/error.hpp"
#include "io/input/input_text.hpp"
#include "io/input/temperature.hpp"
#include "physics/expressions/expression.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace tessera::io {

namespace {

const char* kind_name(const YamlNode& node) {
  switch (node.kind) {
  case YamlNode::Kind::null:
    return "no value";
  case YamlNode::Kind::scalar:
    return "a single value";
  case YamlNode::Kind::sequence:
    return "a list";
  case YamlNode::Kind::map:
    return "a map";
  }
  return "";
}

std::string range_text(const Range& range) {
  if (range.lower == 0. && range.lower_open)
    return "must be positive" + (std::isinf(range.upper) ? "" : " and at most " + number_text(range.upper));
  if (range.lower == 0. && std::isinf(range.upper))
    return "must not be negative";
  return "must lie between " + number_text(range.lower) + " and " + number_text(range.upper);
}

bool in_range(double value, const Range& range) {
  return (range.lower_open ? value > range.lower : value >= range.lower) && value <= range.upper;
}

/// ".inf", "nan" and the like, which are numbers in YAML and in other programs.
bool is_no_finite_number(const std::string& text) {
  std::string word;
  for (const char c : text)
    if (c != '.' && c != '+' && c != '-')
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word == "inf" || word == "infinity" || word == "nan";
}

/// A word, not a misspelt expression.
bool is_boolean(const std::string& text) {
  static const char* const words[] = {"true", "false", "yes", "no", "on", "off"};
  return std::find(std::begin(words), std::end(words), text) != std::end(words);
}

bool is_word(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  });
}

} // namespace

void InputErrors::add(const Location& where, const std::string& message) {
  if (++n_errors_ > max_kept)
    return;
  const std::string text = where.text();
  entries_.push_back({where.line, text + (text.empty() ? "" : ": ") + message});
}

void InputErrors::add_unknown(const Location& where, const std::string& what, const std::string& name,
                              const std::vector<std::string>& allowed) {
  add(where, n_errors_ < max_kept ? unknown_name_message(what, name, allowed) : "");
}

void InputErrors::add_note(const Location& where, const std::string& message) {
  const std::string text = where.text();
  notes_.push_back(text + (text.empty() ? "" : ": ") + message);
}

void InputErrors::throw_if_any() const {
  constexpr std::size_t max_shown = 20;
  if (entries_.empty())
    return;
  std::vector<Entry> sorted = entries_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Entry& a, const Entry& b) { return a.line < b.line; });
  std::string text;
  for (std::size_t i = 0; i < std::min(sorted.size(), max_shown); ++i)
    text += (text.empty() ? "" : "\n") + sorted[i].text;
  if (n_errors_ > max_shown)
    text += "\n... and " + std::to_string(n_errors_ - max_shown) + " more.";
  throw Error(ErrorKind::input, text);
}

Location location_of(const YamlNode& node, const std::string& path) { return {node.file, node.line, path}; }

std::string read_text(const YamlNode& node, const Location& where, InputErrors& errors) {
  if (node.kind != YamlNode::Kind::scalar) {
    errors.add(where, std::string("expected a text, found ") + kind_name(node) + ".");
    return "";
  }
  if (node.text.empty())
    errors.add(where, "the text must not be empty.");
  return node.text;
}

namespace {

/// The expression table(T, ...) of {table: [[T, value], ...]}; empty if there is an error.
std::string table_text(const YamlNode& node, const Location& where, InputErrors& errors, const Range& range) {
  const YamlNode* table = node.find("table");
  if (table == nullptr || node.keys.size() != 1) {
    errors.add(where, "a table of temperature is written {table: [[T, value], ...]}, without other keys.");
    return "";
  }
  if (table->kind != YamlNode::Kind::sequence || table->items.size() < 2) {
    errors.add(where, "table: expected a list of at least two pairs [T, value].");
    return "";
  }
  std::string text = "table(T";
  double before = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < table->items.size(); ++i) {
    const YamlNode& pair = table->items[i];
    Location place = location_of(pair, where.path + ".table[" + std::to_string(i) + "]");
    if (pair.kind != YamlNode::Kind::sequence || pair.items.size() != 2) {
      errors.add(place, "expected a pair [T, value].");
      return "";
    }
    const Scalar temperature = read_scalar(pair.items[0], place, errors, true);
    Range of_value = range;
    of_value.of_temperature = false;
    const Scalar value = read_scalar(pair.items[1], place, errors, true, of_value);
    if (!std::isfinite(temperature.value) || !std::isfinite(value.value)) // already reported
      return "";
    if (!(temperature.value > before)) {
      errors.add(place, "the temperatures of a table must increase, but " + number_text(temperature.value) +
                            " follows " + number_text(before) + ".");
      return "";
    }
    before = temperature.value;
    text += ", " + number_text(temperature.value) + ", " + number_text(value.value);
  }
  return text + ")";
}

} // namespace

Scalar read_scalar(const YamlNode& node, const Location& where, InputErrors& errors, bool constant_only,
                   const Range& range) {
  const std::string expected = constant_only ? "expected a number"
                               : range.of_temperature
                                   ? "expected a number, an expression of x, y, z and T, or {table: [[T, value], ...]}"
                                   : "expected a number or an expression of x, y, z and t";
  if (range.of_temperature && node.kind == YamlNode::Kind::map) {
    YamlNode of_table = node;
    of_table.kind = YamlNode::Kind::scalar;
    of_table.text = table_text(node, where, errors, range);
    if (!of_table.text.empty())
      return read_scalar(of_table, where, errors, constant_only, range);
  }
  Scalar result;
  result.where = where;
  result.value = std::numeric_limits<double>::quiet_NaN(); // result of a wrong value, which was already reported
  if (node.kind != YamlNode::Kind::scalar) {
    if (!(range.of_temperature && node.kind == YamlNode::Kind::map)) // already reported
      errors.add(where, expected + ", found " + kind_name(node) + ".");
    return result;
  }
  result.text = node.text;
  const std::string shown = "'" + printable(node.text) + "'";
  if (is_no_finite_number(node.text)) {
    errors.add(where, shown + " is no finite number.");
    return result;
  }
  try {
    const physics::Expression expression = physics::Expression::parse(node.text);
    result.is_constant = expression.is_constant();
    result.value = result.is_constant ? expression.value() : 0.;
  } catch (const Error& error) {
    if (is_boolean(node.text) || (constant_only && is_word(node.text)))
      errors.add(where, expected + ", found " + shown + ".");
    else
      errors.add(where, expected + ", but " + error.what());
    return result;
  }
  if (!range.of_temperature && !result.is_constant && mentions_temperature(node.text)) {
    errors.add(where, "T is the temperature, which only materials of physics heat may depend on: thermal_conductivity, "
                      "density and specific_heat.");
    result.is_constant = true;
    result.value = std::numeric_limits<double>::quiet_NaN();
  } else if (constant_only && !result.is_constant) {
    errors.add(where, expected + ", but " + shown + " depends on x, y, z or t.");
    result.is_constant = true;
    result.value = std::numeric_limits<double>::quiet_NaN();
  } else if (result.is_constant && !in_range(result.value, range)) {
    errors.add(where, range_text(range) + ", but is " + number_text(result.value) + "." + range.reason);
  }
  return result;
}

MapReader::MapReader(const YamlNode* node, const std::string& path, const Location& parent, InputErrors& errors)
    : node_(node), path_(path), where_(parent), errors_(errors) {
  where_.path = path;
  if (node == nullptr)
    return;
  where_ = location_of(*node, path);
  if (node->kind == YamlNode::Kind::map) {
    for (std::size_t i = 0; i < node->keys.size(); ++i)
      positions_.emplace(node->keys[i], i);
    return;
  }
  errors.add(where_, std::string("expected a map of keys and values, found ") + kind_name(*node) +
                         (node->kind == YamlNode::Kind::null ? "; write {} for an empty one." : "."));
  node_ = nullptr;
}

const YamlNode* MapReader::at(const std::string& key) const {
  const auto found = positions_.find(key);
  return found == positions_.end() ? nullptr : &node_->items[found->second];
}

const YamlNode* MapReader::find(const std::string& key) {
  known_.add(key);
  return at(key);
}

const YamlNode* MapReader::require(const std::string& key, const std::string& purpose) {
  const YamlNode* node = find(key);
  if (node == nullptr && exists())
    errors_.add(where_, "the key '" + key + "' is missing (" + purpose + ").");
  return node;
}

Location MapReader::location(const std::string& key) {
  const YamlNode* node = at(key);
  if (node != nullptr)
    return location_of(*node, join(key));
  Location where = where_;
  where.path = join(key);
  return where;
}

double MapReader::number(const std::string& key, double otherwise, const Range& range) {
  const YamlNode* node = find(key);
  return node == nullptr ? otherwise : read_scalar(*node, location(key), errors_, true, range).value;
}

int MapReader::integer(const std::string& key, int otherwise, int lower, int upper) {
  const YamlNode* node = find(key);
  if (node == nullptr)
    return otherwise;
  const double value = read_scalar(*node, location(key), errors_, true).value;
  if (!std::isfinite(value))
    return otherwise;
  if (value != std::floor(value)) {
    errors_.add(location(key), "expected a whole number, found " + number_text(value) + ".");
    return otherwise;
  }
  if (value < lower || value > upper) {
    errors_.add(location(key), "must lie between " + std::to_string(lower) + " and " + std::to_string(upper) +
                                   ", but is " + number_text(value) + ".");
    return otherwise;
  }
  return static_cast<int>(value);
}

bool MapReader::boolean(const std::string& key, bool otherwise) {
  const YamlNode* node = find(key);
  if (node == nullptr)
    return otherwise;
  if (node->kind == YamlNode::Kind::scalar && node->text == "true")
    return true;
  if (node->kind == YamlNode::Kind::scalar && node->text == "false")
    return false;
  errors_.add(location(key),
              "expected true or false, found " +
                  (node->kind == YamlNode::Kind::scalar ? "'" + printable(node->text) + "'" : kind_name(*node)) + ".");
  return otherwise;
}

std::string MapReader::text(const std::string& key, const std::string& otherwise) {
  const YamlNode* node = find(key);
  return node == nullptr ? otherwise : read_text(*node, location(key), errors_);
}

Scalar MapReader::scalar(const std::string& key, const Scalar& otherwise, const Range& range) {
  const YamlNode* node = find(key);
  return node == nullptr ? otherwise : read_scalar(*node, location(key), errors_, false, range);
}

std::vector<double> MapReader::numbers(const std::string& key, std::size_t n_min, std::size_t n_max) {
  std::vector<double> result;
  const YamlNode* node = find(key);
  if (node == nullptr)
    return result;
  if (node->kind != YamlNode::Kind::sequence || node->items.size() < n_min || node->items.size() > n_max) {
    std::string message = "expected a list of " + std::to_string(n_min);
    if (n_max != n_min)
      message += " to " + std::to_string(n_max);
    message += std::string(" numbers, found ") + kind_name(*node);
    if (node->kind == YamlNode::Kind::sequence)
      message += " of " + std::to_string(node->items.size());
    errors_.add(location(key), message + ".");
    return result;
  }
  for (std::size_t i = 0; i < node->items.size(); ++i)
    result.push_back(read_scalar(node->items[i], item_location(key, i, node->items[i]), errors_, true).value);
  return result;
}

std::vector<const YamlNode*> MapReader::list(const std::string& key) {
  std::vector<const YamlNode*> items;
  const YamlNode* node = find(key);
  if (node == nullptr)
    return items;
  if (node->kind != YamlNode::Kind::sequence) {
    errors_.add(location(key), std::string("expected a list, for example [a, b], found ") + kind_name(*node) + ".");
    return items;
  }
  for (const YamlNode& item : node->items)
    items.push_back(&item);
  return items;
}

bool MapReader::finish() {
  bool has_unknown = false;
  if (node_ == nullptr)
    return has_unknown;
  for (std::size_t i = 0; i < node_->keys.size(); ++i) {
    const std::string& key = node_->keys[i];
    if (known_.has(key))
      continue;
    errors_.add_unknown(location_of(node_->items[i], join(key)), "key", key, known_.list());
    has_unknown = true;
  }
  return has_unknown;
}

} // namespace tessera::io
