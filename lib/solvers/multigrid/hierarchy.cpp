// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/multigrid/hierarchy.hpp"

#include "comm/layout.hpp"
#include "core/error.hpp"
#include "core/keep_alive.hpp"
#include "core/kokkos_ext/lanes.hpp"
#include "core/transfer/read_first.hpp"
#include "linalg/crs/crs_matrix.hpp"
#include "linalg/distributed/row_exchange.hpp"
#include "linalg/pattern/lane_accumulator.hpp"
#include "linalg/products/crs_product.hpp"
#include "solvers/diagonal.hpp"
#include "solvers/multigrid/aggregation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace tessera::solvers {

namespace {

constexpr int n_walk_steps = 4;
constexpr double at_coarse = -1.; ///< represents a probability that stays 0

/// Probability 1 of not having left, except at unknowns of the coarser mesh.
template <class Space> struct BeginWalk {
  linalg::CrsMatrix<Space> prolongation;
  Array<double*, Space> remaining;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const offset_t first = prolongation.offsets(i);
    const bool is_coarse = prolongation.offsets(i + 1) == first + 1 && prolongation.values(first) == 1.;
    remaining(i) = is_coarse ? at_coarse : 1.;
  }
};

/// Threads of a device that process neighbouring rows together, so that they update a result of all rows once.
template <class Space> constexpr int group_width = lanes_in<typename Space::execution_space, 32>;

/// Rows of a group, each by `Lanes` threads: thread t of the group processes row t / Lanes as its thread t % Lanes. The
/// only thread of a host's group processes many.
template <int Lanes, class Space>
constexpr int rows_of_group = is_host_memory<Space> ? 256 : group_width<Space> / Lanes;

template <int Lanes, class Space> KOKKOS_INLINE_FUNCTION index_t first_of_group(std::int64_t group) {
  return static_cast<index_t>(group * rows_of_group<Lanes, Space>);
}
template <int Lanes, class Space>
KOKKOS_INLINE_FUNCTION index_t end_of_group(std::int64_t group, const linalg::CrsMatrix<Space>& a) {
  const std::int64_t n = static_cast<std::int64_t>(a.offsets.extent(0)) - 1;
  const std::int64_t end = (group + 1) * rows_of_group<Lanes, Space>;
  return static_cast<index_t>(end < n ? end : n);
}

/// Runs a kernel of groups of rows.
template <int Lanes, class ExecutionSpace, class Kernel>
void for_each_group(const char* label, const ExecutionSpace& exec, index_t n, const Kernel& kernel) {
  using Space = typename ExecutionSpace::memory_space;
  constexpr int n_rows = rows_of_group<Lanes, Space>;
  for_each_lane<group_width<Space>>(label, exec, (std::int64_t(n) + n_rows - 1) / n_rows, kernel);
}

/// Probability of a walk above which unknowns count as isolated: where a coefficient is anisotropic by 400 : 1,
/// elements by 20 : 1. A single line of them, or in 3D a surface, takes conjugate gradients some hundred iterations.
constexpr double isolated_probability = 0.99;

/// Probabilities of walks, for the columns of a level's matrix, before and after a step.
template <class Space> struct Walks {
  Array<double*, Space> remaining;
  Array<double*, Space> after;
  double loose = 0.;
};

