// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/harmonic/shifted_multigrid.hpp"

#include "core/assert.hpp"
#include "core/keep_alive.hpp"
#include "core/kokkos_ext/math.hpp"
#include "solvers/block/block_inverse.hpp"
#include "solvers/harmonic/complex_inverse.hpp"
#include "solvers/multigrid/cycle_kernels.hpp"
#include "solvers/multigrid/smoother_factors.hpp"

#include <algorithm>
#include <utility>

namespace tessera::solvers {

namespace {

/// Gershgorin's bound is multiplied by this, for the rounding of the levels.
constexpr double bound_margin = 1.1;

/// Above this the bound by row sums is replaced by weighted ones, as for real matrices (multigrid/hierarchy.cpp).
constexpr double sharp_bound = 2.4;
constexpr int n_weightings = 3;

/// The largest bound of each column.
template <int N> struct LargestBounds { double of[N]; };

/// Bounds of the eigenvalues' moduli of D^-1 A by |D^-1 A| w over w, the largest entry of which is a bound for any w >
/// 0 (L. Collatz, Math. Z. 48, 1942): of each column, with its own shift.
template <int N, class Space> struct ShiftedBound {
  using value_type = LargestBounds<N>;
  using Weights = linalg::Pack<double, N>;
  ShiftedRows<float, Space> a;
  linalg::Pack<double, 2 * N> shift;
  Array<const Weights*, Space> w; // empty: 1
  Array<Weights*, Space> product; // |D^-1 A| w; may be empty

  KOKKOS_FUNCTION void init(value_type& largest) const {
    for (int c = 0; c < N; ++c)
      largest.of[c] = 0.;
  }
  KOKKOS_FUNCTION void join(value_type& largest, const value_type& other) const {
    for (int c = 0; c < N; ++c)
      largest.of[c] = other.of[c] > largest.of[c] ? other.of[c] : largest.of[c];
  }
  KOKKOS_FUNCTION double size(int c, double k, double m) const {
    const double x = k + shift.column[2 * c] * m;
    const double y = shift.column[2 * c + 1] * m;
    return math::sqrt(x * x + y * y);
  }
  KOKKOS_FUNCTION void operator()(index_t i, value_type& largest) const {
    const int rows = a.k.slice_rows(a.k.n_sums);
    const index_t slice = i / rows;
    const offset_t end = a.k.end_of(slice);
    const bool weighted = w.extent(0) > 0;
    Weights own, owned_weight, sum;
    for (int c = 0; c < N; ++c) {
      own.column[c] = size(c, a.k_diagonal(i), a.m_diagonal(i));
      owned_weight.column[c] = weighted ? w(i).column[c] : 1.;
      sum.column[c] = own.column[c] * owned_weight.column[c];
    }
    for (int t = 0; t < a.k.n_sums; ++t)
      for (offset_t e = a.k.begin_of(slice) + i % rows * a.k.n_sums + t; e < end; e += rows * a.k.n_sums) {
        const double k = a.k.values(e);
        const double m = a.m(e);
        const Weights weight = weighted ? w(a.column(i, e)) : Weights{};
        for (int c = 0; c < N; ++c)
          sum.column[c] += size(c, k, m) * (weighted ? weight.column[c] : 1.);
      }
    for (int c = 0; c < N; ++c) {
      sum.column[c] /= own.column[c];
      if (sum.column[c] > largest.of[c] * owned_weight.column[c])
        largest.of[c] = sum.column[c] / owned_weight.column[c];
    }
    if (product.extent(0) > 0)
      product(i) = sum;
  }
};

/// Inverts K + s M of a column, multiplied by 1 / `unit`, by a team.
template <int N, class ExecutionSpace> struct InvertShifted {
  using Space = typename ExecutionSpace::memory_space;
  using Team = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  ShiftedMatrix<Space> a;
  linalg::Pack<double, 2 * N> shift;
  double unit;
  Array<detail::DenseEntry*, Space> dense;   // [N][n][n]
  Array<detail::DenseEntry*, Space> scratch; // [N][3][n]
  Array<linalg::Pack<float, 2 * N>*, Space> inverse;
  Array<index_t*, Space> singular; // [N]: as invert_complex() returns

  KOKKOS_FUNCTION void operator()(index_t c) const { invert(detail::LoneThread(), c); }
  KOKKOS_FUNCTION void operator()(const Team& team) const { invert(team, static_cast<index_t>(team.league_rank())); }

private:
  template <class T> KOKKOS_FUNCTION void invert(const T& team, index_t c) const {
    const index_t n = static_cast<index_t>(a.k.offsets.extent(0)) - 1;
    const auto n_entries = static_cast<std::int64_t>(n) * n;
    detail::DenseEntry* const matrix = dense.data() + c * n_entries;
    for (index_t i = team.team_rank(); i < n; i += team.team_size()) {
      for (index_t j = 0; j < n; ++j)
        matrix[i * n + j] = {};
      for (offset_t e = a.k.offsets(i); e < a.k.offsets(i + 1); ++e)
        matrix[i * n + a.k.columns(e)] = {
            {a.k.values(e) + shift.column[2 * c] * a.m(e), shift.column[2 * c + 1] * a.m(e)}};
    }
    const index_t row = detail::invert_complex(team, matrix, n, scratch.data() + static_cast<std::int64_t>(c) * 3 * n);
    if (team.team_rank() == 0)
      singular(c) = row;
    team.team_barrier();
    for (std::int64_t e = team.team_rank(); e < n_entries; e += team.team_size())
      for (int part = 0; part < 2; ++part)
        inverse(e).column[2 * c + part] = static_cast<float>(unit * matrix[e].column[part]);
  }
};

/// y = B x with a dense matrix of complex columns; partial sums as in detail::DenseRow.
template <class Entry, class Space> struct DenseColumns {
  static constexpr int lanes = 32;
  Array<const Entry*, Space> matrix;
  Array<const Entry*, Space> x;
  index_t n;
  Array<Entry*, Space> y;
  KOKKOS_FUNCTION Entry part(index_t i, int lane) const {
    Entry sum{};
    for (index_t j = lane; j < n; j += lanes)
      sum += detail::complex_product(matrix(static_cast<std::int64_t>(i) * n + j), x(j));
    return sum;
  }
  KOKKOS_FUNCTION void operator()(index_t i) const { // by one thread
    Entry sum[lanes];
    for (int lane = 0; lane < lanes; ++lane)
      sum[lane] = part(i, lane);
    y(i) = sum_of_parts(sum);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    const Entry sum = sum_of_lanes<lanes>(exists ? part(static_cast<index_t>(item), lane) : Entry{});
    if (exists && lane == 0)
      y(item) = sum;
  }
};

/// x = beta_1 D^-1 b, one step from zero.
template <int N> struct FirstShiftedStep {
  using Entry = linalg::Pack<float, 2 * N>;
  const float* k_diagonal;
  const float* m_diagonal;
  const detail::LevelShifts<N>* shifts;
  Entry* x;
  KOKKOS_FUNCTION void write(std::int64_t i, const Entry& b) const {
    const Entry inverse = detail::inverse_of(k_diagonal[i], shifts->shift, m_diagonal[i]);
    x[i] = shifts->step[0] * detail::complex_product(inverse, b);
  }
};

/// The first step of level l, which is made with its right-hand side; none on the coarsest level.
template <int N, class Levels, class Work>
FirstShiftedStep<N> first_step(const Levels& levels, const std::vector<Work>& work,
                               const detail::LevelShifts<N>* shifts, std::size_t l) {
  const auto& a = levels[l].a;
  return {a.k_diagonal.data(), a.m_diagonal.data(), shifts + l, l + 1 < work.size() ? work[l].x.data() : nullptr};
}

/// b = P^T y, with the first step of the coarser level if it has one.
template <int N, class Space> struct RestrictShifted {
  using Entry = linalg::Pack<float, 2 * N>;
  Array<const Entry*, Space> y;
  Array<Entry*, Space> b;
  FirstShiftedStep<N> first; // x null: none
  KOKKOS_FUNCTION const Array<const Entry*, Space>& x() const { return y; }
  KOKKOS_FUNCTION Entry operand(index_t /*i*/) const { return {}; }
  KOKKOS_FUNCTION void finish(index_t i, const Entry& /*operand*/, const Entry& product) const {
    b(i) = product;
    if (first.x != nullptr)
      first.write(i, product);
  }
};

/// y = x + beta D^-1 (b - A x).
template <int N, class Space> struct ShiftedStep {
  using Entry = linalg::Pack<float, 2 * N>;
  const Entry* x;
  const float* k_diagonal;
  const float* m_diagonal;
  const detail::LevelShifts<N>* shifts;
  int number; // from 0
  const Entry* b;
  Entry* y;
  KOKKOS_FUNCTION void finish(index_t i, const Entry& own, const RowProducts<Entry>& products) const {
    const Entry shift = shifts->shift;
    const Entry residual = b[i] - products.k - detail::complex_product(shift, products.m);
    const Entry inverse = detail::inverse_of(k_diagonal[i], shift, m_diagonal[i]);
    y[i] = own + shifts->step[number] * detail::complex_product(inverse, residual);
  }
};

/// y = b - A x.
template <int N> struct ShiftedResidual {
  using Entry = linalg::Pack<float, 2 * N>;
  const Entry* x;
  const detail::LevelShifts<N>* shifts;
  const Entry* b;
  Entry* y;
  KOKKOS_FUNCTION void finish(index_t i, const Entry& /*own*/, const RowProducts<Entry>& products) const {
    y[i] = b[i] - products.k - detail::complex_product(shifts->shift, products.m);
  }
};

/// The first step for a right-hand side that other processes have a part in.
template <int N> struct FirstOfGathered {
  const linalg::Pack<float, 2 * N>* b;
  FirstShiftedStep<N> first;
  KOKKOS_FUNCTION void operator()(index_t i) const { first.write(i, b[i]); }
};

/// b = r / ||r||, with the first step of the finest level if it has one.
template <int N> struct NormalizedRhs {
  using Wide = linalg::Pack<double, 2 * N>;
  using Entry = linalg::Pack<float, 2 * N>;
  const Wide* r;
  const double* rr;
  Entry* b;
  FirstShiftedStep<N> first; // x null: none
  Wide factor = {};
  KOKKOS_FUNCTION void load() {
    const Wide norms = detail::column_norms<N>(rr);
    for (int k = 0; k < 2 * N; ++k)
      factor.column[k] = 1. / norms.column[k];
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto scaled = linalg::converted<Entry>(factor * r[i]);
    b[i] = scaled;
    if (first.x != nullptr)
      first.write(i, scaled);
  }
};

template <int N> struct WriteColumns {
  ScaledColumns<N> z;
  linalg::Pack<double, 2 * N>* to;
  KOKKOS_FUNCTION void load() { z.load(); }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = z.at(i); }
};

} // namespace

