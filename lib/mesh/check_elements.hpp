// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_CHECK_ELEMENTS_HPP
#define TESSERA_MESH_CHECK_ELEMENTS_HPP

/// \file
/// Finds what is wrong with elements joined of simplices.

#include "graph/neighbours.hpp"
#include "mesh/dual_graph.hpp"

namespace tessera::mesh {

struct ElementFaults {
  index_t n_empty = 0;
  index_t n_disconnected = 0; ///< simplices in pieces that share no facet
  index_t n_mixed = 0;        ///< simplices of several regions

  bool any() const { return n_empty + n_disconnected + n_mixed > 0; }
};

/// Counts the faulty ones of `n_elements` elements; `element_of`, [n_simplices], in [0, n_elements).
template <class ExecutionSpace, int Dim>
ElementFaults check_elements(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                             const DualGraph<Dim, typename ExecutionSpace::memory_space>& dual,
                             const Array<const index_t*, ExecutionSpace>& element_of, index_t n_elements);

/// Neighbours of each simplex in its own region.
template <class ExecutionSpace, int Dim>
graph::Neighbours<Dim + 1, typename ExecutionSpace::memory_space>
neighbours_in_region(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                     const DualGraph<Dim, typename ExecutionSpace::memory_space>& dual);

} // namespace tessera::mesh

#endif
