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

/// Takes the elements of Gmsh's mesh as simplices: quadrilaterals, hexahedra, prisms and pyramids are split. In the
/// plane a quadrilateral is split along the diagonal that makes the better triangles. In space a face of four vertices
/// is split from its first node, so that neighbours agree (J. Dompierre et al., How to subdivide pyramids, prisms and
/// hexahedra into tetrahedra, 1999). First is the one that comes first along a direction, so that periodic sides, each
/// the other one translated, are split alike, whatever the numbers of their nodes are.
class CellSplitter {
public:
  explicit CellSplitter(int mesh_dimension) : mesh_dimension_(mesh_dimension) {}

  /// Elements of Gmsh's type `type` of an entity of dimension `dim` by their vertices. Split ones keep the orientation
  /// of their element.
  SimplicesOfCells simplices(int type, int dim, int entity);

  /// The facets of an element of dimension `dim` with these `n_vertices` vertices as simplices, by local vertices:
  /// those of the mesh's simplices on its surface.
  std::vector<std::vector<int>> surface(int dim, std::size_t n_vertices, const std::size_t* nodes);

  /// The simplices of a facet with these vertices, by local vertices.
  std::vector<std::vector<int>> simplices_of_facet(std::size_t n_vertices, const std::size_t* nodes);

  /// Diagonals of faces of four vertices, as they were not split, that are edges of triangles of other elements of
  /// Gmsh's mesh, which therefore do not fit to the face: there the mesh is not joined.
  std::vector<Edge> crossed_diagonals();

private:
  using Positions = std::unordered_map<std::size_t, std::array<double, 3>>;

  const Positions& positions(); ///< of all nodes, by tag
  bool is_before(std::size_t a, std::size_t b);
  std::size_t first_of(const std::size_t* nodes, std::size_t n);
  std::size_t better_corner(const std::size_t* nodes);
  std::vector<std::size_t> split(int dim, std::size_t n_vertices, const std::vector<std::size_t>& nodes,
                                 std::size_t width);

  int mesh_dimension_;
  Positions positions_;               ///< empty while nothing is split
  std::vector<Edge> other_diagonals_; ///< of faces of elements in space
};

/// Whether elements of a dimension with so many vertices are simplices, or can be split into some.
bool is_supported(int dim, std::size_t n_vertices);

} // namespace tessera::importer

#endif
