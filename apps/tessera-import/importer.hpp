// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IMPORT_IMPORTER_HPP
#define TESSERA_IMPORT_IMPORTER_HPP

/// \file
/// Functions that the programs tessera-import and tessera-import-gmsh implement differently.

#include "io/geometry/import_request.hpp"
#include "io/mesh_files/imported_mesh.hpp"

#include <string>

namespace tessera::importer {

/// Makes the requested mesh; throws tessera::Error. To be called once per process, since Gmsh keeps some of its state.
///
/// Geometries and .msh files (format 2 or 4) are read by Gmsh:
///
/// - Regions are the physical groups of the mesh's dimension, boundaries those of dimension one less; groups without a
/// name
///   are called by their number. As when Gmsh saves a mesh, elements outside of all physical groups are skipped, with a
///   note. If a file has no physical group of the mesh's dimension, its geometric entities become groups, called by
///   their
///   label in the file or "surface_3", "volume_1", ...
/// - Elements are triangles or tetrahedra of any order; their geometry is taken as straight, so midside nodes are
/// dropped.
/// - Nodes and elements are in the order of their numbers ("tags") in Gmsh.
/// - A 2D mesh must lie in a plane of constant z.
///
/// Other files are read by io::read_mesh_file.
io::ImportedMesh read(const io::ImportRequest& request);

/// Version of the library, such as "Gmsh 4.8.4".
std::string library_version();

} // namespace tessera::importer

#endif
