// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_OUTPUT_PROBES_FILE_HPP
#define TESSERA_IO_OUTPUT_PROBES_FILE_HPP

/// \file
/// Writes tables of comma-separated values, for probes and other results.

#include "io/atomic_file.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace tessera::io {

/// One column of a table.
struct TableColumn {
  std::string name;                    ///< "potential"
  std::string unit;                    ///< "V"; "1" if dimensionless
  std::vector<double> values;          ///< one per row; NaN: none
  std::vector<std::string> texts = {}; ///< one per row, instead of numbers
};

/// Shortest text that reads back as the same number; empty for NaN.
std::string csv_number(double value);

/// Name and unit of a column's header, "potential [V]"; without brackets the whole text is the name.
std::pair<std::string, std::string> name_and_unit(const std::string& head);

/// A table that is written row by row. The file gets its name when it is complete.
class TableFile {
public:
  explicit TableFile(const std::string& path) : target_(path) {}
  /// Appends a row; a cell is quoted if it contains a comma, a line break, or quotes, which are then doubled.
  void add(const std::vector<std::string>& cells);
  void complete() { target_.commit(); }

private:
  AtomicFile target_;
};

/// Writes a table of columns of one length with the header "potential [V],..." and all digits of each number; NaN as an
/// empty cell.
void write_table(const std::string& path, const std::vector<TableColumn>& columns);

/// Writes rows of texts.
void write_rows(const std::string& path, const std::vector<std::vector<std::string>>& rows);

/// Reads such rows from a file of at most `max_bytes`; throws an error for the user if it cannot be read.
std::vector<std::vector<std::string>> read_rows(const std::string& path, std::size_t max_bytes);

/// The table of a probe: x, y and z in m, then the columns, with a row per point; values outside the mesh are NaN. With
/// `times`, one per row, the first column is t in s.
std::vector<TableColumn> probe_table(const std::vector<std::array<double, 3>>& positions,
                                     const std::vector<TableColumn>& columns, const std::vector<double>& times = {});

} // namespace tessera::io

#endif
