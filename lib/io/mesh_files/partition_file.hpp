// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MESH_FILES_PARTITION_FILE_HPP
#define TESSERA_IO_MESH_FILES_PARTITION_FILE_HPP

/// \file
/// Partitions of meshes in the form of METIS: a line for each cell with the number of its part.

#include "core/index.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera::io {

/// Whether a name is that of a partition file: it ends in .part or .epart, or in either with a number, as METIS's
/// mesh.epart.8.
bool is_partition_file_name(const std::string& path);

/// Part of each cell. Empty lines and those that begin with % or # are skipped. Throws an error of kind input, with the
/// line, if a line is anything but a whole number from 0 on, and if there are not `n_cells` of them.
std::vector<index_t> read_partition_file(const std::string& path, std::size_t n_cells);

} // namespace tessera::io

#endif
