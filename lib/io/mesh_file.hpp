// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MESH_FILE_HPP
#define TESSERA_IO_MESH_FILE_HPP

/// \file
/// Meshes in VTKHDF files, which ParaView and PyVista open and every build of Tessera reads, with or without Gmsh.

#include "io/imported_mesh.hpp"

#include <string>

namespace tessera::io {

/// Writes a mesh as a VTKHDF unstructured grid with cell data "region" (an index into the names), and beside it a group
/// /Tessera with what VTK has no place for: names, boundary facets, the user's numbering. Coordinates in metres. The
/// file appears under its name when it is complete.
template <int Dim> void write_mesh_file(const std::string& path, const mesh::Mesh<Dim, Kokkos::HostSpace>& mesh);

/// Reads a mesh file. What write_mesh_file wrote comes back exactly (times `scale`). Other VTKHDF grids of triangles or
/// tetrahedra, linear or quadratic (midside nodes go, with a note), are read too: the cell data "region" or
/// "gmsh:physical", if there is any, gives the regions, called by their numbers, and cells of one dimension less become
/// the boundary facets. `scale`: metres per unit of the file. Throws tessera::Error when the file is missing, broken or
/// holds other cells.
ImportedMesh read_mesh_file(const std::string& path, double scale = 1.);

} // namespace tessera::io

#endif
