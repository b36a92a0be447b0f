// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_GMSH_IMPORT_HPP
#define TESSERA_IO_GMSH_IMPORT_HPP

/// \file
/// Meshes made or read by Gmsh, in this process.

#include "io/imported_mesh.hpp"

#include <map>
#include <string>

namespace tessera::io {

struct GmshOptions {
  std::string path;  ///< .geo, .step, .stp, .brep, .iges (meshed here) or .msh (read as it is)
  int dimension = 2; ///< 2 or 3; 0, for .msh only: that of the file's highest elements
  /// Values for the names that the geometry's DefineConstant defines: the variable's name, or its "Name" attribute.
  std::map<std::string, double> parameters;
  double size_factor = 1.; ///< factor on all mesh sizes
  double scale = 1.;       ///< metres per unit of the file
  int threads = 1;         ///< of Gmsh's meshing; more than one may change the mesh from run to run
};

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
/// Throws tessera::Error with Gmsh's own words when it cannot read or mesh the file, and when this build lacks Gmsh.
ImportedMesh import_gmsh(const GmshOptions& options);

/// Version of the Gmsh that this build uses, or "" without one.
std::string gmsh_version();

} // namespace tessera::io

#endif
