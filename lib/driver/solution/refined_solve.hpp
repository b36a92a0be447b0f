// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_SOLUTION_REFINED_SOLVE_HPP
#define TESSERA_DRIVER_SOLUTION_REFINED_SOLVE_HPP

/// \file
/// Linear systems whose right-hand side does not indicate the size of the flows (docs/theory.md, "Rounding of flows").

#include "core/math.hpp"
#include "core/transfer/upload.hpp"
#include "driver/problem/equations.hpp"
#include "driver/solution/distribution.hpp"
#include "driver/solution/linear_solver.hpp"
#include "linalg/global_sums.hpp"
#include "linalg/vector_kernels.hpp"
#include "solvers/newton.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <sstream>
#include <vector>

namespace tessera::driver {

namespace detail {

/// w^2 (b - q)^2
struct WeightedSquare {
  const double* b;
  const double* q; // may be null
  const double* weight;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const double d = weight[i] * (q == nullptr ? b[i] : b[i] - q[i]);
    term[0] = d * d;
  }
};

/// Sums of r^2 and r^2 / d.
template <class Space> struct SquaresAndScaled {
  Array<const double*, Space> r;
  Array<const double*, Space> diagonal;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[2]) const {
    term[0] = r(i) * r(i);
    term[1] = diagonal(i) > 0. ? r(i) * r(i) / diagonal(i) : 0.;
  }
};

/// Weights of rows in norms: rows with a diagonal entry above `usual` are weighted by their effect on the energy.
template <class Space> struct WeightsOfRows {
  Array<const double*, Space> diagonal;
  double usual;
  Array<double*, Space> weights;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    weights(i) = diagonal(i) > usual ? math::sqrt(usual / diagonal(i)) : 1.;
  }
};

/// Squares of the effect of each unknown's unit roundoff on its row, with weights of rows.
template <class Space> struct RoundingSquares {
  Array<const double*, Space> x;
  Array<const double*, Space> diagonal;
  Array<const double*, Space> weights; // may be empty
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const double change = 0x1p-53 * x(i) * diagonal(i) * (weights.extent(0) > 0 ? weights(i) : 1.);
    term[0] = change * change;
  }
};

template <class Space> struct AddTo {
  Array<const double*, Space> d;
  double factor;
  Array<double*, Space> x;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { x(i) += factor * d(i); }
};

/// The value of the boundary to which each node is counted, else a common value.
template <class Space> struct SetStart {
  Array<const group_t*, Space> node_boundary; // may be empty
  Array<const double*, Space> values;         // by boundary
  double other;
  fe::DofView<Space> dofs;
  Array<double*, Space> nodal;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    const index_t dof = dofs.node_dof(n);
    const bool is_carried = node_boundary.extent(0) > 0 && node_boundary(n) < values.extent(0);
    nodal(n) = dofs.is_fixed(dof) ? dofs.fixed_value(dof) : is_carried ? values(node_boundary(n)) : other;
  }
};

} // namespace detail

/// The norm with weights of the rows, for solvers::SolverOptions::row_norm. `a` must outlive it.
template <class ExecutionSpace>
std::function<double(const double*, const double*)> weighted_norm(const ExecutionSpace& exec,
                                                                  const linalg::Vector<ExecutionSpace>& weights,
                                                                  const linalg::LinearOperator<ExecutionSpace>& a) {
  return [exec, weights, &a](const double* b, const double* q) {
    return std::sqrt(linalg::global_sum("tessera::driver::row_norm", exec, a.size(),
                                        detail::WeightedSquare{b, q, weights.data()}, a.sums()));
  };
}

/// Values that determine the solution: constants at which boundaries are fixed, or reference values of conditions.
struct HeldValues {
  std::vector<double> of_boundaries; ///< by constraint; `middle` for expressions
  double middle = 0.;                ///< mean of the smallest and the largest
  double spread = 0.;                ///< half of their difference

  /// Whether their differences are small compared with their size, as for temperatures in kelvin.
  bool are_offset() const { return std::fabs(middle) > 4. * spread; }
};

inline HeldValues held_values(const ProblemBinding& binding, const std::vector<physics::Expression>& fixed_values) {
  HeldValues held;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  bool all_constant = true;
  const auto add = [&](const physics::Expression& value, bool holds) -> std::optional<double> {
    all_constant = all_constant && (value.is_constant() || !holds);
    if (!holds || !value.is_constant())
      return std::nullopt;
    low = std::min(low, value.value());
    high = std::max(high, value.value());
    return value.value();
  };
  std::vector<std::optional<double>> values;
  for (std::size_t c = 0; c < binding.constraints.size(); ++c)
    values.push_back(add(fixed_values[c], !binding.constraints[c].is_tied));
  for (const physics::NaturalData& data : binding.medium().natural)
    add(data.reference, !(data.alpha.is_constant() && data.alpha.value() == 0.));
  if (all_constant && low <= high) {
    held.middle = 0.5 * (low + high);
    held.spread = 0.5 * (high - low);
  }
  for (const std::optional<double>& value : values)
    held.of_boundaries.push_back(value.value_or(held.middle));
  return held;
}

