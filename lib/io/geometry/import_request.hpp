// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_GEOMETRY_IMPORT_REQUEST_HPP
#define TESSERA_IO_GEOMETRY_IMPORT_REQUEST_HPP

/// \file
/// Requests to a mesh reader.

#include "io/mesh_files/mesh_requests.hpp"

#include <limits>
#include <map>
#include <string>

namespace tessera::io {

constexpr int automatic_levels = -1; ///< of ImportRequest: chosen by the reader

/// A request to a reader of meshes and geometries.
struct ImportRequest {
  /// .geo, .dxf, .step, .stp, .brep, .iges (meshed by Gmsh), .msh (read by Gmsh unchanged), .vtkhdf, .hdf, .h5.
  std::string path;
  int dimension = 0; ///< 2 or 3; 0, for mesh files only: that of the file's highest elements
  /// Values for the names that a .geo file's DefineConstant defines: the variable's name, or its "Name" attribute.
  std::map<std::string, double> parameters;
  std::map<std::string, double> sizes; ///< maximum element sizes, in units of the file, by names of groups
  std::vector<LocalSize> refine_at;
  std::vector<NamedGroup> groups;
  double size_factor = 1.;                 ///< factor on all mesh sizes of Gmsh
  int levels = 0;                          ///< halvings of all sizes that are left to refinement, or automatic_levels
  int gap_elements = default_gap_elements; ///< across a gap between curves that face each other; 0: gaps are ignored
  /// Of a drawing, in units of the file: ends within this distance of another curve are joined to it, and curves that
  /// still end freely are left out; NaN: they are an error.
  double join = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::string> periodic; ///< groups of curves whose elements gaps must not change: both sides must
                                     ///< match
  double scale = 1.;                 ///< metres per unit of the file; 0: the unit of the drawing or STEP file,
                                     ///< else 1
  bool curved = true;                ///< also return the shape of curved boundaries, as automatic levels do
  std::string cell_data;             ///< of a VTKHDF file: integers to return, or cells_as_elements; empty: none
  bool entities = false;             ///< for a geometry or .msh file, also return its volumes, surfaces and
                                     ///< curves
  int threads = 1;                   ///< of Gmsh's meshing; more than one may change the mesh from run to run
  bool allow_commands = false;       ///< allow a .geo file to run programs and write files
  double time_limit = 3600.;         ///< s
  double memory_limit = 0.;          ///< bytes in addition to the program itself; 0: the host's free memory
};

/// Lower-case extension of a path with its dot, or "".
std::string lower_extension(const std::string& path);

/// Whether the extension is that of a STEP or BREP file.
bool is_cad_model(const std::string& path);

/// Throws tessera::Error of kind input if the file is not a regular file, or an option does not apply to it.
void check_request(const ImportRequest& request);

/// Writes a request to the beginning of an open file.
void write_request(int descriptor, const ImportRequest& request);

/// Reads the data of write_request(). Throws for any other content.
ImportRequest read_request(int descriptor);

} // namespace tessera::io

#endif
