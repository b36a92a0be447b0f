// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/time/time_steps.hpp"

#include "core/keep_alive.hpp"
#include "core/kokkos_ext/spaces.hpp"
#include "driver/problem/binding/input_values.hpp"
#include "linalg/global_sums.hpp"
#include "linalg/vector_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>
#include <utility>

namespace tessera::driver {

namespace {

/// Coefficient of the two stages of the method of order 2 that is L-stable and ends with the last stage (R. Alexander,
/// SIAM J. Numer. Anal. 14, 1977): 1 - 1 / sqrt(2).
constexpr double gamma = 0.29289321881345247560;
/// Its error per step is this times h^3 u''' for linear problems, 1/6 less than 3 gamma^2 - 2 gamma^3.
constexpr double sdirk2_error = 0.040440114519881;

/// Size of the first controlled step, as a share of the whole time; the estimate of its error shortens it.
constexpr double first_share = 1e-3;

template <class Space> struct Combine {
  Array<const double*, Space> a, b, c;
  double fa, fb, fc;
  Array<double*, Space> to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    double sum = fa * a(i);
    sum += b.extent(0) > 0 ? fb * b(i) : 0.;
    sum += c.extent(0) > 0 ? fc * c(i) : 0.;
    to(i) = sum;
  }
};

template <class Space> struct SquareOfDifference {
  Array<const double*, Space> a, b;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const double d = a(i) - b(i);
    term[0] = d * d;
  }
};

/// Square, value and magnitude of each entry.
template <class Space> struct SumsOfResidual {
  Array<const double*, Space> r;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[3]) const {
    term[0] = r(i) * r(i);
    term[1] = r(i);
    term[2] = r(i) < 0. ? -r(i) : r(i);
  }
};

/// Squares of the effect of each unknown's unit roundoff on its row.
template <class Space> struct RoundingOfRows {
  Array<const double*, Space> x, diagonal;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double (&term)[1]) const {
    const double change = 0x1p-53 * x(i) * diagonal(i);
    term[0] = change * change;
  }
};

template <class Space> struct Bounds {
  Array<const double*, Space> u;
  KOKKOS_FUNCTION void operator()(std::int64_t i, Kokkos::MinMaxScalar<double>& bounds) const {
    bounds.min_val = u(i) < bounds.min_val ? u(i) : bounds.min_val;
    bounds.max_val = u(i) > bounds.max_val ? u(i) : bounds.max_val;
  }
};

/// to = fa a + fb b
template <class Space> struct Sum {
  double fa;
  Array<const double*, Space> a;
  double fb;
  Array<const double*, Space> b;
  Array<double*, Space> to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to(i) = fa * a(i) + fb * b(i); }
};

template <class ExecutionSpace>
void set_sum(const ExecutionSpace& exec, double fa, const linalg::ConstVector<ExecutionSpace>& a, double fb,
             const linalg::ConstVector<ExecutionSpace>& b, const linalg::Vector<ExecutionSpace>& to) {
  stream("tessera::driver::set_sum", exec, static_cast<std::int64_t>(to.extent(0)),
         Sum<typename ExecutionSpace::memory_space>{fa, a, fb, b, to});
}

/// Sums over a residual.
struct ResidualSums {
  double norm = 0.;
  double sum = 0.;
  double magnitude = 0.; ///< sum of the magnitudes
};

/// All data of a problem that may depend on time.
std::vector<physics::Expression> data_of(const ProblemBinding& binding) {
  std::vector<physics::Expression> data = binding.fixed_values;
  for (const physics::RegionData& region : binding.problem.regions)
    data.push_back(region.source);
  for (const physics::NaturalData& datum : binding.problem.natural)
    data.insert(data.end(), {datum.flux, datum.alpha, datum.reference, datum.emissivity});
  return data;
}

