// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_GRAPH_COLOURING_CONFLICT_GRAPH_HPP
#define TESSERA_GRAPH_COLOURING_CONFLICT_GRAPH_HPP

/// \file
/// Conflict graph: elements that share a node.

#include "core/parallel.hpp"

namespace tessera::graph {

/// Graph in compressed rows.
template <class MemorySpace> struct Graph {
  using memory_space = MemorySpace;
  Array<offset_t*, memory_space> offsets;  ///< [n_vertices + 1]
  Array<index_t*, memory_space> neighbors; ///< [number of directed edges]
  index_t n_vertices() const { return static_cast<index_t>(offsets.extent(0)) - 1; }
};

/// Conflict graph of elements: two elements are adjacent if they share a node. Symmetric, without loops and repeated
/// neighbours. Arguments as for color_elements().
template <class ExecutionSpace>
Graph<typename ExecutionSpace::memory_space>
build_conflict_graph(const ExecutionSpace& exec, const Array<const index_t*, ExecutionSpace>& element_nodes,
                     int nodes_per_element, index_t n_nodes);

} // namespace tessera::graph

#endif
