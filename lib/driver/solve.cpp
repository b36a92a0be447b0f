// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/solve.hpp"

#include "core/keep_alive.hpp"
#include "driver/checksums.hpp"
#include "driver/solution/column_solver.hpp"
#include "driver/solution/linear_solver.hpp"
#include "driver/solution/newton_system.hpp"
#include "driver/solution/newton_times.hpp"
#include "driver/solution/refined_solve.hpp"
#include "solvers/newton.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace tessera::driver {

namespace {

/// Larger relative residuals are noted.
constexpr double loose_residual = 1e-5;

template <class ExecutionSpace>
void set_initial_guess(const ExecutionSpace& exec, const Equations<ExecutionSpace>& problem,
                       const Excitation& excitation, const linalg::Vector<ExecutionSpace>& unknowns) {
  const physics::Expression& guess = excitation.initial_guess;
  if (guess.is_constant()) {
    fill(exec, unknowns, guess.value());
    return;
  }
  auto nodal = make_array<Array<double*, ExecutionSpace>>(exec, "driver::initial_guess", problem.n_space_nodes);
  problem.interpolate(exec, guess, nodal, excitation.initial_guess_where);
  fe::restrict_to_unknowns(exec, problem.dofs, linalg::ConstVector<ExecutionSpace>(nodal), unknowns);
  keep_alive(exec, nodal);
}

bool has_guess(const Excitation& excitation) {
  return !excitation.initial_guess.is_constant() || excitation.initial_guess.value() != 0.;
}

/// Colourings that run on the host, and the reference, which does all of its work there.
PhaseKind kind_of_phase(const Plan& plan, const std::string& phase) {
  const bool colors_on_host = assembly::uses_coloring(plan.strategy) &&
                              plan.coloring != graph::ColoringMethod::kokkos_kernels &&
                              plan.coloring != graph::ColoringMethod::node_claims;
  const bool with_host = (phase == "assembly: symbolic" && colors_on_host) ||
                         (phase == "assembly: numeric" && plan.strategy == assembly::Strategy::reference);
  return with_host ? PhaseKind::with_host : PhaseKind::resident;
}

} // namespace

SolverMonitor progress_of(io::Console& console) {
  return [&console](int iterations, double residual) {
    std::ostringstream text;
    text << "iteration " << iterations << ", residual " << residual;
    console.progress(text.str());
  };
}

void note_solver(const io::Case& input, SolverOutcome& solver, std::vector<std::string>& notes) {
  if (!solver.fallback.empty())
    notes.push_back(solver.replaced + ' ' + solver.fallback);
  if (solver.nonlinear && solver.nonlinear->status == solvers::NewtonStatus::rounding) {
    std::ostringstream note;
    note << "Newton's method: the residual has reached the rounding of its evaluation, "
         << solver.nonlinear->history.back() << " of that at rest, above solver.nonlinear.relative_tolerance, "
         << input.solver.nonlinear.relative_tolerance << ". No further step lowers it.";
    notes.push_back(note.str());
  }
  if (solver.nonlinear)
    return;
  const solvers::PcgResult& linear = solver.linear;
  if (solver.converged() && linear.true_residual > loose_residual * linear.rhs_norm &&
      linear.true_residual > solvers::rounding_factor * linear.rounding) {
    std::ostringstream note;
    note << "The solver's residual is " << linear.true_residual / linear.rhs_norm
         << " of the right-hand side: enough for pictures, but quantities may be wrong by per cents on fine meshes.";
    notes.push_back(note.str());
  }
  if (!solver.converged() && linear.constants_in_null_space)
    solver.linear.message += " See " + input.problem.boundaries_where.text() + ".";
}

Excitation excitation_of(const io::Case& input) {
  const io::Scalar& guess = input.solver.initial_guess;
  return {{}, {}, to_expression(guess), guess.where.text()};
}

assembly::AssemblyOptions assembly_options(const Plan& plan) {
  assembly::AssemblyOptions options;
  options.strategy = plan.strategy;
  options.coloring = plan.coloring;
  options.reproducible = plan.reproducible;
  options.keep_colors = plan.keep_colors;
  return options;
}

template <class ExecutionSpace>
Solution<ExecutionSpace> solution_of(const ExecutionSpace& exec, const ProblemData<ExecutionSpace>& problem,
                                     const linalg::Vector<ExecutionSpace>& unknowns) {
  Solution<ExecutionSpace> solution;
  const auto nodal = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::nodal_solution", problem.n_space_nodes);
  problem.expand(exec, linalg::ConstVector<ExecutionSpace>(unknowns), nodal);
  solution.nodal = nodal;
  const auto floating =
      tessera::to_host(exec, Kokkos::subview(unknowns, std::make_pair(problem.dofs.n_regular, problem.dofs.n_free)));
  solution.floating.assign(floating.data(), floating.data() + floating.extent(0));
  return solution;
}