template <class ExecutionSpace>
ResidualSums sums_of(const ExecutionSpace& exec, const linalg::Vector<ExecutionSpace>& r,
                     const linalg::GlobalSums<ExecutionSpace>& sums) {
  const auto n = static_cast<std::int64_t>(r.extent(0));
  const ReduceWorkspace<ExecutionSpace> workspace(exec, n, 3);
  const auto result = make_array<Array<double*, ExecutionSpace>>(exec, "driver::residual_sums", 3);
  linalg::global_sums<3>("tessera::driver::residual_sums", exec, n,
                         SumsOfResidual<typename ExecutionSpace::memory_space>{r}, workspace, result.data(), sums);
  const auto host = to_host(exec, result);
  return {std::sqrt(host(0)), host(1), host(2)};
}

} // namespace

template <class ExecutionSpace>
TimeSteps<ExecutionSpace>::TimeSteps(const ExecutionSpace& exec, Problem<ExecutionSpace>& problem, const Plan& plan,
                                     const Distribution<ExecutionSpace>& distribution, const io::Case& input,
                                     PhaseLog& log, const SolverMonitor& monitor)
    : exec_(exec), problem_(problem), plan_(plan), distribution_(distribution), time_(input.problem.time), log_(log),
      monitor_(monitor), storage_(problem.storage()),
      ends_(step_ends(input.problem.time, input.output.times, data_of(problem.binding))) {
  const assembly::AssemblyOptions options = assembly_options(plan);
  assembler_ = distribution.make_assembler(options);
  log.run("assembly: symbolic", exec, [&] { assembler_->symbolic(exec_); });
  solver_ = std::make_unique<LinearSolver<ExecutionSpace>>(problem, plan, *assembler_, distribution);
  const auto n_nodes = static_cast<std::size_t>(problem.n_space_nodes);
  for (Vector* nodal : {&nodal_[0], &nodal_[1], &nodal_[2], &nodal_new_, &first_, &earlier_, &start_})
    *nodal = make_filled<Vector>(exec, "driver::nodal_in_time", n_nodes, 0.);
  unknowns_ = make_filled<Vector>(exec, "driver::unknowns", static_cast<std::size_t>(problem.dofs.n_free), 0.);
  for (Vector* of_owned : {&correction_, &product_, &r_, &rest_, &before_})
    *of_owned = make_array<Vector>(exec, "driver::correction", owned(unknowns_).extent(0));
  const std::vector<physics::Expression> data = data_of(problem.binding);
  is_static_ = std::none_of(data.begin(), data.end(),
                            [](const physics::Expression& value) { return value.depends_on(physics::Opcode::t); });
  for (const physics::NaturalData& datum : problem.binding.problem.natural)
    matrix_varies_ = matrix_varies_ || datum.alpha.depends_on(physics::Opcode::t);
  splits_ = problem.is_linear() && !matrix_varies_ && !distribution.unknowns().is_distributed() && !plan.reproducible &&
            plan.strategy == assembly::Strategy::row_gather; // which keeps its arrays
  const io::Scalar& initial = time_.initial;
  problem.interpolate(exec, to_expression(initial), nodal_[0], initial.where.text());
  times_[0] = time_.from;
  restart();
  low_ = std::numeric_limits<double>::infinity();
  high_ = -low_;
  const std::array<double, 2> range = widen_range();
  if (time_.stop.is_given)
    look_for_stop(range[time_.stop.of_largest ? 1 : 0]);
  for (const physics::NaturalData& datum : problem.binding.problem.natural) { // surroundings that it approaches
    const auto is_zero = [](const physics::Expression& value) { return value.is_constant() && value.value() == 0.; };
    const physics::Expression reference = datum.reference.at_time(time_.from);
    if (!reference.is_constant() || (is_zero(datum.alpha) && is_zero(datum.emissivity)))
      continue;
    low_ = std::min(low_, reference.value());
    high_ = std::max(high_, reference.value());
  }
  size_ = first_share * (time_.to - time_.from);
}

template <class ExecutionSpace> void TimeSteps<ExecutionSpace>::restart() {
  n_known_ = 1;
  n_updates_ = -1;
  problem_.set_time(exec_, times_[0]);
  fe::restrict_to_unknowns(exec_, problem_.dofs, ConstVector(nodal_[0]), unknowns_);
  problem_.expand(exec_, ConstVector(unknowns_), nodal_[0]);
}

