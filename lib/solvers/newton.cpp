// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/newton.hpp"

#include "core/error.hpp"
#include "linalg/vector_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>

namespace tessera::solvers {

namespace {

/// Squares of factor v.
template <class Space> struct SumSquares {
  Array<const double*, Space> v;
  double factor;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const double value = factor * v(i);
    term[0] = value * value;
  }
};

/// r = b - r, and squares of factor r.
template <class Space> struct ResidualSquares {
  Array<const double*, Space> b;
  Array<double*, Space> r;
  double factor;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    r(i) = b(i) - r(i);
    const double value = factor * r(i);
    term[0] = value * value;
  }
};

/// v += x
template <class Space> struct AddScaled {
  Array<const double*, Space> x;
  Array<double*, Space> v;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { v(i) += x(i); }
};

constexpr double unit_roundoff = 0.5 * std::numeric_limits<double>::epsilon();

/// v = the unit roundoff of each x with a random sign from a hash of the unknown's index.
template <class Space> struct Roundoff {
  Array<const double*, Space> x;
  Array<double*, Space> v;
  std::int64_t first; ///< global index of the first unknown
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::uint64_t hash = static_cast<std::uint64_t>(first + i + 1) * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 32;
    hash *= 0xd6e8feb86659fd93ull;
    const double sign = (hash >> 63) != 0 ? 1. : -1.;
    v(i) = sign * unit_roundoff * x(i);
  }
};

/// x += s (target - x)
template <class Space> struct Advance {
  Array<double*, Space> x;
  Array<const double*, Space> target;
  double s;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { x(i) = s == 1. ? target(i) : x(i) + s * (target(i) - x(i)); }
};

constexpr int max_trials = 20;
constexpr double sufficient = 0.1; ///< fraction of the first slope that may remain at the end of a step

