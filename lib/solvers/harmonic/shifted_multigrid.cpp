// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/harmonic/shifted_multigrid.hpp"

#include "core/assert.hpp"
#include "core/keep_alive.hpp"
#include "core/kokkos_ext/math.hpp"
#include "solvers/block/diagonal_blocks.hpp"
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

/// Bounds of the eigenvalues' moduli of D^-1 A for one shift by |D^-1 A| w over w, the largest entry of which is a
/// bound for any w > 0 (L. Collatz, Math. Z. 48, 1942).
template <class Space> struct ShiftedBound {
  ShiftedRows<float, Space> a;
  double re;
  double im;
  Array<const double*, Space> w; // empty: 1
  Array<double*, Space> product; // |D^-1 A| w; may be empty
  KOKKOS_FUNCTION double size(double k, double m) const {
    const double x = k + re * m;
    const double y = im * m;
    return math::sqrt(x * x + y * y);
  }
  KOKKOS_FUNCTION void operator()(index_t i, double& largest) const {
    const int rows = a.k.slice_rows(a.k.n_sums);
    const index_t slice = i / rows;
    const offset_t end = a.k.end_of(slice);
    const bool weighted = w.extent(0) > 0;
    const double own = size(a.k_diagonal(i), a.m_diagonal(i));
    const double owned_weight = weighted ? w(i) : 1.;
    double sum = own * owned_weight;
    for (int t = 0; t < a.k.n_sums; ++t)
      for (offset_t e = a.k.begin_of(slice) + i % rows * a.k.n_sums + t; e < end; e += rows * a.k.n_sums)
        sum += size(a.k.values(e), a.m(e)) * (weighted ? w(a.column(i, e)) : 1.);
    sum /= own;
    if (product.extent(0) > 0)
      product(i) = sum;
    largest = sum > largest * owned_weight ? sum / owned_weight : largest;
  }
};

/// Writes K + s M of each column as a dense real block [[Re, -Im], [Im, Re]] of 2 n rows, column by column.
template <int N, class Space> struct FillCoarsest {
  ShiftedMatrix<Space> a;
  linalg::Pack<double, 2 * N> shift;
  linalg::BlockCrsMatrix<Space> blocks;
  KOKKOS_FUNCTION void operator()(index_t item) const {
    const std::int64_t n = static_cast<std::int64_t>(a.k.offsets.extent(0)) - 1;
    const auto c = static_cast<int>(item / n);
    const auto i = static_cast<index_t>(item % n);
    double* const block = blocks.values.data() + c * 4 * n * n;
    for (std::int64_t j = 0; j < 2 * n; ++j)
      block[j * 2 * n + i] = block[j * 2 * n + n + i] = 0.;
    for (offset_t e = a.k.offsets(i); e < a.k.offsets(i + 1); ++e) {
      const std::int64_t j = a.k.columns(e);
      const double re = a.k.values(e) + shift.column[2 * c] * a.m(e);
      const double im = shift.column[2 * c + 1] * a.m(e);
      block[j * 2 * n + i] = re;
      block[j * 2 * n + n + i] = im;
      block[(n + j) * 2 * n + i] = -im;
      block[(n + j) * 2 * n + n + i] = re;
    }
    if (item > 0)
      return;
    for (int b = 0; b <= N; ++b) {
      blocks.dof_offsets(b) = static_cast<index_t>(b * 2 * n);
      blocks.row_offsets(b) = b;
      blocks.value_offsets(b) = static_cast<offset_t>(b * 4 * n * n);
      if (b < N)
        blocks.columns(b) = b;
    }
  }
};