/// The probability after one more step: the mean of the neighbours' probabilities weighted by the couplings; the excess
/// of the diagonal over their sum leaves as well, to where the solution is fixed. `Lanes` threads of a device share a
/// row, and add its entries in order.
template <int Lanes, class Space> struct WalkStep {
  linalg::CrsMatrix<Space> a;
  Array<const double*, Space> diagonal;
  Walks<Space> walks;
  /// Numbers of unknowns that walks leave with a probability of at most 1 - `loose` and of at most 1 -
  /// isolated_probability, to which those of these rows are added; may be empty.
  Array<std::int64_t*, Space> counts;
  struct Term {
    double coupling = 0.;
    double stays = 0.;
  };
  KOKKOS_FUNCTION Term term(index_t i, offset_t k) const {
    const index_t column = a.columns(k);
    const double value = column != i ? a.values(k) : 0.;
    const double of_neighbour = walks.remaining(column);
    const double coupling = value < 0. ? -value : value;
    return {coupling, of_neighbour > 0. ? coupling * of_neighbour : 0.};
  }
  KOKKOS_FUNCTION double row(index_t i, int lane) const {
    const offset_t begin = a.offsets(i);
    const offset_t end = a.offsets(i + 1);
    double all = 0.;
    double stays = 0.;
    const auto add = [&](const Term& t) {
      all += t.coupling;
      stays += t.stays;
    };
    if constexpr (Lanes == 1) {
      linalg::for_entries<Space>(
          begin, end, [&](offset_t k) { return term(i, k); }, add);
    } else {
      for (offset_t first = begin; first < end; first += Lanes) {
        const Term mine = first + lane < end ? term(i, first + lane) : Term();
        const int n = end - first < Lanes ? static_cast<int>(end - first) : Lanes;
        for (int e = 0; e < n; ++e)
          add({from_lane<Lanes>(mine.coupling, e), from_lane<Lanes>(mine.stays, e)});
      }
    }
    all = all > diagonal(i) ? all : diagonal(i);
    return walks.remaining(i) < 0. ? at_coarse : stays / all;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t group, int thread, bool /*exists*/) const {
    int n_loose = 0;
    int n_isolated = 0;
    const int lane = thread % Lanes;
    const index_t end = end_of_group<Lanes>(group, a);
    for (index_t i = first_of_group<Lanes, Space>(group) + thread / Lanes; i < end; i += group_width<Space> / Lanes) {
      const double of_row = row(i, lane);
      if (lane > 0)
        continue;
      walks.after(i) = of_row;
      n_loose += of_row > walks.loose ? 1 : 0;
      n_isolated += of_row > isolated_probability ? 1 : 0;
    }
    if (counts.extent(0) == 0 || !any_lane<group_width<Space>>(n_loose > 0))
      return;
    n_loose = sum_of_lanes<group_width<Space>>(n_loose);
    n_isolated = sum_of_lanes<group_width<Space>>(n_isolated);
    if (thread > 0)
      return;
    Kokkos::atomic_add(&counts(0), std::int64_t(n_loose));
    Kokkos::atomic_add(&counts(1), std::int64_t(n_isolated)); // isolated ones are loose, too
  }
};

/// Fraction of loosely coupled unknowns up to which a given coarser level is used.
constexpr double tolerated_share = 0.1;

/// Whether the coarser mesh has less than a sixth of the unknowns, as in 3D.
template <class ExecutionSpace>
bool is_in_space(const MultigridLevel<ExecutionSpace>& level, const linalg::InterpolationRows<ExecutionSpace>& rows) {
  return level.n_unknowns() > 6 * rows.coarse_offsets.back();
}

/// Walks before their first step, which LevelBounds::queue() performs: no neighbour of an unknown between coarse ones
/// need be coarse, so that they are counted after the second one only.
template <class ExecutionSpace>
Walks<typename ExecutionSpace::memory_space> begin_walks(const ExecutionSpace& exec,
                                                         const MultigridLevel<ExecutionSpace>& level,
                                                         const linalg::InterpolationRows<ExecutionSpace>& rows) {
  using Space = typename ExecutionSpace::memory_space;
  Walks<Space> walks;
  walks.remaining = make_array<Array<double*, Space>>(exec, "solvers::remaining_walks", level.columns.size());
  walks.after = make_array<Array<double*, Space>>(exec, "solvers::walks_after_step", level.columns.size());
  walks.loose = is_in_space(level, rows) ? 0.965 : 0.87;
  for_each("tessera::solvers::begin_walk", exec, level.a.n_rows(), BeginWalk<Space>{rows.matrix, walks.remaining});
  level.columns.update(exec, walks.remaining);
  return walks;
}

