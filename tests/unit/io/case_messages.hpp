// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_TESTS_UNIT_IO_CASE_MESSAGES_HPP
#define TESSERA_TESTS_UNIT_IO_CASE_MESSAGES_HPP

#include "core/error.hpp"
#include "io/input/case_reader.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

namespace tessera::test {

/// The text with `piece`, which must occur in it, replaced.
inline std::string replaced(std::string text, const std::string& piece, const std::string& replacement) {
  const std::size_t position = text.find(piece);
  REQUIRE(position != std::string::npos);
  return text.replace(position, piece.size(), replacement);
}

/// The error message of a wrong input; the exit code must be 1.
inline std::string message_of(const std::string& text, const std::vector<io::Override>& overrides = {}) {
  try {
    io::read_case_text(text, "case.yaml", overrides);
  } catch (const Error& error) {
    CHECK(error.exit_code() == 1);
    return error.what();
  }
  return "no error";
}

} // namespace tessera::test

#endif
