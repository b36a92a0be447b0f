// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/pictures/reports/run_results.hpp"

#include "core/error.hpp"
#include "io/input/input_text.hpp"
#include "io/input/temperature.hpp"

#include <filesystem>

namespace tessera::io::pictures {

namespace {

constexpr std::size_t most_bytes = std::size_t(1) << 26;

/// Checks that a value of a report, if present and not empty, has the kind that runs write.
void require_kind(const YamlNode* node, YamlNode::Kind kind, const std::string& key) {
  const auto kind_text = [](YamlNode::Kind found) {
    return found == YamlNode::Kind::map        ? "a map of keys and values"
           : found == YamlNode::Kind::sequence ? "a list"
                                               : "a single value";
  };
  TESSERA_REQUIRE(node == nullptr || node->kind == kind || node->kind == YamlNode::Kind::null,
                  node->file << ":" << node->line << ": " << key << ": expected " << kind_text(kind) << ", found "
                             << kind_text(node->kind) << ": the file is damaged.");
}

} // namespace

YamlNode parse_report(const std::string& text, const std::string& path) {
  constexpr auto map = YamlNode::Kind::map;
  constexpr auto list = YamlNode::Kind::sequence;
  YamlNode report = parse_yaml(text, path);
  require_kind(&report, map, "the report");
  std::vector<std::string> maps{"assembly",    "checksums", "coloring", "discretization",   "errors",     "files",
                                "interrupted", "memory",    "mesh",     "processes",        "quantities", "solver",
                                "sweep",       "threads",   "versions", "inductance_matrix"};
  for (const PhysicsTraits& traits : physics_table())
    if (*traits.matrix.name != '\0')
      maps.emplace_back(traits.matrix.name);
  for (const std::string& key : maps)
    require_kind(report.find(key), map, key);
  for (const char* key : {"adaptation", "earlier_files", "failures", "notes", "phases", "time_steps"})
    require_kind(report.find(key), list, key);
  for (const auto& [key, kind] : {std::pair("quantities", map), std::pair("errors", YamlNode::Kind::scalar)})
    if (const YamlNode* node = report.find(key))
      for (std::size_t i = 0; i < node->items.size(); ++i)
        require_kind(&node->items[i], kind, std::string(key) + "." + printable(node->keys[i]));
  for (const char* key : {"adaptation", "phases", "time_steps"})
    if (const YamlNode* node = report.find(key))
      for (const YamlNode& item : node->items)
        require_kind(&item, map, key);
  return report;
}

std::string without_slash(const std::string& directory) {
  return directory.size() > 1 && directory.back() == '/' ? directory.substr(0, directory.size() - 1) : directory;
}

std::string name_of_directory(const std::string& directory) {
  return std::filesystem::path(without_slash(directory)).filename().string();
}

std::string read_result_text(const std::string& directory, const std::string& name) {
  const std::string path = directory + "/" + name;
  FileText file = read_small_file(path, most_bytes);
  TESSERA_REQUIRE(file.error.empty(),
                  path << " " << file.error
                       << "; pictures, reports and comparisons are made of the output directory of a run that "
                          "has ended, or of a sweep.");
  return std::move(file.text);
}

void require_same_run(const std::string& directory, const std::string& run_id, const std::string& resolved_text) {
  TESSERA_REQUIRE(!run_id.empty(), directory << "/report.yaml has no run_id: it is not the report of a run or sweep.");
  TESSERA_REQUIRE(resolved_text.find(run_id) != std::string::npos,
                  directory << "/resolved.yaml is from another run than the report.yaml next to it.");
}

bool RunResults::has_fields() const {
  std::error_code ignored;
  return std::filesystem::exists(file("fields.vtkhdf"), ignored);
}

RunResults results_of(const std::string& directory, const std::string& report_text, const std::string& resolved_text) {
  RunResults results;
  results.directory = directory;
  results.report = parse_report(report_text, results.file("report.yaml"));
  results.resolved_text = resolved_text;
  const YamlNode resolved = parse_yaml(resolved_text, results.file("resolved.yaml"));
  results.run_id = text_at(results.report, {"run_id"});
  require_same_run(directory, results.run_id, resolved_text);
  results.title = text_at(results.report, {"title"});
  if (results.title.empty())
    results.title = name_of_directory(directory);
  std::string physics = text_at(resolved, {"problem", "physics"});
  if (physics == electro_thermal) // pictures show temperatures, unless another field is asked for
    physics = traits_of(Physics::heat).name;
  const bool in_celsius = text_at(resolved, {"problem", "temperature_unit"}) == name_of(TemperatureUnit::celsius);
  for (const PhysicsTraits& traits : physics_table())
    if (traits.name == physics)
      results.physics = &traits_of(traits.physics, in_celsius ? TemperatureUnit::celsius : TemperatureUnit::kelvin);
  TESSERA_REQUIRE(results.physics != nullptr, results.file("resolved.yaml")
                                                  << ": the physics '" << printable(physics) << "' is unknown.");
  results.is_axisymmetric = text_at(resolved, {"problem", "symmetry"}) == "axisymmetric";
  if (const YamlNode* regions = node_at(results.report, {"mesh", "regions"}))
    for (const YamlNode& region : regions->items)
      results.regions.push_back(region.text);
  return results;
}

RunResults read_results(const std::string& directory) {
  const std::string plain = without_slash(directory);
  const std::string report = read_result_text(plain, "report.yaml");
  return results_of(plain, report, read_result_text(plain, "resolved.yaml"));
}

const YamlNode* node_at(const YamlNode& node, const std::vector<std::string>& keys) {
  const YamlNode* found = &node;
  for (const std::string& key : keys)
    if (found = found->find(key); found == nullptr)
      return nullptr;
  return found;
}

std::string text_at(const YamlNode& node, const std::vector<std::string>& keys) {
  const YamlNode* found = node_at(node, keys);
  return found == nullptr ? "" : found->text;
}

} // namespace tessera::io::pictures