template <class ExecutionSpace> std::array<double, 2> TimeSteps<ExecutionSpace>::widen_range() {
  Kokkos::MinMaxScalar<double> bounds;
  Kokkos::parallel_reduce("tessera::driver::bounds",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(
                              exec_, 0, static_cast<std::int64_t>(nodal_[0].extent(0))),
                          Bounds<Space>{nodal_[0]}, Kokkos::MinMax<double>(bounds));
  low_ = std::min(low_, bounds.min_val);
  high_ = std::max(high_, bounds.max_val);
  return {bounds.min_val, bounds.max_val};
}

/// By the parabola through the last three values, or the line through two.
template <class ExecutionSpace> void TimeSteps<ExecutionSpace>::look_for_stop(double extreme) {
  const io::StopInput& stop = time_.stop;
  const double excess = (stop.above ? 1. : -1.) * (extreme - stop.limit);
  extremes_.push_back({times_[0], excess});
  if (extremes_.size() > 3)
    extremes_.erase(extremes_.begin());
  if (!(excess > 0.))
    return;
  const std::size_t n = extremes_.size();
  TESSERA_REQUIRE(n > 1, stop.where.text()
                             << ": '" << stop.text << "' holds at the start already, where the "
                             << (stop.of_largest ? "largest" : "smallest") << " value is " << extreme << '.');
  const auto [t0, f0] = extremes_[n - 2];
  const auto [t1, f1] = extremes_[n - 1];
  const double slope = (f1 - f0) / (t1 - t0);
  const double bend = n < 3 ? 0. : (slope - (f0 - extremes_[0][1]) / (t0 - extremes_[0][0])) / (t1 - extremes_[0][0]);
  double low = t0, high = t1; // f0 <= 0 < f1
  for (int k = 0; k < 100 && high - low > 0.; ++k) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high)
      break;
    const double value = f0 + (middle - t0) * (slope + bend * (middle - t1));
    (value > 0. ? high : low) = middle;
  }
  stop_time_ = high;
}

template <class ExecutionSpace> void TimeSteps<ExecutionSpace>::combine(const Vector& to, const Terms& terms) const {
  Combine<Space> kernel{};
  kernel.to = to;
  int k = 0;
  for (const auto& [factor, values] : terms) {
    (k == 0 ? kernel.fa : k == 1 ? kernel.fb : kernel.fc) = factor;
    (k == 0 ? kernel.a : k == 1 ? kernel.b : kernel.c) = values;
    ++k;
  }
  for_each("tessera::driver::combine", exec_, static_cast<std::int64_t>(to.extent(0)), kernel);
}

template <class ExecutionSpace>
double TimeSteps<ExecutionSpace>::difference(const ConstVector& a, const ConstVector& b) const {
  const auto n = static_cast<std::int64_t>(a.extent(0));
  return std::sqrt(linalg::global_sum("tessera::driver::difference", exec_, n, SquareOfDifference<Space>{a, b}) /
                   static_cast<double>(n));
}

