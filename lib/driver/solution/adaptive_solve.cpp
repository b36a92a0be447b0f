// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/solution/adaptive_solve.hpp"

#include "core/error.hpp"
#include "core/kokkos_ext/device/free_memory.hpp"
#include "core/kokkos_ext/runtime.hpp"
#include "core/memory.hpp"
#include "driver/solution/linear_solver.hpp"
#include "physics/estimates/mark_largest.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <iomanip>
#include <sstream>

namespace tessera::driver {

namespace {

std::string percent(double value) {
  std::ostringstream text;
  text << std::setprecision(3) << 100. * value << " %";
  return text.str();
}

/// Contrast of materials above which a chequered vertex is noted.
constexpr double noted_contrast = 10.;

std::string chequered_note(const physics::ChequeredVertex& vertex, int dimension) {
  std::ostringstream text;
  text << "mesh.adapt: at (";
  for (int d = 0; d < dimension; ++d)
    text << (d > 0 ? ", " : "") << vertex.at[static_cast<std::size_t>(d)];
  text << ") m materials meet in a chequered way, with a contrast of " << std::setprecision(3) << vertex.contrast
       << ". The field has no bound there, and most of the error is in the elements at this point, where estimates are "
          "raised by what was measured: they are good to some 40 %.";
  return text.str();
}

MeshCounts counts_of(const ProblemSummary& problem) {
  return {problem.dimension, problem.n_nodes, problem.n_elements, problem.n_facets};
}

template <class ExecutionSpace>
ProblemSize size_of(const io::Case& input, const ProblemSummary& problem, FormKind form) {
  return problem_size(input, counts_of(problem), 0, form == FormKind::quadrature || form == FormKind::thermal,
                      !is_host_space<ExecutionSpace>);
}

/// Times the set-up on a new mesh of strategies whose costs are in different places: colours, lists that are made and
/// consolidated, a pattern with its gathering. Strategies that do not fit into memory are skipped.
template <class ExecutionSpace>
void compare_setups(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const Plan& plan,
                    Context& context, AdaptiveRound& round) {
  const ProblemSize size = size_of<ExecutionSpace>(context.input, problem.summary, problem.form());
  for (const assembly::Strategy strategy :
       {assembly::Strategy::colored, assembly::Strategy::a_coo, assembly::Strategy::row_gather}) {
    const double free = free_memory(exec); // negative: unknown
    if (!fits_offsets(size.memory, strategy) || (free >= 0. && estimate_memory(size.memory, strategy) > free))
      continue;
    SetupCost cost;
    cost.strategy = io::name_of(strategy);
    const std::size_t before = MemoryLedger::current_bytes();
    assembly::AssemblyOptions options = assembly_options(plan);
    options.strategy = strategy;
    const auto assembler = problem.make_assembler(options);
    const auto timed = [&](const std::string& what, const std::function<void()>& work) {
      context.log.run("compare set-up: " + cost.strategy + ", " + what, exec, work, PhaseKind::with_host);
      const Phase& phase = context.log.phases().back();
      cost.peak_bytes = std::max(cost.peak_bytes, phase.peak_bytes - std::min(phase.peak_bytes, before));
      return phase.seconds;
    };
    cost.symbolic = timed("symbolic", [&] { assembler->symbolic(exec); });
    cost.numeric = timed("numeric", [&] { assembler->numeric(exec); });
    round.setups.push_back(cost);
  }
}

/// The plan of the round after that of `previous`; throws if it takes more memory than `free`.
template <class ExecutionSpace>
Plan plan_of(const io::Case& input, const ProblemSummary& problem, const ProblemSummary& previous, FormKind form,
             double free) {
  ProblemSize size = size_of<ExecutionSpace>(input, problem, form);
  size.memory.refined_from = counts_of(previous);
  Plan plan = make_plan(input, size, free);
  plan.form = form;
  return plan;
}

} // namespace

AdaptiveRound describe_round(const ProblemSummary& problem, const SolverOutcome& solver, double error,
                             const PhaseLog& log, std::size_t first_phase) {
  AdaptiveRound round;
  round.n_elements = problem.n_elements;
  round.n_unknowns = problem.n_unknowns;
  round.estimated_error = error;
  round.iterations = solver.iterations();
  for (std::size_t i = first_phase; i < log.phases().size(); ++i)
    round.seconds[log.phases()[i].name] += log.phases()[i].seconds;
  return round;
}

void print_round(const Results& results, Context& context) {
  const AdaptiveRound& round = results.rounds.back();
  context.console.line("round " + std::to_string(results.rounds.size()) + ": " + io::format_count(round.n_elements) +
                       " elements, estimated error " + percent(round.estimated_error));
}

void note_unusable_mesh(const std::exception& failure, std::size_t n_rounds, Context& context) {
  if (dynamic_cast<const Error*>(&failure) == nullptr && kind_of(failure) != ErrorKind::resource)
    throw; // a fault of the program
  context.notes.push_back("mesh.adapt: refinement ended after " + std::to_string(n_rounds) +
                          (n_rounds == 1 ? " round" : " rounds") +
                          ", whose results these are, because the next mesh cannot be used: " + message_of(failure));
}

void note_missed_target(const Results& results, const std::string& ended_by, Context& context) {
  const double target = context.input.mesh.adapt.target_error;
  if (target > 0.)
    context.notes.push_back("mesh.adapt: the estimated error is " + percent(results.rounds.back().estimated_error) +
                            ", not " + percent(target) + ": refinement ended by " + ended_by);
}

double free_for_next_round(double free_at_first, double free_now, double most_held) {
  return free_at_first < 0. || free_now < 0. ? free_now : std::min(free_at_first, free_now + most_held);
}

template <class ExecutionSpace>
Solution<ExecutionSpace> solve_adaptively(const ExecutionSpace& exec, std::unique_ptr<Problem<ExecutionSpace>>& problem,
                                          Plan& plan, Context& context, Results& results) {
  const io::Case& input = context.input;
  const io::Adaptation& adapt = input.mesh.adapt;
  PhaseLog& log = context.log;
  linalg::ConstVector<ExecutionSpace> start;
  std::size_t first_phase = log.phases().size();
  std::string ended_by;
  const double free_now = free_memory(exec); // negative: unknown
  const double free_at_first = free_now < 0. ? free_now : free_now + static_cast<double>(MemoryLedger::current_bytes());
  if (adapt.max_elements > 0 && problem->summary.n_elements > adapt.max_elements)
    context.notes.push_back("mesh.adapt: the first mesh has " + io::format_count(problem->summary.n_elements) +
                            " elements, more than max_elements: " + std::to_string(adapt.max_elements) +
                            ", and stays as it is.");
  while (true) {
    auto solution = ProblemSolver<ExecutionSpace>(*problem, plan)
                        .solve(exec, excitation_of(input), log, progress_of(context.console),
                               ProblemSolver<ExecutionSpace>::Changed::form, start);
    for (io::ResidualHistory history : solution.report.solver.histories) {
      history.round = static_cast<int>(results.rounds.size()) + 1;
      results.histories.push_back(std::move(history));
    }
    if (!solution.report.solver.converged())
      return solution;
    physics::ErrorEstimate<ExecutionSpace> estimate;
    log.run("estimate", exec, [&] { estimate = problem->estimate_error(exec, solution.nodal, adapt.estimator); });
    const double error = estimate.relative();
    results.rounds.push_back(describe_round(problem->summary, solution.report.solver, error, log, first_phase));
    if (adapt.compare_setup)
      compare_setups(exec, *problem, plan, context, results.rounds.back());
    first_phase = log.phases().size();
    print_round(results, context);
    if (results.rounds.size() == 1 && estimate.chequered.contrast >= noted_contrast)
      context.notes.push_back(chequered_note(estimate.chequered, problem->summary.dimension));
    if (error <= adapt.target_error || !(error > 0.))
      return solution;
    std::unique_ptr<Problem<ExecutionSpace>> finer;
    linalg::Vector<ExecutionSpace> guess;
    if (static_cast<int>(results.rounds.size()) == adapt.max_rounds) {
      ended_by = "max_rounds: " + std::to_string(adapt.max_rounds) + '.';
    } else {
      try {
        Array<std::uint8_t*, typename ExecutionSpace::memory_space> marked;
        log.run("mesh: mark", exec, [&] {
          marked = physics::mark_largest(exec, Array<const double*, ExecutionSpace>(estimate.squares), adapt.share);
        });
        finer = problem->bisected(exec, Array<const std::uint8_t*, ExecutionSpace>(marked), adapt.max_elements,
                                  solution.nodal, guess, context);
        if (finer) {
          const double most = plan.estimated_bytes;
          plan = plan_of<ExecutionSpace>(input, finer->summary, problem->summary, finer->form(),
                                         free_for_next_round(free_at_first, free_memory(exec),
                                                             static_cast<double>(MemoryLedger::overall_peak_bytes())));
          plan.estimated_bytes = std::max(plan.estimated_bytes, most);
        } else
          ended_by = "max_elements: " + std::to_string(adapt.max_elements) + '.';
      } catch (const std::exception& failure) { // this solution is valid whether or not the next mesh can be made
        note_unusable_mesh(failure, results.rounds.size(), context);
        finer.reset();
        guess = {};
        exec.fence();
        ended_by = "the next mesh, see above.";
      }
    }
    if (!finer) {
      note_missed_target(results, ended_by, context);
      return solution;
    }
    problem = std::move(finer);
    start = guess;
  }
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template Solution<SPACE> solve_adaptively<SPACE>(const SPACE&, std::unique_ptr<Problem<SPACE>>&, Plan&, Context&,    \
                                                   Results&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
