// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/study/report.hpp"

#include "driver/plan/quantity_list.hpp"
#include "io/input/output_check.hpp"
#include "io/input/resolved.hpp"
#include "io/output/convergence_file.hpp"
#include "io/output/report.hpp"
#include "io/pictures/reports/html_report.hpp"

namespace tessera::driver {

namespace {

/// Whether it is the file of quantities that could not be computed, which failures report.
bool is_missing_table(const std::string& name, const io::ProblemOptions& options, const io::Findings& findings) {
  if (name == quantities_file_name)
    return findings.numbers({"quantities"}).empty();
  const io::Physics physics = options.physics;
  for (const std::string& table :
       {std::string("regions"), std::string("lines"), std::string("surfaces"),
        io::name_of(io::Quantity::capacitance_matrix, physics), io::name_of(io::Quantity::inductance_matrix, physics)})
    if (name == table + ".csv")
      return !findings.has_file(name);
  return false;
}

/// The report without its failures and files; what is read most often comes first.
io::ReportNode report_of(const io::Case& input, const Results& results, const std::string& run_id) {
  static const io::Findings::Order order{
      "versions",       "backend",         "device",     "processes",   "threads",       "mesh",
      "discretization", "assembly",        "coloring",   "phases",      "total_seconds", "memory",
      "adaptation",     "solver",          "time_steps", "interrupted", "quantities",    "",
      "errors",         "error_estimates", "checksums"};
  io::ReportNode report;
  report["title"] = input.title;
  report["run_id"] = run_id;
  report["quantities"].set_map();
  report["errors"].set_map();
  results.findings.add_to(report, order);
  if (!results.notes.empty())
    report["notes"] = results.notes;
  return report;
}

} // namespace

io::ReportNode write_reports(const io::Case& input, Results& results, const io::OutputDirectory& output,
                             const std::vector<std::string>& earlier_files) {
  io::ReportNode report = report_of(input, results, output.run_id());
  const auto add_failures = [&] {
    if (!results.failures.empty())
      report["failures"] = results.failures;
  };
  add_failures();
  if (!output.writes_files())
    return report;
  const io::ReportNode resolved =
      io::resolved_tree(input, output.path()).comment("The whole input, with its defaults, of run " + output.run_id());
  io::write_yaml(output.file("resolved.yaml"), resolved);
  if (input.output.convergence)
    io::write_convergence(output.file(io::convergence_file_name), results.histories);
  if (!input.problem.time.requested()) // in time-dependent problems it has a row for each step, written there
    write_quantities(results.findings, output);
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
    if (name != "report.yaml" && !is_missing_table(name, input.problem, results.findings) &&
        (has_html || name != io::pictures::html_report_name))
      io::describe_file(output.file(name), report["files"][name].flow());
  if (!earlier_files.empty())
    report["earlier_files"] = earlier_files;
  io::write_yaml(output.file("report.yaml"), report);
  return report;
}

void print_results(Results& results, const PhaseLog& log, io::Console& console) {
  results.findings.add_line("phases", "", "", io::phase_rows(log.merged_phases())); // with that of the report
  results.findings.print(
      console, {"mesh", "discretization", "adaptation", "solver", "processes", "phases", "quantities", "", "errors"});
  for (const std::string& note : results.notes)
    console.line("note: " + note);
}

} // namespace tessera::driver
