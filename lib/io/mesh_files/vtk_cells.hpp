// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MESH_FILES_VTK_CELLS_HPP
#define TESSERA_IO_MESH_FILES_VTK_CELLS_HPP

/// \file
/// VTK's cell types.

#include "io/mesh_files/cell_shapes.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::io {

/// Nodes of a cell in VTK's order: vertices, then the nodes at the middle of edges, faces and the cell, each given by
/// the surrounding vertices.
struct VtkCellType {
  int number; ///< VTK's number
  int dim;
  int n_vertices;
  std::vector<std::vector<int>> middles;

  std::size_t n_nodes() const { return static_cast<std::size_t>(n_vertices) + middles.size(); }
  bool is_quadratic() const { return !middles.empty(); }
  const CellShape* shape() const { return find_cell_shape(dim, n_vertices); } ///< null: a simplex
};

/// Null if the type is not supported, or is a polygon.
const VtkCellType* find_vtk_cell(int number);

constexpr int vtk_polygon = 7; ///< a type without a VtkCellType
constexpr const char* supported_vtk_types =
    "only lines (3, 21), triangles (5, 22, 34), quadrilaterals (8, 9, 23, 28), polygons (7), tetrahedra (10, 24), "
    "hexahedra (11, 12, 25, 29, 33), prisms (13, 26, 32) and pyramids (14, 27, 37) are supported";

/// VTK's name of an unsupported type.
std::string name_of_vtk_type(int number);

/// Converts pixels and voxels to quadrilaterals and hexahedra, and polygons with three or four corners to triangles and
/// quadrilaterals. Cells with wrong offsets are left unchanged.
void unify_vtk_cells(std::vector<std::uint8_t>& types, const std::vector<std::int64_t>& offsets,
                     std::vector<std::int64_t>& nodes);

} // namespace tessera::io

#endif
