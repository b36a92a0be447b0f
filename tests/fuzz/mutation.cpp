// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mutation.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <limits>

namespace tessera::fuzz {

namespace {

struct Range {
  std::size_t begin;
  std::size_t end;
  std::size_t size() const { return end - begin; }
};

/// A line, including its line break.
Range some_line(const std::string& text, Random& random) {
  const std::size_t at = random.below(text.size());
  const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  const std::size_t after = text.find('\n', at);
  return {before == std::string::npos ? 0 : before + 1, after == std::string::npos ? text.size() : after + 1};
}

/// The number at or after a position; empty if there is none.
Range some_number(const std::string& text, Random& random) {
  const auto is_digit = [&](std::size_t i) { return std::isdigit(static_cast<unsigned char>(text[i])) != 0; };
  std::size_t begin = random.below(text.size());
  while (begin < text.size() && !is_digit(begin))
    ++begin;
  std::size_t end = begin;
  while (end < text.size() && (is_digit(end) || text[end] == '.' || text[end] == 'e'))
    ++end;
  return {begin, end};
}

void change_text(std::string& text, const std::vector<std::string>& dictionary, Random& random) {
  if (text.empty()) {
    text = random.pick(dictionary);
    return;
  }
  const std::size_t at = random.below(text.size());
  switch (random.below(12)) {
  case 0:
    text[at] = static_cast<char>(random.below(256));
    break;
  case 1:
    text.erase(at, 1 + random.below(8));
    break;
  case 2:
    text.insert(at, random.pick(dictionary));
    break;
  case 3: { // duplicate a line
    const Range line = some_line(text, random);
    text.insert(line.begin, text.substr(line.begin, line.size()));
    break;
  }
  case 4: { // remove a line
    const Range line = some_line(text, random);
    text.erase(line.begin, line.size());
    break;
  }
  case 5: { // swap two lines
    const Range line = some_line(text, random);
    const std::string moved = text.substr(line.begin, line.size());
    text.erase(line.begin, line.size());
    if (!text.empty())
      text.insert(some_line(text, random).begin, moved);
    break;
  }
  case 6:
  case 7:
  case 8: {
    const Range number = some_number(text, random);
    text.replace(number.begin, number.size(), odd_number(random));
    break;
  }
  case 9: { // replace a number by another one of the text
    const Range from = some_number(text, random);
    const std::string number = text.substr(from.begin, from.size());
    const Range to = some_number(text, random);
    text.replace(to.begin, to.size(), number);
    break;
  }
  case 10: { // indentation
    const Range line = some_line(text, random);
    text.insert(line.begin, std::string(1 + random.below(4), random.chance(90) ? ' ' : '\t'));
    break;
  }
  default:
    text.resize(random.chance(20) ? at : text.size());
    std::replace(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), ':', random.chance(50) ? ':' : ' ');
  }
}

} // namespace

std::int64_t odd_integer(Random& random) {
  using Limits = std::numeric_limits<std::int64_t>;
  static const std::vector<std::int64_t> odd{0,
                                             -1,
                                             1,
                                             2,
                                             3,
                                             255,
                                             65535,
                                             65536,
                                             std::int64_t(1) << 31,
                                             (std::int64_t(1) << 31) - 1,
                                             std::int64_t(1) << 32,
                                             std::int64_t(1) << 40,
                                             std::int64_t(1) << 62,
                                             Limits::max(),
                                             Limits::min()};
  return random.chance(70) ? random.pick(odd) : static_cast<std::int64_t>(random.bits());
}

std::string odd_number(Random& random) {
  static const std::vector<std::string> odd{"0",     "-1",     "1e308", "-1e308", "1e-320",    "1e999", ".nan", ".inf",
                                            "-.inf", "0.5",    "1e-9",  "1e9",    "-0",        "1/0",   "0x10", "1_0",
                                            "",      "~",      "null",  "true",   "pi",        "x",     "[1]",  "{}",
                                            "1e153", "1e-153", "007",   "1:30",   "2026-11-22"};
  return random.chance(60) ? random.pick(odd) : std::to_string(odd_integer(random));
}

std::string mutate_text(std::string text, const std::vector<std::string>& dictionary, Random& random,
                        std::size_t n_most) {
  const std::size_t n = 1 + random.below(n_most);
  for (std::size_t i = 0; i < n; ++i)
    change_text(text, dictionary, random);
  return text;
}

std::string mutate_bytes(std::string bytes, Random& random) {
  const std::size_t n = 1 + random.below(4);
  for (std::size_t i = 0; i < n && !bytes.empty(); ++i) {
    const std::size_t at = random.below(bytes.size());
    switch (random.below(7)) {
    case 0:
    case 1:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
      break;
    case 2:
      bytes[at] = static_cast<char>(random.below(256));
      break;
    case 3:
    case 4: {
      const std::int64_t value = odd_integer(random);
      const std::size_t width = std::size_t(2) << random.below(3);
      std::memcpy(&bytes[at], &value, std::min(width, bytes.size() - at));
      break;
    }
    case 5: {
      const std::size_t from = random.below(bytes.size());
      const std::size_t length = std::min({1 + random.below(64), bytes.size() - at, bytes.size() - from});
      std::memmove(&bytes[at], &bytes[from], length);
      break;
    }
    default:
      if (random.chance(30))
        bytes.resize(at);
    }
  }
  return bytes;
}

} // namespace tessera::fuzz
