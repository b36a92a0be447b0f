// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_GEO_PARAMETERS_HPP
#define TESSERA_IO_GEO_PARAMETERS_HPP

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

/// Parameters that the DefineConstant statements of a .geo file and of the files that it includes define, in the order
/// of the text. Only reads the text: Gmsh itself lists parameters only where they carry a Name attribute.
std::vector<GeoParameter> find_geo_parameters(const std::string& path);

/// The .geo file and those that it includes or merges, as far as words stand in them. Throws as detail::walk_geo().
std::vector<std::string> find_geo_files(const std::string& path);

/// Variable and value of each override. Throws when the file defines no such parameter (listing those it does), or one
/// that is not a number.
std::map<std::string, double> resolve_geo_parameters(const std::string& path,
                                                     const std::map<std::string, double>& overrides);

} // namespace tessera::io

#endif