template <class ExecutionSpace>
ProblemSolver<ExecutionSpace>::ProblemSolver(const Problem<ExecutionSpace>& problem, const Plan& plan,
                                             const Distribution<ExecutionSpace>* distribution,
                                             std::unique_ptr<Assembler> assembler)
    : problem_(problem), plan_(plan),
      of_one_(distribution == nullptr ? std::make_unique<const Distribution<ExecutionSpace>>(problem) : nullptr),
      distribution_(distribution == nullptr ? *of_one_ : *distribution), assembler_(std::move(assembler)) {}

template <class ExecutionSpace> ProblemSolver<ExecutionSpace>::~ProblemSolver() = default;

template <class ExecutionSpace> ColumnSolver<ExecutionSpace> ProblemSolver<ExecutionSpace>::columns() const {
  return {problem_, plan_, *assembler_, *solver_, distribution_, options_};
}

template <class ExecutionSpace>
std::size_t ProblemSolver<ExecutionSpace>::assemble(const ExecutionSpace& exec, PhaseLog& log, const PhaseRunner& run,
                                                    bool matrix_is_same) {
  std::size_t peak = 0;
  bool is_renewed = assembler_ != nullptr; // Newton's method assembles in any case
  if (!assembler_) {
    matrix_is_same = false;
    const assembly::AssemblyOptions options = assembly_options(plan_);
    const auto make = [&] { assembler_ = distribution_.make_assembler(options); };
    if (distribution_.unknowns().is_distributed())
      log.run("assembly: part", exec, make);
    else
      make();
    run("assembly: symbolic", [&] { assembler_->symbolic(exec); });
    peak = log.phases().back().peak_bytes;
  }
  is_renewed = is_renewed && !problem_.is_linear() && !plan_.reproducible;
  if (matrix_is_same && problem_.is_linear()) {
    run("assembly: load", [&] { assembler_->load(exec); });
  } else if (!is_renewed) {
    run("assembly: numeric", [&] { assembler_->numeric(exec); });
    if (solver_ && plan_.reproducible)
      solver_.reset(); // the bits would depend on levels that were made for another matrix
    else if (solver_)
      solver_->matrix_changed();
  }
  return is_renewed ? peak : std::max(peak, log.phases().back().peak_bytes);
}

template <class ExecutionSpace>
void ProblemSolver<ExecutionSpace>::describe_assembly(const ExecutionSpace& exec, const PhaseRunner& run,
                                                      SolveReport& report) const {
  report.coloring = assembler_->coloring();
  report.n_matrix_entries = distribution_.n_matrix_entries(*assembler_);
  if (plan_.reproducible && !distribution_.unknowns().is_distributed()) // with several processes each has its rows
    run("assembly: checksums", [&] {
      const auto* matrix = assembler_->matrix();
      if (matrix != nullptr)
        report.checksums["matrix"] = matrix_checksum(exec, matrix->offsets, matrix->columns, matrix->values);
      report.checksums["right_hand_side"] = checksum_text(exec, assembler_->rhs());
    });
}

template <class ExecutionSpace> void ProblemSolver<ExecutionSpace>::drop_outdated_levels() {
  constexpr int worse = 2; // ratio of iterations above which levels are made again
  constexpr int more = 10;
  if (last_iterations_ < 0)
    return;
  if (first_iterations_ < 0)
    first_iterations_ = last_iterations_;
  if (!has_converged_ || last_iterations_ > worse * first_iterations_ + more) {
    solver_.reset();
    first_iterations_ = -1;
  }
}

