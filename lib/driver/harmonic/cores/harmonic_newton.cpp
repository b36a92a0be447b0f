// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/harmonic/cores/harmonic_newton.hpp"

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

constexpr double largest_forcing = 0.1; // residual of a linear system, as part of that of the equations

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
ComplexVector<ExecutionSpace>
HarmonicNewton<ExecutionSpace>::right_hand_side(const ExecutionSpace& exec, const std::vector<Column>& b,
                                                const std::vector<Complex>& drives) const {
  if (drives.empty())
    return b[0];
  const Column sum = copy_of(exec, b[0]);
  for (std::size_t k = 0; k < drives.size(); ++k)
    add_multiple(exec, b[1 + k], drives[k], sum);
  return sum;
}

template <class ExecutionSpace>
double HarmonicNewton<ExecutionSpace>::residual(const ExecutionSpace& exec, double omega, const std::vector<Column>& b,
                                                const State& state, Column& r) {
  r = system_.residual(exec, omega, right_hand_side(exec, b, state.drives), state.x);
  add_multiple(exec, cores_.load_at(exec, state.x), 1., r);
  return norm_of(exec, r);
}

template <class ExecutionSpace>
typename HarmonicNewton<ExecutionSpace>::State
HarmonicNewton<ExecutionSpace>::change(const ExecutionSpace& exec, double omega, const std::vector<Column>& b,
                                       const Drives& drives, const State& state, const Column& r, double norm,
                                       double threshold, solvers::NewtonResult& result) {
  cores_.start_changes(exec);
  const auto solved = [&](const Column& rhs, double threshold_of_rhs) {
    Column d;
    static_cast<solvers::SolverResult&>(result.linear) = system_.solve_real(
        exec, omega, rhs, [&](const Column& change) { return cores_.load_of_change(exec, change); }, threshold_of_rhs,
        d);
    result.linear_iterations += result.linear.iterations;
    return d;
  };
  State d{solved(r, threshold), {}};
  responses_.clear();
  for (std::size_t k = 0; k < state.drives.size(); ++k)
    for (const Complex unit : {Complex(1., 0.), Complex(0., 1.)}) {
      const Column rhs = copy_of(exec, b[1 + k]);
      add_multiple(exec, b[1 + k], unit - 1., rhs);
      const double of_rhs = norm_of(exec, rhs);
      responses_.push_back(solved(rhs, norm > 0. ? threshold / norm * of_rhs : largest_forcing * of_rhs));
    }
  cores_.end_changes(exec);
  if (state.drives.empty())
    return d;
  const auto add_responses = [&](const std::vector<Complex>& values, double factor, const Column& x) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      add_multiple(exec, responses_[2 * k], factor * values[k].real(), x);
      add_multiple(exec, responses_[2 * k + 1], factor * values[k].imag(), x);
    }
  };
  std::vector<Column> parts{copy_of(exec, state.x)};
  add_multiple(exec, d.x, 1., parts[0]);
  add_responses(state.drives, -1., parts[0]);
  parts.insert(parts.end(), responses_.begin(), responses_.end());
  d.drives = drives(parts);
  for (std::size_t k = 0; k < d.drives.size(); ++k)
    d.drives[k] -= state.drives[k];
  add_responses(d.drives, 1., d.x);
  return d;
}

