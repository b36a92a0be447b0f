// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_FACET_SIDES_HPP
#define TESSERA_MESH_FACET_SIDES_HPP

/// \file
/// Facets of boundaries and interfaces with the elements at their sides, on the host.

#include "mesh/mesh.hpp"

#include <vector>

namespace tessera::mesh {

struct FacetSides {
  int set = 0;             ///< that the facet is in
  index_t element[2] = {}; ///< at its sides, the smaller number first; second -1: it bounds the mesh
  int face[2] = {};        ///< number of the element's vertex opposite to it
  int region[2] = {};      ///< -1: none
  double center[3] = {};   ///< m, mean of its vertices
  double normal[3] = {};   ///< out of the first element, of any length
};

/// Finds the facets of sets of groups, set by set; a facet in two groups of a set counts once. `set_of_group`: one for
/// each of the mesh's groups, -1: none. Facets of no element are left out.
template <class ExecutionSpace, int Dim>
std::vector<FacetSides> find_facet_sides(const ExecutionSpace& exec,
                                         const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                                         const std::vector<int>& set_of_group, int n_sets);

} // namespace tessera::mesh

#endif
