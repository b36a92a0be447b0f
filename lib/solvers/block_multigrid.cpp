// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/block_multigrid.hpp"

#include "core/error.hpp"
#include "core/keep_alive.hpp"
#include "linalg/block_products.hpp"
#include "linalg/crs_product.hpp"
#include "linalg/vector_kernels.hpp"
#include "solvers/diagonal_blocks.hpp"
#include "solvers/multigrid/dense_level.hpp"
#include "solvers/multigrid/smoother_factors.hpp"

#include <cmath>

namespace tessera::solvers {

namespace {

/// Products of the power method; its estimate is from below, by less than the margin for matrices of elements.
constexpr int n_power_steps = 12;
constexpr double eigenvalue_margin = 1.1;

struct Subtract {
  double* r;
  KOKKOS_FUNCTION void operator()(index_t i, double product) const { r[i] -= product; }
};

/// z = alpha z + beta D^-1 r, and x += z or x = z.
struct Step {
  double alpha;
  double beta;
  bool sets_x;
  double* z;
  double* x;
  KOKKOS_FUNCTION void operator()(index_t i, double product) const {
    const double step = (alpha == 0. ? 0. : alpha * z[i]) + beta * product;
    z[i] = step;
    x[i] = sets_x ? step : x[i] + step;
  }
};

/// Numbers without a pattern, the same everywhere.
template <class Space> struct Scatter {
  Array<double*, Space> x;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::uint64_t bits = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u; // splitmix64
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    x(i) = static_cast<double>((bits ^ (bits >> 31)) >> 11) * 0x1p-52 - 1.;
  }
};

template <class Space> struct Scale {
  Array<const double*, Space> from;
  double factor;
  Array<double*, Space> to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to(i) = factor * from(i); }
};

template <class Space> struct Round {
  Array<const double*, Space> from;
  Array<float*, Space> to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to(i) = static_cast<float>(from(i)); }
};

/// The matrix with values in single precision, if that is asked for.
template <class ExecutionSpace>
linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>
in_precision(const ExecutionSpace& exec, const linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>& a,
             Precision precision) {
  using Space = typename ExecutionSpace::memory_space;
  if (precision == Precision::double_precision || a.is_single())
    return a;
  linalg::BlockCrsMatrix<Space> rounded = a;
  rounded.single_values = make_array<Array<float*, Space>>(exec, "solvers::rounded_blocks", a.n_values());
  rounded.values = {};
  stream("tessera::solvers::round_blocks", exec, a.n_values(), Round<Space>{a.values, rounded.single_values});
  return rounded;
}

} // namespace

template <class ExecutionSpace>
BlockMultigrid<ExecutionSpace>::BlockMultigrid(const ExecutionSpace& exec, const std::vector<BlockLevel<Space>>& levels,
                                               linalg::Symmetry symmetry, const MultigridOptions& options)
    : symmetry_(symmetry), options_(options) {
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const BlockLevel<Space>& from = levels[l];
    const bool is_coarsest = l + 1 == levels.size();
    Level level;
    const index_t n = from.a.n_unknowns;
    level.r = make_array<vector_type>(exec, "solvers::block_level_residual", n);
    level.x = make_array<vector_type>(exec, "solvers::block_level_solution", n);
    if (is_coarsest) {
      const auto coarsest = linalg::expand_blocks(exec, from.a);
      // The inverse of the transpose column by column is that of the matrix row by row.
      const auto transposed = is_symmetric() ? coarsest : linalg::transposed(exec, coarsest, n);
      coarsest_inverse_ = dense_inverse(exec, transposed);
      level.a = {exec, from.a, symmetry};
    } else {
      level.z = make_array<vector_type>(exec, "solvers::block_level_step", n);
      level.p = from.p;
      level.a = {exec, in_precision(exec, from.a, options.precision), symmetry};
      const auto inverse = invert_diagonal_blocks(exec, from.a, "multigrid");
      level.inverse = {exec, in_precision(exec, inverse, options.precision), symmetry};
      level.damping = 1. / (eigenvalue_margin * largest_eigenvalue(exec, level));
      level.n_visits = options.cycle == MultigridCycle::W && l + 2 < levels.size() ? 2 : 1; // the coarsest is exact
    }
    levels_.push_back(level);
  }
}

