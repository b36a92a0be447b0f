// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_OUTPUT_CONSOLE_HPP
#define TESSERA_IO_OUTPUT_CONSOLE_HPP

/// \file
/// Console output of a run.

#include "core/phase.hpp"

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace tessera::io {

/// Receives what a console would show, for programs that show it elsewhere. Either function may end the run by throwing
/// an exception.
class ConsoleReceiver {
public:
  virtual ~ConsoleReceiver() = default;
  virtual void line(const std::string& text) = 0;
  /// The phase that runs, and from time to time its progress, at most ten times a second.
  virtual void progress(const std::string& text) = 0;
};

/// Text on the console. On terminals the last line is updated while a phase runs; quiet consoles print nothing.
class Console {
public:
  /// On standard output.
  explicit Console(bool quiet = false);
  /// On a stream, for tests; `live`: treat the stream as a terminal.
  Console(std::ostream& out, bool quiet, bool live);
  /// To a receiver, which must outlive the object.
  explicit Console(ConsoleReceiver& receiver);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  /// Prints a line of text.
  void line(const std::string& text);
  /// Prints "  name     value".
  void item(const std::string& name, const std::string& value);
  /// Prints "warning: ..." on standard error, also on quiet consoles.
  static void warning(const std::string& text);

  /// Hook for PhaseLog::set_listener; the console must outlive the log.
  PhaseListener listener();
  /// Replaces the text of the live line ("iteration 1200, residual 3.1e-06"); cheap to call often, drawn at most ten
  /// times a second.
  void progress(const std::string& text);

  /// Prints phase_rows().
  void phase_table(const std::vector<Phase>& phases);
  /// Prints "  capacitance   1.2345678901e-11 F", followed by `note` in brackets.
  void quantity(const std::string& name, double value, const std::string& unit, const std::string& note = "");
  /// Prints rows below a headline; the first column is left-aligned, the others right-aligned.
  void table(const std::vector<std::string>& headline, const std::vector<std::vector<std::string>>& rows);

  bool quiet() const { return quiet_; }

private:
  void draw(const std::string& text);
  void clear();

  std::ostream& out_;
  ConsoleReceiver* receiver_ = nullptr; // instead of the stream
  bool quiet_;
  bool live_;
  bool drawn_ = false;
  std::string phase_;
  std::chrono::steady_clock::time_point last_draw_;
  std::chrono::steady_clock::time_point phase_start_;
};

/// A table of name, place, seconds, share and peak memory, heads first. Phases of the same name and place are merged.
std::vector<std::vector<std::string>> phase_rows(const std::vector<Phase>& phases);

/// Text of a time with a suitable unit: "12.3 ms".
std::string format_seconds(double seconds);

/// Text of a number with this number of digits after the point: "12.30".
std::string format_fixed(double value, int digits);

/// Text of a count in groups of digits: "2 000 000".
std::string format_count(std::int64_t count);

} // namespace tessera::io

#endif
