// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/report.hpp"

#include "io/atomic_file.hpp"
#include "io/case.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <sstream>

namespace tessera::io {

namespace {

constexpr std::size_t line_length = 120;

bool looks_like_number(const std::string& text) {
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

/// Text as a YAML scalar: plain where no reader can take it for anything else.
std::string scalar_text(const std::string& text, bool may_be_number) {
  static const char* reserved[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n", "~"};
  bool plain = !text.empty();
  for (const char c : text)
    plain = plain && (std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                      std::string("_./+-*^() ").find(c) != std::string::npos);
  if (plain) {
    const char first = text.front();
    std::string lower = text;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    plain = (std::isalnum(static_cast<unsigned char>(first)) != 0 || first == '/' || first == '(' || first == '.' ||
             (first == '-' && text.size() > 1 && text[1] != ' ' && text[1] != '-')) &&
            text.back() != ' ' &&
            std::none_of(std::begin(reserved), std::end(reserved), [&](const char* word) { return lower == word; });
    if (!may_be_number && looks_like_number(text))
      plain = false;
  }
  if (plain)
    return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      char buffer[8];
      std::snprintf(buffer, sizeof(buffer), "\\x%02x", static_cast<unsigned char>(c));
      quoted += buffer;
    } else {
      quoted += c;
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
  const auto found = std::find(keys_.begin(), keys_.end(), key);
  if (found != keys_.end())
    return items_[static_cast<std::size_t>(found - keys_.begin())];
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
  const auto found = std::find(keys_.begin(), keys_.end(), key);
  return found == keys_.end() ? nullptr : &items_[static_cast<std::size_t>(found - keys_.begin())];
}

ReportNode& ReportNode::set_literal(const std::string& text) {
  kind_ = Kind::scalar;
  text_ = text;
  return *this;
}

ReportNode& ReportNode::operator=(double value) { return set_literal(double_text(value)); }
ReportNode& ReportNode::operator=(bool value) { return set_literal(value ? "true" : "false"); }
ReportNode& ReportNode::operator=(const std::string& value) { return set_literal(scalar_text(value, false)); }
ReportNode& ReportNode::set_expression(const std::string& text) { return set_literal(scalar_text(text, true)); }
ReportNode& ReportNode::set_map() {
  kind_ = Kind::map;
  return *this;
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
    // Printed apart to learn its width.
    std::ostringstream part;
    std::size_t width = 0;
    if (is_map)
      part << scalar_text(keys_[i], false) << ": ";
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
    // The first key of a map in a list stands behind the dash.
    const bool behind_dash = in_list && i == 0;
    if (!item.comment_.empty() && !behind_dash)
      out << space << "# " << item.comment_ << '\n';
    std::string head = behind_dash ? "" : space;
    head += kind_ == Kind::map ? scalar_text(keys_[i], false) + ":" : "-";
    out << head;
    if (item.on_one_line()) {
      out << ' ';
      std::size_t column = head.size() + 1 + (behind_dash ? space.size() : 0);
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
