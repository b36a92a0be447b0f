// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IMPORT_SPLIT_CELLS_HPP
#define TESSERA_IMPORT_SPLIT_CELLS_HPP

#include <array>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace tessera::importer {

/// Elements of one type and entity as simplices.
struct SimplicesOfCells {
  std::vector<std::size_t> tags;     ///< of the elements, one for each simplex
  std::vector<std::size_t> vertices; ///< by Gmsh's tags, [tags.size()][dim + 1]
  std::size_t n_cells = 0;           ///< elements before they were split
  bool is_split = false;
  bool is_curved = false;  ///< of higher order
  std::string unsupported; ///< name of a type that is not supported; else empty
};

/// Of all nodes, by Gmsh's tags.
using NodePositions = std::unordered_map<std::size_t, std::array<double, 3>>;
NodePositions node_positions();

/// Takes the elements of Gmsh's type `type` of an entity of dimension `dim`: simplices by their vertices, and split
/// into simplices quadrilaterals, hexahedra, prisms and pyramids of any order (io::split_cell). `plane`: not empty in
/// meshes in the plane.
SimplicesOfCells simplices_of_cells(int type, int dim, int entity, const NodePositions& plane = {});

/// Elements of one type and entity with all of their nodes, by Gmsh's tags, and their simplices.
struct CellBlock {
  int type = 0;
  int order = 1;
  std::size_t n_nodes = 0;            ///< of an element; the vertices come first
  std::size_t n_simplices = 1;        ///< of an element
  std::vector<std::size_t> nodes;     ///< [n][n_nodes]
  std::vector<std::size_t> simplices; ///< their vertices, [n][n_simplices][dim + 1]
};

/// Those of an entity, or with -1 of all of a dimension; the same simplices as those of simplices_of_cells().
std::vector<CellBlock> cell_blocks(int dim, int entity, const NodePositions& plane = {});

/// Diagonals, as io::split_cell() does not take them, of faces of four vertices of Gmsh's mesh in space that are edges
/// of triangles of other elements: these do not fit to the face, so that the mesh is not joined there. Two nodes each
/// by Gmsh's tags, the smaller one first.
std::vector<std::array<std::size_t, 2>> crossed_diagonals();

} // namespace tessera::importer

#endif
