// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_CHILD_PROCESS_HPP
#define TESSERA_IO_CHILD_PROCESS_HPP

/// \file
/// Another program, started, watched and ended.

#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace tessera::io::detail {

struct ChildCall {
  std::string program;
  std::vector<std::string> arguments; ///< after the program's name
  int input = -1;                     ///< what the program reads as its standard input; -1: nothing
  int output = -1;                    ///< what it gets as descriptor 3; -1: nothing
  double time_limit = 60.;            ///< s
  /// Called some times a second while the program runs, with the seconds so far and the last line that it printed.
  std::function<void(double, const std::string&)> watch;
};

struct ChildEnd {
  enum class How {
    exited,    ///< with `code`
    signalled, ///< by the signal `code`
    timed_out, ///< killed when its time was up
    unknown    ///< somebody else in this process has taken its status
  };
  How how = How::unknown;
  int code = 0;
  double peak_bytes = 0.;         ///< of memory, resident
  std::vector<std::string> lines; ///< the last that it printed on standard output and error, without blank ones
};

/// Runs a program in a process group of its own and waits for its end; nothing of its group outlives this call. Throws
/// tessera::Error when it cannot be started.
ChildEnd run_child(const ChildCall& call);

/// Last lines of a program's output. Carriage returns count as line breaks, escape sequences and blank lines go.
class LastLines {
public:
  void add(const char* text, std::size_t size);
  /// The lines so far, an unfinished one included.
  std::vector<std::string> lines() const;
  std::string last() const;

private:
  static constexpr std::size_t n_kept = 20;
  static constexpr std::size_t max_length = 400;
  std::deque<std::string> lines_; // without the unfinished one
  std::string current_;
};

} // namespace tessera::io::detail

#endif
