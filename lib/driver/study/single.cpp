// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/kokkos_ext/free_memory.hpp"
#include "driver/discretization.hpp"
#include "driver/driver.hpp"
#include "driver/evaluation/quantity_notes.hpp"
#include "driver/mesh/import.hpp"
#include "driver/mesh/mesh_transfer.hpp"
#include "driver/plan/plan.hpp"
#include "driver/plan/reproducible.hpp"
#include "driver/problem/loose_parts.hpp"
#include "driver/session.hpp"
#include "driver/study/report.hpp"
#include "driver/study/simulation.hpp"
#include "io/atomic_file.hpp"
#include "io/input_text.hpp"
#include "io/mesh_file.hpp"
#include "io/output_check.hpp"

#include <iomanip>
#include <iostream>

namespace tessera::driver {

namespace {

std::string describe(const Results& results) {
  std::ostringstream text;
  text << io::format_count(results.n_nodes) << " nodes, " << io::format_count(results.n_elements) << ' '
       << (results.dimension == 2 ? "triangles" : "tetrahedra");
  return text.str();
}

} // namespace

RunSummary run(const io::Case& input, const RunOptions& options) {
  io::Console console(options.quiet);
  if (options.dry_run) {
    std::cout << dry_run_text(input);
    return {};
  }
  const std::vector<std::string> files = io::run_outputs(input);
  io::check_outputs(input, files);
  const io::OutputDirectory output(input.output.directory);
  const std::vector<std::string> earlier_files = output.files_of_earlier_runs(files);
  PhaseLog log;
  log.set_listener(console.listener());
  Results results;
  results.notes = input.notes;
  for (const std::string& note : quantity_notes(input))
    results.notes.push_back(note);
  if (input.assembly.strategy != assembly::Strategy::automatic)
    check_reproducible(input, input.assembly.strategy); // told before a mesh is made
  Context context{input, console, log, results};

  if (!input.title.empty())
    console.line(io::printable(input.title, 200));
  KokkosSession session(input, {input.execution.backend}, context);
  const io::ImportedMesh imported = import_mesh(input, context);
  check_model(input, imported); // before memory is asked for
  check_parts(imported, context);
  session.start(imported);
  visit_backend(input.execution.backend, [&](const auto& exec) {
    using ExecutionSpace = std::decay_t<decltype(exec)>;
    results.device = device_name(exec);
    const Plan plan = make_plan(input, imported, !is_host_space<ExecutionSpace>);
    const PlannedStrategy planned = plan_strategy(input, plan, free_memory(exec));
    results.strategy = planned.strategy;
    results.strategy_reason = planned.reason;
    results.estimated_bytes = planned.estimated_bytes;
    console.item("backend", input.execution.backend + " (" + results.device + ")");
    console.item("strategy", io::name_of(planned.strategy) + (planned.reason.empty() ? "" : ": " + planned.reason));
    console.item("memory", "about " + format_bytes(planned.estimated_bytes));
    if (!is_host_space<ExecutionSpace>)
      log.run("memory: reserve", exec, [&] { reserve_memory(exec, planned.estimated_bytes); });
    const int order = input.discretization.order;
    if (imported.dimension == 2)
      order == 1 ? simulate<ExecutionSpace, 2, 1>(exec, imported, output, context)
                 : simulate<ExecutionSpace, 2, 2>(exec, imported, output, context);
    else
      order == 1 ? simulate<ExecutionSpace, 3, 1>(exec, imported, output, context)
                 : simulate<ExecutionSpace, 3, 2>(exec, imported, output, context);
  });

  if (!earlier_files.empty())
    results.notes.push_back("The output directory holds files of an earlier run that this run does not write: " +
                            io::joined(earlier_files) + ".");
  log.run_host("output: report", [&] { write_reports(input, results, session.threads(), log, output, earlier_files); });
  console.item("mesh", describe(results));
  std::ostringstream unknowns;
  unknowns << io::format_count(results.n_unknowns) << " of order " << input.discretization.order;
  console.item("unknowns", unknowns.str());
  console.item("solver", results.solver_message());
  if (results.nonlinear) {
    std::ostringstream share;
    share << std::fixed << std::setprecision(0) << 100. * results.assembly_share << " % of "
          << io::format_seconds(results.nonlinear_seconds) << " in Newton's method";
    console.item("assembly", share.str());
  }
  console.phase_table(log.phases());
  for (const Quantity& quantity : results.quantities)
    console.quantity(quantity.name, quantity.value, quantity.unit);
  for (const auto& error : results.errors)
    console.quantity("error." + error.first, error.second, "");
  for (const std::string& note : results.notes)
    console.line("note: " + note);
  console.line("Results lie in " + output.path());

  RunSummary summary;
  summary.directory = output.path();
  summary.iterations = results.solver.iterations;
  summary.residual = results.solver.rhs_norm > 0. ? results.solver.true_residual / results.solver.rhs_norm : 0.;
  if (results.nonlinear) {
    summary.iterations = static_cast<int>(results.nonlinear->linear_iterations);
    summary.nonlinear_history = results.nonlinear->history;
    summary.residual = results.nonlinear->history.back();
  }
  for (const Quantity& quantity : results.quantities)
    summary.quantities[quantity.name] = quantity.value;
  summary.errors = results.errors;
  summary.checksums = results.checksums;
  if (!results.converged()) {
    io::Console::warning(results.solver_message() + " The results are not a solution.");
    summary.exit_code = static_cast<int>(ErrorKind::numerical);
  } else if (!results.expectations_met) {
    io::Console::warning("An expected quantity was missed, see the notes.");
    summary.exit_code = static_cast<int>(ErrorKind::numerical);
  }
  for (const std::string& failure : results.failures) {
    io::Console::warning(failure);
    summary.exit_code = static_cast<int>(results.failure_kind);
  }
  return summary;
}

void make_mesh_file(const io::Case& input, const std::string& path) {
  io::check_output_file(input, path, "-o");
  io::check_writable(path);
  io::Console console(false);
  PhaseLog log;
  log.set_listener(console.listener());
  Results results;
  results.notes = input.notes;
  Context context{input, console, log, results};
  KokkosSession session(input, {input.execution.backend}, context);
  const io::ImportedMesh imported = import_mesh(input, context);
  session.start(imported);
  visit_backend(input.execution.backend, [&](const auto& exec) {
    using ExecutionSpace = std::decay_t<decltype(exec)>;
    const Plan plan = make_plan(input, imported, !is_host_space<ExecutionSpace>);
    require_memory(input, estimate_mesh_file_memory(plan.memory), free_memory(exec), "This mesh");
    const auto write = [&](const auto& mesh) {
      log.run(
          "output: mesh", exec, [&] { io::write_mesh_file(path, download_mesh(exec, mesh)); }, PhaseKind::with_host);
      console.line("Wrote " + path + ": " + io::format_count(mesh.n_nodes()) + " nodes, " +
                   io::format_count(mesh.n_elements()) + " elements.");
    };
    if (imported.dimension == 2)
      write(prepare_mesh<ExecutionSpace, 2>(exec, imported, context));
    else
      write(prepare_mesh<ExecutionSpace, 3>(exec, imported, context));
  });
  for (const std::string& note : results.notes)
    console.line("note: " + note);
  console.phase_table(log.phases());
}

} // namespace tessera::driver
