// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/multigrid/aggregation.hpp"

#include "core/algorithms/list_marked.hpp"
#include "core/algorithms/mix_bits.hpp"
#include "core/algorithms/queued_scans.hpp"
#include "core/algorithms/scan.hpp"
#include "core/keep_alive.hpp"
#include "core/kokkos_ext/lanes.hpp"
#include "linalg/pattern/lane_accumulator.hpp"

#include <algorithm>
#include <utility>

namespace tessera::solvers {

namespace {

using Rank = std::uint64_t;

/// The strong neighbours of each vertex, stored at the beginning of its row's range: the rounds below do not read
/// values.
template <int Lanes, class Space> struct StrongGraph {
  linalg::CrsMatrix<Space> a;
  Array<const double*, Space> scale;     // of each row, as in Aggregates
  Array<const index_t*, Space> positive; // likewise
  double threshold;
  Array<offset_t*, Space> ends;   // end of each vertex's neighbours
  Array<index_t*, Space> columns; // [n_entries of a]

  KOKKOS_FUNCTION bool is_strong_entry(index_t i, offset_t k) const {
    const index_t j = a.columns(k);
    const double a_ij = a.values(k);
    return j != i && is_strong(a_ij, scale(i), scale(j), threshold) &&
           (a_ij < 0. || (positive(i) != weak_positive && positive(j) != weak_positive));
  }
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    if (!exists)
      return;
    const auto i = static_cast<index_t>(item);
    const offset_t end = a.offsets(i + 1);
    offset_t position = a.offsets(i);
    for (offset_t first = position; first < end; first += Lanes) {
      const bool is_listed = first + lane < end && is_strong_entry(i, first + lane);
      const unsigned listed = bits_of_lanes<Lanes>(is_listed);
      if (is_listed)
        columns(position + count_bits(listed & ((1u << lane) - 1u))) = a.columns(first + lane);
      position += count_bits(listed);
    }
    if (lane == 0)
      ends(i) = position;
  }
};

/// Tells scale and PositiveEntries of each row. At antiperiodic boundaries (OppositeSigns) the sum of a row is twice
/// that of its positive entries.
template <class Space> struct ClassifyRows {
  linalg::CrsMatrix<Space> a;
  OppositeSigns rule;
  bool by_diagonal; // which is the scale then, and all positive entries are strong
  Array<index_t*, Space> positive_entries;
  Array<double*, Space> scale;

  static constexpr std::int64_t skewed = std::int64_t(1) << 32; // more than there are rows: both counts in one sum

  KOKKOS_FUNCTION static double larger(double x, double y) { return x > y ? x : y; }
  /// Adds 1 for a row with opposite values, `skewed` for one of a skewed coefficient.
  KOKKOS_FUNCTION void operator()(index_t i, std::int64_t& counts) const {
    constexpr double rounding = 1e-10;       // of element sums, and of several levels of products
    constexpr double typical_couplings = 5.; // of a row, which make its diagonal
    constexpr double uncoupled = 0.5;        // of the diagonal: smaller sums of couplings do not set the scale
    constexpr double large_share = 0.3;      // of positive entries in rows of a skewed coefficient
    constexpr offset_t longest_skewed = 16;  // rows of order 2 in space, which are longer, have positive entries anyway
    double own = 0.;
    double negative = 0.;
    double positive = 0.;
    double most_negative = 0.;
    double most_positive = 0.;
    const offset_t end = a.offsets(i + 1);
    for (offset_t k = a.offsets(i); k < end; ++k) {
      const double value = a.values(k);
      if (a.columns(k) == i) {
        own = value;
      } else if (value > 0.) {
        positive += value;
        most_positive = larger(most_positive, value);
      } else {
        negative -= value;
        most_negative = larger(most_negative, -value);
      }
    }
    const double rest = own - negative - positive; // of the sum without twice the positive entries
    const double size = rounding * (own + negative + positive);
    const bool fits = rule == OppositeSigns::likely ? own > negative : rest < size && -rest < size;
    const bool is_opposite = positive > size && fits;
    const bool is_weak = !by_diagonal && !is_opposite && positive <= negative;
    positive_entries(i) = is_opposite ? opposite_positive : is_weak ? weak_positive : strong_positive;
    const double strongest = is_weak ? most_negative : larger(most_negative, most_positive);
    scale(i) = by_diagonal ? own : larger(uncoupled * own, typical_couplings * strongest);
    if (is_opposite)
      ++counts;
    else if (is_weak && positive > large_share * most_negative && end - a.offsets(i) <= longest_skewed)
      counts += skewed;
  }
};

/// The vertices that a kernel of the rounds processes: all at first, later an ascending list of those that it marked.
template <class Space> struct Candidates {
  index_t n = 0;
  Array<index_t*, Space> marks; // [n + 1], set by the kernel: 1 if the vertex must be processed again, else 0
  Array<index_t*, Space> list;  // empty: all
  Array<index_t*, Space> spare; // for the next list

  KOKKOS_FUNCTION index_t vertex(std::int64_t item) const {
    return list.extent(0) > 0 ? list(item) : static_cast<index_t>(item);
  }
};

/// Keeps the `n_marked` marked vertices. A list is never longer than the previous one: two arrays serve all rounds.
template <class ExecutionSpace>
void keep_marked(const ExecutionSpace& exec, const char* label, std::int64_t n_marked,
                 Candidates<typename ExecutionSpace::memory_space>& candidates) {
  using Space = typename ExecutionSpace::memory_space;
  if (static_cast<std::int64_t>(candidates.spare.extent(0)) < n_marked)
    candidates.spare = make_array<Array<index_t*, Space>>(exec, label, n_marked);
  list_marked<ExecutionSpace>(exec, candidates.marks, candidates.list, candidates.n, candidates.spare);
  std::swap(candidates.list, candidates.spare);
  candidates.n = static_cast<index_t>(n_marked);
}

/// Rounds of a maximal independent set of distance 2. The rank of a vertex consists of its state, a hash, and its
/// index; in each round an undecided vertex is selected if none of higher rank is within distance 2, and excluded if a
/// selected one is.
template <int Lanes, class Space> struct Independent {
  static constexpr Rank left_out = 0;
  static constexpr Rank undecided = 1;
  static constexpr Rank taken = 2;

  StrongGraph<Lanes, Space> graph;
  index_t first;   // global index of the first owned vertex
  Rank lone_state; // of vertices without neighbours
  Array<Rank*, Space> rank;
  Array<Rank*, Space> highest; // within distance 1
  // Vertices with an undecided one within distance 1, and undecided ones; a vertex that is neither stays so.
  Candidates<Space> near_undecided;
  Candidates<Space> undecided_ones;

  KOKKOS_FUNCTION static Rank state(Rank r) { return r >> 62; }
  KOKKOS_FUNCTION static Rank with_state(Rank r, Rank s) { return (r & ((Rank(1) << 62) - 1)) | (s << 62); }

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

template <int Lanes, class Space> struct BeginRanks : Independent<Lanes, Space> {
  explicit BeginRanks(const Independent<Lanes, Space>& set) : Independent<Lanes, Space>(set) {}
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const bool has_neighbour = this->graph.a.offsets(i) < this->graph.ends(i);
    const Rank number = static_cast<Rank>(this->first) + static_cast<Rank>(i);
    const Rank hash = mix_bits(number + 1) & ((Rank(1) << 30) - 1);
    Rank own_state = this->undecided;
    if (!has_neighbour)
      own_state = this->lone_state;
    this->rank(i) = this->with_state((hash << 32) | number, own_state);
  }
};

template <int Lanes, class Space> struct SpreadRanks : Independent<Lanes, Space> {
  explicit SpreadRanks(const Independent<Lanes, Space>& set) : Independent<Lanes, Space>(set) {}
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    if (!exists)
      return;
    const index_t i = this->near_undecided.vertex(item);
    Rank most = this->highest(i);
    if (this->state(most) != this->taken) { // otherwise it stays so
      most = this->highest_of(this->rank, i, lane);
      if (lane == 0)
        this->highest(i) = most;
    }
    if (lane == 0)
      this->near_undecided.marks(item) = this->state(most) == this->undecided ? 1 : 0;
  }
};