template <class ExecutionSpace> void TimeSteps<ExecutionSpace>::assemble() {
  log_.run("assembly: numeric", exec_, [&] {
    if (splits_ && mass_) {
      const Array<double*, ExecutionSpace>& values = assembler_->matrix()->values;
      set_sum<ExecutionSpace>(exec_, 1., stiffness_, rate_, mass_->matrix().values, values);
      return;
    }
    assembler_->numeric(exec_);
    if (!splits_)
      return;
    // With a rate that makes storage dominate, the difference of two matrices has all digits of M.
    constexpr double large = 1e6;
    linalg::CrsMatrix<Space> mass = *assembler_->matrix();
    const Array<double*, ExecutionSpace> values = mass.values;
    const auto copy_of_values = [&](const char* label) {
      const auto copied = make_array<Array<double*, ExecutionSpace>>(exec_, label, values.extent(0));
      copy(exec_, copied, values);
      return copied;
    };
    fill(exec_, storage_.rate, large * rate_);
    assembler_->numeric(exec_);
    mass.values = copy_of_values("driver::mass");
    fill(exec_, storage_.rate, 0.);
    assembler_->numeric(exec_);
    stiffness_ = copy_of_values("driver::stiffness");
    fill(exec_, storage_.rate, rate_);
    set_sum<ExecutionSpace>(exec_, 1. / (large * rate_), mass.values, -1. / (large * rate_), stiffness_, mass.values);
    mass_.emplace(mass);
    set_sum<ExecutionSpace>(exec_, 1., stiffness_, rate_, mass.values, values);
  });
  matrix_is_current_ = true;
  is_assembled_ = true;
  if (plan_.reproducible) // the bits would depend on levels that were made for another matrix
    solver_ = std::make_unique<LinearSolver<ExecutionSpace>>(problem_, plan_, *assembler_, distribution_);
  solvers::PcgOptions options = pcg_options(plan_.solver);
  log_.run("solver: set-up", exec_, [&] { solver_->set_up(exec_, options); });
}

template <class ExecutionSpace> void TimeSteps<ExecutionSpace>::expand(const Vector& u) {
  distribution_.unknowns().gather(exec_, unknowns_);
  problem_.expand(exec_, ConstVector(unknowns_), u);
}

template <class ExecutionSpace> linalg::Vector<ExecutionSpace> TimeSteps<ExecutionSpace>::residual(const Vector& u) {
  expand(u);
  if (sources_)
    sources_(ConstVector(u));
  if (!problem_.is_linear()) {
    copy(exec_, problem_.iterate(), u);
    problem_.linearize(exec_);
  }
  return owned(problem_.residual(exec_, ConstVector(u)));
}

template <class ExecutionSpace>
void TimeSteps<ExecutionSpace>::start_residual(const ConstVector& start, const Vector& u) {
  constexpr int most = 100; // updates, whose rounding adds up
  const bool updates = splits_ && is_static_ && mass_ && matrix_is_current_ && n_updates_ >= 0 && n_updates_ < most;
  const auto x = owned(unknowns_);
  if (updates)
    copy(exec_, before_, ConstVector(x));
  fe::restrict_to_unknowns(exec_, problem_.dofs, ConstVector(earlier_), unknowns_);
  if (updates) {
    set_sum<ExecutionSpace>(exec_, 1., x, -1., rest_, correction_);
    mass_->apply(exec_, ConstVector(correction_), product_);
    set_sum<ExecutionSpace>(exec_, 1., r_, rate_, product_, r_);
  }
  copy(exec_, rest_, ConstVector(x));
  fe::restrict_to_unknowns(exec_, problem_.dofs, start, unknowns_);
  if (updates) {
    set_sum<ExecutionSpace>(exec_, 1., x, -1., before_, correction_);
    assembler_->system().apply(exec_, ConstVector(correction_), product_);
    set_sum<ExecutionSpace>(exec_, 1., r_, -1., product_, r_);
    ++n_updates_;
  } else {
    copy(exec_, r_, ConstVector(residual(u)));
    n_updates_ = 0;
  }
}

template <class ExecutionSpace> double TimeSteps<ExecutionSpace>::residual_along() const {
  return linalg::global_sum("tessera::driver::residual_along", exec_, static_cast<std::int64_t>(r_.extent(0)),
                            linalg::Products{r_.data(), correction_.data()}, assembler_->system().sums());
}

