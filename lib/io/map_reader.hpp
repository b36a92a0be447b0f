// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MAP_READER_HPP
#define TESSERA_IO_MAP_READER_HPP

/// \file
/// Typed access to one map of the input, with errors that name the place and what is allowed.

#include "io/yaml_reader.hpp"

#include <limits>
#include <string>
#include <vector>

namespace tessera::io {

/// Collects errors, so that one run shows all of them.
class InputErrors {
public:
  void add(const Location& where, const std::string& message);
  /// Throws one tessera::Error that lists everything in the order of the file's lines.
  void throw_if_any() const;

private:
  struct Entry {
    int line;
    std::string text;
  };
  std::vector<Entry> entries_;
};

/// Allowed numbers: lower < or <= value <= upper.
struct Range {
  double lower = -std::numeric_limits<double>::infinity();
  bool lower_open = false;
  double upper = std::numeric_limits<double>::infinity();

  static Range positive() { return {0., true, std::numeric_limits<double>::infinity()}; }
  static Range non_negative() { return {0., false, std::numeric_limits<double>::infinity()}; }
};

/// Reads a value as a number or an expression; `constant_only` refuses what depends on x, y, z or t.
Scalar read_scalar(const YamlNode& node, const Location& where, InputErrors& errors, bool constant_only,
                   const Range& range = {});
/// Reads a value as a text.
std::string read_text(const YamlNode& node, const Location& where, InputErrors& errors);
/// Place of a node.
Location location_of(const YamlNode& node, const std::string& path);

/// One map. Each access makes its key known; finish() reports the others. A key without a value counts as absent.
class MapReader {
public:
  /// `node` may be null (the map is absent) or anything: what is no map is an error.
  MapReader(const YamlNode* node, const std::string& path, const Location& parent, InputErrors& errors);

  bool has(const std::string& key) { return find(key) != nullptr; }
  /// The value, or null pointer; the key is known from now on.
  const YamlNode* find(const std::string& key);
  /// The value; its absence is an error.
  const YamlNode* require(const std::string& key, const std::string& purpose);

  double number(const std::string& key, double otherwise, const Range& range = {});
  int integer(const std::string& key, int otherwise, int lower, int upper);
  bool boolean(const std::string& key, bool otherwise);
  std::string text(const std::string& key, const std::string& otherwise);
  Scalar scalar(const std::string& key, const Scalar& otherwise, const Range& range = {});
  /// A list of `n_min` to `n_max` numbers; empty when absent or wrong.
  std::vector<double> numbers(const std::string& key, std::size_t n_min, std::size_t n_max);
  /// Items of a list.
  std::vector<const YamlNode*> list(const std::string& key);
  MapReader map(const std::string& key) { return {find(key), join(key), location(key), errors_}; }

  template <class Enum> Enum choice(const std::string& key, Enum otherwise) {
    const YamlNode* node = find(key);
    if (node == nullptr)
      return otherwise;
    return choice_of(*node, join(key), key, otherwise);
  }
  template <class Enum>
  Enum choice_of(const YamlNode& node, const std::string& path, const std::string& what, Enum value) {
    const Location where = location_of(node, path);
    const std::string text = read_text(node, where, errors_);
    for (const NamedValue<Enum>& entry : enum_names<Enum>())
      if (text == entry.name)
        return entry.value;
    if (!text.empty())
      errors_.add(where, unknown_name_message(what, text, spellings<Enum>()));
    return value;
  }

  /// Keys in the file's order, for maps whose keys are names.
  std::vector<std::string> keys() const { return node_ == nullptr ? std::vector<std::string>{} : node_->keys; }
  /// Reports the keys that nobody asked for.
  void finish();

  void fail(const std::string& key, const std::string& message) { errors_.add(location(key), message); }
  void fail(const std::string& message) { errors_.add(where_, message); }
  Location location(const std::string& key);
  const Location& where() const { return where_; }
  std::string join(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
  InputErrors& errors() { return errors_; }

private:
  const YamlNode* node_;
  std::string path_;
  Location where_;
  InputErrors& errors_;
  std::vector<std::string> known_;
};

} // namespace tessera::io

#endif
