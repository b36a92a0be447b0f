// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IO_CELL_SHAPES_HPP
#define TESSERA_IO_CELL_SHAPES_HPP

/// \file
/// Cells of other programs that are no simplices, as simplices.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace tessera::io {

/// A quadrilateral, hexahedron, prism or pyramid, by the local numbers of its vertices, which Gmsh and VTK give it.
struct CellShape {
  int dim;
  std::size_t n_vertices;
  std::size_t n_simplices;             ///< that it is split into
  std::vector<std::vector<int>> faces; ///< vertices in order around each; of a quadrilateral the cell itself
};

/// Null for simplices and what is not known.
const CellShape* find_cell_shape(int dim, int n_vertices);

/// Local numbers of the vertices of the simplices of a cell whose vertices have the numbers `own` in the mesh,
/// [n_simplices][dim + 1]. A face of four vertices is split from its lowest vertex, so that neighbours agree (J.
/// Dompierre et al., How to subdivide pyramids, prisms and hexahedra into tetrahedra, 1999). With the places of its
/// vertices, `plane`, a quadrilateral of a mesh in the plane, where nobody else has its diagonal, is split along the
/// better one. The simplices have any orientation.
std::vector<int> split_cell(const CellShape& shape, const std::size_t* own,
                            const std::array<std::array<double, 2>, 4>* plane = nullptr);

/// What is told of so many cells of a mesh that were split.
std::string split_note(std::size_t n_cells, int dimension);

} // namespace tessera::io

#endif
