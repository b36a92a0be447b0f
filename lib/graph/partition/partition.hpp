// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_GRAPH_PARTITION_PARTITION_HPP
#define TESSERA_GRAPH_PARTITION_PARTITION_HPP

/// \file
/// Improves a partition of a graph into connected parts of even size. All arithmetic is in integers and every step is
/// independent of the order of threads, so that all backends find the same parts.

#include "core/parallel.hpp"
#include "graph/neighbours.hpp"

#include <vector>

namespace tessera::graph {

/// Target of a part: `n_members` vertices shared by `n_parts` parts, and the limits of the part's size in moves.
struct PartTarget {
  index_t n_members;
  index_t n_parts;
  index_t lowest;
  index_t highest;
};

/// Sizes within a fifth of the mean; none is empty.
KOKKOS_INLINE_FUNCTION PartTarget part_target(index_t n_members, index_t n_parts) {
  const auto lowest = static_cast<index_t>(4 * std::int64_t(n_members) / (5 * std::int64_t(n_parts)));
  const std::int64_t highest = (6 * std::int64_t(n_members) - 1) / (5 * std::int64_t(n_parts)) + 1;
  return {n_members, n_parts, lowest > 1 ? lowest : 1, highest < n_members ? static_cast<index_t>(highest) : n_members};
}

/// Bits of a point's coordinates.
inline constexpr int point_bits = 30;

/// Partition of a graph whose vertices are points.
template <int Dim, class MemorySpace> struct Partition {
  Neighbours<Dim + 1, MemorySpace> neighbours;
  Array<const index_t* [Dim], MemorySpace> points; ///< [n_vertices], from 0 to 2^point_bits - 1
  Array<const PartTarget*, MemorySpace> targets;   ///< [n_parts]
  Array<index_t*, MemorySpace> part;               ///< of each vertex, [n_vertices]
  Array<index_t*, MemorySpace> size;               ///< of each part, [n_parts]

  index_t n_vertices() const { return neighbours.n_vertices(); }
  index_t n_parts() const { return static_cast<index_t>(targets.extent(0)); }
};

/// Distributes `n_parts` among components in proportion to their sizes by the largest remainders, with at least one
/// part each; the sum exceeds n_parts only if there are more components. n_parts is at most the sum of the sizes.
std::vector<index_t> apportion_parts(const std::vector<index_t>& component_sizes, index_t n_parts);

/// Sets Parts::size, which the functions below keep up to date.
template <class ExecutionSpace, int Dim>
void count_sizes(const ExecutionSpace& exec, const Partition<Dim, typename ExecutionSpace::memory_space>& parts);

/// Rounds of k-means with weights that grow with the size of a part: a vertex at the edge of its part moves to the
/// neighbouring part with the smallest weighted squared distance from its centre. Parts may become disconnected.
template <class ExecutionSpace, int Dim>
void balance_parts(const ExecutionSpace& exec, const Partition<Dim, typename ExecutionSpace::memory_space>& parts,
                   int n_rounds);

/// Makes parts connected: the largest piece of a part stays, the other pieces move to the part with which they share
/// most edges. A connected component of the graph must be a union of parts.
template <class ExecutionSpace, int Dim>
void connect_parts(const ExecutionSpace& exec, const Partition<Dim, typename ExecutionSpace::memory_space>& parts);

/// Moves vertices with one neighbour in their part to a part where they have two, or to a smaller part: cuts no more
/// edges, and leaves connected parts connected.
template <class ExecutionSpace, int Dim>
void move_leaves(const ExecutionSpace& exec, const Partition<Dim, typename ExecutionSpace::memory_space>& parts,
                 int n_rounds);

} // namespace tessera::graph

#endif
