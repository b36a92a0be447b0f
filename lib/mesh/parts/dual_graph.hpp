// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_PARTS_DUAL_GRAPH_HPP
#define TESSERA_MESH_PARTS_DUAL_GRAPH_HPP

/// \file
/// Dual graph: elements that share a facet.

#include "graph/incidence.hpp"
#include "mesh/mesh.hpp"

namespace tessera::mesh {

template <int Dim, class MemorySpace> struct DualGraph {
  /// The other side of facet f (opposite local vertex f) of element e, [n_elements][Dim + 1]: facet g of element d,
  /// encoded as d (Dim + 1) + g; -1 on the boundary.
  Array<offset_t * [Dim + 1], MemorySpace> across;

  index_t n_elements() const { return static_cast<index_t>(across.extent(0)); }

  /// Neighbour of e across its facet f, -1 on the boundary.
  KOKKOS_FUNCTION index_t neighbour(index_t e, int f) const {
    const offset_t side = across(e, f);
    return side < 0 ? -1 : static_cast<index_t>(side / (Dim + 1));
  }
};

/// Finds the neighbours of every element. No facet may be in more than two elements, which check_mesh() ensures.
template <class ExecutionSpace, int Dim>
DualGraph<Dim, typename ExecutionSpace::memory_space>
build_dual_graph(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                 const graph::Incidence<typename ExecutionSpace::memory_space>& node_incidence);

/// As above; finds the elements at every node first.
template <class ExecutionSpace, int Dim>
DualGraph<Dim, typename ExecutionSpace::memory_space>
build_dual_graph(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh);

} // namespace tessera::mesh

#endif
