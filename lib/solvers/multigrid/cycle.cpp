// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/multigrid/cycle.hpp"

#include "core/keep_alive.hpp"
#include "core/kokkos_ext/lanes.hpp"
#include "linalg/vector_kernels.hpp"
#include "solvers/diagonal_blocks.hpp"
#include "solvers/multigrid/cycle_kernels.hpp"

#include <cmath>
#include <utility>

namespace tessera::solvers {

namespace {

constexpr int n_lanes = 32; // of a row of the coarsest inverse

/// Damping of the steps: x += z, z = alpha z + beta / lambda D^-1 (b - A x).
struct StepFactors {
  double alpha;
  double beta;
};
StepFactors factors_of(const MultigridOptions& options, int step) { // counts from 1
  if (options.smoother == MultigridSmoother::jacobi || step == 1)
    return {0., 4. / 3.};
  return {(2. * step - 3.) / (2. * step + 1.), (8. * step - 4.) / (2. * step + 1.)};
}

/// Writes a matrix as one dense block, column by column.
template <class Space> struct FillDense {
  linalg::CrsMatrix<Space> a;
  index_t n;
  Array<double*, Space> values;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    for (offset_t k = a.offsets(i); k < a.offsets(i + 1); ++k)
      values(static_cast<std::int64_t>(a.columns(k)) * n + i) = a.values(k);
  }
};

template <class Value, class Space> struct ScaledInverse {
  Array<const double*, Space> diagonal;
  double factor;
  Array<Value*, Space> result;
  KOKKOS_FUNCTION void operator()(index_t i) const { result(i) = static_cast<Value>(factor / diagonal(i)); }
};

/// A row of a dense symmetric matrix times a vector: term j goes to sum j mod n_lanes, and a binary tree adds the sums.
template <class Value, class Space> struct DenseRow {
  Array<const Value*, Space> matrix;
  Array<const Value*, Space> x;
  index_t n;
  Array<Value*, Space> y;
  KOKKOS_FUNCTION Value part(index_t i, int lane) const {
    Value sum = 0;
    for (index_t j = lane; j < n; j += n_lanes)
      sum += matrix(static_cast<std::int64_t>(i) * n + j) * x(j);
    return sum;
  }
  KOKKOS_FUNCTION void operator()(index_t i) const { // by one thread
    Value sum[n_lanes];
    for (int lane = 0; lane < n_lanes; ++lane)
      sum[lane] = part(i, lane);
    for (int half = n_lanes / 2; half > 0; half /= 2)
      for (int lane = 0; lane < half; ++lane)
        sum[lane] += sum[lane + half];
    y(i) = sum[0];
  }
  KOKKOS_FUNCTION void operator()(std::int64_t item, int lane, bool exists) const {
    Value sum = exists ? part(static_cast<index_t>(item), lane) : Value(0);
    for (int half = n_lanes / 2; half > 0; half /= 2)
      sum += from_lane_after<n_lanes>(sum, half);
    if (exists && lane == 0)
      y(item) = sum;
  }
};

template <class Value, class ExecutionSpace, class Matrix>
CycleMatrix<Value, typename ExecutionSpace::memory_space> cycle_matrix(const ExecutionSpace& exec, const Matrix& matrix,
                                                                       double scale) {
  using Space = typename ExecutionSpace::memory_space;
  CycleMatrix<Value, Space> result;
  result.offsets = matrix.offsets;
  result.columns = matrix.columns;
  if constexpr (std::is_same_v<Value, double>)
    if (scale == 1.) {
      result.values = matrix.values;
      return result;
    }
  const auto values = make_array<Array<Value*, Space>>(exec, "solvers::cycle_values", matrix.n_entries());
  for_each("tessera::solvers::convert_matrix", exec, matrix.n_entries(),
           detail::Convert<double, Value, Space>{matrix.values, scale, values});
  result.values = values;
  return result;
}

template <class ExecutionSpace>
Array<double*, ExecutionSpace> invert(const ExecutionSpace& exec,
                                      const linalg::CrsMatrix<typename ExecutionSpace::memory_space>& a) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n = a.n_rows();
  linalg::BlockCrsMatrix<Space> block;
  block.dof_offsets = make_filled<decltype(block.dof_offsets)>(exec, "solvers::coarsest_dofs", 2, n);
  fill(exec, Kokkos::subview(block.dof_offsets, std::make_pair(0, 1)), 0);
  block.row_offsets = make_filled<decltype(block.row_offsets)>(exec, "solvers::coarsest_rows", 2, 1);
  fill(exec, Kokkos::subview(block.row_offsets, std::make_pair(0, 1)), 0);
  block.columns = make_filled<decltype(block.columns)>(exec, "solvers::coarsest_columns", 1, 0);
  block.value_offsets = make_filled<decltype(block.value_offsets)>(exec, "solvers::coarsest_offsets", 2, 0);
  block.values =
      make_filled<decltype(block.values)>(exec, "solvers::coarsest_values", static_cast<std::int64_t>(n) * n, 0.);
  block.n_unknowns = n;
  block.block_size = n;
  block.largest_block = n;
  for_each("tessera::solvers::fill_coarsest", exec, n, FillDense<Space>{a, n, block.values});
  return invert_diagonal_blocks(exec, block, "multigrid, coarsest level").values; // waits
}

} // namespace

