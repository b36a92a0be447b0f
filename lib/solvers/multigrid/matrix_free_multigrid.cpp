// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/multigrid/matrix_free_multigrid.hpp"

#include "core/error.hpp"
#include "core/keep_alive.hpp"
#include "solvers/diagonal.hpp"

#include <cmath>
#include <utility>

namespace tessera::solvers {

namespace {

struct Invert {
  const double* diagonal;
  double scale;
  float* inverse;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { inverse[i] = static_cast<float>(scale / diagonal[i]); }
};

/// x = factor D^-1 b, one step from zero.
struct FirstStep {
  const double* b;
  const float* inverse_diagonal;
  double factor;
  double* x;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    x[i] = factor * static_cast<double>(inverse_diagonal[i]) * b[i];
  }
};

/// x += factor D^-1 (b - A x).
struct NextStep {
  const double* b;
  const double* product; // A x
  const float* inverse_diagonal;
  double factor;
  double* x;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    x[i] += factor * static_cast<double>(inverse_diagonal[i]) * (b[i] - product[i]);
  }
};

/// y = b - y.
struct ResidualOf {
  const double* b;
  double* y;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { y[i] = b[i] - y[i]; }
};

/// y += x.
struct Add {
  const double* x;
  double* y;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { y[i] += x[i]; }
};

} // namespace

template <class ExecutionSpace>
MatrixFreeMultigrid<ExecutionSpace>::MatrixFreeMultigrid(const ExecutionSpace& exec,
                                                         MatrixFreeLevel<ExecutionSpace> level,
                                                         const MultigridOptions& options)
    : Fused<ExecutionSpace>(level.a->size(), "multigrid", true, /*excludes_constants*/ true), level_(std::move(level)),
      options_(options) {
  if (level_.shares.offsets.empty())
    level_.shares.offsets = {0, level_.a->size()};
  const index_t n_coarse = level_.interpolation->n_cols();
  set_up(exec);
  make_coarse(exec);
  coarse_rhs_ = make_array<vector_type>(exec, "solvers::coarse_rhs", n_coarse);
  coarse_solution_ = make_array<vector_type>(exec, "solvers::coarse_solution", n_coarse);
}

template <class ExecutionSpace> void MatrixFreeMultigrid<ExecutionSpace>::make_coarse(const ExecutionSpace& exec) {
  coarse_ = nullptr;
  MultigridOptions options = options_;
  options.is_compact = !options.keeps_products;
  options.n_cycles = options.cycle == MultigridCycle::W ? 2 : 1;
  auto rows = level_.coarse_rows(exec); // before the interpolations are allocated
  auto below = level_.below(exec);
  const auto& sums = level_.coarse_sums ? *level_.coarse_sums : linalg::GlobalSums<ExecutionSpace>::local();
  // Not make_unique: moved-from arguments would be kept until the end of the statement.
  coarse_.reset(new Multigrid<ExecutionSpace>(exec, level_.shares.group, sums, std::exchange(rows, {}),
                                              std::move(below), options));
}

template <class ExecutionSpace> std::int64_t MatrixFreeMultigrid<ExecutionSpace>::n_unknowns() const {
  return level_.shares.offsets.back();
}

template <class ExecutionSpace> void MatrixFreeMultigrid<ExecutionSpace>::set_up(const ExecutionSpace& exec) {
  const comm::Communicator& world = *level_.shares.group.world;
  const std::int64_t n = level_.a->size();
  const auto diagonal = make_array<vector_type>(exec, "solvers::diagonal", n);
  level_.a->diagonal(exec, diagonal);
  std::int64_t first = first_unusable_entry(exec, const_vector_type(diagonal));
  if (first == n)
    first = n_unknowns();
  else
    first += level_.shares.offsets[static_cast<std::size_t>(world.rank())];
  first = -world.largest(-first); // the same in all processes
  TESSERA_REQUIRE_KIND(first == n_unknowns(), ErrorKind::numerical,
                       "Preconditioner multigrid: the diagonal entry of unknown "
                           << first << " is not positive; the matrix is not positive definite.");
  int exponent = 0; // scales the entries to the range of single precision without changing bits
  if (n > 0)
    std::frexp(read_entry(exec, diagonal, 0), &exponent);
  if (inverse_diagonal_.extent(0) == 0)
    inverse_diagonal_ = make_array<decltype(inverse_diagonal_)>(exec, "solvers::inverse_diagonal", diagonal.extent(0));
  stream("tessera::solvers::invert_diagonal", exec, static_cast<std::int64_t>(diagonal.extent(0)),
         Invert{diagonal.data(), std::ldexp(1., exponent), inverse_diagonal_.data()});
  keep_alive(exec, diagonal);
  damping_ = std::ldexp(1. / level_.eigenvalue_bound(exec), -exponent);
}

template <class ExecutionSpace> void MatrixFreeMultigrid<ExecutionSpace>::renew(const ExecutionSpace& exec) {
  set_up(exec);
  if (options_.keeps_products)
    coarse_->renew(exec, level_.coarse_rows(exec).a);
  else
    make_coarse(exec);
}