template <class ExecutionSpace>
SolverOutcome ProblemSolver<ExecutionSpace>::solve_assembled(const ExecutionSpace& exec, const Excitation& excitation,
                                                             const PhaseRunner& run, const SolverMonitor& monitor,
                                                             const ConstVector& start) {
  SolverOutcome outcome;
  if (unknowns_.extent(0) == 0)
    unknowns_ = make_array<Vector>(exec, "driver::unknowns", problem_.dofs.n_free);
  if (!solver_)
    solver_ = std::make_unique<LinearSolver<ExecutionSpace>>(problem_, plan_, *assembler_, distribution_);
  LinearSolver<ExecutionSpace>& solver = *solver_;
  const auto x = distribution_.unknowns().owned_of_all(unknowns_);
  options_ = pcg_options(plan_.solver);
  options_.monitor = monitor;
  const bool has_start = start.extent(0) > 0;
  const bool of_temperature =
      problem_.binding.medium().depends_on_temperature && !problem_.binding.has_given_temperature;
  run("solver: set-up", [&] {
    if (has_start)
      fe::restrict_to_unknowns(exec, problem_.dofs, start, unknowns_);
    else
      set_initial_guess(exec, problem_, excitation, unknowns_);
    if (of_temperature && !has_start && !has_guess(excitation))
      fill(exec, unknowns_, problem_.binding.medium().rest_temperature);
    if (problem_.is_linear() && !solver.is_current())
      solver.set_up(exec, options_);
  });
  if (problem_.is_linear()) {
    const HeldValues held = held_values(
        problem_.binding, excitation.fixed_values.empty() ? problem_.binding.fixed_values : excitation.fixed_values);
    run("solver: " + io::name_of(plan_.solver.method), [&] {
      if (RefinedSolve<ExecutionSpace>::suits(exec, problem_, held))
        outcome.linear = RefinedSolve<ExecutionSpace>(problem_, *assembler_, solver, distribution_.unknowns())
                             .solve(exec, options_, held, has_start || has_guess(excitation), unknowns_);
      else
        outcome.linear = solver.solve(exec, options_, assembler_->rhs(), x);
    });
    outcome.histories.push_back(
        {"solution", 1, 1, io::relative_residuals(outcome.linear.history, outcome.linear.rhs_norm)});
  } else {
    NewtonSystem<ExecutionSpace> system(exec, problem_, plan_, *assembler_, solver, run, monitor,
                                        distribution_.unknowns());
    solvers::NewtonOptions newton = newton_options(plan_.solver);
    newton.line_search = newton.line_search && !has_enclosures(problem_.binding);
    newton.starts_at_guess = has_start || of_temperature; // at 0 materials may make no sense
    outcome.nonlinear = solvers::newton(exec, system, x, newton);
    outcome.linear = outcome.nonlinear->linear;
    outcome.histories.push_back({"newton", 1, 1, outcome.nonlinear->history});
    outcome.histories.insert(outcome.histories.end(), system.histories().begin(), system.histories().end());
  }
  outcome.levels = solver.levels();
  outcome.fallback = solver.fallback();
  const bool fell_back = !outcome.fallback.empty();
  outcome.preconditioner = io::name_of(fell_back ? io::Preconditioner::jacobi : plan_.solver.preconditioner);
  outcome.replaced = fell_back ? "solver.preconditioner: auto took jacobi, because multigrid could not be made." : "";
  last_iterations_ = outcome.iterations() / (outcome.nonlinear ? std::max(1, outcome.nonlinear->iterations) : 1);
  has_converged_ = outcome.converged();
  return outcome;
}

template <class ExecutionSpace>
Solution<ExecutionSpace> ProblemSolver<ExecutionSpace>::solve(const ExecutionSpace& exec, const Excitation& excitation,
                                                              PhaseLog& log, const SolverMonitor& monitor,
                                                              Changed changed, const ConstVector& start) {
  Solution<ExecutionSpace> solution;
  SolveReport& report = solution.report;
  report.strategy = io::name_of(plan_.strategy);
  report.strategy_reason = plan_.reason;
  const PhaseRunner run = [&](const std::string& phase, const std::function<void()>& work) {
    log.run(phase, exec, work, kind_of_phase(plan_, phase));
  };
  const std::vector<physics::Expression>& fixed_values = excitation.fixed_values;
  TESSERA_REQUIRE(fixed_values.empty() || fixed_values.size() == problem_.binding.constraints.size(),
                  "solve: " << fixed_values.size() << " fixed values for " << problem_.binding.constraints.size()
                            << " constraints.");
  drop_outdated_levels();
  problem_.excite(exec, excitation);
  if (!problem_.is_linear()) // independent of the state left by an earlier solve
    problem_.linearize_at_rest(exec);
  const std::size_t before = MemoryLedger::current_bytes();
  const std::size_t peak = assemble(exec, log, run, changed == Changed::nothing);
  report.assembly_peak_bytes = peak > before ? peak - before : 0;
  describe_assembly(exec, run, report);

  const std::size_t first_phase = log.phases().size() + 1; // after the set-up
  report.solver = solve_assembled(exec, excitation, run, monitor, start);
  const ProblemBinding& binding = problem_.binding;
  if (!binding.takes_losses && !binding.has_given_temperature) // iterates of two problems may leave the range
    problem_.check_materials(exec);
  report.preconditioner_reason = plan_.preconditioner_reason.empty() || report.solver.fallback.empty()
                                     ? plan_.preconditioner_reason
                                     : report.solver.fallback;
  if (report.solver.nonlinear)
    set_times_of_newton(log, first_phase, report);

  run("solution", [&] {
    distribution_.unknowns().gather(exec, unknowns_);
    Solution<ExecutionSpace> found = solution_of(exec, problem_, unknowns_);
    solution.nodal = found.nodal;
    solution.floating = std::move(found.floating);
    if (plan_.reproducible && !problem_.part) // otherwise each process has its part
      report.checksums["solution"] = checksum_text(exec, solution.nodal);
  });
  return solution;
}

template <class ExecutionSpace>
Solution<ExecutionSpace> solve(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const Plan& plan,
                               const Excitation& excitation, PhaseLog& log) {
  return ProblemSolver<ExecutionSpace>(problem, plan).solve(exec, excitation, log);
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template class ProblemSolver<SPACE>;                                                                                 \
  template Solution<SPACE> solution_of<SPACE>(const SPACE&, const ProblemData<SPACE>&, const linalg::Vector<SPACE>&);  \
  template Solution<SPACE> solve<SPACE>(const SPACE&, const Problem<SPACE>&, const Plan&, const Excitation&, PhaseLog&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
