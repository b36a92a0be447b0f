// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IMPORT_IMPORTER_HPP
#define TESSERA_IMPORT_IMPORTER_HPP

/// \file
/// Functions that the two programs implement differently.

#include "io/import_request.hpp"
#include "io/imported_mesh.hpp"

#include <string>

namespace tessera::importer {

/// Makes the requested mesh, or throws tessera::Error. Called once per process: Gmsh keeps some of its state.
///
/// By Gmsh, for geometries and .msh files (format 2 or 4):
///
/// - Regions are the physical groups of the mesh's dimension, boundaries those of one less; groups without a name are
///   called by their number. As Gmsh does when it saves a mesh, elements outside of every physical group are left out,
///   with a note. A file without any physical group of the mesh's dimension gets its geometric entities as groups,
///   called by the label that the file gives them or "surface_3", "volume_1", ...
/// - Elements are triangles or tetrahedra of any order; their geometry is taken as straight, so that midside nodes go.
/// - Nodes and elements are in the order of their numbers ("tags") in Gmsh.
/// - A 2D mesh must lie in a plane of constant z.
///
/// Otherwise by io::read_mesh_file.
io::ImportedMesh read(const io::ImportRequest& request);

/// "Gmsh 4.8.4" or the like.
std::string library_version();

} // namespace tessera::importer

#endif
