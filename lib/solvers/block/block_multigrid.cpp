// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/block/block_multigrid.hpp"

#include "core/algorithms/largest_entry.hpp"
#include "core/algorithms/mix_bits.hpp"
#include "core/error.hpp"
#include "core/keep_alive.hpp"
#include "linalg/blocks/block_products.hpp"
#include "linalg/distributed/distributed_sums.hpp"
#include "linalg/products/crs_product.hpp"
#include "linalg/vector_kernels.hpp"
#include "solvers/block/diagonal_blocks.hpp"
#include "solvers/multigrid/dense_level.hpp"
#include "solvers/multigrid/smoother_factors.hpp"

#include <cmath>
#include <limits>
#include <optional>

namespace tessera::solvers {

namespace {

/// Number of products of the power method, which estimates from below, by less than the margin for finite element
/// matrices. The first ones are not counted: D^-1 A is not normal, and amplifies vectors of all its eigenvectors by far
/// more than its eigenvalues, especially for high degrees and large jumps of coefficients.
constexpr int n_power_steps = 12;
constexpr int n_steps_before = 6;
constexpr double eigenvalue_margin = 1.1;

struct Subtract {
  double* r;
  KOKKOS_FUNCTION void operator()(index_t i, double product) const { r[i] -= product; }
};

/// z = beta D^-1 r, and x += z or x = z.
struct SmootherStep {
  double beta;
  bool sets_x;
  double* z;
  double* x;
  KOKKOS_FUNCTION void operator()(index_t i, double product) const {
    const double step = beta * product;
    z[i] = step;
    x[i] = sets_x ? step : x[i] + step;
  }
};

/// Pseudo-random numbers, the same everywhere.
template <class Space> struct Scatter {
  std::int64_t first; // global index of the first owned unknown
  Array<double*, Space> x;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::uint64_t bits = mix_bits(static_cast<std::uint64_t>(first + i) * 0x9e3779b97f4a7c15u); // golden ratio
    x(i) = static_cast<double>(bits >> 11) * 0x1p-52 - 1.;
  }
};

template <class Space> struct ScaleBlocks {
  Array<const double*, Space> from;
  double factor;
  Array<double*, Space> to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to(i) = factor * from(i); }
};

template <class Space> struct CopyPart {
  Array<const double*, Space> from;
  std::int64_t first_from;
  Array<double*, Space> to;
  std::int64_t first_to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to(first_to + i) = from(first_from + i); }
};

template <class Space> struct Round {
  Array<const double*, Space> from;
  Array<float*, Space> to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to(i) = static_cast<float>(from(i)); }
};

/// A matrix or a transfer with values in the requested precision.
template <class ExecutionSpace, class Blocks>
Blocks in_precision(const ExecutionSpace& exec, const Blocks& blocks, Precision precision) {
  using Space = typename ExecutionSpace::memory_space;
  if (precision == Precision::double_precision || blocks.is_single())
    return blocks;
  Blocks rounded = blocks;
  const auto n = static_cast<std::int64_t>(blocks.n_values());
  rounded.single_values = make_array<Array<float*, Space>>(exec, "solvers::rounded_blocks", n);
  rounded.values = {};
  stream("tessera::solvers::round_blocks", exec, n, Round<Space>{blocks.values, rounded.single_values});
  return rounded;
}

/// Largest entry of the diagonal of a block matrix; `diagonal` is a work vector. Waits.
template <class ExecutionSpace>
double largest_diagonal(const ExecutionSpace& exec,
                        const linalg::BlockCrsMatrix<typename ExecutionSpace::memory_space>& matrix,
                        const linalg::Vector<ExecutionSpace>& diagonal) {
  linalg::BlockCrsOperator<ExecutionSpace>(exec, matrix, linalg::Symmetry::general).diagonal(exec, diagonal);
  return largest_entry<ExecutionSpace>("tessera::solvers::largest_diagonal", exec, diagonal, matrix.n_unknowns, 0.);
}

} // namespace

