// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MESH_FILES_MESH_FILE_HPP
#define TESSERA_IO_MESH_FILES_MESH_FILE_HPP

/// \file
/// Meshes in VTKHDF files, which ParaView and PyVista open and every build of Tessera can read, with or without Gmsh.

#include "io/mesh_files/imported_mesh.hpp"

#include <string>

namespace tessera::io {

/// Whether a name is that of a mesh file: its extension is .vtkhdf, .hdf or .h5, in upper or lower case.
bool is_mesh_file_name(const std::string& path);

/// Writes a mesh as a VTKHDF unstructured grid with cell data "region" (an index into the names), and a group /Tessera
/// with the data that VTK does not support: names, boundary facets, the user's numbering, and a checksum of everything.
/// Coordinates in metres. The file gets its name when it is complete.
void write_mesh_file(const std::string& path, const ImportedMesh& mesh);

/// Reads a mesh file. A file of write_mesh_file() is reproduced exactly (times `scale`), or is an error if the checksum
/// differs; files of older versions without a checksum are read with a note. Other VTKHDF grids of triangles or
/// tetrahedra, linear or quadratic (midside nodes are dropped, with a note), can be read, too: the cell data "region"
/// or "gmsh:physical", if present, define the regions, named by their numbers, and cells of one dimension less become
/// the boundary facets. `scale`: metres per unit of the file; `curved`: whether to read the shape of curved facets;
/// `cell_data`: see ImportRequest. Throws a tessera::Error if the file is missing, damaged or has other cells.
ImportedMesh read_mesh_file(const std::string& path, double scale = 1., bool curved = true,
                            const std::string& cell_data = "");

} // namespace tessera::io

#endif