template <class ExecutionSpace, int N>
ShiftedMultigrid<ExecutionSpace, N>::ShiftedMultigrid(const ExecutionSpace& exec, std::shared_ptr<const Levels> levels,
                                                      const Shifts<N>& shifts)
    : levels_(std::move(levels)) {
  TESSERA_ASSERT(levels_->degree >= 1 && levels_->degree <= detail::most_degree);
  index_t as_coarser = 0;
  for (const auto& level : levels_->levels) {
    const index_t n =
        std::max({level.a.size(), as_coarser, level.a_ghosts.columns().size(), level.r_ghosts.columns().size()});
    as_coarser = level.p_ghosts.columns().size();
    for (const auto* ghosts : {&level.a_ghosts, &level.p_ghosts, &level.r_ghosts})
      ghosts->prepare(exec, 2 * N);
    Work work;
    for (Vector* const vector : {&work.b, &work.x, &work.y})
      *vector = make_array<Vector>(exec, "solvers::shifted_level_vector", n);
    work_.push_back(work);
  }
  shifts_ = make_array<decltype(shifts_)>(exec, "solvers::level_shifts", levels_->levels.size());
  const auto n = static_cast<std::int64_t>(levels_->coarsest.size());
  inverse_ = make_array<Vector>(exec, "solvers::shifted_inverse", n * n);
  set_shifts(exec, shifts);
}