template <int Lanes, class Space> struct DecideRoots : Independent<Lanes, Space> {
  explicit DecideRoots(const Independent<Lanes, Space>& set) : Independent<Lanes, Space>(set) {}
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    if (!exists)
      return;
    const index_t i = this->undecided_ones.vertex(item);
    const Rank own = this->rank(i);
    Rank decision = this->state(own);
    if (decision == this->undecided) {
      const Rank most = this->highest_of(this->highest, i, lane);
      if (most == own)
        decision = this->taken;
      else if (this->state(most) == this->taken)
        decision = this->left_out;
      if (lane == 0 && decision != this->undecided)
        this->rank(i) = this->with_state(own, decision);
    }
    if (lane == 0)
      this->undecided_ones.marks(item) = decision == this->undecided ? 1 : 0;
  }
};

/// On a level with few vertices a device performs this many rounds before the host checks whether any is undecided:
/// superfluous rounds change nothing, and cost less than a check.
constexpr index_t few_vertices = 300000;
constexpr int rounds_of_few = 4;
/// Number of vertices whose processing takes a device as long as launching a kernel.
constexpr index_t short_list = 10000;

template <int Lanes, class Space> struct Join {
  Independent<Lanes, Space> set;
  Array<index_t*, Space> number; // of the aggregates, by root
  Array<index_t*, Space> next_to_root;
  Array<index_t*, Space> aggregate_of;
  // Empty without opposite signs:
  Array<index_t*, Space> sign_to_root; // of vertices next to a root
  Array<index_t*, Space> sign;

  KOKKOS_FUNCTION bool is_root(index_t i) const { return set.state(set.rank(i)) == set.taken; }
  KOKKOS_FUNCTION bool has_signs() const { return sign.extent(0) > 0; }
  /// Sign of entry k in row i.
  KOKKOS_FUNCTION index_t sign_of(index_t i, offset_t k) const {
    const auto& positive = set.graph.positive;
    const bool is_flipped = set.graph.a.values(k) > 0. && positive(i) == opposite_positive &&
                            positive(set.graph.a.columns(k)) == opposite_positive;
    return is_flipped ? -1 : 1;
  }
};