/// By false position with the Illinois modification, until the residual along the step is small.
template <class ExecutionSpace> void TimeSteps<ExecutionSpace>::shorten(double before, const Vector& u) {
  constexpr double small = 0.3; // of that at the start
  constexpr int most = 12;
  double now = residual_along();
  if (!(before > 0. && now < -small * before))
    return;
  double low = 0., high = 1.; // shares of the step
  double at_low = before, at_high = now;
  double share = high;
  for (int k = 0; k < most && std::fabs(now) > small * before; ++k) {
    const double next = low + (high - low) * at_low / (at_low - at_high);
    set_sum<ExecutionSpace>(exec_, 1., owned(unknowns_), next - share, correction_, owned(unknowns_));
    copy(exec_, r_, ConstVector(residual(u)));
    const double last = std::exchange(now, residual_along());
    share = next;
    const bool same_side = last * now > 0.;
    if (now > 0.) {
      low = share;
      at_low = now;
      at_high *= same_side ? 0.5 : 1.;
    } else {
      high = share;
      at_high = now;
      at_low *= same_side ? 0.5 : 1.;
    }
  }
}

/// Iterative refinement or, with radiation, Newton's method with a matrix that is kept as long as it reduces the
/// residual well. The first residual is that of differences over the elements, which rounding of large values does not
/// affect; of linear problems products with the corrections, which are small, update it.
template <class ExecutionSpace>
bool TimeSteps<ExecutionSpace>::solve_stage(double t, double rate, const Terms& earlier, const ConstVector& start,
                                            const Vector& u) {
  problem_.set_time(exec_, t);
  combine(earlier_, earlier);
  const bool counts_heat = problem_.count_from(exec_, earlier);
  if (!counts_heat)
    copy(exec_, storage_.earlier, ConstVector(earlier_));
  // Equal steps differ by rounding.
  if (!(std::fabs(rate - rate_) <= 1e-10 * rate)) {
    rate_ = rate;
    fill(exec_, storage_.rate, rate);
    matrix_is_current_ = false;
  }
  matrix_is_current_ = matrix_is_current_ && !matrix_varies_;
  const auto x = owned(unknowns_);
  // What flows if nothing changes is the measure of the residual.
  if (counts_heat)
    log_.run("solver: residual", exec_, [&] {
      fe::restrict_to_unknowns(exec_, problem_.dofs, ConstVector(nodal_[0]), unknowns_);
      expand(problem_.iterate());
      problem_.linearize(exec_);
      copy(exec_, before_, ConstVector(owned(problem_.residual(exec_, ConstVector(problem_.iterate())))));
    });
  log_.run("solver: residual", exec_, [&] { start_residual(start, u); });
  if (!matrix_is_current_)
    assemble();
  const linalg::LinearOperator<ExecutionSpace>& a = assembler_->system();
  ResidualSums sums;
  log_.run("solver: residual", exec_, [&] {
    if (!counts_heat) {
      set_sum<ExecutionSpace>(exec_, 1., x, -1., rest_, correction_);
      a.apply(exec_, ConstVector(correction_), product_);
      set_sum<ExecutionSpace>(exec_, 1., r_, 1., product_, before_);
    }
    const ResidualSums at_rest = sums_of(exec_, before_, a.sums());
    reference_sum_ = at_rest.magnitude;
    linear_.rhs_norm = at_rest.norm;
    sums = sums_of(exec_, r_, a.sums());
  });
  linear_.history.push_back(sums.norm);
  constexpr double share = 0.1; // of the tolerance, for balances of 1e-10 by default
  const double threshold =
      std::max(share * plan_.solver.relative_tolerance * linear_.rhs_norm, plan_.solver.absolute_tolerance);
  linear_.threshold = threshold;
  linear_.message.clear();
  solvers::PcgOptions options = pcg_options(plan_.solver);
  options.monitor = monitor_;
  options.relative_tolerance = 0.;
  options.largest_residual = INFINITY; // tested here
  options.look_for_constant_null_space = false;
  const auto is_rounding = [&] {
    a.diagonal(exec_, product_);
    linear_.rounding = std::sqrt(
        linalg::global_sum("tessera::driver::rounding", exec_, a.size(), RoundingOfRows<Space>{x, product_}, a.sums()));
    return sums.norm <= solvers::rounding_factor * linear_.rounding;
  };
  const int most = counts_heat ? 100 : 30; // fronts of melting move by elements
  constexpr double good_factor = 0.1;      // of the residual in an iteration, for a kept linearisation
  double before = std::numeric_limits<double>::infinity();
  for (int k = 0; k < most && sums.norm > threshold; ++k) {
    if (sums.norm > 0.5 * before && is_rounding())
      break;
    if (!is_linear() && sums.norm > good_factor * before)
      assemble();
    else if (sums.norm > 0.9 * before)
      break;
    options.absolute_tolerance = std::max(0.5 * threshold, is_linear() ? 0. : 0.01 * sums.norm);
    solvers::PcgResult one;
    log_.run("solver: " + io::name_of(plan_.solver.method), exec_, [&] {
      fill(exec_, correction_, 0.);
      one = solver_->solve(exec_, options, ConstVector(r_), correction_);
    });
    linear_.iterations += one.iterations;
    linear_.seconds += one.seconds;
    linear_.message = one.message;
    if (one.status == solvers::SolverStatus::breakdown) {
      linear_.status = one.status;
      break;
    }
    before = sums.norm;
    log_.run("solver: residual", exec_, [&] {
      const double along = counts_heat ? residual_along() : 0.;
      set_sum<ExecutionSpace>(exec_, 1., x, 1., correction_, x);
      if (is_linear()) {
        a.apply(exec_, ConstVector(correction_), product_);
        set_sum<ExecutionSpace>(exec_, 1., r_, -1., product_, r_);
      } else {
        copy(exec_, r_, ConstVector(residual(u)));
        if (counts_heat)
          shorten(along, u);
      }
      sums = sums_of(exec_, r_, a.sums());
    });
    linear_.history.push_back(sums.norm);
    if (!std::isfinite(sums.norm))
      break;
  }
  expand(u);
  linear_.residual = linear_.true_residual = sums.norm;
  const bool converged = sums.norm <= threshold || (std::isfinite(sums.norm) && is_rounding());
  constexpr double rounding = 1e-6; // smaller shares are noted if the solver causes them
  const double imbalance = reference_sum_ > 0. ? std::fabs(sums.sum) / reference_sum_ : 0.;
  if (converged && (sums.norm <= threshold || imbalance > rounding))
    largest_imbalance_ = std::max(largest_imbalance_, imbalance);
  if (!converged && linear_.status != solvers::SolverStatus::breakdown)
    linear_.status = solvers::SolverStatus::max_iterations;
  return converged;
}

