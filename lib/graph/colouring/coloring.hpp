// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_GRAPH_COLOURING_COLORING_HPP
#define TESSERA_GRAPH_COLOURING_COLORING_HPP

/// \file
/// Groups of elements that share no node, so that one thread per element may add to its nodes without atomics.

#include "core/parallel.hpp"
#include "graph/colouring/coloring_method.hpp"

#include <vector>

namespace tessera::graph {

/// Colour of an element.
using color_t = std::uint16_t;

/// Colouring of elements: elements that share a node have different colours.
template <class MemorySpace> struct Coloring {
  using memory_space = MemorySpace;
  int n_colors = 0;
  /// Elements by colour, ascending within one, [n_elements].
  Array<index_t*, memory_space> elements;
  /// First position of each colour in `elements`, [n_colors + 1], on the host. No colour is empty.
  std::vector<index_t> color_offsets;
  /// Colour of each element, [n_elements]; may be freed once the colouring is verified.
  Array<color_t*, memory_space> colors;

  index_t class_size(int color) const { return color_offsets[color + 1] - color_offsets[color]; }
  index_t smallest_class() const;
  index_t largest_class() const;
  double mean_class() const;
};

/// Options of colourings.
struct ColoringOptions {
  /// Makes node_claims give the same colours on every backend for any number of threads, at several times the time and
  /// memory. ccm, fcm and ofcm always do, kokkos_kernels never does.
  bool deterministic = false;
};

/// Colours elements so that no two of one colour share a node. `element_nodes` is [n_elements * nodes_per_element],
/// row-major, with numbers in [0, n_nodes). Host methods copy it to the host and the colours back.
template <class ExecutionSpace>
Coloring<typename ExecutionSpace::memory_space>
color_elements(const ExecutionSpace& exec, ColoringMethod method,
               const Array<const index_t*, ExecutionSpace>& element_nodes, int nodes_per_element, index_t n_nodes,
               const ColoringOptions& options = ColoringOptions());

/// Throws unless every element is in exactly one colour and no two elements of a colour share a node; the message names
/// two such elements and their node.
template <class ExecutionSpace>
void verify_coloring(const ExecutionSpace& exec, const Coloring<typename ExecutionSpace::memory_space>& coloring,
                     const Array<const index_t*, ExecutionSpace>& element_nodes, int nodes_per_element,
                     index_t n_nodes);

} // namespace tessera::graph

#endif
