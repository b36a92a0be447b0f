// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/input_text.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace tessera::io {

namespace {

unsigned byte_at(const std::string& text, std::size_t position) {
  return position < text.size() ? static_cast<unsigned char>(text[position]) : 0u;
}

/// Whether the well-formed character at `position` does not print.
bool is_control(const std::string& text, std::size_t position, std::size_t length) {
  const unsigned first = byte_at(text, position);
  const unsigned second = byte_at(text, position + 1);
  const unsigned third = byte_at(text, position + 2);
  if (length == 1)
    return first < 0x20 || first == 0x7f;
  if (length == 2)
    return first == 0xc2 && second < 0xa0;                                                   // U+0080 to U+009F
  return length == 3 && first == 0xe2 && second == 0x80 && (third == 0xa8 || third == 0xa9); // U+2028, U+2029
}

} // namespace

std::size_t utf8_length(const std::string& text, std::size_t position) {
  const unsigned first = byte_at(text, position);
  if (position >= text.size())
    return 0;
  if (first < 0x80)
    return 1;
  const std::size_t length = first >= 0xc2 && first < 0xe0   ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte_at(text, position + k) & 0xc0u) != 0x80)
      return 0;
  const unsigned second = byte_at(text, position + 1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second >= 0xa0;
  const bool too_large = first == 0xf4 && second >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
}

bool is_utf8(const std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    if (length == 0)
      return false;
    i += length;
  }
  return true;
}

bool has_control_characters(const std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    if (is_control(text, i, length))
      return true;
    i += std::max<std::size_t>(length, 1);
  }
  return false;
}

std::string printable(const std::string& text, std::size_t max_length) {
  std::string result;
  std::size_t n_shown = 0;
  for (std::size_t i = 0; i < text.size(); ++n_shown) {
    if (n_shown == max_length)
      return result + "...";
    const std::size_t length = utf8_length(text, i);
    if (length > 0 && !is_control(text, i, length)) {
      result.append(text, i, length);
      i += length;
      continue;
    }
    for (std::size_t k = 0; k < std::max<std::size_t>(length, 1); ++k) {
      char buffer[8];
      std::snprintf(buffer, sizeof(buffer), "\\x%02x", byte_at(text, i + k));
      result += buffer;
    }
    i += std::max<std::size_t>(length, 1);
  }
  return result;
}

FileText read_small_file(const std::string& path, std::size_t max_bytes) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found)
    return {"", "does not exist"};
  if (fs::is_directory(status))
    return {"", "is a folder"};
  if (!fs::is_regular_file(status))
    return {"", status.type() == fs::file_type::none ? "cannot be read" : "is no regular file but a device or a pipe"};
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    return {"", "cannot be read"};
  // One byte more detects a file that is too large or growing.
  FileText result;
  result.text.resize(std::min<std::uintmax_t>(fs::file_size(path, error), max_bytes) + 1);
  std::size_t n_read = 0;
  while (stream.read(&result.text[n_read], static_cast<std::streamsize>(result.text.size() - n_read)) ||
         stream.gcount() > 0) {
    n_read += static_cast<std::size_t>(stream.gcount());
    if (n_read > max_bytes)
      return {"", "is larger than " + format_bytes(static_cast<double>(max_bytes))};
    if (n_read == result.text.size())
      result.text.resize(std::min(2 * n_read, max_bytes + 1));
  }
  if (stream.bad())
    return {"", "cannot be read"};
  result.text.resize(n_read);
  return result;
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

} // namespace tessera::io
