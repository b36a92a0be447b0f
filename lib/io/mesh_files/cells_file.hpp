// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MESH_FILES_CELLS_FILE_HPP
#define TESSERA_IO_MESH_FILES_CELLS_FILE_HPP

/// \file
/// Cells of any type that VTK has, as other programs give them, in a file that read_mesh_file() reads.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tessera::io {

/// Cells with their groups. Those of the highest dimension have regions, those of one dimension less boundaries.
struct GivenCells {
  std::size_t n_points = 0;
  const double* points = nullptr;                                        ///< units of the file, [n_points][3]
  std::vector<std::uint8_t> types;                                       ///< VTK's numbers, [n_cells]
  std::vector<std::int64_t> offsets;                                     ///< [n_cells + 1]
  std::vector<std::int64_t> connectivity;                                ///< [offsets.back()]
  std::vector<double> numbers;                                           ///< of the groups, [n_cells]; NaN: none
  std::vector<std::pair<std::int64_t, std::string>> regions, boundaries; ///< names of numbers; others are their digits
};

/// Where such a file has names of groups, beyond VTK's layout: numbers, and as many names.
struct GroupNames {
  const char* numbers;
  const char* names;
};
constexpr GroupNames names_of_regions{"/VTKHDF/FieldData/RegionNumbers", "/VTKHDF/FieldData/RegionNames"};
constexpr GroupNames names_of_boundaries{"/VTKHDF/FieldData/BoundaryNumbers", "/VTKHDF/FieldData/BoundaryNames"};

/// Writes a VTKHDF unstructured grid with cell data "region". Nothing is checked before it is read.
void write_cells_file(const std::string& path, const GivenCells& cells);

} // namespace tessera::io

#endif
