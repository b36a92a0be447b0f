// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/advice/checks.hpp"
#include "driver/driver.hpp"
#include "driver/mesh/import.hpp"
#include "driver/mesh/mesh_surface.hpp"
#include "driver/problem/binding/problem_binding.hpp"
#include "driver/session.hpp"
#include "driver/solution/kept_run.hpp"
#include "driver/steps.hpp"
#include "driver/study/error_estimates.hpp"
#include "driver/study/report.hpp"
#include "driver/visit.hpp"
#include "io/input/input_text.hpp"
#include "io/input/output_check.hpp"

#include <optional>
#include <utility>

namespace tessera::driver {

namespace {

/// `reports`: prints warnings on what makes the results unusable.
RunSummary summarize(const Results& results, const std::string& directory, bool reports) {
  RunSummary summary;
  const auto warn = [&](const std::string& text) {
    summary.message += (summary.message.empty() ? "" : " ") + text;
    if (reports)
      io::Console::warning(text);
  };
  const SolverOutcome& solver = results.solve.solver;
  summary.directory = directory;
  summary.iterations = results.iterations;
  if (solver.linear.rhs_norm > 0.) {
    summary.residual = solver.linear.true_residual / solver.linear.rhs_norm;
    summary.rounding = solver.linear.rounding / solver.linear.rhs_norm;
  }
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
    if (reports)
      warn("An expected quantity was missed, see the notes.");
    else
      for (const std::string& sentence : results.missed)
        warn(sentence);
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

/// Solves the context's case on its mesh, and adds what it finds to the results.
void solve_case(const io::ImportedMesh& imported, const ProblemBinding& binding, KeptRun* kept,
                const io::OutputDirectory* output, Context& context, Results& results) {
  visit_backend(context.input.execution.backend, [&](const auto& exec) {
    const std::string device = device_name(exec);
    results.findings.add_facts("", {{"device", device}});
    context.console.item("backend", context.input.execution.backend + " (" + device + ")");
    const auto problem = make_discretization(exec, imported, binding, kept, context, results);
    run_steps(exec, *problem, output, context, results);
  });
}

/// Estimates the errors of the quantities, as one phase of the run.
void estimate_errors(const io::ImportedMesh& imported, Context& context, Results& results) {
  context.log.run_host("error estimates", [&] {
    add_estimates(
        context.input, context.world,
        [&](const io::Case& finer, Results& found) {
          io::Console quiet(true);
          PhaseLog log;
          Context of_finer{finer, quiet, log, found.notes, context.world};
          solve_case(imported, bind_problem(finer, imported), nullptr, nullptr, of_finer, found);
        },
        results);
  });
}

/// `kept`: data reused between runs of a sweep; null: none.
RunSummary run_case(const io::Case& given, const RunOptions& options, KeptRun* kept, bool writes) {
  io::Case input = given;
  const comm::Communicator& world = options.world != nullptr ? *options.world : comm::alone();
  io::Console own_console(options.quiet || !world.is_root());
  io::Console& console = options.console != nullptr ? *options.console : own_console;
  Facts facts{input, world.size(), writes};
  Results results;
  run_checks(Known::input, facts, results.notes);
  std::optional<io::OutputDirectory> output; // of the process that writes
  std::vector<std::string> earlier_files;
  if (world.is_root() && (writes || options.arrays != nullptr)) {
    if (writes)
      output.emplace(input.output.directory, options.arrays);
    else
      output.emplace(*options.arrays);
    earlier_files = output->files_of_earlier_runs(io::run_outputs(input));
  }
  PhaseLog log;
  log.set_listener(console.listener());
  Context context{input, console, log, results.notes, world};

  if (!input.title.empty())
    console.line(io::printable(input.title, 200));
  KokkosSession session(input, {input.execution.backend}, context, kept != nullptr ? &kept->runtime : nullptr);
  const bool estimates = may_estimate(input, kept != nullptr);
  std::optional<io::ImportedMesh> of_one;
  std::optional<io::ImportedMesh>& place = kept != nullptr ? kept->imported : of_one;
  if (!place || kept == nullptr || kept->allowed == Reuse::nothing)
    place = import_mesh(input, context, estimates);
  io::ImportedMesh& imported = *place;
  take_levels(input, imported);
  CurvedShape of_finer;
  if (estimates && !needs_curved_elements(input))
    exchange_shape(imported, of_finer);
  facts.mesh = &imported;
  run_checks(Known::mesh, facts, results.notes);
  spread_materials(input, imported);
  const ProblemBinding binding = bind_problem(input, imported);
  facts.binding = &binding;
  run_checks(Known::binding, facts, results.notes);
  check_parts(facts, context);
  session.start(imported);
  solve_case(imported, binding, kept, output ? &*output : nullptr, context, results);
  if (estimates) {
    if (of_finer.degree > 0)
      exchange_shape(imported, of_finer);
    estimate_errors(imported, context, results);
  }

  results.process_times = gather_times(world, log.merged_phases());
  if (!output)
    return summarize(results, "", false); // another process, or the sweep, prints
  if (!earlier_files.empty())
    results.notes.push_back("The output directory holds files of an earlier run that this run does not write: " +
                            io::joined(earlier_files) + ".");
  io::ReportNode report;
  log.run_host("output: report", [&] {
    describe_run(input, imported, session.threads(), log, results);
    report = write_reports(input, results, *output, earlier_files);
  });
  print_results(results, log, console);
  if (output->writes_files())
    console.line("Results lie in " + output->path());
  RunSummary summary = summarize(results, output->path(), kept == nullptr && options.console == nullptr);
  summary.report = std::move(report);
  return summary;
}

} // namespace

RunSummary run(const io::Case& input, const RunOptions& options) {
  return run_case(input, options, nullptr, options.writes);
}

RunSummary run_with(KeptRun& kept, const io::Case& input, const RunOptions& options, bool writes) {
  kept.taken = Reuse::nothing;
  return run_case(input, options, &kept, writes);
}

} // namespace tessera::driver
