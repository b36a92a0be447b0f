// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/atomic_file.hpp"

#include "core/error.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

namespace tessera::io {

namespace {

// What a signal handler may read: plain memory that never moves. A slot's name is complete before it is marked used.
constexpr int n_slots = 64;
constexpr std::size_t max_path = 4096;
struct Slot {
  std::atomic<int> state{0}; // 0 free, 1 being written, 2 names a temporary file
  char path[max_path];
};
Slot slots[n_slots];

int take_slot(const std::string& path) {
  TESSERA_REQUIRE(path.size() < max_path, "The path '" << path << "' is too long.");
  for (int i = 0; i < n_slots; ++i) {
    int expected = 0;
    if (slots[i].state.compare_exchange_strong(expected, 1)) {
      std::memcpy(slots[i].path, path.c_str(), path.size() + 1);
      slots[i].state.store(2);
      return i;
    }
  }
  TESSERA_REQUIRE(false, "More than " << n_slots << " output files are open at once.");
  return -1;
}

extern "C" void remove_temporaries_and_exit(int signal) {
  for (Slot& slot : slots)
    if (slot.state.load() == 2)
      ::unlink(slot.path);
  ::_exit(128 + signal);
}

/// Reason of the last failed system call.
std::string reason() { return std::strerror(errno); }

/// Writing fails for the user's reasons (kind input) or because something ran out (kind resource).
ErrorKind kind_of_errno() {
  return errno == ENOSPC || errno == EDQUOT || errno == EIO || errno == EMFILE || errno == ENFILE ? ErrorKind::resource
                                                                                                  : ErrorKind::input;
}

} // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path) {
  std::error_code error;
  TESSERA_REQUIRE(!std::filesystem::is_directory(path, error), "Cannot write '" << path << "': it is a folder.");
  static std::atomic<int> count{0};
  temporary_ = path + "." + std::to_string(::getpid()) + "." + std::to_string(count++) + ".part";
  slot_ = take_slot(temporary_);
  const int file = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0) {
    const ErrorKind kind = kind_of_errno();
    const std::string why = reason();
    slots[slot_].state.store(0);
    tessera::detail::throw_error(kind, "Cannot write '" + path + "': " + why + ".");
  }
  ::close(file);
}

AtomicFile::~AtomicFile() {
  if (slot_ < 0)
    return;
  stream_.close();
  ::unlink(temporary_.c_str());
  slots[slot_].state.store(0);
}

std::ostream& AtomicFile::stream() {
  if (!stream_.is_open())
    stream_.open(temporary_, std::ios::binary | std::ios::trunc);
  return stream_;
}

void AtomicFile::commit() {
  errno = 0;
  if (stream_.is_open()) {
    stream_.close();
    TESSERA_REQUIRE_KIND(!stream_.fail(), ErrorKind::resource, "Writing '" << path_ << "' failed: " << reason() << ".");
  }
  // On the disk before the rename, so that a crash leaves the old file or the whole new one.
  const int file = ::open(temporary_.c_str(), O_RDONLY);
  TESSERA_REQUIRE_KIND(file >= 0, ErrorKind::resource, "Writing '" << path_ << "' failed: " << reason() << ".");
  const bool flushed = ::fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP;
  const std::string why = reason();
  ::close(file);
  TESSERA_REQUIRE_KIND(flushed, ErrorKind::resource, "Writing '" << path_ << "' failed: " << why << ".");
  TESSERA_REQUIRE_KIND(std::rename(temporary_.c_str(), path_.c_str()) == 0, ErrorKind::resource,
                       "Renaming '" << temporary_ << "' to '" << path_ << "' failed: " << reason() << ".");
  slots[slot_].state.store(0);
  slot_ = -1;
}

void prepare_directory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  TESSERA_REQUIRE(!error && std::filesystem::is_directory(directory),
                  "The output directory '" << directory << "' cannot be made: "
                                           << (error ? error.message() : "a file has this name") << ".");
  // Permissions alone do not tell (read-only file systems, root): only a file that can be made does.
  const std::string probe = directory + "/.tessera-" + std::to_string(::getpid()) + ".part";
  const int file = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0) {
    const ErrorKind kind = kind_of_errno();
    tessera::detail::throw_error(kind, "The output directory '" + directory + "' is not writable: " + reason() + ".");
  }
  ::close(file);
  ::unlink(probe.c_str());
}

void install_signal_handlers() {
  struct sigaction action;
  std::memset(&action, 0, sizeof(action));
  action.sa_handler = remove_temporaries_and_exit;
  sigfillset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
    ::sigaction(signal, &action, nullptr);
}

} // namespace tessera::io
