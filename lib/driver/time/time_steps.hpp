// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_TIME_TIME_STEPS_HPP
#define TESSERA_DRIVER_TIME_TIME_STEPS_HPP

#include "driver/results.hpp"
#include "driver/solution/linear_solver.hpp"
#include "driver/solve.hpp"
#include "driver/time/step_ends.hpp"
#include "linalg/crs/crs_matrix.hpp"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::driver {

/// Steps of time of a problem with storage (docs/theory.md, "Steps of time"): the method of the input, with steps as
/// given or controlled by their estimated error. Pattern, matrix and levels of multigrid are kept as long as the size
/// of the steps and the linearisation are. Functions are collective.
template <class ExecutionSpace> class TimeSteps {
public:
  using Space = typename ExecutionSpace::memory_space;
  using Vector = linalg::Vector<ExecutionSpace>;
  using ConstVector = linalg::ConstVector<ExecutionSpace>;

  /// Assembles the pattern, and sets the initial values. The arguments must outlive this object, except `exec`.
  TimeSteps(const ExecutionSpace& exec, Problem<ExecutionSpace>& problem, const Plan& plan,
            const Distribution<ExecutionSpace>& distribution, const io::Case& input, PhaseLog& log,
            const SolverMonitor& monitor = {});

  /// Sets work that is done before each residual, with the values at all nodes: it may change sources. Before the first
  /// step.
  void set_sources(std::function<void(const ConstVector& nodal)> sources) {
    sources_ = std::move(sources);
    splits_ = false;
  }

  /// Solves the next step, with its phases in the log, and describes it in `step`. Failure to converge is reported in
  /// the outcome, not thrown. Returns whether the matrix was computed.
  bool advance(TimeStep& step, SolveReport& report);

  /// Values at all nodes at the end of the last step.
  ConstVector nodal() const { return nodal_[0]; }
  /// Values of the floating constraints there, in order.
  std::vector<double> floating() const;
  /// The most steps that fields are written at, for `every` so many given steps.
  int n_outputs(int every) const;
  /// Largest imbalance of a step: the sum of the residual, relative to the sum of its magnitudes if nothing changed.
  double largest_imbalance() const { return largest_imbalance_; }
  /// When the condition of problem.time.stop was met, between steps by interpolation; none: not yet.
  std::optional<double> stop_time() const { return stop_time_; }
  int n_rejected() const { return n_rejected_; } ///< steps repeated with a smaller size

private:
  enum class Scheme { bdf2, sdirk2, implicit_euler };

  /// A step of size `size` that ends at `end`; sets nodal_new_ and error_. Returns whether it converged.
  bool attempt(Scheme scheme, const StepEnd& end, double size);
  /// Weights and values at all nodes.
  using Terms = std::vector<std::pair<double, ConstVector>>;
  /// Solves rate * (u - earlier) + K u = f at an instant for u, from `start` at all nodes; `u` receives the values, and
  /// may be the start. `earlier` is the sum of at most two terms; what is stored is counted from that of each of them.
  bool solve_stage(double t, double rate, const Terms& earlier, const ConstVector& start, const Vector& u);
  /// Shortens the step of Newton's method from x - correction_ to x, if it went too far: the residual along it has
  /// changed its sign. `before`: that at its start. Heat of fusion makes such steps turn back and forth for ever.
  void shorten(double before, const Vector& u);
  double residual_along() const; ///< r_ times correction_
  /// Values at all nodes from the unknowns.
  void expand(const Vector& u);
  /// Sets r_ for earlier_ and a new start at all nodes, which becomes the unknowns.
  void start_residual(const ConstVector& start, const Vector& u);
  /// f - K u - r M (u - earlier) of the unknowns in the rows of the process; `u` receives their values at all nodes.
  Vector residual(const Vector& u);
  void assemble();
  /// Starts anew from the current values: takes the boundary values of this instant.
  void restart();
  /// Adds the values to their range; returns the smallest and the largest one.
  std::array<double, 2> widen_range();
  /// Sets the time at which the condition that ends the run was met, if it is met now. `extreme`: of the values.
  void look_for_stop(double extreme);
  /// Root of the mean square of a - b over the nodes.
  double difference(const ConstVector& a, const ConstVector& b) const;
  void combine(const Vector& to, const Terms& terms) const;
  Scheme scheme_of_step() const;
  /// Size of the next step towards the end that follows; sets whether it reaches it.
  double next_size(bool& reaches) const;
  /// Whether products with K and M update the residual.
  bool is_linear() const { return problem_.is_linear() && !sources_; }
  Vector owned(const Vector& all) const { return distribution_.unknowns().owned_of_all(all); }

  ExecutionSpace exec_;
  Problem<ExecutionSpace>& problem_;
  const Plan& plan_;
  const Distribution<ExecutionSpace>& distribution_;
  const io::TimeOptions& time_;
  PhaseLog& log_;
  SolverMonitor monitor_;
  std::unique_ptr<assembly::Assembler<ExecutionSpace>> assembler_;
  std::unique_ptr<LinearSolver<ExecutionSpace>> solver_;
  typename Equations<ExecutionSpace>::Storage storage_;
  std::function<void(const ConstVector&)> sources_;
  std::vector<StepEnd> ends_;
  std::size_t next_end_ = 0;

  std::array<Vector, 3> nodal_; ///< at times_, the last one first
  std::array<double, 3> times_{};
  int n_known_ = 1;                            ///< number of them since the last break
  Vector nodal_new_, first_, earlier_, start_; ///< at all nodes
  Vector unknowns_;
  Vector correction_, product_, r_, rest_; ///< in the rows of the process
  Vector before_;                          ///< likewise: the last start, then the residual if nothing changes
  /// K and M apart, of linear problems with a matrix in one process: other steps have another sum of them.
  bool splits_;
  Array<double*, ExecutionSpace> stiffness_;
  std::optional<linalg::CrsOperator<ExecutionSpace>> mass_;
  bool is_static_;      ///< whether no data depend on time: then products with K and M update the residual
  int n_updates_ = -1;  ///< of the residual since its evaluation over the elements; -1: there is none
  double size_ = 0.;    ///< proposed, of controlled steps
  double error_ = 0.;   ///< estimated, of the last attempt
  int error_order_ = 1; ///< of the solution that it belongs to
  double low_, high_;   ///< of the values so far, and of surroundings
  double first_change_ = 0.;
  double rate_ = -1.;
  bool is_assembled_ = false; ///< in the current step
  bool matrix_is_current_ = false;
  bool matrix_varies_ = false; ///< whether coefficients of conditions depend on time
  bool ends_at_break_ = false; ///< whether the last step does

  solvers::PcgResult linear_; ///< of the current step
  double reference_sum_ = 0.; ///< sum of the magnitudes of the residual without a change, of the last stage
  double largest_imbalance_ = 0.;
  std::optional<double> stop_time_;
  std::vector<std::array<double, 2>> extremes_; ///< of the last steps: time, and value of the condition
  int n_rejected_ = 0;
  int step_ = 0;
};

/// Adds the quantity stop_time if the input has a condition for it and it was met, and notes on a condition that was
/// not and on steps whose energy balance is open.
template <class ExecutionSpace>
void add_outcome(const TimeSteps<ExecutionSpace>& steps, const io::TimeOptions& time, std::vector<std::string>& notes,
                 Results& results);

} // namespace tessera::driver

#endif
