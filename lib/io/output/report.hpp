// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_OUTPUT_REPORT_HPP
#define TESSERA_IO_OUTPUT_REPORT_HPP

/// \file
/// A tree of values that is written as YAML: report.yaml, resolved.yaml.

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tessera::io {

struct Scalar;

/// One value, list or map. Maps keep the order in which keys were set.
///
///     ReportNode report;
///     report["mesh"]["nodes"] = mesh.n_nodes();
///     ReportNode& phase = report["phases"].append().flow();
///     phase["name"] = "assembly";
class ReportNode {
public:
  using Entries = std::initializer_list<std::pair<std::string, ReportNode>>;

  /// No value: null.
  ReportNode() = default;
  /// A value.
  template <class Value, class = std::enable_if_t<!std::is_base_of<ReportNode, Value>::value>>
  ReportNode(const Value& value) {
    *this = value;
  }
  /// A map on one line of the entries that have a value.
  static ReportNode row(Entries entries);
  /// A text or list; no value if it is empty.
  template <class Value> static ReportNode unless_empty(const Value& value) {
    return value.empty() ? ReportNode() : ReportNode(value);
  }

  /// Value of a key, created if absent; the node becomes a map.
  ReportNode& operator[](const std::string& key);
  /// Appends a new entry; the node becomes a list.
  ReportNode& append();
  /// Writes the list or map on one line (folded at 120 columns).
  ReportNode& flow() {
    flow_ = true;
    return *this;
  }
  /// Adds a comment in the preceding line.
  ReportNode& comment(const std::string& text) {
    comment_ = text;
    return *this;
  }

  ReportNode& operator=(double value);
  ReportNode& operator=(bool value);
  ReportNode& operator=(const std::string& value);
  ReportNode& operator=(const char* value) { return *this = std::string(value); }
  template <class Integer, class = std::enable_if_t<std::is_integral<Integer>::value>>
  ReportNode& operator=(Integer value) {
    return set_literal(std::to_string(value));
  }
  ReportNode& operator=(const std::vector<double>& values);
  ReportNode& operator=(const std::vector<std::string>& values);
  /// A number, or an expression as the user wrote it.
  ReportNode& operator=(const Scalar& value);
  /// An empty map, written {}.
  ReportNode& set_map();
  /// Sets the keys of the entries that have a value.
  void set(Entries entries);

  bool empty() const { return kind_ == Kind::null; }
  /// Value of a key, or null pointer.
  const ReportNode* find(const std::string& key) const;

  void write(std::ostream& out) const;

private:
  enum class Kind { null, scalar, sequence, map };

  ReportNode& set_literal(const std::string& text);
  void write_block(std::ostream& out, int indent, bool in_list) const;
  /// Appends to a line, which is folded if it gets too long.
  void write_flow(std::ostream& out, int indent, std::size_t& column) const;
  bool on_one_line() const;

  Kind kind_ = Kind::null;
  bool flow_ = false;
  std::string text_; // formatted for output
  std::string comment_;
  std::vector<std::string> keys_;
  std::vector<ReportNode> items_;
  std::unordered_map<std::string, std::size_t> positions_; // of the keys
};

/// Returns the tree as YAML text.
std::string to_yaml(const ReportNode& node);

/// Writes the tree to a file, completely or not at all.
void write_yaml(const std::string& path, const ReportNode& node);

} // namespace tessera::io

#endif
