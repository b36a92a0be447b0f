// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_GRAPH_ORDERED_SCATTER_HPP
#define TESSERA_GRAPH_ORDERED_SCATTER_HPP

/// \file
/// Sums of element contributions at nodes on host threads, without lists of elements at each node and without atomic
/// operations: every thread has a range of nodes, goes through the elements in order, and adds to the nodes of its
/// range only. The contributions of a node are thus added in the order of the elements, which is that of the pairs of
/// an Incidence: the same bits as by gathering, for any number of threads. A thread skips chunks of elements without
/// nodes in its range; if nodes and elements are ordered along a curve, nearly all chunks touch one range only.

#include "core/kokkos_ext/host/concurrency.hpp"
#include "core/parallel.hpp"

#include <algorithm>

namespace tessera::graph {

/// Whether a node is in a thread's range.
struct OwnNodes {
  index_t begin[2], end[2]; ///< of vertices, and of the nodes after them
  KOKKOS_FUNCTION bool operator()(index_t node) const {
    return (node >= begin[0] && node < end[0]) || (node >= begin[1] && node < end[1]);
  }
};

namespace detail {

/// Elements of a chunk: enough to make the test of a chunk cheap, few enough for chunks to lie in one range.
constexpr index_t scatter_chunk = 256;
/// Maximum number of ranges: one bit each.
constexpr int most_ranges = 64;

/// Equal ranges of nodes. Vertices and edge nodes, which follow them, are divided separately: both are ordered along
/// the same curve.
class NodeRanges {
public:
  NodeRanges(index_t n_vertices, index_t n_nodes, int n_ranges)
      : n_vertices_(n_vertices),
        n_ranges_(n_ranges), scale_{scale(n_vertices, n_ranges), scale(n_nodes - n_vertices, n_ranges)} {}

  KOKKOS_FUNCTION int n() const { return n_ranges_; }
  KOKKOS_FUNCTION int of_node(index_t node) const {
    return static_cast<int>(node < n_vertices_ ? (static_cast<std::uint64_t>(node) * scale_[0]) >> 32
                                               : (static_cast<std::uint64_t>(node - n_vertices_) * scale_[1]) >> 32);
  }
  KOKKOS_FUNCTION OwnNodes own(int range) const {
    const index_t end = begin(range + 1, 0);
    return {{begin(range, 0), n_vertices_ + begin(range, 1)},
            {end < n_vertices_ ? end : n_vertices_, n_vertices_ + begin(range + 1, 1)}};
  }

private:
  static std::uint64_t scale(index_t n, int n_ranges) {
    return (static_cast<std::uint64_t>(n_ranges) << 32) / static_cast<std::uint64_t>(n > n_ranges ? n : n_ranges);
  }
  /// The first node of the given kind in a range.
  KOKKOS_FUNCTION index_t begin(int range, int kind) const {
    return static_cast<index_t>(((static_cast<std::uint64_t>(range) << 32) + scale_[kind] - 1) / scale_[kind]);
  }

  index_t n_vertices_;
  int n_ranges_;
  std::uint64_t scale_[2];
};

/// Finds the ranges in which a chunk has nodes, one bit each. Traffic: the connectivity.
template <int NodesPerElement, class Space> struct FindRanges {
  Array<const index_t*, Space> element_nodes;
  index_t n_elements;
  NodeRanges ranges;
  Array<std::uint64_t*, Space> masks;
  KOKKOS_FUNCTION void operator()(index_t chunk) const {
    const std::int64_t first = static_cast<std::int64_t>(chunk) * scatter_chunk;
    const std::int64_t last = first + scatter_chunk < n_elements ? first + scatter_chunk : n_elements;
    std::uint64_t mask = 0;
    for (std::int64_t i = first * NodesPerElement; i < last * NodesPerElement; ++i)
      mask |= std::uint64_t(1) << ranges.of_node(element_nodes(i));
    masks(chunk) = mask;
  }
};

template <class Work, class Space> struct ScatterRange {
  Work work;
  index_t n_elements;
  NodeRanges ranges;
  Array<const std::uint64_t*, Space> masks; // empty with one range
  KOKKOS_FUNCTION void operator()(int range) const {
    const OwnNodes own = ranges.own(range);
    for (index_t first = 0, chunk = 0; first < n_elements; first += scatter_chunk, ++chunk) {
      if (ranges.n() > 1 && (masks(chunk) >> range & 1) == 0)
        continue;
      const index_t last = n_elements - first < scatter_chunk ? n_elements : first + scatter_chunk;
      for (index_t e = first; e < last; ++e)
        work(e, own);
    }
  }
};

} // namespace detail

/// Calls `work(e, own)` for the elements e in ascending order, once for each thread whose range may contain nodes of e;
/// `own(node)` returns whether the node is in the thread's range, and `work` must add to such nodes only. Vertices are
/// the nodes below `n_vertices`. For hosts.
template <int NodesPerElement, class ExecutionSpace, class Work>
void ordered_scatter(const char* label, const ExecutionSpace& exec,
                     const Array<const index_t*, typename ExecutionSpace::memory_space>& element_nodes,
                     index_t n_vertices, index_t n_nodes, const Work& work) {
  static_assert(is_host_space<ExecutionSpace>, "Devices gather by an Incidence.");
  using Space = typename ExecutionSpace::memory_space;
  const auto n_elements = static_cast<index_t>(element_nodes.extent(0) / NodesPerElement);
  const detail::NodeRanges ranges(n_vertices, n_nodes, std::min(concurrency(exec), detail::most_ranges));
  Array<std::uint64_t*, Space> masks;
  if (ranges.n() > 1) {
    const index_t n_chunks = (n_elements + detail::scatter_chunk - 1) / detail::scatter_chunk;
    masks = make_array<Array<std::uint64_t*, Space>>(exec, "graph::ranges_of_chunks", n_chunks);
    for_each("tessera::graph::find_ranges", exec, n_chunks,
             detail::FindRanges<NodesPerElement, Space>{element_nodes, n_elements, ranges, masks});
  }
  for_each<int>(label, exec, ranges.n(), detail::ScatterRange<Work, Space>{work, n_elements, ranges, masks});
  exec.fence(); // the masks are freed on return
}

} // namespace tessera::graph

#endif
