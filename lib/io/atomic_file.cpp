// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>
#include <streambuf>
#include <utility>
#include <vector>

namespace tessera::io {

namespace detail {

/// Writes to a descriptor and stores the reason for the first failure, which std::filebuf loses.
class DescriptorBuffer : public std::streambuf {
public:
  explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor), bytes_(std::size_t(1) << 16) {
    setp(bytes_.data(), bytes_.data() + bytes_.size());
  }
  ~DescriptorBuffer() override {
    if (descriptor_ >= 0)
      ::close(descriptor_);
  }

  /// errno of the first failure; 0: none.
  int error() const { return error_; }

  /// Flushes everything to the disk and closes.
  void finish() {
    sync();
    // Some file systems cannot flush, pipes for example.
    if (error_ == 0 && ::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS)
      error_ = errno;
    if (::close(std::exchange(descriptor_, -1)) != 0 && error_ == 0 && errno != EINTR)
      error_ = errno;
  }

protected:
  int_type overflow(int_type c) override {
    if (sync() != 0)
      return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof()))
      sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }

  int sync() override {
    const char* next = pbase();
    while (next < pptr() && error_ == 0) {
      const ssize_t n = ::write(descriptor_, next, static_cast<std::size_t>(pptr() - next));
      if (n >= 0)
        next += n;
      else if (errno != EINTR)
        error_ = errno;
    }
    setp(bytes_.data(), bytes_.data() + bytes_.size());
    return error_ == 0 ? 0 : -1;
  }

private:
  int descriptor_;
  int error_ = 0;
  std::vector<char> bytes_;
};

} // namespace detail

namespace {

constexpr int n_digits = 16;
constexpr std::size_t max_name = 255; // bytes, of all common file systems
const std::string ending = ".part";

/// ".<name>.<random>.part" in the same folder, where a rename is atomic.
std::string temporary_name(const std::string& path) {
  const std::filesystem::path whole(path);
  const std::string name = whole.filename().string();
  const std::size_t n_kept = std::min(name.size(), max_name - n_digits - ending.size() - 2);
  return (whole.parent_path() / ("." + name.substr(0, n_kept) + "." + random_digits(n_digits) + ending)).string();
}

[[noreturn]] void fail_to_write(ErrorKind kind, const std::string& path, int error) {
  tessera::detail::throw_error(kind, "Cannot write '" + path + "': " + std::strerror(error) + ".");
}

void check_type(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENAMETOOLONG) // caused by the longer temporary name
      fail_to_write(ErrorKind::input, path, errno);
    return;
  }
  TESSERA_REQUIRE(!S_ISDIR(status.st_mode), "Cannot write '" << path << "': it is a folder.");
  TESSERA_REQUIRE(S_ISREG(status.st_mode),
                  "Cannot write '" << path << "': it is no regular file, but a device, pipe or socket.");
}

} // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path), stream_(nullptr) {
  check_type(path);
  int descriptor = -1;
  int error = EEXIST;
  for (int attempt = 0; attempt < 100 && error == EEXIST; ++attempt) {
    removal_.reset(); // one slot at a time
    temporary_ = temporary_name(path);
    removal_ = std::make_unique<RemovedBySignals>(temporary_);
    descriptor = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    error = descriptor < 0 ? errno : 0;
  }
  if (descriptor < 0) {
    removal_.reset();
    fail_to_write(kind_of_errno(error), path, error);
  }
  buffer_ = std::make_unique<detail::DescriptorBuffer>(descriptor);
  stream_.rdbuf(buffer_.get());
}

AtomicFile::~AtomicFile() {
  if (removal_)
    ::unlink(temporary_.c_str());
}

void AtomicFile::commit() {
  // Flushed to the disk before the rename, so that a crash leaves either the old file or the complete new one.
  buffer_->finish();
  if (buffer_->error() != 0)
    fail_to_write(ErrorKind::resource, path_, buffer_->error());
  TESSERA_REQUIRE_KIND(!stream_.fail(), ErrorKind::resource, "Cannot write '" << path_ << "'.");
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0)
    fail_to_write(ErrorKind::resource, path_, errno);
  removal_.reset();
  // Flushes the directory entry, too; errors of file systems that cannot do so are ignored.
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  const int directory = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    ::fsync(directory);
    ::close(directory);
  }
}

std::string file_of_temporary(const std::string& temporary) {
  const std::size_t n_after = 1 + n_digits + ending.size(); // ".<random>.part"
  if (temporary.size() < n_after + 2 || temporary[0] != '.')
    return "";
  const std::size_t dot = temporary.size() - n_after;
  const bool is_ours = temporary[dot] == '.' &&
                       temporary.find_first_not_of("0123456789abcdef", dot + 1) == dot + 1 + n_digits &&
                       temporary.compare(dot + 1 + n_digits, ending.size(), ending) == 0;
  return is_ours ? temporary.substr(1, dot - 1) : "";
}

void check_writable(const std::string& path) { const AtomicFile file(path); }

std::string random_digits(int n) {
  std::random_device device;
  std::uniform_int_distribution<int> digit(0, 15);
  std::string digits;
  for (int i = 0; i < n; ++i)
    digits += "0123456789abcdef"[digit(device)];
  return digits;
}

ErrorKind kind_of_errno(int error) {
  for (const int shortage : {ENOSPC, EDQUOT, EFBIG, EIO, EMFILE, ENFILE, ENOMEM, ENOLCK, ESTALE})
    if (error == shortage)
      return ErrorKind::resource;
  return ErrorKind::input;
}

} // namespace tessera::io
