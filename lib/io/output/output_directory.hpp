// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_OUTPUT_OUTPUT_DIRECTORY_HPP
#define TESSERA_IO_OUTPUT_OUTPUT_DIRECTORY_HPP

/// \file
/// The output directory of a run, or its results in memory.

#include "io/output/directory_lock.hpp"
#include "io/output/report.hpp"
#include "io/output/run_arrays.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tessera::io {

/// A folder that belongs to one run during the lifetime of the object.
class OutputDirectory {
public:
  /// Creates the folder (and its parents), locks it, checks that files can be created there and removes the temporary
  /// files of killed runs. Throws an error for the user, for example if another process writes there. On file systems
  /// without locks it warns and continues.
  /// `arrays`: receives fields, probes and time steps as well, and must outlive the object.
  explicit OutputDirectory(const std::string& path, RunArrays* arrays = nullptr);
  /// No folder: the arrays receive everything.
  explicit OutputDirectory(RunArrays& arrays);

  /// Whether there is a folder.
  bool writes_files() const { return !path_.empty(); }
  const std::string& path() const { return path_; }
  /// Path of a file in the folder.
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  FieldTarget fields() const { return {writes_files() ? file("fields.vtkhdf") : "", arrays_}; }
  /// Null: there is only the folder.
  RunArrays* arrays() const { return arrays_; }
  /// Random number of the run, a version 4 UUID ("3f0c7a52-9c1e-4b7d-8a40-51f6f1d0c2aa"): identifies the files of one
  /// run.
  const std::string& run_id() const { return run_id_; }

  /// Call before the first file is replaced: removes the reports of an earlier run, so that a report always belongs to
  /// the other files in the folder.
  void begin_writing() const;
  /// Files of earlier runs, according to the last report, that are not among `names`. Call before begin_writing().
  std::vector<std::string> files_of_earlier_runs(const std::vector<std::string>& names) const;

private:
  std::string path_;
  RunArrays* arrays_;
  std::optional<DirectoryLock> lock_;
  std::string run_id_;
};

/// Removes the lock and the temporary files that killed processes have left in a folder, unless a run is writing there.
void remove_remains(const std::string& path);

/// Writes size in bytes and checksum (of the POSIX command cksum) of a file into `report`; only the size of
/// fields.vtkhdf, which may be large and contains the number of the run. Throws (kind resource) if the file cannot be
/// read.
void describe_file(const std::string& path, ReportNode& report);

} // namespace tessera::io

#endif
