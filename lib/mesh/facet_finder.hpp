// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_FACET_FINDER_HPP
#define TESSERA_MESH_FACET_FINDER_HPP

/// \file
/// Facets of simplices, for device code. Facet f of an element is opposite its local vertex f.

#include "graph/incidence.hpp"
#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// Nodes of a facet in the orientation induced by the element: with the element to the left of the edge in 2D; in 3D
/// (n1 - n0) x (n2 - n0) points out of it.
template <int Dim, class Elements>
KOKKOS_FUNCTION void outward_facet(const Elements& elements, index_t element, int apex, index_t (&nodes)[Dim]) {
  int n = 0;
  for (int a = 0; a <= Dim; ++a)
    if (a != apex)
      nodes[n++] = elements(element, a);
  if (apex % 2 == 1) {
    const index_t first = nodes[0];
    nodes[0] = nodes[1];
    nodes[1] = first;
  }
}

/// Finds the elements with given facets. For each facet it visits the elements at the node with the fewest elements (6
/// for a triangle's edge, about 24 for a tetrahedron's face) and reads their nodes.
template <int Dim, class Space> struct FacetFinder {
  Array<const index_t * [Dim + 1], Space> elements;
  Array<const offset_t*, Space> pair_offsets;
  Array<const offset_t*, Space> pairs;

  FacetFinder(const Mesh<Dim, Space>& mesh, const graph::Incidence<Space>& node_incidence)
      : elements(mesh.elements), pair_offsets(node_incidence.offsets), pairs(node_incidence.pairs) {}

  struct Facet {
    index_t nodes[Dim];
    index_t rarest; ///< the node with the fewest elements
  };

  KOKKOS_FUNCTION void add_node(Facet& facet, int n, index_t node) const {
    facet.nodes[n] = node;
    if (n == 0 ||
        pair_offsets(node + 1) - pair_offsets(node) < pair_offsets(facet.rarest + 1) - pair_offsets(facet.rarest))
      facet.rarest = node;
  }

  /// Nodes in the order of a list of facets, [n_facets][Dim].
  template <class Facets> KOKKOS_FUNCTION Facet facet_at(const Facets& facets, std::int64_t f) const {
    Facet facet{};
    for (int a = 0; a < Dim; ++a)
      add_node(facet, a, facets(f, a));
    return facet;
  }

  /// Nodes in the order of the element.
  KOKKOS_FUNCTION Facet facet_of(index_t element, int apex) const {
    Facet facet{};
    int n = 0;
    for (int a = 0; a <= Dim; ++a)
      if (a != apex)
        add_node(facet, n++, elements(element, a));
    return facet;
  }

  /// Calls `visit(element, apex, position)` for every element with the facet, except `skipped`, in ascending order,
  /// until it returns false: `position[i]` is the local index of node i of the facet, `apex` that of the opposite
  /// vertex.
  template <class Visit>
  KOKKOS_FUNCTION void for_each_element(const Facet& facet, index_t skipped, const Visit& visit) const {
    for (offset_t k = pair_offsets(facet.rarest); k < pair_offsets(facet.rarest + 1); ++k) {
      const index_t element = static_cast<index_t>(pairs(k) / (Dim + 1));
      if (element == skipped)
        continue;
      int position[Dim];
      const int apex = apex_of(facet, element, static_cast<int>(pairs(k) % (Dim + 1)), position);
      if (apex >= 0 && !visit(element, apex, position))
        return;
    }
  }

  /// Finds the one or two elements with the facet, the smaller index first, and the local indices of their opposite
  /// vertices; -1: none.
  KOKKOS_FUNCTION void find_sides(const Facet& facet, index_t (&found)[2], int (&apexes)[2]) const {
    for (int k = 0; k < 2; ++k)
      found[k] = apexes[k] = -1;
    int n = 0;
    for_each_element(facet, -1, [&](index_t element, int apex, const int(&)[Dim]) {
      found[n] = element;
      apexes[n] = apex;
      return ++n < 2;
    });
  }

private:
  /// The apex if the element, which has the rarest node at the given position, contains all nodes; else -1.
  KOKKOS_FUNCTION int apex_of(const Facet& facet, index_t element, int position_of_rarest, int (&position)[Dim]) const {
    index_t nodes[Dim + 1];
    for (int a = 0; a <= Dim; ++a)
      nodes[a] = elements(element, a);
    int apex = Dim * (Dim + 1) / 2;
    for (int i = 0; i < Dim; ++i) {
      int at = position_of_rarest;
      if (facet.nodes[i] != facet.rarest) {
        at = 0;
        while (at <= Dim && nodes[at] != facet.nodes[i])
          ++at;
        if (at > Dim)
          return -1;
      }
      position[i] = at;
      apex -= at;
    }
    return apex;
  }
};

} // namespace tessera::mesh

#endif
