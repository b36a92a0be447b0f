// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/import.hpp"

#include "io/mesh_source.hpp"

namespace tessera::driver {

io::ImportedMesh import_mesh(const io::Case& input, Context& context) {
  io::ImportedMesh imported;
  imported.dimension = input.mesh.dimension;
  if (input.mesh.source != io::MeshSource::box) {
    context.log.run_host(input.mesh.source == io::MeshSource::geometry ? "mesh: Gmsh" : "mesh: read",
                         [&] { imported = io::read_mesh(input.mesh); });
    context.results.notes.insert(context.results.notes.end(), imported.notes.begin(), imported.notes.end());
  }
  return imported;
}

} // namespace tessera::driver