template <class ExecutionSpace>
bool TimeSteps<ExecutionSpace>::attempt(Scheme scheme, const StepEnd& end, double size) {
  const double h = size;
  const double h1 = times_[0] - times_[1];
  const double h2 = times_[1] - times_[2];
  const double t = times_[0];
  const auto& [u0, u1, u2] = nodal_;
  const bool at_end = end.at == t + size || std::fabs(end.at - t - size) <= 1e-9 * size;
  const double at = at_end ? end.before : t + size;
  linear_ = {};
  linear_.status = solvers::SolverStatus::converged;
  // Extrapolation of the values known, of order n_known_ - 1, is the start, and its distance estimates the error.
  const double w = h / h1;
  if (n_known_ == 1)
    copy(exec_, start_, ConstVector(u0));
  else if (n_known_ == 2 || scheme == Scheme::implicit_euler)
    combine(start_, {{1. + w, u0}, {-w, u1}});
  else
    combine(start_, {{(h + h1) * (h + h1 + h2) / (h1 * (h1 + h2)), u0},
                     {-h * (h + h1 + h2) / (h1 * h2), u1},
                     {h * (h + h1) / (h2 * (h1 + h2)), u2}});
  bool converged = false;
  bool from_stages = false;
  double factor = 0.; // of the distance
  if (scheme == Scheme::bdf2) {
    const double a0 = (1. + 2. * w) / (1. + w);
    converged = solve_stage(at, a0 / h, {{(1. + w) / a0, u0}, {-w * w / ((1. + w) * a0), u1}}, start_, nodal_new_);
    const double own = h * h * (h + h1) / a0;
    factor = own / (own + h * (h + h1) * (h + h1 + h2));
  } else if (scheme == Scheme::implicit_euler) {
    converged = solve_stage(at, 1. / h, {{1., u0}}, start_, nodal_new_);
    factor = h / (2. * h + h1);
  } else {
    const double rate = 1. / (gamma * h);
    combine(first_, {{1. - gamma, u0}, {gamma, start_}});
    converged = solve_stage(t + gamma * h, rate, {{1., u0}}, first_, first_);
    from_stages = n_known_ < 3;
    if (from_stages)
      combine(start_, {{1. / gamma, first_}, {1. - 1. / gamma, u0}});
    converged = converged && solve_stage(at, rate, {{1. - (1. - gamma) / gamma, u0}, {(1. - gamma) / gamma, first_}},
                                         start_, nodal_new_);
    const double own = sdirk2_error * h * h * h;
    factor = own / (own + h * (h + h1) * (h + h1 + h2) / 6.);
  }
  error_order_ = from_stages || scheme == Scheme::implicit_euler ? 1 : 2;
  if (!converged || !time_.is_controlled())
    return converged;
  if (!from_stages) {
    error_ = factor * difference(nodal_new_, start_);
  } else { // gamma h times the difference of both stages' derivatives, an error of order 1
    combine(start_, {{1., nodal_new_}, {-1., earlier_}, {1., u0}});
    error_ = difference(start_, first_);
  }
  return converged;
}

