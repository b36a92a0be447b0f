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

/// Two nodes by Gmsh's tags, the smaller one first.
using Edge = std::array<std::size_t, 2>;

/// Takes the elements of Gmsh's mesh as simplices: quadrilaterals, hexahedra, prisms and pyramids of order 1 are split.
/// A face of four vertices is split from its first node, so that neighbours agree (J. Dompierre et al., How to
/// subdivide pyramids, prisms and hexahedra into tetrahedra, 1999). First is the one that comes first along a direction
/// in space, so that periodic sides, each the other one translated, are split alike, whatever the numbers of their
/// nodes are.
class CellSplitter {
public:
  /// Elements of Gmsh's type `type` of an entity of dimension `dim`, simplices by their vertices. Split ones keep the
  /// orientation of their element.
  SimplicesOfCells simplices(int type, int dim, int entity);

  /// Which of `n` nodes comes first, by its position among them: a face is split from it.
  std::size_t first_of(const std::size_t* nodes, std::size_t n);

  /// Diagonals of faces of four vertices, as they were not split, that are edges of triangles of other elements of
  /// Gmsh's mesh, which therefore do not fit to the face: there the mesh is not joined.
  std::vector<Edge> crossed_diagonals();

private:
  struct CellType;
  static const CellType* find_type(int type);
  bool is_before(std::size_t a, std::size_t b);
  void append_fan(const std::vector<std::size_t>& face, const std::vector<std::size_t>& apex,
                  std::vector<std::size_t>& simplices);
  std::vector<std::size_t> split(const CellType& cell, const std::vector<std::size_t>& nodes);

  std::unordered_map<std::size_t, double> place_; ///< along the direction, by tag; empty while nothing is split
  std::vector<Edge> other_diagonals_;             ///< of faces of elements in space
};

} // namespace tessera::importer

#endif
