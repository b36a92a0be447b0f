// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_ATOMIC_FILE_HPP
#define TESSERA_IO_ATOMIC_FILE_HPP

/// \file
/// Output files that are either whole or absent.

#include "core/error.hpp"
#include "io/signals.hpp"

#include <memory>
#include <ostream>
#include <string>

namespace tessera::io {

namespace detail {
class DescriptorBuffer;
} // namespace detail

/// A file that is written under a temporary name in its folder and gets its own name by commit(). Without commit(), at
/// an exception for example, or when the program is interrupted, the temporary file is removed. The temporary name
/// holds a random number: two processes never write one file, whatever their process numbers.
class AtomicFile {
public:
  /// Makes the temporary file; throws when the folder cannot be written or `path` is something else than a file.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Stream into the temporary file. Do not mix with a library that writes temporary_path() itself.
  std::ostream& stream() { return stream_; }
  const std::string& temporary_path() const { return temporary_; }
  const std::string& path() const { return path_; }

  /// Writes what the stream still holds, hands the bytes to the disk and renames. Throws (kind resource, with the
  /// system's reason) when something was not written; the temporary file is removed then, too.
  void commit();

private:
  std::string path_;
  std::string temporary_;
  std::unique_ptr<RemovedBySignals> removal_; ///< null after commit()
  std::unique_ptr<detail::DescriptorBuffer> buffer_;
  std::ostream stream_;
};

/// File of which `temporary` is the temporary name (both without their folder); empty when it is none.
std::string file_of_temporary(const std::string& temporary);

/// Throws unless a file called `path` can be made: its folder is there and can be written, and the name belongs to no
/// folder, device, pipe or socket. For checks before heavy work.
void check_writable(const std::string& path);

/// Random lower-case hexadecimal digits.
std::string random_digits(int n);

/// Kind of a failure to make a file, by errno: what ran out is a resource, else the input is at fault.
ErrorKind kind_of_errno(int error);

} // namespace tessera::io

#endif