/// Whether smoothing leaves errors that the coarser mesh cannot represent (compatible relaxation: O. E. Livne, Numer.
/// Linear Algebra Appl. 11, 2004): at unknowns that are loosely coupled to those of the coarser mesh. Random walks from
/// there along the entries of the matrix, with probabilities proportional to their absolute values, have not reached
/// any of these after four steps with a probability above 0.87, or above 0.965 if the coarser mesh has less than a
/// sixth of the unknowns, as in 3D. In squares the probability is at most 0.25, in cubes 0.78; if elements are
/// stretched or a coefficient is anisotropic by more than about 4.5 : 1 in length, walks run along the unknowns between
/// coarse ones. A tenth of the unknowns may be like that, but of isolated ones, as in boundary layers, only half as
/// many as there are in a line through a square or a plane through a cube of that many unknowns. A row of the
/// interpolation with the single value 1 belongs to an unknown of the coarser mesh. `walks` after their first step. The
/// result is the same for any number of processes. Waits; collective.
template <class ExecutionSpace>
bool leaves_errors(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
                   const MultigridLevel<ExecutionSpace>& level, const linalg::InterpolationRows<ExecutionSpace>& rows,
                   Walks<typename ExecutionSpace::memory_space> walks) {
  using Space = typename ExecutionSpace::memory_space;
  const auto all = static_cast<double>(level.n_unknowns());
  const double length = is_in_space(level, rows) ? std::cbrt(all) : std::sqrt(all);
  for (int step = 2; step <= n_walk_steps; ++step) {
    std::swap(walks.remaining, walks.after);
    level.columns.update(exec, walks.remaining);
    const auto counts = make_filled<Array<std::int64_t*, Space>>(exec, "solvers::loosely_coupled", 2, 0);
    linalg::by_length_of_rows(level.a, [&](auto lanes) {
      for_each_group<lanes>("tessera::solvers::walk_step", exec, level.a.n_rows(),
                            WalkStep<lanes, Space>{level.a, level.diagonal, walks, counts});
    });
    const auto [n_loose, n_isolated] = read_first<2>(exec, counts); // waits
    // Probabilities only fall, so that few enough decide early.
    if (group.world->added(static_cast<double>(n_loose)) <= tolerated_share * all &&
        group.world->added(static_cast<double>(n_isolated)) <= 0.5 * all / length)
      return false;
  }
  return true;
}

/// Bounds of the eigenvalues of D^-1 A by its rows: |D^-1 A| 1, or with weights w > 0 |D^-1 A| w over w, the largest
/// entry of which is a bound for any w (L. Collatz, Math. Z. 48, 1942). `Lanes` threads of a device share a row, and
/// add its entries in order.
template <int Lanes, class Space> struct BoundRows {
  linalg::CrsMatrix<Space> a;
  Array<double*, Space> diagonal; // written if there are no weights
  Array<const double*, Space> w;  // may be empty
  Array<double*, Space> bound;    // of each row; may be empty
  double* largest;                // of all rows, which those of these rows may raise
  double unusable;                // the bound of a row whose diagonal entry is not positive and finite

  struct Entry {
    index_t column = -1;
    double value = 0.;
    double size = 0.; // with the weight
  };
  KOKKOS_FUNCTION Entry entry(offset_t k) const {
    const index_t column = a.columns(k);
    const double value = a.values(k);
    const double size = value < 0. ? -value : value;
    return {column, value, w.extent(0) > 0 ? size * w(column) : size};
  }
  KOKKOS_FUNCTION double row(index_t i, int lane) const {
    const bool has_weights = w.extent(0) > 0;
    const offset_t begin = a.offsets(i);
    const offset_t end = a.offsets(i + 1);
    double sum = 0.;
    double on_diagonal = 0.;
    const auto add = [&](const Entry& e) {
      sum += e.size;
      if (e.column == i)
        on_diagonal = e.value;
    };
    if constexpr (Lanes == 1) {
      linalg::for_entries<Space>(
          begin, end, [&](offset_t k) { return entry(k); }, add);
    } else {
      for (offset_t first = begin; first < end; first += Lanes) {
        const Entry mine = first + lane < end ? entry(first + lane) : Entry();
        const int n = end - first < Lanes ? static_cast<int>(end - first) : Lanes;
        for (int e = 0; e < n; ++e)
          add({from_lane<Lanes>(mine.column, e), from_lane<Lanes>(mine.value, e), from_lane<Lanes>(mine.size, e)});
      }
    }
    if (!has_weights && lane == 0)
      diagonal(i) = on_diagonal;
    const bool is_usable = on_diagonal > 0. && on_diagonal - on_diagonal == 0.; // and finite
    return !is_usable ? unusable : has_weights ? sum / (on_diagonal * w(i)) : sum / on_diagonal;
  }
  /// At most the largest bound so far. On devices not by an atomic load, for which all groups would queue: the cache
  /// may hold an older, smaller value, which costs one more atomic operation.
  KOKKOS_FUNCTION double known_largest() const {
    if constexpr (is_host_memory<Space>)
      return Kokkos::atomic_load(largest);
    else
      return *largest;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t group, int thread, bool /*exists*/) const {
    double of_rows = 0.;
    const index_t end = end_of_group<Lanes>(group, a);
    for (index_t i = first_of_group<Lanes, Space>(group) + thread / Lanes; i < end; i += group_width<Space> / Lanes) {
      const double of_row = row(i, thread % Lanes);
      of_rows = of_row > of_rows ? of_row : of_rows;
      if (thread % Lanes == 0 && bound.extent(0) > 0)
        bound(i) = of_row;
    }
    of_rows = largest_of_lanes<group_width<Space>>(of_rows);
    if (thread == 0 && of_rows > known_largest()) // seldom: nearly always the first groups have raised it
      Kokkos::atomic_max(largest, of_rows);
  }
};

