// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/output/report.hpp"

#include "io/atomic_file.hpp"
#include "io/input/case.hpp"
#include "io/input/input_text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <sstream>

namespace tessera::io {

namespace {

constexpr std::size_t line_length = 120;

/// Whether both YAML 1.1 and 1.2 read the text as a plain string: words, names, paths and expressions that begin with a
/// letter and are not one of the words for true, false and null. Texts that begin with a digit, a sign or a point may
/// be a number (1_000, 0o17, 12:30), a date or an infinity in one of them.
bool is_plain(const std::string& text) {
  static const char* const reserved[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};
  if (text.empty() || text.back() == ' ' || (std::isalpha(static_cast<unsigned char>(text[0])) == 0 && text[0] != '/'))
    return false;
  std::string lower;
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) == 0 && std::string("_./+-*^() ").find(c) == std::string::npos)
      return false;
    lower += static_cast<char>(std::tolower(byte));
  }
  return std::find(std::begin(reserved), std::end(reserved), lower) == std::end(reserved);
}

/// Text as a YAML scalar that reads back as this text: plain, or quoted and escaped. Bytes that are not UTF-8, which
/// YAML cannot represent, become the characters with their numbers.
std::string scalar_text(const std::string& text) {
  if (is_plain(text))
    return text;
  std::string quoted = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    const std::string piece = text.substr(i, std::max<std::size_t>(length, 1));
    const unsigned char byte = static_cast<unsigned char>(piece[0]);
    i += piece.size();
    char buffer[8];
    if (piece == "\"" || piece == "\\") {
      quoted += '\\' + piece;
    } else if (piece == "\n") {
      quoted += "\\n";
    } else if (length <= 1 && (length == 0 || byte < 0x20 || byte == 0x7f)) {
      std::snprintf(buffer, sizeof(buffer), "\\x%02x", byte);
      quoted += buffer;
    } else if (length == 2 && has_control_characters(piece)) { // U+0080 to U+009F
      std::snprintf(buffer, sizeof(buffer), "\\x%02x", static_cast<unsigned char>(piece[1]));
      quoted += buffer;
    } else if (piece == "\xe2\x80\xa8" || piece == "\xe2\x80\xa9") {
      quoted += piece == "\xe2\x80\xa8" ? "\\u2028" : "\\u2029";
    } else if (piece == "\xef\xbb\xbf" || piece == "\xef\xbf\xbe" || piece == "\xef\xbf\xbf") {
      quoted += piece == "\xef\xbb\xbf" ? "\\ufeff" : (piece == "\xef\xbf\xbe" ? "\\ufffe" : "\\uffff");
    } else {
      quoted += piece;
    }
  }
  return quoted + '"';
}

std::string double_text(double value) {
  if (std::isnan(value))
    return ".nan";
  if (std::isinf(value))
    return value > 0. ? ".inf" : "-.inf";
  return number_text(value);
}

} // namespace

ReportNode& ReportNode::operator[](const std::string& key) {
  kind_ = Kind::map;
  const auto added = positions_.emplace(key, items_.size());
  if (!added.second)
    return items_[added.first->second];
  keys_.push_back(key);
  items_.emplace_back();
  return items_.back();
}

ReportNode& ReportNode::append() {
  kind_ = Kind::sequence;
  items_.emplace_back();
  return items_.back();
}

const ReportNode* ReportNode::find(const std::string& key) const {
  const auto found = positions_.find(key);
  return found == positions_.end() ? nullptr : &items_[found->second];
}

ReportNode& ReportNode::set_literal(const std::string& text) {
  kind_ = Kind::scalar;
  text_ = text;
  return *this;
}

ReportNode& ReportNode::operator=(double value) { return set_literal(double_text(value)); }
ReportNode& ReportNode::operator=(bool value) { return set_literal(value ? "true" : "false"); }
ReportNode& ReportNode::operator=(const std::string& value) { return set_literal(scalar_text(value)); }

