// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "graph/colouring/conflict_graph.hpp"

#include "core/algorithms/scan.hpp"
#include "core/keep_alive.hpp"
#include "core/tagged_loop.hpp"
#include "graph/incidence.hpp"

namespace tessera::graph {

namespace {

/// A neighbour that shares several nodes is counted at the first of them in the element's local order, so that neither
/// a buffer nor a sort is needed.
template <class Space> struct NeighborFinder {
  Array<const index_t*, Space> element_nodes;
  Array<const offset_t*, Space> pair_offsets;
  Array<const offset_t*, Space> pairs;
  Array<offset_t*, Space> offsets;
  Array<index_t*, Space> neighbors;
  int per_element;

  struct Count {};
  struct Fill {};

  KOKKOS_FUNCTION bool has_node(std::int64_t element, index_t node) const {
    for (int b = 0; b < per_element; ++b)
      if (element_nodes(element * per_element + b) == node)
        return true;
    return false;
  }

  KOKKOS_FUNCTION bool is_first_common(std::int64_t element, int a, std::int64_t other) const {
    for (int b = 0; b < a; ++b)
      if (has_node(other, element_nodes(element * per_element + b)))
        return false;
    return true;
  }

  KOKKOS_FUNCTION offset_t visit(index_t element, bool writes) const {
    offset_t n = 0;
    const offset_t begin = writes ? offsets(element) : 0;
    for (int a = 0; a < per_element; ++a) {
      const index_t node = element_nodes(static_cast<std::int64_t>(element) * per_element + a);
      for (offset_t k = pair_offsets(node); k < pair_offsets(node + 1); ++k) {
        const index_t other = static_cast<index_t>(pairs(k) / per_element);
        if (other != element && is_first_common(element, a, other)) {
          if (writes)
            neighbors(begin + n) = other;
          ++n;
        }
      }
    }
    return n;
  }

  KOKKOS_FUNCTION void operator()(Count, index_t element) const { offsets(element) = visit(element, false); }
  KOKKOS_FUNCTION void operator()(Fill, index_t element) const { visit(element, true); }
};

} // namespace

template <class ExecutionSpace>
Graph<typename ExecutionSpace::memory_space>
build_conflict_graph(const ExecutionSpace& exec, const Array<const index_t*, ExecutionSpace>& element_nodes,
                     int nodes_per_element, index_t n_nodes) {
  using Space = typename ExecutionSpace::memory_space;
  using Finder = NeighborFinder<Space>;
  const auto node_incidence = build_incidence<ExecutionSpace>(exec, element_nodes, nodes_per_element, {}, n_nodes);
  const index_t n_elements = static_cast<index_t>(element_nodes.extent(0) / nodes_per_element);
  Graph<Space> graph;
  graph.offsets = make_array<Array<offset_t*, Space>>(exec, "graph::conflict_offsets", n_elements + 1);
  Finder finder{element_nodes, node_incidence.offsets, node_incidence.pairs, graph.offsets, {}, nodes_per_element};
  for_each_tagged<typename Finder::Count>("tessera::graph::count_conflicts", exec, n_elements, finder);
  const std::int64_t n_conflicts = counts_to_offsets(exec, graph.offsets, n_elements, "the elements' conflict graph");
  graph.neighbors = make_array<Array<index_t*, Space>>(exec, "graph::conflicts", n_conflicts);
  finder.neighbors = graph.neighbors;
  for_each_tagged<typename Finder::Fill>("tessera::graph::fill_conflicts", exec, n_elements, finder);
  keep_alive(exec, node_incidence);
  return graph;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template Graph<Space::memory_space> build_conflict_graph<Space>(const Space&, const Array<const index_t*, Space>&,   \
                                                                  int, index_t);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::graph
