// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_PICTURES_REPORTS_RUN_RESULTS_HPP
#define TESSERA_IO_PICTURES_REPORTS_RUN_RESULTS_HPP

#include "io/input/physics_traits.hpp"
#include "io/input/yaml_reader.hpp"

#include <string>
#include <vector>

namespace tessera::io::pictures {

/// The results in a run's directory other than its fields.
struct RunResults {
  std::string directory;
  YamlNode report;           ///< report.yaml
  std::string resolved_text; ///< resolved.yaml
  std::string title;         ///< of the case, or the directory's name
  std::string run_id;
  const PhysicsTraits* physics = nullptr;
  bool is_axisymmetric = false;
  std::vector<std::string> regions; ///< names by their numbers

  std::string file(const std::string& name) const { return directory + "/" + name; }
  bool has_fields() const;
};

/// Reads report.yaml and resolved.yaml of an output directory. Throws (kind input) if they are missing or belong to
/// different runs.
RunResults read_results(const std::string& directory);

/// As above for a report that has not been written yet, given as text.
RunResults results_of(const std::string& directory, const std::string& report_text, const std::string& resolved_text);

/// Without a trailing slash.
std::string without_slash(const std::string& directory);
/// The directory's name, without its parents.
std::string name_of_directory(const std::string& directory);

/// The text of a file that a run or sweep has written to its output directory. Throws (kind input) if it cannot be
/// read.
std::string read_result_text(const std::string& directory, const std::string& name);

/// Parses the text of report.yaml; throws (kind input), with the line, if a value is not a map, list or scalar as runs
/// write it.
YamlNode parse_report(const std::string& text, const std::string& path);

/// Throws (kind input) unless report.yaml, with this run_id, and resolved.yaml belong to the same run.
void require_same_run(const std::string& directory, const std::string& run_id, const std::string& resolved_text);

/// A value below keys, "" if it is missing: text_at(report, {"solver", "status"}).
std::string text_at(const YamlNode& node, const std::vector<std::string>& keys);
const YamlNode* node_at(const YamlNode& node, const std::vector<std::string>& keys);

} // namespace tessera::io::pictures

#endif
