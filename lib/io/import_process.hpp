// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_IMPORT_PROCESS_HPP
#define TESSERA_IO_IMPORT_PROCESS_HPP

/// \file
/// Meshes from outside are read by programs of their own, which can crash, hang or take all memory without harm to the
/// solver: `tessera-import` reads mesh files, `tessera-import-gmsh`, the only one that links Gmsh, all the rest.

#include "io/import_request.hpp"
#include "io/imported_mesh.hpp"

#include <functional>
#include <string>

namespace tessera::io {

/// Called some times a second while a reader works, with the seconds so far and the last line that it said.
using ImportWatch = std::function<void(double, const std::string&)>;

/// Has the mesh of a file read, or that of a geometry made. Throws tessera::Error that says how the reader ended when
/// it did not give a mesh: its own error; a crash, with the signal; its time or memory used up; a geometry that ended
/// it.
ImportedMesh run_import(const ImportRequest& request, const ImportWatch& watch = {});

/// Path of `tessera-import`: what the environment variable TESSERA_IMPORT names; else beside the running program, where
/// this build is installed, or along PATH. That of Gmsh stands beside it under its name with "-gmsh". Throws
/// tessera::Error that says where it was looked for.
std::string import_program();

/// Version of the Gmsh that reads geometries, "4.8.4". Throws tessera::Error that says why there is none.
std::string gmsh_version();

} // namespace tessera::io

#endif
