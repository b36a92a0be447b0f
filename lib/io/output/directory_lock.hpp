// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_OUTPUT_DIRECTORY_LOCK_HPP
#define TESSERA_IO_OUTPUT_DIRECTORY_LOCK_HPP

/// \file
/// A lock that admits one process at a time to a folder.

#include "io/signals.hpp"

#include <memory>
#include <string>

namespace tessera::io {

/// Locks a folder during the object's lifetime, by a lock of the operating system (flock) on the file .tessera-lock,
/// which contains the process for messages. The lock ends with the process, however it ends; the file is removed with
/// the lock, and one left behind by a killed process is harmless.
class DirectoryLock {
public:
  /// Throws if another process holds the lock or the folder cannot be written (kind input). On file systems without
  /// locks is_held() is false.
  explicit DirectoryLock(const std::string& directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

  bool is_held() const { return descriptor_ >= 0; }

private:
  std::string path_;
  int descriptor_ = -1;
  std::unique_ptr<RemovedBySignals> removal_;
};

} // namespace tessera::io

#endif
