// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/compare.hpp"

#include "driver/dispatch.hpp"
#include "driver/driver.hpp"
#include "driver/import.hpp"
#include "driver/loose_parts.hpp"
#include "driver/reproducible.hpp"
#include "driver/session.hpp"
#include "io/atomic_file.hpp"
#include "io/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iomanip>
#include <sstream>

namespace tessera::driver {

namespace {

// Sums of the same terms in another order differ by at most (terms - 1) eps of the terms' absolute sum; rows have far
// fewer than a thousand terms.
constexpr double matrix_tolerance = 1e-12;
// Two iterative solutions are as close as their residuals make them; held against the largest value of the solution.
constexpr double solution_factor = 1e3;

std::string scientific(double value) {
  std::ostringstream text;
  text << std::scientific << std::setprecision(1) << value;
  return text.str();
}

double largest(const std::vector<double>& values) {
  double result = 0.;
  for (const double value : values)
    result = std::max(result, std::fabs(value));
  return result;
}

/// Largest difference, relative to the largest value; infinity when the sizes differ or a value is not a number.
double difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size())
    return INFINITY;
  double result = 0.;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::fabs(a[i] - b[i]);
    result = d <= result ? result : (std::isnan(d) ? INFINITY : d);
  }
  const double scale = std::max(largest(a), largest(b));
  return scale > 0. ? result / scale : result;
}

/// Largest difference of entries, relative to the absolute sum of their row; -1 when one of them has no matrix.
double matrix_difference(const Candidate& a, const Candidate& b) {
  if (a.values.empty() || b.values.empty())
    return -1.;
  if (a.offsets != b.offsets || a.columns != b.columns)
    return INFINITY;
  double result = 0.;
  for (std::size_t row = 0; row + 1 < a.offsets.size(); ++row) {
    double sum = 0.;
    double worst = 0.;
    for (offset_t i = a.offsets[row]; i < a.offsets[row + 1]; ++i) {
      sum += std::fabs(a.values[i]);
      const double d = std::fabs(a.values[i] - b.values[i]);
      worst = d <= worst ? worst : (std::isnan(d) ? INFINITY : d);
    }
    result = std::max(result, sum > 0. ? worst / sum : worst);
  }
  return result;
}

template <class T> bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Whether two runs agree bit for bit, from the matrix to the quantities.
bool same_bits(const Candidate& a, const Candidate& b) {
  return a.iterations == b.iterations && same_bits(a.offsets, b.offsets) && same_bits(a.columns, b.columns) &&
         same_bits(a.values, b.values) && same_bits(a.rhs, b.rhs) && same_bits(a.product, b.product) &&
         same_bits(a.solution, b.solution) && same_bits(a.quantities, b.quantities);
}

/// The strategies to compare; of reproducible cases without a list, those that allow it.
std::vector<assembly::Strategy> strategies_of(const io::Case& input, const std::vector<std::string>& names) {
  const bool all = names.empty() || std::find(names.begin(), names.end(), "all") != names.end();
  std::vector<assembly::Strategy> strategies;
  for (const auto& entry : io::enum_names<io::Strategy>()) {
    if (entry.value == assembly::Strategy::automatic)
      continue;
    const bool asked = std::find(names.begin(), names.end(), entry.name) != names.end();
    if (!asked && !(all && (!input.execution.reproducible || assembly::is_deterministic(entry.value))))
      continue;
    check_reproducible(input, entry.value);
    strategies.push_back(entry.value);
  }
  return strategies;
}

} // namespace