template <class ExecutionSpace, int N>
void ShiftedMultigrid<ExecutionSpace, N>::set_shifts(const ExecutionSpace& exec, const Shifts<N>& shifts) {
  const std::size_t n_levels = levels_->levels.size();
  Shifts<N> scaled = shifts; // of K / k_unit + s' M / m_unit
  for (auto& shift : scaled)
    shift *= levels_->m_unit / levels_->k_unit;

  using Bound = ShiftedBound<N, Space>;
  using Weights = Array<typename Bound::Weights*, Space>;
  const linalg::Pack<double, 2 * N> parts = detail::parts_of<double, N>(scaled);
  const auto bounds = make_array<Array<LargestBounds<N>*, Space>>(exec, "solvers::shifted_bounds", n_levels);
  const auto bound = [&](std::size_t l, const Weights& w, const Weights& product) { // in the space's memory: no wait
    const auto& level = levels_->levels[l];
    const Kokkos::View<LargestBounds<N>, Space> result = Kokkos::subview(bounds, l);
    Kokkos::parallel_reduce("tessera::solvers::shifted_bound",
                            Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, level.a.size()),
                            Bound{level.a, parts, w, product}, result);
    if (product.extent(0) > 0)
      level.a_ghosts.update(exec, product);
  };
  const auto bounds_of_all = [&] {
    auto host = to_host(exec, bounds);
    for (std::size_t l = 0; l < n_levels; ++l)
      for (std::size_t c = 0; c < N && levels_->levels[l].is_distributed(); ++c)
        host(l).of[c] = levels_->group.world->largest(host(l).of[c]);
    return host;
  };
  for (std::size_t l = 0; l < n_levels; ++l)
    bound(l, {}, {});
  const auto by_sums = bounds_of_all();
  std::vector<Weights> weights;
  for (std::size_t l = 0; l < n_levels; ++l) {
    if (*std::max_element(by_sums(l).of, by_sums(l).of + N) <= sharp_bound)
      continue;
    Weights w;
    for (int k = 0; k <= n_weightings; ++k) {
      const auto& level = levels_->levels[l];
      const auto next = make_array<Weights>(exec, "solvers::bound_weights",
                                            std::max(level.a.size(), level.a_ghosts.columns().size()));
      bound(l, w, next);
      weights.push_back(w = next);
    }
  }
  const auto by_weights = bounds_of_all(); // waits
  const auto bound_of = [&](std::size_t l, int c) {
    const double of_sums = by_sums(l).of[c];
    return of_sums > sharp_bound ? by_weights(l).of[c] : of_sums;
  };

  const Kokkos::View<detail::LevelShifts<N>*, Kokkos::HostSpace> host("tessera::solvers::level_shifts", n_levels);
  for (std::size_t l = 0; l < n_levels; ++l) {
    host(l).shift = detail::parts_of<float, N>(scaled);
    for (int number = 0; number < levels_->degree; ++number)
      for (int k = 0; k < 2 * N; ++k)
        host(l).step[number].column[k] =
            static_cast<float>(step_factor(levels_->degree, ChebyshevKind::fourth, number + 1) /
                               (bound_margin * std::max(1., bound_of(l, k / 2))));
  }
  copy(exec, shifts_, host);
  invert_coarsest(exec, shifts);
  keep_alive(exec, host);
}

