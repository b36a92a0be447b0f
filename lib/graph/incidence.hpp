// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_GRAPH_INCIDENCE_HPP
#define TESSERA_GRAPH_INCIDENCE_HPP

/// \file
/// Node-to-element incidence: the elements at a node, or at the row of its unknown; the transpose of the connectivity.

#include "core/parallel.hpp"

namespace tessera::graph {

/// Local node a of an element. Lists hold it as one number, element * nodes_per_element + a: an element-node pair.
struct LocalNode {
  index_t element;
  int a;
};

/// Decodes an element-node pair.
template <int NodesPerElement, class Pair> KOKKOS_INLINE_FUNCTION LocalNode local_node(Pair pair) {
  const auto element = static_cast<index_t>(pair / NodesPerElement);
  return {element, static_cast<int>(pair - static_cast<Pair>(element) * NodesPerElement)};
}

/// Incidence by row, compressed like a CRS matrix. The pairs of a row ascend.
template <class MemorySpace> struct Incidence {
  using memory_space = MemorySpace;
  Array<offset_t*, memory_space> offsets; ///< [n_rows + 1]
  Array<offset_t*, memory_space> pairs;   ///< [number of element-node pairs that have a row]
  index_t n_rows() const { return static_cast<index_t>(offsets.extent(0)) - 1; }
};

/// Finds the pairs of every row on the device. `element_nodes` is [n_elements * nodes_per_element], row-major.
/// `node_rows` maps a node to its row; nodes whose row is outside [0, n_rows) are left out. An empty `node_rows` means
/// that row and node are the same. Rows are sorted, so the result does not depend on the order of atomics.
template <class ExecutionSpace>
Incidence<typename ExecutionSpace::memory_space>
build_incidence(const ExecutionSpace& exec, const Array<const index_t*, ExecutionSpace>& element_nodes,
                int nodes_per_element, const Array<const index_t*, ExecutionSpace>& node_rows, index_t n_rows);

} // namespace tessera::graph

#endif
