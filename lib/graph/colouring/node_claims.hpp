// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_GRAPH_COLOURING_NODE_CLAIMS_HPP
#define TESSERA_GRAPH_COLOURING_NODE_CLAIMS_HPP

/// \file
/// Colouring by claims of elements at their nodes; used through color_elements().

#include "graph/colouring/coloring.hpp"

namespace tessera::graph::detail {

/// Colours of the elements, all below `n_numbers`.
template <class ExecutionSpace> struct ElementColors {
  Array<color_t*, ExecutionSpace> colors;
  int n_numbers = 0;
};

/// Colours [n_elements] by claims. Each node holds a mask of the colours of its elements. An element picks a colour
/// that none of its nodes has, from a hashed start so that classes become even, and takes it by an atomic `or` node by
/// node, in ascending order. If another element has taken the colour at one of the nodes it releases what it took and
/// tries again. Some colours below the largest may stay unused.
template <class ExecutionSpace>
ElementColors<ExecutionSpace> claim_colors(const ExecutionSpace& exec,
                                           const Array<const index_t*, ExecutionSpace>& element_nodes,
                                           int nodes_per_element, index_t n_nodes);

/// The deterministic form: in each round every element without a colour picks one and leaves its priority at (node,
/// colour) of its nodes; elements with the highest priority at all of their nodes keep it.
template <class ExecutionSpace>
ElementColors<ExecutionSpace> claim_colors_in_rounds(const ExecutionSpace& exec,
                                                     const Array<const index_t*, ExecutionSpace>& element_nodes,
                                                     int nodes_per_element, index_t n_nodes);

} // namespace tessera::graph::detail

#endif
