// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/multigrid/aggregation.hpp"

#include "core/keep_alive.hpp"
#include "core/mix_bits.hpp"
#include "core/scan.hpp"
#include "core/tagged_loop.hpp"

#include <algorithm>

namespace tessera::solvers {

namespace {

using Rank = std::uint64_t;

/// The strong neighbours of each vertex, listed once at the places of its row, from the first on: the rounds below do
/// not read values.
template <class Space> struct StrongGraph {
  linalg::CrsMatrix<Space> a;
  Array<const double*, Space> diagonal;
  double threshold;
  Array<offset_t*, Space> ends;   // of each vertex, beyond its last neighbour
  Array<index_t*, Space> columns; // [n_entries of a]

  /// visit(j, a_ij) for each strong neighbour j.
  template <class Visit> KOKKOS_FUNCTION void find(index_t i, const Visit& visit) const {
    for (offset_t k = a.offsets(i); k < a.offsets(i + 1); ++k) {
      const index_t j = a.columns(k);
      if (j != i && is_strong(a.values(k), diagonal(i), diagonal(j), threshold))
        visit(j, a.values(k));
    }
  }
  KOKKOS_FUNCTION void operator()(index_t i) const {
    offset_t place = a.offsets(i);
    find(i, [&](index_t j, double) { columns(place++) = j; });
    ends(i) = place;
  }
};

/// Rounds of a maximal independent set of distance 2. The rank of a vertex: its state, a hash, its number; in each
/// round an undecided vertex is taken if none of higher rank is within distance 2, and left out if a taken one is.
template <class Space> struct Independent {
  static constexpr Rank left_out = 0;
  static constexpr Rank undecided = 1;
  static constexpr Rank taken = 2;

  StrongGraph<Space> graph;
  index_t first;   // number of the first own vertex among all
  Rank lone_state; // of vertices without neighbours
  Array<Rank*, Space> rank;
  Array<Rank*, Space> highest; // at distance 1

  KOKKOS_FUNCTION static Rank state(Rank r) { return r >> 62; }
  KOKKOS_FUNCTION static Rank with_state(Rank r, Rank s) { return (r & ((Rank(1) << 62) - 1)) | (s << 62); }

  /// visit(j) for each strong neighbour j.
  template <class Visit> KOKKOS_FUNCTION void for_each_neighbour(index_t i, const Visit& visit) const {
    const offset_t end = graph.ends(i);
    for (offset_t k = graph.a.offsets(i); k < end; ++k)
      visit(graph.columns(k));
  }

  struct Begin {};
  struct Spread {};
  struct Decide {};
  struct DecideAndCount {};

  KOKKOS_FUNCTION void operator()(Begin, index_t i) const {
    const bool has_neighbour = graph.a.offsets(i) < graph.ends(i);
    const Rank number = static_cast<Rank>(first) + static_cast<Rank>(i);
    const Rank hash = mix_bits(number + 1) & ((Rank(1) << 30) - 1);
    Rank own_state = undecided;
    if (!has_neighbour)
      own_state = lone_state;
    rank(i) = with_state((hash << 32) | number, own_state);
  }
  KOKKOS_FUNCTION void operator()(Spread, index_t i) const {
    if (state(highest(i)) == taken) // and stays so
      return;
    Rank most = rank(i);
    for_each_neighbour(i, [&](index_t j) { most = rank(j) > most ? rank(j) : most; });
    highest(i) = most;
  }
  KOKKOS_FUNCTION void operator()(Decide, index_t i) const { decide(i); }
  KOKKOS_FUNCTION void operator()(DecideAndCount, index_t i, index_t& n_undecided) const {
    n_undecided += decide(i) ? 0 : 1;
  }

private:
  /// False: the vertex stays undecided.
  KOKKOS_FUNCTION bool decide(index_t i) const {
    const Rank own = rank(i);
    if (state(own) != undecided)
      return true;
    Rank most = highest(i);
    for_each_neighbour(i, [&](index_t j) { most = highest(j) > most ? highest(j) : most; });
    if (most == own)
      rank(i) = with_state(own, taken);
    else if (state(most) == taken)
      rank(i) = with_state(own, left_out);
    else
      return false;
    return true;
  }
};

/// Of a level of few vertices a device makes so many rounds before the host looks whether any is undecided: those that
/// are too many change nothing, and cost less than a look.
constexpr index_t few_vertices = 300000;
constexpr int rounds_of_few = 4;

template <class Space> struct Join {
  Independent<Space> set;
  Array<index_t*, Space> number; // of the aggregates, by root
  index_t first;                 // number of the first own aggregate
  Array<index_t*, Space> next_to_root;
  Array<index_t*, Space> aggregate_of;

  struct Mark {};
  struct Shift {};
  struct Near {};
  struct Far {};

  KOKKOS_FUNCTION bool is_root(index_t i) const {
    return Independent<Space>::state(set.rank(i)) == Independent<Space>::taken;
  }
  KOKKOS_FUNCTION void operator()(Mark, index_t i) const { number(i) = is_root(i) ? 1 : 0; }
  KOKKOS_FUNCTION void operator()(Shift, index_t i) const { number(i) += first; }
  KOKKOS_FUNCTION void operator()(Near, index_t i) const {
    index_t found = is_root(i) ? number(i) : -1;
    // No two roots of a symmetric graph have a neighbour in common. Where couplings go one way, as with a velocity, a
    // root may be a neighbour of another one; it keeps its aggregate.
    if (!is_root(i))
      set.for_each_neighbour(i, [&](index_t j) {
        if (is_root(j))
          found = number(j);
      });
    next_to_root(i) = found;
  }
  KOKKOS_FUNCTION void operator()(Far, index_t i) const {
    index_t found = next_to_root(i);
    if (found < 0) {
      double strongest = 0.;
      set.graph.find(i, [&](index_t j, double a_ij) {
        const double strength = a_ij * a_ij / set.graph.diagonal(j);
        if (next_to_root(j) >= 0 && strength > strongest) {
          strongest = strength;
          found = next_to_root(j);
        }
      });
    }
    aggregate_of(i) = found;
  }
};

} // namespace

template <class ExecutionSpace>
Aggregates<typename ExecutionSpace::memory_space>
make_aggregates(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
                const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
                const linalg::OwnAndGhosts<ExecutionSpace>& columns,
                const linalg::ConstVector<ExecutionSpace>& diagonal, double threshold, LoneVertices lone) {
  using Space = typename ExecutionSpace::memory_space;
  using Set = Independent<Space>;
  using Joining = Join<Space>;
  const index_t n = a.n_rows();
  const index_t n_columns = columns.size();
  Joining join;
  Set& set = join.set;
  StrongGraph<Space> graph{a, diagonal, threshold, {}, {}};
  graph.ends = make_array<Array<offset_t*, Space>>(exec, "solvers::strong_ends", n);
  graph.columns = make_array<Array<index_t*, Space>>(exec, "solvers::strong_columns", a.n_entries());
  for_each("tessera::solvers::list_strong", exec, n, graph);
  set.graph = graph;
  set.first = columns.first;
  set.lone_state = lone == LoneVertices::alone ? Set::taken : Set::left_out;
  set.rank = make_array<Array<Rank*, Space>>(exec, "solvers::aggregate_ranks", n_columns);
  set.highest = make_filled<Array<Rank*, Space>>(exec, "solvers::aggregate_neighbours", n_columns, Set::left_out);
  for_each_tagged<typename Set::Begin>("tessera::solvers::begin_aggregates", exec, n, set);
  const bool has_few = !is_host_space<ExecutionSpace> && group.is_alone() && n <= few_vertices;
  for (double n_left = 1.; n_left > 0.;) { // the highest rank of all is decided in each round
    for (int round = 1; has_few && round < rounds_of_few; ++round) {
      for_each_tagged<typename Set::Spread>("tessera::solvers::spread_ranks", exec, n, set);
      for_each_tagged<typename Set::Decide>("tessera::solvers::decide_roots", exec, n, set);
    }
    index_t n_undecided = 0;
    columns.update(exec, set.rank);
    for_each_tagged<typename Set::Spread>("tessera::solvers::spread_ranks", exec, n, set);
    columns.update(exec, set.highest);
    Kokkos::parallel_reduce(
        "tessera::solvers::decide_roots",
        Kokkos::RangePolicy<ExecutionSpace, typename Set::DecideAndCount, Kokkos::IndexType<index_t>>(exec, 0, n), set,
        n_undecided); // waits
    n_left = group.is_alone() ? n_undecided : group.world->largest(static_cast<double>(n_undecided));
  }
  columns.update(exec, set.rank);
  join.number = make_array<Array<index_t*, Space>>(exec, "solvers::aggregate_numbers", std::max(n + 1, n_columns));
  join.next_to_root = make_array<Array<index_t*, Space>>(exec, "solvers::near_aggregates", n_columns);
  join.aggregate_of = make_array<Array<index_t*, Space>>(exec, "solvers::aggregates", n_columns);
  for_each_tagged<typename Joining::Mark>("tessera::solvers::mark_roots", exec, n, join);
  const std::int64_t n_own = counts_to_offsets(exec, join.number, n, "aggregates");
  Aggregates<Space> result;
  result.offsets = {0};
  for (const std::int64_t n_of_process :
       group.is_alone() ? std::vector<std::int64_t>{n_own} : group.world->all_gather(n_own))
    result.offsets.push_back(result.offsets.back() + n_of_process);
  if (!group.is_alone()) {
    join.first = static_cast<index_t>(result.offsets[static_cast<std::size_t>(group.world->rank())]);
    for_each_tagged<typename Joining::Shift>("tessera::solvers::number_aggregates", exec, n, join);
    columns.update(exec, join.number);
  }
  for_each_tagged<typename Joining::Near>("tessera::solvers::join_roots", exec, n, join);
  columns.update(exec, join.next_to_root);
  for_each_tagged<typename Joining::Far>("tessera::solvers::join_aggregates", exec, n, join);
  columns.update(exec, join.aggregate_of);
  result.aggregate_of = join.aggregate_of;
  keep_alive(exec, join);
  return result;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template Aggregates<Space::memory_space> make_aggregates(                                                            \
      const Space&, const comm::Group<Space>&, const linalg::CrsMatrix<Space::memory_space>&,                          \
      const linalg::OwnAndGhosts<Space>&, const linalg::ConstVector<Space>&, double, LoneVertices);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
