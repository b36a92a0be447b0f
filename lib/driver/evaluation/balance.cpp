// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/balance.hpp"

#include "core/kokkos_ext/runtime.hpp"
#include "solvers/newton.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace tessera::driver {

namespace {

/// Inflow into a part of the mesh; `totals`: of all parts, which may be corrected.
struct PartFlows {
  const Balance* balance;
  std::vector<double> totals;
  std::vector<double> natural;
  std::vector<bool> has_tied; ///< by boundary: a floating body of the part
};

/// Floating bodies belong to one part each, where they are most of their total: no other has their elements.
std::vector<PartFlows> flows_of_parts(const std::vector<Balance>& balances,
                                      const std::vector<fe::Constraint>& constraints, const std::vector<double>& totals,
                                      const std::vector<physics::NaturalTotals>& natural) {
  std::vector<PartFlows> parts;
  for (const Balance& balance : balances) {
    PartFlows flows{&balance, balance.totals, balance.natural, std::vector<bool>(totals.size(), false)};
    flows.totals.resize(totals.size(), 0.);
    if (balances.size() == 1) {
      flows.totals = totals;
      flows.natural.clear();
      for (const physics::NaturalTotals& total : natural)
        flows.natural.push_back(total.inflow);
    }
    parts.push_back(flows);
  }
  for (std::size_t c = 0; c < totals.size(); ++c) {
    if (!constraints[c].is_tied)
      continue;
    const auto size = [&](const PartFlows& part) { return std::fabs(part.totals[c]) + part.balance->rounding[c]; };
    PartFlows& own = *std::max_element(parts.begin(), parts.end(), [&](const PartFlows& one, const PartFlows& other) {
      return size(one) < size(other);
    });
    own.totals[c] = totals[c]; // with sources at its nodes
    own.has_tied[c] = true;
  }
  return parts;
}

std::string name_of_part(const Balance& balance, const std::vector<std::string>& region_names) {
  constexpr std::size_t most_names = 3;
  std::string name = "the connected part of the mesh with ";
  for (std::size_t i = 0; i < std::min(balance.regions.size(), most_names); ++i)
    name += (i == 0 ? "'" : ", '") + region_names[balance.regions[i]] + "'";
  if (balance.regions.size() > most_names)
    name += " and " + std::to_string(balance.regions.size() - most_names) + " further regions";
  return name;
}

/// Corrects `totals` where the rounding of one of them is the cause, whose `rounding` is then that of the others;
/// otherwise returns what is missing in a part.
/// `may_correct`: the flows through boundaries and the sources alone add up to zero.
Imbalance imbalance_of(const PartFlows& part, const std::vector<fe::Constraint>& constraints,
                       const solvers::PcgResult& solver, bool may_correct, std::vector<double>& totals,
                       std::vector<double>& rounding_of_totals) {
  const Balance& balance = *part.balance;
  Imbalance imbalance;
  double missing = balance.residual;
  for (const double inflow : part.natural)
    imbalance.largest = std::max(imbalance.largest, std::fabs(inflow));
  for (std::size_t c = 0; c < totals.size(); ++c) {
    imbalance.largest = std::max(imbalance.largest, std::fabs(part.totals[c]));
    if (!part.has_tied[c])
      continue;
    const double deviation = part.totals[c] - constraints[c].total;
    missing += deviation;
    if (std::fabs(deviation) <= balance.rounding[c])
      totals[c] = constraints[c].total; // prescribed
  }
  double others = 0.; // rounding of all totals except the least certain one
  for (const double rounding : balance.rounding)
    others += rounding;
  const auto worst = std::max_element(balance.rounding.begin(), balance.rounding.begin() + totals.size());
  if (!totals.empty()) {
    others -= *worst;
    const auto c = static_cast<std::size_t>(worst - balance.rounding.begin());
    if (may_correct && !constraints[c].is_tied && std::fabs(missing) <= *worst && others < 0.1 * *worst) {
      totals[c] += missing;
      rounding_of_totals[c] += others - *worst;
      return {};
    }
  }
  imbalance.missing = std::fabs(missing);
  imbalance.size = balance.size;
  imbalance.noted_share = 1e-9;
  imbalance.largest_share = 1e-6;
  const double rounding = others + (totals.empty() ? 0. : *worst);
  imbalance.may_fail = imbalance.largest > 10. * rounding; // if all values are equal, nothing flows but rounding
  imbalance.is_rounding =
      imbalance.missing <= 10. * rounding ||
      (solver.true_residual > solver.threshold && solver.true_residual <= solvers::rounding_factor * solver.rounding);
  return imbalance;
}

} // namespace

