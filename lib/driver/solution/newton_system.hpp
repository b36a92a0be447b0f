// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_SOLUTION_NEWTON_SYSTEM_HPP
#define TESSERA_DRIVER_SOLUTION_NEWTON_SYSTEM_HPP

/// \file
/// A nonlinear problem, with B-H curves or radiation, for Newton's method: any assembly strategy, repeated at every
/// iterate.

#include "driver/coupled/fixed_point.hpp"
#include "driver/solution/linear_solver.hpp"
#include "driver/solve.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace tessera::driver {

/// Whether surfaces radiate to each other: linearised systems leave that out, and have no energy.
inline bool has_enclosures(const ProblemBinding& binding) {
  const std::vector<physics::NaturalData>& natural = binding.medium().natural;
  return std::any_of(natural.begin(), natural.end(),
                     [](const physics::NaturalData& datum) { return !datum.enclosure.empty(); });
}

namespace detail {

/// to += factor v
template <class Space> struct AddMultiple {
  double factor;
  Array<const double*, Space> v;
  Array<double*, Space> to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to(i) += factor * v(i); }
};

} // namespace detail

/// The assembler must have its pattern, lists or colours (symbolic()); all arrays are allocated once.
template <class ExecutionSpace> class NewtonSystem final : public solvers::NonlinearSystem<ExecutionSpace> {
public:
  using Base = solvers::NonlinearSystem<ExecutionSpace>;
  using typename Base::const_vector_type;
  using typename Base::operator_type;
  using typename Base::vector_type;
  using Assembler = assembly::Assembler<ExecutionSpace>;

  NewtonSystem(const ExecutionSpace& exec, const Equations<ExecutionSpace>& problem, const Plan& plan,
               Assembler& assembler, LinearSolver<ExecutionSpace>& solver, PhaseRunner run,
               const SolverMonitor& monitor, const DistributedUnknowns<ExecutionSpace>& unknowns)
      : problem_(problem), plan_(plan), assembler_(assembler), options_(pcg_options(plan.solver)), run_(std::move(run)),
        solver_(solver), iterate_(problem.iterate()),
        from_(make_array<vector_type>(exec, "driver::newton_from", iterate_.extent(0))),
        to_(make_array<vector_type>(exec, "driver::newton_to", iterate_.extent(0))),
        sums_(problem.element_sums(exec, plan.reproducible)), unknowns_(unknowns) {
    if (has_enclosures(problem.binding)) {
      const auto n_all = static_cast<std::size_t>(problem.dofs.n_free);
      fixed_point_.emplace(exec, n_all);
      current_ = make_array<vector_type>(exec, "driver::current_iterate", unknowns_.n_owned());
      zero_ = make_filled<vector_type>(exec, "driver::zero", n_all, 0.);
    }
    if (unknowns_.is_distributed()) // in a part, values of elements away from owned nodes stay unset
      all_ = make_filled<vector_type>(exec, "driver::all_unknowns", problem.dofs.n_free, 0.);
    options_.monitor = monitor;
  }

  void linearize_at_rest(const ExecutionSpace& exec) override {
    is_at_rest_ = true;
    run_("assembly: numeric", [&] {
      problem_.linearize_at_rest(exec);
      assembler_.numeric(exec);
    });
  }
  void load_at_rest(const ExecutionSpace& exec) override {
    run_("assembly: load", [&] {
      problem_.linearize_at_rest(exec);
      assembler_.load(exec);
    });
  }
  void linearize(const ExecutionSpace& exec, const const_vector_type& x) override {
    is_at_rest_ = false;
    if (fixed_point_)
      copy(exec, current_, x);
    run_("assembly: numeric", [&] {
      expand(exec, x, iterate_);
      problem_.linearize(exec);
      assembler_.numeric(exec);
    });
  }
  const operator_type& system() const override { return assembler_.system(); }
  const_vector_type rhs() const override { return assembler_.rhs(); }

  solvers::PcgResult solve(const ExecutionSpace& exec, const const_vector_type& b, double threshold,
                           const vector_type& x) override {
    options_.relative_tolerance = 0.;
    options_.absolute_tolerance = fixed_point_ ? 0.01 * threshold : threshold; // differences of steps need digits
    options_.largest_residual = INFINITY; // far from the solution a rough one suffices
    run_("solver: set-up", [&] { solver_.set_up(exec, options_); });
    solvers::PcgResult result;
    run_("solver: " + io::name_of(plan_.solver.method), [&] { result = solver_.solve(exec, options_, b, x); });
    if (fixed_point_ && !is_at_rest_)
      run_("solver: line search", [&] { accelerate(exec, x); });
    options_.look_for_constant_null_space = false; // once is enough
    histories_.push_back({"newton-step", 1, static_cast<int>(histories_.size()) + 1,
                          io::relative_residuals(result.history, result.rhs_norm)});
    return result;
  }

  void set_line(const ExecutionSpace& exec, const const_vector_type& x, const const_vector_type& target) override {
    run_("solver: line search", [&] {
      expand(exec, x, from_);
      expand(exec, target, to_);
    });
  }
  double slope(const ExecutionSpace& exec, double s) override {
    double value = 0.;
    run_("solver: line search",
         [&] { value = problem_.energy_slope(exec, const_vector_type(from_), const_vector_type(to_), s, sums_); });
    return value;
  }

  /// Histories of the linear systems solved so far.
  const std::vector<io::ResidualHistory>& histories() const { return histories_; }

private:
  /// Anderson's acceleration of a correction, once corrections are small: Newton's steps from far above the solution
  /// are no fixed-point iteration near its limit.
  void accelerate(const ExecutionSpace& exec, const vector_type& correction) {
    constexpr double small = 0.02;
    const auto n = static_cast<std::int64_t>(current_.extent(0));
    const auto whole = [&](const vector_type& owned) {
      const auto all = make_array<vector_type>(exec, "driver::whole_iterate", zero_.extent(0));
      copy(exec, all, unknowns_.completed(exec, const_vector_type(owned), all_));
      return all;
    };
    const vector_type next = whole(current_);
    for_each("tessera::driver::add_correction", exec, n,
             detail::AddMultiple<typename ExecutionSpace::memory_space>{1., current_, correction});
    const vector_type target = whole(correction);
    const double size = fixed_point_->distance(const_vector_type(next), const_vector_type(zero_));
    const double step = fixed_point_->distance(const_vector_type(target), const_vector_type(next));
    if (is_near_ && step > last_step_) // starts again
      fixed_point_.emplace(exec, zero_.extent(0));
    is_near_ = step <= (is_near_ ? last_step_ : small * size);
    last_step_ = step;
    if (is_near_) {
      fixed_point_->advance(next, const_vector_type(target));
      copy(exec, correction, const_vector_type(unknowns_.is_distributed() ? unknowns_.owned_of_all(next) : next));
    }
    for_each("tessera::driver::add_correction", exec, n,
             detail::AddMultiple<typename ExecutionSpace::memory_space>{-1., current_, correction});
    keep_alive(exec, next, target);
  }
  /// Values at all local nodes: of the whole mesh, for which each process sums slopes over all elements, or of its
  /// part.
  void expand(const ExecutionSpace& exec, const const_vector_type& x, const vector_type& nodal) {
    problem_.expand(exec, unknowns_.completed(exec, x, all_), nodal);
  }

  const Equations<ExecutionSpace>& problem_;
  const Plan& plan_;
  Assembler& assembler_;
  solvers::PcgOptions options_;
  PhaseRunner run_;
  LinearSolver<ExecutionSpace>& solver_;
  vector_type iterate_; // at all nodes, like the next two
  vector_type from_;
  vector_type to_;
  std::vector<io::ResidualHistory> histories_;
  linalg::ElementSums<ExecutionSpace> sums_;
  const DistributedUnknowns<ExecutionSpace>& unknowns_;
  vector_type all_;                                       // unknowns of all processes, or of the part
  std::optional<FixedPoint<ExecutionSpace>> fixed_point_; // with enclosures
  vector_type current_;                                   // the last iterate, with enclosures
  vector_type zero_;
  bool is_at_rest_ = true;
  bool is_near_ = false;
  double last_step_ = 0.;
};

} // namespace tessera::driver

#endif
