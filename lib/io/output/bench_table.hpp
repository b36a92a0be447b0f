// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_OUTPUT_BENCH_TABLE_HPP
#define TESSERA_IO_OUTPUT_BENCH_TABLE_HPP

/// \file
/// Tables of the benchmark: columns with units and rows, from which the console, CSV files and charts are made.

#include "io/output/console.hpp"
#include "io/output/report.hpp"

#include <limits>
#include <string>
#include <vector>

namespace tessera::io {

/// A column of numbers.
struct BenchColumn {
  std::string name;         ///< "median"
  std::string unit;         ///< "s"; "1" if dimensionless
  std::string heading = {}; ///< on the console: "median ms"; empty: not printed there
  double factor = 1.;       ///< from the unit to that of the console
  int digits = 0;           ///< after the point, on the console
  std::string suffix = {};  ///< " %", on the console
};

struct BenchRow {
  std::string case_name; ///< "tri-p1-1000"
  std::string problem;   ///< "tri-p1": the same for one problem on meshes of several sizes, which share a curve
  std::string method;    ///< "row-gather": a curve of the charts
  std::string part;      ///< "numeric": of a method's work; each part has a chart
  std::string label;     ///< on the console
  std::string setting;   ///< in the table's column of settings
  std::string note;
  std::vector<double> values; ///< one per column; NaN: none
  bool is_measured = true;    ///< otherwise the note is the reason
};

struct BenchTable {
  std::string name;                 ///< "assembly": that of its file
  std::string over;                 ///< "elements": column of the charts' horizontal axis
  std::string title, details;       ///< lines above the table on the console; no details: empty
  std::string setting_heading = {}; ///< "processes x threads"; empty: the rows have no settings
  std::vector<BenchColumn> columns = {};
  std::vector<BenchRow> rows = {};

  bool has_column(const std::string& name) const;
  /// Position of a column; throws if there is none.
  std::size_t column(const std::string& name) const;
  double value(const BenchRow& row, const std::string& name) const { return row.values[column(name)]; }
  /// Appends a row without values.
  BenchRow& add(const std::string& label);
  /// Sets a value of the last row.
  void set(const std::string& name, double value) { rows.back().values[column(name)] = value; }
};

/// Prints title, details and rows; below them a line for each row that is not measured.
void print_bench_table(Console& console, const BenchTable& table);

/// Writes case, problem, method, part, the setting if there is any, the columns that have values ("median [s]") and the
/// note of every row.
void write_bench_table(const std::string& path, const BenchTable& table);

/// Reads such a file; headings and labels are empty. Throws (kind input) for other tables.
BenchTable read_bench_table(const std::string& path);

constexpr const char* bench_description_name = "bench.yaml";

/// The tables that a benchmark writes to a directory: NAME.csv with the rows of all tables of this name, and bench.yaml
/// with hardware, versions and command.
class BenchFiles {
public:
  /// Creates the directory. Throws (kind input) if files cannot be written there, or it has the results of a run.
  explicit BenchFiles(const std::string& directory);

  /// Keys of bench.yaml above its tables.
  ReportNode& description() { return description_; }
  const ReportNode& description() const { return description_; }
  /// Appends the rows to those of the same name, and writes these.
  void add(const BenchTable& table);
  /// Tables so far, one per name.
  const std::vector<BenchTable>& tables() const { return tables_; }
  const std::string& directory() const { return directory_; }

private:
  std::string directory_;
  ReportNode description_;
  std::vector<BenchTable> tables_;
};

} // namespace tessera::io

#endif
