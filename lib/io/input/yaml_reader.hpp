// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_INPUT_YAML_READER_HPP
#define TESSERA_IO_INPUT_YAML_READER_HPP

/// \file
/// Parses YAML text into a plain tree with the place of each value.

#include "io/input/case.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera::io {

/// One value of a YAML document.
struct YamlNode {
  enum class Kind { null, scalar, sequence, map };

  Kind kind = Kind::null;
  std::string text;              ///< of a scalar, without quotes
  std::vector<YamlNode> items;   ///< of a sequence or a map
  std::vector<std::string> keys; ///< of a map, one per item; no key occurs twice
  std::string file;              ///< its file; "--set" and the like for overrides
  int line = 0;                  ///< 1-based, of the key for a value in a map; 0 for overrides
  std::size_t bytes = 0;         ///< approximate memory of the parsed subtree

  /// Item of a map, or null pointer.
  const YamlNode* find(const std::string& key) const;
  YamlNode* find(const std::string& key);
};

/// A value on the command line that replaces the one in the file.
struct Override {
  std::string path;   ///< "solver.method"
  std::string value;  ///< YAML; empty: removes the key
  std::string origin; ///< option that gave it, for messages
};

/// "a.b=c" of --set; throws without '='.
Override parse_override(const std::string& text, const std::string& origin);

/// Parses a YAML document; throws tessera::Error with file and line if it is invalid, contains text that is not UTF-8,
/// is too deep or, with its aliases expanded, too large.
YamlNode parse_yaml(const std::string& text, const std::string& file);

/// Largest input file, in bytes.
constexpr std::size_t max_yaml_bytes = 8 << 20;

/// Reads and parses a regular file of at most 8 MiB.
YamlNode read_yaml(const std::string& file);

/// The value at a path ("solver.method") in a tree, or null pointer; finds keys that contain dots as set_value() does.
const YamlNode* value_at(const YamlNode& root, const std::string& path);

/// Sets the value at a path ("solver.method") in a tree, creating maps as needed; a value of kind null removes the key.
/// Also finds keys of the tree that contain dots. `origin` begins its error messages.
void set_value(YamlNode& root, const std::string& path, const YamlNode& value, const std::string& origin);

/// Sets (or removes) one value in a tree as set_value() does.
void apply_override(YamlNode& root, const Override& override_);

} // namespace tessera::io

#endif
