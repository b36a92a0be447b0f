// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PICTURES_REPORTS_SWEEP_RESULTS_HPP
#define TESSERA_IO_PICTURES_REPORTS_SWEEP_RESULTS_HPP

#include "io/input/yaml_reader.hpp"
#include "io/output/sweep_table.hpp"

#include <string>

namespace tessera::io::pictures {

/// The results in a sweep's directory.
struct SweepResults {
  std::string directory;
  std::string title; ///< of the case, or the directory's name
  std::string physics;
  SweepTable table;
  YamlNode report;           ///< report.yaml; of kind null until the sweep has ended
  std::string resolved_text; ///< resolved.yaml

  bool has_ended() const { return report.kind != YamlNode::Kind::null; }
};

/// Whether the directory is that of a sweep: it has a sweep's table, and no later report of a run.
bool is_sweep(const std::string& directory);

/// The table of a sweep; `directory` as above.
SweepTable table_of_sweep(const std::string& directory);

/// Reads sweep.csv, resolved.yaml and, if the sweep has ended, report.yaml. Throws (kind input) if one is damaged or
/// they belong to different sweeps.
SweepResults read_sweep_results(const std::string& directory);

/// As above for a report that has not been written yet, given as text.
SweepResults sweep_results_of(const std::string& directory, const SweepTable& table, const std::string& report_text,
                              const std::string& resolved_text);

} // namespace tessera::io::pictures

#endif
