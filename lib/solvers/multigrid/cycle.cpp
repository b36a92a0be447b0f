// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/multigrid/cycle.hpp"

#include "core/error.hpp"
#include "core/keep_alive.hpp"
#include "linalg/column_sums.hpp"
#include "linalg/vector_kernels.hpp"
#include "solvers/krylov/column_counts.hpp"
#include "solvers/multigrid/cycle_kernels.hpp"
#include "solvers/multigrid/dense_level.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace tessera::solvers {

namespace {

template <class Value, class Space> struct InvertScale {
  Array<const double*, Space> row_scale;
  double scale;
  Array<Value*, Space> result;
  KOKKOS_FUNCTION void operator()(index_t i) const { result(i) = static_cast<Value>(scale / row_scale(i)); }
};

/// Multiplies the columns of the inverse by the scale, as the level's right-hand side is divided by it.
template <class Value, class Space> struct ScaleInverse {
  Array<const double*, Space> inverse;
  Array<const double*, Space> scale;
  index_t n;
  Array<Value*, Space> result;
  KOKKOS_FUNCTION void operator()(index_t k) const { result(k) = static_cast<Value>(inverse(k) * scale(k % n)); }
};

/// The largest row sum relative to the diagonal entry.
template <class Space> struct LargestRowSum {
  linalg::CrsMatrix<Space> a;
  Array<const double*, Space> diagonal;
  KOKKOS_FUNCTION void operator()(index_t i, double& largest) const {
    double sum = 0.;
    for (offset_t k = a.offsets(i); k < a.offsets(i + 1); ++k)
      sum += a.values(k);
    const double ratio = (sum < 0. ? -sum : sum) / diagonal(i);
    largest = ratio > largest ? ratio : largest;
  }
};

/// The change of row sums by rounding the entries of E^-1 A. Without it, constants would not be in the null space of
/// diffusion: the error would be the rounding times the square of the number of elements across the domain.
template <class Value, class Space> struct LostRowSum {
  linalg::CrsMatrix<Space> a;
  Array<const double*, Space> scale;
  Value unit;
  Array<float*, Space> lost;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const double factor = 1. / scale(i);
    double sum = 0.;
    double rounded = static_cast<double>(unit);
    for (offset_t k = a.offsets(i); k < a.offsets(i + 1); ++k) {
      sum += a.values(k);
      if (unit == Value(0) || a.columns(k) != i)
        rounded += static_cast<double>(static_cast<Value>(factor * a.values(k))); // as in linalg::make_sliced()
    }
    lost(i) = static_cast<float>(factor * sum - rounded);
  }
};

/// Throws if the matrix maps constants to zero up to rounding: its inverse would be noise.
template <class ExecutionSpace, class Level> void require_regular(const ExecutionSpace& exec, const Level& level) {
  using Space = typename ExecutionSpace::memory_space;
  constexpr double rounding = 1e-12; // for Galerkin products, with some hundred terms on each of some ten levels
  double largest = 0.;
  Kokkos::parallel_reduce("tessera::solvers::largest_row_sum",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, level.a.n_rows()),
                          LargestRowSum<Space>{level.a, level.diagonal}, Kokkos::Max<double>(largest)); // waits
  TESSERA_REQUIRE_KIND(largest > rounding, ErrorKind::numerical,
                       "Preconditioner multigrid, coarsest level: the matrix is singular, it maps constants to zero. "
                       "Fix the solution somewhere by a Dirichlet or Robin condition, or use jacobi.");
}

/// Length of a level's vectors: the local unknowns, and the ghosts of all matrices that multiply them.
template <class ExecutionSpace>
index_t room_for_vectors(const std::vector<MultigridLevel<ExecutionSpace>>& levels, std::size_t l) {
  const MultigridLevel<ExecutionSpace>& level = levels[l];
  const index_t as_coarser = l > 0 ? levels[l - 1].prolongation_columns.size() : 0;
  return std::max({level.columns.size(), level.restriction_columns.size(), as_coarser});
}

