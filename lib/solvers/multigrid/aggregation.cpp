// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/multigrid/aggregation.hpp"

#include "core/keep_alive.hpp"
#include "core/kokkos_ext/lanes.hpp"
#include "core/list_marked.hpp"
#include "core/mix_bits.hpp"
#include "core/scan.hpp"
#include "core/tagged_loop.hpp"
#include "linalg/pattern/lane_accumulator.hpp"

#include <algorithm>

namespace tessera::solvers {

namespace {

using Rank = std::uint64_t;

/// The strong neighbours of each vertex, listed once at the places of its row, from the first on: the rounds below do
/// not read values.
template <int Lanes, class Space> struct StrongGraph {
  linalg::CrsMatrix<Space> a;
  Array<const double*, Space> diagonal;
  double threshold;
  Array<offset_t*, Space> ends;   // of each vertex, beyond its last neighbour
  Array<index_t*, Space> columns; // [n_entries of a]

  KOKKOS_FUNCTION bool is_strong_entry(index_t i, offset_t k) const {
    const index_t j = a.columns(k);
    return j != i && is_strong(a.values(k), diagonal(i), diagonal(j), threshold);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    if (!exists)
      return;
    const auto i = static_cast<index_t>(item);
    const offset_t end = a.offsets(i + 1);
    offset_t place = a.offsets(i);
    for (offset_t first = place; first < end; first += Lanes) {
      const bool is_listed = first + lane < end && is_strong_entry(i, first + lane);
      const unsigned listed = bits_of_lanes<Lanes>(is_listed);
      if (is_listed)
        columns(place + count_bits(listed & ((1u << lane) - 1u))) = a.columns(first + lane);
      place += count_bits(listed);
    }
    if (lane == 0)
      ends(i) = place;
  }
};

/// Rounds of a maximal independent set of distance 2. The rank of a vertex: its state, a hash, its number; in each
/// round an undecided vertex is taken if none of higher rank is within distance 2, and left out if a taken one is.
template <int Lanes, class Space> struct Independent {
  static constexpr Rank left_out = 0;
  static constexpr Rank undecided = 1;
  static constexpr Rank taken = 2;

  StrongGraph<Lanes, Space> graph;
  index_t first;   // number of the first own vertex among all
  Rank lone_state; // of vertices without neighbours
  Array<Rank*, Space> rank;
  Array<Rank*, Space> highest; // at distance 1
  // Vertices with an undecided one at distance 1, and undecided ones; without lists all are looked at.
  Array<index_t*, Space> near_undecided;
  Array<index_t*, Space> undecided_ones;

  KOKKOS_FUNCTION static Rank state(Rank r) { return r >> 62; }
  KOKKOS_FUNCTION static Rank with_state(Rank r, Rank s) { return (r & ((Rank(1) << 62) - 1)) | (s << 62); }

  struct Begin {};
  struct CountUndecided {};

  KOKKOS_FUNCTION void operator()(Begin, index_t i) const {
    const bool has_neighbour = graph.a.offsets(i) < graph.ends(i);
    const Rank number = static_cast<Rank>(first) + static_cast<Rank>(i);
    const Rank hash = mix_bits(number + 1) & ((Rank(1) << 30) - 1);
    Rank own_state = undecided;
    if (!has_neighbour)
      own_state = lone_state;
    rank(i) = with_state((hash << 32) | number, own_state);
  }
  KOKKOS_FUNCTION void operator()(CountUndecided, index_t item, index_t& n) const {
    n += state(rank(listed(undecided_ones, item))) == undecided ? 1 : 0;
  }
  KOKKOS_FUNCTION static index_t listed(const Array<index_t*, Space>& list, std::int64_t item) {
    return list.extent(0) > 0 ? list(item) : static_cast<index_t>(item);
  }
  /// The highest of `ranks` of vertex i and its strong neighbours.
  KOKKOS_FUNCTION Rank highest_of(const Array<Rank*, Space>& ranks, index_t i, int lane) const {
    Rank most = lane == 0 ? ranks(i) : 0;
    const offset_t end = graph.ends(i);
    for (offset_t k = graph.a.offsets(i) + lane; k < end; k += Lanes) {
      const Rank other = ranks(graph.columns(k));
      most = other > most ? other : most;
    }
    return largest_of_lanes<Lanes>(most);
  }
};

template <int Lanes, class Space> struct SpreadRanks : Independent<Lanes, Space> {
  explicit SpreadRanks(const Independent<Lanes, Space>& set) : Independent<Lanes, Space>(set) {}
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    if (!exists)
      return;
    const index_t i = this->listed(this->near_undecided, item);
    if (this->state(this->highest(i)) == this->taken) // and stays so
      return;
    const Rank most = this->highest_of(this->rank, i, lane);
    if (lane == 0)
      this->highest(i) = most;
  }
};

template <int Lanes, class Space> struct DecideRoots : Independent<Lanes, Space> {
  explicit DecideRoots(const Independent<Lanes, Space>& set) : Independent<Lanes, Space>(set) {}
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    if (!exists)
      return;
    const index_t i = this->listed(this->undecided_ones, item);
    const Rank own = this->rank(i);
    if (this->state(own) != this->undecided)
      return;
    const Rank most = this->highest_of(this->highest, i, lane);
    if (lane != 0)
      return;
    if (most == own)
      this->rank(i) = this->with_state(own, this->taken);
    else if (this->state(most) == this->taken)
      this->rank(i) = this->with_state(own, this->left_out);
  }
};

