// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_HANGING_NODES_HPP
#define TESSERA_MESH_HANGING_NODES_HPP

/// \file
/// Finds boundary nodes that lie on, or just beside, a boundary facet without being one of its nodes.

#include "mesh/surface.hpp"

#include <array>
#include <vector>

namespace tessera::mesh {

/// A node on an open facet, farther from the facet's own nodes than the tolerance.
template <int Dim> struct NodeOnFacet {
  index_t node = 0;
  std::array<double, Dim> place{}; ///< m
  index_t element = 0;             ///< of the facet
  /// Every node of the facet is joined, by open facets, to a node that lies on it: the other side was meant to be
  /// joined to this one but is finer (a hanging node). Otherwise two parts touch without sharing nodes.
  bool is_hanging = false;
};

/// All pairs of a node and an open facet it lies on, within 1e-6 of the facet's longest edge, by facet. Expected cost:
/// n log n in the number of open facets. `surface` may contain interfaces, which are ignored.
template <int Dim> std::vector<NodeOnFacet<Dim>> find_nodes_on_facets(const Surface<Dim>& surface);

/// A node beside an open facet to which nothing joins it.
template <int Dim> struct NarrowGap {
  index_t node = 0;
  std::array<double, Dim> place{}; ///< m, of the node
  index_t facet = 0;               ///< of the surface
  double width = 0.;               ///< m, between the node and the facet, or the facet's next node
};

/// Pairs of a node and an open facet that is less than a thousandth of the shortest open edge at both away, by facet:
/// far below what elements of that size resolve, and where an unmeshed gap is meant, one of its sides has edges as
/// short as its width at its ends. Left out are nodes on the facet (find_nodes_on_facets()), those with the coordinates
/// of one of its nodes, but for rounding (MeshReport::coincident_nodes), and those that an open edge joins to one of
/// its nodes.
template <int Dim> std::vector<NarrowGap<Dim>> find_narrow_gaps(const Surface<Dim>& surface);

} // namespace tessera::mesh

#endif