/// Factors of the corrections by the first levels of aggregates: these are too small, as piecewise nearly constant
/// functions have too much energy. The cycle stays positive definite as long as their product is well below 2, the
/// factor of smooth errors in a V-cycle; W-cycles bring that of the coarser levels back to at most 1.
constexpr double enlargement[] = {1.05, 1.1, 1.2};
constexpr int n_enlarged = 3;

/// Levels with more unknowns are not recorded if each cycle visits their coarser level once: their kernels take longer
/// than their launches, and a recording from a smaller level on serves the cycles of a start from several levels.
constexpr std::int64_t most_recorded = 200'000;

/// Copies the first n entries.
template <class ExecutionSpace, class To, class From>
void copy_owned(const ExecutionSpace& exec, index_t n, const To& to, const From& from) {
  const auto owned = std::make_pair(index_t(0), n);
  if (n > 0)
    copy(exec, Kokkos::subview(to, owned), Kokkos::subview(from, owned));
}

} // namespace

template <class ExecutionSpace, class Value, int N>
Cycle<ExecutionSpace, Value, N>::Cycle(const comm::ProcessGroup<ExecutionSpace>& group,
                                       const linalg::GlobalSums<ExecutionSpace>& sums, const MultigridOptions& options)
    : options_(options), group_(group), sums_(sums) {}

template <class ExecutionSpace, class Value, int N>
Cycle<ExecutionSpace, Value, N>::Cycle(const ExecutionSpace& exec, const comm::ProcessGroup<ExecutionSpace>& group,
                                       const linalg::GlobalSums<ExecutionSpace>& sums,
                                       const std::vector<MultigridLevel<ExecutionSpace>>& levels,
                                       const MultigridOptions& options)
    : Cycle(group, sums, options) {
  append(exec, levels, 0, levels.size() - 1);
  finish(exec, levels);
}

template <class ExecutionSpace, class Value, int N>
void Cycle<ExecutionSpace, Value, N>::scale_finest(const ExecutionSpace& exec,
                                                   const MultigridLevel<ExecutionSpace>& finest) {
  const index_t n = finest.a.n_rows();
  if constexpr (!std::is_same_v<Value, double>) {
    constexpr int none = std::numeric_limits<int>::min(); // for a process without rows
    int exponent = none;
    if (n > 0)
      std::frexp(read_entry(exec, finest.scale(), 0), &exponent);
    const std::vector<int> exponents = group_.world->all_gather(exponent);
    exponent = *std::find_if(exponents.begin(), exponents.end(), [](int owned) { return owned != none; });
    scale_ = std::ldexp(1., exponent); // from the first row of all processes
    workspace_ = ReduceWorkspace<ExecutionSpace>(exec, n, N);
    rr_ = make_array<linalg::Vector<ExecutionSpace>>(exec, "solvers::cycle_norm", N);
  }
  inverse_scale_ = make_array<Array<Value*, Space>>(exec, "solvers::inverse_scale", n);
  for_each("tessera::solvers::invert_scale", exec, n,
           InvertScale<Value, Space>{finest.scale(), scale_, inverse_scale_});
}

