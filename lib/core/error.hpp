// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_ERROR_HPP
#define TESSERA_CORE_ERROR_HPP

/// \file
/// Errors; their kind determines the exit code of the program (docs/running.md: Exit codes).

#include "core/index.hpp"

#include <sstream>
#include <stdexcept>
#include <string>

namespace tessera {

/// Kinds of errors; their numbers are the program's exit codes.
enum class ErrorKind {
  input = 1,     ///< wrong input or usage
  numerical = 2, ///< not converged, breakdown, singular system
  resource = 3   ///< out of memory, disk or device
};

/// The one exception type of the library; `what()` is a sentence for the user.
class Error : public std::runtime_error {
public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }
  int exit_code() const { return static_cast<int>(kind_); }

private:
  ErrorKind kind_;
};

/// Narrows a count to offset_t; refuses negative counts and overflow, naming the build option that lifts the limit.
offset_t checked_offset(std::int64_t count, const char* what);

/// Narrows a count to index_t; refuses negative counts and more than 2^31 - 1 nodes or elements.
index_t checked_index(std::int64_t count, const char* what);

/// Text of a byte count with a binary unit ("1.5 GiB").
std::string format_bytes(double bytes);

namespace detail {
[[noreturn]] void throw_error(ErrorKind kind, const std::string& message);
} // namespace detail

} // namespace tessera

/// Throws a tessera::Error of kind input if the condition does not hold; `message` is a stream expression.
#define TESSERA_REQUIRE(condition, message) TESSERA_REQUIRE_KIND(condition, ::tessera::ErrorKind::input, message)

/// Like TESSERA_REQUIRE, for an error of the given kind.
#define TESSERA_REQUIRE_KIND(condition, kind, message)                                                                 \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      std::ostringstream tessera_message_;                                                                             \
      tessera_message_ << message;                                                                                     \
      ::tessera::detail::throw_error(kind, tessera_message_.str());                                                    \
    }                                                                                                                  \
  } while (false)

#endif
