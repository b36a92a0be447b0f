// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/study/error_estimates.hpp"

#include "io/output/console.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <utility>

namespace tessera::driver {

namespace {

using io::ErrorEstimates;

/// `automatic` estimates the errors of runs whose finer solution has at most so many unknowns: about two seconds.
constexpr std::int64_t most_automatic_unknowns = 100000;

/// Error over the difference of the two solutions. With errors that fall by 2^p in a refinement it is 2^p / (2^p - 1):
/// 4/3 where the solution is smooth (p = 2), and 2 where it is singular as at the tip of a crack (p = 1).
constexpr double error_by_difference = 2.;

/// The same for implicit Euler in time, whose error (p = 1) falls to half of it only in the limit of small steps.
constexpr double error_by_difference_of_euler = 2.5;

/// Relative errors of flows and of other quantities that the solver leaves are below this times its tolerance.
constexpr double error_by_tolerance = 10.;

/// The adaptive run for the estimate aims at this fraction of the error. Above `most_of_error`, the difference of both
/// says little about the error.
constexpr double fraction_of_error = 0.5;
constexpr double most_of_error = 0.75;

/// Factor of the tolerance of steps of time by which methods of order 2 make them about half as long.
constexpr double tolerance_of_half_steps = 1. / 8.;

/// Halves the steps of time.
void halve_steps(io::Case& input) {
  io::TimeOptions& time = input.problem.time;
  if (!time.requested())
    return;
  if (time.is_controlled())
    time.tolerance *= tolerance_of_half_steps;
  time.steps *= 2;
  std::vector<double> halves;
  for (const double size : time.sizes)
    halves.insert(halves.end(), 2, 0.5 * size);
  time.sizes = halves;
  input.output.every *= 2;
}

/// The same case with a smaller error, for numbers alone.
io::Case finer_case(const io::Case& input, const Results& results) {
  io::Case finer = input;
  finer.output.errors = ErrorEstimates::off;
  finer.output.fields.clear();
  finer.output.matrix.clear();
  finer.output.report = false;
  finer.verification = {};
  halve_steps(finer);
  io::Adaptation& adapt = finer.mesh.adapt;
  if (!adapt.requested()) {
    ++finer.mesh.refine;
    io::AgglomerationInput& joined = finer.mesh.agglomerate; // as many simplices in each element as before
    if (!joined.from.empty()) {
      joined.from.clear();
      joined.elements = static_cast<int>(results.problem.n_elements);
    }
    joined.elements = static_cast<int>(
        std::min<std::int64_t>(std::int64_t(joined.elements) * (results.problem.dimension == 2 ? 4 : 8), 2000000000));
    joined.mean_size *= 0.5;
    return finer;
  }
  adapt.target_error = fraction_of_error * results.rounds.back().estimated_error;
  adapt.max_elements = static_cast<int>(std::min<std::int64_t>(8 * results.problem.n_elements, 2000000000));
  adapt.max_rounds = static_cast<int>(results.rounds.size()) + 10;
  adapt.compare_setup = false;
  return finer;
}

/// The second value of a force or torque, integrated over the next layer of elements: "force_wide.rotor.x" of
/// "force.rotor.x" and the reverse; empty for other quantities.
std::string second_value_of(const std::string& name) {
  for (const std::string head : {"force", "torque"}) {
    const std::string wide = head + "_wide";
    if (name.rfind(wide, 0) == 0)
      return head + name.substr(wide.size());
    if (name.rfind(head, 0) == 0)
      return wide + name.substr(head.size());
  }
  return "";
}

/// Quantities that one solution has with about the same absolute error of the solver: components of a force, flows
/// through boundaries, at one frequency.
std::string family_of(const io::Case& input, const std::string& name) {
  std::string family = name.substr(0, name.find('.'));
  for (const double frequency : input.problem.frequencies) {
    const std::string end = io::frequency_suffix(input.problem, frequency);
    if (name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0)
      family += end;
  }
  return family;
}

using Values = std::map<std::string, double>;

/// Without the fluxes of discontinuous elements in time: they are means over a step, which differ between steps of
/// different length even without an error.
Values finite_values(const io::Case& input, const Results& results) {
  const bool are_means = input.problem.time.requested() && input.discretization.method == io::Method::dg;
  Values values;
  for (const QuantityValue& number : results.findings.numbers({"quantities", ""}))
    if (std::isfinite(number.value) && !(are_means && number.name.find("flux") != std::string::npos))
      values.emplace(number.name, number.value);
  return values;
}

/// `factor`: of the differences.
std::map<std::string, io::Estimate> estimates_of(const io::Case& input, const Values& values, const Values& finer,
                                                 double factor, double tolerance) {
  Values largest; // magnitudes, by family
  for (const auto& [name, value] : values) {
    double& of_family = largest[family_of(input, name)];
    of_family = std::max(of_family, std::fabs(value));
  }
  const auto difference = [](const std::string& name, const Values& of, const std::string& other) {
    const auto one = of.find(name);
    const auto two = of.find(other);
    return one == of.end() || two == of.end() ? 0. : std::fabs(one->second - two->second);
  };
  std::map<std::string, io::Estimate> estimates;
  for (const auto& [name, value] : values) {
    const auto refined = finer.find(name);
    if (refined == finer.end())
      continue;
    double error = factor * std::fabs(value - refined->second);
    // Both values of a force would be the same if the solution were exact.
    if (const std::string second = second_value_of(name); !second.empty())
      error += std::max(difference(name, values, second), difference(name, finer, second));
    estimates[name] = {error + error_by_tolerance * tolerance * largest[family_of(input, name)], refined->second};
  }
  return estimates;
}

/// Adds the largest difference over the points of each column of the probes. `factor` and `tolerance` as above.
void add_probe_estimates(const std::vector<ProbeColumn>& probes, const std::vector<ProbeColumn>& finer, double factor,
                         double tolerance, io::Findings& findings) {
  for (std::size_t k = 0; k < std::min(probes.size(), finer.size()); ++k) {
    const ProbeColumn& column = probes[k];
    double difference = 0.;
    double largest = 0.;
    for (std::size_t i = 0; i < column.values.size(); ++i) {
      const double change = std::fabs(column.values[i] - finer[k].values[i]);
      if (std::isfinite(change)) { // otherwise outside of the mesh
        difference = std::max(difference, change);
        largest = std::max(largest, std::fabs(column.values[i]));
      }
    }
    const double error = factor * difference + error_by_tolerance * tolerance * largest;
    findings.add({"probe_errors." + column.probe,
                  column.name,
                  io::ReportNode::row({{"largest_estimated_error", error}, {"largest", largest}}),
                  {},
                  column.probe + ": " + column.name,
                  io::error_text(largest, error, "") + " of the largest value"});
  }
}

/// Unknowns of the finer solution times its steps.
std::int64_t work_of_finer(const io::Case& input, const Results& results) {
  const std::int64_t n_steps = results.step.number * (input.problem.time.requested() ? 2 : 1);
  return results.problem.n_unknowns * (results.problem.dimension == 2 ? 4 : 8) * n_steps;
}

} // namespace

bool may_estimate(const io::Case& input, bool is_point) {
  const ErrorEstimates choice = input.output.errors;
  return choice == ErrorEstimates::on || (choice == ErrorEstimates::automatic && !is_point);
}

void exchange_shape(io::ImportedMesh& mesh, CurvedShape& shape) {
  std::swap(mesh.curved_degree, shape.degree);
  mesh.curved_facets.swap(shape.facets);
  mesh.curved_points.swap(shape.points);
}

void add_estimates(const io::Case& input, const comm::Communicator& world, const SolveCase& solve, Results& results) {
  const Values values = finite_values(input, results);
  const std::int64_t work = work_of_finer(input, results);
  if ((values.empty() && results.probes.empty()) || !results.solve.solver.converged() || !results.failures.empty() ||
      results.ended_by_signal != 0)
    return;
  const auto end = [&](const std::string& reason) {
    results.notes.push_back("output.errors: the errors of the quantities were not estimated: " + reason);
  };
  if (input.output.errors == ErrorEstimates::automatic && work > most_automatic_unknowns)
    return end("the finer solution would have about " + io::format_count(work) + " unknowns" +
               (input.problem.time.requested() ? " in all steps" : "") +
               ", which takes its time. output.errors: true estimates them nevertheless.");
  const io::Case finer = finer_case(input, results);
  Results found;
  keep_failure(world, found, [&] { solve(finer, found); });
  if (!found.failures.empty())
    return end("the solution on a finer mesh failed. " + found.failures.front());
  if (!found.solve.solver.converged())
    return end("on a finer mesh: " + found.solve.solver.message());
  const bool is_euler = input.problem.time.requested() && input.discretization.method == io::Method::cg &&
                        input.problem.time.method == io::TimeMethod::implicit_euler;
  double factor = is_euler ? error_by_difference_of_euler : error_by_difference;
  if (input.mesh.adapt.requested()) {
    const double fraction = found.rounds.back().estimated_error / results.rounds.back().estimated_error;
    if (!(fraction <= most_of_error))
      return end("further rounds of mesh.adapt lowered the error to " + io::format_fixed(fraction, 2) + " of it only.");
    factor = std::max(factor, 1. / (1. - fraction));
  }
  const double tolerance = std::max(input.solver.relative_tolerance,
                                    results.solve.solver.nonlinear ? input.solver.nonlinear.relative_tolerance : 0.);
  results.findings.set_estimates(estimates_of(input, values, finite_values(input, found), factor, tolerance));
  add_probe_estimates(results.probes, found.probes, factor, tolerance, results.findings);
  results.findings.add_facts(
      "error_estimates",
      {{"unknowns", found.problem.n_unknowns}, {"iterations", found.iterations}, {"factor_on_differences", factor}});
}

} // namespace tessera::driver
