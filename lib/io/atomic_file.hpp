// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_ATOMIC_FILE_HPP
#define TESSERA_IO_ATOMIC_FILE_HPP

/// \file
/// Output files that are either complete or absent.

#include "core/error.hpp"
#include "io/signals.hpp"

#include <memory>
#include <ostream>
#include <string>

namespace tessera::io {

namespace detail {
class DescriptorBuffer;
} // namespace detail

/// A file that is written under a temporary name in its folder and renamed by commit(). Without commit(), for example
/// after an exception, or if the program is interrupted, the temporary file is removed. The temporary name contains a
/// random number, so that two processes never write the same file, whatever their process numbers.
class AtomicFile {
public:
  /// Makes the temporary file; throws if the folder cannot be written or `path` is not a regular file.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Stream to the temporary file. Must not be used together with a library that writes temporary_path() itself.
  std::ostream& stream() { return stream_; }
  const std::string& temporary_path() const { return temporary_; }
  const std::string& path() const { return path_; }

  /// Writes the rest of the stream, flushes to the disk and renames. Throws (kind resource, with the system's reason)
  /// if anything could not be written; the temporary file is then removed.
  void commit();

private:
  std::string path_;
  std::string temporary_;
  std::unique_ptr<RemovedBySignals> removal_; ///< null after commit()
  std::unique_ptr<detail::DescriptorBuffer> buffer_;
  std::ostream stream_;
};

/// Name of the file to which the temporary name `temporary` belongs (both without folder); empty if it is not a
/// temporary name.
std::string file_of_temporary(const std::string& temporary);

/// Throws unless a file `path` can be created: its folder exists and is writable, and the name is not that of a folder,
/// device, pipe or socket. For checks before expensive work.
void check_writable(const std::string& path);

/// Random lower-case hexadecimal digits.
std::string random_digits(int n);

/// Kind of a failure to create a file, by errno: resource if something ran out, otherwise input.
ErrorKind kind_of_errno(int error);

} // namespace tessera::io

#endif
