// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/compare/comparison_tables.hpp"

#include "core/memory.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace tessera::driver {

namespace {

constexpr std::size_t most_columns = 5; // of quantities

std::string scientific(double value) {
  std::ostringstream text;
  text << std::scientific << std::setprecision(1) << value;
  return text.str();
}

std::string outcome_of(const Verdict& verdict) {
  if (verdict.agrees)
    return verdict.is_first ? "first" : "agrees";
  return verdict.run.converged ? "DIFFERS" : "NOT CONVERGED";
}

/// The value of a run with enough digits to show differences; "-" if it has none.
std::string value_of(const Candidate& run, const std::string& quantity) {
  for (const QuantityValue& value : run.quantities)
    if (value.name == quantity) {
      std::ostringstream text;
      text << std::setprecision(10) << value.value;
      return text.str();
    }
  return "-";
}

void print_times(io::Console& console, const Comparison& comparison) {
  std::vector<std::string> headline{"backend", "strategy"};
  for (const char* phase : {"symbolic", "numeric", "solve", "quantities"}) {
    headline.emplace_back(phase);
    headline.emplace_back("peak");
  }
  headline.insert(headline.end(), {"solver", "iterations"});
  std::vector<std::vector<std::string>> rows;
  for (const Verdict& verdict : comparison.verdicts()) {
    const Candidate& run = verdict.run;
    std::vector<std::string> row{run.backend, run.strategy};
    for (const Phase& phase : run.phases) {
      row.push_back(io::format_seconds(phase.seconds));
      row.push_back(format_bytes(static_cast<double>(phase.peak_bytes)));
    }
    row.insert(row.end(),
               {run.method_name() + ", " + io::name_of(run.solver.preconditioner), std::to_string(run.iterations)});
    rows.push_back(row);
  }
  console.table(headline, rows);
}

void print_differences(io::Console& console, const Comparison& comparison) {
  std::vector<std::vector<std::string>> rows;
  for (const Verdict& verdict : comparison.verdicts()) {
    const Candidate& run = verdict.run;
    const Differences& d = verdict.differences;
    rows.push_back({run.backend, run.strategy, d.matrix < 0. ? "-" : scientific(d.matrix), scientific(d.product),
                    scientific(d.rhs), scientific(d.solution),
                    verdict.same_bits ? "same" : (verdict.bits_agree ? "" : "DIFFER"), outcome_of(verdict)});
  }
  console.table({"backend", "strategy", "matrix", "product", "rhs", "solution", "bits", "verdict"}, rows);
}

} // namespace

void print_quantities(io::Console& console, const Comparison& comparison) {
  std::vector<QuantityValue> quantities; // of all runs, as one may lack what could not be computed
  for (const Verdict& verdict : comparison.verdicts())
    for (const QuantityValue& quantity : verdict.run.quantities)
      if (std::none_of(quantities.begin(), quantities.end(),
                       [&](const QuantityValue& other) { return other.name == quantity.name; }))
        quantities.push_back(quantity);
  const std::size_t n_shown = std::min(quantities.size(), most_columns);
  std::vector<std::string> headline{"backend", "strategy"};
  for (std::size_t q = 0; q < n_shown; ++q)
    headline.push_back(quantities[q].unit.empty() ? quantities[q].name : io::column_name(quantities[q]));
  headline.insert(headline.end(), {"time", "iterations", "verdict"});
  std::vector<std::vector<std::string>> rows;
  for (const Verdict& verdict : comparison.verdicts()) {
    const Candidate& run = verdict.run;
    std::vector<std::string> row{run.backend, run.strategy};
    for (std::size_t q = 0; q < n_shown; ++q)
      row.push_back(value_of(run, quantities[q].name));
    double seconds = 0.;
    for (const Phase& phase : run.phases)
      seconds += phase.seconds;
    row.insert(row.end(), {io::format_seconds(seconds), std::to_string(run.iterations), outcome_of(verdict)});
    rows.push_back(row);
  }
  console.table(headline, rows);
  if (n_shown < quantities.size())
    console.line(std::to_string(quantities.size() - n_shown) + " more quantities of each run are in compare.yaml.");
}

void print_worst_pair(io::Console& console, const Comparison& comparison) {
  const Verdict& worst = comparison.worst();
  const Differences& d = worst.differences;
  const auto within = [](double difference, double tolerance) {
    return scientific(difference) + " (" + scientific(tolerance) + ")";
  };
  constexpr double tolerance = Comparison::matrix_tolerance;
  console.line("Worst pair, with tolerances: " + comparison.verdicts().front().run.name() + " and " + worst.run.name() +
               ", differences of matrix " + (d.matrix < 0. ? "-" : within(d.matrix, tolerance)) + ", product " +
               within(d.product, tolerance) + ", right-hand side " + within(d.rhs, tolerance) + ", solution " +
               within(d.solution, comparison.solution_tolerance()) + ", quantities " + scientific(worst.in_quantities) +
               (worst.bits_agree ? "" : ", bits DIFFER") + ": " + outcome_of(worst) + '.');
}

void print_all_runs(io::Console& console, const Comparison& comparison) {
  console.line("Time and memory; peaks do not include mesh, dof map and form.");
  print_times(console, comparison);
  console.line("Differences from " + comparison.verdicts().front().run.name() + ". Tolerances: matrix " +
               scientific(Comparison::matrix_tolerance) + " of the row's absolute sum, product and right-hand side " +
               scientific(Comparison::matrix_tolerance) + " of the largest entry, solution " +
               scientific(comparison.solution_tolerance()) + "; bits: as the strategy's run on an earlier backend.");
  print_differences(console, comparison);
}

io::ReportNode comparison_report(const io::Case& input, const Comparison& comparison, const ProblemSummary& problem) {
  io::ReportNode report;
  report["tolerances"]["matrix"] = Comparison::matrix_tolerance;
  report["tolerances"]["solution"] = comparison.solution_tolerance();
  report["reproducible"] = input.execution.reproducible;
  report["elements"] = problem.n_elements;
  report["unknowns"] = problem.n_unknowns;
  report["compared_with"] = comparison.verdicts().front().run.name();
  report["worst"] = comparison.worst().run.name();
  for (const Verdict& verdict : comparison.verdicts()) {
    const Candidate& run = verdict.run;
    io::ReportNode& node = report["runs"].append();
    node["backend"] = run.backend;
    node["strategy"] = run.strategy;
    node["method"] = run.method_name();
    node["preconditioner"] = io::name_of(run.solver.preconditioner);
    node["iterations"] = run.iterations;
    node["converged"] = run.converged;
    for (const Phase& phase : run.phases)
      node["phases"].append() = io::ReportNode::row(
          {{"name", phase.name}, {"seconds", phase.seconds}, {"where", phase.where}, {"peak_bytes", phase.peak_bytes}});
    const Differences& d = verdict.differences;
    node["differences"] = io::ReportNode::row({{"matrix", d.matrix >= 0. ? io::ReportNode(d.matrix) : io::ReportNode()},
                                               {"product", d.product},
                                               {"rhs", d.rhs},
                                               {"solution", d.solution},
                                               {"quantities", verdict.in_quantities}});
    for (const QuantityValue& quantity : run.quantities)
      node["quantities"][quantity.name] =
          io::ReportNode::row({{"value", quantity.value}, {"unit", io::ReportNode::unless_empty(quantity.unit)}});
    if (verdict.has_twin)
      node["same_bits"] = verdict.same_bits;
    node["agrees"] = verdict.agrees;
  }
  report["agree"] = comparison.all_agree();
  return report;
}

} // namespace tessera::driver