template <class ExecutionSpace, class Value, int N>
void Cycle<ExecutionSpace, Value, N>::append(const ExecutionSpace& exec,
                                             const std::vector<MultigridLevel<ExecutionSpace>>& levels,
                                             std::size_t first, std::size_t end) {
  TESSERA_ASSERT(first == levels_.size() && end < levels.size());
  if (first == end)
    return;
  if (first == 0)
    scale_finest(exec, levels[0]);
  std::vector<linalg::SliceSource<Space>> sources;
  for (std::size_t l = first; l < end; ++l)
    append_sources(exec, levels[l], levels[l + 1], sources);
  const auto sliced = linalg::make_sliced<Value>(exec, sources);
  for (std::size_t l = first; l < end; ++l) {
    const std::size_t position = 3 * (l - first);
    levels_[l].a = sliced[position];
    levels_[l].p = sliced[position + 1];
    levels_[l].r = sliced[position + 2];
    if constexpr (!std::is_same_v<Value, double>)
      if (options_.is_compact) {
        const auto& from = levels[l];
        levels_[l].lost_row_sum = make_array<Array<float*, Space>>(exec, "solvers::lost_row_sums", from.a.n_rows());
        for_each("tessera::solvers::lost_row_sums", exec, from.a.n_rows(),
                 LostRowSum<Value, Space>{from.a, from.scale(), levels_[l].unit, levels_[l].lost_row_sum});
      }
  }
  if (levels[first].is_distributed())
    keep_alive(exec, sources);
}

template <class ExecutionSpace, class Value, int N>
void Cycle<ExecutionSpace, Value, N>::append_sources(const ExecutionSpace& exec,
                                                     const MultigridLevel<ExecutionSpace>& from,
                                                     const MultigridLevel<ExecutionSpace>& coarse,
                                                     std::vector<linalg::SliceSource<Space>>& sources) {
  Level level;
  level.is_distributed = from.is_distributed();
  level.offsets = from.offsets;
  const bool has_own_bounds = from.row_scale.extent(0) > 0;
  level.damping = has_own_bounds ? 1. : 1. / from.eigenvalue_bound;
  level.unit = static_cast<Value>(has_own_bounds ? 0 : 1);
  level.halo = from.columns.halo;
  level.p_halo = from.prolongation_columns.halo;
  level.r_halo = from.restriction_columns.halo;
  const auto sums_of = [&](const auto& matrix, std::int64_t n_rows) {
    auto n_entries = static_cast<double>(matrix.n_entries());
    if (from.is_distributed())
      n_entries = group_.world->added(n_entries);
    return linalg::sums_of_rows(n_rows, n_entries);
  };
  auto coarse_scale = coarse.scale();
  auto scale = from.scale();
  if (from.is_distributed()) { // the restriction has other ghosts than the matrix
    if (!coarse.is_distributed())
      coarse_scale = owned_part(coarse.offsets, coarse_scale);
    scale = make_array<decltype(scale)>(exec, "solvers::scale_of_columns", from.restriction_columns.size());
    copy_owned(exec, from.a.n_rows(), scale, from.scale());
    from.restriction_columns.update(exec, scale);
  }
  sources.push_back({from.a, {from.scale(), {}, !has_own_bounds}, sums_of(from.a, from.n_unknowns()), true});
  sources.push_back({from.prolongation, {}, sums_of(from.prolongation, from.n_unknowns()), true});
  sources.push_back(
      {from.restriction, {coarse_scale, scale, false}, sums_of(from.restriction, coarse.n_unknowns()), true});
  levels_.push_back(level);
}

template <class ExecutionSpace, class Value, int N>
void Cycle<ExecutionSpace, Value, N>::add_vectors(const ExecutionSpace& exec, Level& level, index_t n,
                                                  bool is_coarsest) const {
  constexpr std::size_t unit = 64; // alignment of the vectors, in entries
  const std::size_t distance = (static_cast<std::size_t>(n) + unit - 1) / unit * unit;
  const int n_vectors = is_coarsest ? 2 : 3;
  const auto all = make_array<vector_type>(exec, "solvers::level_vectors", n_vectors * distance);
  int k = 0;
  for (vector_type* const vector : {&level.b, &level.x, &level.y}) {
    if (k == n_vectors)
      break;
    const std::size_t begin = static_cast<std::size_t>(k++) * distance;
    *vector = Kokkos::subview(all, std::make_pair(begin, begin + static_cast<std::size_t>(n)));
  }
}

