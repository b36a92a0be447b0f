// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/keep_alive.hpp"
#include "graph/partition/part_moves.hpp"

namespace tessera::graph {

namespace {

// Weights of distances, in fixed point: from a quarter to four.
constexpr std::int64_t unit_weight = 1 << 12;
constexpr std::int64_t lowest_weight = unit_weight / 4;
constexpr std::int64_t highest_weight = 4 * unit_weight - 1;
// Bits of a distance in one direction: three weighted squares fit 64 bits.
constexpr int distance_bits = 24;

// Neighbouring vertices are mostly in one part: a thread sums several before it adds to the part's sums.
constexpr index_t chunk = 32;

/// Adds up the vertices of each part.
template <int Dim, class Space> struct SumPoints {
  Partition<Dim, Space> parts;
  index_t n;
  Array<std::uint64_t* [Dim], Space> sum; // of coordinates; none: sizes only

  KOKKOS_FUNCTION void add(index_t part, index_t count, const std::uint64_t (&point)[Dim]) const {
    Kokkos::atomic_fetch_add(&parts.size(part), count);
    if (sum.extent(0) > 0)
      for (int d = 0; d < Dim; ++d)
        Kokkos::atomic_fetch_add(&sum(part, d), point[d]);
  }
  KOKKOS_FUNCTION void operator()(index_t block) const {
    const index_t begin = block * chunk;
    const index_t end = n - begin < chunk ? n : begin + chunk;
    std::uint64_t point[Dim] = {};
    index_t count = 0;
    for (index_t v = begin; v < end; ++v) {
      ++count;
      for (int d = 0; d < Dim; ++d)
        point[d] += static_cast<std::uint64_t>(parts.points(v, d));
      if (v + 1 < end && parts.part(v + 1) == parts.part(v))
        continue;
      add(parts.part(v), count, point);
      count = 0;
      for (int d = 0; d < Dim; ++d)
        point[d] = 0;
    }
  }
};

template <int Dim, class Space> struct KMeans {
  struct alignas(16) Centre {
    index_t x[Dim];
    index_t weight;
  };
  Partition<Dim, Space> parts;
  detail::PartMoves<Space> moves;
  Array<std::uint64_t* [Dim], Space> sum;
  Array<Centre*, Space> centre;

  struct Begin {};
  struct Wish {};
  struct Move {};
  struct EndRound {};

  KOKKOS_FUNCTION void set_centre(index_t p, std::int64_t weight) const {
    Centre of_part;
    for (int d = 0; d < Dim; ++d)
      of_part.x[d] = static_cast<index_t>(sum(p, d) / static_cast<std::uint64_t>(parts.size(p)));
    of_part.weight = static_cast<index_t>(weight);
    centre(p) = of_part;
  }
  KOKKOS_FUNCTION void operator()(Begin, index_t p) const {
    moves.begin(p);
    set_centre(p, unit_weight);
  }
  KOKKOS_FUNCTION void operator()(EndRound, index_t p) const {
    moves.end_round(p);
    // A fifth of the excess over the target, rounded.
    const PartTarget target = parts.targets(p);
    const std::int64_t whole = 5 * static_cast<std::int64_t>(target.n_members);
    const std::int64_t factor =
        4 * static_cast<std::int64_t>(target.n_members) + static_cast<std::int64_t>(parts.size(p)) * target.n_parts;
    const std::int64_t grown = (centre(p).weight * factor + whole / 2) / whole;
    set_centre(p, grown < lowest_weight ? lowest_weight : (grown > highest_weight ? highest_weight : grown));
  }

  KOKKOS_FUNCTION void operator()(Wish, index_t v) const {
    const index_t own = parts.part(v);
    // Padded with the vertex's part: loops of fixed length keep everything in registers.
    index_t near[Dim + 2];
    bool is_inside = true;
    TESSERA_UNROLL
    for (int k = 0; k <= Dim; ++k) {
      const index_t other = parts.neighbours.table(v, k);
      near[k] = other < 0 ? own : parts.part(other);
      is_inside = is_inside && near[k] == own;
    }
    near[Dim + 1] = own;
    moves.wish(v) = -1;
    if (is_inside)
      return;
    Centre of_part[Dim + 2];
    TESSERA_UNROLL
    for (int i = 0; i < Dim + 2; ++i)
      of_part[i] = centre(near[i]);
    std::int64_t offset[Dim + 2][Dim];
    std::int64_t largest = 0;
    TESSERA_UNROLL
    for (int i = 0; i < Dim + 2; ++i)
      for (int d = 0; d < Dim; ++d) {
        const std::int64_t difference = static_cast<std::int64_t>(parts.points(v, d)) - of_part[i].x[d];
        offset[i][d] = difference < 0 ? -difference : difference;
        largest = offset[i][d] > largest ? offset[i][d] : largest;
      }
    int shift = 0; // drops the same low bits of all coordinates
    while ((largest >> (distance_bits + shift)) > 0)
      ++shift;
    index_t best = own;
    std::uint64_t lowest = ~std::uint64_t(0);
    TESSERA_UNROLL
    for (int i = 0; i < Dim + 2; ++i) {
      std::uint64_t square = 0;
      for (int d = 0; d < Dim; ++d) {
        const auto length = static_cast<std::uint64_t>(offset[i][d] >> shift);
        square += length * length;
      }
      const std::uint64_t cost = square * static_cast<std::uint64_t>(of_part[i].weight);
      if (cost < lowest || (cost == lowest && near[i] < best)) {
        lowest = cost;
        best = near[i];
      }
    }
    if (best == own)
      return;
    moves.wish(v) = best;
    moves.announce(v);
  }

  KOKKOS_FUNCTION void operator()(Move, index_t v) const {
    if (moves.wish(v) < 0 || !moves.is_admitted(v))
      return;
    for (int d = 0; d < Dim; ++d) {
      const auto x = static_cast<std::uint64_t>(parts.points(v, d));
      Kokkos::atomic_fetch_add(&sum(moves.part(v), d), std::uint64_t(0) - x);
      Kokkos::atomic_fetch_add(&sum(moves.wish(v), d), x);
    }
    moves.move(v);
  }
};

template <class ExecutionSpace, int Dim>
void sum_points(const ExecutionSpace& exec, const Partition<Dim, typename ExecutionSpace::memory_space>& parts,
                const Array<std::uint64_t* [Dim], ExecutionSpace>& sum) {
  using Space = typename ExecutionSpace::memory_space;
  fill(exec, parts.size, 0);
  for_each("tessera::graph::sum_points", exec, (parts.n_vertices() + chunk - 1) / chunk,
           SumPoints<Dim, Space>{parts, parts.n_vertices(), sum});
}

} // namespace

template <class ExecutionSpace, int Dim>
void count_sizes(const ExecutionSpace& exec, const Partition<Dim, typename ExecutionSpace::memory_space>& parts) {
  sum_points<ExecutionSpace, Dim>(exec, parts, {});
}

template <class ExecutionSpace, int Dim>
void balance_parts(const ExecutionSpace& exec, const Partition<Dim, typename ExecutionSpace::memory_space>& parts,
                   int n_rounds) {
  using Space = typename ExecutionSpace::memory_space;
  using Rounds = KMeans<Dim, Space>;
  const index_t n_parts = parts.n_parts();
  Rounds rounds{parts, {exec, parts}, {}, {}};
  rounds.sum = make_array<decltype(rounds.sum)>(exec, "graph::part_sums", n_parts);
  rounds.centre = make_array<decltype(rounds.centre)>(exec, "graph::part_centres", n_parts);
  fill(exec, rounds.sum, 0);
  sum_points<ExecutionSpace, Dim>(exec, parts, rounds.sum);
  for_each_tagged<typename Rounds::Begin>("tessera::graph::begin_k_means", exec, n_parts, rounds);
  for (int round = 0; round < n_rounds; ++round) {
    rounds.moves.round = round;
    for_each_tagged<typename Rounds::Wish>("tessera::graph::nearest_parts", exec, parts.n_vertices(), rounds);
    for_each_tagged<typename Rounds::Move>("tessera::graph::move_to_nearest", exec, parts.n_vertices(), rounds);
    for_each_tagged<typename Rounds::EndRound>("tessera::graph::part_centres", exec, n_parts, rounds);
  }
  keep_alive(exec, rounds);
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template void count_sizes(const Space&, const Partition<Dim, Space::memory_space>&);                                 \
  template void balance_parts(const Space&, const Partition<Dim, Space::memory_space>&, int);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::graph
