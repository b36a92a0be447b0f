// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/study/report.hpp"

#include "core/config.hpp"
#include "core/version.hpp"
#include "io/output_check.hpp"
#include "io/report.hpp"
#include "io/resolved.hpp"

namespace tessera::driver {

void write_reports(const io::Case& input, const Results& results, const ThreadChoice& threads, const PhaseLog& log,
                   const io::OutputDirectory& output, const std::vector<std::string>& earlier_files) {
  io::ReportNode report;
  report["title"] = input.title;
  report["run_id"] = output.run_id();
  io::ReportNode& versions = report["versions"];
  versions["tessera"] = std::string(TESSERA_VERSION_STRING);
  versions["commit"] = git_hash();
  versions["kokkos"] = kokkos_version();
  report["backend"] = input.execution.backend;
  report["device"] = results.device;
  if (threads.count > 0) {
    io::ReportNode& entry = report["threads"];
    entry["number"] = threads.count;
    entry["chosen_because"] = threads.reason;
  }

  io::ReportNode& mesh = report["mesh"];
  mesh["dimension"] = results.dimension;
  mesh["nodes"] = results.n_nodes;
  mesh["elements"] = results.n_elements;
  mesh["boundary_facets"] = results.n_facets;
  mesh["regions"] = results.region_names;
  mesh["boundaries"] = results.boundary_names;
  io::ReportNode& discretization = report["discretization"];
  discretization["order"] = input.discretization.order;
  discretization["unknowns"] = results.n_unknowns;
  discretization["fixed_nodes"] = results.n_fixed;

  io::ReportNode& assembly = report["assembly"];
  assembly["strategy"] = io::name_of(results.strategy);
  if (!results.strategy_reason.empty())
    assembly["chosen_because"] = results.strategy_reason;
  if (results.n_matrix_entries > 0)
    assembly["matrix_entries"] = results.n_matrix_entries;
  if (results.coloring.used) {
    io::ReportNode& coloring = report["coloring"];
    coloring["method"] = results.coloring.method;
    coloring["colors"] = results.coloring.n_colors;
    coloring["smallest_class"] = results.coloring.smallest;
    coloring["mean_class"] = results.coloring.mean;
    coloring["largest_class"] = results.coloring.largest;
    coloring["seconds"] = results.coloring.seconds;
  }

  for (const Phase& phase : log.phases()) {
    io::ReportNode& entry = report["phases"].append().flow();
    entry["name"] = phase.name;
    entry["seconds"] = phase.seconds;
    entry["where"] = phase.where;
    entry["peak_bytes"] = phase.peak_bytes;
  }
  report["total_seconds"] = log.total_seconds();
  io::ReportNode& memory = report["memory"];
  memory["estimated_peak_bytes"] = static_cast<std::int64_t>(results.estimated_bytes);
  memory["peak_bytes"] = MemoryLedger::overall_peak_bytes();
  memory["assembly_peak_bytes"] = results.assembly_peak_bytes;
  memory["assembly_bytes_per_element"] = static_cast<double>(results.assembly_peak_bytes) /
                                         static_cast<double>(std::max<std::int64_t>(results.n_elements, 1));

  io::ReportNode& solver = report["solver"];
  solver["method"] = io::name_of(input.solver.method);
  solver["preconditioner"] = io::name_of(input.solver.preconditioner);
  solver["status"] = std::string(solvers::to_string(results.solver.status));
  solver["converged"] = results.converged();
  solver["iterations"] = results.solver.iterations;
  solver["rhs_norm"] = results.solver.rhs_norm;
  solver["initial_residual"] = results.solver.initial_residual;
  solver["residual"] = results.solver.residual;
  solver["true_residual"] = results.solver.true_residual;
  solver["history"] = results.solver.history;

  if (results.nonlinear) {
    const solvers::NewtonResult& newton = *results.nonlinear;
    io::ReportNode& nonlinear = solver["nonlinear"];
    nonlinear["method"] = io::name_of(input.solver.nonlinear.method);
    nonlinear["status"] = std::string(solvers::to_string(newton.status));
    nonlinear["converged"] = results.converged();
    nonlinear["iterations"] = newton.iterations;
    nonlinear["line_search_steps"] = newton.line_search_steps;
    nonlinear["linear_iterations"] = newton.linear_iterations;
    nonlinear["relative_residual"] = newton.history.back();
    nonlinear["history"] = newton.history;
    nonlinear["step_length"] = newton.step_length;
    nonlinear["seconds"] = results.nonlinear_seconds;
    nonlinear["assembly_share"] = results.assembly_share;
  }

  io::ReportNode& quantities = report["quantities"];
  quantities.set_map();
  for (const Quantity& quantity : results.quantities) {
    io::ReportNode& entry = quantities[quantity.name].flow();
    entry["value"] = quantity.value;
    if (!quantity.unit.empty())
      entry["unit"] = quantity.unit;
  }
  io::ReportNode& errors = report["errors"];
  errors.set_map();
  for (const auto& error : results.errors)
    errors[error.first] = error.second;
  for (const auto& checksum : results.checksums)
    report["checksums"][checksum.first] = checksum.second;
  if (!results.failures.empty())
    report["failures"] = results.failures;
  if (!results.notes.empty())
    report["notes"] = results.notes;

  io::write_yaml(
      output.file("resolved.yaml"),
      io::resolved_tree(input, output.path()).comment("The whole input, with its defaults, of run " + output.run_id()));
  for (const std::string& name : io::run_outputs(input))
    if (name != "report.yaml")
      io::describe_file(output.file(name), report["files"][name].flow());
  if (!earlier_files.empty())
    report["earlier_files"] = earlier_files;
  io::write_yaml(output.file("report.yaml"), report);
}

} // namespace tessera::driver