template <class ExecutionSpace, class Value, int N>
void Cycle<ExecutionSpace, Value, N>::finish(const ExecutionSpace& exec,
                                             const std::vector<MultigridLevel<ExecutionSpace>>& levels) {
  const MultigridLevel<ExecutionSpace>& coarsest = levels.back();
  if (levels.size() == 1)
    scale_finest(exec, coarsest);
  levels_.push_back(Level());
  levels_.back().offsets = coarsest.offsets;
  int n_algebraic = 0;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    Level& level = levels_[l];
    const bool is_algebraic = !levels[l].is_geometric && !levels[l].is_merged;
    n_algebraic += is_algebraic ? 1 : 0;
    const bool is_repeated = options_.cycle == MultigridCycle::W ||
                             (options_.cycle == MultigridCycle::automatic && is_algebraic && n_algebraic <= 2);
    if (is_repeated && l + 2 < levels.size()) // the coarsest level is solved exactly
      level.n_visits = 2;
    if (is_algebraic && n_algebraic <= n_enlarged)
      level.correction = enlargement[n_algebraic - 1];
    add_vectors(exec, level, room_for_vectors(levels, l), l + 1 == levels.size());
  }
  const auto is_passed = [&](const Level& level) {
    const bool is_large = level.offsets.back() > most_recorded && level.n_visits == 1;
    return is_large || (level.is_distributed && !group_.is_recordable());
  };
  while (recorded_level_ + 1 < levels_.size() && is_passed(levels_[recorded_level_]))
    ++recorded_level_;
  const index_t n = coarsest.a.n_rows();
  require_regular(exec, coarsest);
  const auto inverse = dense_inverse(exec, coarsest.a);
  inverse_ = make_array<Array<Value*, Space>>(exec, "solvers::coarsest_inverse", inverse.extent(0));
  for_each("tessera::solvers::scale_inverse", exec, inverse.extent(0),
           ScaleInverse<Value, Space>{inverse, coarsest.scale(), n, inverse_});
  keep_alive(exec, inverse);
}

template <class ExecutionSpace, class Value, int N>
Cycle<ExecutionSpace, Value, N>::Cycle(const ExecutionSpace& exec, const Cycle<ExecutionSpace, Value>& one)
    : options_(one.options_), sums_(one.sums_), scale_(one.scale_), inverse_scale_(one.inverse_scale_),
      inverse_(one.inverse_), recorded_level_(one.recorded_level_) {
  TESSERA_ASSERT(!one.group_.is_distributed());
  if (one.rr_.extent(0) > 0) {
    workspace_ = ReduceWorkspace<ExecutionSpace>(exec, inverse_scale_.extent(0), N);
    rr_ = make_array<linalg::Vector<ExecutionSpace>>(exec, "solvers::cycle_norms", N);
  }
  for (const auto& from : one.levels_) {
    Level level;
    level.a = from.a;
    level.unit = from.unit;
    level.p = from.p;
    level.r = from.r;
    level.damping = from.damping;
    level.n_visits = from.n_visits;
    level.correction = from.correction;
    level.offsets = from.offsets;
    add_vectors(exec, level, static_cast<index_t>(from.b.extent(0)), &from == &one.levels_.back());
    levels_.push_back(level);
  }
}

template <class ExecutionSpace, class Value, int N>
void Cycle<ExecutionSpace, Value, N>::smooth(const ExecutionSpace& exec, Level& level, bool from_zero,
                                             ChebyshevKind kind) const {
  const auto beta = [&](int step) {
    return static_cast<Value>(level.damping * step_factor(options_.degree, kind, step));
  };
  int step = 1;
  if (from_zero) {
    if (options_.degree == 1) {
      for_each("tessera::solvers::first_step", exec, level.a.n_rows,
               detail::FirstStep<Value, Entry, Space>{level.b, beta(1), level.x});
      return;
    }
    update(exec, level.halo, level.b);
    linalg::for_each_sliced_row("tessera::solvers::two_steps", exec, level.a,
                                detail::TwoSteps<Value, Entry, Space>{level.unit, level.b, beta(1), beta(2), level.x});
    step = 3;
  }
  for (; step <= options_.degree; ++step) {
    update(exec, level.halo, level.x);
    linalg::for_each_sliced_row("tessera::solvers::smoother_step", exec, level.a,
                                detail::Step<Value, Entry, Space>{level.unit, level.b, level.x, beta(step), level.y});
    std::swap(level.x, level.y);
  }
}

