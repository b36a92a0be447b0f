// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_PROBLEM_KERNELS_HPP
#define TESSERA_DRIVER_PROBLEM_PROBLEM_KERNELS_HPP

/// \file
/// Kernels over nodes and elements of a problem on its mesh, other than those of its form.

#include "core/parallel.hpp"
#include "fe/dofs/dof_map.hpp"
#include "fe/lagrange.hpp"
#include "mesh/parts/dual_graph.hpp"
#include "mesh/simplex.hpp"

namespace tessera::driver::detail {

template <int Dim, class Space> struct SumMeasure {
  Array<const index_t * [Dim + 1], Space> elements;
  Array<const double* [Dim], Space> coordinates;
  KOKKOS_FUNCTION void operator()(std::int64_t e, double (&term)[1]) const {
    double p[Dim + 1][Dim];
    for (int a = 0; a <= Dim; ++a)
      for (int d = 0; d < Dim; ++d)
        p[a][d] = coordinates(elements(e, a), d);
    const double measure = mesh::signed_measure(p);
    term[0] = measure < 0. ? -measure : measure;
  }
};

/// Adds loads at nodes to the rows of their unknowns; atomically, as identified nodes share an unknown.
template <class Space> struct AddLoads {
  Array<const index_t*, Space> nodes;
  Array<const double*, Space> loads;
  fe::DofView<Space> dofs;
  Array<double*, Space> rows;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const index_t dof = dofs.node_dof(nodes(i));
    if (dofs.is_regular(dof))
      Kokkos::atomic_add(&rows(dof), dofs.sign(nodes(i)) * loads(i));
  }
};

/// u = from + s (to - from)
template <class Space> struct OnLine {
  Array<const double*, Space> from;
  Array<const double*, Space> to;
  double s;
  Array<double*, Space> u;
  KOKKOS_FUNCTION void operator()(std::int64_t n) const { u(n) = from(n) + s * (to(n) - from(n)); }
};

template <class Space> struct MarkRegions {
  Array<const index_t*, Space> elements;
  Array<const group_t*, Space> regions;
  Array<group_t*, Space> found; ///< [n_regions]
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Kokkos::atomic_store(&found(regions(elements(i))), group_t(1));
  }
};

/// Numbers the natural conditions of each part of a mesh apart: part * n_natural + condition.
template <class Space> struct ConditionOfPart {
  Array<const index_t*, Space> condition;
  Array<const index_t*, Space> element;
  Array<const index_t*, Space> part_of_element;
  index_t n_natural;
  Array<index_t*, Space> condition_of_part;
  KOKKOS_FUNCTION void operator()(index_t facet) const {
    const index_t part = part_of_element(element(facet));
    condition_of_part(facet) = part < 0 ? -1 : part * n_natural + condition(facet);
  }
};

/// Counts facets between owned elements of a region and elements of others.
template <int Dim, class Space> struct CountFacetsAround {
  mesh::DualGraph<Dim, Space> neighbours;
  Array<const group_t*, Space> regions;
  Array<const index_t*, Space> owned_elements; ///< of a part
  bool is_part;
  group_t region;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const index_t e = is_part ? owned_elements(i) : static_cast<index_t>(i);
    term[0] = 0.;
    for (int f = 0; f <= Dim && regions(e) == region; ++f) {
      const index_t other = neighbours.neighbour(e, f);
      term[0] += other >= 0 && regions(other) != region ? 1. : 0.;
    }
  }
};

/// Values at the nodes of elements from those at the vertices of the coarser mesh at which, or between which, their
/// vertices are.
template <int Dim, int Order, class Space> struct InterpolateStart {
  using element = fe::Lagrange<Dim, Order>;
  Array<const index_t * [element::n_nodes], Space> element_nodes;
  Array<const index_t* [2], Space> parents; // of vertices
  Array<const double*, Space> coarse;
  Array<double*, Space> fine;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    double value[Dim + 1];
    for (int a = 0; a <= Dim; ++a) {
      const index_t node = element_nodes(e, a);
      value[a] = 0.5 * (coarse(parents(node, 0)) + coarse(parents(node, 1)));
      fine(node) = value[a];
    }
    for (int a = Dim + 1; a < element::n_nodes; ++a) // all elements at an edge write the same value
      fine(element_nodes(e, a)) =
          0.5 * (value[mesh::Simplex<Dim>::edge_begin(a - Dim - 1)] + value[mesh::Simplex<Dim>::edge_end(a - Dim - 1)]);
  }
};

/// Copies the values at the nodes of a part's elements to the same nodes of a problem on some of the elements.
template <class T, class Space> struct TakeNodes {
  Array<const index_t*, Space> nodes;
  Array<const index_t*, Space> owned_nodes;
  int nodes_per_element;
  Array<const index_t*, Space> elements; // for each element the part's element
  Array<const T*, Space> from;
  Array<T*, Space> to;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    for (int a = 0; a < nodes_per_element; ++a) // all elements at a node write the same value
      to(owned_nodes(static_cast<std::int64_t>(e) * nodes_per_element + a)) =
          from(nodes(static_cast<std::int64_t>(elements(e)) * nodes_per_element + a));
  }
};

} // namespace tessera::driver::detail

#endif
