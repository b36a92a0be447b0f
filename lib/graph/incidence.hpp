// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_GRAPH_INCIDENCE_HPP
#define TESSERA_GRAPH_INCIDENCE_HPP

/// \file
/// Which elements meet at a row: the transpose of element-to-node connectivity.

#include "core/parallel.hpp"

namespace tessera::graph {

/// Slots by row. A slot s = element * nodes_per_element + a names local node a of an element, so that element and local
/// node follow from one number. The slots of a row ascend.
template <class MemorySpace> struct RowSlots {
  using memory_space = MemorySpace;
  Array<offset_t*, memory_space> offsets; ///< [n_rows + 1]
  Array<offset_t*, memory_space> slots;   ///< [number of element-node pairs that have a row]
  index_t n_rows() const { return static_cast<index_t>(offsets.extent(0)) - 1; }
};

/// Builds the slots of every row on the device. `element_nodes` is [n_elements * nodes_per_element], row-major.
/// `node_rows` maps a node to its row; nodes whose row is outside [0, n_rows) are left out. An empty `node_rows` means
/// that row and node are the same. Rows end up sorted, so the result does not depend on the order of atomics.
template <class ExecutionSpace>
RowSlots<typename ExecutionSpace::memory_space>
build_row_slots(const ExecutionSpace& exec, const Array<const index_t*, ExecutionSpace>& element_nodes,
                int nodes_per_element, const Array<const index_t*, ExecutionSpace>& node_rows, index_t n_rows);

} // namespace tessera::graph

#endif
