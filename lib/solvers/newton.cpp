// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/newton.hpp"

#include "core/error.hpp"
#include "linalg/vector_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace tessera::solvers {

namespace {

template <class Space> struct SumSquares {
  ConstArray<const double*, Space> b;
  ConstArray<const double*, Space> product; // may be empty
  double factor;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const double r = factor * (product.extent(0) > 0 ? b(i) - product(i) : b(i));
    term[0] = r * r;
  }
};

/// x += s (target - x)
template <class Space> struct Advance {
  Array<double*, Space> x;
  ConstArray<const double*, Space> target;
  double s;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { x(i) = s == 1. ? target(i) : x(i) + s * (target(i) - x(i)); }
};

constexpr int max_trials = 20;
constexpr double sufficient = 0.1; ///< share of the first slope that may be left at the end of a step

/// Finds the step length along the line that was set; counts the lengths tried in addition to the full step.
template <class ExecutionSpace>
double step_length(const ExecutionSpace& exec, NonlinearSystem<ExecutionSpace>& problem, int& n_trials) {
  const double first = problem.slope(exec, 0.);
  double high_slope = problem.slope(exec, 1.);
  // Rounding may make a vanishing slope positive; then nothing can be gained.
  if (!(first < 0.) || high_slope <= -sufficient * first)
    return 1.;
  double low = 0.;
  double low_slope = first;
  double high = 1.;
  double s = 1.;
  int side = 0;
  for (int trial = 0; trial < max_trials; ++trial) {
    // Far beyond the minimum the secant would hardly move: no step is shorter than a tenth of the
    // bracket.
    s = std::max((low * high_slope - high * low_slope) / (high_slope - low_slope), low + 0.1 * (high - low));
    const double slope = problem.slope(exec, s);
    ++n_trials;
    if (std::fabs(slope) <= -sufficient * first)
      break;
    if (slope > 0.) {
      high = s;
      high_slope = slope;
      low_slope *= side == 1 ? 0.5 : 1.;
      side = 1;
    } else {
      low = s;
      low_slope = slope;
      high_slope *= side == -1 ? 0.5 : 1.;
      side = -1;
    }
  }
  return s;
}

} // namespace

const char* to_string(NewtonStatus status) {
  switch (status) {
  case NewtonStatus::converged:
    return "converged";
  case NewtonStatus::max_iterations:
    return "max_iterations";
  case NewtonStatus::linear_solver:
    break;
  }
  return "linear_solver";
}

template <class ExecutionSpace>
NewtonResult newton(const ExecutionSpace& exec, NonlinearSystem<ExecutionSpace>& problem,
                    const linalg::Vector<ExecutionSpace>& x, const NewtonOptions& options) {
  using Space = typename ExecutionSpace::memory_space;
  TESSERA_REQUIRE(options.relative_tolerance > 0. && options.linear_tolerance >= 0. && options.max_iterations > 0,
                  "Newton's method needs a positive tolerance and number of iterations.");
  const std::int64_t n = static_cast<std::int64_t>(x.extent(0));
  const auto target = make_array<linalg::Vector<ExecutionSpace>>(exec, "solvers::newton_target", x.extent(0));
  const auto product = make_array<linalg::Vector<ExecutionSpace>>(exec, "solvers::newton_product", x.extent(0));
  const ReduceWorkspace<ExecutionSpace> workspace(exec, n, 1);
  const auto sum = make_array<Array<double*, ExecutionSpace>>(exec, "solvers::newton_sum", 1);
  double unit = 1.; // of norms, so that squares stay in the range of doubles
  const auto norm = [&](const linalg::ConstVector<ExecutionSpace>& of_product) {
    linalg::global_sums<1>("tessera::solvers::newton_norm", exec, n,
                           SumSquares<Space>{problem.rhs(), of_product, 1. / unit}, workspace, sum.data(),
                           problem.system().sums());
    return unit * std::sqrt(read_entry(exec, sum, 0));
  };

  NewtonResult result;
  if (options.starts_at_guess)
    problem.load_at_rest(exec);
  else
    problem.linearize_at_rest(exec);
  result.reference = norm({});
  if (!(result.reference * result.reference >= linalg::smallest_square &&
        result.reference * result.reference <= linalg::largest_square)) {
    unit = linalg::unit_of<ExecutionSpace>(exec, problem.rhs(), problem.system().sums());
    result.reference = norm({});
  }
  result.history.push_back(result.reference > 0. ? 1. : 0.);
  if (!std::isfinite(result.reference)) {
    result.status = NewtonStatus::linear_solver;
    result.message = "Newton's method: the sources give a load that is not finite.";
    return result;
  }
  if (result.reference == 0.) { // nothing drives a field
    fill(exec, x, 0.);
    problem.linearize(exec, x);
    result.status = NewtonStatus::converged;
    result.message = "Without sources the solution is zero.";
    return result;
  }
  double residual = 1.;
  const auto linearize_at_x = [&] {
    problem.linearize(exec, x);
    problem.system().apply(exec, x, product);
    residual = norm(product) / result.reference;
  };
  bool at_iterate = options.starts_at_guess; // not at rest
  if (at_iterate) {
    linearize_at_x();
    at_iterate = residual < 1.;
    if (!at_iterate) {
      problem.linearize_at_rest(exec);
      residual = 1.;
    }
    result.history.back() = residual;
  }
  while (true) {
    const double threshold =
        std::max(options.linear_tolerance, 0.1 * std::min(1., residual) * residual) * result.reference;
    Kokkos::deep_copy(exec, target, x);
    result.linear = problem.solve(exec, threshold, target);
    result.linear_iterations += result.linear.iterations;
    ++result.iterations;
    double s = 1.;
    if (options.line_search && at_iterate) {
      problem.set_line(exec, x, target);
      s = step_length(exec, problem, result.line_search_steps);
    }
    result.step_length.push_back(s);
    stream("tessera::solvers::newton_advance", exec, n, Advance<Space>{x, target, s});
    linearize_at_x();
    at_iterate = true;
    result.history.push_back(residual);
    if (options.monitor)
      options.monitor(result.iterations, residual);
    if (residual <= options.relative_tolerance) {
      result.status = NewtonStatus::converged;
      break;
    }
    if (result.linear.status == SolverStatus::breakdown || !std::isfinite(residual)) {
      result.status = NewtonStatus::linear_solver;
      break;
    }
    if (result.iterations == options.max_iterations)
      break;
  }
  std::ostringstream text;
  if (result.status == NewtonStatus::converged)
    text << "Newton's method converged in " << result.iterations << " iterations to a relative residual of " << residual
         << ", with " << result.linear_iterations << " linear iterations.";
  else if (result.status == NewtonStatus::linear_solver)
    text << "Newton's method ended in iteration " << result.iterations << ", relative residual " << std::fabs(residual)
         << ": " << result.linear.message;
  else
    text << "Newton's method did not converge in " << result.iterations << " iterations: the relative residual is "
         << residual << ", asked for was " << options.relative_tolerance << '.';
  result.message = text.str();
  return result;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template NewtonResult newton<SPACE>(const SPACE&, NonlinearSystem<SPACE>&, const linalg::Vector<SPACE>&,             \
                                      const NewtonOptions&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::solvers