template <class ExecutionSpace, class Value, int N>
void Cycle<ExecutionSpace, Value, N>::run(const ExecutionSpace& exec, std::size_t l, bool from_zero,
                                          ChebyshevKind kind) const {
  Level& level = levels_[l];
  if (l + 1 == levels_.size()) {
    multiply_dense(exec, inverse_, level.b, level.x);
    return;
  }
  Level& coarse = levels_[l + 1];
  smooth(exec, level, from_zero, kind);
  update(exec, level.halo, level.x);
  linalg::for_each_sliced_row("tessera::solvers::level_residual", exec, level.a,
                              detail::Residual<Value, Entry, Space>{level.unit, level.b, level.x, level.y});
  update(exec, level.r_halo, level.y);
  const bool is_gathered = level.is_distributed && !coarse.is_distributed;
  linalg::for_each_sliced_row("tessera::solvers::restrict", exec, level.r,
                              detail::Multiply<Value, Entry, Space>{
                                  level.y, false, is_gathered ? owned_part(coarse.offsets, coarse.b) : coarse.b});
  if (is_gathered)
    group_.all_gather_parts(exec, coarse.b.data(), coarse.offsets, sizeof(Entry));
  for (int number = 0; number < level.n_visits; ++number)
    visit(exec, l + 1, number == 0);
  update(exec, level.p_halo, coarse.x);
  linalg::for_each_sliced_row(
      "tessera::solvers::prolongate", exec, level.p,
      detail::Multiply<Value, Entry, Space>{coarse.x, true, level.x, static_cast<Value>(level.correction)});
  smooth(exec, level, false, kind);
}

template <class ExecutionSpace, class Value, int N>
void Cycle<ExecutionSpace, Value, N>::visit(const ExecutionSpace& exec, std::size_t l, bool from_zero) const {
  if (l != recorded_level_ || !from_zero)
    return run(exec, l, from_zero);
  run_recorded(exec, l);
  Level& level = levels_[l];
  if (result_.data() != level.x.data())
    std::swap(level.x, level.y);
}

template <class ExecutionSpace, class Value, int N>
void Cycle<ExecutionSpace, Value, N>::run_recorded(const ExecutionSpace& exec, std::size_t l) const {
  kernels_.run(exec, [this, l](const ExecutionSpace& queue) { result_ = cycle_from(queue, l); });
}

// Steps exchange the arrays of a level; each cycle begins with the same ones, as recorded kernels require.
template <class ExecutionSpace, class Value, int N>
typename Cycle<ExecutionSpace, Value, N>::vector_type
Cycle<ExecutionSpace, Value, N>::cycle_from(const ExecutionSpace& exec, std::size_t l, ChebyshevKind kind) const {
  std::vector<std::pair<vector_type, vector_type>> before;
  for (const Level& level : levels_)
    before.emplace_back(level.x, level.y);
  run(exec, l, true, kind);
  if (l == 0 && levels_.size() > 1) // otherwise they have no effect
    for (int number = 1; number < options_.n_cycles; ++number)
      run(exec, l, false, kind);
  const vector_type result = levels_[l].x;
  for (std::size_t k = 0; k < levels_.size(); ++k)
    std::tie(levels_[k].x, levels_[k].y) = before[k];
  return result;
}

