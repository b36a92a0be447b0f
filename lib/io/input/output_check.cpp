// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/input/output_check.hpp"

#include "io/geometry/geo_parameters.hpp"
#include "io/geometry/import_request.hpp"
#include "io/output/convergence_file.hpp"
#include "io/output/matrix_market.hpp"
#include "io/pictures/reports/html_report.hpp"

#include <algorithm>
#include <filesystem>

namespace tessera::io {

namespace fs = std::filesystem;

namespace {

void check(const std::vector<InputFile>& inputs, const std::string& path, const std::string& where) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status))
    return; // other obstacles are reported when the file is created
  TESSERA_REQUIRE(status.type() != fs::file_type::directory, where << ": '" << path << "' is a folder.");
  TESSERA_REQUIRE(status.type() == fs::file_type::regular,
                  where << ": '" << path << "' is no regular file, but a device, pipe or socket.");
  for (const InputFile& input : inputs)
    // Compares device and inode, so that other spellings and links are detected, too.
    TESSERA_REQUIRE(!fs::equivalent(path, input.path, error),
                    where << ": '" << path << "' would be overwritten, but it is " << input.what << ".");
}

} // namespace

std::vector<InputFile> input_files(const Case& input) {
  std::vector<InputFile> files{{input.file, "the input file itself"}};
  const bool is_geometry = input.mesh.source == MeshSource::geometry;
  if (input.mesh.source != MeshSource::box)
    files.push_back({input.mesh.path, is_geometry ? "mesh.geometry" : "mesh.file"});
  const std::string extension = lower_extension(input.mesh.path);
  if (is_geometry && (extension == ".geo" || extension == ".geo_unrolled"))
    try {
      for (const std::string& path : find_geo_files(input.mesh.path))
        files.push_back({path, "a file that mesh.geometry includes"});
    } catch (const Error&) { // reported when the geometry is read
    }
  if (std::error_code error; fs::exists(input.mesh.path + ".opt", error))
    files.push_back({input.mesh.path + ".opt", "a file that Gmsh reads with the mesh"});
  for (const Material& material : input.problem.materials)
    for (const std::string& file : {material.bh_file, material.bh_across_file})
      if (!file.empty())
        files.push_back({file, "the B-H curve of region '" + material.region.name + "'"});
  return files;
}

std::vector<std::string> run_outputs(const Case& input) {
  std::vector<std::string> names;
  if (!input.output.fields.empty())
    names.emplace_back("fields.vtkhdf");
  for (const Probe& probe : input.output.probes)
    names.push_back(probe.name + ".csv");
  for (const std::string& table : table_names(input.output, input.problem))
    names.push_back(table + ".csv");
  if (input.output.convergence)
    names.push_back(convergence_file_name);
  if (!input.output.matrix.empty()) {
    names.push_back(input.output.matrix);
    names.push_back(rhs_file_name(input.output.matrix));
  }
  if (input.output.report)
    names.emplace_back(pictures::html_report_name);
  names.emplace_back("resolved.yaml");
  names.emplace_back("report.yaml");
  return names;
}

void check_outputs(const Case& input, const std::vector<std::string>& names) {
  const std::vector<InputFile> inputs = input_files(input);
  for (const std::string& name : names) {
    Location where = input.output.where;
    if (!input.output.matrix.empty() && (name == input.output.matrix || name == rhs_file_name(input.output.matrix)))
      where = input.output.matrix_where;
    for (const Probe& probe : input.output.probes)
      if (name == probe.name + ".csv")
        where = probe.where;
    check(inputs, input.output.directory + "/" + name, where.text());
  }
}

void check_output_file(const Case& input, const std::string& path, const std::string& option) {
  check(input_files(input), path, option);
}

} // namespace tessera::io