/// Takes the complex entries of the inverses from the first n columns of the blocks.
template <int N, class Space> struct TakeInverse {
  Array<const double*, Space> blocks;
  index_t n;
  double unit;
  Array<linalg::Pack<float, 2 * N>*, Space> inverse;
  KOKKOS_FUNCTION void operator()(index_t item) const {
    const std::int64_t i = item / n;
    const std::int64_t j = item % n;
    for (int c = 0; c < N; ++c)
      for (int part = 0; part < 2; ++part)
        inverse(item).column[2 * c + part] =
            static_cast<float>(unit * blocks(c * 4 * std::int64_t(n) * n + j * 2 * n + part * n + i));
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
template <int N, class Space> struct FirstShiftedStep {
  using Entry = linalg::Pack<float, 2 * N>;
  ShiftedRows<float, Space> a;
  const detail::LevelShifts<N>* shifts;
  const Entry* b;
  Entry* x;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const Entry inverse = detail::inverse_of(a.k_diagonal(i), shifts->shift, a.m_diagonal(i));
    x[i] = shifts->step[0] * detail::complex_product(inverse, b[i]);
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

/// Norm of each column, for both of its parts.
template <int N> KOKKOS_FUNCTION linalg::Pack<double, 2 * N> column_norms(const double* rr) {
  linalg::Pack<double, 2 * N> norms;
  for (int k = 0; k < 2 * N; ++k)
    norms.column[k] = detail::norm_of(rr + k / 2);
  return norms;
}

/// b = r / ||r||
template <int N> struct NormalizedRhs {
  using Wide = linalg::Pack<double, 2 * N>;
  using Entry = linalg::Pack<float, 2 * N>;
  const Wide* r;
  const double* rr;
  Entry* b;
  Wide factor = {};
  KOKKOS_FUNCTION void load() {
    const Wide norms = column_norms<N>(rr);
    for (int k = 0; k < 2 * N; ++k)
      factor.column[k] = 1. / norms.column[k];
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { b[i] = linalg::converted<Entry>(factor * r[i]); }
};

/// z = ||r|| / unit x
template <int N> struct RestoredSolution {
  using Wide = linalg::Pack<double, 2 * N>;
  using Entry = linalg::Pack<float, 2 * N>;
  const Entry* x;
  const double* rr;
  double unit;
  Wide* z;
  Wide factor = {};
  KOKKOS_FUNCTION void load() { factor = column_norms<N>(rr) / unit; }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { z[i] = factor * linalg::converted<Wide>(x[i]); }
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

  const auto bounds = make_array<Array<double*, Space>>(exec, "solvers::shifted_bounds", n_levels * N);
  const auto bound = [&](std::size_t l, std::size_t c, const Array<const double*, Space>& w,
                         const Array<double*, Space>& product) { // in the space's memory: does not wait
    const auto& a = levels_->levels[l].a;
    const Kokkos::View<double, Space> result = Kokkos::subview(bounds, l * N + c);
    Kokkos::parallel_reduce("tessera::solvers::shifted_bound",
                            Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, a.size()),
                            ShiftedBound<Space>{a, scaled[c].real(), scaled[c].imag(), w, product},
                            Kokkos::Max<double, Space>(result));
    if (product.extent(0) > 0)
      levels_->levels[l].a_ghosts.columns().update(exec, product);
  };
  const auto bounds_of_all = [&] {
    auto host = to_host(exec, bounds);
    for (std::size_t l = 0; l < n_levels; ++l)
      for (std::size_t c = 0; c < N && levels_->levels[l].is_distributed(); ++c)
        host(l * N + c) = levels_->group.world->largest(host(l * N + c));
    return host;
  };
  for (std::size_t l = 0; l < n_levels; ++l)
    for (std::size_t c = 0; c < N; ++c)
      bound(l, c, {}, {});
  auto host_bounds = bounds_of_all();
  std::vector<Array<double*, Space>> weights;
  for (std::size_t l = 0; l < n_levels; ++l)
    for (std::size_t c = 0; c < N; ++c)
      if (host_bounds(l * N + c) > sharp_bound) {
        Array<double*, Space> w;
        for (int k = 0; k <= n_weightings; ++k) {
          const auto& level = levels_->levels[l];
          const auto next = make_array<Array<double*, Space>>(
              exec, "solvers::bound_weights", std::max(level.a.size(), level.a_ghosts.columns().size()));
          bound(l, c, w, next);
          weights.push_back(w = next);
        }
      }
  host_bounds = bounds_of_all(); // waits

  const Kokkos::View<detail::LevelShifts<N>*, Kokkos::HostSpace> host("tessera::solvers::level_shifts", n_levels);
  for (std::size_t l = 0; l < n_levels; ++l) {
    host(l).shift = detail::parts_of<float, N>(scaled);
    for (int number = 0; number < levels_->degree; ++number)
      for (int k = 0; k < 2 * N; ++k)
        host(l).step[number].column[k] =
            static_cast<float>(step_factor(levels_->degree, ChebyshevKind::fourth, number + 1) /
                               (bound_margin * std::max(1., host_bounds(l * N + static_cast<std::size_t>(k / 2)))));
  }
  copy(exec, shifts_, host);
  invert_coarsest(exec, shifts);
  keep_alive(exec, host);
}

template <class ExecutionSpace, int N>
void ShiftedMultigrid<ExecutionSpace, N>::invert_coarsest(const ExecutionSpace& exec, const Shifts<N>& shifts) {
  const ShiftedMatrix<Space>& a = levels_->coarsest;
  const index_t n = a.size();
  linalg::BlockCrsMatrix<Space> blocks;
  blocks.dof_offsets = make_array<decltype(blocks.dof_offsets)>(exec, "solvers::coarsest_dofs", N + 1);
  blocks.row_offsets = make_array<decltype(blocks.row_offsets)>(exec, "solvers::coarsest_rows", N + 1);
  blocks.columns = make_array<decltype(blocks.columns)>(exec, "solvers::coarsest_columns", N);
  blocks.value_offsets = make_array<decltype(blocks.value_offsets)>(exec, "solvers::coarsest_offsets", N + 1);
  blocks.values = make_array<decltype(blocks.values)>(exec, "solvers::coarsest_values", std::int64_t(4 * N) * n * n);
  blocks.n_unknowns = 2 * N * n;
  blocks.block_size = 2 * n;
  blocks.largest_block = 2 * n;
  for_each("tessera::solvers::fill_shifted_coarsest", exec, std::int64_t(N) * n,
           FillCoarsest<N, Space>{a, detail::parts_of<double, N>(shifts), blocks});
  const auto inverse = invert_diagonal_blocks(exec, blocks, "multigrid, coarsest level"); // waits
  for_each("tessera::solvers::take_shifted_inverse", exec, std::int64_t(n) * n,
           TakeInverse<N, Space>{inverse.values, n, levels_->k_unit, inverse_});
  keep_alive(exec, inverse);
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
  if (from_zero)
    for_each("tessera::solvers::shifted_first_step", exec, level.a.size(),
             FirstShiftedStep<N, Space>{level.a, shifts_.data() + l, work.b.data(), work.x.data()});
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
  linalg::for_each_sliced_row("tessera::solvers::shifted_restrict", exec, level.r,
                              detail::Multiply<float, Entry, Space>{work.y, false, restricted});
  if (is_gathered)
    levels_->group.all_gather_parts(exec, coarse.b.data(), coarse_level.offsets, sizeof(Entry));
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
void ShiftedMultigrid<ExecutionSpace, N>::apply(const ExecutionSpace& exec, const const_vector_type& r,
                                                const double* rr, const vector_type& z) const {
  const auto n = static_cast<std::int64_t>(r.extent(0));
  stream("tessera::solvers::shifted_rhs", exec, n, NormalizedRhs<N>{r.data(), rr, work_[0].b.data()});
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
  stream("tessera::solvers::shifted_solution", exec, n,
         RestoredSolution<N>{result_.data(), rr, levels_->k_unit, z.data()});
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
    sum.bytes += visits * (2. * levels_->degree * product + 2. * vector + 2. * sizeof(float) * n +
                           levels[l].r.bytes_read() + levels[l].p.bytes_read() + 3. * vector + 2. * coarse);
    sum.flops += visits * 2. * levels_->degree * 8. * N * n_entries;
    visits *= levels[l].n_visits;
  }
  sum.bytes += visits * static_cast<double>(inverse_.span()) * sizeof(Entry);
  sum.bytes += static_cast<double>(levels[0].a.size()) * 2. * (2. * N * sizeof(double) + sizeof(Entry));
  return sum;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template class ShiftedMultigrid<Space, 1>;                                                                           \
  template class ShiftedMultigrid<Space, 2>;                                                                           \
  template class ShiftedMultigrid<Space, 4>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