template <class ExecutionSpace, class Value>
Cycle<ExecutionSpace, Value>::Cycle(const ExecutionSpace& exec, const std::vector<MultigridLevel<Space>>& levels,
                                    const MultigridOptions& options)
    : options_(options) {
  if constexpr (!std::is_same_v<Value, double>) {
    int exponent = 0;
    std::frexp(read_entry(exec, levels[0].diagonal, 0), &exponent);
    scale_ = std::ldexp(1., -exponent);
    workspace_ = ReduceWorkspace<ExecutionSpace>(exec, levels[0].a.n_rows(), 1);
    rr_ = make_array<linalg::Vector<ExecutionSpace>>(exec, "solvers::cycle_norm", 1);
  }
  int n_algebraic = 0;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const MultigridLevel<Space>& from = levels[l];
    const index_t n = from.a.n_rows();
    Level level;
    n_algebraic += from.is_geometric ? 0 : 1;
    const bool is_repeated = options.cycle == MultigridCycle::W ||
                             (options.cycle == MultigridCycle::automatic && !from.is_geometric && n_algebraic <= 2);
    if (is_repeated && l + 2 < levels.size()) // the coarsest is solved at once
      level.n_visits = 2;
    level.b = make_array<vector_type>(exec, "solvers::level_rhs", n);
    level.x = make_array<vector_type>(exec, "solvers::level_solution", n);
    if (l + 1 < levels.size()) {
      level.y = make_array<vector_type>(exec, "solvers::level_next_solution", n);
      level.z = make_array<vector_type>(exec, "solvers::level_direction", n);
      level.a = cycle_matrix<Value>(exec, from.a, scale_);
      level.scaled_inverse = make_array<vector_type>(exec, "solvers::level_inverse_diagonal", n);
      for_each("tessera::solvers::scaled_inverse", exec, n,
               ScaledInverse<Value, Space>{from.diagonal, 1. / (scale_ * from.eigenvalue_bound), level.scaled_inverse});
      level.p = cycle_matrix<Value>(exec, from.prolongation, 1.);
      level.r = cycle_matrix<Value>(exec, from.restriction, 1.);
    }
    levels_.push_back(level);
  }
  const auto inverse = invert(exec, levels.back().a);
  inverse_ = make_array<vector_type>(exec, "solvers::coarsest_inverse", inverse.extent(0));
  for_each("tessera::solvers::convert_inverse", exec, inverse.extent(0),
           detail::Convert<double, Value, Space>{inverse, 1. / scale_, inverse_});
  keep_alive(exec, inverse);
}

template <class ExecutionSpace, class Value>
void Cycle<ExecutionSpace, Value>::smooth(const ExecutionSpace& exec, Level& level, bool from_zero) const {
  const index_t n = level.a.n_rows();
  int step = 1;
  if (from_zero) {
    const detail::FirstDirection<Value, Space> direction{level.scaled_inverse, level.b,
                                                         static_cast<Value>(factors_of(options_, 1).beta)};
    if (options_.degree == 1) {
      for_each("tessera::solvers::first_step", exec, n, detail::FirstStep<Value, Space>{direction, level.x});
      return;
    }
    const StepFactors second = factors_of(options_, 2);
    for_each("tessera::solvers::two_steps", exec, n,
             detail::TwoSteps<Value, Space>{level.a, direction, static_cast<Value>(second.alpha),
                                            static_cast<Value>(second.beta), level.x,
                                            options_.degree > 2 ? level.z : vector_type()});
    step = 3;
  }
  for (; step <= options_.degree; ++step) {
    const StepFactors factors = factors_of(options_, step);
    for_each("tessera::solvers::smoother_step", exec, n,
             detail::Step<Value, Space>{level.a, level.scaled_inverse, level.b, level.x,
                                        static_cast<Value>(factors.alpha), static_cast<Value>(factors.beta),
                                        step < options_.degree, level.z, level.y});
    std::swap(level.x, level.y);
  }
}