/// Also the first step of walks: rows come from memory once.
template <int Lanes, class Space> struct BoundAndWalk {
  BoundRows<Lanes, Space> bounds;
  WalkStep<Lanes, Space> step; // reads the diagonal entries that the same thread has written
  KOKKOS_FUNCTION void operator()(std::int64_t group, int thread, bool exists) const {
    bounds(group, thread, exists);
    step(group, thread, exists);
  }
};

/// The diagonal times the bound of each row, in place of the bound.
template <class Space> struct ScaleRows {
  Array<const double*, Space> diagonal;
  Array<double*, Space> bound;
  KOKKOS_FUNCTION void operator()(index_t i) const { bound(i) *= diagonal(i); }
};

/// Bound up to which row sums are used directly: near 2, as for most matrices of order 1, they are sharp and nearly the
/// same in all rows. Above it weighted sums are smaller by a tenth to a third, and scaling each row by its own one
/// saves more iterations than it costs.
constexpr double sharp_bound = 2.4;

/// The processes that share the unknowns of a level; one for a replicated level.
template <class ExecutionSpace>
comm::ProcessGroup<ExecutionSpace> group_of(const MultigridLevel<ExecutionSpace>& level,
                                            const comm::ProcessGroup<ExecutionSpace>& all) {
  return level.is_distributed() ? all : comm::ProcessGroup<ExecutionSpace>();
}

