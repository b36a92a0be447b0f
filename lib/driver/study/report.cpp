// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/study/report.hpp"

#include "core/config.hpp"
#include "core/kokkos_ext/backends.hpp"
#include "core/memory.hpp"
#include "core/version.hpp"
#include "driver/plan/quantity_list.hpp"
#include "io/input/output_check.hpp"
#include "io/input/resolved.hpp"
#include "io/output/convergence_file.hpp"
#include "io/output/report.hpp"
#include "io/pictures/reports/html_report.hpp"
#include "io/signals.hpp"

#include <algorithm>

namespace tessera::driver {

namespace {

/// Whether it is the file of quantities that could not be computed, which failures report.
bool is_missing_table(const std::string& name, const io::Case& input, const Results& results) {
  if (name == quantities_file_name)
    return results.quantities.empty();
  for (const char* table : {"regions", "lines", "surfaces"})
    if (name == table + std::string(".csv"))
      return std::none_of(results.tables.begin(), results.tables.end(),
                          [&](const QuantityTable& known) { return known.name == table; });
  for (const io::Quantity quantity : {io::Quantity::capacitance_matrix, io::Quantity::inductance_matrix})
    if (wants(input, quantity) && name == io::name_of(quantity, input.problem.physics) + ".csv")
      return results.matrices.empty();
  return false;
}

} // namespace

void write_reports(const io::Case& input, const Plan& plan, Results& results, const ThreadChoice& threads,
                   const PhaseLog& log, const io::OutputDirectory& output,
                   const std::vector<std::string>& earlier_files) {
  io::ReportNode report;
  report["title"] = input.title;
  report["run_id"] = output.run_id();
  report["quantities"].set_map(); // the most frequently read entries come first
  report["errors"].set_map();
  io::ReportNode& versions = report["versions"];
  versions["tessera"] = std::string(TESSERA_VERSION_STRING);
  versions["commit"] = git_hash();
  versions["kokkos"] = kokkos_version();
  report["backend"] = input.execution.backend;
  report["device"] = results.device;
  if (results.processes.number > 1) {
    io::ReportNode& processes = report["processes"];
    processes["number"] = results.processes.number;
    processes["messages"] = results.processes.transport;
    processes["smallest_part"] = static_cast<std::int64_t>(results.processes.smallest_part);
    processes["largest_part"] = static_cast<std::int64_t>(results.processes.largest_part);
    processes["largest_halo"] = static_cast<std::int64_t>(results.processes.largest_halo);
  }
  if (threads.count > 0) {
    io::ReportNode& entry = report["threads"];
    entry["number"] = threads.count;
    entry["chosen_because"] = threads.reason;
  }

  io::ReportNode& mesh = report["mesh"];
  mesh["dimension"] = results.problem.dimension;
  mesh["nodes"] = results.problem.n_nodes;
  mesh["elements"] = results.problem.n_elements;
  mesh["boundary_facets"] = results.problem.n_facets;
  mesh["regions"] = results.problem.region_names;
  mesh["boundaries"] = results.problem.boundary_names;
  io::ReportNode& discretization = report["discretization"];
  discretization["method"] = io::name_of(input.discretization.method);
  if (results.problem.smallest_order == results.problem.largest_order) {
    discretization["order"] = results.problem.largest_order;
  } else {
    io::ReportNode& order = discretization["order"].flow();
    order["smallest"] = results.problem.smallest_order;
    order["largest"] = results.problem.largest_order;
  }
  if (results.problem.largest_local_steps > 1)
    discretization["largest_local_steps"] = results.problem.largest_local_steps;
  discretization["unknowns"] = results.problem.n_unknowns;
  discretization["fixed_nodes"] = results.problem.n_fixed;

  io::ReportNode& assembly = report["assembly"];
  const bool is_dg = input.discretization.method == io::Method::dg;
  assembly["strategy"] =
      is_dg ? io::name_of(assembly::dg::resolved(input.assembly.dg_strategy)) : io::name_of(plan.strategy);
  if (!plan.reason.empty())
    assembly["chosen_because"] = plan.reason;
  if (results.solve.n_matrix_entries > 0)
    assembly["matrix_entries"] = results.solve.n_matrix_entries;
  if (results.solve.coloring.used) {
    io::ReportNode& coloring = report["coloring"];
    coloring["method"] = results.solve.coloring.method;
    coloring["colors"] = results.solve.coloring.n_colors;
    coloring["smallest_class"] = results.solve.coloring.smallest;
    coloring["mean_class"] = results.solve.coloring.mean;
    coloring["largest_class"] = results.solve.coloring.largest;
    coloring["seconds"] = results.solve.coloring.seconds;
  }

  const std::vector<Phase> phases = log.merged_phases();
  for (std::size_t k = 0; k < phases.size(); ++k) {
    io::ReportNode& entry = report["phases"].append().flow();
    entry["name"] = phases[k].name;
    entry["seconds"] = phases[k].seconds;
    entry["where"] = phases[k].where;
    entry["peak_bytes"] = phases[k].peak_bytes;
    if (k < results.processes.times.size()) { // later phases belong to this process only
      const ProcessTimes& times = results.processes.times[k];
      entry["slowest"] = times.slowest;
      entry["mean"] = times.mean;
      entry["largest_peak_bytes"] = static_cast<std::int64_t>(times.largest_peak_bytes);
    }
  }
  report["total_seconds"] = log.total_seconds();
  io::ReportNode& memory = report["memory"];
  memory["estimated_peak_bytes"] = static_cast<std::int64_t>(plan.estimated_bytes);
  memory["peak_bytes"] = MemoryLedger::overall_peak_bytes();
  memory["assembly_peak_bytes"] = results.solve.assembly_peak_bytes;
  memory["assembly_bytes_per_element"] = static_cast<double>(results.solve.assembly_peak_bytes) /
                                         static_cast<double>(std::max<std::int64_t>(results.problem.n_elements, 1));

  for (const AdaptiveRound& round : results.rounds) {
    io::ReportNode& entry = report["adaptation"].append();
    entry["elements"] = round.n_elements;
    entry["unknowns"] = round.n_unknowns;
    entry["estimated_error"] = round.estimated_error;
    entry["iterations"] = round.iterations;
    io::ReportNode& seconds = entry["seconds"].set_map().flow();
    for (const auto& phase : round.seconds)
      seconds[phase.first] = phase.second;
    for (const SetupCost& cost : round.setups) {
      io::ReportNode& setup = entry["setup"][cost.strategy].flow();
      setup["symbolic"] = cost.symbolic;
      setup["numeric"] = cost.numeric;
      setup["peak_bytes"] = cost.peak_bytes;
    }
  }

  const SolverOutcome& outcome = results.solve.solver;
  io::ReportNode& solver = report["solver"];
  solver["method"] = io::name_of(input.solver.method);
  const bool fell_back = !outcome.fallback.empty();
  if (input.solver.method == io::SolverMethod::petsc)
    solver["petsc"] = input.solver.petsc;
  else
    solver["preconditioner"] =
        io::name_of(is_dg ? (fell_back ? io::Preconditioner::block_jacobi : input.solver.preconditioner)
                          : (fell_back ? io::Preconditioner::jacobi : plan.solver.preconditioner));
  if (!plan.preconditioner_reason.empty())
    solver["preconditioner_chosen_because"] = fell_back ? outcome.fallback : plan.preconditioner_reason;
  solver["status"] = std::string(solvers::to_string(outcome.linear.status));
  solver["converged"] = outcome.converged();
  solver["iterations"] = outcome.linear.iterations;
  solver["rhs_norm"] = outcome.linear.rhs_norm;
  solver["initial_residual"] = outcome.linear.initial_residual;
  solver["residual"] = outcome.linear.residual;
  solver["true_residual"] = outcome.linear.true_residual;
  if (input.output.convergence)
    solver["history"] = io::convergence_file_name;
  if (!outcome.levels.empty()) {
    io::ReportNode& multigrid = solver["multigrid"];
    multigrid["operator_complexity"] = solvers::operator_complexity(outcome.levels);
    if (outcome.linear.iterations > 0)
      multigrid["convergence_factor"] = outcome.linear.mean_factor();
    for (const solvers::LevelSummary& level : outcome.levels) {
      io::ReportNode& entry = multigrid["levels"].append().flow();
      entry["unknowns"] = level.n_unknowns;
      if (level.has_matrix)
        entry["entries"] = level.n_entries;
      else
        entry["matrix"] = std::string("none");
      entry["bytes"] = level.n_bytes;
      if (&level != &outcome.levels.back())
        entry["coarsening"] = std::string(level.is_geometric ? "geometric" : "algebraic");
    }
  }

  if (outcome.nonlinear) {
    const solvers::NewtonResult& newton = *outcome.nonlinear;
    io::ReportNode& nonlinear = solver["nonlinear"];
    nonlinear["method"] = io::name_of(input.solver.nonlinear.method);
    nonlinear["status"] = std::string(solvers::to_string(newton.status));
    nonlinear["converged"] = outcome.converged();
    nonlinear["iterations"] = newton.iterations;
    nonlinear["line_search_steps"] = newton.line_search_steps;
    nonlinear["linear_iterations"] = newton.linear_iterations;
    nonlinear["relative_residual"] = newton.history.back();
    if (newton.rounding > 0.)
      nonlinear["rounding"] = newton.rounding;
    nonlinear["step_length"] = newton.step_length;
    nonlinear["seconds"] = results.solve.nonlinear_seconds;
    nonlinear["assembly_share"] = results.solve.assembly_share;
  }

  for (const StepSummary& step : results.steps) {
    io::ReportNode& entry = report["time_steps"].append().flow();
    entry["from"] = step.from;
    entry["to"] = step.to;
    entry["iterations"] = step.iterations;
    entry["relative_residual"] = step.relative_residual;
    entry["assembled"] = step.assembled;
  }

  if (results.ended_by_signal != 0) {
    io::ReportNode& entry = report["interrupted"].flow();
    entry["signal"] = io::signal_name(results.ended_by_signal);
    entry["after_step"] = static_cast<std::int64_t>(results.steps.size());
    entry["of"] = input.problem.time.steps;
  }

  io::ReportNode& quantities = report["quantities"];
  for (const QuantityValue& quantity : results.quantities) {
    io::ReportNode& entry = quantities[quantity.name].flow();
    entry["value"] = quantity.value;
    if (!quantity.unit.empty())
      entry["unit"] = quantity.unit;
    if (!quantity.at.empty())
      entry["at"] = quantity.at;
    if (!quantity.from.empty()) {
      entry["from"] = quantity.from;
      entry["to"] = quantity.towards;
    }
  }
  for (const QuantityMatrix& matrix : results.matrices) {
    io::ReportNode& node = report[matrix.name];
    node["unit"] = matrix.unit;
    node[matrix.of] = matrix.members;
    if (!matrix.ground.empty())
      node["ground"] = matrix.ground;
    for (const std::vector<double>& row : matrix.values)
      node[matrix.form].append() = row;
    for (const std::vector<double>& row : matrix.second)
      node[matrix.second_form].append() = row;
    node["asymmetry"] = matrix.asymmetry;
    node["iterations"] = matrix.iterations;
    node["solved_together"] = matrix.together;
    node["solver_seconds"] = matrix.seconds;
  }
  io::ReportNode& errors = report["errors"];
  for (const auto& error : results.errors)
    errors[error.first] = error.second;
  for (const auto& checksum : results.solve.checksums)
    report["checksums"][checksum.first] = checksum.second;
  if (!results.notes.empty())
    report["notes"] = results.notes;

  const auto add_failures = [&] {
    if (!results.failures.empty())
      report["failures"] = results.failures;
  };
  add_failures();
  const io::ReportNode resolved =
      io::resolved_tree(input, output.path()).comment("The whole input, with its defaults, of run " + output.run_id());
  io::write_yaml(output.file("resolved.yaml"), resolved);
  if (input.output.convergence)
    io::write_convergence(output.file(io::convergence_file_name), results.histories);
  if (!input.problem.time.asked()) // in time-dependent problems it has a row for each step, written there
    write_quantities(results.quantities, output);
  bool has_html = false;
  if (input.output.report) {
    keep_failure(comm::alone(), results, [&] { // by the process that writes
      io::pictures::write_html_report(
          io::pictures::results_of(output.path(), io::to_yaml(report), io::to_yaml(resolved)));
      has_html = true;
    });
    add_failures();
  }
  for (const std::string& name : io::run_outputs(input))
    if (name != "report.yaml" && !is_missing_table(name, input, results) &&
        (has_html || name != io::pictures::html_report_name))
      io::describe_file(output.file(name), report["files"][name].flow());
  if (!earlier_files.empty())
    report["earlier_files"] = earlier_files;
  io::write_yaml(output.file("report.yaml"), report);
}

} // namespace tessera::driver
