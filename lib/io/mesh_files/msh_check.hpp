// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MESH_FILES_MSH_CHECK_HPP
#define TESSERA_IO_MESH_FILES_MSH_CHECK_HPP

/// \file
/// Checks that a .msh file is consistent. Gmsh reads as many nodes and elements as are announced, ignores the rest, and
/// looks up nodes without checking their numbers.

#include <string>
#include <vector>

namespace tessera::io {

/// A physical group named in a .msh file, with or without elements.
struct PhysicalName {
  int dimension = 0;
  int number = 0;
  std::string name;
};

/// Reads the nodes and elements of a .msh file of Gmsh's formats 2.x, 4.0 (ASCII) and 4.1, ASCII or binary, and throws
/// with the line (binary: the byte) if there are more or fewer than announced, a node or an element is defined twice
/// (format 2 repeats elements for each of their physical groups), or an element refers to an undefined node. Files of
/// other formats are not checked. One pass over the file, which is read into memory. Returns the names of physical
/// groups, since Gmsh drops those without elements.
std::vector<PhysicalName> check_msh(const std::string& path);

} // namespace tessera::io

#endif
