// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/advice/checks.hpp"
#include "driver/compare/comparison_tables.hpp"
#include "driver/compare/run_strategies.hpp"
#include "driver/driver.hpp"
#include "driver/mesh/import.hpp"
#include "driver/session.hpp"
#include "driver/visit.hpp"
#include "io/input/output_check.hpp"
#include "io/output/output_directory.hpp"

#include <algorithm>

namespace tessera::driver {

namespace {

void require_two_runs(std::size_t n_runs) {
  TESSERA_REQUIRE(n_runs >= 2, "compare: nothing to compare with one run only. Name two strategies or backends, "
                               "for example --strategies reference,atomic.");
}

} // namespace

int compare(const io::Case& given, const CompareOptions& options) {
  io::Case input = given;
  require_no_adaptation(input, "compare");
  require_steady(input, "compare");
  io::Console console(options.quiet);
  const std::vector<std::string> backends = options.backends.empty() ? backend_names() : options.backends;
  const std::vector<std::string> requested = strategies_to_compare(input, options.strategies);
  require_two_runs(backends.size() * requested.size());
  io::check_outputs(input, {"compare.yaml"});
  const io::OutputDirectory output(input.output.directory);

  PhaseLog log;
  log.set_listener(console.listener());
  std::vector<std::string> notes;
  Context context{input, console, log, notes};
  note_idle_threads(input, backends, notes);
  KokkosSession session(input, backends, context);
  const io::ImportedMesh imported = import_mesh(input, context);
  take_levels(input, imported);
  spread_materials(input, imported);
  const ProblemBinding binding = bind_problem(input, imported);
  check_parts({input, 1, false, &imported, &binding}, context);
  session.start(imported);

  ProblemSummary problem;
  Comparison comparison(input.execution.reproducible);
  const auto add_run = [&](Candidate run) { comparison.add(std::move(run)); };
  std::vector<StrategyRuns> runs;
  std::size_t n_runs = 0;
  for (const std::string& backend : backends)
    visit_backend(backend, [&](const auto& exec) {
      runs.push_back(plan_runs(exec, imported, requested, context));
      n_runs += runs.back().strategies.size();
    });
  require_two_runs(n_runs);
  for (std::size_t i = 0; i < backends.size(); ++i)
    visit_backend(backends[i], [&](const auto& exec) {
      problem = run_strategies(exec, imported, binding, runs[i], context, add_run);
    });

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