int compare(const io::Case& input, const CompareOptions& options) {
  io::Console console(options.quiet);
  const std::vector<std::string> backends = options.backends.empty() ? backend_names() : options.backends;
  const std::vector<assembly::Strategy> strategies = strategies_of(input, options.strategies);
  const std::string& directory = input.output.directory;
  io::prepare_directory(directory);

  PhaseLog log;
  log.set_listener(console.listener());
  Results results;
  Context context{input, console, log, results};
  KokkosSession session(input, backends, context);
  const io::ImportedMesh imported = import_mesh(input, context);
  check_parts(imported, context);
  session.start(imported);
  std::vector<Candidate> candidates;
  for (const std::string& backend : backends)
    visit_backend(backend, [&](const auto& exec) {
      using ExecutionSpace = std::decay_t<decltype(exec)>;
      const int order = input.discretization.order;
      std::vector<Candidate> found;
      if (imported.dimension == 2)
        found = order == 1 ? run_strategies<ExecutionSpace, 2, 1>(exec, imported, strategies, context)
                           : run_strategies<ExecutionSpace, 2, 2>(exec, imported, strategies, context);
      else
        found = order == 1 ? run_strategies<ExecutionSpace, 3, 1>(exec, imported, strategies, context)
                           : run_strategies<ExecutionSpace, 3, 2>(exec, imported, strategies, context);
      std::move(found.begin(), found.end(), std::back_inserter(candidates));
    });

  bool is_linear = true;
  for (const io::Material& material : input.problem.materials)
    is_linear = is_linear && material.bh_curve.empty();
  const double solution_tolerance =
      std::max(1e-12, solution_factor *
                          (is_linear ? input.solver.relative_tolerance : input.solver.nonlinear.relative_tolerance));
  console.line("Compared on " + io::format_count(results.n_elements) + " elements, " +
               io::format_count(results.n_unknowns) + " unknowns. Tolerances: matrix " + scientific(matrix_tolerance) +
               " of the row's absolute sum, product and right-hand side " + scientific(matrix_tolerance) +
               " of the largest entry, solution " + scientific(solution_tolerance) + ".");
  console.line("Peaks of memory are beside mesh, dof map and form.");
  std::vector<std::string> headline{"backend", "strategy"};
  for (const char* phase : {"symbolic", "numeric", "solve", "quantities"}) {
    headline.emplace_back(phase);
    headline.emplace_back("peak");
  }
  headline.insert(headline.end(), {"iterations", ""});
  std::vector<std::vector<std::string>> rows;
  for (const Candidate& c : candidates) {
    std::vector<std::string> row{c.backend, io::name_of(c.strategy)};
    for (const Phase& phase : c.phases) {
      row.push_back(io::format_seconds(phase.seconds));
      row.push_back(format_bytes(static_cast<double>(phase.peak_bytes)));
    }
    row.insert(row.end(), {std::to_string(c.iterations), c.converged ? "" : "not converged"});
    rows.push_back(row);
  }
  console.table(headline, rows);

  io::ReportNode report;
  report["tolerances"]["matrix"] = matrix_tolerance;
  report["tolerances"]["solution"] = solution_tolerance;
  report["reproducible"] = input.execution.reproducible;
  report["elements"] = results.n_elements;
  report["unknowns"] = results.n_unknowns;
  for (const Candidate& c : candidates) {
    io::ReportNode& node = report["runs"].append();
    node["backend"] = c.backend;
    node["strategy"] = io::name_of(c.strategy);
    node["iterations"] = c.iterations;
    node["converged"] = c.converged;
    for (const Phase& phase : c.phases) {
      io::ReportNode& entry = node["phases"].append().flow();
      entry["name"] = phase.name;
      entry["seconds"] = phase.seconds;
      entry["where"] = phase.where;
      entry["peak_bytes"] = phase.peak_bytes;
    }
  }
  rows.clear();
  bool all_agree = true;
  for (const Candidate& c : candidates)
    all_agree = all_agree && c.converged;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    for (std::size_t j = i + 1; j < candidates.size(); ++j) {
      const Candidate& a = candidates[i];
      const Candidate& b = candidates[j];
      const double matrix = matrix_difference(a, b);
      const double product = difference(a.product, b.product);
      const double rhs = difference(a.rhs, b.rhs);
      const double solution = difference(a.solution, b.solution);
      const bool same = same_bits(a, b);
      const bool bits_matter = a.strategy == b.strategy && input.execution.reproducible;
      const bool agree = (same || !bits_matter) && matrix <= matrix_tolerance && product <= matrix_tolerance &&
                         rhs <= matrix_tolerance && solution <= solution_tolerance;
      all_agree = all_agree && agree;
      const std::string first = a.backend + " " + io::name_of(a.strategy);
      const std::string second = b.backend + " " + io::name_of(b.strategy);
      rows.push_back({first, second, matrix < 0. ? "-" : scientific(matrix), scientific(product), scientific(rhs),
                      scientific(solution), same ? "same" : (bits_matter ? "DIFFER" : ""), agree ? "agree" : "DIFFER"});
      io::ReportNode& node = report["pairs"].append().flow();
      node["first"] = first;
      node["second"] = second;
      if (matrix >= 0.)
        node["matrix"] = matrix;
      node["product"] = product;
      node["rhs"] = rhs;
      node["solution"] = solution;
      node["same_bits"] = same;
      node["agree"] = agree;
    }
  console.table({"first", "second", "matrix", "product", "rhs", "solution", "bits", "verdict"}, rows);
  report["agree"] = all_agree;
  io::write_yaml(directory + "/compare.yaml", report);
  console.line(all_agree ? "All agree." : "Some DIFFER or did not converge.");
  console.line("The comparison lies in " + directory + "/compare.yaml");
  return all_agree ? 0 : static_cast<int>(ErrorKind::numerical);
}

} // namespace tessera::driver