ReportNode& ReportNode::operator=(const Scalar& value) {
  // Uses the program's notation: the user's may be a number in YAML 1.2 only (1e-3), or a different one (010).
  const bool is_number = value.is_constant && value.text.find_first_not_of("0123456789+-.eE") == std::string::npos;
  return is_number ? *this = value.value : set_literal(scalar_text(value.text));
}

ReportNode& ReportNode::set_map() {
  kind_ = Kind::map;
  return *this;
}

void ReportNode::set(Entries entries) {
  for (const auto& [key, value] : entries)
    if (!value.empty())
      (*this)[key] = value;
}

ReportNode ReportNode::row(Entries entries) {
  ReportNode map;
  map.set(entries);
  return map.flow();
}

ReportNode& ReportNode::operator=(const std::vector<double>& values) {
  kind_ = Kind::sequence;
  flow_ = true;
  items_.assign(values.size(), {});
  for (std::size_t i = 0; i < values.size(); ++i)
    items_[i] = values[i];
  return *this;
}

ReportNode& ReportNode::operator=(const std::vector<std::string>& values) {
  kind_ = Kind::sequence;
  flow_ = true;
  items_.assign(values.size(), {});
  for (std::size_t i = 0; i < values.size(); ++i)
    items_[i] = values[i];
  return *this;
}

bool ReportNode::on_one_line() const { return kind_ == Kind::null || kind_ == Kind::scalar || flow_ || items_.empty(); }

void ReportNode::write_flow(std::ostream& out, int indent, std::size_t& column) const {
  if (kind_ == Kind::null || kind_ == Kind::scalar) {
    const std::string text = kind_ == Kind::null ? "null" : text_;
    out << text;
    column += text.size();
    return;
  }
  const bool is_map = kind_ == Kind::map;
  out << (is_map ? '{' : '[');
  ++column;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    // Printed separately to determine its width.
    std::ostringstream part;
    std::size_t width = 0;
    if (is_map)
      part << scalar_text(keys_[i]) << ": ";
    items_[i].write_flow(part, indent, width);
    const std::string text = part.str();
    if (i > 0) {
      out << ',';
      ++column;
      if (column + text.size() + 3 > line_length) {
        out << '\n' << std::string(static_cast<std::size_t>(indent), ' ');
        column = static_cast<std::size_t>(indent);
      } else {
        out << ' ';
        ++column;
      }
    }
    out << text;
    column += text.size();
  }
  out << (is_map ? '}' : ']');
  ++column;
}

void ReportNode::write_block(std::ostream& out, int indent, bool in_list) const {
  const std::string space(static_cast<std::size_t>(indent), ' ');
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const ReportNode& item = items_[i];
    // The first key of a map in a list follows the dash.
    const bool after_dash = in_list && i == 0;
    if (!item.comment_.empty() && !after_dash)
      out << space << "# " << item.comment_ << '\n';
    std::string head = after_dash ? "" : space;
    head += kind_ == Kind::map ? scalar_text(keys_[i]) + ":" : "-";
    out << head;
    if (item.on_one_line()) {
      out << ' ';
      std::size_t column = head.size() + 1 + (after_dash ? space.size() : 0);
      item.write_flow(out, indent + 2, column);
      out << '\n';
    } else if (kind_ == Kind::sequence) {
      out << ' ';
      item.write_block(out, indent + 2, true);
    } else {
      out << '\n';
      item.write_block(out, indent + 2, false);
    }
  }
}

void ReportNode::write(std::ostream& out) const {
  if (!comment_.empty())
    out << "# " << comment_ << '\n';
  if (on_one_line()) {
    std::size_t column = 0;
    write_flow(out, 2, column);
    out << '\n';
  } else {
    write_block(out, 0, false);
  }
}

std::string to_yaml(const ReportNode& node) {
  std::ostringstream out;
  node.write(out);
  return out.str();
}

void write_yaml(const std::string& path, const ReportNode& node) {
  AtomicFile file(path);
  node.write(file.stream());
  file.commit();
}

} // namespace tessera::io