/// Finds the step length along the line that was set; adds the number of lengths tried after the full step to n_trials.
template <class ExecutionSpace>
double step_length(const ExecutionSpace& exec, NonlinearSystem<ExecutionSpace>& problem, int& n_trials) {
  const double first = problem.slope(exec, 0.);
  double high_slope = problem.slope(exec, 1.);
  // Rounding may make a vanishing slope positive; then no step gains anything.
  if (!(first < 0.) || high_slope <= -sufficient * first)
    return 1.;
  double low = 0.;
  double low_slope = first;
  double high = 1.;
  double s = 1.;
  int side = 0;
  for (int trial = 0; trial < max_trials; ++trial) {
    // Far beyond the minimum the secant would hardly move: no step is shorter than a tenth of the bracket.
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
  case NewtonStatus::rounding:
    return "rounding";
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
  const auto gradient = make_array<linalg::Vector<ExecutionSpace>>(exec, "solvers::newton_gradient", x.extent(0));
  const ReduceWorkspace<ExecutionSpace> workspace(exec, n, 1);
  const auto sum = make_array<Array<double*, ExecutionSpace>>(exec, "solvers::newton_sum", 1);
  double unit = 1.; // divisor of norms, so that squares stay in the range of doubles
  const auto norm_of = [&](const auto& squares) {
    linalg::global_sums<1>("tessera::solvers::newton_norm", exec, n, squares, workspace, sum.data(),
                           problem.system().sums());
    return unit * std::sqrt(read_entry(exec, sum, 0));
  };
  const auto norm_of_load = [&] { return norm_of(SumSquares<Space>{problem.rhs(), 1. / unit}); };

  NewtonResult result;
  if (options.starts_at_guess)
    problem.load_at_rest(exec);
  else
    problem.linearize_at_rest(exec);
  result.reference = norm_of_load();
  if (!(result.reference * result.reference >= linalg::smallest_square &&
        result.reference * result.reference <= linalg::largest_square)) {
    unit = linalg::unit_of<ExecutionSpace>(exec, problem.rhs(), problem.system().sums());
    result.reference = norm_of_load();
  }
  result.history.push_back(result.reference > 0. ? 1. : 0.);
  if (!std::isfinite(result.reference)) {
    result.status = NewtonStatus::linear_solver;
    result.message = "Newton's method: the sources give a load that is not finite.";
    return result;
  }
  if (result.reference == 0.) { // no source of a field
    fill(exec, x, 0.);
    problem.linearize(exec, x);
    result.status = NewtonStatus::converged;
    result.message = "Without sources the solution is zero.";
    return result;
  }
  double residual = 1.;
  const auto evaluate_residual = [&] {
    problem.system().apply(exec, x, gradient);
    residual = norm_of(ResidualSquares<Space>{problem.rhs(), gradient, 1. / unit}) / result.reference;
  };
  const auto linearize_at_x = [&] {
    problem.linearize(exec, x);
    evaluate_residual();
  };
  const auto is_at_rounding = [&] {
    // Sums with the bits of a single process need global indices.
    const linalg::SharedSums<ExecutionSpace>* shared = problem.system().sums().shared();
    const std::int64_t first = shared != nullptr ? shared->ranges[static_cast<std::size_t>(shared->rank)].first : 0;
    stream("tessera::solvers::newton_roundoff", exec, n, Roundoff<Space>{x, target, first});
    problem.system().apply(exec, target, gradient);
    result.rounding = norm_of(SumSquares<Space>{gradient, 1. / unit}) / result.reference;
    evaluate_residual();
    return residual <= rounding_factor * result.rounding;
  };
  bool at_iterate = options.starts_at_guess; // false: at rest
  if (at_iterate) {
    linearize_at_x();
    at_iterate = residual < 1.;
    if (!at_iterate) {
      problem.linearize_at_rest(exec);
      residual = 1.;
    }
    result.history.back() = residual;
  }
  // Linear systems solved less accurately than the required gradient would leave it above its tolerance forever.
  const double linear_tolerance = options.linear_tolerance > options.relative_tolerance
                                      ? 0.1 * options.relative_tolerance
                                      : options.linear_tolerance;
  double before = std::sqrt(residual); // residual of the previous iterate; for a guess as if convergence were quadratic
  while (true) {
    // If steps hardly reduce the residual, as on the way to saturation, exact solves do not reduce it further.
    const double at_most_rest = std::min(1., residual);
    const double ratio = at_most_rest / std::min(1., before);
    const double share = std::min(0.1, 0.9 * ratio * ratio);
    const double threshold = std::max(linear_tolerance, share * at_most_rest) * result.reference;
    before = residual;
    if (at_iterate) {
      fill(exec, target, 0.);
      result.linear = problem.solve(exec, gradient, threshold, target);
      stream("tessera::solvers::newton_target", exec, n, AddScaled<Space>{x, target});
    } else {
      Kokkos::deep_copy(exec, target, x);
      result.linear = problem.solve(exec, problem.rhs(), threshold, target);
    }
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
    // A step that the line search has shortened may also leave most of a residual.
    if (residual > 0.5 * before && is_at_rounding() && residual <= largest_residual) {
      result.status = NewtonStatus::rounding;
      break;
    }
    if (result.iterations == options.max_iterations)
      break;
  }
  std::ostringstream text;
  if (result.status == NewtonStatus::converged)
    text << "Newton's method converged in " << result.iterations << " iterations to a relative residual of " << residual
         << ", with " << result.linear_iterations << " linear iterations.";
  else if (result.status == NewtonStatus::rounding)
    text << "Newton's method ended in iteration " << result.iterations
         << ": the residual has reached the rounding of its evaluation. It is " << residual
         << " of that at rest, the last bits of the unknowns make " << result.rounding
         << " of it, and the tolerance is " << options.relative_tolerance << ". " << result.linear_iterations
         << " linear iterations.";
  else if (result.status == NewtonStatus::linear_solver)
    text << "Newton's method ended in iteration " << result.iterations << ", relative residual " << std::fabs(residual)
         << ": " << result.linear.message;
  else
    text << "Newton's method did not converge in " << result.iterations << " iterations: the relative residual is "
         << residual << ", the tolerance is " << options.relative_tolerance << '.'
         << (residual <= rounding_factor * result.rounding
                 ? " It has reached the rounding of its evaluation, and no iteration lowers it."
                 : "");
  result.message = text.str();
  return result;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template NewtonResult newton<SPACE>(const SPACE&, NonlinearSystem<SPACE>&, const linalg::Vector<SPACE>&,             \
                                      const NewtonOptions&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::solvers