template <class ExecutionSpace, class Value, int N>
typename Cycle<ExecutionSpace, Value, N>::vector_type
Cycle<ExecutionSpace, Value, N>::solution_for(const ExecutionSpace& exec, const const_wide_type& r,
                                              const double* rr) const {
  using Wide = linalg::EntryOf<double, N>;
  stream("tessera::solvers::cycle_rhs", exec, static_cast<std::int64_t>(inverse_scale_.extent(0)),
         detail::ScaledRhs<Value, Entry, Wide>{r.data(), inverse_scale_.data(), rr, levels_[0].b.data()});
  if (recorded_level_ > 0)
    return cycle_from(exec, 0);
  run_recorded(exec, 0);
  return result_;
}

template <class ExecutionSpace, class Value, int N>
void Cycle<ExecutionSpace, Value, N>::apply(const ExecutionSpace& exec, const const_wide_type& r,
                                            const wide_type& z) const {
  using Wide = linalg::EntryOf<double, N>;
  set_norm(exec, r);
  const vector_type solution = solution_for(exec, r, rr_.data());
  stream("tessera::solvers::cycle_solution", exec, static_cast<std::int64_t>(inverse_scale_.extent(0)),
         detail::ScaledSolution<Entry, Wide>{solution.data(), rr_.data(), scale_, z.data()});
}

template <class ExecutionSpace, class Value, int N>
void Cycle<ExecutionSpace, Value, N>::apply_dot(const ExecutionSpace& exec, const const_wide_type& r,
                                                const wide_type& z,
                                                const ResidualProducts<ExecutionSpace>& products) const {
  if constexpr (N == 1) {
    const double* const rr = rr_.extent(0) > 0 ? products.rr : nullptr;
    const vector_type solution = solution_for(exec, r, rr);
    linalg::global_sums<1>("tessera::solvers::cycle_solution", exec,
                           static_cast<std::int64_t>(inverse_scale_.extent(0)),
                           detail::ScaledSolutionDot<Entry>{{solution.data(), rr, scale_, z.data()}, r.data()},
                           products.workspace, products.rz, products.sums);
  } else {
    TESSERA_ASSERT(false);
  }
}

template <class ExecutionSpace, class Value, int N>
void Cycle<ExecutionSpace, Value, N>::set_norm(const ExecutionSpace& exec, const const_wide_type& r) const {
  const char* label = "tessera::solvers::cycle_norm";
  if (rr_.extent(0) == 0)
    return;
  if constexpr (N == 1)
    linalg::global_sums<1>(label, exec, r.extent(0), linalg::Products{r.data(), r.data()}, workspace_, rr_.data(),
                           sums_);
  else
    linalg::column_sums<1, N>(label, exec, r.extent(0), linalg::ColumnProducts<N>{r.data(), r.data()}, workspace_,
                              rr_.data());
}