/// Solves a linear problem by iterative refinement: solves for corrections, with residuals by differences of the
/// solution over the elements, from a start that has the values of boundaries wherever conductors carry them, until the
/// residual is `tolerance` times that of the start. The parts of the right-hand side due to boundaries of fixed value
/// and good conductors alone thus do not enter the iteration, and the rounding of the matrix does not enter the result.
template <class ExecutionSpace> class RefinedSolve {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Vector = linalg::Vector<ExecutionSpace>;

  /// Whether the problem needs it.
  static bool suits(const ExecutionSpace& exec, const Equations<ExecutionSpace>& problem, const HeldValues& held) {
    return problem.is_linear() && !problem.binding.magnetic &&
           (held.are_offset() || problem.carried_values(exec).has_contrast());
  }

  RefinedSolve(const Equations<ExecutionSpace>& problem, const assembly::Assembler<ExecutionSpace>& assembler,
               LinearSolver<ExecutionSpace>& solver, const DistributedUnknowns<ExecutionSpace>& distribution)
      : problem_(problem), assembler_(assembler), solver_(solver), distribution_(distribution) {}

  /// `unknowns`, all of them: on entry a guess if `has_guess`; on return the solution. `given`: subtracted from the
  /// loads, at all unknowns; empty: nothing.
  solvers::PcgResult solve(const ExecutionSpace& exec, solvers::PcgOptions options, const HeldValues& held,
                           bool has_guess, const Vector& unknowns,
                           const linalg::ConstVector<ExecutionSpace>& given = {}) {
    given_ = given;
    constexpr int most_solves = 6;
    const double tolerance = options.relative_tolerance;
    const double absolute = options.absolute_tolerance;
    nodal_ = make_array<Vector>(exec, "driver::refined_nodal", problem_.n_space_nodes);
    const auto start = has_guess ? make_array<Vector>(exec, "driver::refined_start", problem_.dofs.n_free) : unknowns;
    set_start(exec, held, start);
    Vector r = residual_of(exec, start);
    if (problem_.carried_values(exec).has_contrast())
      weigh_rows(exec, r, options);
    const double reference = norm(exec, r, options);
    if (has_guess)
      r = residual_of(exec, unknowns);
    double before = norm(exec, r, options);
    const double threshold = std::max(tolerance * reference, absolute);
    options.relative_tolerance = 0.;
    options.absolute_tolerance = threshold;
    options.largest_residual = INFINITY; // judged below
    const auto x = owned(unknowns);
    const auto d = make_array<Vector>(exec, "driver::correction", x.extent(0));
    solvers::PcgResult all;
    for (int k = 0; k < most_solves && (k == 0 || before > threshold); ++k) {
      fill(exec, d, 0.);
      solvers::PcgResult one = solver_.solve(exec, options, linalg::ConstVector<ExecutionSpace>(r), d);
      options.look_for_constant_null_space = false;
      if (one.status == solvers::SolverStatus::breakdown) {
        append(std::move(one), k, all);
        break;
      }
      stream("tessera::driver::add_correction", exec, static_cast<std::int64_t>(x.extent(0)),
             detail::AddTo<Space>{d, 1., x});
      r = residual_of(exec, unknowns);
      const double after = norm(exec, r, options);
      const bool gets_on = after < 0.5 * before;
      const bool is_converged = one.status == solvers::SolverStatus::converged;
      append(std::move(one), k, all);
      before = after;
      if (!is_converged || !gets_on)
        break;
    }
    keep_alive(exec, d, r);
    all.true_residual = before;
    all.rhs_norm = reference;
    all.threshold = threshold;
    if (before > solvers::default_tolerance * reference)
      all.rounding = rounding_of(exec, x);
    set_status(all);
    return all;
  }

private:
  Vector owned(const Vector& all) const { return distribution_.owned_of_all(all); }

  /// f - K u in the rows of the process. Also completes `unknowns`.
  Vector residual_of(const ExecutionSpace& exec, const Vector& unknowns) const {
    distribution_.gather(exec, unknowns);
    problem_.expand(exec, linalg::ConstVector<ExecutionSpace>(unknowns), nodal_);
    const Vector r = problem_.residual(exec, nodal_);
    if (given_.extent(0) > 0)
      stream("tessera::driver::take_given", exec, static_cast<std::int64_t>(r.extent(0)),
             detail::AddTo<Space>{given_, -1., r});
    return owned(r);
  }

  void set_start(const ExecutionSpace& exec, const HeldValues& held, const Vector& unknowns) const {
    const auto values = uploaded(exec, "driver::held_values", held.of_boundaries);
    const Array<group_t*, ExecutionSpace>& carried = problem_.carried_values(exec).node_boundary;
    for_each("tessera::driver::set_start", exec, problem_.n_space_nodes,
             detail::SetStart<Space>{carried, values, held.middle, fe::DofView<Space>(problem_.dofs), nodal_});
    fe::restrict_to_unknowns(exec, problem_.dofs, linalg::ConstVector<ExecutionSpace>(nodal_), unknowns);
    keep_alive(exec, values);
  }

  Vector diagonal_of(const ExecutionSpace& exec) const {
    const linalg::LinearOperator<ExecutionSpace>& a = assembler_.system();
    const auto diagonal = make_array<Vector>(exec, "driver::diagonal", a.size());
    a.diagonal(exec, diagonal);
    return diagonal;
  }

  /// Norm of the effect of x's rounding on the residual.
  double rounding_of(const ExecutionSpace& exec, const Vector& x) const {
    const linalg::LinearOperator<ExecutionSpace>& a = assembler_.system();
    const Vector diagonal = diagonal_of(exec);
    return std::sqrt(linalg::global_sum("tessera::driver::rounding", exec, a.size(),
                                        detail::RoundingSquares<Space>{x, diagonal, weights_}, a.sums()));
  }

  /// Weights rows by the energy if they are large compared with those in which `r` drives the solution.
  void weigh_rows(const ExecutionSpace& exec, const Vector& r, solvers::PcgOptions& options) {
    const linalg::LinearOperator<ExecutionSpace>& a = assembler_.system();
    const Vector diagonal = diagonal_of(exec);
    const ReduceWorkspace<ExecutionSpace> workspace(exec, a.size(), 2);
    const auto sums = make_array<Vector>(exec, "driver::squares", 2);
    linalg::global_sums<2>("tessera::driver::squares", exec, a.size(), detail::SquaresAndScaled<Space>{r, diagonal},
                           workspace, sums.data(), a.sums());
    const auto host = to_host(exec, sums);
    const double usual = host(1) > 0. ? host(0) / host(1) : std::numeric_limits<double>::max();
    weights_ = make_array<Vector>(exec, "driver::row_weights", r.extent(0));
    for_each("tessera::driver::weigh_rows", exec, static_cast<std::int64_t>(r.extent(0)),
             detail::WeightsOfRows<Space>{diagonal, usual, weights_});
    options.row_norm = weighted_norm<ExecutionSpace>(exec, weights_, a);
    keep_alive(exec, diagonal);
  }

  double norm(const ExecutionSpace& exec, const Vector& r, const solvers::PcgOptions& options) const {
    if (options.row_norm)
      return options.row_norm(r.data(), nullptr);
    const linalg::LinearOperator<ExecutionSpace>& a = assembler_.system();
    return std::sqrt(
        linalg::global_sum("tessera::driver::norm", exec, a.size(), linalg::Products{r.data(), r.data()}, a.sums()));
  }

  /// Appends the history of another solve to the previous ones.
  static void append(solvers::PcgResult one, int k, solvers::PcgResult& all) {
    if (k == 0) {
      all = std::move(one);
      return;
    }
    all.history.insert(all.history.end(), one.history.begin() + (one.history.empty() ? 0 : 1), one.history.end());
    all.iterations += one.iterations;
    all.seconds += one.seconds;
    all.residual = one.residual;
    all.status = one.status;
    all.message = one.message;
  }

  /// Rounding of the solution, which bounds residuals from below, is not an error of the solver: its effect on the
  /// flows is reported by check_balance().
  static void set_status(solvers::PcgResult& all) {
    if (all.status != solvers::SolverStatus::converged ||
        !(all.true_residual > solvers::largest_residual * all.rhs_norm) ||
        all.true_residual <= solvers::rounding_factor * all.rounding)
      return;
    all.status = solvers::SolverStatus::inaccurate;
    std::ostringstream text;
    text << all.message << " The true residual is still " << all.true_residual << ", after " << all.rhs_norm
         << " at the start.";
    all.message = text.str();
  }

  const Equations<ExecutionSpace>& problem_;
  const assembly::Assembler<ExecutionSpace>& assembler_;
  LinearSolver<ExecutionSpace>& solver_;
  const DistributedUnknowns<ExecutionSpace>& distribution_;
  linalg::ConstVector<ExecutionSpace> given_;
  Vector nodal_;
  Vector weights_; // of rows; empty: all 1
};

} // namespace tessera::driver

#endif