template <class ExecutionSpace>
double BlockMultigrid<ExecutionSpace>::largest_eigenvalue(const ExecutionSpace& exec, const Level& level) const {
  const index_t n = level.a.size();
  const ReduceWorkspace<ExecutionSpace> workspace(exec, n, 1);
  const auto square = make_array<vector_type>(exec, "solvers::power_norm", 1);
  const auto norm = [&] {
    linalg::dot<ExecutionSpace>(exec, level.x, level.x, workspace, square.data());
    return std::sqrt(read_entry(exec, square, 0));
  };
  stream("tessera::solvers::scatter", exec, n, Scatter<Space>{level.x});
  double size = norm();
  double eigenvalue = 0.;
  for (int step = 0; step < n_power_steps; ++step) {
    stream("tessera::solvers::scale", exec, n, Scale<Space>{level.x, 1. / size, level.z});
    level.a.apply(exec, level.z, level.r);
    level.inverse.apply(exec, level.r, level.x);
    size = norm();
    eigenvalue = size > eigenvalue ? size : eigenvalue;
  }
  TESSERA_REQUIRE_KIND(std::isfinite(eigenvalue) && eigenvalue > 0., ErrorKind::numerical,
                       "Preconditioner multigrid: a level's matrix of " << n << " unknowns is not finite or zero.");
  return eigenvalue;
}

template <class ExecutionSpace>
void BlockMultigrid<ExecutionSpace>::subtract_product(const ExecutionSpace& exec, const Level& level) const {
  linalg::for_each_row_of_product("tessera::solvers::block_residual", exec, level.a, level.z, Subtract{level.r.data()});
}

template <class ExecutionSpace>
void BlockMultigrid<ExecutionSpace>::smooth(const ExecutionSpace& exec, const Level& level, bool from_zero,
                                            bool with_residual) const {
  for (int step = 1; step <= options_.degree; ++step) {
    const StepFactors factors = factors_of(options_, step);
    linalg::for_each_row_of_product(
        "tessera::solvers::block_step", exec, level.inverse, level.r,
        Step{factors.alpha, factors.beta * level.damping, from_zero && step == 1, level.z.data(), level.x.data()});
    if (step < options_.degree || with_residual)
      subtract_product(exec, level);
  }
}

template <class ExecutionSpace>
void BlockMultigrid<ExecutionSpace>::run(const ExecutionSpace& exec, std::size_t l) const {
  const Level& level = levels_[l];
  if (l + 1 == levels_.size())
    return multiply_dense(exec, coarsest_inverse_, level.r, level.x);
  const Level& coarse = levels_[l + 1];
  smooth(exec, level, true, true);
  for (int visit = 0; visit < level.n_visits; ++visit) {
    linalg::restrict_to<ExecutionSpace>(exec, level.p, level.r, coarse.r);
    run(exec, l + 1);
    linalg::interpolate_and_add<ExecutionSpace>(exec, level.p, coarse.x, level.z, level.x);
    subtract_product(exec, level);
  }
  smooth(exec, level, false, false);
}

template <class ExecutionSpace>
void BlockMultigrid<ExecutionSpace>::apply(const ExecutionSpace& exec, const const_vector_type& r,
                                           const vector_type& z) const {
  Kokkos::deep_copy(exec, levels_.front().r, r);
  kernels_.run(exec, [this](const ExecutionSpace& queue) { run(queue, 0); });
  Kokkos::deep_copy(exec, z, levels_.front().x);
}

template <class ExecutionSpace> linalg::Traffic BlockMultigrid<ExecutionSpace>::traffic() const {
  linalg::Traffic total;
  double n_visits = 1.;
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
    const Level& level = levels_[l];
    const linalg::Traffic product = level.a.traffic();
    const linalg::Traffic inverse = level.inverse.traffic();
    const double n_products = 2. * options_.degree - 1. + level.n_visits;
    const double n_values = static_cast<double>(level.p.values.extent(0)) * level.n_visits;
    total.bytes +=
        n_visits * (n_products * product.bytes + 2. * options_.degree * inverse.bytes + 2. * n_values * sizeof(double));
    total.flops += n_visits * (n_products * product.flops + 2. * options_.degree * inverse.flops + 4. * n_values);
    n_visits *= level.n_visits;
  }
  return total;
}

template <class ExecutionSpace> std::vector<LevelSummary> BlockMultigrid<ExecutionSpace>::levels() const {
  std::vector<LevelSummary> summaries;
  for (const Level& level : levels_) {
    LevelSummary summary;
    summary.n_unknowns = level.a.size();
    const auto& matrix = level.a.matrix();
    summary.n_entries = matrix.n_values();
    const auto& inverse = level.inverse.matrix();
    summary.n_bytes = static_cast<std::int64_t>(
        static_cast<double>(matrix.n_values()) * matrix.value_bytes() +
        static_cast<double>(matrix.n_blocks()) * (sizeof(index_t) + sizeof(offset_t)) +
        static_cast<double>(inverse.n_values()) * inverse.value_bytes() +
        static_cast<double>(level.p.values.extent(0)) * sizeof(double) +
        static_cast<double>(level.r.extent(0) + level.x.extent(0) + level.z.extent(0)) * sizeof(double));
    summaries.push_back(summary);
  }
  return summaries;
}

#define TESSERA_INSTANTIATE(Space) template class BlockMultigrid<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
