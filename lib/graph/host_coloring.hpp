// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_GRAPH_HOST_COLORING_HPP
#define TESSERA_GRAPH_HOST_COLORING_HPP

/// \file
/// The serial colourings of X. Ren et al. on the host. Use color_elements(); this is what it calls.
///
/// All three take the smallest colour that is free, elements in their order, hence give the same colours: an element is
/// left for a later pass of the classical method exactly when an earlier neighbour has the colour of this pass. (The
/// paper's table 1 shows more even classes for algorithms 2 and 3; as printed they cannot have them.) What differs is
/// the work. The paper's times grow with the square of the number of elements (7.6 s for 24 106 elements, 276 s for
/// 171 338): it looks for "all element numbers associated with the nodes" by going through the mesh. Here each search
/// is local, so that all of them are linear.

#include "graph/coloring.hpp"

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

/// Algorithm 1. For each colour one pass over the elements that have none; the colours of the neighbours are looked up
/// through the lists of each node's elements.
std::vector<color_t> classical_colors(const HostElements& elements);

/// Algorithm 2. One pass over the elements; the colours of the neighbours are looked up in the same way, once.
std::vector<color_t> fast_marked_colors(const HostElements& elements);

/// Algorithm 3. One pass; the array A holds the colours used at each node, as bits.
std::vector<color_t> optimized_fast_marked_colors(const HostElements& elements);

} // namespace tessera::graph::detail

#endif