template <class ExecutionSpace>
double HarmonicNewton<ExecutionSpace>::advance(const ExecutionSpace& exec, double omega, const std::vector<Column>& b,
                                               const State& d, bool searches, State& state, Column& r, double& norm,
                                               solvers::NewtonResult& result) {
  State trial;
  Column of_trial;
  double last = 0.;
  const auto slope_at = [&](double length) {
    if (length == 0.)
      return -product_of(exec, d.x, r);
    trial = {copy_of(exec, state.x), state.drives};
    add_multiple(exec, d.x, length, trial.x);
    for (std::size_t k = 0; k < d.drives.size(); ++k)
      trial.drives[k] += length * d.drives[k];
    norm = residual(exec, omega, b, trial, of_trial);
    last = length;
    return -product_of(exec, d.x, of_trial);
  };
  double length = 1.;
  if (searches)
    length = solvers::step_length(slope_at, result.line_search_steps);
  if (last != length)
    slope_at(length);
  state = trial;
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
solvers::NewtonResult HarmonicNewton<ExecutionSpace>::solve(const ExecutionSpace& exec, double omega,
                                                            const std::vector<Column>& b, const Drives& drives,
                                                            Column& last, std::vector<Column>& x) {
  const io::NonlinearOptions& options = options_.nonlinear;
  const double linear_tolerance = std::min(options_.relative_tolerance, 0.1 * options.relative_tolerance);
  const bool has_drives = b.size() > 1;
  solvers::NewtonResult result;
  log_.run("assembly: numeric", exec, [&] { cores_.set_rest(exec); });
  set_matrix_();
  const Column at_rest = copy_of(exec, b[0]);
  add_multiple(exec, cores_.load_at_rest(exec), 1., at_rest);
  Column r = at_rest;
  double norm = norm_of(exec, r);
  result.reference = norm;
  bool is_at_rest = true;
  State state{{}, std::vector<Complex>(b.size() - 1)};
  if (!has_drives && last.re.extent(0) > 0 && norm > 0.) { // with drives their equations hold after a step only
    state.x = last;
    Column of_start;
    const double of_last = residual(exec, omega, b, state, of_start);
    is_at_rest = !(of_last < norm);
    norm = is_at_rest ? norm : of_last;
    r = is_at_rest ? r : of_start;
  }
  if (is_at_rest)
    state.x = {make_filled<Vector>(exec, "driver::newton_re", b[0].re.extent(0), 0.),
               make_filled<Vector>(exec, "driver::newton_im", b[0].im.extent(0), 0.)};
  responses_.assign(2 * (b.size() - 1), state.x);     // none: those of a run that ends before a step
  double before = std::sqrt(norm * result.reference); // as if convergence were quadratic
  const auto record = [&] { result.history.push_back(result.reference > 0. ? norm / result.reference : 0.); };
  record();
  const auto has_converged = [&] { return norm <= options.relative_tolerance * result.reference; };
  bool is_at_rounding = false;
  while ((!has_converged() || (has_drives && is_at_rest)) && result.iterations < options.max_iterations &&
         std::isfinite(norm) && !is_at_rounding) {
    if (!is_at_rest) {
      log_.run("assembly: numeric", exec, [&] { cores_.set_state(exec, state.x); });
      set_matrix_();
    }
    double forcing = largest_forcing; // part of the residual at rest
    if (result.reference > 0.) {
      const double at_most_rest = std::min(1., norm / result.reference);
      const double ratio = at_most_rest / std::min(1., before / result.reference);
      forcing = std::max(linear_tolerance, std::min(largest_forcing, 0.9 * ratio * ratio) * at_most_rest);
    }
    before = norm;
    State d;
    log_.run("solver: gmres", exec,
             [&] { d = change(exec, omega, b, drives, state, r, norm, forcing * result.reference, result); });
    ++result.iterations;
    const bool searches = options.line_search && !(has_drives && is_at_rest); // whose equations a whole step meets
    log_.run("solver: line search", exec,
             [&] { result.step_length.push_back(advance(exec, omega, b, d, searches, state, r, norm, result)); });
    if (has_drives) { // the sources are those with the drives
      const Column sources = copy_of(exec, right_hand_side(exec, b, state.drives));
      add_multiple(exec, at_rest, 1., sources);
      add_multiple(exec, b[0], -1., sources);
      result.reference = norm_of(exec, sources);
    }
    if (has_drives && is_at_rest) {
      before = result.reference;
      result.history.back() = before > 0. ? 1. : 0.;
    }
    is_at_rest = false;
    record();
    if (norm > 0.5 * before && norm <= solvers::largest_residual * result.reference) {
      result.rounding = rounding(exec, omega, state.x) / result.reference;
      is_at_rounding = result.history.back() <= solvers::rounding_factor * result.rounding;
    }
  }
  last = state.x;
  x = {copy_of(exec, last)};
  for (std::size_t k = 0; k < state.drives.size(); ++k) {
    add_multiple(exec, responses_[2 * k], -state.drives[k].real(), x[0]);
    add_multiple(exec, responses_[2 * k + 1], -state.drives[k].imag(), x[0]);
  }
  x.insert(x.end(), responses_.begin(), responses_.end());
  cores_.set_state(exec, last);
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
