// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/pictures/reports/html.hpp"

#include "io/pictures/scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ostream>

namespace tessera::io::pictures {

namespace {

constexpr const char* style = R"(
body { font: 16px/1.45 system-ui, sans-serif; color: #1a1c20; background: #fff; max-width: 1100px; margin: 0 auto; padding: 0 1rem 3rem; }
h1 { font-size: 1.6rem; margin: 1.2rem 0 0.2rem; } h2 { font-size: 1.2rem; margin: 2rem 0 0.5rem; border-bottom: 1px solid #ccd; }
table { border-collapse: collapse; } th, td { text-align: left; padding: 0.15rem 1.2rem 0.15rem 0; vertical-align: top; }
th { font-weight: 600; } td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
thead th { border-bottom: 1px solid #889; } .subtle { color: #555b66; } .wide { overflow-x: auto; }
figure { margin: 1rem 0; break-inside: avoid; } figure img { width: 100%; max-width: 900px; height: auto; display: block; }
.good { color: #14602a; } .bad { color: #a31515; font-weight: 600; }
.bar { background: #4a6fa5; height: 0.8rem; display: inline-block; min-width: 1px; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
td.share { width: 30%; } pre { background: #f4f5f7; padding: 0.8rem; overflow-x: auto; font-size: 0.85rem; }
@media print { body { max-width: none; } h2 { break-after: avoid; } pre { white-space: pre-wrap; } }
@media (max-width: 600px) { body { font-size: 15px; } td, th { padding-right: 0.6rem; } td { overflow-wrap: anywhere; } .share { display: none; } }
)";

/// Writes rows for the scalars below a node; for lists their scalar entries.
void write_rows(const YamlNode& node, const std::string& name, std::ostream& out) {
  if (node.kind == YamlNode::Kind::map) {
    for (std::size_t i = 0; i < node.items.size(); ++i)
      if (node.keys[i] != "step_length")
        write_rows(node.items[i], (name.empty() ? "" : name + ".") + node.keys[i], out);
    return;
  }
  std::string text = node.text;
  for (const YamlNode& item : node.items)
    if (item.kind == YamlNode::Kind::scalar)
      text += (text.empty() ? "" : ", ") + item.text;
  if (!text.empty())
    out << "<tr><th>" << escaped(name) << "</th><td>" << escaped(text) << "</td></tr>\n";
}

} // namespace

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text)
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      result += c;
    }
  return result;
}

void begin_document(const std::string& title, const std::string& line, std::ostream& out) {
  out << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width, initial-scale=1\">\n<title>"
      << escaped(title) << "</title>\n<style>" << style << "</style></head>\n<body>\n<h1>" << escaped(title)
      << "</h1>\n";
  write_remark(line, out);
}

void end_document(const std::string& heading, const std::string& input, std::ostream& out) {
  out << "<h2>" << escaped(heading) << "</h2>\n<pre>" << escaped(input) << "</pre>\n</body></html>\n";
}

void write_verdict(bool is_good, const std::string& text, std::ostream& out) {
  out << "<p class=\"" << (is_good ? "good" : "bad") << "\">" << escaped(text) << "</p>\n";
}

void write_remark(const std::string& text, std::ostream& out) {
  out << "<p class=\"subtle\">" << escaped(text) << "</p>\n";
}

void write_list(const std::vector<std::string>& texts, const std::string& heading, bool is_bad, std::ostream& out) {
  if (texts.empty())
    return;
  out << "<h2>" << escaped(heading) << "</h2>\n<ul" << (is_bad ? " class=\"bad\"" : "") << ">\n";
  for (const std::string& text : texts)
    out << "<li>" << escaped(text) << "</li>\n";
  out << "</ul>\n";
}

namespace {

/// The picture with the coordinates of its paths rounded to a hundredth of a point, where Cairo writes six decimals: a
/// third of the text for many lines.
std::string with_short_paths(const std::string& svg) {
  static const std::string begin = " d=\"";
  constexpr std::size_t decimals = 2;
  std::string text;
  for (std::size_t i = 0; i < svg.size();) {
    const std::size_t path = svg.find(begin, i);
    const std::size_t from = path == std::string::npos ? svg.size() : path + begin.size();
    text.append(svg, i, from - i);
    const std::size_t end = std::min(svg.find('"', from), svg.size());
    for (i = from; i < end;) {
      const std::size_t last = std::min(svg.find(' ', i), end);
      const std::string word = svg.substr(i, last - i);
      const std::size_t point = word.find('.');
      if (point != std::string::npos && word.size() > point + 1 + decimals) {
        char number[64];
        std::snprintf(number, sizeof(number), "%.2f", std::strtod(word.c_str(), nullptr));
        text += number;
      } else {
        text += word;
      }
      i = last;
      if (i < end)
        text += svg[i++];
    }
  }
  return text;
}

} // namespace

std::string figure(const std::string& svg, const std::string& alternative) {
  std::string url;
  for (const char c : with_short_paths(svg))
    switch (c) {
    case '%':
      url += "%25";
      break;
    case '#':
      url += "%23";
      break;
    case '<':
      url += "%3C";
      break;
    case '>':
      url += "%3E";
      break;
    case '"':
      url += '\'';
      break;
    case '\n':
      url += ' ';
      break;
    default:
      url += c;
    }
  return "<figure><img alt=\"" + escaped(alternative) + "\" src=\"data:image/svg+xml;charset=utf-8," + url +
         "\"></figure>\n";
}

std::string number_cell(const std::string& text, const std::string& whole) {
  return "<td class=\"number\"" + (whole.empty() ? "" : " title=\"" + escaped(whole) + "\"") + ">" + escaped(text) +
         "</td>";
}

std::string quantity_cells(double value, const std::string& unit, const std::string& whole) {
  const UnitScale scale = unit_scale(unit, std::abs(value));
  return number_cell(number_with_digits(value * scale.factor, 7), whole + (unit.empty() ? "" : " " + unit)) + "<td>" +
         escaped(scale.unit) + "</td>";
}

void write_facts(const YamlNode& report, const std::vector<std::string>& keys, std::ostream& out) {
  out << "<h2>How it was computed</h2>\n<div class=\"wide\"><table><tbody>\n";
  for (const std::string& key : keys)
    if (const YamlNode* node = report.find(key))
      write_rows(*node, key, out);
  out << "</tbody></table></div>\n";
}

} // namespace tessera::io::pictures
