// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_GRAPH_PARTITION_PART_MOVES_HPP
#define TESSERA_GRAPH_PARTITION_PART_MOVES_HPP

/// \file
/// Moves of vertices between parts, for kernels: first all wishes of a round, then those moves that keep the sizes
/// within their limits.

#include "core/algorithms/mix_bits.hpp"
#include "core/tagged_loop.hpp"
#include "graph/partition/partition.hpp"

namespace tessera::graph::detail {

template <class Space> struct PartMoves {
  Array<index_t*, Space> part;
  Array<index_t*, Space> size;
  Array<const PartTarget*, Space> targets;
  Array<index_t*, Space> wish;                  // part, or -1 to stay
  Array<index_t* [2], Space> n_movers;          // by part: vertices that want to leave, to enter
  Array<std::uint64_t* [2], Space> first_mover; // by part: their highest rank
  Array<index_t*, Space> growth;                // of each part in this round
  index_t round = 0;

  template <class ExecutionSpace, int Dim>
  PartMoves(const ExecutionSpace& exec, const Partition<Dim, Space>& parts)
      : part(parts.part), size(parts.size), targets(parts.targets),
        wish(make_array<Array<index_t*, Space>>(exec, "graph::wishes", parts.n_vertices())),
        n_movers(make_array<Array<index_t* [2], Space>>(exec, "graph::n_movers", parts.n_parts())),
        first_mover(make_array<Array<std::uint64_t* [2], Space>>(exec, "graph::first_movers", parts.n_parts())),
        growth(make_array<Array<index_t*, Space>>(exec, "graph::growth", parts.n_parts())) {}

  /// Order of the vertices, which differs from round to round.
  KOKKOS_FUNCTION std::uint64_t rank(index_t v) const {
    const std::uint64_t seed = (static_cast<std::uint64_t>(round) << 32) | static_cast<std::uint64_t>(v);
    return (static_cast<std::uint64_t>(mix_bits(seed + 1)) & 0xffffffff00000000ull) | static_cast<std::uint64_t>(v);
  }

  KOKKOS_FUNCTION void announce(index_t v) const {
    const index_t sides[2] = {part(v), wish(v)};
    for (int side = 0; side < 2; ++side) {
      Kokkos::atomic_fetch_add(&n_movers(sides[side], side), index_t(1));
      Kokkos::atomic_fetch_max(&first_mover(sides[side], side), rank(v));
    }
  }

  /// Whether all vertices that want to leave or enter the part may do so, or else this vertex alone.
  KOKKOS_FUNCTION bool is_admitted(index_t v) const {
    const index_t from = part(v);
    const index_t to = wish(v);
    return (size(from) - n_movers(from, 0) >= targets(from).lowest ||
            (first_mover(from, 0) == rank(v) && size(from) > targets(from).lowest)) &&
           (size(to) + n_movers(to, 1) <= targets(to).highest ||
            (first_mover(to, 1) == rank(v) && size(to) < targets(to).highest));
  }

  KOKKOS_FUNCTION void move(index_t v) const {
    Kokkos::atomic_fetch_add(&growth(part(v)), index_t(-1));
    Kokkos::atomic_fetch_add(&growth(wish(v)), index_t(1));
    part(v) = wish(v);
  }

  KOKKOS_FUNCTION void begin(index_t p) const {
    growth(p) = 0;
    for (int side = 0; side < 2; ++side) {
      n_movers(p, side) = 0;
      first_mover(p, side) = 0;
    }
  }

  KOKKOS_FUNCTION void end_round(index_t p) const {
    size(p) += growth(p);
    begin(p);
  }
};

} // namespace tessera::graph::detail

#endif
