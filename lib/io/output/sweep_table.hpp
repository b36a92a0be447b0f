// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_OUTPUT_SWEEP_TABLE_HPP
#define TESSERA_IO_OUTPUT_SWEEP_TABLE_HPP

/// \file
/// sweep.csv: a row per point of a sweep.

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tessera::io {

constexpr const char* sweep_table_name = "sweep.csv";
/// State of a point without failures.
constexpr const char* sweep_done = "done";
/// State of a point that has not run yet.
constexpr const char* sweep_not_run = "not run";

struct SweepRow {
  std::vector<std::string> values;                          ///< of the varied keys
  std::vector<std::pair<std::string, std::string>> numbers; ///< "capacitance [F]" with its text
  std::string state;                                        ///< sweep_done, sweep_not_run, or the reason of the failure
  std::string iterations;
  std::string seconds;
  std::string taken; ///< set-up reused from the previous run
  std::string input; ///< checksum of the point's input

  bool is_done() const { return state == sweep_done; }
  bool was_run() const { return state != sweep_not_run; }
  /// Text of a number, or null pointer.
  const std::string* find(const std::string& number) const;
};

struct SweepTable {
  std::vector<std::string> keys; ///< varied ones
  std::map<int, SweepRow> rows;  ///< by point number, from 1

  /// Names of all columns of numbers, in the order of their first rows.
  std::vector<std::string> numbers() const;
};

/// "gap" of the key "mesh.parameters.gap".
std::string short_name(const std::string& key);
/// Whether a key is an exact value that follows the others and does not identify a point.
bool is_exact_value(const std::string& key);

/// Writes the table, completely or not at all: point, the varied keys, the numbers, state, iterations, seconds, taken,
/// input.
void write_sweep_table(const std::string& path, const SweepTable& table);

/// Reads the table; without such a file it has no keys and rows. Throws an error for the user if it is another table.
SweepTable read_sweep_table(const std::string& path);

} // namespace tessera::io

#endif
