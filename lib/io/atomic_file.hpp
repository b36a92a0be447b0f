// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_ATOMIC_FILE_HPP
#define TESSERA_IO_ATOMIC_FILE_HPP

/// \file
/// Output files that are either whole or absent.

#include <fstream>
#include <ostream>
#include <string>

namespace tessera::io {

/// A file that is written under a temporary name in its folder and gets its own name by commit(). Without commit(), at
/// an exception for example, or when the program is interrupted, the temporary file is removed.
class AtomicFile {
public:
  /// Reserves the temporary name; throws when the folder cannot be written.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Stream into the temporary file. Do not mix with a library that writes temporary_path() itself.
  std::ostream& stream();
  const std::string& temporary_path() const { return temporary_; }
  const std::string& path() const { return path_; }

  /// Closes the stream, hands the bytes to the disk and renames. Throws (kind resource) when something was not written.
  void commit();

private:
  std::string path_;
  std::string temporary_;
  std::ofstream stream_;
  int slot_ = -1;
};

/// Makes a folder (and those above it) and checks that files can be made there; throws a message for the user.
void prepare_directory(const std::string& directory);

/// Lets SIGINT, SIGTERM, SIGHUP and SIGPIPE remove the temporary files and end the program with 128 + the signal's
/// number (130 for Ctrl-C). Call once in main.
void install_signal_handlers();

} // namespace tessera::io

#endif
