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

void add_processes(const ProcessSummary& processes, io::ReportNode& report) {
  if (processes.number == 1)
    return;
  io::ReportNode& entry = report["processes"];
  entry["number"] = processes.number;
  entry["messages"] = processes.transport;
  entry["smallest_part"] = static_cast<std::int64_t>(processes.smallest_part);
  entry["largest_part"] = static_cast<std::int64_t>(processes.largest_part);
  entry["largest_halo"] = static_cast<std::int64_t>(processes.largest_halo);
}

void add_problem(const io::Case& input, const ProblemSummary& problem, io::ReportNode& report) {
  io::ReportNode& mesh = report["mesh"];
  mesh["dimension"] = problem.dimension;
  mesh["nodes"] = problem.n_nodes;
  mesh["elements"] = problem.n_elements;
  mesh["boundary_facets"] = problem.n_facets;
  mesh["regions"] = problem.region_names;
  mesh["boundaries"] = problem.boundary_names;
  io::ReportNode& discretization = report["discretization"];
  discretization["method"] = io::name_of(input.discretization.method);
  if (problem.smallest_order == problem.largest_order) {
    discretization["order"] = problem.largest_order;
  } else {
    io::ReportNode& order = discretization["order"].flow();
    order["smallest"] = problem.smallest_order;
    order["largest"] = problem.largest_order;
  }
  if (problem.largest_local_steps > 1)
    discretization["largest_local_steps"] = problem.largest_local_steps;
  discretization["unknowns"] = problem.n_unknowns;
  discretization["fixed_nodes"] = problem.n_fixed;
}

void add_assembly(const io::Case& input, const Plan& plan, const SolveReport& solve, io::ReportNode& report) {
  io::ReportNode& assembly = report["assembly"];
  assembly["strategy"] = input.discretization.method == io::Method::dg
                             ? io::name_of(assembly::dg::resolved(input.assembly.dg_strategy))
                             : io::name_of(plan.strategy);
  if (!plan.reason.empty())
    assembly["chosen_because"] = plan.reason;
  if (solve.n_matrix_entries > 0)
    assembly["matrix_entries"] = solve.n_matrix_entries;
  if (!solve.coloring.used)
    return;
  io::ReportNode& coloring = report["coloring"];
  coloring["method"] = solve.coloring.method;
  coloring["colors"] = solve.coloring.n_colors;
  coloring["smallest_class"] = solve.coloring.smallest;
  coloring["mean_class"] = solve.coloring.mean;
  coloring["largest_class"] = solve.coloring.largest;
  coloring["seconds"] = solve.coloring.seconds;
}

/// `of_processes`: of the first phases; later ones belong to this process only.
void add_phases(const PhaseLog& log, const ProcessSummary& processes, io::ReportNode& report) {
  const std::vector<Phase> phases = log.merged_phases();
  for (std::size_t k = 0; k < phases.size(); ++k) {
    io::ReportNode& entry = report["phases"].append().flow();
    entry["name"] = phases[k].name;
    entry["seconds"] = phases[k].seconds;
    entry["where"] = phases[k].where;
    entry["peak_bytes"] = phases[k].peak_bytes;
    if (processes.number > 1 && k < processes.times.size()) {
      entry["slowest"] = processes.times[k].slowest;
      entry["mean"] = processes.times[k].mean;
      entry["largest_peak_bytes"] = static_cast<std::int64_t>(processes.times[k].largest_peak_bytes);
    }
  }
  report["total_seconds"] = log.total_seconds();
}

void add_memory(const Plan& plan, const Results& results, io::ReportNode& report) {
  io::ReportNode& memory = report["memory"];
  memory["estimated_peak_bytes"] = static_cast<std::int64_t>(plan.estimated_bytes);
  memory["peak_bytes"] = MemoryLedger::overall_peak_bytes();
  memory["assembly_peak_bytes"] = results.solve.assembly_peak_bytes;
  memory["assembly_bytes_per_element"] = static_cast<double>(results.solve.assembly_peak_bytes) /
                                         static_cast<double>(std::max<std::int64_t>(results.problem.n_elements, 1));
}

