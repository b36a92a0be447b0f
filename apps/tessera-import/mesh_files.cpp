// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/error.hpp"
#include "importer.hpp"
#include "io/input/named_groups.hpp"
#include "io/mesh_files/mesh_file.hpp"

namespace tessera::importer {

io::ImportedMesh read(const io::ImportRequest& request) {
  io::check_request(request);
  const double scale = request.scale > 0. ? request.scale : 1.;
  io::ImportedMesh mesh = io::read_mesh_file(request.path, scale, request.curved, request.cell_data);
  TESSERA_REQUIRE(request.dimension == 0 || request.dimension == mesh.dimension,
                  request.path << " holds a " << mesh.dimension << "-dimensional mesh, but mesh.dimension is "
                               << request.dimension << ".");
  io::join_groups(mesh, request.groups, scale, request.path);
  return mesh;
}

std::string library_version() { return "HDF5"; }

} // namespace tessera::importer
