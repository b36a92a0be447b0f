// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_GEOMETRY_GEO_COMMANDS_HPP
#define TESSERA_IO_GEOMETRY_GEO_COMMANDS_HPP

/// \file
/// Checks which effects other than meshing a file would have in Gmsh. Reads the text only, runs nothing.

#include <string>

namespace tessera::io {

/// Checks a file before Gmsh reads it. Throws a tessera::Error (kind input) if
///
/// - a .msh file does not begin as one: Gmsh would run it as a script;
/// - an included file is not a regular file, includes itself, or is nested deeper than ten levels;
/// - `allow_commands` is not set, and a word that starts programs or writes files occurs in a .geo file, in one that it
///   includes or merges, or in "<file>.opt", which Gmsh runs by itself.
///
/// A .geo file is a program, and computed file names are not followed: this protects against accidents, not against
/// deliberate disguise.
void check_geometry_text(const std::string& path, bool allow_commands);

} // namespace tessera::io

#endif
