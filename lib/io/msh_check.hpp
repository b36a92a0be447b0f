// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MSH_CHECK_HPP
#define TESSERA_IO_MSH_CHECK_HPP

/// \file
/// Whether a .msh file is consistent in itself. Gmsh reads as many nodes and elements as are announced and passes over
/// what follows, and looks up nodes without a check of their numbers.

#include <string>

namespace tessera::io {

/// Reads the nodes and elements of a .msh file of Gmsh's formats 2.x, 4.0 (ASCII) and 4.1, ASCII or binary, and throws
/// with the line (binary: the byte) when there are more or fewer than announced, a node or an element is given twice
/// (format 2 repeats elements for each of their physical groups), or an element refers to a node that is not given.
/// Files of other formats pass unseen. One pass over the file, which is held in memory.
void check_msh(const std::string& path);

} // namespace tessera::io

#endif