template <class ExecutionSpace>
BlockMultigrid<ExecutionSpace>::BlockMultigrid(const ExecutionSpace& exec,
                                               const comm::ProcessGroup<ExecutionSpace>& group,
                                               const std::vector<BlockLevel<ExecutionSpace>>& levels,
                                               linalg::Symmetry symmetry, const MultigridOptions& options)
    : Preconditioner<ExecutionSpace>(levels.front().unknowns.n_owned, "multigrid",
                                     symmetry == linalg::Symmetry::symmetric, /*excludes_constants*/ true),
      group_(group), options_(options) {
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const BlockLevel<ExecutionSpace>& from = levels[l];
    Level level;
    level.unknowns = from.unknowns;
    level.offsets = from.offsets;
    level.coarse_offsets = from.coarse_offsets;
    const index_t n = from.unknowns.size();
    level.r = make_array<vector_type>(exec, "solvers::block_level_residual", n);
    level.x = make_array<vector_type>(exec, "solvers::block_level_solution", n);
    if (l + 1 == levels.size() && from.is_solved()) {
      const auto& whole = from.is_distributed() ? from.whole_a : from.a;
      const auto coarsest = linalg::expand_blocks(exec, whole);
      // The inverse of the transpose stored by columns is that of the matrix stored by rows.
      const auto transposed = this->is_symmetric() ? coarsest : linalg::transposed(exec, coarsest, whole.n_unknowns);
      coarsest_inverse_ = dense_inverse(exec, transposed);
      level.a = {exec, from.a, symmetry};
      if (from.is_distributed()) {
        whole_r_ = make_array<vector_type>(exec, "solvers::whole_residual", whole.n_unknowns);
        whole_x_ = make_array<vector_type>(exec, "solvers::whole_solution", whole.n_unknowns);
      }
    } else {
      level.z = make_array<vector_type>(exec, "solvers::block_level_step", n);
      const auto inverse = invert_diagonal_blocks(exec, from.a, "multigrid");
      const Precision precision = precision_for(exec, from, inverse, level.owned(level.x));
      level.p = in_precision(exec, from.p, precision);
      level.a = {exec, in_precision(exec, from.a, precision), symmetry};
      level.inverse = {exec, in_precision(exec, inverse, precision), symmetry};
      level.damping = 1. / (eigenvalue_margin * largest_eigenvalue(exec, level));
      // the coarsest level is solved exactly
      level.n_visits = options.cycle == MultigridCycle::W && l + 2 < levels.size() ? 2 : 1;
    }
    levels_.push_back(level);
  }
  if (!group.is_recordable())
    while (recorded_level_ < levels_.size() && levels_[recorded_level_].is_distributed())
      ++recorded_level_;
}

template <class ExecutionSpace>
Precision BlockMultigrid<ExecutionSpace>::precision_for(const ExecutionSpace& exec,
                                                        const BlockLevel<ExecutionSpace>& level,
                                                        const linalg::BlockCrsMatrix<Space>& inverse,
                                                        const vector_type& diagonal) const {
  if (options_.precision == Precision::double_precision)
    return options_.precision;
  double largest = largest_diagonal(exec, level.a, diagonal);
  double largest_inverse = largest_diagonal(exec, inverse, diagonal);
  if (level.is_distributed()) {
    largest = group_.world->largest(largest);
    largest_inverse = group_.world->largest(largest_inverse);
  }
  return largest * largest_inverse * std::numeric_limits<float>::epsilon() < 1. ? Precision::single_precision
                                                                                : Precision::double_precision;
}

template <class ExecutionSpace>
double BlockMultigrid<ExecutionSpace>::largest_eigenvalue(const ExecutionSpace& exec, const Level& level) const {
  const vector_type x = level.owned(level.x);
  const index_t n = level.unknowns.n_owned;
  const ReduceWorkspace<ExecutionSpace> workspace(exec, n, 1);
  const auto square = make_array<vector_type>(exec, "solvers::power_norm", 1);
  const linalg::DistributedSums<ExecutionSpace> sums(
      exec, level.is_distributed() ? group_ : comm::ProcessGroup<ExecutionSpace>(), level.offsets, true);
  const auto norm = [&] {
    linalg::dot<ExecutionSpace>(exec, x, x, workspace, square.data(), sums);
    return std::sqrt(read_entry(exec, square, 0));
  };
  const auto rank = static_cast<std::size_t>(level.is_distributed() ? group_.world->rank() : 0);
  stream("tessera::solvers::scatter", exec, n, Scatter<Space>{level.offsets[rank], x});
  double size = norm();
  double eigenvalue = 0.;
  for (int step = 0; step < n_power_steps; ++step) {
    stream("tessera::solvers::scale", exec, n, ScaleBlocks<Space>{x, 1. / size, level.z});
    level.unknowns.update(exec, level.z);
    level.a.apply(exec, level.z, level.owned(level.r));
    level.inverse.apply(exec, level.owned(level.r), x);
    size = norm();
    if (step >= n_steps_before)
      eigenvalue = size > eigenvalue ? size : eigenvalue;
  }
  TESSERA_REQUIRE_KIND(std::isfinite(eigenvalue) && eigenvalue > 0., ErrorKind::numerical,
                       "Preconditioner multigrid: a level's matrix of " << level.offsets.back()
                                                                        << " unknowns is not finite or zero.");
  return eigenvalue;
}

template <class ExecutionSpace>
void BlockMultigrid<ExecutionSpace>::subtract_product(const ExecutionSpace& exec, const Level& level) const {
  level.unknowns.update(exec, level.z);
  linalg::for_each_row_of_product("tessera::solvers::block_residual", exec, level.a, level.z, Subtract{level.r.data()});
}

template <class ExecutionSpace>
void BlockMultigrid<ExecutionSpace>::smooth(const ExecutionSpace& exec, const Level& level, bool from_zero,
                                            bool with_residual) const {
  // Without symmetry eigenvalues are complex, and stronger damping of large ones is better.
  const ChebyshevKind kind = this->is_symmetric() ? ChebyshevKind::best : ChebyshevKind::fourth;
  for (int step = 1; step <= options_.degree; ++step) {
    const double factor = step_factor(options_.degree, kind, step);
    linalg::for_each_row_of_product(
        "tessera::solvers::block_step", exec, level.inverse, level.r,
        SmootherStep{factor * level.damping, from_zero && step == 1, level.z.data(), level.x.data()});
    if (step < options_.degree || with_residual)
      subtract_product(exec, level);
  }
}

