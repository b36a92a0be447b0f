// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/available_memory.hpp"
#include "core/kokkos_ext/device/free_memory.hpp"
#include "driver/advice/checks.hpp"
#include "driver/compare/comparison_tables.hpp"
#include "driver/compare/run_dg_strategies.hpp"
#include "driver/compare/run_strategies.hpp"
#include "driver/driver.hpp"
#include "driver/mesh/import.hpp"
#include "driver/plan/plan.hpp"
#include "driver/session.hpp"
#include "driver/visit.hpp"
#include "io/input/output_check.hpp"
#include "io/output/output_directory.hpp"

#include <algorithm>

namespace tessera::driver {

namespace {

using assembly::Strategy;

/// The strategies given by name, including `auto`; for reproducible cases without a list, those that are deterministic.
std::vector<Strategy> strategies_of(const io::Case& input, const std::vector<std::string>& names) {
  const bool all = names.empty() || std::find(names.begin(), names.end(), "all") != names.end();
  std::vector<Strategy> strategies;
  for (const auto& entry : io::enum_names<io::Strategy>()) {
    const bool requested = std::find(names.begin(), names.end(), entry.name) != names.end();
    const bool is_automatic = entry.value == Strategy::automatic;
    if (!requested &&
        !(all && !is_automatic && (!input.execution.reproducible || assembly::is_deterministic(entry.value))))
      continue;
    if (!is_automatic)
      check_reproducible(input, entry.value);
    strategies.push_back(entry.value);
  }
  // `auto` is last: it is another name of one of the others, if these are requested, too.
  std::stable_partition(strategies.begin(), strategies.end(),
                        [](Strategy strategy) { return strategy != Strategy::automatic; });
  return strategies;
}

/// The same for dg; `auto` is replaced by the strategy that it selects.
std::vector<io::DgStrategy> dg_strategies_of(const io::Case& input, const std::vector<std::string>& names) {
  const bool all = names.empty() || std::find(names.begin(), names.end(), "all") != names.end();
  std::vector<io::DgStrategy> strategies;
  for (const assembly::dg::StrategyTraits& traits : assembly::dg::strategy_table) {
    const bool is_automatic = traits.strategy == io::DgStrategy::automatic;
    const bool is_named = std::find(names.begin(), names.end(), traits.name) != names.end();
    const bool is_possible = (traits.is_deterministic || !input.execution.reproducible) &&
                             (traits.has_single_precision || input.assembly.precision != Precision::single_precision);
    if (!is_named && (!all || is_automatic || !is_possible))
      continue;
    check_reproducible(input, traits.strategy);
    const io::DgStrategy strategy = assembly::dg::resolved(traits.strategy);
    if (std::find(strategies.begin(), strategies.end(), strategy) == strategies.end())
      strategies.push_back(strategy);
  }
  std::sort(strategies.begin(), strategies.end()); // puts the reference first
  return strategies;
}

void require_two_runs(std::size_t n_runs) {
  TESSERA_REQUIRE(n_runs >= 2, "compare: nothing to compare with one run only. Name two strategies or backends, "
                               "for example --strategies reference,atomic.");
}

/// The plan of the case with one strategy, and a solver that supports it.
Plan plan_to_compare(const io::Case& input, const ProblemSize& size, Strategy strategy) {
  Plan plan = plan_by(input, size, strategy);
  const SolverChoice solver = usable_solver(plan.solver, strategy, !why_multigrid_needs_matrix(input).empty());
  plan.solver.method = solver.method;
  plan.solver.preconditioner = solver.preconditioner;
  return plan;
}

/// The memory request of a plan; nothing is written.
MemoryRequest request_of(const ProblemSize& size, const Plan& plan) {
  MemoryRequest request = size.memory;
  request.preconditioner = plan.solver.preconditioner;
  request.works_by_element = plan.solver.method == io::SolverMethod::ebe_j_pcg;
  request.writes_fields = false;
  return request;
}

/// The plans for one backend, with `auto` replaced by its choice. All must fit into memory before any of them runs.
template <class ExecutionSpace>
std::vector<Plan> plans_of(const ExecutionSpace& exec, const io::ImportedMesh& imported,
                           const std::vector<Strategy>& requested, Context& context) {
  const io::Case& input = context.input;
  constexpr bool on_gpu = !is_host_space<ExecutionSpace>;
  const std::string backend = backend_name(exec);
  const ProblemSize size = problem_size(input, imported, on_gpu);
  const double free = free_memory(exec);
  if (!size.preconditioner.reason.empty())
    context.console.line("preconditioner auto on " + backend + ": " + io::name_of(size.preconditioner.preconditioner) +
                         ", " + size.preconditioner.reason);
  std::vector<Plan> plans;
  const auto add = [&](Strategy strategy) {
    if (std::none_of(plans.begin(), plans.end(), [&](const Plan& plan) { return plan.strategy == strategy; }))
      plans.push_back(plan_to_compare(input, size, strategy));
  };
  for (const Strategy strategy : requested) {
    if (strategy != Strategy::automatic) {
      add(strategy);
      continue;
    }
    io::Case automatic = input;
    automatic.assembly.strategy = Strategy::automatic;
    const Plan chosen = make_plan(automatic, size, free);
    context.console.line("auto on " + backend + ": " + io::name_of(chosen.strategy) + ", " + chosen.reason);
    add(chosen.strategy);
  }
  // On the host during a run: the system of the first run, and that of the run compared with it.
  const auto kept_system = [&](const Plan& plan) {
    return estimate_system_memory(request_of(size, plan), plan.strategy);
  };
  for (const Plan& plan : plans) {
    const std::string what = "Comparing by " + io::name_of(plan.strategy) + " on " + backend + " (--strategies)";
    TESSERA_REQUIRE_KIND(fits_offsets(size.memory, plan.strategy), ErrorKind::resource,
                         what << " does not fit " << 8 * sizeof(offset_t) << "-bit offsets.");
    const double bytes = estimate_memory(request_of(size, plan), plan.strategy);
    const double kept = kept_system(plans.front()) + kept_system(plan);
    require_memory(input, on_gpu ? bytes : bytes + kept, free, what);
    if (on_gpu)
      require_memory(input, kept, available_host_memory(), what + ", of the host,");
  }
  return plans;
}

} // namespace

int compare(const io::Case& given, const CompareOptions& options) {
  io::Case input = given;
  require_no_adaptation(input, "compare");
  require_steady(input, "compare");
  io::Console console(options.quiet);
  const std::vector<std::string> backends = options.backends.empty() ? backend_names() : options.backends;
  const bool is_dg = input.discretization.method == io::Method::dg;
  std::vector<Strategy> requested;
  std::vector<io::DgStrategy> requested_dg;
  if (is_dg)
    requested_dg = dg_strategies_of(input, options.strategies);
  else
    requested = strategies_of(input, options.strategies);
  require_two_runs(backends.size() * (requested.size() + requested_dg.size()));
  io::check_outputs(input, {"compare.yaml"});
  const io::OutputDirectory output(input.output.directory);

  PhaseLog log;
  log.set_listener(console.listener());
  std::vector<std::string> notes;
  Context context{input, console, log, notes};
  note_idle_threads(input, backends, notes);
  KokkosSession session(input, backends, context);
  const io::ImportedMesh imported = import_mesh(input, context);
  spread_materials(input, imported);
  const ProblemBinding binding = bind_problem(input, imported);
  check_parts({input, 1, false, &imported, &binding}, context);
  session.start(imported);

  ProblemSummary problem;
  Comparison comparison(input.execution.reproducible);
  const auto add_run = [&](Candidate run) { comparison.add(std::move(run)); };
  if (is_dg) {
    for (const std::string& backend : backends)
      visit_backend(backend, [&](const auto& exec) {
        problem = run_dg_strategies(exec, imported, requested_dg, context, add_run);
      });
  } else {
    std::vector<std::vector<Plan>> plans;
    std::size_t n_runs = 0;
    for (const std::string& backend : backends)
      visit_backend(backend, [&](const auto& exec) {
        plans.push_back(plans_of(exec, imported, requested, context));
        n_runs += plans.back().size();
      });
    require_two_runs(n_runs);
    for (std::size_t i = 0; i < backends.size(); ++i)
      visit_backend(backends[i], [&](const auto& exec) {
        problem = run_strategies(exec, imported, binding, plans[i], context, add_run);
      });
  }

  console.line("Compared on " + io::format_count(problem.n_elements) + " elements, " +
               io::format_count(problem.n_unknowns) + " unknowns.");
  if (options.full)
    print_all_runs(console, comparison);
  print_quantities(console, comparison);
  print_worst_pair(console, comparison);
  const auto has_others = [&](const Verdict& verdict) {
    return verdict.run.solver.method != input.solver.method ||
           (input.solver.preconditioner != io::Preconditioner::automatic &&
            verdict.run.solver.preconditioner != input.solver.preconditioner);
  };
  const std::vector<Verdict>& verdicts = comparison.verdicts();
  if (std::any_of(verdicts.begin(), verdicts.end(), has_others))
    console.line("note: the case asks for " + io::name_of(input.solver.method) + " with " +
                 io::name_of(input.solver.preconditioner) +
                 "; strategies that do not support it were solved as the column solver shows.");
  for (auto note = notes.begin(); note != notes.end(); ++note)
    if (std::find(notes.begin(), note, *note) == note) // once, not for every backend
      console.line("note: " + *note);
  io::write_yaml(output.file("compare.yaml"), comparison_report(input, comparison, problem));
  console.line(comparison.all_agree() ? "All agree." : "Some DIFFER or did not converge.");
  console.line("The comparison is in " + output.file("compare.yaml") +
               (options.full ? "" : "; --full shows times, memory and differences of every run."));
  return comparison.exit_code();
}

} // namespace tessera::driver