template <int Lanes, class Space> struct MarkRoots : Join<Lanes, Space> {
  explicit MarkRoots(const Join<Lanes, Space>& join) : Join<Lanes, Space>(join) {}
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    this->number(i) = this->is_root(static_cast<index_t>(i)) ? 1 : 0;
  }
};

template <class Space> struct ShiftNumbers {
  Array<index_t*, Space> number;
  index_t first;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { number(i) += first; }
};

template <int Lanes, class Space> struct JoinRoots : Join<Lanes, Space> {
  explicit JoinRoots(const Join<Lanes, Space>& join) : Join<Lanes, Space>(join) {}
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    if (!exists)
      return;
    const auto i = static_cast<index_t>(item);
    const auto& graph = this->set.graph;
    const bool is_root = this->is_root(i);
    // In a symmetric graph two roots have no common neighbour. With one-way couplings, for example due to advection, a
    // root may be a neighbour of another one; it keeps its aggregate, and other vertices join the last root in their
    // row.
    offset_t last = -1;
    const offset_t end = graph.ends(i);
    for (offset_t k = graph.a.offsets(i) + lane; k < end && !is_root; k += Lanes)
      if (Join<Lanes, Space>::is_root(graph.columns(k)))
        last = k;
    last = largest_of_lanes<Lanes>(last);
    if (lane != 0)
      return;
    const index_t root = last >= 0 ? graph.columns(last) : i;
    this->next_to_root(i) = is_root || last >= 0 ? this->number(root) : -1;
    if (this->has_signs()) {
      index_t sign = 1;
      for (offset_t k = graph.a.offsets(i); k < graph.a.offsets(i + 1) && root != i; ++k)
        if (graph.a.columns(k) == root)
          sign = this->sign_of(i, k);
      this->sign_to_root(i) = sign;
    }
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
      if (lane == 0) {
        this->aggregate_of(i) = near;
        if (this->has_signs())
          this->sign(i) = this->sign_to_root(i);
      }
      return;
    }
    // The strongest neighbour with an aggregate, the first of equal ones in the row.
    double strongest = 0.;
    offset_t at = -1;
    const offset_t end = graph.a.offsets(i + 1);
    for (offset_t k = graph.a.offsets(i) + lane; k < end; k += Lanes)
      if (graph.is_strong_entry(i, k)) {
        const index_t j = graph.a.columns(k);
        const double a_ij = graph.a.values(k);
        const double strength = a_ij * a_ij / graph.scale(j);
        if (this->next_to_root(j) >= 0 && strength > strongest) {
          strongest = strength;
          at = k;
        }
      }
    const double most = largest_of_lanes<Lanes>(strongest);
    const offset_t not_before = at >= 0 && strongest == most ? -at : -end;
    at = -largest_of_lanes<Lanes>(not_before);
    if (lane == 0) {
      this->aggregate_of(i) = at < end ? this->next_to_root(graph.a.columns(at)) : near;
      if (this->has_signs())
        this->sign(i) = at < end ? this->sign_of(i, at) * this->sign_to_root(graph.a.columns(at)) : 1;
    }
  }
};

