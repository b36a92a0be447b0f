// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_IMPORT_REQUEST_HPP
#define TESSERA_IO_IMPORT_REQUEST_HPP

/// \file
/// Request to a mesh reader.

#include "io/mesh_files/mesh_requests.hpp"

#include <map>
#include <string>

namespace tessera::io {

/// What a reader of meshes and geometries is asked for.
struct ImportRequest {
  /// .geo, .dxf, .step, .stp, .brep, .iges (meshed by Gmsh), .msh (read by Gmsh as it is), .vtkhdf, .hdf, .h5.
  std::string path;
  int dimension = 0; ///< 2 or 3; 0, for mesh files only: that of the file's highest elements
  /// Values for the names that a .geo file's DefineConstant defines: the variable's name, or its "Name" attribute.
  std::map<std::string, double> parameters;
  std::map<std::string, double> sizes; ///< of elements at most, in units of the file, by names of groups
  std::vector<LocalSize> refine_at;
  std::vector<NamedGroup> groups;
  double size_factor = 1.;                 ///< factor on all mesh sizes of Gmsh
  int gap_elements = default_gap_elements; ///< across a gap between curves that face each other; 0: as it comes
  std::vector<std::string> periodic;       ///< groups of curves whose elements gaps leave alone: both sides must match
  double scale = 1.;                       ///< metres per unit of the file; 0: what a drawing or STEP file says, else 1
  bool curved = true;                      ///< hand over the shape of curved boundaries, too
  bool entities = false;                   ///< and, of a geometry or .msh file, its volumes, surfaces and curves
  int threads = 1;                         ///< of Gmsh's meshing; more than one may change the mesh from run to run
  bool allow_commands = false;             ///< allow a .geo file to run programs and write files
  double time_limit = 3600.;               ///< s
  double memory_limit = 0.;                ///< bytes beyond the program itself; 0: the host's free memory
};

/// Lower-case ending of a path with its dot, or "".
std::string lower_extension(const std::string& path);

/// Throws tessera::Error of kind input if the file is not a regular file, or an option does not apply to it.
void check_request(const ImportRequest& request);

/// Writes a request at the beginning of an open file.
void write_request(int descriptor, const ImportRequest& request);

/// Reads the data of write_request. Throws if they are anything else.
ImportRequest read_request(int descriptor);

} // namespace tessera::io

#endif