// The right-hand sides of coarser levels have magnitudes close to that of the finest, their diagonals within some
// powers of two.
template <class ExecutionSpace, class Value, int N>
void Cycle<ExecutionSpace, Value, N>::start(const ExecutionSpace& exec,
                                            const std::vector<MultigridLevel<ExecutionSpace>>& levels,
                                            const const_wide_type& b, const wide_type& x) const {
  using Wide = linalg::EntryOf<double, N>;
  using Vector = wide_type;
  if (options_.is_compact)
    return start_from_copies(exec, b, x);
  std::vector<Vector> rhs;
  std::vector<Vector> solution;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const bool is_given = l == 0 && !levels[0].is_distributed(); // without ghosts
    const index_t n = room_for_vectors(levels, l);
    rhs.push_back(is_given ? Vector() : make_array<Vector>(exec, "solvers::full_rhs", n));
    solution.push_back(is_given ? x : make_array<Vector>(exec, "solvers::full_solution", n));
  }
  if (levels[0].is_distributed())
    copy_owned(exec, levels[0].a.n_rows(), rhs[0], b);
  const auto rhs_of = [&](std::size_t l) { return rhs[l].extent(0) > 0 ? const_wide_type(rhs[l]) : b; };
  for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
    const bool is_gathered = levels[l].is_distributed() && !levels[l + 1].is_distributed();
    const Vector coarse = is_gathered ? owned_part(levels[l + 1].offsets, rhs[l + 1]) : rhs[l + 1];
    update(exec, levels[l].restriction_columns, rhs[l]);
    for_each("tessera::solvers::full_restrict", exec, levels[l].restriction.n_rows(),
             linalg::RowProduct<1, linalg::FullColumns, Wide>{
                 linalg::product_of<Wide>(levels[l].restriction, rhs_of(l).data(), coarse.data())});
    if (is_gathered)
      group_.all_gather_parts(exec, rhs[l + 1].data(), levels[l + 1].offsets, sizeof(Wide));
  }
  set_norm(exec, b);
  for (std::size_t l = levels.size(); l-- > 0;) {
    const index_t n = levels[l].a.n_rows();
    const bool is_coarsest = l + 1 == levels.size();
    if (is_coarsest) {
      linalg::set_to_zero(exec, solution[l]);
    } else {
      update(exec, levels[l].prolongation_columns, solution[l + 1]);
      for_each("tessera::solvers::full_prolongate", exec, n,
               linalg::RowProduct<1, linalg::FullColumns, Wide>{
                   linalg::product_of<Wide>(levels[l].prolongation, solution[l + 1].data(), solution[l].data())});
    }
    update(exec, levels[l].columns, solution[l]);
    for_each(
        "tessera::solvers::full_residual", exec, n,
        detail::ScaledResidual<Entry, Wide, Space>{{linalg::product_of<Wide>(levels[l].a, solution[l].data(), nullptr)},
                                                   rhs_of(l),
                                                   levels[l].scale(),
                                                   rr_.data(),
                                                   scale_,
                                                   levels_[l].b});
    const vector_type correction = cycle_from(exec, l, ChebyshevKind::fourth);
    stream("tessera::solvers::full_correct", exec, n,
           detail::ScaledCorrection<Entry, Wide>{correction.data(), rr_.data(), scale_, solution[l].data()});
  }
  if (levels[0].is_distributed())
    copy_owned(exec, levels[0].a.n_rows(), x, solution[0]);
  keep_alive(exec, rhs, solution);
}

