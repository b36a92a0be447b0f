// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/algorithms/scan.hpp"
#include "core/algorithms/sort.hpp"
#include "core/keep_alive.hpp"
#include "core/tagged_loop.hpp"
#include "graph/components.hpp"
#include "graph/partition/partition.hpp"

namespace tessera::graph {

namespace {

/// A count and a number as one word: the largest is the highest count and, among equals, the smallest number.
using Score = std::uint64_t;
KOKKOS_INLINE_FUNCTION Score score_of(index_t count, index_t number) {
  return (static_cast<Score>(count) << 32) | (0xffffffffull - static_cast<Score>(number));
}
KOKKOS_INLINE_FUNCTION index_t number_of(Score score) {
  return static_cast<index_t>(0xffffffffull - (score & 0xffffffffull));
}

/// Finds the largest connected piece of each part, and the parts that the others join. A piece is identified by its
/// root, its smallest vertex.
template <int Dim, class Space> struct Pieces {
  static constexpr index_t chunk = 32; // vertices per atomic operation; mostly in one piece

  Neighbours<Dim + 1, Space> neighbours;
  index_t n;
  Array<index_t*, Space> part;
  Array<index_t*, Space> parents;
  Array<index_t*, Space> root;
  Array<index_t*, Space> size;      // by root
  Array<Score*, Space> largest;     // by part: its largest piece
  Array<Score*, Space> most;        // by root: the part that shares most edges with a loose piece
  Array<index_t*, Space> positions; // by vertex: start of its keys
  int part_bits;
  Array<std::uint64_t*, Space> keys; // (root, part) of each edge from a loose piece to one that stays
  std::int64_t n_keys = 0;

  struct Size {};
  struct Largest {};
  struct Count {};
  struct Fill {};
  struct Most {};
  struct Join {};

  KOKKOS_FUNCTION void operator()(Size, index_t block) const {
    const index_t begin = block * chunk;
    const index_t end = n - begin < chunk ? n : begin + chunk;
    index_t first = begin;
    for (index_t v = begin; v < end; ++v)
      if (v + 1 == end || root(v + 1) != root(v)) {
        Kokkos::atomic_fetch_add(&size(root(v)), v + 1 - first);
        first = v + 1;
      }
  }
  KOKKOS_FUNCTION void operator()(Largest, index_t v) const {
    if (root(v) == v)
      Kokkos::atomic_fetch_max(&largest(part(v)), score_of(size(v), v));
  }

  KOKKOS_FUNCTION bool is_loose(index_t v) const { return number_of(largest(part(v))) != root(v); }
  template <class Visit> KOKKOS_FUNCTION void for_each_edge(index_t v, const Visit& visit) const {
    if (!is_loose(v))
      return;
    for (int k = 0; k <= Dim; ++k) {
      const index_t other = neighbours.table(v, k);
      if (other >= 0 && part(other) != part(v) && !is_loose(other))
        visit(part(other));
    }
  }
  KOKKOS_FUNCTION void operator()(Count, index_t v) const {
    index_t count = 0;
    for_each_edge(v, [&](index_t) { ++count; });
    positions(v) = count;
  }
  KOKKOS_FUNCTION void operator()(Fill, index_t v) const {
    index_t at = positions(v);
    for_each_edge(v, [&](index_t other) {
      keys(at++) = (static_cast<std::uint64_t>(root(v)) << part_bits) | static_cast<std::uint64_t>(other);
    });
  }
  KOKKOS_FUNCTION void operator()(Most, index_t i) const {
    if (i > 0 && keys(i - 1) == keys(i))
      return;
    index_t end = i + 1;
    while (end < n_keys && keys(end) == keys(i))
      ++end;
    Kokkos::atomic_fetch_max(&most(keys(i) >> part_bits),
                             score_of(end - i, static_cast<index_t>(keys(i) & ((std::uint64_t(1) << part_bits) - 1))));
  }
  KOKKOS_FUNCTION void operator()(Join, index_t v) const {
    if (most(root(v)) > 0)
      part(v) = number_of(most(root(v)));
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
void connect_parts(const ExecutionSpace& exec, const Partition<Dim, typename ExecutionSpace::memory_space>& parts) {
  using Space = typename ExecutionSpace::memory_space;
  using Work = Pieces<Dim, Space>;
  const index_t n = parts.n_vertices();
  Work work;
  work.neighbours = parts.neighbours;
  work.n = n;
  work.part = parts.part;
  work.part_bits = bits_for(parts.n_parts());
  work.parents = make_array<Array<index_t*, Space>>(exec, "graph::parents", n);
  work.root = make_array<Array<index_t*, Space>>(exec, "graph::roots", n);
  work.size = make_array<Array<index_t*, Space>>(exec, "graph::piece_sizes", n);
  work.largest = make_array<Array<Score*, Space>>(exec, "graph::largest_pieces", parts.n_parts());
  work.most = make_array<Array<Score*, Space>>(exec, "graph::most_edges", n);
  work.positions = make_array<Array<index_t*, Space>>(exec, "graph::loose_edges", n + 1);
  for (;;) { // pieces not adjacent to a staying one wait for the next round; at least one joins per round
    find_components(exec, parts.neighbours, Array<const index_t*, ExecutionSpace>(work.part), work.parents, work.root);
    fill(exec, work.size, 0);
    fill(exec, work.largest, 0);
    for_each_tagged<typename Work::Size>("tessera::graph::piece_sizes", exec, (n + Work::chunk - 1) / Work::chunk,
                                         work);
    for_each_tagged<typename Work::Largest>("tessera::graph::largest_pieces", exec, n, work);
    for_each_tagged<typename Work::Count>("tessera::graph::count_loose_edges", exec, n, work);
    work.n_keys = counts_to_offsets(exec, work.positions, n, "edges of loose pieces");
    if (work.n_keys == 0)
      break;
    if (static_cast<std::int64_t>(work.keys.extent(0)) < work.n_keys)
      work.keys = make_array<Array<std::uint64_t*, Space>>(exec, "graph::loose_keys", work.n_keys);
    for_each_tagged<typename Work::Fill>("tessera::graph::list_loose_edges", exec, n, work);
    sort_keys(exec, work.keys, work.n_keys, work.part_bits + bits_for(n));
    fill(exec, work.most, 0);
    for_each_tagged<typename Work::Most>("tessera::graph::most_edges", exec, work.n_keys, work);
    for_each_tagged<typename Work::Join>("tessera::graph::join_pieces", exec, n, work);
  }
  count_sizes(exec, parts);
  keep_alive(exec, work);
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template void connect_parts(const Space&, const Partition<Dim, Space::memory_space>&);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::graph
