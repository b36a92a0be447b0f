// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/device/free_memory.hpp"
#include "driver/advice/checks.hpp"
#include "driver/dg/dg_run.hpp"
#include "driver/discretization.hpp"
#include "driver/driver.hpp"
#include "driver/evaluation/fields.hpp"
#include "driver/evaluation/forces.hpp"
#include "driver/evaluation/matrices.hpp"
#include "driver/evaluation/paths/lines.hpp"
#include "driver/evaluation/paths/probes.hpp"
#include "driver/evaluation/paths/surfaces.hpp"
#include "driver/evaluation/quantities.hpp"
#include "driver/evaluation/verification.hpp"
#include "driver/mesh/import.hpp"
#include "driver/plan/plan.hpp"
#include "driver/plan/quantity_list.hpp"
#include "driver/session.hpp"
#include "driver/solution/adaptive_solve.hpp"
#include "driver/solution/kept_run.hpp"
#include "driver/solve.hpp"
#include "driver/study/report.hpp"
#include "io/input/input_text.hpp"
#include "io/input/output_check.hpp"
#include "solvers/external/petsc.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tessera::driver {

namespace {

/// The problem of a run: the previous run's with other data, one on its mesh, or a new one. Returns what is reused.
template <class ExecutionSpace>
Reuse prepare(const ExecutionSpace& exec, const io::ImportedMesh& imported, const ProblemBinding& binding,
              const Plan& plan, KeptProblem<ExecutionSpace>& state, KeptRun* kept, Context& context) {
  Reuse reuse = kept != nullptr ? kept->allowed : Reuse::nothing;
  // The last problem is on another mesh; with several processes the parts have copies of its data.
  if (context.input.mesh.adapt.asked() || state.transport)
    reuse = std::min(reuse, Reuse::mesh);
  if (has_parts(context))
    reuse = Reuse::nothing;
  bool is_renewed = false;
  if (reuse >= Reuse::pattern && state.problem)
    context.log.run("form", exec, [&] {
      is_renewed = state.problem->renew(exec, binding, plan.form, reuse == Reuse::matrix, context);
    });
  if (!is_renewed) {
    reuse = std::min(reuse, Reuse::mesh);
    state.solver.reset();
    state.distribution.reset();
    state.problem.reset();
    state.plan = plan;
    if (reuse == Reuse::nothing) {
      state.mesh = {};
      state.nodal = {};
      state.nodal_before = {};
    }
    state.problem = make_problem(exec, imported, binding, plan.form, plan.coarser_meshes(), context,
                                 kept != nullptr ? &state.mesh : nullptr);
  }
  if (kept != nullptr) // every step of Newton's method has another matrix
    kept->taken = state.problem->is_linear() ? reuse : std::min(reuse, Reuse::pattern);
  return reuse;
}

template <class Space> struct Extrapolate {
  Array<const double*, Space> last;
  Array<const double*, Space> before;
  double factor;
  Array<double*, Space> x;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { x(i) = last(i) + factor * (last(i) - before(i)); }
};

/// Nodal values to start from: the last solution, or an extrapolation of the last two; empty if there is none, or if
/// the bits must not depend on it.
template <class ExecutionSpace>
linalg::ConstVector<ExecutionSpace> start_of(const ExecutionSpace& exec, const KeptProblem<ExecutionSpace>& state,
                                             double factor) {
  const auto n = static_cast<std::size_t>(state.problem->n_space_nodes);
  if (state.plan.reproducible || state.nodal.extent(0) != n)
    return {};
  if (factor == 0. || state.nodal_before.extent(0) != n)
    return state.nodal;
  const auto x = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::start", n);
  for_each("tessera::driver::extrapolate", exec, static_cast<std::int64_t>(n),
           Extrapolate<typename ExecutionSpace::memory_space>{state.nodal, state.nodal_before, factor, x});
  return x;
}

/// Strategy, preconditioner and memory.
void print_plan(const Plan& plan, io::Console& console) {
  console.item("strategy", io::name_of(plan.strategy) + (plan.reason.empty() ? "" : ": " + plan.reason));
  if (!plan.preconditioner_reason.empty())
    console.item("preconditioner", io::name_of(plan.solver.preconditioner) + ": " + plan.preconditioner_reason);
  if (plan.solver.method == io::SolverMethod::petsc)
    console.item("petsc", std::string(solvers::petsc_version()) + " with " + io::printable(plan.solver.petsc, 200));
  console.item("memory", "about " + format_bytes(plan.estimated_bytes));
}

/// Solves, then writes fields and probes before quantities and verification are computed, so that the solution is not
/// lost if these fail. Their errors are reported in `Results::failures`, not thrown. Returns the largest estimate of
/// memory of all rounds of adaptive refinement.
template <class ExecutionSpace>
double run_on(const ExecutionSpace& exec, const io::ImportedMesh& imported, const ProblemBinding& binding,
              const Plan& plan, const io::OutputDirectory* output, KeptRun* kept, Context& context, Results& results) {
  using Solver = ProblemSolver<ExecutionSpace>;
  const io::Case& input = context.input;
  const comm::Communicator& world = context.world;
  PhaseLog& log = context.log;
  KeptProblem<ExecutionSpace> of_one;
  KeptProblem<ExecutionSpace>& state = kept != nullptr ? kept->on<ExecutionSpace>() : of_one;
  const Reuse reuse = prepare(exec, imported, binding, plan, state, kept, context);
  auto& problem = state.problem;
  results.problem = problem->summary;
  check_lines(exec, *problem, input);
  check_surfaces(exec, *problem, input);
  check_bodies(exec, *problem, input);
  auto& distribution = state.distribution;
  if (world.size() > 1) {
    if (!state.transport)
      log.run("processes: connect", exec,
              [&] { state.transport = comm::make_transport(exec, world, input.execution.messages); });
    if (!distribution)
      log.run("processes: distribute", exec,
              [&] { distribution.emplace(exec, world, *state.transport, *problem, plan.reproducible); });
    results.processes = distribution->unknowns().summary();
  }
  if (!state.solver)
    state.solver = std::make_unique<Solver>(*problem, state.plan, distribution ? &*distribution : nullptr);
  Solution<ExecutionSpace> solution;
  if (input.mesh.adapt.asked()) {
    state.solver.reset();
    solution = solve_adaptively(exec, problem, state.plan, context, results);
    results.problem = problem->summary;
  } else {
    solution = state.solver->solve(exec, excitation_of(input), log, progress_of(context.console),
                                   reuse == Reuse::matrix ? Solver::Changed::nothing : Solver::Changed::form,
                                   kept != nullptr ? start_of(exec, state, kept->extrapolation)
                                                   : linalg::ConstVector<ExecutionSpace>());
    results.histories = solution.report.solver.histories;
    add_matrices(exec, *problem, *state.solver, context, results);
    if (kept == nullptr)
      state.solver.reset(); // frees its memory
  }
  results.solve = solution.report;
  results.iterations = solution.report.solver.iterations();
  if (kept != nullptr) {
    state.nodal_before = std::exchange(state.nodal, solution.nodal);
    if (!results.solve.solver.converged() || input.mesh.adapt.asked())
      state.nodal = state.nodal_before = {};
  }
  note_solver(input, results.solve.solver, context.notes);

  if (output != nullptr)
    output->begin_writing();
  // with parts each process writes its piece
  const bool writes = problem->world->largest(output != nullptr ? 1 : 0) == 1;
  if (has_parts(context)) { // frees assembler and solver
    state.solver.reset();
    distribution.reset();
  }
  if (writes && !input.output.fields.empty())
    log.run(
        "output: fields", exec, [&] { write_fields(exec, *problem, input, solution, output); }, PhaseKind::with_host);
  if (has_parts(context))
    log.run("quantities: own elements", exec, [&] {
      linalg::ConstVector<ExecutionSpace> nodal = solution.nodal;
      auto own = problem->of_own_elements(exec, nodal, context);
      own->around = std::move(problem);
      own->nodal_around = std::exchange(solution.nodal, nodal);
      problem = std::move(own);
    });
  if (output != nullptr)
    write_tables(results.findings, 0, *output);
  std::vector<ProbeValues> probes;
  if (!input.output.probes.empty())
    log.run(
        "output: probes", exec,
        [&] {
          const ProblemSummary& summary = problem->summary;
          probes =
              probe_values(input, summary.dimension, summary.region_names, [&](const auto& points, bool recovered) {
                return problem->values_at(exec, solution.nodal, points, recovered);
              });
          if (output != nullptr)
            write_probes(input, probes, *output, context.notes);
        },
        PhaseKind::with_host);
  keep_failure(world, results, [&] {
    log.run("quantities", exec, [&] {
      const std::size_t n_written = results.findings.list().size();
      add_quantities(exec, *problem, input, solution, results);
      verify(
          input, probes,
          [&](const auto& exact, const auto& gradient) {
            const physics::ErrorNorms norms = problem->error_norms(exec, solution.nodal, exact, gradient);
            std::vector<NormError> errors{{"l2", norms.l2, norms.exact_l2, "solution"}};
            if (!gradient.empty())
              errors.push_back({"h1", norms.h1, norms.exact_h1, "gradient"});
            return errors;
          },
          results);
      if (output != nullptr) // last: if the disk is full, the other processes need not be waited for
        write_tables(results.findings, n_written, *output);
    });
  });
  return std::max(plan.estimated_bytes, state.plan.estimated_bytes);
}

/// `tells`: prints warnings on what makes the results unusable.
RunSummary summarize(const Results& results, const std::string& directory, bool tells) {
  RunSummary summary;
  const auto warn = [&](const std::string& text) {
    summary.message += (summary.message.empty() ? "" : " ") + text;
    if (tells)
      io::Console::warning(text);
  };
  const SolverOutcome& solver = results.solve.solver;
  summary.directory = directory;
  summary.iterations = results.iterations;
  summary.residual = solver.linear.rhs_norm > 0. ? solver.linear.true_residual / solver.linear.rhs_norm : 0.;
  if (solver.nonlinear) {
    summary.nonlinear_history = solver.nonlinear->history;
    summary.residual = solver.nonlinear->history.back();
  }
  for (const io::Finding& finding : results.findings.list())
    for (const QuantityValue& number : finding.numbers)
      if (finding.section == "errors") {
        summary.errors[number.name] = number.value;
      } else {
        summary.quantities[number.name] = number.value;
        summary.units[number.name] = number.unit;
      }
  summary.checksums = results.solve.checksums;
  if (!solver.converged()) {
    warn(solver.message() + " The results are not a solution.");
    summary.exit_code = static_cast<int>(ErrorKind::numerical);
  } else if (!results.missed.empty()) {
    warn(tells ? "An expected quantity was missed, see the notes." : io::joined(results.missed));
    summary.exit_code = static_cast<int>(ErrorKind::numerical);
  }
  for (const std::string& failure : results.failures) {
    warn(failure);
    summary.exit_code = static_cast<int>(results.failure_kind);
  }
  if (results.ended_by_signal != 0)
    summary.exit_code = 128 + results.ended_by_signal;
  return summary;
}

/// `kept`: data reused between runs of a sweep; null: none.
RunSummary run_case(const io::Case& given, const RunOptions& options, KeptRun* kept, bool writes) {
  io::Case input = given;
  const comm::Communicator& world = options.world != nullptr ? *options.world : comm::alone();
  io::Console console(options.quiet || !world.is_root());
  Facts facts{input, world.size(), writes};
  Results results;
  run_checks(Known::input, facts, results.notes);
  std::optional<io::OutputDirectory> output; // of the process that writes
  std::vector<std::string> earlier_files;
  if (writes && world.is_root()) {
    output.emplace(input.output.directory);
    earlier_files = output->files_of_earlier_runs(io::run_outputs(input));
  }
  PhaseLog log;
  log.set_listener(console.listener());
  Context context{input, console, log, results.notes, world};

  if (!input.title.empty())
    console.line(io::printable(input.title, 200));
  KokkosSession session(input, {input.execution.backend}, context, kept != nullptr ? &kept->runtime : nullptr);
  std::optional<io::ImportedMesh> of_one;
  std::optional<io::ImportedMesh>& place = kept != nullptr ? kept->imported : of_one;
  if (!place || kept == nullptr || kept->allowed == Reuse::nothing)
    place = import_mesh(input, context);
  const io::ImportedMesh& imported = *place;
  facts.mesh = &imported;
  run_checks(Known::mesh, facts, results.notes);
  spread_materials(input, imported);
  const ProblemBinding binding = bind_problem(input, imported);
  facts.binding = &binding;
  run_checks(Known::binding, facts, results.notes);
  check_parts(facts, context);
  const bool is_dg = input.discretization.method == io::Method::dg;
  session.start(imported);
  Plan plan;
  visit_backend(input.execution.backend, [&](const auto& exec) {
    using ExecutionSpace = std::decay_t<decltype(exec)>;
    const std::string device = device_name(exec);
    results.findings.add_facts("", {{"device", device}});
    console.item("backend", input.execution.backend + " (" + device + ")");
    if (is_dg) {
      if (kept != nullptr)
        kept->taken = std::min(kept->allowed, Reuse::mesh);
      plan.estimated_bytes = run_dg(exec, imported, output ? &*output : nullptr, context, results);
      return;
    }
    constexpr bool on_host = is_host_space<ExecutionSpace>;
    plan = make_plan(input, problem_size(input, imported, !on_host, world.size()),
                     memory_of_each(world, free_memory(exec), on_host));
    print_plan(plan, console);
    facts.plan = &plan;
    run_checks(Known::plan, facts, results.notes);
    if (!on_host && (kept == nullptr || kept->allowed == Reuse::nothing))
      log.run("memory: reserve", exec, [&] { reserve_memory(exec, plan.estimated_bytes); });
    plan.estimated_bytes = run_on(exec, imported, binding, plan, output ? &*output : nullptr, kept, context, results);
  });

  results.process_times = gather_times(world, log.merged_phases());
  if (!output)
    return summarize(results, "", false); // another process, or the sweep, prints
  if (!earlier_files.empty())
    results.notes.push_back("The output directory holds files of an earlier run that this run does not write: " +
                            io::joined(earlier_files) + ".");
  log.run_host("output: report", [&] {
    describe_run(input, plan, imported, session.threads(), log, results);
    write_reports(input, results, *output, earlier_files);
  });
  print_results(results, log, console);
  console.line("Results lie in " + output->path());
  return summarize(results, output->path(), kept == nullptr);
}

} // namespace

RunSummary run(const io::Case& input, const RunOptions& options) { return run_case(input, options, nullptr, true); }

RunSummary run_with(KeptRun& kept, const io::Case& input, const RunOptions& options, bool writes) {
  kept.taken = Reuse::nothing;
  return run_case(input, options, &kept, writes);
}

} // namespace tessera::driver