double Imbalance::noted_limit() const { return std::max(noted_imbalance * largest, noted_share * size); }
double Imbalance::largest_limit() const { return std::max(largest_imbalance * largest, largest_share * size); }

void report_flows(const io::ProblemOptions& options, const DomainFlows& flows, Results& results) {
  const io::PhysicsTraits& traits = io::traits_of(options);
  const std::string unit = *traits.total.unit == '\0' ? "" : " " + std::string(traits.total.unit);
  const double sum = flows.in - flows.out + flows.generated - flows.stored.value_or(0.);
  results.findings.add_facts("balance." + std::string(traits.total.name),
                             {{"in", flows.in},
                              {"out", flows.out},
                              {"generated", flows.generated},
                              {"stored", flows.stored ? io::ReportNode(*flows.stored) : io::ReportNode()},
                              {"sum", sum},
                              {"unit", traits.total.unit}});
  std::ostringstream text;
  text << std::setprecision(6) << flows.in << unit << " in, " << flows.out << unit << " out, " << flows.generated
       << unit << " generated";
  if (flows.stored)
    text << ", " << *flows.stored << unit << " stored";
  text << "; sum " << std::setprecision(2) << sum << unit;
  results.findings.add_line("quantities", "balance", text.str());
}

void report_imbalance(const io::ProblemOptions& options, const Imbalance& imbalance, Results& results) {
  if (!(imbalance.missing > imbalance.noted_limit()))
    return;
  const io::PhysicsTraits& traits = io::traits_of(options);
  const std::string unit = traits.total.unit;
  std::ostringstream text;
  text << std::setprecision(3) << (imbalance.place.empty() ? "What" : "In " + imbalance.place + ", what")
       << " flows in through the boundaries and the sources do not add up: " << imbalance.missing
       << (unit.empty() ? "" : " " + unit) << " are missing";
  if (imbalance.largest > 0.)
    text << ", " << 100. * imbalance.missing / imbalance.largest << " % of the largest " << traits.total.name;
  text << ". Each " << traits.total.name << ", and every quantity computed from it, is uncertain by as much. ";
  if (imbalance.is_rounding)
    text << "The cause is rounding: coefficients or values differ by more than double precision resolves.";
  else
    text << "The cause is the error of the solver: a smaller solver.relative_tolerance lowers it.";
  const bool fails = imbalance.may_fail && imbalance.missing > imbalance.largest_limit();
  (fails ? results.failures : results.notes).push_back(text.str());
}

template <class ExecutionSpace>
std::vector<double> check_balance(const ExecutionSpace& exec, const Equations<ExecutionSpace>& problem,
                                  const io::Case& input, const Solution<ExecutionSpace>& solution,
                                  std::vector<double>& totals, const std::vector<physics::NaturalTotals>& natural,
                                  Results& results) {
  if (problem.binding.magnetic || !solution.report.solver.converged())
    return {};
  const std::vector<fe::PeriodicPair>& periodic = problem.binding.periodic;
  const bool may_correct =
      std::none_of(periodic.begin(), periodic.end(), [](const fe::PeriodicPair& pair) { return pair.is_antiperiodic; });
  const std::vector<fe::Constraint>& constraints = problem.binding.constraints;
  const std::vector<Balance> balances = problem.balances(exec, solution.nodal);
  const bool has_contrast = problem.carried_values(exec).has_contrast();
  std::vector<double> rounding(totals.size(), 0.);
  for (const Balance& balance : balances)
    for (std::size_t c = 0; c < totals.size(); ++c)
      rounding[c] += balance.rounding[c];
  Imbalance worst;
  for (const PartFlows& part : flows_of_parts(balances, constraints, totals, natural)) {
    Imbalance imbalance = imbalance_of(part, constraints, solution.report.solver.linear, may_correct, totals, rounding);
    imbalance.may_fail = imbalance.may_fail || has_contrast;
    if (balances.size() > 1)
      imbalance.place = name_of_part(*part.balance, problem.summary.region_names);
    // By how much each exceeds its limit, without a division by zero.
    if (imbalance.missing * worst.noted_limit() > worst.missing * imbalance.noted_limit() || worst.missing == 0.)
      worst = imbalance;
  }
  report_imbalance(input.problem, worst, results);
  return rounding;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template std::vector<double> check_balance<SPACE>(const SPACE&, const Equations<SPACE>&, const io::Case&,            \
                                                    const Solution<SPACE>&, std::vector<double>&,                      \
                                                    const std::vector<physics::NaturalTotals>&, Results&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
