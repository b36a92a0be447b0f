// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_MIDPOINTS_HPP
#define TESSERA_FE_MIDPOINTS_HPP

#include "fe/function_space.hpp"
#include "mesh/simplex.hpp"

namespace tessera::fe {

namespace detail {
/// Parents of the nodes of order 2 among those of order 1. All elements at an edge write the same values.
template <int Dim, class Space> struct ParentsOfMidpoints {
  using Element = Lagrange<Dim, 2>;
  Array<const index_t * [Element::n_nodes], Space> element_nodes;
  Array<index_t* [2], Space> parents;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    for (int a = 0; a <= Dim; ++a)
      parents(element_nodes(e, a), 0) = parents(element_nodes(e, a), 1) = element_nodes(e, a);
    for (int edge = 0; edge < mesh::Simplex<Dim>::n_edges; ++edge) {
      const index_t begin = element_nodes(e, mesh::Simplex<Dim>::edge_begin(edge));
      const index_t end = element_nodes(e, mesh::Simplex<Dim>::edge_end(edge));
      const index_t midpoint = element_nodes(e, Dim + 1 + edge);
      parents(midpoint, 0) = begin < end ? begin : end;
      parents(midpoint, 1) = begin < end ? end : begin;
    }
  }
};
} // namespace detail

/// Parents of the nodes of order 2, [n_nodes][2]: the ends of an edge, lower one first; a vertex twice.
template <class ExecutionSpace, int Dim>
Array<index_t* [2], typename ExecutionSpace::memory_space>
parents_of_midpoints(const ExecutionSpace& exec,
                     const FunctionSpace<Dim, 2, typename ExecutionSpace::memory_space>& space) {
  using Space = typename ExecutionSpace::memory_space;
  const auto parents = make_array<Array<index_t* [2], Space>>(exec, "fe::node_parents", space.n_nodes());
  for_each("tessera::fe::parents_of_midpoints", exec, space.n_elements(),
           detail::ParentsOfMidpoints<Dim, Space>{space.element_nodes, parents});
  return parents;
}

} // namespace tessera::fe

#endif
