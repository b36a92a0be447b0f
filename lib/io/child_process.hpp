// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_CHILD_PROCESS_HPP
#define TESSERA_IO_CHILD_PROCESS_HPP

/// \file
/// Starts, monitors and ends another program.

#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace tessera::io::detail {

struct ChildCall {
  std::string program;
  std::vector<std::string> arguments; ///< after the program's name
  int input = -1;                     ///< standard input of the program; -1: none
  int output = -1;                    ///< descriptor 3 of the program; -1: none
  double time_limit = 60.;            ///< s
  /// Called several times a second while the program runs, with the elapsed seconds and the last line that it printed.
  std::function<void(double, const std::string&)> watch;
};

struct ChildEnd {
  enum class How {
    exited,    ///< normally, with exit code `code`
    signalled, ///< by the signal `code`
    timed_out, ///< killed when its time was up
    unknown    ///< other code in this process has collected its status
  };
  How how = How::unknown;
  int code = 0;
  double peak_bytes = 0.;         ///< peak resident memory
  std::vector<std::string> lines; ///< last non-blank lines that it printed on standard output and error
};

/// Runs a program in its own process group and waits for its end; no process of the group outlives this call. Throws
/// tessera::Error if it cannot be started.
ChildEnd run_child(const ChildCall& call);

/// Replaces this process by a program, whose name is the first word: with this process's standard streams and terminal,
/// and ended with it. Also waits for processes that the program has left behind, and kills those that run for more than
/// ten further seconds, so that a run in the same directory can begin. Returns the exit code, see wait_for_worker();
/// throws a tessera::Error (kind resource, starting with `what`) if the program cannot be started.
int run_in_place(const std::vector<std::string>& command, const std::string& what);

/// Last lines of a program's output. Carriage returns break lines; escape sequences and blank lines are dropped.
class LastLines {
public:
  void add(const char* text, std::size_t size);
  /// The lines so far, an unfinished one included.
  std::vector<std::string> lines() const;
  std::string last() const;

private:
  static constexpr std::size_t n_kept = 20;
  static constexpr std::size_t max_length = 400;
  std::deque<std::string> lines_; // without the unfinished line
  std::string current_;
};

} // namespace tessera::io::detail

#endif
