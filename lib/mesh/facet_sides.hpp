// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_FACET_SIDES_HPP
#define TESSERA_MESH_FACET_SIDES_HPP

/// \file
/// Facets of boundaries and interfaces with the elements on both sides, on the host.

#include "mesh/mesh.hpp"

#include <vector>

namespace tessera::mesh {

struct FacetSides {
  int set = 0;             ///< index of the facet's set
  index_t element[2] = {}; ///< on its sides, the smaller index first; second -1: boundary of the mesh
  int face[2] = {};        ///< the element's vertex opposite to it
  int region[2] = {};      ///< -1: none
  double center[3] = {};   ///< m, mean of its vertices
  double normal[3] = {};   ///< out of the first element, not normalised
};

/// Finds the facets of sets of groups, set by set; a facet in two groups of a set is listed once. `set_of_group`: set
/// of each of the mesh's groups, -1: none. Facets of no element are ignored.
template <class ExecutionSpace, int Dim>
std::vector<FacetSides> find_facet_sides(const ExecutionSpace& exec,
                                         const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                                         const std::vector<int>& set_of_group, int n_sets);

} // namespace tessera::mesh

#endif
