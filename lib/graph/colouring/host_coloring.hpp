// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_GRAPH_COLOURING_HOST_COLORING_HPP
#define TESSERA_GRAPH_COLOURING_HOST_COLORING_HPP

/// \file
/// The serial colourings of X. Ren et al. on the host; used through color_elements().
///
/// All three assign the smallest free colour to the elements in order and hence give the same colours: the classical
/// method leaves an element to a later pass exactly if an earlier neighbour has the colour of this pass. (The paper's
/// table 1 shows more even classes for algorithms 2 and 3, which the algorithms as printed cannot produce.) The methods
/// differ in the work. The paper's times grow with the square of the number of elements (7.6 s for 24 106 elements, 276
/// s for 171 338): it finds "all element numbers associated with the nodes" by searching the whole mesh. Here each
/// search is local, so that all three are linear.

#include "graph/colouring/coloring.hpp"

namespace tessera::graph::detail {

/// Elements on the host.
struct HostElements {
  const index_t* nodes; ///< [n_elements * per_element]
  index_t n_elements;
  int per_element;
  index_t n_nodes;

  const index_t* begin(index_t element) const { return nodes + static_cast<std::int64_t>(element) * per_element; }
  const index_t* end(index_t element) const { return begin(element) + per_element; }
};

/// Algorithm 1: for each colour one pass over the elements without a colour; the colours of neighbours are found
/// through the lists of elements at each node.
std::vector<color_t> classical_colors(const HostElements& elements);

/// Algorithm 2: one pass over the elements; the colours of neighbours are found in the same way, once.
std::vector<color_t> fast_marked_colors(const HostElements& elements);

/// Algorithm 3: one pass; the array A holds the colours used at each node, as bits.
std::vector<color_t> optimized_fast_marked_colors(const HostElements& elements);

} // namespace tessera::graph::detail

#endif