/// Computes diagonals and eigenvalue bounds of levels, finest first, with one wait for several.
template <class ExecutionSpace> class LevelBounds {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Level = MultigridLevel<ExecutionSpace>;

  LevelBounds(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& whole)
      : whole_(whole), largest_(make_filled<Array<double*, Space>>(exec, "solvers::largest_bounds", 2 * capacity, 1.)) {
  }

  /// Queues the computation for the next level, and the first step of its walks if there are any; its diagonal may be
  /// used by later work.
  void queue(const ExecutionSpace& exec, std::vector<Level>& levels, const Walks<Space>& walks = {}) {
    if (n_queued_ == capacity)
      finish(exec, levels);
    Level& level = levels[first_ + n_queued_];
    level.n_entries = static_cast<std::int64_t>(level.a.n_entries());
    level.row_scale = {};
    bound_rows("tessera::solvers::bound_rows", exec, level, {}, level.row_scale, n_queued_, walks);
    level.columns.update(exec, level.diagonal);
    ++n_queued_;
    if constexpr (is_host_memory<Space>) // where waiting costs nothing and the rows may still be in the cache
      finish(exec, levels);
  }

  /// Completes the levels that were queued. Throws if a diagonal entry is not positive. Waits; collective.
  void finish(const ExecutionSpace& exec, std::vector<Level>& levels) {
    if (n_queued_ == 0)
      return;
    auto largest = read_first<2 * capacity>(exec, largest_);
    std::array<Array<double*, Space>, capacity> weighted; // bounds of rows, empty unless weights are used
    for (int k = 0; k < n_queued_; ++k) {
      Level& level = levels[first_ + k];
      level.eigenvalue_bound = group_of(level, whole_).world->largest(largest[k]);
      if (!(level.eigenvalue_bound < unusable))
        require_positive(exec, level, first_ + k);
      if (level.eigenvalue_bound <= sharp_bound) {
        level.row_scale = {};
        continue;
      }
      auto weights = level.row_scale;
      if (weights.extent(0) == 0) { // for short rows, which seldom have such bounds, they were not written
        weights = make_bounds(exec, level);
        bound_rows("tessera::solvers::bound_rows", exec, level, {}, weights, k);
      }
      level.columns.update(exec, weights);
      weighted[k] = make_bounds(exec, level);
      bound_rows("tessera::solvers::bound_by_weights", exec, level, weights, weighted[k], capacity + k);
      level.row_scale = weighted[k];
    }
    if (std::any_of(weighted.begin(), weighted.end(), [](const auto& bounds) { return bounds.extent(0) > 0; }))
      largest = read_first<2 * capacity>(exec, largest_);
    for (int k = 0; k < n_queued_; ++k) {
      Level& level = levels[first_ + k];
      if (weighted[k].extent(0) == 0)
        continue;
      level.eigenvalue_bound = group_of(level, whole_).world->largest(largest[capacity + k]);
      for_each("tessera::solvers::scale_rows", exec, level.a.n_rows(),
               ScaleRows<Space>{level.diagonal, level.row_scale});
      level.columns.update(exec, level.row_scale);
    }
    first_ += n_queued_;
    n_queued_ = 0;
    fill(exec, largest_, 1.);
  }

private:
  static constexpr int capacity = 16;
  static constexpr double unusable = std::numeric_limits<double>::max();

  static Array<double*, Space> make_bounds(const ExecutionSpace& exec, const Level& level) {
    return make_array<Array<double*, Space>>(exec, "solvers::row_bounds", level.columns.size());
  }
  /// The bounds of rows are written if there is an array for them, which is made for long rows: the scale needs them.
  void bound_rows(const char* label, const ExecutionSpace& exec, const Level& level, const Array<double*, Space>& w,
                  Array<double*, Space>& bound, int result, const Walks<Space>& walks = {}) const {
    linalg::by_length_of_rows(level.a, [&](auto lanes) {
      if (lanes > 1 && bound.extent(0) == 0)
        bound = make_bounds(exec, level);
      const BoundRows<lanes, Space> rows{level.a, level.diagonal, w, bound, largest_.data() + result, unusable};
      if (walks.after.extent(0) > 0)
        for_each_group<lanes>(label, exec, level.a.n_rows(),
                              BoundAndWalk<lanes, Space>{rows, {level.a, level.diagonal, walks, {}}});
      else
        for_each_group<lanes>(label, exec, level.a.n_rows(), rows);
    });
  }
  void require_positive(const ExecutionSpace& exec, const Level& level, std::size_t number) const {
    const index_t n = level.a.n_rows();
    const linalg::ConstVector<ExecutionSpace> owned = Kokkos::subview(level.diagonal, std::make_pair(index_t(0), n));
    std::int64_t first = first_unusable_entry(exec, owned);
    first = first < n ? level.columns.first + first : level.n_unknowns();
    first = -static_cast<std::int64_t>(group_of(level, whole_).world->largest(-static_cast<double>(first)));
    TESSERA_REQUIRE_KIND(first >= level.n_unknowns(), ErrorKind::numerical,
                         "Preconditioner multigrid: the diagonal entry of unknown "
                             << first << " on level " << number
                             << " is not positive; the matrix is not positive definite.");
  }

  comm::ProcessGroup<ExecutionSpace> whole_;
  std::size_t first_ = 0; ///< level
  int n_queued_ = 0;
  Array<double*, Space> largest_; ///< bounds of the queued levels, then those with weights
};

/// Couplings of this share of the threshold of aggregates smooth the prolongation: without the weaker ones in a row of
/// different elements it interpolates badly. Two steps reach farther, so that they would fill the coarser matrix.
constexpr double kept_share = 0.7;

/// Rows longer than this on average, as of order 2 in space, have so many couplings that only stronger ones should join
/// aggregates (by this factor of the threshold) and smooth.
constexpr double long_row = 20.;
constexpr double threshold_of_long_rows = 4. / 3.;

template <class ExecutionSpace> MultigridLevel<ExecutionSpace> level_of(const FinestRows<ExecutionSpace>& rows) {
  MultigridLevel<ExecutionSpace> level;
  level.offsets = rows.offsets;
  level.a = rows.a;
  level.columns = rows.columns;
  return level;
}

} // namespace

