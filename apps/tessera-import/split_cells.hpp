// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IMPORT_SPLIT_CELLS_HPP
#define TESSERA_IMPORT_SPLIT_CELLS_HPP

#include "io/mesh_files/cell_shapes.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace tessera::importer {

/// Positions of all nodes, keyed by Gmsh's tags.
using NodePositions = std::unordered_map<std::size_t, std::array<double, 3>>;
NodePositions node_positions();

/// Elements of one type and entity; nodes and elements are given by Gmsh's tags.
struct CellBlock {
  int type = 0; ///< Gmsh's number of the element type
  std::string type_name;
  int dim = 0;
  int order = 1;
  std::size_t n_nodes = 0; ///< per element; the vertices come first
  std::size_t n_vertices = 0;
  const io::CellShape* shape = nullptr; ///< set for elements that have to be split, otherwise null
  std::vector<std::size_t> tags;        ///< [n]
  std::vector<std::size_t> nodes;       ///< [n][n_nodes]

  std::size_t n_cells() const { return tags.size(); }
  bool is_supported() const { return shape != nullptr || n_vertices == static_cast<std::size_t>(dim) + 1; }
};

/// Blocks of the elements of an entity, or of all entities of a dimension if `entity` is -1.
std::vector<CellBlock> cell_blocks(int dim, int entity);

/// Elements of one type and entity, split into simplices.
struct SimplicesOfCells {
  std::vector<std::size_t> tags;                           ///< tag of each simplex's element
  std::vector<std::size_t> vertices;                       ///< Gmsh's tags, [tags.size()][dim + 1]
  std::vector<std::array<std::size_t, 2>> other_diagonals; ///< io::CellSplit::other_diagonals as Gmsh's tags
};

/// Splits the elements of Gmsh's mesh into simplices: quadrilaterals, hexahedra, prisms and pyramids of any order are
/// split by their vertices (io::split_cell()).
class CellSplitter {
public:
  /// Reads the positions of the nodes if the current mesh has elements to split.
  explicit CellSplitter(int mesh_dimension);

  /// The simplices of an element of a supported block, as local vertices.
  io::CellSplit split(const CellBlock& block, std::size_t element) const;

  /// The simplices of all elements of a supported block.
  SimplicesOfCells simplices(CellBlock block) const;

private:
  bool in_plane_;
  NodePositions positions_; ///< empty if nothing is split
};

} // namespace tessera::importer

#endif
