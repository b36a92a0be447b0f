// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/solve.hpp"

#include "core/keep_alive.hpp"
#include "driver/checksums.hpp"
#include "driver/linear_solver.hpp"
#include "driver/newton_system.hpp"
#include "solvers/newton.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace tessera::driver {

namespace {

/// Relative residuals above this are noted.
constexpr double loose_residual = 1e-5;

template <class ExecutionSpace>
void set_initial_guess(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const Excitation& excitation,
                       const linalg::Vector<ExecutionSpace>& unknowns) {
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

/// Colourings that run on the host, and the reference, which does all of its work there.
PhaseKind kind_of_phase(const Plan& plan, const std::string& phase) {
  const bool colors_on_host = assembly::uses_coloring(plan.strategy) &&
                              plan.coloring != graph::ColoringMethod::kokkos_kernels &&
                              plan.coloring != graph::ColoringMethod::node_claims;
  const bool with_host = (phase == "assembly: symbolic" && colors_on_host) ||
                         (phase == "assembly: numeric" && plan.strategy == assembly::Strategy::reference);
  return with_host ? PhaseKind::with_host : PhaseKind::resident;
}

/// Seconds of the phases from `first` on, and the share of assembly in them.
void set_times_of_newton(const PhaseLog& log, std::size_t first, SolveReport& report) {
  double assembly_seconds = 0.;
  for (std::size_t i = first; i < log.phases().size(); ++i) {
    const Phase& phase = log.phases()[i];
    report.nonlinear_seconds += phase.seconds;
    assembly_seconds += phase.name == "assembly: numeric" ? phase.seconds : 0.;
  }
  report.assembly_share = assembly_seconds / report.nonlinear_seconds;
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
    notes.push_back("solver.preconditioner: auto took jacobi, because multigrid could not be made. " + solver.fallback);
  if (solver.nonlinear)
    return;
  const solvers::PcgResult& linear = solver.linear;
  if (solver.converged() && linear.true_residual > loose_residual * linear.rhs_norm) {
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
  return {{}, to_expression(guess), guess.where.text()};
}

assembly::AssemblyOptions assembly_options(const Plan& plan) {
  assembly::AssemblyOptions options;
  options.strategy = plan.strategy;
  options.coloring = plan.coloring;
  options.reproducible = plan.reproducible;
  return options;
}

template <class ExecutionSpace>
SolverOutcome solve_assembled(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const Plan& plan,
                              const Excitation& excitation, assembly::Assembler<ExecutionSpace>& assembler,
                              const linalg::Vector<ExecutionSpace>& unknowns, const PhaseRunner& run,
                              const SolverMonitor& monitor, const Distribution<ExecutionSpace>* distribution,
                              const FurtherSolves<ExecutionSpace>& further) {
  SolverOutcome outcome;
  const auto x = distribution == nullptr ? unknowns : distribution->unknowns().own_of_all(unknowns);
  solvers::PcgOptions options = pcg_options(plan.solver);
  options.monitor = monitor;
  LinearSolver<ExecutionSpace> solver(problem, plan, assembler, distribution);
  run("solver: set-up", [&] {
    set_initial_guess(exec, problem, excitation, unknowns);
    if (problem.is_linear())
      solver.set_up(exec, options);
  });
  if (problem.is_linear()) {
    run("solver: " + io::name_of(plan.solver.method),
        [&] { outcome.linear = solver.solve(exec, options, assembler.rhs(), x); });
    outcome.levels = solver.levels();
    outcome.fallback = solver.fallback();
    if (further) {
      options.look_for_constant_null_space = false; // once is enough
      options.absolute_tolerance = 0.;              // is for the size of the input's right-hand side
      if (options.relative_tolerance == 0.)
        options.relative_tolerance = solvers::default_tolerance;
      const auto own_of_all = [&](const linalg::Vector<ExecutionSpace>& all) {
        return distribution == nullptr ? all : distribution->unknowns().own_of_all(all);
      };
      const auto solve_for = [&](const auto& rhs, const auto& all) {
        fill(exec, all, 0.);
        const solvers::PcgResult result = solver.solve(exec, options, rhs, own_of_all(all));
        if (distribution != nullptr)
          distribution->unknowns().gather(exec, all);
        return result;
      };
      further({assembler, solve_for, own_of_all});
    }
  } else {
    NewtonSystem<ExecutionSpace> system(exec, problem, plan, assembler, run, monitor, distribution);
    outcome.nonlinear = solvers::newton(exec, system, x, newton_options(plan.solver));
    outcome.linear = outcome.nonlinear->linear;
    outcome.levels = system.levels();
    outcome.fallback = system.fallback();
  }
  return outcome;
}

template <class ExecutionSpace>
Solution<ExecutionSpace> solve(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const Plan& plan,
                               const Excitation& excitation, PhaseLog& log, const SolverMonitor& monitor,
                               const Distribution<ExecutionSpace>* distribution,
                               const FurtherSolves<ExecutionSpace>& further) {
  Solution<ExecutionSpace> solution;
  SolveReport& report = solution.report;
  const PhaseRunner run = [&](const std::string& phase, const std::function<void()>& work) {
    log.run(phase, exec, work, kind_of_phase(plan, phase));
  };
  const std::vector<physics::Expression>& fixed_values = excitation.fixed_values;
  TESSERA_REQUIRE(fixed_values.empty() || fixed_values.size() == problem.binding.constraints.size(),
                  "solve: " << fixed_values.size() << " fixed values for " << problem.binding.constraints.size()
                            << " constraints.");
  problem.set_fixed_values(exec, fixed_values.empty() ? problem.binding.fixed_values : fixed_values);
  if (!problem.is_linear()) // not where an earlier solve left it
    problem.linearize_at_rest(exec);
  const std::size_t before = MemoryLedger::current_bytes();
  const assembly::AssemblyOptions options = assembly_options(plan);
  std::unique_ptr<assembly::Assembler<ExecutionSpace>> assembler;
  if (distribution == nullptr)
    assembler = problem.make_assembler(options);
  else
    log.run("assembly: part", exec, [&] { assembler = distribution->make_assembler(exec, options); });
  run("assembly: symbolic", [&] { assembler->symbolic(exec); });
  std::size_t peak = log.phases().back().peak_bytes;
  run("assembly: numeric", [&] { assembler->numeric(exec); });
  peak = std::max(peak, log.phases().back().peak_bytes);
  report.assembly_peak_bytes = peak > before ? peak - before : 0;
  report.coloring = assembler->coloring();
  report.n_matrix_entries = assembler->matrix() != nullptr ? assembler->matrix()->n_entries() : 0;
  if (distribution != nullptr)
    report.n_matrix_entries = distribution->n_matrix_entries(*assembler);
  if (plan.reproducible && distribution == nullptr) // of several processes each has its rows
    run("assembly: checksums", [&] {
      if (assembler->matrix() != nullptr)
        report.checksums["matrix"] = matrix_checksum(exec, assembler->matrix()->offsets, assembler->matrix()->columns,
                                                     assembler->matrix()->values);
      report.checksums["right_hand_side"] = checksum_text(exec, assembler->rhs());
    });

  const auto unknowns = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::unknowns", problem.dofs.n_free);
  const std::size_t first_phase = log.phases().size() + 1; // after the set-up
  report.solver =
      solve_assembled(exec, problem, plan, excitation, *assembler, unknowns, run, monitor, distribution, further);
  if (report.solver.nonlinear)
    set_times_of_newton(log, first_phase, report);
  assembler.reset();

  run("solution", [&] {
    if (distribution != nullptr)
      distribution->unknowns().gather(exec, unknowns);
    const auto nodal =
        make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::nodal_solution", problem.n_space_nodes);
    fe::expand(exec, problem.dofs, linalg::ConstVector<ExecutionSpace>(unknowns), nodal);
    solution.nodal = nodal;
    const auto floating =
        tessera::to_host(exec, Kokkos::subview(unknowns, std::make_pair(problem.dofs.n_regular, problem.dofs.n_free)));
    solution.floating.assign(floating.data(), floating.data() + floating.extent(0));
    if (plan.reproducible)
      report.checksums["solution"] = checksum_text(exec, solution.nodal);
  });
  return solution;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template Solution<SPACE> solve<SPACE>(const SPACE&, const Problem<SPACE>&, const Plan&, const Excitation&,           \
                                        PhaseLog&, const SolverMonitor&, const Distribution<SPACE>*,                   \
                                        const FurtherSolves<SPACE>&);                                                  \
  template SolverOutcome solve_assembled<SPACE>(const SPACE&, const Problem<SPACE>&, const Plan&, const Excitation&,   \
                                                assembly::Assembler<SPACE>&, const linalg::Vector<SPACE>&,             \
                                                const PhaseRunner&, const SolverMonitor&, const Distribution<SPACE>*,  \
                                                const FurtherSolves<SPACE>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