void add_rounds(const std::vector<AdaptiveRound>& rounds, io::ReportNode& report) {
  for (const AdaptiveRound& round : rounds) {
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
}

/// The preconditioner that was used: where the chosen one failed, that which replaced it.
std::string preconditioner_name(const io::Case& input, const Plan& plan, const SolverOutcome& outcome) {
  const bool fell_back = !outcome.fallback.empty();
  if (input.discretization.method == io::Method::dg)
    return io::name_of(fell_back ? io::Preconditioner::block_jacobi : input.solver.preconditioner);
  return io::name_of(fell_back ? io::Preconditioner::jacobi : plan.solver.preconditioner);
}

void add_levels(const SolverOutcome& outcome, io::ReportNode& solver) {
  if (outcome.levels.empty())
    return;
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

void add_newton(const io::Case& input, const SolveReport& solve, io::ReportNode& solver) {
  if (!solve.solver.nonlinear)
    return;
  const solvers::NewtonResult& newton = *solve.solver.nonlinear;
  io::ReportNode& nonlinear = solver["nonlinear"];
  nonlinear["method"] = io::name_of(input.solver.nonlinear.method);
  nonlinear["status"] = std::string(solvers::to_string(newton.status));
  nonlinear["converged"] = solve.solver.converged();
  nonlinear["iterations"] = newton.iterations;
  nonlinear["line_search_steps"] = newton.line_search_steps;
  nonlinear["linear_iterations"] = newton.linear_iterations;
  nonlinear["relative_residual"] = newton.history.back();
  if (newton.rounding > 0.)
    nonlinear["rounding"] = newton.rounding;
  nonlinear["step_length"] = newton.step_length;
  nonlinear["seconds"] = solve.nonlinear_seconds;
  nonlinear["assembly_share"] = solve.assembly_share;
}

void add_solver(const io::Case& input, const Plan& plan, const SolveReport& solve, io::ReportNode& report) {
  const SolverOutcome& outcome = solve.solver;
  io::ReportNode& solver = report["solver"];
  solver["method"] = io::name_of(input.solver.method);
  if (input.solver.method == io::SolverMethod::petsc)
    solver["petsc"] = input.solver.petsc;
  else
    solver["preconditioner"] = preconditioner_name(input, plan, outcome);
  if (!plan.preconditioner_reason.empty())
    solver["preconditioner_chosen_because"] = outcome.fallback.empty() ? plan.preconditioner_reason : outcome.fallback;
  solver["status"] = std::string(solvers::to_string(outcome.linear.status));
  solver["converged"] = outcome.converged();
  solver["iterations"] = outcome.linear.iterations;
  solver["rhs_norm"] = outcome.linear.rhs_norm;
  solver["initial_residual"] = outcome.linear.initial_residual;
  solver["residual"] = outcome.linear.residual;
  solver["true_residual"] = outcome.linear.true_residual;
  if (input.output.convergence)
    solver["history"] = io::convergence_file_name;
  add_levels(outcome, solver);
  add_newton(input, solve, solver);
}

void add_steps(const io::Case& input, const Results& results, io::ReportNode& report) {
  for (const StepSummary& step : results.steps) {
    io::ReportNode& entry = report["time_steps"].append().flow();
    entry["from"] = step.from;
    entry["to"] = step.to;
    entry["iterations"] = step.iterations;
    entry["relative_residual"] = step.relative_residual;
    entry["assembled"] = step.assembled;
  }
  if (results.ended_by_signal == 0)
    return;
  io::ReportNode& entry = report["interrupted"].flow();
  entry["signal"] = io::signal_name(results.ended_by_signal);
  entry["after_step"] = static_cast<std::int64_t>(results.steps.size());
  entry["of"] = input.problem.time.steps;
}

void add_quantities(const std::vector<QuantityValue>& list, io::ReportNode& quantities) {
  for (const QuantityValue& quantity : list) {
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
}

void add_matrices(const std::vector<QuantityMatrix>& matrices, io::ReportNode& report) {
  for (const QuantityMatrix& matrix : matrices) {
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
}

/// The report without its files. Entries keep the order in which they are first named.
io::ReportNode report_of(const io::Case& input, const Plan& plan, const Results& results, const ThreadChoice& threads,
                         const PhaseLog& log, const std::string& run_id) {
  io::ReportNode report;
  report["title"] = input.title;
  report["run_id"] = run_id;
  report["quantities"].set_map(); // the most frequently read entries come first
  report["errors"].set_map();
  io::ReportNode& versions = report["versions"];
  versions["tessera"] = std::string(TESSERA_VERSION_STRING);
  versions["commit"] = git_hash();
  versions["kokkos"] = kokkos_version();
  report["backend"] = input.execution.backend;
  report["device"] = results.device;
  add_processes(results.processes, report);
  if (threads.count > 0) {
    io::ReportNode& entry = report["threads"];
    entry["number"] = threads.count;
    entry["chosen_because"] = threads.reason;
  }
  add_problem(input, results.problem, report);
  add_assembly(input, plan, results.solve, report);
  add_phases(log, results.processes, report);
  add_memory(plan, results, report);
  add_rounds(results.rounds, report);
  add_solver(input, plan, results.solve, report);
  add_steps(input, results, report);
  add_quantities(results.quantities, report["quantities"]);
  add_matrices(results.matrices, report);
  for (const auto& error : results.errors)
    report["errors"][error.first] = error.second;
  for (const auto& checksum : results.solve.checksums)
    report["checksums"][checksum.first] = checksum.second;
  if (!results.notes.empty())
    report["notes"] = results.notes;
  return report;
}

} // namespace

void write_reports(const io::Case& input, const Plan& plan, Results& results, const ThreadChoice& threads,
                   const PhaseLog& log, const io::OutputDirectory& output,
                   const std::vector<std::string>& earlier_files) {
  io::ReportNode report = report_of(input, plan, results, threads, log, output.run_id());
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
