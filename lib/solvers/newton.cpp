// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "solvers/newton.hpp"

#include "core/error.hpp"
#include "linalg/vector_kernels.hpp"
#include "solvers/roundoff.hpp"
#include "solvers/step_length.hpp"

#include <algorithm>
#include <cmath>
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

/// x += s (target - x)
template <class Space> struct Advance {
  Array<double*, Space> x;
  Array<const double*, Space> target;
  double s;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { x(i) = s == 1. ? target(i) : x(i) + s * (target(i) - x(i)); }
};

template <class ExecutionSpace> class Newton {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Vector = linalg::Vector<ExecutionSpace>;

  Newton(const ExecutionSpace& exec, NonlinearSystem<ExecutionSpace>& problem, const Vector& x,
         const NewtonOptions& options)
      : exec_(exec), problem_(problem), options_(options), n_(static_cast<std::int64_t>(x.extent(0))), x_(x),
        target_(make_array<Vector>(exec, "solvers::newton_target", x.extent(0))),
        gradient_(make_array<Vector>(exec, "solvers::newton_gradient", x.extent(0))), workspace_(exec, n_, 1),
        sum_(make_array<Array<double*, ExecutionSpace>>(exec, "solvers::newton_sum", 1)) {}

  NewtonResult solve() {
    if (!set_reference())
      return result_;
    start();
    while (!step()) {
    }
    describe();
    return result_;
  }

private:
  template <class Squares> double norm_of(const Squares& squares) {
    linalg::global_sums<1>("tessera::solvers::newton_norm", exec_, n_, squares, workspace_, sum_.data(),
                           problem_.system().sums());
    return unit_ * std::sqrt(read_entry(exec_, sum_, 0));
  }
  double norm_of_load() { return norm_of(SumSquares<Space>{problem_.rhs(), 1. / unit_}); }
  void evaluate_residual() {
    problem_.system().apply(exec_, x_, gradient_);
    residual_ = norm_of(ResidualSquares<Space>{problem_.rhs(), gradient_, 1. / unit_}) / result_.reference;
  }
  void linearize_at_x() {
    problem_.linearize(exec_, x_);
    evaluate_residual();
  }

  /// Linearises at rest and computes the norm of the load; returns false if that determines the result.
  bool set_reference() {
    if (options_.starts_at_guess)
      problem_.load_at_rest(exec_);
    else
      problem_.linearize_at_rest(exec_);
    result_.reference = norm_of_load();
    if (!(result_.reference * result_.reference >= linalg::smallest_square &&
          result_.reference * result_.reference <= linalg::largest_square)) {
      unit_ = linalg::unit_of<ExecutionSpace>(exec_, problem_.rhs(), problem_.system().sums());
      result_.reference = norm_of_load();
    }
    result_.history.push_back(result_.reference > 0. ? 1. : 0.);
    if (!std::isfinite(result_.reference)) {
      result_.status = NewtonStatus::linear_solver;
      result_.message = "Newton's method: the sources give a load that is not finite.";
      return false;
    }
    if (result_.reference == 0.) { // no source of a field
      fill(exec_, x_, 0.);
      problem_.linearize(exec_, x_);
      result_.status = NewtonStatus::converged;
      result_.message = "Without sources the solution is zero.";
      return false;
    }
    return true;
  }

  /// Chooses between the guess and rest.
  void start() {
    at_iterate_ = options_.starts_at_guess;
    if (at_iterate_) {
      linearize_at_x();
      at_iterate_ = residual_ < 1.;
      if (!at_iterate_) {
        problem_.linearize_at_rest(exec_);
        residual_ = 1.;
      }
      result_.history.back() = residual_;
    }
    before_ = std::sqrt(residual_); // for a guess as if convergence were quadratic
  }

  /// Returns whether it was the last step.
  bool step() {
    solve_linear();
    double s = 1.;
    if (options_.line_search && at_iterate_) {
      problem_.set_line(exec_, x_, target_);
      s = step_length([&](double at) { return problem_.slope(exec_, at); }, result_.line_search_steps);
    }
    result_.step_length.push_back(s);
    stream("tessera::solvers::newton_advance", exec_, n_, Advance<Space>{x_, target_, s});
    linearize_at_x();
    at_iterate_ = true;
    result_.history.push_back(residual_);
    if (options_.monitor)
      options_.monitor(result_.iterations, residual_);
    if (residual_ <= options_.relative_tolerance)
      result_.status = NewtonStatus::converged;
    else if (result_.linear.status == SolverStatus::breakdown || !std::isfinite(residual_))
      result_.status = NewtonStatus::linear_solver;
    // A step that the line search has shortened may also leave most of a residual.
    else if (residual_ > 0.5 * before_ && is_at_rounding() && residual_ <= largest_residual)
      result_.status = NewtonStatus::rounding;
    else
      return result_.iterations == options_.max_iterations;
    return true;
  }

  /// Solves for the target, as accurately as the step can use.
  void solve_linear() {
    // Linear systems solved less accurately than the required gradient would leave it above its tolerance forever.
    const double linear_tolerance = options_.linear_tolerance > options_.relative_tolerance
                                        ? 0.1 * options_.relative_tolerance
                                        : options_.linear_tolerance;
    // If steps hardly reduce the residual, as on the way to saturation, exact solves do not reduce it further.
    const double at_most_rest = std::min(1., residual_);
    const double ratio = at_most_rest / std::min(1., before_);
    const double share = std::min(0.1, 0.9 * ratio * ratio);
    const double threshold = std::max(linear_tolerance, share * at_most_rest) * result_.reference;
    before_ = residual_;
    if (at_iterate_) {
      fill(exec_, target_, 0.);
      result_.linear = problem_.solve(exec_, gradient_, threshold, target_);
      stream("tessera::solvers::newton_target", exec_, n_, AddScaled<Space>{x_, target_});
    } else {
      Kokkos::deep_copy(exec_, target_, x_);
      result_.linear = problem_.solve(exec_, problem_.rhs(), threshold, target_);
    }
    result_.linear_iterations += result_.linear.iterations;
    ++result_.iterations;
  }

  /// Whether the residual is that of the unknowns' last bits.
  bool is_at_rounding() {
    // Sums with the bits of a single process need global indices.
    const linalg::SharedSums<ExecutionSpace>* shared = problem_.system().sums().shared();
    const std::int64_t first = shared != nullptr ? shared->ranges[static_cast<std::size_t>(shared->rank)].first : 0;
    stream("tessera::solvers::newton_roundoff", exec_, n_, detail::Roundoff<Space>{x_, target_, first});
    problem_.system().apply(exec_, target_, gradient_);
    result_.rounding = norm_of(SumSquares<Space>{gradient_, 1. / unit_}) / result_.reference;
    evaluate_residual();
    return residual_ <= rounding_factor * result_.rounding;
  }

  void describe() {
    std::ostringstream text;
    if (result_.status == NewtonStatus::converged)
      text << "Newton's method converged in " << result_.iterations << " iterations to a relative residual of "
           << residual_ << ", with " << result_.linear_iterations << " linear iterations.";
    else if (result_.status == NewtonStatus::rounding)
      text << "Newton's method ended in iteration " << result_.iterations
           << ": the residual has reached the rounding of its evaluation. It is " << residual_
           << " of that at rest, the last bits of the unknowns make " << result_.rounding
           << " of it, and the tolerance is " << options_.relative_tolerance << ". " << result_.linear_iterations
           << " linear iterations.";
    else if (result_.status == NewtonStatus::linear_solver)
      text << "Newton's method ended in iteration " << result_.iterations << ", relative residual "
           << std::fabs(residual_) << ": " << result_.linear.message;
    else
      text << "Newton's method did not converge in " << result_.iterations << " iterations: the relative residual is "
           << residual_ << ", the tolerance is " << options_.relative_tolerance << '.'
           << (residual_ <= rounding_factor * result_.rounding
                   ? " It has reached the rounding of its evaluation, and no iteration lowers it."
                   : "");
    result_.message = text.str();
  }

  ExecutionSpace exec_;
  NonlinearSystem<ExecutionSpace>& problem_;
  const NewtonOptions& options_;
  std::int64_t n_;
  Vector x_;
  Vector target_;
  Vector gradient_; // b - A x after evaluate_residual()
  ReduceWorkspace<ExecutionSpace> workspace_;
  Array<double*, ExecutionSpace> sum_;
  double unit_ = 1.; // divisor of norms, so that squares stay in the range of doubles
  NewtonResult result_;
  double residual_ = 1.;    // relative
  double before_ = 1.;      // residual of the previous iterate
  bool at_iterate_ = false; // false: at rest
};

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
  TESSERA_REQUIRE(options.relative_tolerance > 0. && options.linear_tolerance >= 0. && options.max_iterations > 0,
                  "Newton's method needs a positive tolerance and number of iterations.");
  return Newton<ExecutionSpace>(exec, problem, x, options).solve();
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template NewtonResult newton<SPACE>(const SPACE&, NonlinearSystem<SPACE>&, const linalg::Vector<SPACE>&,             \
                                      const NewtonOptions&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::solvers
