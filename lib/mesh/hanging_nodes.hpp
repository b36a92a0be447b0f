// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_HANGING_NODES_HPP
#define TESSERA_MESH_HANGING_NODES_HPP

/// \file
/// Nodes of the mesh's boundary that lie on facets of the boundary which they are no node of.

#include "mesh/surface.hpp"

#include <array>
#include <vector>

namespace tessera::mesh {

/// A node on an open facet, away from the facet's own nodes by more than the tolerance.
template <int Dim> struct NodeOnFacet {
  index_t node = 0;
  std::array<double, Dim> place{}; ///< m
  index_t element = 0;             ///< of the facet
  /// Every node of the facet is joined, by open facets, to a node that lies on it: the other side was meant to be
  /// joined to this one but is finer (a hanging node). Else two parts touch that share no nodes there.
  bool is_hanging = false;
};

/// All pairs of a node and an open facet it lies on, within 1e-6 of the facet's longest edge, by facet. Expected cost:
/// n log n in the number of open facets. `surface` may hold interfaces, too, which do not count.
template <int Dim> std::vector<NodeOnFacet<Dim>> find_nodes_on_facets(const Surface<Dim>& surface);

} // namespace tessera::mesh

#endif
