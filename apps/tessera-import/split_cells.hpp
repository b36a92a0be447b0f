// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_IMPORT_SPLIT_CELLS_HPP
#define TESSERA_IMPORT_SPLIT_CELLS_HPP

#include <cstddef>
#include <string>
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

/// Takes the elements of Gmsh's type `type` of an entity of dimension `dim`: simplices by their vertices, and split
/// into simplices quadrilaterals, hexahedra, prisms and pyramids of order 1. A face of four vertices is split from its
/// lowest node, so that neighbours agree (J. Dompierre et al., How to subdivide pyramids, prisms and hexahedra into
/// tetrahedra, 1999). Split ones have any orientation.
SimplicesOfCells simplices_of_cells(int type, int dim, int entity);

} // namespace tessera::importer

#endif
