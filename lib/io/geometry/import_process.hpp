// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_GEOMETRY_IMPORT_PROCESS_HPP
#define TESSERA_IO_GEOMETRY_IMPORT_PROCESS_HPP

/// \file
/// Meshes from outside are read by separate programs, which can crash, hang or exhaust memory without affecting the
/// solver: `tessera-import` reads mesh files, `tessera-import-gmsh`, the only one linked to Gmsh, all other files.

#include "io/geometry/import_request.hpp"
#include "io/mesh_files/imported_mesh.hpp"

#include <functional>
#include <string>

namespace tessera::io {

/// Called several times a second while a reader works, with the elapsed seconds and the last line that it printed.
using ImportWatch = std::function<void(double, const std::string&)>;

/// Reads the mesh of a file or meshes a geometry, in a reader process. If the reader returns no mesh, throws a
/// tessera::Error that states how it ended: with an error of its own; a crash, with the signal; a limit of time or
/// memory; a geometry that ended it.
ImportedMesh run_import(const ImportRequest& request, const ImportWatch& watch = {});

/// Path of `tessera-import`: the value of the environment variable TESSERA_IMPORT; otherwise in
/// library_folder(), in the installation prefix of this build, or along PATH. The reader for Gmsh is next to it, with
/// "-gmsh" appended to the name. Throws tessera::Error that lists the places searched.
std::string import_program();

/// Version of the Gmsh that reads geometries, "4.8.4". Throws tessera::Error with the reason if it is not available.
std::string gmsh_version();

} // namespace tessera::io

#endif
