// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/pictures/reports/sweep_results.hpp"

#include "core/error.hpp"
#include "io/pictures/reports/run_results.hpp"

#include <filesystem>

namespace tessera::io::pictures {

namespace {

bool has_file(const std::string& directory, const std::string& name) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(directory + "/" + name, ignored);
}

} // namespace

bool is_sweep(const std::string& directory) {
  return has_file(directory, sweep_table_name) &&
         (!has_file(directory, "report.yaml") || read_yaml(directory + "/report.yaml").find("sweep") != nullptr);
}

SweepTable table_of_sweep(const std::string& directory) {
  SweepTable table = read_sweep_table(directory + "/" + sweep_table_name);
  TESSERA_REQUIRE(!table.rows.empty(), directory << "/" << sweep_table_name << " has no point of a sweep.");
  return table;
}

SweepResults sweep_results_of(const std::string& directory, const SweepTable& table, const std::string& report_text,
                              const std::string& resolved_text) {
  SweepResults results;
  results.directory = directory;
  results.table = table;
  results.resolved_text = resolved_text;
  const YamlNode resolved = parse_yaml(resolved_text, directory + "/resolved.yaml");
  results.title = text_at(resolved, {"title"});
  if (results.title.empty())
    results.title = name_of_directory(directory);
  results.physics = text_at(resolved, {"problem", "physics"});
  if (report_text.empty())
    return results;
  results.report = parse_report(report_text, directory + "/report.yaml");
  require_same_run(directory, text_at(results.report, {"run_id"}), resolved_text);
  return results;
}

SweepResults read_sweep_results(const std::string& directory) {
  const std::string plain = without_slash(directory);
  const SweepTable table = table_of_sweep(plain);
  const std::string report = has_file(plain, "report.yaml") ? read_result_text(plain, "report.yaml") : "";
  return sweep_results_of(plain, table, report, read_result_text(plain, "resolved.yaml"));
}

} // namespace tessera::io::pictures
