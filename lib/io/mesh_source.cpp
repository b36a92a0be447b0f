// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/mesh_source.hpp"

#include "core/error.hpp"
#include "io/gmsh_import.hpp"
#include "io/mesh_file.hpp"

namespace tessera::io {

namespace {

ImportedMesh read_any(const MeshOptions& options) {
  TESSERA_REQUIRE(options.source != MeshSource::box, "A box mesh is made on the device, not read.");
  if (is_mesh_file_name(options.path)) {
    TESSERA_REQUIRE(options.parameters.empty(),
                    "Parameters can be set only for .geo files, not for " << options.path << ".");
    ImportedMesh mesh = read_mesh_file(options.path, options.scale);
    TESSERA_REQUIRE(options.dimension == 0 || options.dimension == mesh.dimension,
                    options.path << " holds a " << mesh.dimension << "-dimensional mesh, but mesh.dimension is "
                                 << options.dimension << ".");
    return mesh;
  }
  GmshOptions gmsh;
  gmsh.path = options.path;
  gmsh.dimension = options.dimension;
  gmsh.parameters = options.parameters;
  gmsh.size_factor = options.size_factor;
  gmsh.scale = options.scale;
  return import_gmsh(gmsh);
}

} // namespace

ImportedMesh read_mesh(const MeshOptions& options) {
  try {
    return read_any(options);
  } catch (const Error& error) {
    if (options.where.file.empty())
      throw;
    throw Error(error.kind(), options.where.text() + ": " + error.what());
  }
}

} // namespace tessera::io