/// Uses `Lanes` threads per vertex.
template <int Lanes, class ExecutionSpace>
Aggregates<typename ExecutionSpace::memory_space>
aggregate_by_lanes(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
                   const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
                   const comm::Layout<ExecutionSpace>& columns, double threshold, LoneVertices lone,
                   OppositeSigns signs) {
  using Space = typename ExecutionSpace::memory_space;
  using Set = Independent<Lanes, Space>;
  using Joining = Join<Lanes, Space>;
  const index_t n = a.n_rows();
  const index_t n_columns = columns.size();
  Joining join;
  Set& set = join.set;
  Aggregates<Space> result;
  result.positive = make_array<Array<index_t*, Space>>(exec, "solvers::positive_entries", n_columns);
  result.scale = make_array<Array<double*, Space>>(exec, "solvers::coupling_scales", n_columns);
  std::int64_t counts = 0;
  Kokkos::parallel_reduce(
      "tessera::solvers::classify_rows", Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n),
      ClassifyRows<Space>{a, signs, lone == LoneVertices::alone, result.positive, result.scale}, counts); // waits
  const bool has_signs = group.world->added(static_cast<double>(counts % ClassifyRows<Space>::skewed)) > 0.;
  result.n_skewed = group.world->added(static_cast<double>(counts / ClassifyRows<Space>::skewed));
  columns.update(exec, result.positive);
  columns.update(exec, result.scale);
  StrongGraph<Lanes, Space> graph{a, result.scale, result.positive, threshold, {}, {}};
  graph.ends = make_array<Array<offset_t*, Space>>(exec, "solvers::strong_ends", n);
  graph.columns = make_array<Array<index_t*, Space>>(exec, "solvers::strong_columns", a.n_entries());
  for_each_short_lane<Lanes>("tessera::solvers::list_strong", exec, n, graph);
  set.graph = graph;
  set.first = columns.first;
  set.lone_state = lone == LoneVertices::alone ? Set::taken : Set::left_out;
  set.rank = make_array<Array<Rank*, Space>>(exec, "solvers::aggregate_ranks", n_columns);
  set.highest = make_filled<Array<Rank*, Space>>(exec, "solvers::aggregate_neighbours", n_columns, Set::left_out);
  stream("tessera::solvers::begin_aggregates", exec, n, BeginRanks<Lanes, Space>(set));
  // On a device a few rounds too many take less time than waiting after each. With several processes these exchange
  // messages, which pays off only once few vertices are left anywhere.
  int n_rounds = !is_host_space<ExecutionSpace> && !group.is_distributed() && n <= few_vertices ? rounds_of_few : 1;
  join.number = make_array<Array<index_t*, Space>>(exec, "solvers::aggregate_numbers", std::max(n + 1, n_columns));
  join.next_to_root = make_array<Array<index_t*, Space>>(exec, "solvers::near_aggregates", std::max(n + 1, n_columns));
  set.near_undecided = {n, join.next_to_root, {}, {}}; // arrays used once the set is complete
  set.undecided_ones = {n, join.number, {}, {}};
  QueuedScans<2, ExecutionSpace> scans(exec, "solvers::undecided_totals", 0);
  const auto spread = [&] {
    for_each_short_lane<Lanes>("tessera::solvers::spread_ranks", exec, set.near_undecided.n,
                               SpreadRanks<Lanes, Space>(set));
  };
  const auto decide = [&] {
    for_each_short_lane<Lanes>("tessera::solvers::decide_roots", exec, set.undecided_ones.n,
                               DecideRoots<Lanes, Space>(set));
  };
  for (double n_left = 1.; n_left > 0.;) { // each round decides at least the highest rank
    for (int round = 0; round < n_rounds; ++round) {
      columns.update(exec, set.rank);
      spread();
      columns.update(exec, set.highest);
      decide();
    }
    const bool may_list = is_host_space<ExecutionSpace> || set.near_undecided.n > short_list;
    scans.restart();
    scans.add(exec, set.undecided_ones.marks, set.undecided_ones.n);
    if (may_list)
      scans.add(exec, set.near_undecided.marks, set.near_undecided.n);
    const auto n_marked = scans.totals(exec); // waits
    const std::int64_t n_undecided = n_marked[0];
    // A third of the rounds decides nearly all vertices.
    if (may_list && n_undecided > 0 && n_undecided < set.undecided_ones.n / 2) {
      keep_marked(exec, "solvers::near_undecided", n_marked[1], set.near_undecided);
      keep_marked(exec, "solvers::undecided_ones", n_undecided, set.undecided_ones);
    }
    n_left = group.world->largest(static_cast<double>(n_undecided));
    if (!is_host_space<ExecutionSpace> && group.is_distributed() && n_left <= few_vertices)
      n_rounds = rounds_of_few;
  }
  set.near_undecided = {}; // no queued kernel reads them
  set.undecided_ones = {};
  columns.update(exec, set.rank);
  join.aggregate_of = make_array<Array<index_t*, Space>>(exec, "solvers::aggregates", n_columns);
  stream("tessera::solvers::mark_roots", exec, n, MarkRoots<Lanes, Space>(join));
  const std::int64_t n_owned = counts_to_offsets(exec, join.number, n, "aggregates");
  result.offsets = group.world->offsets_of(n_owned);
  const auto first = static_cast<index_t>(result.offsets[static_cast<std::size_t>(group.world->rank())]);
  if (first > 0)
    stream("tessera::solvers::number_aggregates", exec, n, ShiftNumbers<Space>{join.number, first});
  columns.update(exec, join.number);
  if (has_signs) {
    join.sign_to_root = make_array<Array<index_t*, Space>>(exec, "solvers::signs_to_roots", n_columns);
    join.sign = make_array<Array<index_t*, Space>>(exec, "solvers::signs_in_aggregates", n_columns);
  }
  for_each_short_lane<Lanes>("tessera::solvers::join_roots", exec, n, JoinRoots<Lanes, Space>(join));
  columns.update(exec, join.next_to_root);
  if (join.has_signs())
    columns.update(exec, join.sign_to_root);
  for_each_short_lane<Lanes>("tessera::solvers::join_aggregates", exec, n, JoinAggregates<Lanes, Space>(join));
  columns.update(exec, join.aggregate_of);
  result.aggregate_of = join.aggregate_of;
  if (join.has_signs())
    columns.update(exec, join.sign);
  result.sign = join.sign;
  keep_alive(exec, join);
  return result;
}

} // namespace

template <class ExecutionSpace>
Aggregates<typename ExecutionSpace::memory_space>
make_aggregates(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
                const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
                const comm::Layout<ExecutionSpace>& columns, double threshold, LoneVertices lone, OppositeSigns signs) {
  return linalg::by_length_of_rows(
      a, [&](auto lanes) { return aggregate_by_lanes<lanes>(exec, group, a, columns, threshold, lone, signs); });
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template Aggregates<Space::memory_space> make_aggregates(                                                            \
      const Space&, const comm::ProcessGroup<Space>&, const linalg::CrsMatrix<Space::memory_space>&,                   \
      const comm::Layout<Space>&, double, LoneVertices, OppositeSigns);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
