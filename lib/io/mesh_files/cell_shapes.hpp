// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_MESH_FILES_CELL_SHAPES_HPP
#define TESSERA_IO_MESH_FILES_CELL_SHAPES_HPP

/// \file
/// Cells of other programs that are no simplices, as simplices.

#include "io/imported_mesh.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace tessera::io {

/// A quadrilateral, hexahedron, prism or pyramid, by the local numbers of its vertices, which Gmsh and VTK give it.
struct CellShape {
  int dim;
  std::size_t n_vertices;
  std::vector<std::vector<int>> faces; ///< vertices counterclockwise from outside; of a quadrilateral the cell itself
};

/// Null for simplices and what is not known.
const CellShape* find_cell_shape(int dim, int n_vertices);

/// A cell as simplices, by local numbers of its vertices.
struct CellSplit {
  std::vector<int> simplices; ///< [n_simplices][dim + 1], oriented as the cell
  /// Diagonals of the faces of four vertices of a cell in space along which these are not split.
  std::vector<std::array<int, 2>> other_diagonals;
};

/// Splits a cell whose vertices have the numbers `own` in the mesh and are at `places` (any unit, the same in the whole
/// mesh), [shape.n_vertices]. In space a face of four vertices is split from its first vertex, so that neighbours agree
/// (J. Dompierre et al., How to subdivide pyramids, prisms and hexahedra into tetrahedra, 1999). First is the one that
/// comes first along a direction, so that periodic sides, each the other one translated, are split alike, whatever the
/// numbers of their nodes are. `in_plane`: in a mesh in the plane, where nobody else has its diagonal, a quadrilateral
/// is split along the one with the better triangles.
CellSplit split_cell(const CellShape& shape, const std::size_t* own, const std::array<double, 3>* places,
                     bool in_plane);

/// Which parts of a cell of order 2 or higher are straight: have all nodes where a cell of order 1 with the same
/// vertices has them. Its diagonals are then straight, too, as they are in a mesh of order 1.
struct StraightParts {
  std::vector<bool> faces; ///< as CellShape::faces
  bool all = false;        ///< the whole cell

  /// Whether a diagonal between two vertices, in a face or through the cell, is straight.
  bool has_straight_diagonal(const CellShape& shape, int a, int b) const;
};

/// `nodes`: places, the vertices first (any unit); `weights`: of the vertices in the place that each node has in a cell
/// of order 1, [n_nodes][shape.n_vertices]. `rounding`: of the places (ImportedMesh::coordinate_rounding).
StraightParts straight_parts(const CellShape& shape, const std::vector<std::array<double, 3>>& nodes,
                             const std::vector<double>& weights, double rounding);

/// What is told of so many cells of a mesh that were split.
std::string split_note(std::size_t n_cells, int dimension);

/// Throws where a face of four nodes lies against two triangles of other elements along the diagonal that was not
/// taken: there the mesh is not joined. `other_diagonals`: CellSplit::other_diagonals of all cells, by nodes of the
/// mesh, whose elements and coordinates are set; `path` names the file.
void check_joints(const ImportedMesh& mesh, std::vector<std::array<index_t, 2>> other_diagonals,
                  const std::string& path);

} // namespace tessera::io

#endif
