// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/dg/dg_steps.hpp"

#include "assembly/dg/downwind_order.hpp"
#include "assembly/dg/form/data_check.hpp"
#include "core/keep_alive.hpp"
#include "core/kokkos_ext/spaces.hpp"
#include "driver/dg/dg_levels.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera::driver {

namespace dg = assembly::dg;

namespace {

/// Of block Gauss-Seidel in the first time slab, before the choice.
constexpr int trial_iterations = 50;
/// Up to as many iterations block Gauss-Seidel takes less time than multigrid: one of its iterations takes 0.3 times as
/// long, and multigrid takes 30 to 90 of them and a set-up (docs/notebook/figures-dg.md, "Time slabs").
constexpr int most_iterations = 200;

io::SolverInput first_solver(io::SolverInput input) {
  if (input.preconditioner == io::Preconditioner::automatic) {
    input.preconditioner = io::Preconditioner::block_gauss_seidel;
    input.max_iterations = std::min(input.max_iterations, trial_iterations);
  }
  return input;
}

/// Whether the iterations so far reach the threshold in less than `most_iterations`.
bool is_fast_enough(const solvers::PcgResult& trial) {
  if (trial.status != solvers::SolverStatus::max_iterations || !(trial.residual < trial.initial_residual))
    return false;
  return trial.iterations * std::log(trial.threshold / trial.initial_residual) >
         most_iterations * std::log(trial.residual / trial.initial_residual);
}

} // namespace

template <int Dim, class ExecutionSpace>
DgSteps<Dim, ExecutionSpace>::DgSteps(const ExecutionSpace& exec, DgProblem<Dim, ExecutionSpace>& problem,
                                      const io::Case& input, PhaseLog& log, const SolverMonitor& monitor,
                                      const comm::Communicator& world)
    : exec_(exec), problem_(problem), input_(input), log_(log), bytes_before_(MemoryLedger::current_bytes()),
      solver_input_(first_solver(input.solver)), solver_(std::in_place, solver_input_, monitor), monitor_(monitor),
      times_(input.problem.time.nodes()), n_steps_(std::max(1, input.problem.time.steps)) {
  distribute(exec, world, input.execution.messages, problem, input.execution.reproducible, log, transport_,
             distribution_);
  problem_bytes_ = MemoryLedger::current_bytes();
  assembler_ = dg::make_assembler<ExecutionSpace, Dim>(distribution_->form(), input.assembly.dg_strategy,
                                                       input.assembly.precision);
  log.run("assembly: symbolic", exec, [&] { assembler_->symbolic(exec_); });
  note_peak();
}

template <int Dim, class ExecutionSpace> void DgSteps<Dim, ExecutionSpace>::note_peak() {
  const std::size_t peak = log_.phases().back().peak_bytes;
  assembly_peak_bytes_ = std::max(assembly_peak_bytes_, peak - std::min(peak, bytes_before_));
}

template <int Dim, class ExecutionSpace> bool DgSteps<Dim, ExecutionSpace>::assemble_next() {
  bool with_matrix = true;
  ++step_;
  if (input_.problem.time.requested()) {
    const double length = slab_.to - slab_.from;
    slab_.from = times_[static_cast<std::size_t>(step_ - 1)];
    slab_.to = times_[static_cast<std::size_t>(step_)];
    slab_.previous = u_;
    const bool was_elsewhere = problem_.form.space.from != slab_.from || problem_.form.space.to != slab_.to;
    problem_.form.set_slab(slab_);
    const bool is_transient = problem_.advection.has_transient_operator();
    if (was_elsewhere && is_transient)
      log_.run("form: time step", exec_, [&] {
        dg::check_data<ExecutionSpace, Dim>(exec_, problem_.form, problem_.mesh.simplices.region_names,
                                            problem_.advection);
        dg::update_penalty(exec_, problem_.form);
        distribution_->follow_step(exec_);
      });
    // Equal steps differ by rounding.
    with_matrix = step_ == 1 || is_transient || std::fabs(slab_.to - slab_.from - length) > 1e-10 * length;
  }
  const bool on_host = input_.assembly.dg_strategy == dg::Strategy::reference;
  const PhaseKind kind = on_host ? PhaseKind::with_host : PhaseKind::resident;
  if (!with_matrix) {
    log_.run(
        "assembly: load", exec_, [&] { assembler_->load(exec_, slab_of_part()); }, kind);
    return false;
  }
  log_.run(
      "assembly: numeric", exec_, [&] { assembler_->numeric(exec_, slab_of_part()); }, kind);
  note_peak();
  const bool downwind = solver_input_.preconditioner == io::Preconditioner::block_gauss_seidel &&
                        input_.solver.sweep_order == io::SweepOrder::downwind;
  log_.run(
      "solver: set-up", exec_, [&] { set_up_solver(downwind); }, downwind ? PhaseKind::with_host : PhaseKind::resident);
  return true;
}