template <class ExecutionSpace, class Value>
void Cycle<ExecutionSpace, Value>::run(const ExecutionSpace& exec, std::size_t l, bool from_zero) const {
  Level& level = levels_[l];
  const index_t n = static_cast<index_t>(level.b.extent(0));
  if (l + 1 == levels_.size()) {
    const char* label = "tessera::solvers::coarsest_level";
    const DenseRow<Value, Space> rows{inverse_, level.b, n, level.x};
    if constexpr (is_host_space<ExecutionSpace>)
      for_each(label, exec, n, rows);
    else
      for_each_lane<n_lanes>(label, exec, n, rows);
    return;
  }
  Level& coarse = levels_[l + 1];
  smooth(exec, level, from_zero);
  for_each("tessera::solvers::level_residual", exec, n,
           detail::Residual<Value, Space>{level.a, level.b, level.x, level.y});
  for_each("tessera::solvers::restrict", exec, coarse.b.extent(0),
           detail::Multiply<Value, Space>{level.r, level.y, false, coarse.b});
  for (int visit = 0; visit < level.n_visits; ++visit)
    run(exec, l + 1, visit == 0);
  for_each("tessera::solvers::prolongate", exec, n, detail::Multiply<Value, Space>{level.p, coarse.x, true, level.x});
  smooth(exec, level, false);
}

template <class ExecutionSpace, class Value>
void Cycle<ExecutionSpace, Value>::apply(const ExecutionSpace& exec, const linalg::ConstVector<ExecutionSpace>& r,
                                         const linalg::Vector<ExecutionSpace>& z) const {
  const Level& finest = levels_[0];
  const auto n = static_cast<std::int64_t>(finest.b.extent(0));
  const char* rhs = "tessera::solvers::cycle_rhs";
  const char* solution = "tessera::solvers::cycle_solution";
  if constexpr (std::is_same_v<Value, double>) {
    for_each(rhs, exec, n, detail::Convert<double, Value, Space>{r, scale_, finest.b});
    run(exec, 0, true);
    for_each(solution, exec, n, detail::Convert<Value, double, Space>{finest.x, 1., z});
  } else {
    ordered_sums<1>("tessera::solvers::cycle_norm", exec, n, linalg::Products{r.data(), r.data()}, workspace_,
                    rr_.data());
    for_each(rhs, exec, n, detail::ConvertByNorm<double, Value, Space>{r, rr_, 1., true, finest.b});
    run(exec, 0, true);
    for_each(solution, exec, n, detail::ConvertByNorm<Value, double, Space>{finest.x, rr_, scale_, false, z});
  }
}

template <class ExecutionSpace, class Value>
std::int64_t Cycle<ExecutionSpace, Value>::bytes_of_level(std::size_t l) const {
  const Level& level = levels_[l];
  std::size_t n_values = level.scaled_inverse.span() + level.b.span() + level.x.span() + level.y.span() +
                         level.z.span() + (l + 1 == levels_.size() ? inverse_.span() : 0);
  if constexpr (!std::is_same_v<Value, double>) // otherwise the matrices share their values, too
    n_values += level.a.values.span() + level.p.values.span() + level.r.values.span();
  return static_cast<std::int64_t>(n_values * sizeof(Value));
}

// Traffic of a visit of a level of n rows and m entries, with k steps before and after the coarser level: the matrix
// 2 k times (with the residual, without the first step), its vectors four each time, P and its transpose once.
template <class ExecutionSpace, class Value> linalg::Traffic Cycle<ExecutionSpace, Value>::traffic() const {
  linalg::Traffic sum;
  double visits = 1.;
  const auto bytes_of = [](const CycleMatrix<Value, Space>& a) {
    return static_cast<double>(a.values.extent(0)) * (sizeof(Value) + sizeof(index_t)) +
           static_cast<double>(a.offsets.extent(0)) * sizeof(offset_t);
  };
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
    const Level& level = levels_[l];
    const auto n = static_cast<double>(level.b.extent(0));
    const double products = 2. * options_.degree;
    sum.bytes += visits * (products * (bytes_of(level.a) + 4. * n * sizeof(Value)) + bytes_of(level.p) +
                           bytes_of(level.r) + 4. * n * sizeof(Value));
    sum.flops += visits * 2. * products * static_cast<double>(level.a.values.extent(0));
    visits *= level.n_visits;
  }
  sum.bytes += visits * static_cast<double>(inverse_.extent(0)) * sizeof(Value);
  const auto n = static_cast<double>(levels_[0].b.extent(0));
  sum.bytes += 2. * n * (sizeof(double) + sizeof(Value));
  return sum;
}

#define TESSERA_INSTANTIATE(Space)                                                                                     \
  template class Cycle<Space, double>;                                                                                 \
  template class Cycle<Space, float>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
