// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/harmonic/harmonic_newton.hpp"

#include "core/algorithms/reduce.hpp"
#include "io/input/case.hpp"
#include "solvers/largest_residual.hpp"
#include "solvers/newton.hpp"
#include "solvers/roundoff.hpp"
#include "solvers/step_length.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace tessera::driver {

namespace {

/// Terms of Re(x^H y).
template <class Space> struct ProductOfParts {
  Array<const double*, Space> x_re, x_im, y_re, y_im;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    term[0] = x_re(i) * y_re(i) + x_im(i) * y_im(i);
  }
};

template <class ExecutionSpace>
double product_of(const ExecutionSpace& exec, const ComplexVector<ExecutionSpace>& x,
                  const ComplexVector<ExecutionSpace>& y) {
  return ordered_sum("tessera::driver::product_of_phasors", exec, static_cast<std::int64_t>(x.re.extent(0)),
                     ProductOfParts<typename ExecutionSpace::memory_space>{x.re, x.im, y.re, y.im});
}

template <class ExecutionSpace> double norm_of(const ExecutionSpace& exec, const ComplexVector<ExecutionSpace>& x) {
  return std::sqrt(product_of(exec, x, x));
}

template <class ExecutionSpace>
ComplexVector<ExecutionSpace> copy_of(const ExecutionSpace& exec, const ComplexVector<ExecutionSpace>& x) {
  using Vector = linalg::Vector<ExecutionSpace>;
  ComplexVector<ExecutionSpace> result{make_array<Vector>(exec, "driver::newton_re", x.re.extent(0)),
                                       make_array<Vector>(exec, "driver::newton_im", x.im.extent(0))};
  copy(exec, result.re, x.re);
  copy(exec, result.im, x.im);
  return result;
}

} // namespace

template <class ExecutionSpace>
double HarmonicNewton<ExecutionSpace>::residual(const ExecutionSpace& exec, double omega, const Column& b,
                                                const Column& x, Column& r) {
  r = system_.residual(exec, omega, b, x);
  add_multiple(exec, cores_.load_at(exec, x), 1., r);
  return norm_of(exec, r);
}

template <class ExecutionSpace>
double HarmonicNewton<ExecutionSpace>::advance(const ExecutionSpace& exec, double omega, const Column& b,
                                               const Column& d, Column& x, Column& r, double& norm,
                                               solvers::NewtonResult& result) {
  Column trial;
  Column of_trial;
  double last = 0.;
  const auto slope_at = [&](double length) {
    if (length == 0.)
      return -product_of(exec, d, r);
    trial = copy_of(exec, x);
    add_multiple(exec, d, length, trial);
    norm = residual(exec, omega, b, trial, of_trial);
    last = length;
    return -product_of(exec, d, of_trial);
  };
  double length = 1.;
  if (options_.nonlinear.line_search)
    length = solvers::step_length(slope_at, result.line_search_steps);
  if (last != length)
    slope_at(length);
  x = trial;
  r = of_trial;
  return length;
}

template <class ExecutionSpace>
double HarmonicNewton<ExecutionSpace>::rounding(const ExecutionSpace& exec, double omega, const Column& x) {
  using Roundoff = solvers::detail::Roundoff<typename ExecutionSpace::memory_space>;
  const auto n = static_cast<std::int64_t>(x.re.extent(0));
  const Column none{make_filled<Vector>(exec, "driver::newton_re", x.re.extent(0), 0.),
                    make_filled<Vector>(exec, "driver::newton_im", x.im.extent(0), 0.)};
  const Column last_bits = copy_of(exec, none);
  for_each("tessera::driver::newton_roundoff", exec, n, Roundoff{x.re, last_bits.re, 0});
  for_each("tessera::driver::newton_roundoff", exec, n, Roundoff{x.im, last_bits.im, n});
  return norm_of(exec, system_.residual(exec, omega, none, last_bits));
}

