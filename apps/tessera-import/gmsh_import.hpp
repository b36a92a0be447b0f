// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IMPORT_GMSH_IMPORT_HPP
#define TESSERA_IMPORT_GMSH_IMPORT_HPP

/// \file
/// Meshes made or read by Gmsh, in this process.

#include "io/import_request.hpp"
#include "io/imported_mesh.hpp"

namespace tessera::io {

/// Meshes a geometry or reads a .msh file (format 2 or 4) with Gmsh.
///
/// - Regions are the physical groups of the mesh's dimension, boundaries those of one less; groups without a name are
///   called by their number. As Gmsh does when it saves a mesh, elements outside of every physical group are left out,
///   with a note. A file without any physical group of the mesh's dimension gets its geometric entities as groups,
///   called by the label that the file gives them or "surface_3", "volume_1", ...
/// - Elements are triangles or tetrahedra of any order; their geometry is taken as straight, so that midside nodes go.
/// - Nodes and elements are in the order of their numbers ("tags") in Gmsh.
/// - A 2D mesh must lie in a plane of constant z.
///
/// Throws tessera::Error with Gmsh's own words when it cannot read or mesh the file. Once per process: Gmsh keeps some
/// of its state.
ImportedMesh import_gmsh(const ImportRequest& request);

} // namespace tessera::io

#endif