template <class ExecutionSpace, int N>
void ShiftedMultigrid<ExecutionSpace, N>::invert_coarsest(const ExecutionSpace& exec, const Shifts<N>& shifts) {
  const ShiftedMatrix<Space>& a = levels_->coarsest;
  const index_t n = a.size();
  using Numbers = Array<detail::DenseEntry*, Space>;
  const InvertShifted<N, ExecutionSpace> invert{
      a,
      detail::parts_of<double, N>(shifts),
      levels_->k_unit,
      make_array<Numbers>(exec, "solvers::coarsest_values", std::int64_t(N) * n * n),
      make_array<Numbers>(exec, "solvers::coarsest_scratch", std::int64_t(3 * N) * n),
      inverse_,
      make_array<Array<index_t*, Space>>(exec, "solvers::coarsest_singular", N)};
  const char* label = "tessera::solvers::invert_shifted_coarsest";
  if constexpr (is_host_space<ExecutionSpace>)
    for_each(label, exec, N, invert);
  else
    launch_teams(label, Kokkos::TeamPolicy<ExecutionSpace>(exec, N, 256), invert);
  const auto singular = to_host(exec, invert.singular); // waits
  for (int c = 0; c < N; ++c)
    TESSERA_REQUIRE_KIND(singular(c) < 0, ErrorKind::numerical,
                         "Preconditioner multigrid, coarsest level: K + s M is singular or not finite at unknown "
                             << singular(c) << " for s = " << shifts[static_cast<std::size_t>(c)] << '.');
}

