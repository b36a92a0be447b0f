// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/output/directory_lock.hpp"

#include "io/atomic_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace tessera::io {

namespace {

/// Whether a descriptor refers to the file that currently has this name.
bool is_file(int descriptor, const std::string& path) {
  struct stat opened, named;
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

/// Holder of the lock, as written to the file: " (process 12 on host)"; empty if not written yet.
std::string holder(int descriptor) {
  std::array<char, 300> text{};
  const ssize_t n = ::pread(descriptor, text.data(), text.size(), 0);
  return n > 1 ? " (" + std::string(text.data(), static_cast<std::size_t>(n) - 1) + ")" : "";
}

void write_holder(int descriptor) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const std::string text = "process " + std::to_string(::getpid()) + " on " + host.data() + "\n";
  // The content is only for messages of other processes: a full disk does not matter.
  if (::ftruncate(descriptor, 0) == 0) {
    [[maybe_unused]] const ssize_t n = ::pwrite(descriptor, text.data(), text.size(), 0);
  }
}

} // namespace

DirectoryLock::DirectoryLock(const std::string& directory) : path_(directory + "/.tessera-lock") {
  for (;;) {
    const int descriptor = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0) {
      const int error = errno;
      tessera::detail::throw_error(kind_of_errno(error), "The output directory '" + directory + "' is not writable: " +
                                                             std::strerror(error) + " (" + path_ + ").");
    }
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      const bool is_taken = errno == EWOULDBLOCK;
      const std::string who = is_taken ? holder(descriptor) : "";
      ::close(descriptor);
      TESSERA_REQUIRE(!is_taken, "Another run writes into the output directory '"
                                     << directory << "'" << who
                                     << ". Wait for its end, or choose another directory by --output.");
      ::unlink(path_.c_str()); // a file system without locks
      return;
    }
    // The holder may have removed the file between the two calls, and another process could then lock a new one.
    if (is_file(descriptor, path_)) {
      descriptor_ = descriptor;
      break;
    }
    ::close(descriptor);
  }
  removal_ = std::make_unique<RemovedBySignals>(path_);
  write_holder(descriptor_);
}

DirectoryLock::~DirectoryLock() {
  if (descriptor_ < 0)
    return;
  ::unlink(path_.c_str()); // before unlocking: afterwards the file may belong to another process
  ::close(descriptor_);
}

} // namespace tessera::io