template <class ExecutionSpace>
typename TimeSteps<ExecutionSpace>::Scheme TimeSteps<ExecutionSpace>::scheme_of_step() const {
  const bool controlled = time_.is_controlled();
  switch (time_.method) {
  case io::TimeMethod::sdirk2:
    break;
  case io::TimeMethod::implicit_euler:
    return controlled && n_known_ < 2 ? Scheme::sdirk2 : Scheme::implicit_euler;
  case io::TimeMethod::bdf2: // controlled steps need one more value for the estimate of their error
    return n_known_ < (controlled ? 3 : 2) ? Scheme::sdirk2 : Scheme::bdf2;
  }
  return Scheme::sdirk2;
}

template <class ExecutionSpace> double TimeSteps<ExecutionSpace>::next_size(bool& reaches) const {
  constexpr double growth = 2.; // BDF2 is stable up to 1 + sqrt(2)
  const double left = ends_[next_end_].at - times_[0];
  const double size = n_known_ > 1 ? std::min(size_, growth * (times_[0] - times_[1])) : size_;
  reaches = !time_.is_controlled() || left <= size * (1. + 1e-9);
  if (reaches)
    return left;
  return left < 2. * size ? 0.5 * left : size; // no sliver
}

template <class ExecutionSpace> bool TimeSteps<ExecutionSpace>::advance(TimeStep& step, SolveReport& report) {
  constexpr double safety = 0.9;
  constexpr double growth = 2.; // in between the size, and the matrix with it, stays
  is_assembled_ = false;
  if (std::exchange(ends_at_break_, false)) {
    restart();
    size_ = std::min(size_, first_share * (time_.to - time_.from));
  }
  const StepEnd end = ends_[next_end_];
  bool reaches = false;
  double size = next_size(reaches);
  bool converged = attempt(scheme_of_step(), end, size);
  int iterations = linear_.iterations;
  if (time_.is_controlled()) {
    // From a uniform state the first attempt gives the range that the first steps refer to.
    if (step_ == 0)
      first_change_ = difference(nodal_new_, nodal_[0]);
    const auto share = [&] {
      const double range = std::max(high_ - low_, first_change_);
      return range > 0. ? error_ / (time_.tolerance * range) : 0.;
    };
    while (!converged || share() > 1.) {
      const double factor = converged ? safety * std::pow(share(), -1. / (error_order_ + 1)) : 0.25;
      size *= std::min(0.5, std::max(0.1, factor));
      ++n_rejected_;
      if (!(size > 1e-10 * (time_.to - time_.from))) {
        std::ostringstream text;
        text << "Time steps: at t = " << times_[0] << " s a step of " << size
             << " s does not keep problem.time.tolerance. " << linear_.message;
        linear_.message = text.str();
        converged = false;
        break;
      }
      size_ = size;
      reaches = false;
      converged = attempt(scheme_of_step(), end, size);
      iterations += linear_.iterations;
    }
    const double factor = share() > 0. ? safety * std::pow(share(), -1. / (error_order_ + 1)) : growth;
    if (factor >= growth && size >= 0.99 * size_)
      size_ = growth * size;
    else if (factor < 0.9)
      size_ = factor * size;
  }
  linear_.iterations = iterations;
  step.from = times_[0];
  step.to = reaches ? end.at : times_[0] + size;
  ++step_;
  std::swap(nodal_[2], nodal_[1]);
  std::swap(nodal_[1], nodal_[0]);
  std::swap(nodal_[0], nodal_new_);
  times_ = {step.to, times_[0], times_[1]};
  n_known_ = std::min(n_known_ + 1, 3);
  const std::array<double, 2> range = widen_range();
  if (time_.stop.is_given && converged)
    look_for_stop(range[time_.stop.of_largest ? 1 : 0]);
  problem_.check_materials(exec_);
  step.number = step_;
  step.is_output = reaches && end.is_output;
  next_end_ += reaches ? 1 : 0;
  step.is_last = next_end_ == ends_.size() || stop_time_;
  step.n_steps = time_.is_controlled() ? 0 : static_cast<int>(ends_.size());
  SolverOutcome& outcome = report.solver;
  outcome.linear = linear_;
  outcome.levels = solver_->levels();
  outcome.fallback = solver_->fallback();
  const bool fell_back = !outcome.fallback.empty();
  outcome.preconditioner = io::name_of(fell_back ? io::Preconditioner::jacobi : plan_.solver.preconditioner);
  outcome.replaced = fell_back ? "solver.preconditioner: auto took jacobi, because multigrid could not be made." : "";
  report.coloring = assembler_->coloring();
  report.n_matrix_entries = distribution_.n_matrix_entries(*assembler_);
  ends_at_break_ = reaches && end.is_break;
  return is_assembled_;
}

