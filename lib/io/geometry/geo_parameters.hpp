// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_GEOMETRY_GEO_PARAMETERS_HPP
#define TESSERA_IO_GEOMETRY_GEO_PARAMETERS_HPP

/// \file
/// The parameters of a .geo file.

#include <map>
#include <string>
#include <vector>

namespace tessera::io {

/// One variable of a DefineConstant statement.
struct GeoParameter {
  std::string variable; ///< "gap"
  std::string label;    ///< of its Name attribute, "Parameters/Gap"; empty without one
  bool is_number = true;
};

/// Lists the parameters defined by the DefineConstant statements of a .geo file and the files that it includes, in the
/// order of the text. Reads the text only: Gmsh itself lists parameters only if they have a Name attribute.
std::vector<GeoParameter> find_geo_parameters(const std::string& path);

/// Lists the .geo file, the files that it includes or merges, and all other existing files named by a quoted text, as
/// in ShapeFromFile("part.brep"). Throws like detail::walk_geo().
std::vector<std::string> find_geo_files(const std::string& path);

/// Returns the variable and value of each override. Throws if the file does not define such a parameter (listing the
/// existing ones), or if the parameter is not a number.
std::map<std::string, double> resolve_geo_parameters(const std::string& path,
                                                     const std::map<std::string, double>& overrides);

} // namespace tessera::io

#endif
