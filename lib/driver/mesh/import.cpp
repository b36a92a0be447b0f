// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/mesh/import.hpp"

#include "driver/mesh/box_groups.hpp"
#include "driver/mesh/mesh_surface.hpp"
#include "io/materials/material_patterns.hpp"
#include "io/mesh_files/mesh_source.hpp"
#include "io/output/console.hpp"

#include <algorithm>
#include <memory>

namespace tessera::driver {

namespace {

constexpr double reported_after = 10.; // s

/// Tells a waiting user what the reader is doing, and how long it may continue.
io::ImportWatch watch_for(const io::MeshOptions& mesh, io::Console& console) {
  const auto was_reported = std::make_shared<bool>(false);
  return [&mesh, &console, was_reported](double seconds, const std::string& said) {
    console.progress(said);
    if (seconds < reported_after || *was_reported)
      return;
    *was_reported = true;
    console.line("Reading " + mesh.path + " goes on; it may take " + io::format_seconds(mesh.time_limit) +
                 " (mesh.time_limit).");
  };
}

} // namespace

io::ImportedMesh read_mesh_of_case(const io::Case& input, const io::ImportWatch& watch, bool keeps_shape,
                                   bool with_entities) {
  io::MeshOptions options = input.mesh;
  if (!options.levels && (!options.curved || options.adapt.requested()))
    options.levels = 0; // refinement would not follow the geometry, or chooses the sizes itself
  options.curved = options.curved && (keeps_shape || needs_curved_elements(input));
  io::ImportedMesh imported;
  imported.dimension = input.mesh.dimension;
  if (input.mesh.source == io::MeshSource::box)
    return imported;
  std::vector<std::string> periodic;
  for (const io::Boundary& boundary : input.problem.boundaries)
    if (io::is_periodic(boundary)) {
      periodic.push_back(boundary.group.name);
      periodic.push_back(boundary.periodic.with.name);
    }
  imported = io::read_mesh(options, watch, with_entities, periodic);
  if (input.problem.symmetry == io::Symmetry::axisymmetric)
    io::snap_to_axis(imported);
  return imported;
}

io::ImportedMesh import_mesh(const io::Case& input, Context& context, bool keeps_shape, bool with_entities) {
  if (input.mesh.source == io::MeshSource::box)
    return read_mesh_of_case(input);
  io::ImportedMesh imported;
  context.log.run_host(input.mesh.source == io::MeshSource::geometry ? "mesh: Gmsh" : "mesh: read", [&] {
    imported = read_mesh_of_case(input, watch_for(input.mesh, context.console), keeps_shape, with_entities);
  });
  context.notes.insert(context.notes.end(), imported.notes.begin(), imported.notes.end());
  return imported;
}

void take_levels(io::Case& input, const io::ImportedMesh& imported) {
  if (input.mesh.source == io::MeshSource::geometry)
    input.mesh.levels = imported.levels;
}

void spread_materials(io::Case& input, const io::ImportedMesh& imported) {
  const bool is_box = input.mesh.source == io::MeshSource::box;
  io::spread_materials(input.problem, is_box ? box_groups(input.mesh).regions.names : imported.region_names);
}

std::vector<std::string> shared_name_notes(const io::ImportedMesh& imported) {
  std::vector<std::string> notes;
  for (const std::string& name : imported.boundary_names)
    if (std::find(imported.region_names.begin(), imported.region_names.end(), name) != imported.region_names.end())
      notes.push_back("'" + name +
                      "' is the name of a boundary and of a region of the mesh: under problem.boundaries it means the "
                      "boundary.");
  return notes;
}

} // namespace tessera::driver
