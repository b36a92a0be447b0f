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

void report_imbalance(const io::ProblemOptions& options, const Imbalance& imbalance, Results& results) {
  const auto [missing, largest, size, noted_share, largest_share, is_rounding, may_fail] = imbalance;
  if (!(missing > std::max(noted_imbalance * largest, noted_share * size)))
    return;
  const io::PhysicsTraits& traits = io::traits_of(options);
  const std::string unit = traits.total.unit;
  std::ostringstream text;
  text << std::setprecision(3) << "What flows in through the boundaries and the sources do not add up: " << missing
       << (unit.empty() ? "" : " " + unit) << " are missing";
  if (largest > 0.)
    text << ", " << 100. * missing / largest << " % of the largest " << traits.total.name;
  text << ". Each " << traits.total.name << ", and every quantity computed from it, is uncertain by as much. ";
  if (is_rounding)
    text << "The cause is rounding: coefficients or values differ by more than double precision resolves.";
  else
    text << "The cause is the error of the solver: a smaller solver.relative_tolerance lowers it.";
  const bool fails = may_fail && missing > std::max(largest_imbalance * largest, largest_share * size);
  (fails ? results.failures : results.notes).push_back(text.str());
}

template <class ExecutionSpace>
void check_balance(const ExecutionSpace& exec, const Equations<ExecutionSpace>& problem, const io::Case& input,
                   const Solution<ExecutionSpace>& solution, std::vector<double>& totals,
                   const std::vector<physics::NaturalTotals>& natural, Results& results) {
  const std::vector<fe::PeriodicPair>& periodic = problem.binding.periodic;
  const bool is_antiperiodic =
      std::any_of(periodic.begin(), periodic.end(), [](const fe::PeriodicPair& pair) { return pair.is_antiperiodic; });
  if (problem.binding.magnetic || is_antiperiodic || !solution.report.solver.converged())
    return;
  const Balance balance = problem.balance(exec, solution.nodal);
  const std::vector<fe::Constraint>& constraints = problem.binding.constraints;
  double largest = 0.;
  double missing = balance.residual;
  for (const physics::NaturalTotals& total : natural)
    largest = std::max(largest, std::fabs(total.inflow));
  for (std::size_t c = 0; c < totals.size(); ++c) {
    largest = std::max(largest, std::fabs(totals[c]));
    if (!constraints[c].is_tied)
      continue;
    const double deviation = totals[c] - constraints[c].total;
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
    if (!constraints[c].is_tied && std::fabs(missing) <= *worst && others < 0.1 * *worst) {
      totals[c] += missing;
      return;
    }
  }
  missing = std::fabs(missing);
  const double rounding = others + (totals.empty() ? 0. : *worst);
  // If all values are equal there is no flow except rounding.
  const bool nothing_flows = largest <= 10. * rounding && !problem.carried_values(exec).has_contrast();
  const solvers::PcgResult& solver = solution.report.solver.linear;
  const bool is_rounding =
      missing <= 10. * rounding ||
      (solver.true_residual > solver.threshold && solver.true_residual <= solvers::rounding_factor * solver.rounding);
  report_imbalance(input.problem, {missing, largest, balance.size, 1e-9, 1e-6, is_rounding, !nothing_flows}, results);
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template void check_balance<SPACE>(const SPACE&, const Equations<SPACE>&, const io::Case&, const Solution<SPACE>&,   \
                                     std::vector<double>&, const std::vector<physics::NaturalTotals>&, Results&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
