// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_SWEEP_TABLE_HPP
#define TESSERA_IO_SWEEP_TABLE_HPP

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
/// State of a point whose turn has not come.
constexpr const char* sweep_not_run = "not run";

struct SweepRow {
  std::vector<std::string> values;                          ///< of the varied keys
  std::vector<std::pair<std::string, std::string>> numbers; ///< "capacitance [F]" with its text
  std::string state;                                        ///< sweep_done, sweep_not_run, or what failed
  std::string iterations;
  std::string seconds;
  std::string taken; ///< what was taken over from the run before
  std::string input; ///< checksum of the point's input

  bool is_done() const { return state == sweep_done; }
  bool was_run() const { return state != sweep_not_run; }
  /// Text of a number, or null pointer.
  const std::string* find(const std::string& number) const;
};

struct SweepTable {
  std::vector<std::string> keys; ///< varied ones
  std::map<int, SweepRow> rows;  ///< by the number of the point, from 1

  /// Names of all columns of numbers, in the order of their first rows.
  std::vector<std::string> numbers() const;
};

/// "gap" of the key "mesh.parameters.gap".
std::string short_name(const std::string& key);
/// Whether a key is an exact value that goes with the others and does not tell which point it is.
bool is_exact_value(const std::string& key);

/// Writes the table, complete or not at all: point, the varied keys, the numbers, state, iterations, seconds, taken,
/// input.
void write_sweep_table(const std::string& path, const SweepTable& table);

/// Reads it back; no keys and rows if there is no such file. Throws an error for the user if it is another table.
SweepTable read_sweep_table(const std::string& path);

} // namespace tessera::io

#endif