// The same in terms of the copies used by cycles: equations divided by their diagonals, vectors multiplied by the
// scale.
template <class ExecutionSpace, class Value, int N>
void Cycle<ExecutionSpace, Value, N>::start_from_copies(const ExecutionSpace& exec, const const_wide_type& b,
                                                        const wide_type& x) const {
  using Wide = linalg::EntryOf<double, N>;
  std::vector<wide_type> rhs;
  std::vector<wide_type> solution;
  for (const Level& level : levels_) {
    rhs.push_back(make_array<wide_type>(exec, "solvers::full_rhs", level.b.extent(0)));
    solution.push_back(make_array<wide_type>(exec, "solvers::full_solution", level.b.extent(0)));
  }
  stream("tessera::solvers::full_rhs", exec, static_cast<std::int64_t>(b.extent(0)),
         detail::ScaledRhs<Value, Wide, Wide>{b.data(), inverse_scale_.data(), nullptr, rhs[0].data()});
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
    const bool is_gathered = levels_[l].is_distributed && !levels_[l + 1].is_distributed;
    update(exec, levels_[l].r_halo, rhs[l]);
    linalg::for_each_sliced_row(
        "tessera::solvers::full_restrict", exec, levels_[l].r,
        detail::Multiply<Value, Wide, Space>{
            rhs[l], false, is_gathered ? owned_part(levels_[l + 1].offsets, rhs[l + 1]) : rhs[l + 1]});
    if (is_gathered)
      group_.all_gather_parts(exec, rhs[l + 1].data(), levels_[l + 1].offsets, sizeof(Wide));
  }
  set_norm(exec, b);
  for (std::size_t l = levels_.size(); l-- > 0;) {
    const Level& level = levels_[l];
    const bool is_coarsest = l + 1 == levels_.size();
    const std::int64_t n = is_coarsest ? static_cast<std::int64_t>(level.b.extent(0)) : level.a.n_rows;
    if (is_coarsest) {
      linalg::set_to_zero(exec, solution[l]);
      stream("tessera::solvers::full_coarsest_rhs", exec, n,
             detail::OverNorms<Entry, Wide>{rhs[l].data(), rr_.data(), level.b.data()});
    } else {
      update(exec, level.p_halo, solution[l + 1]);
      linalg::for_each_sliced_row("tessera::solvers::full_prolongate", exec, level.p,
                                  detail::Multiply<Value, Wide, Space>{solution[l + 1], false, solution[l]});
      update(exec, level.halo, solution[l]);
      linalg::for_each_sliced_row("tessera::solvers::full_residual", exec, level.a,
                                  detail::ResidualOverNorms<Entry, Wide, Space>{
                                      level.unit, rhs[l], solution[l], level.lost_row_sum, rr_.data(), level.b});
    }
    const vector_type correction = cycle_from(exec, l, ChebyshevKind::fourth);
    stream("tessera::solvers::full_correct", exec, n,
           detail::ScaledCorrection<Entry, Wide>{correction.data(), rr_.data(), 1., solution[l].data()});
  }
  stream("tessera::solvers::full_solution", exec, static_cast<std::int64_t>(x.extent(0)),
         detail::ScaledSolution<Wide, Wide>{solution[0].data(), nullptr, scale_, x.data()});
  keep_alive(exec, rhs, solution);
}

template <class ExecutionSpace, class Value, int N>
std::int64_t Cycle<ExecutionSpace, Value, N>::bytes_of_level(std::size_t l) const {
  const Level& level = levels_[l];
  const std::size_t n_values = (l == 0 ? inverse_scale_.span() : 0) + (l + 1 == levels_.size() ? inverse_.span() : 0);
  const std::size_t n_entries = level.b.span() + level.x.span() + level.y.span();
  return static_cast<std::int64_t>(n_values * sizeof(Value) + n_entries * sizeof(Entry) +
                                   level.lost_row_sum.span() * sizeof(float)) +
         level.a.bytes() + level.p.bytes() + level.r.bytes();
}

// Traffic of a visit of a level with k steps before and after the coarser level: the matrix 2 k times (including the
// residual, without the first step), three vectors each time, P and its transpose once.
template <class ExecutionSpace, class Value, int N> linalg::Traffic Cycle<ExecutionSpace, Value, N>::traffic() const {
  linalg::Traffic sum;
  double visits = 1.;
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
    const Level& level = levels_[l];
    const double vector_bytes = static_cast<double>(level.b.extent(0)) * sizeof(Entry);
    const double products = 2. * options_.degree;
    sum.bytes += visits * (products * (level.a.bytes_read() + 3. * vector_bytes) + level.p.bytes_read() +
                           level.r.bytes_read() + 4. * vector_bytes);
    sum.flops += visits * 2. * N * products * static_cast<double>(level.a.values.extent(0));
    visits *= level.n_visits;
  }
  sum.bytes += visits * static_cast<double>(inverse_.extent(0)) * sizeof(Value);
  sum.bytes +=
      static_cast<double>(inverse_scale_.extent(0)) * (3. * N * sizeof(double) + (1. + 2. * N) * sizeof(Value));
  return sum;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template class Cycle<Space, double>;                                                                                 \
  template class Cycle<Space, float>;                                                                                  \
  template class Cycle<Space, double, few_columns>;                                                                    \
  template class Cycle<Space, float, few_columns>;                                                                     \
  template class Cycle<Space, double, most_columns>;                                                                   \
  template class Cycle<Space, float, most_columns>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