template <class ExecutionSpace>
std::vector<MultigridLevel<ExecutionSpace>>
make_hierarchy(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& whole,
               const FinestRows<ExecutionSpace>& finest, GivenLevels<ExecutionSpace> given,
               const MultigridOptions& options,
               const std::function<void(std::vector<MultigridLevel<ExecutionSpace>>&, std::size_t)>& finished,
               const SecondLevel<ExecutionSpace>& second) {
  using Space = typename ExecutionSpace::memory_space;
  std::vector<MultigridLevel<ExecutionSpace>> levels{level_of(finest)};
  double threshold = options.strength;
  OppositeSigns signs = OppositeSigns::exact;
  ProlongationSteps steps = ProlongationSteps::one; // decided by the first level of aggregates
  double kept = kept_share;                         // likewise
  LevelBounds<ExecutionSpace> bounds(exec, whole);
  for (;;) {
    MultigridLevel<ExecutionSpace>& fine = levels.back();
    const std::size_t number = levels.size() - 1;
    const std::int64_t n = fine.n_unknowns();
    const auto group = group_of(fine, whole);
    fine.diagonal = make_array<Array<double*, Space>>(exec, "solvers::level_diagonal", fine.columns.size());
    const bool is_coarsest = n <= options.coarsest_size;
    bool is_given = given.has_next() && !is_coarsest;
    // The next coarser meshes are similar, so that the first one decides.
    const bool is_checked = is_given && number == 0 && options.type == MultigridType::automatic;
    linalg::InterpolationRows<ExecutionSpace> rows;
    Walks<Space> walks;
    if (is_checked) {
      rows = given.take(exec, group, fine.columns);
      walks = begin_walks(exec, fine, rows);
    }
    bounds.queue(exec, levels, walks);
    if (finished && number > 0) {
      bounds.finish(exec, levels);
      finished(levels, number - 1);
    }
    if (is_coarsest)
      break;
    MultigridLevel<ExecutionSpace> coarse;
    if (is_given && !is_checked)
      rows = given.take(exec, group, fine.columns);
    if (is_checked && leaves_errors(exec, group, fine, rows, walks)) {
      is_given = false;
      given = {};
    }
    walks = {};
    const bool is_summed = number == 0 && second && is_given;
    if (is_summed)
      coarse = level_of(second(exec));
    if (is_given) {
      fine.prolongation = rows.matrix;
      if (!is_summed)
        coarse.offsets = rows.coarse_offsets;
      fine.is_geometric = options.type != MultigridType::algebraic;
      fine.is_merged = !fine.is_geometric;
    } else {
      bounds.finish(exec, levels);
      const bool is_first = threshold == options.strength;
      if (is_first && group.world->added(static_cast<double>(fine.a.n_entries())) > long_row * static_cast<double>(n)) {
        threshold *= threshold_of_long_rows;
        kept = 1.;
      }
      const auto aggregates =
          make_aggregates(exec, group, fine.a, fine.columns, threshold, LoneVertices::left_out, signs);
      signs = aggregates.sign.extent(0) > 0 ? OppositeSigns::likely : OppositeSigns::exact;
      coarse.offsets = aggregates.offsets;
      if (coarse.n_unknowns() == 0 || static_cast<double>(coarse.n_unknowns()) > 0.9 * static_cast<double>(n))
        break;
      if (is_first && 2. * aggregates.n_skewed > static_cast<double>(n)) {
        steps = ProlongationSteps::two;
        kept = 1.;
      }
      fine.prolongation =
          smoothed_prolongation(exec, group, fine.a, fine.columns, linalg::ConstVector<ExecutionSpace>(fine.diagonal),
                                aggregates, kept * threshold, steps);
      threshold *= 0.5;
    }
    const auto transpose = linalg::transposed(exec, group, fine.offsets, coarse.offsets, fine.prolongation);
    fine.restriction = transpose.rows;
    fine.restriction_columns = transpose.columns;
    if (!is_summed) {
      const auto p = linalg::with_ghost_rows(exec, fine.columns, fine.prolongation);
      const auto a_times_p = linalg::product(exec, fine.a, p);
      const auto factor = linalg::with_ghost_rows(exec, fine.restriction_columns, a_times_p);
      coarse.a = linalg::product(exec, fine.restriction, factor);
      if (options.keeps_products && !fine.is_distributed())
        fine.a_times_p = a_times_p;
    }
    if (fine.is_distributed() && coarse.n_unknowns() > replicated_size(options)) {
      if (!is_summed)
        coarse.columns = comm::number_owned_first<ExecutionSpace>(exec, group, coarse.offsets, {&coarse.a.columns});
      fine.prolongation_columns =
          comm::number_owned_first<ExecutionSpace>(exec, group, coarse.offsets, {&fine.prolongation.columns});
    } else {
      if (fine.is_distributed()) {
        coarse.a = linalg::gathered_rows(exec, group, coarse.offsets,
                                         linalg::with_global_columns(exec, coarse.columns, coarse.a));
        given.gather(exec, group, coarse.offsets);
      }
      coarse.columns = comm::Layout<ExecutionSpace>::local(static_cast<index_t>(coarse.n_unknowns()));
      fine.prolongation_columns = coarse.columns;
    }
    levels.push_back(coarse);
  }
  bounds.finish(exec, levels);
  TESSERA_REQUIRE_KIND(levels.back().n_unknowns() <= options.largest_direct, ErrorKind::numerical,
                       "Preconditioner multigrid: level "
                           << levels.size() - 1 << " still has " << levels.back().n_unknowns()
                           << " unknowns and gets no coarser: too few of them are coupled. Use jacobi.");
  return levels;
}

