// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_CHECKS_HANGING_NODES_HPP
#define TESSERA_MESH_CHECKS_HANGING_NODES_HPP

/// \file
/// Finds boundary nodes on or very close to a boundary facet of which they are not nodes.

#include "mesh/surface.hpp"

#include <array>
#include <vector>

namespace tessera::mesh {

/// A node on an open facet whose distance from the facet's nodes exceeds the tolerance.
template <int Dim> struct NodeOnFacet {
  index_t node = 0;
  std::array<double, Dim> place{}; ///< m
  index_t element = 0;             ///< of the facet
  /// Every node of the facet is connected, by open facets, to a node on the facet: the other side was meant to be
  /// connected to this one but is finer (a hanging node). Otherwise two parts touch without sharing nodes.
  bool is_hanging = false;
};

/// All pairs of a node and an open facet on which it lies, within 1e-6 of the facet's longest edge, by facet. Expected
/// cost: n log n in the number of open facets. `surface` may contain interfaces, which are ignored.
template <int Dim> std::vector<NodeOnFacet<Dim>> find_nodes_on_facets(const Surface<Dim>& surface);

/// A node close to an open facet to which it is not connected.
template <int Dim> struct NarrowGap {
  index_t node = 0;
  std::array<double, Dim> place{}; ///< m, of the node
  index_t facet = 0;               ///< of the surface
  double width = 0.;               ///< m, distance of the node from the facet, or from the facet's nearest node
};

/// Pairs of a node and an open facet whose distance is less than a thousandth of the shortest open edge at both, by
/// facet. This is far below what elements of that size resolve, and an intended gap without mesh has edges as short as
/// its width at its ends. Excluded are nodes on the facet (find_nodes_on_facets()), nodes that coincide with one of its
/// nodes up to rounding (MeshReport::coincident_nodes), and nodes connected to one of its nodes by an open edge.
template <int Dim> std::vector<NarrowGap<Dim>> find_narrow_gaps(const Surface<Dim>& surface);

} // namespace tessera::mesh

#endif