template <class ExecutionSpace>
void MatrixFreeMultigrid<ExecutionSpace>::smooth(const ExecutionSpace& exec, const const_vector_type& b,
                                                 const vector_type& x, const vector_type& work, bool from_zero,
                                                 ChebyshevKind kind) const {
  const auto n = static_cast<std::int64_t>(x.extent(0));
  for (int step = 1; step <= options_.degree; ++step) {
    const double factor = damping_ * step_factor(options_.degree, kind, step);
    if (from_zero && step == 1) {
      stream("tessera::solvers::first_operator_step", exec, n,
             FirstStep{b.data(), inverse_diagonal_.data(), factor, x.data()});
      continue;
    }
    level_.a->apply(exec, x, work);
    stream("tessera::solvers::operator_step", exec, n,
           NextStep{b.data(), work.data(), inverse_diagonal_.data(), factor, x.data()});
  }
}

template <class ExecutionSpace>
void MatrixFreeMultigrid<ExecutionSpace>::apply(const ExecutionSpace& exec, const const_vector_type& r,
                                                const vector_type& z) const {
  const auto work = make_array<vector_type>(exec, "solvers::level_product", z.extent(0));
  apply_dot(exec, r, z, work, nullptr);
  keep_alive(exec, work);
}

template <class ExecutionSpace>
bool MatrixFreeMultigrid<ExecutionSpace>::apply_dot(const ExecutionSpace& exec, const const_vector_type& r,
                                                    const vector_type& z, const vector_type& work,
                                                    const ResidualProducts<ExecutionSpace>* /*products*/) const {
  run(exec, r, z, work, ChebyshevKind::best);
  return false;
}

template <class ExecutionSpace>
void MatrixFreeMultigrid<ExecutionSpace>::run(const ExecutionSpace& exec, const const_vector_type& r,
                                              const vector_type& z, const vector_type& work, ChebyshevKind kind) const {
  smooth(exec, r, z, work, true, kind);
  level_.a->apply(exec, z, work);
  stream("tessera::solvers::operator_residual", exec, static_cast<std::int64_t>(z.extent(0)),
         ResidualOf{r.data(), work.data()});
  level_.interpolation->apply_transpose(exec, work, coarse_rhs_);
  coarse_->apply(exec, coarse_rhs_, coarse_solution_);
  level_.interpolation->add(exec, coarse_solution_, z);
  smooth(exec, r, z, work, false, kind);
}

template <class ExecutionSpace> bool MatrixFreeMultigrid<ExecutionSpace>::has_start() const {
  return options_.cycle == MultigridCycle::full || options_.cycle == MultigridCycle::automatic;
}

template <class ExecutionSpace>
void MatrixFreeMultigrid<ExecutionSpace>::start(const ExecutionSpace& exec, const const_vector_type& b,
                                                const vector_type& x) const {
  level_.interpolation->apply_transpose(exec, b, coarse_rhs_);
  if (coarse_->has_start())
    coarse_->start(exec, coarse_rhs_, coarse_solution_);
  else
    coarse_->apply(exec, coarse_rhs_, coarse_solution_);
  level_.interpolation->apply(exec, coarse_solution_, x);
  const auto residual = make_array<vector_type>(exec, "solvers::full_residual", x.extent(0));
  const auto correction = make_array<vector_type>(exec, "solvers::full_correction", x.extent(0));
  level_.a->apply(exec, x, residual);
  stream("tessera::solvers::full_operator_residual", exec, static_cast<std::int64_t>(x.extent(0)),
         ResidualOf{b.data(), residual.data()});
  const auto work = make_array<vector_type>(exec, "solvers::level_product", x.extent(0));
  run(exec, residual, correction, work, ChebyshevKind::fourth);
  stream("tessera::solvers::full_operator_correct", exec, static_cast<std::int64_t>(x.extent(0)),
         Add{correction.data(), x.data()});
  keep_alive(exec, residual, correction, work);
}

template <class ExecutionSpace> linalg::Traffic MatrixFreeMultigrid<ExecutionSpace>::traffic() const {
  const double products = 2. * options_.degree;
  const linalg::Traffic product = level_.a->traffic();
  const linalg::Traffic transfer = level_.interpolation->traffic();
  const linalg::Traffic coarse = coarse_->traffic();
  return {products * product.bytes + 2. * transfer.bytes + coarse.bytes +
              (36. * (products - 1.) + 44.) * level_.a->size(),
          products * product.flops + 2. * transfer.flops + coarse.flops};
}

template <class ExecutionSpace> std::vector<LevelSummary> MatrixFreeMultigrid<ExecutionSpace>::levels() const {
  LevelSummary finest;
  finest.n_unknowns = static_cast<index_t>(n_unknowns());
  const std::size_t n_values = coarse_rhs_.span() + coarse_solution_.span();
  finest.n_bytes = static_cast<std::int64_t>(n_values * sizeof(double) + inverse_diagonal_.span() * sizeof(float)) +
                   level_.interpolation->bytes();
  finest.n_bytes = static_cast<std::int64_t>(level_.shares.group.world->added(static_cast<double>(finest.n_bytes)));
  finest.is_geometric = true;
  finest.has_matrix = false;
  std::vector<LevelSummary> summaries{finest};
  for (const LevelSummary& level : coarse_->levels())
    summaries.push_back(level);
  return summaries;
}

#define TESSERA_INSTANTIATE(Space) template class MatrixFreeMultigrid<Space>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::solvers
