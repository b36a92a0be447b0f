// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/mesh_files/mesh_source.hpp"

#include "core/error.hpp"
#include "io/mesh_files/mesh_file.hpp"

namespace tessera::io {

namespace {

constexpr double bytes_per_gibibyte = 1024. * 1024. * 1024.;

ImportRequest request_of(const MeshOptions& options) {
  TESSERA_REQUIRE(options.source != MeshSource::box, "A box mesh is made on the device, not read.");
  ImportRequest request;
  request.path = options.path;
  request.dimension = options.dimension;
  request.parameters = options.parameters;
  request.sizes = options.sizes;
  request.refine_at = options.refine_at;
  request.groups = options.groups;
  request.size_factor = options.size_factor;
  if (options.source == MeshSource::geometry)
    request.levels = options.levels.value_or(automatic_levels);
  request.gap_elements = options.gap_elements;
  request.join = options.join;
  request.scale = options.scale;
  request.curved = options.curved;
  const AgglomerationInput& joined = options.agglomerate;
  if (!joined.from.empty() && is_mesh_file_name(options.path))
    request.cell_data = joined.is_partition_file ? cells_as_elements : joined.from;
  request.allow_commands = options.allow_commands;
  request.time_limit = options.time_limit;
  request.memory_limit = bytes_per_gibibyte * options.memory_limit;
  return request;
}

} // namespace

ImportedMesh read_mesh(const MeshOptions& options, const ImportWatch& watch, bool with_entities,
                       const std::vector<std::string>& periodic) {
  try {
    ImportRequest request = request_of(options);
    request.entities = with_entities;
    request.periodic = periodic;
    return run_import(request, watch);
  } catch (const Error& error) {
    if (options.where.file.empty())
      throw;
    throw Error(error.kind(), options.where.text() + ": " + error.what());
  }
}

} // namespace tessera::io
