// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MESH_FILES_MESH_SOURCE_HPP
#define TESSERA_IO_MESH_FILES_MESH_SOURCE_HPP

/// \file
/// Makes a host mesh from the input's `mesh` section.

#include "io/geometry/import_process.hpp"
#include "io/input/case.hpp"

namespace tessera::io {

/// Meshes the geometry or reads the file in `options`, in metres, in a separate process; the elements are positively
/// oriented. Boxes are made on the device (mesh/box.hpp), not here. Refinement and ordering are left to the caller.
/// `with_entities`: also returns Gmsh's volumes, surfaces and curves. `periodic`: boundaries that match their partners,
/// which gaps must not change. Throws a tessera::Error that begins with the place in the input.
ImportedMesh read_mesh(const MeshOptions& options, const ImportWatch& watch = {}, bool with_entities = false,
                       const std::vector<std::string>& periodic = {});

} // namespace tessera::io

#endif
