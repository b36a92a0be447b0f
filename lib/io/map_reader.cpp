// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/map_reader.hpp"

#include "core/error.hpp"
#include "physics/expression.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace tessera::io {

namespace {

const char* kind_name(const YamlNode& node) {
  switch (node.kind) {
  case YamlNode::Kind::null:
    return "nothing";
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
    return "must be positive";
  if (range.lower == 0. && std::isinf(range.upper))
    return "must not be negative";
  return "must lie between " + number_text(range.lower) + " and " + number_text(range.upper);
}

bool in_range(double value, const Range& range) {
  return (range.lower_open ? value > range.lower : value >= range.lower) && value <= range.upper;
}

bool is_word(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  });
}

} // namespace

void InputErrors::add(const Location& where, const std::string& message) {
  const std::string text = where.text();
  entries_.push_back({where.line, text + (text.empty() ? "" : ": ") + message});
}

void InputErrors::throw_if_any() const {
  if (entries_.empty())
    return;
  std::vector<Entry> sorted = entries_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Entry& a, const Entry& b) { return a.line < b.line; });
  std::string text;
  for (const Entry& entry : sorted)
    text += (text.empty() ? "" : "\n") + entry.text;
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

Scalar read_scalar(const YamlNode& node, const Location& where, InputErrors& errors, bool constant_only,
                   const Range& range) {
  const std::string expected =
      constant_only ? "expected a number" : "expected a number or an expression of x, y, z and t";
  Scalar result;
  result.where = where;
  result.value = std::numeric_limits<double>::quiet_NaN(); // what a wrong value leaves; nobody complains of it twice
  if (node.kind != YamlNode::Kind::scalar) {
    errors.add(where, expected + ", found " + kind_name(node) + ".");
    return result;
  }
  result.text = node.text;
  try {
    const physics::Expression expression = physics::Expression::parse(node.text);
    result.is_constant = expression.is_constant();
    result.value = result.is_constant ? expression.value() : 0.;
  } catch (const Error& error) {
    if (constant_only && is_word(node.text))
      errors.add(where, expected + ", found '" + node.text + "'.");
    else
      errors.add(where, expected + ", but " + error.what());
    return result;
  }
  if (constant_only && !result.is_constant) {
    errors.add(where, expected + ", but '" + node.text + "' depends on x, y, z or t.");
    result.is_constant = true;
  } else if (result.is_constant && !std::isfinite(result.value)) {
    errors.add(where, "'" + node.text + "' gives " + number_text(result.value) + ", which is no finite number.");
  } else if (result.is_constant && !in_range(result.value, range)) {
    errors.add(where, range_text(range) + ", but is " + number_text(result.value) + ".");
  }
  return result;
}

MapReader::MapReader(const YamlNode* node, const std::string& path, const Location& parent, InputErrors& errors)
    : node_(node), path_(path), where_(parent), errors_(errors) {
  where_.path = path;
  if (node == nullptr)
    return;
  where_ = location_of(*node, path);
  if (node->kind == YamlNode::Kind::map)
    return;
  if (node->kind != YamlNode::Kind::null)
    errors.add(where_, std::string("expected a map of keys and values, found ") + kind_name(*node) + ".");
  node_ = nullptr;
}

const YamlNode* MapReader::find(const std::string& key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end())
    known_.push_back(key);
  const YamlNode* node = node_ == nullptr ? nullptr : node_->find(key);
  return node != nullptr && node->kind == YamlNode::Kind::null ? nullptr : node;
}

const YamlNode* MapReader::require(const std::string& key, const std::string& purpose) {
  const YamlNode* node = find(key);
  if (node == nullptr)
    errors_.add(where_, "the key '" + key + "' is missing (" + purpose + ").");
  return node;
}

Location MapReader::location(const std::string& key) {
  const YamlNode* node = node_ == nullptr ? nullptr : node_->find(key);
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
  errors_.add(location(key), "expected true or false, found " +
                                 (node->kind == YamlNode::Kind::scalar ? "'" + node->text + "'" : kind_name(*node)) +
                                 ".");
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
    result.push_back(read_scalar(node->items[i], location_of(node->items[i], join(key) + "[" + std::to_string(i) + "]"),
                                 errors_, true)
                         .value);
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

void MapReader::finish() {
  if (node_ == nullptr)
    return;
  for (std::size_t i = 0; i < node_->keys.size(); ++i) {
    const std::string& key = node_->keys[i];
    if (std::find(known_.begin(), known_.end(), key) == known_.end())
      errors_.add(location_of(node_->items[i], join(key)), unknown_name_message("key", key, known_));
  }
}

} // namespace tessera::io
