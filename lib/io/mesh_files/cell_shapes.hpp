// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MESH_FILES_CELL_SHAPES_HPP
#define TESSERA_IO_MESH_FILES_CELL_SHAPES_HPP

/// \file
/// Splits cells of other programs that are not simplices into simplices.

#include "io/mesh_files/imported_mesh.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace tessera::io {

/// A quadrilateral, hexahedron, prism or pyramid, by local vertex numbers as in Gmsh and VTK.
struct CellShape {
  int dim;
  std::size_t n_vertices;
  std::vector<std::vector<int>> faces; ///< vertices counterclockwise from outside; for a quadrilateral the cell itself
};

/// Null for simplices and unknown cells.
const CellShape* find_cell_shape(int dim, int n_vertices);

/// A cell as simplices, by local vertex numbers.
struct CellSplit {
  std::vector<int> simplices; ///< [n_simplices][dim + 1], oriented as the cell
  /// For a cell in 3D: the diagonals of the faces with four vertices along which these are not split.
  std::vector<std::array<int, 2>> other_diagonals;
};

/// Splits a cell whose vertices have the numbers `own` in the mesh and are at `places` (in any unit, the same in the
/// whole mesh), [shape.n_vertices]. In 3D a face with four vertices is split from its first vertex, so that neighbours
/// agree (J. Dompierre et al., How to subdivide pyramids, prisms and hexahedra into tetrahedra, 1999). The first vertex
/// is that with the smallest position along a direction, so that periodic sides, which are translations of each other,
/// are split alike, whatever the numbers of their nodes. `in_plane`: in a 2D mesh, where no other cell shares its
/// diagonal, a quadrilateral is split along the one with the better triangles.
CellSplit split_cell(const CellShape& shape, const std::size_t* own, const std::array<double, 3>* places,
                     bool in_plane);

/// The straight parts of a cell of order 2 or higher: those whose nodes are all at their positions in the cell of order
/// 1 with the same vertices. Their diagonals are then straight, too, as in a mesh of order 1.
struct StraightParts {
  std::vector<bool> faces; ///< as CellShape::faces
  bool all = false;        ///< the whole cell

  /// Whether a diagonal between two vertices, in a face or through the cell, is straight.
  bool has_straight_diagonal(const CellShape& shape, int a, int b) const;
};

/// Computes the straight parts. `nodes`: positions, the vertices first (in any unit); `weights`: of the vertices in the
/// position of each node in a cell of order 1, [n_nodes][shape.n_vertices]. `rounding`: of the positions
/// (ImportedMesh::coordinate_rounding).
StraightParts straight_parts(const CellShape& shape, const std::vector<std::array<double, 3>>& nodes,
                             const std::vector<double>& weights, double rounding);

/// The note about this many split cells of a mesh.
std::string split_note(std::size_t n_cells, int dimension);

/// Throws if a face with four nodes borders two triangles of other elements along the diagonal that was not chosen: the
/// mesh is not conforming there. `other_diagonals`: CellSplit::other_diagonals of all cells, by nodes of the mesh,
/// whose elements and coordinates are set; `path` names the file.
void check_joints(const ImportedMesh& mesh, std::vector<std::array<index_t, 2>> other_diagonals,
                  const std::string& path);

} // namespace tessera::io

#endif