template <class ExecutionSpace>
solvers::NewtonResult HarmonicNewton<ExecutionSpace>::solve(const ExecutionSpace& exec, double omega, const Column& b,
                                                            Column& x) {
  const io::NonlinearOptions& options = options_.nonlinear;
  const double linear_tolerance = std::min(options_.relative_tolerance, 0.1 * options.relative_tolerance);
  solvers::NewtonResult result;
  Column r = copy_of(exec, b);
  log_.run("assembly: numeric", exec, [&] { cores_.set_rest(exec); });
  set_matrix_();
  add_multiple(exec, cores_.load_at_rest(exec), 1., r);
  result.reference = norm_of(exec, r);
  bool is_at_rest = true;
  double norm = result.reference;
  if (x.re.extent(0) > 0 && result.reference > 0.) {
    Column of_start;
    const double of_x = residual(exec, omega, b, x, of_start);
    is_at_rest = !(of_x < norm);
    norm = is_at_rest ? norm : of_x;
    r = is_at_rest ? r : of_start;
  }
  if (is_at_rest)
    x = {make_filled<Vector>(exec, "driver::newton_re", b.re.extent(0), 0.),
         make_filled<Vector>(exec, "driver::newton_im", b.im.extent(0), 0.)};
  double before = std::sqrt(norm * result.reference); // as if convergence were quadratic
  const auto record = [&] { result.history.push_back(result.reference > 0. ? norm / result.reference : 0.); };
  record();
  const auto has_converged = [&] { return norm <= options.relative_tolerance * result.reference; };
  bool is_at_rounding = false;
  while (!has_converged() && result.iterations < options.max_iterations && std::isfinite(norm) && !is_at_rounding) {
    if (!is_at_rest) {
      log_.run("assembly: numeric", exec, [&] { cores_.set_state(exec, x); });
      set_matrix_();
    }
    const double at_most_rest = std::min(1., norm / result.reference);
    const double ratio = at_most_rest / std::min(1., before / result.reference);
    const double threshold =
        std::max(linear_tolerance, std::min(0.1, 0.9 * ratio * ratio) * at_most_rest) * result.reference;
    before = norm;
    Column d;
    log_.run("solver: gmres", exec, [&] {
      cores_.start_changes(exec);
      static_cast<solvers::SolverResult&>(result.linear) = system_.solve_real(
          exec, omega, r, [&](const Column& change) { return cores_.load_of_change(exec, change); }, threshold, d);
      cores_.end_changes(exec);
    });
    result.linear_iterations += result.linear.iterations;
    ++result.iterations;
    log_.run("solver: line search", exec, [&] {
      if (is_at_rest) { // beyond it, where steps may be short, the first residual is often larger
        add_multiple(exec, d, 1., x);
        norm = residual(exec, omega, b, x, r);
        result.step_length.push_back(1.);
      } else {
        result.step_length.push_back(advance(exec, omega, b, d, x, r, norm, result));
      }
    });
    is_at_rest = false;
    record();
    if (norm > 0.5 * before && norm <= solvers::largest_residual * result.reference) {
      result.rounding = rounding(exec, omega, x) / result.reference;
      is_at_rounding = result.history.back() <= solvers::rounding_factor * result.rounding;
    }
  }
  cores_.set_state(exec, x);
  std::ostringstream text;
  text << "Newton's method ";
  if (has_converged()) {
    result.status = solvers::NewtonStatus::converged;
    text << "converged in " << result.iterations << " iterations to a relative residual of " << result.history.back()
         << ", with " << result.linear_iterations << " linear iterations.";
  } else if (is_at_rounding) {
    result.status = solvers::NewtonStatus::rounding;
    text << "ended in iteration " << result.iterations
         << ": the residual has reached the rounding of its evaluation. It is " << result.history.back()
         << " of that at rest, the last bits of the unknowns make " << result.rounding
         << " of it, and the tolerance is " << options.relative_tolerance << ". " << result.linear_iterations
         << " linear iterations.";
  } else {
    result.status = std::isfinite(norm) ? solvers::NewtonStatus::max_iterations : solvers::NewtonStatus::linear_solver;
    text << "did not converge in " << result.iterations << " iterations: the relative residual is "
         << result.history.back() << ", the tolerance is " << options.relative_tolerance
         << ". Last linear system: " << result.linear.message;
  }
  result.message = text.str();
  return result;
}

#define TESSERA_INSTANTIATE(SPACE) template class HarmonicNewton<SPACE>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