template <class ExecutionSpace, int N>
void ShiftedMultigrid<ExecutionSpace, N>::step(const ExecutionSpace& exec, std::size_t l, int number) const {
  const auto& a = levels_->levels[l].a;
  Work& work = work_[l];
  levels_->levels[l].a_ghosts.update(exec, work.x);
  for_each_shifted_row("tessera::solvers::shifted_step", exec, a,
                       ShiftedStep<N, Space>{work.x.data(), a.k_diagonal.data(), a.m_diagonal.data(),
                                             shifts_.data() + l, number, work.b.data(), work.y.data()});
  std::swap(work.x, work.y);
}

template <class ExecutionSpace, int N>
void ShiftedMultigrid<ExecutionSpace, N>::run(const ExecutionSpace& exec, std::size_t l, bool from_zero) const {
  const auto& level = levels_->levels[l];
  Work& work = work_[l];
  if (l + 1 == work_.size()) {
    const DenseColumns<Entry, Space> rows{inverse_, work.b, level.a.size(), work.x};
    const char* label = "tessera::solvers::shifted_coarsest";
    if constexpr (has_lanes<ExecutionSpace>)
      for_each_lane<DenseColumns<Entry, Space>::lanes>(label, exec, level.a.size(), rows);
    else
      for_each(label, exec, level.a.size(), rows);
    return;
  }
  for (int number = from_zero ? 1 : 0; number < levels_->degree; ++number)
    step(exec, l, number);
  level.a_ghosts.update(exec, work.x);
  for_each_shifted_row("tessera::solvers::shifted_residual", exec, level.a,
                       ShiftedResidual<N>{work.x.data(), shifts_.data() + l, work.b.data(), work.y.data()});
  const Work& coarse = work_[l + 1];
  const auto& coarse_level = levels_->levels[l + 1];
  const bool is_gathered = level.is_distributed() && !coarse_level.is_distributed();
  Vector restricted = coarse.b;
  if (is_gathered) {
    const auto rank = static_cast<std::size_t>(levels_->group.world->rank());
    restricted = Kokkos::subview(coarse.b, std::make_pair(coarse_level.offsets[rank], coarse_level.offsets[rank + 1]));
  }
  level.r_ghosts.update(exec, work.y);
  const FirstShiftedStep<N> first = first_step<N>(levels_->levels, work_, shifts_.data(), l + 1);
  FirstShiftedStep<N> with_rhs = first;
  if (is_gathered)
    with_rhs.x = nullptr;
  linalg::for_each_sliced_row("tessera::solvers::shifted_restrict", exec, level.r,
                              RestrictShifted<N, Space>{work.y, restricted, with_rhs});
  if (is_gathered) {
    levels_->group.all_gather_parts(exec, coarse.b.data(), coarse_level.offsets, sizeof(Entry));
    if (first.x != nullptr)
      for_each("tessera::solvers::shifted_first_step", exec, coarse_level.a.size(),
               FirstOfGathered<N>{coarse.b.data(), first});
  }
  for (int number = 0; number < level.n_visits; ++number)
    run(exec, l + 1, number == 0);
  level.p_ghosts.update(exec, work_[l + 1].x);
  linalg::for_each_sliced_row("tessera::solvers::shifted_prolongate", exec, level.p,
                              detail::Multiply<float, Entry, Space>{coarse.x, true, work.x});
  for (int number = 0; number < levels_->degree; ++number)
    step(exec, l, number);
}

