// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_SIGNALS_HPP
#define TESSERA_IO_SIGNALS_HPP

/// \file
/// Handles signals that end the program, and closed standard streams.

#include <string>

namespace tessera::io {

/// While this object exists, a signal that ends the program removes the file of this name. The destructor does not.
class RemovedBySignals {
public:
  /// Throws if the path is longer than 4095 bytes or 64 files are registered already.
  explicit RemovedBySignals(const std::string& path);
  ~RemovedBySignals();
  RemovedBySignals(const RemovedBySignals&) = delete;
  RemovedBySignals& operator=(const RemovedBySignals&) = delete;

private:
  int slot_;
};

/// While this object exists, the first SIGINT or SIGTERM does not end the program, which should finish what it can and
/// end by itself; a second one ends it at once. One object at a time.
class PostponedSignals {
public:
  PostponedSignals();
  ~PostponedSignals();
  PostponedSignals(const PostponedSignals&) = delete;
  PostponedSignals& operator=(const PostponedSignals&) = delete;

  int received() const; ///< number of the signal; 0: none
};

/// "SIGINT"
std::string signal_name(int number);

/// Makes signals that request an end (SIGINT, SIGTERM, SIGQUIT, SIGXCPU, ...) remove the temporary files and exit with
/// 128 + the signal's number (130 for Ctrl-C); those that the parent ignores (nohup) stay ignored. SIGXFSZ is ignored,
/// so that a file beyond the limit on sizes fails like a full disk, with a message. `reports`: whether to print a
/// message with the signal if a shell would not. Call once in main.
void install_signal_handlers(bool reports);

/// Waits for the end of a child that does the work of this process, and forwards signals that ask this process to end;
/// signals of a terminal reach both. Returns the child's exit code, or 128 + the number of a signal that ended it or
/// was sent to this process.
int wait_for_worker(int child);

/// Number of signals that have asked this process to end since it started to wait for such a child.
int n_end_requests();

/// Opens descriptors 0, 1 and 2 if the parent closed them, so that no output file gets the number of a standard stream.
/// Writing to them still fails. Call first in main.
void reserve_standard_descriptors();

} // namespace tessera::io

#endif