template <class ExecutionSpace>
linalg::CrsMatrix<typename ExecutionSpace::memory_space>
shared_product(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
               const MultigridLevel<ExecutionSpace>& fine,
               const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a,
               const MultigridLevel<ExecutionSpace>& coarse) {
  const auto p = linalg::with_ghost_rows(
      exec, fine.columns, linalg::with_global_columns(exec, fine.prolongation_columns, fine.prolongation));
  const auto a_times_p = linalg::product(exec, a, p);
  const auto factor = linalg::with_ghost_rows(exec, fine.restriction_columns, a_times_p);
  auto result = linalg::product(exec, fine.restriction, factor);
  if (!coarse.is_distributed())
    result = linalg::gathered_rows(exec, group, coarse.offsets, result);
  keep_alive(exec, p, a_times_p, factor);
  return result;
}

template <class ExecutionSpace>
void renew_hierarchy(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
                     std::vector<MultigridLevel<ExecutionSpace>>& levels, const SecondLevel<ExecutionSpace>& second) {
  LevelBounds<ExecutionSpace> bounds(exec, group);
  bounds.queue(exec, levels);
  for (std::size_t l = 1; l < levels.size(); ++l) {
    const auto& fine = levels[l - 1];
    if (l == 1 && second && fine.is_geometric) {
      auto rows = second(exec);
      if (fine.is_distributed() && !levels[l].is_distributed())
        rows.a =
            linalg::gathered_rows(exec, group, rows.offsets, linalg::with_global_columns(exec, rows.columns, rows.a));
      copy(exec, levels[l].a.values, rows.a.values); // the same pattern
    } else if (fine.is_distributed()) {
      const auto coarse = shared_product(exec, group, fine, fine.a, levels[l]);
      copy(exec, levels[l].a.values, coarse.values); // the same pattern
    } else {
      auto a_times_p = fine.a_times_p;
      if (a_times_p.n_rows() > 0)
        linalg::renew_product(exec, fine.a, fine.prolongation, a_times_p);
      else
        a_times_p = linalg::product(exec, fine.a, fine.prolongation);
      linalg::renew_product(exec, fine.restriction, a_times_p, levels[l].a);
    }
    bounds.queue(exec, levels);
  }
  bounds.finish(exec, levels);
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template std::vector<MultigridLevel<Space>> make_hierarchy(                                                          \
      const Space&, const comm::ProcessGroup<Space>&, const FinestRows<Space>&, GivenLevels<Space>,                    \
      const MultigridOptions&, const std::function<void(std::vector<MultigridLevel<Space>>&, std::size_t)>&,           \
      const SecondLevel<Space>&);                                                                                      \
  template linalg::CrsMatrix<Space::memory_space> shared_product(                                                      \
      const Space&, const comm::ProcessGroup<Space>&, const MultigridLevel<Space>&,                                    \
      const linalg::CrsMatrix<Space::memory_space>&, const MultigridLevel<Space>&);                                    \
  template void renew_hierarchy(const Space&, const comm::ProcessGroup<Space>&, std::vector<MultigridLevel<Space>>&,   \
                                const SecondLevel<Space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
