// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/byte_stream.hpp"

#include "core/algorithms/mix_bits.hpp"
#include "core/error.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tessera::io::detail {

namespace {

constexpr std::size_t word = sizeof(std::uint64_t);
constexpr std::size_t buffer_size = std::size_t(1) << 16;

struct Head {
  std::uint64_t mark;
  std::uint64_t n_bytes; ///< after the header
  std::uint64_t checksum;
};

std::size_t padded(std::size_t bytes) { return (bytes + word - 1) / word * word; }

void write_all(int descriptor, const char* data, std::size_t bytes, std::uint64_t position) {
  while (bytes > 0) {
    const ssize_t n = ::pwrite(descriptor, data, bytes, static_cast<off_t>(position));
    if (n < 0 && errno == EINTR)
      continue;
    TESSERA_REQUIRE_KIND(n > 0, ErrorKind::resource,
                         "Handing data to another process failed: " << std::strerror(errno) << ".");
    data += n;
    bytes -= static_cast<std::size_t>(n);
    position += static_cast<std::uint64_t>(n);
  }
}

bool read_all(int descriptor, char* data, std::size_t bytes, std::uint64_t position) {
  while (bytes > 0) {
    const ssize_t n = ::pread(descriptor, data, bytes, static_cast<off_t>(position));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    data += n;
    bytes -= static_cast<std::size_t>(n);
    position += static_cast<std::uint64_t>(n);
  }
  return true;
}

bool read_head(int descriptor, Head& head) {
  return read_all(descriptor, reinterpret_cast<char*>(&head), sizeof(head), 0);
}

} // namespace

void StreamChecksum::add(const void* data, std::size_t bytes) {
  const char* from = static_cast<const char*>(data);
  for (std::size_t i = 0; i < bytes; i += word) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, from + i, std::min(word, bytes - i));
    sum_ += mix_bits(bits ^ mix_bits(n_words_++ + 0x9e3779b97f4a7c15ull));
  }
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

void Descriptor::close() {
  if (number_ >= 0)
    ::close(number_);
  number_ = -1;
}

Descriptor anonymous_file(const char* label) {
  Descriptor file(::memfd_create(label, MFD_CLOEXEC));
  TESSERA_REQUIRE_KIND(file.number() >= 0, ErrorKind::resource,
                       "A file in memory cannot be made: " << std::strerror(errno) << ".");
  return file;
}

ByteWriter::ByteWriter(int descriptor, std::uint64_t mark) : descriptor_(descriptor), mark_(mark) {
  TESSERA_REQUIRE_KIND(::ftruncate(descriptor, 0) == 0, ErrorKind::resource,
                       "Handing data to another process failed: " << std::strerror(errno) << ".");
}

void ByteWriter::put(const void* data, std::size_t bytes) {
  if (bytes == 0)
    return;
  checksum_.add(data, bytes);
  if (bytes > buffer_size / 2) {
    flush();
    write_all(descriptor_, static_cast<const char*>(data), bytes, sizeof(Head) + n_bytes_);
    n_bytes_ += bytes;
  } else {
    buffer_.append(static_cast<const char*>(data), bytes);
  }
  buffer_.append(padded(bytes) - bytes, '\0');
  if (buffer_.size() > buffer_size)
    flush();
}

void ByteWriter::flush() {
  write_all(descriptor_, buffer_.data(), buffer_.size(), sizeof(Head) + n_bytes_);
  n_bytes_ += buffer_.size();
  buffer_.clear();
}

void ByteWriter::text(const std::string& value) {
  number(static_cast<std::uint64_t>(value.size()));
  put(value.data(), value.size());
}

void ByteWriter::texts(const std::vector<std::string>& values) {
  number(static_cast<std::uint64_t>(values.size()));
  for (const std::string& value : values)
    text(value);
}

void ByteWriter::finish() {
  flush();
  const Head head{mark_, n_bytes_, checksum_.value()};
  write_all(descriptor_, reinterpret_cast<const char*>(&head), sizeof(head), 0);
}

bool ByteReader::holds(int descriptor, std::uint64_t mark) {
  Head head;
  return read_head(descriptor, head) && head.mark == mark;
}

ByteReader::ByteReader(int descriptor, std::uint64_t mark, const std::string& what)
    : descriptor_(descriptor), what_(what), position_(sizeof(Head)) {
  Head head{};
  struct stat status {};
  require(read_head(descriptor, head) && ::fstat(descriptor, &status) == 0, "it has no head");
  require(head.mark == mark, "it was written by another version, or by something else");
  end_ = static_cast<std::uint64_t>(status.st_size);
  require(head.n_bytes == end_ - sizeof(Head), "its size is wrong");
  expected_checksum_ = head.checksum;
}

void ByteReader::require(bool condition, const char* why) const {
  TESSERA_REQUIRE_KIND(condition, ErrorKind::resource, "Cannot take over " << what_ << ": " << why << ".");
}

void ByteReader::get(void* data, std::size_t bytes) {
  if (bytes == 0)
    return;
  require(padded(bytes) <= end_ - position_, "it ends too early");
  require(read_all(descriptor_, static_cast<char*>(data), bytes, position_), "it cannot be read");
  checksum_.add(data, bytes);
  std::uint64_t filling = 0;
  require(read_all(descriptor_, reinterpret_cast<char*>(&filling), padded(bytes) - bytes, position_ + bytes) &&
              filling == 0,
          "the bytes between its parts are not zero");
  if (bytes > buffer_size) // not an error: the memory is then freed with the file
    ::fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(position_),
                static_cast<off_t>(bytes));
  position_ += padded(bytes);
}

std::uint64_t ByteReader::number() {
  std::uint64_t value = 0;
  get(&value, sizeof(value));
  return value;
}

double ByteReader::real() {
  double value = 0.;
  get(&value, sizeof(value));
  return value;
}

std::uint64_t ByteReader::count(std::size_t item_bytes) {
  const std::uint64_t n = number();
  require(n <= (end_ - position_) / item_bytes, "a size in it is wrong");
  return n;
}

std::string ByteReader::text() {
  std::string value(static_cast<std::size_t>(count(1)), '\0');
  get(&value[0], value.size());
  return value;
}

std::vector<std::string> ByteReader::texts() {
  std::vector<std::string> values(static_cast<std::size_t>(count(word)));
  for (std::string& value : values)
    value = text();
  return values;
}

void ByteReader::finish() {
  require(position_ == end_, "it is longer than it should be");
  require(checksum_.value() == expected_checksum_, "its checksum is wrong");
}

} // namespace tessera::io::detail
