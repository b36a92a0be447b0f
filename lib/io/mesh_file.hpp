// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MESH_FILE_HPP
#define TESSERA_IO_MESH_FILE_HPP

/// \file
/// Meshes in VTKHDF files, which ParaView and PyVista open and every build of Tessera can read, with or without Gmsh.

#include "io/imported_mesh.hpp"

#include <string>

namespace tessera::io {

/// Whether a name is that of a mesh file: it ends in .vtkhdf, .hdf or .h5, in upper or lower case.
bool is_mesh_file_name(const std::string& path);

/// Writes a mesh as a VTKHDF unstructured grid with cell data "region" (an index into the names), and a group /Tessera
/// with the data that VTK has no place for: names, boundary facets, the user's numbering, and a checksum of everything.
/// Coordinates in metres. The file is renamed when it is complete.
void write_mesh_file(const std::string& path, const ImportedMesh& mesh);

/// Reads a mesh file. What write_mesh_file wrote comes back exactly (times `scale`), or is an error when it does not
/// have its checksum; files of older versions without one are read with a note. Other VTKHDF grids of triangles or
/// tetrahedra, linear or quadratic (midside nodes go, with a note), are read too: the cell data "region" or
/// "gmsh:physical", if there is any, gives the regions, called by their numbers, and cells of one dimension less become
/// the boundary facets. `scale`: metres per unit of the file; `curved`: whether the shape of curved facets is wanted.
/// Throws tessera::Error when the file is missing, broken or holds other cells.
ImportedMesh read_mesh_file(const std::string& path, double scale = 1., bool curved = true);

} // namespace tessera::io

#endif
