// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_INPUT_MAP_READER_HPP
#define TESSERA_IO_INPUT_MAP_READER_HPP

/// \file
/// Typed access to one map of the input, with errors that state the place and the allowed values.

#include "io/input/yaml_reader.hpp"

#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tessera::io {

/// Allowed names: fast to look up, and in order for messages.
class NameSet {
public:
  NameSet() = default;
  explicit NameSet(const std::vector<std::string>& names) {
    for (const std::string& name : names)
      add(name);
  }
  void add(const std::string& name) {
    if (set_.insert(name).second)
      list_.push_back(name);
  }
  bool has(const std::string& name) const { return set_.count(name) > 0; }
  const std::vector<std::string>& list() const { return list_; }

private:
  std::unordered_set<std::string> set_;
  std::vector<std::string> list_;
};

/// Collects errors, so that one run reports all of them, and notes on doubtful input.
class InputErrors {
public:
  void add(const Location& where, const std::string& message);
  /// "unknown <what> 'name'; did you mean ...", see unknown_name_message.
  void add_unknown(const Location& where, const std::string& what, const std::string& name,
                   const std::vector<std::string>& allowed);
  /// Throws one tessera::Error that lists 20 errors (of the first 100 found, in the order of the file's lines), and
  /// states how many more there are.
  void throw_if_any() const;

  void add_note(const Location& where, const std::string& message);
  const std::vector<std::string>& notes() const { return notes_; }

private:
  /// Further errors are only counted: searching for similar names takes time.
  static constexpr std::size_t max_kept = 100;

  struct Entry {
    int line;
    std::string text;
  };
  std::vector<Entry> entries_;
  std::size_t n_errors_ = 0;
  std::vector<std::string> notes_;
};

/// Allowed numbers: lower < or <= value <= upper.
struct Range {
  double lower = -std::numeric_limits<double>::infinity();
  bool lower_open = false;
  double upper = std::numeric_limits<double>::infinity();
  const char* reason = "";     ///< a sentence for the message: why other numbers are not allowed
  bool of_temperature = false; ///< whether the value may depend on T, also as {table: [[T, value], ...]}

  static Range positive() { return {0., true, std::numeric_limits<double>::infinity()}; }
  static Range non_negative() { return {0., false, std::numeric_limits<double>::infinity()}; }
};

/// Reads a value as a number or an expression; `constant_only` rejects values that depend on x, y, z or t.
Scalar read_scalar(const YamlNode& node, const Location& where, InputErrors& errors, bool constant_only,
                   const Range& range = {});
/// Reads a value as a text.
std::string read_text(const YamlNode& node, const Location& where, InputErrors& errors);
/// Place of a node.
Location location_of(const YamlNode& node, const std::string& path);

/// Reads one map. Each access marks its key as known; finish() reports the others. A key without a value counts as
/// present: reading it is an error.
class MapReader {
public:
  /// `node` may be null (the map is absent); if it is not a map, this is reported once.
  MapReader(const YamlNode* node, const std::string& path, const Location& parent, InputErrors& errors);

  /// False if the map is absent or not a map: missing keys are then not reported.
  bool exists() const { return node_ != nullptr; }
  bool has(const std::string& key) { return find(key) != nullptr; }
  /// The value, or null pointer; marks the key as known.
  const YamlNode* find(const std::string& key);
  /// The value; it is an error if an existing map lacks the key.
  const YamlNode* require(const std::string& key, const std::string& purpose);

  double number(const std::string& key, double otherwise, const Range& range = {});
  int integer(const std::string& key, int otherwise, int lower, int upper);
  bool boolean(const std::string& key, bool otherwise);
  std::string text(const std::string& key, const std::string& otherwise);
  Scalar scalar(const std::string& key, const Scalar& otherwise, const Range& range = {});
  /// A list of `n_min` to `n_max` numbers; empty if absent or wrong.
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
      errors_.add_unknown(where, what, text, spellings<Enum>());
    return value;
  }

  /// Keys in the file's order, for maps whose keys are names.
  std::vector<std::string> keys() const { return node_ == nullptr ? std::vector<std::string>{} : node_->keys; }
  /// Reports the keys that were not accessed; returns whether there are any.
  bool finish();

  void fail(const std::string& key, const std::string& message) { errors_.add(location(key), message); }
  void fail(const std::string& message) { errors_.add(where_, message); }
  Location location(const std::string& key);
  /// Place of an item of a list, with its index in the path.
  Location item_location(const std::string& key, std::size_t index, const YamlNode& item) const {
    return location_of(item, join(key) + "[" + std::to_string(index) + "]");
  }
  const Location& where() const { return where_; }
  std::string join(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }
  InputErrors& errors() { return errors_; }

private:
  const YamlNode* at(const std::string& key) const;

  const YamlNode* node_;
  std::string path_;
  Location where_;
  InputErrors& errors_;
  std::unordered_map<std::string_view, std::size_t> positions_;
  NameSet known_;
};

} // namespace tessera::io

#endif
