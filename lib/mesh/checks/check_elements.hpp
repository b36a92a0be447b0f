// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_CHECKS_CHECK_ELEMENTS_HPP
#define TESSERA_MESH_CHECKS_CHECK_ELEMENTS_HPP

/// \file
/// Finds faults of agglomerated elements.

#include "graph/neighbours.hpp"
#include "mesh/parts/dual_graph.hpp"

namespace tessera::mesh {

struct ElementFaults {
  index_t n_empty = 0;
  index_t n_disconnected = 0; ///< elements whose simplices are not connected through facets
  index_t n_mixed = 0;        ///< elements with simplices of several regions

  bool any() const { return n_empty + n_disconnected + n_mixed > 0; }
};

/// Counts the faulty elements of `n_elements`; `element_of`, [n_simplices], in [0, n_elements).
template <class ExecutionSpace, int Dim>
ElementFaults check_elements(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                             const DualGraph<Dim, typename ExecutionSpace::memory_space>& dual,
                             const Array<const index_t*, ExecutionSpace>& element_of, index_t n_elements);

/// Neighbours of each simplex within its region.
template <class ExecutionSpace, int Dim>
graph::Neighbours<Dim + 1, typename ExecutionSpace::memory_space>
neighbours_in_region(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                     const DualGraph<Dim, typename ExecutionSpace::memory_space>& dual);

} // namespace tessera::mesh

#endif
