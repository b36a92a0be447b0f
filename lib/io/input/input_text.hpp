// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_INPUT_INPUT_TEXT_HPP
#define TESSERA_IO_INPUT_INPUT_TEXT_HPP

/// \file
/// Reads text files written by users, and prints their contents safely in messages.

#include <cstddef>
#include <string>

namespace tessera::io {

/// True if the bytes are well-formed UTF-8 (no surrogates, no overlong forms).
bool is_utf8(const std::string& text);

/// Length in bytes of the UTF-8 character that begins at `position`; 0 if none does.
std::size_t utf8_length(const std::string& text, std::size_t position);

/// True if the text contains a non-printing character: C0, C1, DEL, or one of Unicode's line separators.
bool has_control_characters(const std::string& text);

/// Prepares a text for a message: control characters and bytes that are not UTF-8 become \xNN; longer texts than
/// `max_length` characters end in "...".
std::string printable(const std::string& text, std::size_t max_length = 80);

/// Content of a file, or the reason why it could not be read ("does not exist").
struct FileText {
  std::string text;
  std::string error;
};

/// Reads a regular file of at most `max_bytes`. Folders, pipes and devices are rejected without being opened.
FileText read_small_file(const std::string& path, std::size_t max_bytes);

/// The text with letters of ASCII in lower case.
std::string lower_case(std::string text);

} // namespace tessera::io

#endif