template <class ExecutionSpace> std::vector<double> TimeSteps<ExecutionSpace>::floating() const {
  const auto& dofs = problem_.dofs;
  const auto values = tessera::to_host(exec_, Kokkos::subview(unknowns_, std::make_pair(dofs.n_regular, dofs.n_free)));
  return {values.data(), values.data() + values.extent(0)};
}

template <class ExecutionSpace> int TimeSteps<ExecutionSpace>::n_outputs(int every) const {
  if (!time_.is_controlled())
    return (static_cast<int>(ends_.size()) + every - 1) / every;
  return 1 +
         static_cast<int>(std::count_if(ends_.begin(), ends_.end(), [](const StepEnd& end) { return end.is_output; }));
}

template <class ExecutionSpace>
void add_outcome(const TimeSteps<ExecutionSpace>& steps, const io::TimeOptions& time, std::vector<std::string>& notes,
                 Results& results) {
  if (steps.stop_time())
    results.findings.add_quantity({"stop_time", *steps.stop_time(), "s"});
  else if (time.stop.is_given)
    notes.push_back(time.stop.where.text() + ": '" + time.stop.text + "' did not become true until " +
                    io::number_text(time.to) + " s.");
  constexpr double noted = 1e-10;
  const double imbalance = steps.largest_imbalance();
  if (imbalance <= noted)
    return;
  std::ostringstream note;
  note << std::setprecision(2) << "In a time step, what flows in and what is stored differ by " << imbalance
       << " of what moves; " << noted
       << " or less is expected. A smaller solver.relative_tolerance lowers it, unless it is rounding.";
  notes.push_back(note.str());
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template class TimeSteps<SPACE>;                                                                                     \
  template void add_outcome<SPACE>(const TimeSteps<SPACE>&, const io::TimeOptions&, std::vector<std::string>&,         \
                                   Results&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