// Steps exchange the arrays of a level; each cycle begins with the same ones, as recorded kernels require.
template <class ExecutionSpace, int N>
ScaledColumns<N> ShiftedMultigrid<ExecutionSpace, N>::apply_scaled(const ExecutionSpace& exec,
                                                                   const const_vector_type& r, const double* rr) const {
  const auto n = static_cast<std::int64_t>(r.extent(0));
  stream(
      "tessera::solvers::shifted_rhs", exec, n,
      NormalizedRhs<N>{r.data(), rr, work_[0].b.data(), first_step<N>(levels_->levels, work_, shifts_.data(), 0), {}});
  const auto cycle = [this](const ExecutionSpace& queue) {
    const std::vector<Work> before = work_;
    run(queue, 0, true);
    result_ = work_[0].x;
    work_ = before;
  };
  if (levels_->levels[0].is_distributed() && !levels_->group.is_recordable())
    cycle(exec);
  else
    kernels_.run(exec, cycle);
  return {result_.data(), rr, levels_->k_unit, {}};
}

template <class ExecutionSpace, int N>
void ShiftedMultigrid<ExecutionSpace, N>::apply(const ExecutionSpace& exec, const const_vector_type& r,
                                                const double* rr, const vector_type& z) const {
  stream("tessera::solvers::shifted_solution", exec, static_cast<std::int64_t>(r.extent(0)),
         WriteColumns<N>{apply_scaled(exec, r, rr), z.data()});
}

// Traffic of a visit of a level with k steps before and after the coarser level: both matrices 2 k times (including the
// residual, without the first step), with row sums, diagonals and three vectors each time; the first step, P and its
// transpose once.
template <class ExecutionSpace, int N> linalg::Traffic ShiftedMultigrid<ExecutionSpace, N>::traffic() const {
  linalg::Traffic sum;
  double visits = 1.;
  const auto& levels = levels_->levels;
  for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
    const auto n = static_cast<double>(levels[l].a.size());
    const double vector = n * sizeof(Entry);
    const double coarse = static_cast<double>(levels[l + 1].a.size()) * sizeof(Entry);
    const auto n_entries = static_cast<double>(levels[l].a.m.span());
    const double product = levels[l].a.k.bytes_read() + sizeof(float) * (n_entries + 4. * n) + 3. * vector;
    sum.bytes += visits * (2. * levels_->degree * product + vector + 2. * sizeof(float) * n + levels[l].r.bytes_read() +
                           levels[l].p.bytes_read() + 3. * vector + 2. * coarse);
    sum.flops += visits * 2. * levels_->degree * 8. * N * n_entries;
    visits *= levels[l].n_visits;
  }
  sum.bytes += visits * static_cast<double>(inverse_.span()) * sizeof(Entry);
  sum.bytes += static_cast<double>(levels[0].a.size()) * (2. * N * sizeof(double) + sizeof(Entry));
  return sum;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template class ShiftedMultigrid<Space, 1>;                                                                           \
  template class ShiftedMultigrid<Space, 2>;                                                                           \
  template class ShiftedMultigrid<Space, 4>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
