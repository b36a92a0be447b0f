// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/communicator.hpp"
#include "command_line.hpp"
#include "core/error.hpp"
#include "core/kokkos_ext/runtime.hpp"
#include "io/signals.hpp"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <thread>

namespace {

/// Flushes the output first, so that the error follows it if both go to the same place. Writes the text at once, since
/// a launcher prints its own messages between the pieces.
void print_error(const std::string& message) {
  std::cout.flush();
  const bool has_lines = message.find('\n') != std::string::npos;
  std::cerr << "tessera: error:" + ((has_lines ? '\n' : ' ') + message + '\n');
}

/// Prints the error and ends all processes. Most errors occur on all processes: rank 0 prints them, and ends the others
/// while these wait. An error on another process alone is printed by that process after the wait.
int fail(const std::string& message, tessera::ErrorKind kind) {
  const int rank = tessera::comm::launched_processes() > 1 ? tessera::comm::launched_rank() : 0;
  if (rank > 0)
    std::this_thread::sleep_for(std::chrono::seconds(5));
  print_error((rank > 0 ? "process " + std::to_string(rank) + ": " : "") + message);
  tessera::comm::end_all(static_cast<int>(kind));
  return static_cast<int>(kind);
}

/// Returns the exit code after everything else is done: failing to write to standard output is an error.
int end(int code) {
  std::cout.flush();
  if (std::cout.good())
    return code;
  // The stream does not store the reason: writing one more byte either returns it, or succeeds and ends the line.
  const std::string reason = ::write(STDOUT_FILENO, "\n", 1) < 0 ? std::string(": ") + std::strerror(errno) : "";
  print_error("Cannot write to standard output" + reason + ".");
  return code == 0 ? static_cast<int>(tessera::ErrorKind::resource) : code;
}

} // namespace

/// Exit codes: 0 done, 1 wrong input or usage, 2 not converged, 3 out of memory, disk or device.
int main(int argc, char* argv[]) {
  tessera::io::reserve_standard_descriptors();
  // A launcher ends the other processes by a signal after one has reported an error.
  tessera::io::install_signal_handlers(tessera::comm::launched_processes() == 1);
  tessera::own_process();
  try {
    return end(tessera::app::parse_and_run(argc, argv));
  } catch (const std::exception& error) {
    return fail(tessera::message_of(error), tessera::kind_of(error));
  } catch (...) {
    return fail("an unexpected exception without a message; please report how it happened.",
                tessera::ErrorKind::resource);
  }
}
