// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_BYTE_STREAM_HPP
#define TESSERA_IO_BYTE_STREAM_HPP

/// \file
/// Numbers, texts and arrays in an open file through which two processes of one machine communicate.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::io::detail {

/// Checksum of a stream of 64-bit words: the sum of the mixed bits of word and position.
class StreamChecksum {
public:
  /// Adds bytes, padded with zeros to a whole number of words.
  void add(const void* data, std::size_t bytes);
  std::uint64_t value() const { return sum_; }

private:
  std::uint64_t sum_ = 0;
  std::uint64_t n_words_ = 0;
};

/// A file descriptor that is closed by the destructor.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { close(); }
  void close();
  int number() const { return number_; }

private:
  int number_ = -1;
};

/// Makes an anonymous file in memory that programs started later do not inherit. Throws (kind resource).
Descriptor anonymous_file(const char* label);

/// Writes a file from its beginning. finish() writes its header (mark, size, checksum): an incomplete file has none.
class ByteWriter {
public:
  /// `mark`: a number that identifies this kind of stream and its version.
  ByteWriter(int descriptor, std::uint64_t mark);
  void number(std::uint64_t value) { put(&value, sizeof(value)); }
  void number(double value) { put(&value, sizeof(value)); }
  void text(const std::string& value);
  void texts(const std::vector<std::string>& values);
  template <class T> void array(const std::vector<T>& values) {
    number(static_cast<std::uint64_t>(values.size()));
    put(values.data(), values.size() * sizeof(T));
  }
  /// Throws (kind resource) if something could not be written.
  void finish();

private:
  void put(const void* data, std::size_t bytes);
  void flush();

  int descriptor_;
  std::uint64_t mark_;
  std::uint64_t n_bytes_ = 0;
  std::string buffer_;
  StreamChecksum checksum_;
};

/// Reads such a file. Every size in it is checked against the length of the file. Any mismatch throws a tessera::Error
/// (kind resource) that names `what`.
class ByteReader {
public:
  ByteReader(int descriptor, std::uint64_t mark, const std::string& what);
  /// Whether the file contains a finished stream with this mark.
  static bool holds(int descriptor, std::uint64_t mark);
  std::uint64_t number();
  double real();
  /// Reads the number of the items that follow, of at least `item_bytes` bytes each.
  std::uint64_t count(std::size_t item_bytes);
  std::string text();
  std::vector<std::string> texts();
  /// Releases the file's memory while the array is read.
  template <class T> std::vector<T> array() {
    std::vector<T> values(static_cast<std::size_t>(count(sizeof(T))));
    get(values.data(), values.size() * sizeof(T));
    return values;
  }
  /// Verifies the checksum and that everything was read.
  void finish();

private:
  void get(void* data, std::size_t bytes);
  void require(bool condition, const char* why) const;

  int descriptor_;
  std::string what_;
  std::uint64_t position_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t expected_checksum_ = 0;
  StreamChecksum checksum_;
};

} // namespace tessera::io::detail

#endif
