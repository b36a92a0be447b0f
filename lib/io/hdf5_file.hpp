// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_HDF5_FILE_HPP
#define TESSERA_IO_HDF5_FILE_HPP

/// \file
/// Wraps the part of HDF5 that mesh and field files need.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tessera::io {

/// An open HDF5 file. Objects are named by their full path ("/VTKHDF/Points"); T is double, float, int32_t, int64_t,
/// uint16_t or uint8_t. Failures throw tessera::Error with the file's name and HDF5's innermost reason: of kind input
/// when reading, of kind resource when writing (disk full, no permission).
class Hdf5File {
public:
  /// Creates or overwrites a file. Messages use `name` instead of `path` if the latter is only temporary.
  static Hdf5File create(const std::string& path, const std::string& name = "");
  static Hdf5File open(const std::string& path);
  Hdf5File(Hdf5File&& other) noexcept;
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;
  ~Hdf5File();

  /// Writes everything to the file; the destructor does the same but cannot report failures.
  void close();

  // --- writing ---

  void make_group(const std::string& group);
  void write_attribute(const std::string& object, const std::string& name, const std::vector<std::int64_t>& values);
  /// Writes an ASCII string of fixed length, as VTK requires.
  void write_attribute(const std::string& object, const std::string& name, const std::string& text);
  /// Writes strings of fixed length, that of the longest: HDF5 stores strings of variable length in a heap, and HDF5
  /// 1.10 crashes if that is damaged.
  void write_strings(const std::string& dataset, const std::vector<std::string>& texts);

  /// Row-major data of the given extents.
  template <class T> void write(const std::string& dataset, const std::vector<std::size_t>& extents, const T* data);

  /// Writes data that `fill(first_row, n_rows, buffer)` makes block by block, so that converted or permuted arrays
  /// never exist as a whole.
  template <class T> using Fill = std::function<void(std::size_t first_row, std::size_t n_rows, T* buffer)>;
  template <class T>
  void write_blocks(const std::string& dataset, const std::vector<std::size_t>& extents, const Fill<T>& fill);

  /// As above for the rows [first, first + n_rows) of a dataset of the given extents, which is made by the first call.
  template <class T>
  void write_rows(const std::string& dataset, const std::vector<std::size_t>& extents, std::size_t first,
                  std::size_t n_rows, const Fill<T>& fill);
  /// Number of rows of this size that a call of `fill` makes, except the last.
  static std::size_t rows_of_block(std::size_t row_bytes);

  // --- reading ---
  //
  // Announced sizes are compared with the stored data before memory is allocated; data of another kind (texts,
  // floating-point numbers for integers) or outside the range of T are errors.

  bool exists(const std::string& object) const;
  bool has_attribute(const std::string& object, const std::string& name) const;
  /// Reads an attribute of n integers.
  std::vector<std::int64_t> read_integers(const std::string& object, const std::string& attribute, std::size_t n) const;
  /// Reads an attribute that is a single text.
  std::string read_text(const std::string& object, const std::string& attribute) const;
  std::vector<std::size_t> extents(const std::string& dataset) const;
  /// Reads a whole dataset, converted to T.
  template <class T> std::vector<T> read(const std::string& dataset) const;
  /// As above; throws before reading unless the extents are those expected ([n, 1] equals [n]).
  template <class T> std::vector<T> read(const std::string& dataset, const std::vector<std::size_t>& expected) const;
  /// Reads the rows [first, first + n) of a dataset of one or two dimensions, whose rows have as many entries as its
  /// second extent.
  template <class T> std::vector<T> read_rows(const std::string& dataset, std::size_t first, std::size_t n) const;
  /// Names of a group's objects, sorted.
  std::vector<std::string> members(const std::string& group) const;
  /// Texts of fixed or variable length.
  std::vector<std::string> read_strings(const std::string& dataset) const;

  const std::string& path() const { return path_; }

private:
  Hdf5File(std::string path, std::int64_t file, bool writing);
  [[noreturn]] void fail(const std::string& doing) const;
  [[noreturn]] void refuse(const std::string& what) const;
  /// Number of entries of an open dataset (hid_t); throws if it announces more than the file can contain.
  std::size_t stored_entries(std::int64_t set, const std::string& dataset, std::size_t entry_bytes) const;
  std::int64_t check(std::int64_t result, const std::string& doing) const;

  std::string path_;
  std::int64_t file_ = -1; // hid_t
  bool writing_ = false;
};

} // namespace tessera::io

#endif
