// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/geometry/step_check.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

namespace tessera::io {

namespace {

/// Number of an entity and its position in the text.
using EntityPosition = std::pair<std::uint64_t, std::size_t>;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Position after a string or comment that begins at `at`, or `at` if none does.
std::size_t end_of_text(const std::string& text, std::size_t at) {
  if (text[at] == '\'' || text[at] == '"') // a quote within a string is doubled, so that a new string begins
                                           // immediately
    return std::min(text.find(text[at], at + 1), text.size() - 1) + 1;
  if (text.compare(at, 2, "/*") == 0)
    return std::min(text.find("*/", at + 2), text.size() - 2) + 2;
  return at;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

/// The text between the first `open` after the first `before`, and the next `close`.
std::string between(const std::string& text, const std::string& before, char open, char close) {
  const std::size_t found = text.find(before);
  const std::size_t begin = found == std::string::npos ? found : text.find(open, found + before.size());
  const std::size_t end = begin == std::string::npos ? begin : text.find(close, begin + 1);
  return end == std::string::npos ? "" : text.substr(begin + 1, end - begin - 1);
}

} // namespace

std::string step_length_unit(const std::string& path) {
  const std::string text = text_of(path);
  const std::size_t at = text.find("LENGTH_UNIT");
  if (at == std::string::npos)
    return "";
  const std::size_t begin = text.rfind('=', at);
  const std::string entity = text.substr(begin == std::string::npos ? 0 : begin, text.find(';', at) - begin);
  const std::string name = between(entity, "CONVERSION_BASED_UNIT", '\'', '\'');
  if (!name.empty())
    return name;
  const std::string si = between(entity, "SI_UNIT", '(', ')');
  const std::pair<const char*, const char*> prefixes[] = {{"MILLI", "mm"}, {"CENTI", "cm"}, {"DECI", "dm"},
                                                          {"MICRO", "um"}, {"NANO", "nm"},  {"KILO", "km"}};
  for (const auto& [prefix, unit] : prefixes)
    if (si.find(prefix) != std::string::npos)
      return unit;
  return si.find("METRE") != std::string::npos ? "m" : "";
}

void check_step(const std::string& path) {
  const std::string text = text_of(path);
  std::vector<EntityPosition> defined, used;
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t text_end = end_of_text(text, i);
    if (text_end > i || text[i] != '#') {
      i = std::max(text_end, i + 1);
      continue;
    }
    const std::size_t at = i++;
    std::uint64_t number = 0;
    for (; i < text.size() && is_digit(text[i]); ++i)
      number = 10 * number + static_cast<std::uint64_t>(text[i] - '0');
    const std::size_t next = text.find_first_not_of(" \t\r\n", i);
    const bool is_definition = next != std::string::npos && text[next] == '=';
    if (i > at + 1)
      (is_definition ? defined : used).emplace_back(number, at);
  }
  const auto line = [&text](std::size_t at) {
    return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  };
  const auto same_number = [](const EntityPosition& a, const EntityPosition& b) { return a.first == b.first; };
  std::sort(defined.begin(), defined.end());
  const auto twice = std::adjacent_find(defined.begin(), defined.end(), same_number);
  TESSERA_REQUIRE(twice == defined.end(), path << ":" << line((twice + 1)->second) << ": the entity #" << twice->first
                                               << " is defined a second time; the file is damaged.");
  const auto is_missing = [&](const EntityPosition& position) {
    const auto found = std::lower_bound(defined.begin(), defined.end(), EntityPosition(position.first, 0));
    return found == defined.end() || found->first != position.first;
  };
  const auto missing = std::find_if(used.begin(), used.end(), is_missing);
  TESSERA_REQUIRE(missing == used.end(), path << ":" << line(missing->second) << ": the entity #" << missing->first
                                              << " is not defined in the file; the file is damaged or cut off.");
}

} // namespace tessera::io