template <int Dim, class ExecutionSpace>
dg::TimeSlab<typename ExecutionSpace::memory_space> DgSteps<Dim, ExecutionSpace>::slab_of_part() const {
  dg::TimeSlab<Space> slab = slab_;
  if (slab.previous.extent(0) > 0)
    slab.previous = distribution_->restricted(exec_, u_);
  return slab;
}

template <int Dim, class ExecutionSpace> void DgSteps<Dim, ExecutionSpace>::set_up_solver(bool downwind) {
  const auto symmetry = problem_.is_symmetric() ? linalg::Symmetry::symmetric : linalg::Symmetry::general;
  distribution_->set_matrix(exec_, assembler_->matrix(), symmetry);
  if (solver_input_.preconditioner == io::Preconditioner::multigrid)
    return solver_->set_up(exec_, distribution_->unknowns().group(), distribution_->square(), make_levels(),
                           &distribution_->system());
  Array<const index_t*, ExecutionSpace> order;
  if (downwind)
    order = distribution_->owned_of_order(exec_, dg::downwind_order<ExecutionSpace, Dim>(exec_, distribution_->form()));
  solver_->set_up(exec_, distribution_->square(), order, &distribution_->system());
}

template <int Dim, class ExecutionSpace>
std::vector<solvers::BlockLevel<ExecutionSpace>> DgSteps<Dim, ExecutionSpace>::make_levels() {
  dg::Form<Dim, Space> halved = distribution_->form();
  halved.options.penalty_constant *= 0.5;
  halved.penalty = make_array<Array<double*, Space>>(exec_, "driver::halved_penalty", halved.penalty.extent(0));
  dg::update_penalty(exec_, halved);
  auto assembler =
      dg::make_assembler<ExecutionSpace, Dim>(halved, input_.assembly.dg_strategy, input_.assembly.precision);
  assembler->symbolic(exec_);
  assembler->numeric(exec_, slab_of_part());
  DgLevel<Dim, ExecutionSpace> finest = distribution_->finest_level(exec_, assembler->matrix());
  keep_alive(exec_, halved, finest);
  assembler.reset(); // now only the level holds its matrix
  return make_dg_levels<Dim, ExecutionSpace>(exec_, std::move(finest), input_.solver.multigrid);
}

template <int Dim, class ExecutionSpace> solvers::PcgResult DgSteps<Dim, ExecutionSpace>::solve() {
  const auto u = make_filled<linalg::Vector<ExecutionSpace>>(exec_, "driver::unknowns", problem_.form.space.n_dofs, 0.);
  if (step_ > 1)
    fe::extend_from_end<Dim, ExecutionSpace>(exec_, problem_.form.space, slab_.previous, u);
  solvers::PcgResult result;
  const auto run = [&] {
    log_.run("solver: " + io::name_of(input_.solver.method), exec_, [&] {
      result = solver_->solve(exec_, distribution_->owned_of_part(assembler_->rhs()),
                              distribution_->unknowns().owned_of_all(u));
      distribution_->unknowns().gather(exec_, u);
    });
  };
  run();
  const bool was_trial = step_ == 1 && input_.solver.preconditioner == io::Preconditioner::automatic;
  if (was_trial && result.status != solvers::SolverStatus::converged &&
      input_.solver.max_iterations > trial_iterations) {
    const solvers::PcgResult trial = result;
    const bool is_fast = is_fast_enough(trial);
    log_.run("solver: set-up", exec_, [&] { choose_after_trial(is_fast, u); });
    run();
    result.iterations += trial.iterations;
    result.seconds += trial.seconds;
    result.initial_residual = trial.initial_residual;
    if (!result.history.empty())
      result.history.erase(result.history.begin());
    result.history.insert(result.history.begin(), trial.history.begin(), trial.history.end());
  } else if (was_trial) {
    solver_input_.max_iterations = input_.solver.max_iterations;
    log_.run("solver: set-up", exec_, [&] { make_solver(); });
  }
  u_ = u;
  return result;
}

template <int Dim, class ExecutionSpace> void DgSteps<Dim, ExecutionSpace>::make_solver() {
  solver_.emplace(solver_input_, monitor_);
  set_up_solver(false);
}

template <int Dim, class ExecutionSpace>
void DgSteps<Dim, ExecutionSpace>::choose_after_trial(bool is_fast, const linalg::Vector<ExecutionSpace>& u) {
  solver_input_ = input_.solver;
  solver_input_.preconditioner = is_fast ? io::Preconditioner::block_gauss_seidel : io::Preconditioner::multigrid;
  make_solver();
  if (!is_fast) // the values may not be finite, or far off
    fill(exec_, u, 0.);
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template class DgSteps<2, SPACE>;                                                                                    \
  template class DgSteps<3, SPACE>;
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