/// Marks vertices whose rank, or highest rank at distance 1, is undecided.
template <class Space> struct MarkUndecided {
  Array<const Rank*, Space> ranks;
  Array<index_t*, Space> marks;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    using Set = Independent<1, Space>;
    marks(i) = Set::state(ranks(i)) == Set::undecided ? 1 : 0;
  }
};

/// Of a level of few vertices a device makes so many rounds before the host looks whether any is undecided: those that
/// are too many change nothing, and cost less than a look.
constexpr index_t few_vertices = 300000;
constexpr int rounds_of_few = 4;

template <int Lanes, class Space> struct Join {
  Independent<Lanes, Space> set;
  Array<index_t*, Space> number; // of the aggregates, by root
  index_t first;                 // number of the first own aggregate
  Array<index_t*, Space> next_to_root;
  Array<index_t*, Space> aggregate_of;

  struct Mark {};
  struct Shift {};

  KOKKOS_FUNCTION bool is_root(index_t i) const { return set.state(set.rank(i)) == set.taken; }
  KOKKOS_FUNCTION void operator()(Mark, index_t i) const { number(i) = is_root(i) ? 1 : 0; }
  KOKKOS_FUNCTION void operator()(Shift, index_t i) const { number(i) += first; }
};

template <int Lanes, class Space> struct JoinRoots : Join<Lanes, Space> {
  explicit JoinRoots(const Join<Lanes, Space>& join) : Join<Lanes, Space>(join) {}
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    if (!exists)
      return;
    const auto i = static_cast<index_t>(item);
    const auto& graph = this->set.graph;
    const bool is_root = this->is_root(i);
    // No two roots of a symmetric graph have a neighbour in common. Where couplings go one way, as with a velocity, a
    // root may be a neighbour of another one; it keeps its aggregate, and others join the last root of their row.
    offset_t last = -1;
    const offset_t end = graph.ends(i);
    for (offset_t k = graph.a.offsets(i) + lane; k < end && !is_root; k += Lanes)
      if (Join<Lanes, Space>::is_root(graph.columns(k)))
        last = k;
    last = largest_of_lanes<Lanes>(last);
    if (lane == 0)
      this->next_to_root(i) = is_root ? this->number(i) : last >= 0 ? this->number(graph.columns(last)) : -1;
  }
};

template <int Lanes, class Space> struct JoinAggregates : Join<Lanes, Space> {
  explicit JoinAggregates(const Join<Lanes, Space>& join) : Join<Lanes, Space>(join) {}
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    if (!exists)
      return;
    const auto i = static_cast<index_t>(item);
    const auto& graph = this->set.graph;
    const index_t near = this->next_to_root(i);
    if (near >= 0) {
      if (lane == 0)
        this->aggregate_of(i) = near;
      return;
    }
    // The strongest neighbour with an aggregate, the first one of these in the row.
    double strongest = 0.;
    offset_t at = -1;
    const offset_t end = graph.a.offsets(i + 1);
    for (offset_t k = graph.a.offsets(i) + lane; k < end; k += Lanes)
      if (graph.is_strong_entry(i, k)) {
        const index_t j = graph.a.columns(k);
        const double a_ij = graph.a.values(k);
        const double strength = a_ij * a_ij / graph.diagonal(j);
        if (this->next_to_root(j) >= 0 && strength > strongest) {
          strongest = strength;
          at = k;
        }
      }
    const double most = largest_of_lanes<Lanes>(strongest);
    const offset_t not_before = at >= 0 && strongest == most ? -at : -end;
    at = -largest_of_lanes<Lanes>(not_before);
    if (lane == 0)
      this->aggregate_of(i) = at < end ? this->next_to_root(graph.a.columns(at)) : near;
  }
};

