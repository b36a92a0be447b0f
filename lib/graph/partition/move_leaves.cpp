// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/keep_alive.hpp"
#include "graph/partition/part_moves.hpp"

namespace tessera::graph {

namespace {

/// A vertex with one neighbour in its part may leave the part if none of its neighbours moves as well.
template <int Dim, class Space> struct LeafMoves {
  Neighbours<Dim + 1, Space> neighbours;
  detail::PartMoves<Space> moves;
  Array<std::uint8_t*, Space> is_alone; // whether the vertex wants to move and none of its neighbours does

  struct Begin {};
  struct Wish {};
  struct Choose {};
  struct Move {};
  struct EndRound {};

  KOKKOS_FUNCTION void operator()(Begin, index_t p) const { moves.begin(p); }
  KOKKOS_FUNCTION void operator()(EndRound, index_t p) const { moves.end_round(p); }

  KOKKOS_FUNCTION void operator()(Wish, index_t v) const {
    const index_t own = moves.part(v);
    index_t near[Dim + 1];
    int n = 0;
    int n_owned = 0;
    for (int k = 0; k <= Dim; ++k) {
      const index_t other = neighbours.table(v, k);
      if (other < 0)
        continue;
      if (moves.part(other) == own)
        ++n_owned;
      else
        near[n++] = moves.part(other);
    }
    moves.wish(v) = -1;
    if (n_owned != 1)
      return;
    index_t best = -1;
    int most = 0;
    for (int i = 0; i < n; ++i) {
      int count = 0;
      for (int j = 0; j < n; ++j)
        count += near[j] == near[i] ? 1 : 0;
      const bool is_better =
          count > most || (count == most && (moves.size(near[i]) < moves.size(best) ||
                                             (moves.size(near[i]) == moves.size(best) && near[i] < best)));
      if (is_better) {
        most = count;
        best = near[i];
      }
    }
    if (most > 1 || (most == 1 && moves.size(own) > moves.size(best) + 1))
      moves.wish(v) = best;
  }

  KOKKOS_FUNCTION void operator()(Choose, index_t v) const {
    bool alone = moves.wish(v) >= 0;
    for (int k = 0; k <= Dim && alone; ++k) {
      const index_t other = neighbours.table(v, k);
      alone = other < 0 || moves.wish(other) < 0 || moves.rank(other) < moves.rank(v);
    }
    is_alone(v) = alone ? 1 : 0;
    if (alone)
      moves.announce(v);
  }

  KOKKOS_FUNCTION void operator()(Move, index_t v) const {
    if (is_alone(v) != 0 && moves.is_admitted(v))
      moves.move(v);
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
void move_leaves(const ExecutionSpace& exec, const Partition<Dim, typename ExecutionSpace::memory_space>& parts,
                 int n_rounds) {
  using Rounds = LeafMoves<Dim, typename ExecutionSpace::memory_space>;
  const index_t n = parts.n_vertices();
  Rounds rounds{parts.neighbours, {exec, parts}, {}};
  rounds.is_alone = make_array<decltype(rounds.is_alone)>(exec, "graph::lone_movers", n);
  for_each_tagged<typename Rounds::Begin>("tessera::graph::begin_leaf_moves", exec, parts.n_parts(), rounds);
  for (int round = 0; round < n_rounds; ++round) {
    rounds.moves.round = round;
    for_each_tagged<typename Rounds::Wish>("tessera::graph::find_leaves", exec, n, rounds);
    for_each_tagged<typename Rounds::Choose>("tessera::graph::choose_leaves", exec, n, rounds);
    for_each_tagged<typename Rounds::Move>("tessera::graph::move_leaves", exec, n, rounds);
    for_each_tagged<typename Rounds::EndRound>("tessera::graph::part_sizes", exec, parts.n_parts(), rounds);
  }
  keep_alive(exec, rounds);
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template void move_leaves(const Space&, const Partition<Dim, Space::memory_space>&, int);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::graph