template <class ExecutionSpace>
void BlockMultigrid<ExecutionSpace>::solve(const ExecutionSpace& exec, const Level& level) const {
  if (!level.is_distributed())
    return multiply_dense(exec, coarsest_inverse_, level.r, level.x);
  const index_t n = level.unknowns.n_owned;
  const std::int64_t first = level.offsets[static_cast<std::size_t>(group_.world->rank())];
  stream("tessera::solvers::copy_part", exec, n, CopyPart<Space>{level.r, 0, whole_r_, first});
  group_.all_gather_parts(exec, whole_r_.data(), level.offsets, sizeof(double));
  multiply_dense(exec, coarsest_inverse_, whole_r_, whole_x_);
  stream("tessera::solvers::copy_part", exec, n, CopyPart<Space>{whole_x_, first, level.x, 0});
}

template <class ExecutionSpace>
void BlockMultigrid<ExecutionSpace>::run(const ExecutionSpace& exec, std::size_t l) const {
  const Level& level = levels_[l];
  if (l + 1 == levels_.size()) {
    if (coarsest_inverse_.extent(0) > 0)
      solve(exec, level);
    else
      smooth(exec, level, true, false);
    return;
  }
  const Level& coarse = levels_[l + 1];
  smooth(exec, level, true, true);
  for (int visited = 0; visited < level.n_visits; ++visited) {
    level.unknowns.update(exec, level.r);
    linalg::restrict_to<ExecutionSpace>(exec, level.p, level.r, coarse.r);
    if (level.is_distributed() && !coarse.is_distributed())
      group_.all_gather_parts(exec, coarse.r.data(), level.coarse_offsets, sizeof(double));
    visit(exec, l + 1);
    coarse.unknowns.update(exec, coarse.x);
    linalg::interpolate_and_add<ExecutionSpace>(exec, level.p, coarse.x, level.z, level.x);
    subtract_product(exec, level);
  }
  smooth(exec, level, false, false);
}

template <class ExecutionSpace>
void BlockMultigrid<ExecutionSpace>::visit(const ExecutionSpace& exec, std::size_t l) const {
  if (l == recorded_level_)
    kernels_.run(exec, [this, l](const ExecutionSpace& queue) { run(queue, l); });
  else
    run(exec, l);
}

template <class ExecutionSpace>
void BlockMultigrid<ExecutionSpace>::apply(const ExecutionSpace& exec, const const_vector_type& r,
                                           const vector_type& z) const {
  const Level& finest = levels_.front();
  Kokkos::deep_copy(exec, finest.owned(finest.r), r);
  visit(exec, 0);
  Kokkos::deep_copy(exec, z, finest.owned(finest.x));
}

template <class ExecutionSpace> linalg::Traffic BlockMultigrid<ExecutionSpace>::traffic() const {
  linalg::Traffic total;
  double n_visits = 1.;
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
    const Level& level = levels_[l];
    const linalg::Traffic product = level.a.traffic();
    const linalg::Traffic inverse = level.inverse.traffic();
    const double n_products = 2. * options_.degree - 1. + level.n_visits;
    const double n_values = static_cast<double>(level.p.n_values()) * level.n_visits;
    total.bytes += n_visits * (n_products * product.bytes + 2. * options_.degree * inverse.bytes +
                               2. * n_values * level.p.value_bytes());
    total.flops += n_visits * (n_products * product.flops + 2. * options_.degree * inverse.flops + 4. * n_values);
    n_visits *= level.n_visits;
  }
  return total;
}

template <class ExecutionSpace> std::vector<LevelSummary> BlockMultigrid<ExecutionSpace>::levels() const {
  std::vector<LevelSummary> summaries;
  for (const Level& level : levels_) {
    LevelSummary summary;
    summary.n_unknowns = static_cast<index_t>(level.offsets.back());
    const auto& matrix = level.a.matrix();
    summary.n_entries = matrix.n_values();
    const auto& inverse = level.inverse.matrix();
    summary.n_bytes = static_cast<std::int64_t>(
        static_cast<double>(matrix.n_values()) * matrix.value_bytes() +
        static_cast<double>(matrix.n_blocks()) * (sizeof(index_t) + sizeof(offset_t)) +
        static_cast<double>(inverse.n_values()) * inverse.value_bytes() +
        static_cast<double>(level.p.n_values()) * level.p.value_bytes() +
        static_cast<double>(level.r.extent(0) + level.x.extent(0) + level.z.extent(0)) * sizeof(double));
    if (level.is_distributed()) {
      summary.n_entries = static_cast<std::int64_t>(group_.world->added(static_cast<double>(summary.n_entries)));
      summary.n_bytes = static_cast<std::int64_t>(group_.world->added(static_cast<double>(summary.n_bytes)));
    }
    summaries.push_back(summary);
  }
  return summaries;
}

#define TESSERA_INSTANTIATE(Space) template class BlockMultigrid<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