/// By so many threads for each vertex.
template <int Lanes, class ExecutionSpace>
Aggregates<typename ExecutionSpace::memory_space>
aggregate_by_lanes(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
                   const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
                   const linalg::OwnAndGhosts<ExecutionSpace>& columns,
                   const linalg::ConstVector<ExecutionSpace>& diagonal, double threshold, LoneVertices lone) {
  using Space = typename ExecutionSpace::memory_space;
  using Set = Independent<Lanes, Space>;
  using Joining = Join<Lanes, Space>;
  const index_t n = a.n_rows();
  const index_t n_columns = columns.size();
  Joining join;
  Set& set = join.set;
  StrongGraph<Lanes, Space> graph{a, diagonal, threshold, {}, {}};
  graph.ends = make_array<Array<offset_t*, Space>>(exec, "solvers::strong_ends", n);
  graph.columns = make_array<Array<index_t*, Space>>(exec, "solvers::strong_columns", a.n_entries());
  for_each_lane<Lanes>("tessera::solvers::list_strong", exec, n, graph);
  set.graph = graph;
  set.first = columns.first;
  set.lone_state = lone == LoneVertices::alone ? Set::taken : Set::left_out;
  set.rank = make_array<Array<Rank*, Space>>(exec, "solvers::aggregate_ranks", n_columns);
  set.highest = make_filled<Array<Rank*, Space>>(exec, "solvers::aggregate_neighbours", n_columns, Set::left_out);
  for_each_tagged<typename Set::Begin>("tessera::solvers::begin_aggregates", exec, n, set);
  const bool has_few = !is_host_space<ExecutionSpace> && group.is_alone() && n <= few_vertices;
  join.number = make_array<Array<index_t*, Space>>(exec, "solvers::aggregate_numbers", std::max(n + 1, n_columns));
  const auto n_of = [&](const Array<index_t*, Space>& list) {
    return list.extent(0) > 0 ? static_cast<index_t>(list.extent(0)) : n;
  };
  const auto spread = [&] {
    for_each_lane<Lanes>("tessera::solvers::spread_ranks", exec, n_of(set.near_undecided),
                         SpreadRanks<Lanes, Space>(set));
  };
  const auto decide = [&] {
    for_each_lane<Lanes>("tessera::solvers::decide_roots", exec, n_of(set.undecided_ones),
                         DecideRoots<Lanes, Space>(set));
  };
  const auto list_undecided = [&](const Array<Rank*, Space>& ranks, const char* label) {
    for_each("tessera::solvers::mark_undecided", exec, n, MarkUndecided<Space>{ranks, join.number});
    const std::int64_t n_listed = counts_to_offsets(exec, join.number, n, "vertices");
    return list_marked<ExecutionSpace>(exec, label, join.number, n, n_listed);
  };
  for (double n_left = 1.; n_left > 0.;) { // the highest rank of all is decided in each round
    for (int round = 1; has_few && round < rounds_of_few; ++round) {
      spread();
      decide();
    }
    index_t n_undecided = 0;
    columns.update(exec, set.rank);
    spread();
    columns.update(exec, set.highest);
    decide();
    Kokkos::parallel_reduce(
        "tessera::solvers::count_undecided",
        Kokkos::RangePolicy<ExecutionSpace, typename Set::CountUndecided, Kokkos::IndexType<index_t>>(
            exec, 0, n_of(set.undecided_ones)),
        set, n_undecided); // waits
    // A third of the rounds decides nearly all. On devices a list costs two waits.
    const bool may_list = is_host_space<ExecutionSpace> || n > few_vertices;
    if (may_list && n_undecided > 0 && n_undecided < n_of(set.undecided_ones) / 2) {
      set.near_undecided = list_undecided(set.highest, "solvers::near_undecided");
      set.undecided_ones = list_undecided(set.rank, "solvers::undecided_ones");
    }
    n_left = group.is_alone() ? n_undecided : group.world->largest(static_cast<double>(n_undecided));
  }
  columns.update(exec, set.rank);
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
  for_each_lane<Lanes>("tessera::solvers::join_roots", exec, n, JoinRoots<Lanes, Space>(join));
  columns.update(exec, join.next_to_root);
  for_each_lane<Lanes>("tessera::solvers::join_aggregates", exec, n, JoinAggregates<Lanes, Space>(join));
  columns.update(exec, join.aggregate_of);
  result.aggregate_of = join.aggregate_of;
  keep_alive(exec, join);
  return result;
}

} // namespace

template <class ExecutionSpace>
Aggregates<typename ExecutionSpace::memory_space>
make_aggregates(const ExecutionSpace& exec, const comm::Group<ExecutionSpace>& group,
                const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
                const linalg::OwnAndGhosts<ExecutionSpace>& columns,
                const linalg::ConstVector<ExecutionSpace>& diagonal, double threshold, LoneVertices lone) {
  return linalg::by_length_of_rows(
      a, [&](auto lanes) { return aggregate_by_lanes<lanes>(exec, group, a, columns, diagonal, threshold, lone); });
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template Aggregates<Space::memory_space> make_aggregates(                                                            \
      const Space&, const comm::Group<Space>&, const linalg::CrsMatrix<Space::memory_space>&,                          \
      const linalg::OwnAndGhosts<Space>&, const linalg::ConstVector<Space>&, double, LoneVertices);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
