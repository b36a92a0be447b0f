// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/balance.hpp"

#include "core/kokkos_ext/runtime.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace tessera::driver {

namespace {

/// Flows between neighbouring elements add up to many times those through boundaries, and each has its rounding and the
/// solver's error: below these shares of their sum nothing is said of an imbalance.
constexpr double noted_share = 1e-9;
constexpr double largest_share = 1e-6;

} // namespace

std::string imbalance_text(const io::Case& input, double missing, double largest, bool by_rounding) {
  const io::PhysicsTraits& traits = io::traits_of(input.problem);
  std::ostringstream text;
  text << std::setprecision(3) << "What flows in through the boundaries and the sources do not add up: " << missing
       << ' ' << traits.total.unit << " are missing, " << 100. * missing / largest << " % of the largest "
       << traits.total.name << ". Each " << traits.total.name
       << ", and what is made of them, is uncertain by as much. ";
  if (by_rounding)
    text << "The cause is rounding: coefficients or values differ by more than double precision holds.";
  else
    text << "The cause is the error of the solver: a smaller solver.relative_tolerance lowers it.";
  return text.str();
}

template <class ExecutionSpace>
void check_balance(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem, const io::Case& input,
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
      totals[c] = constraints[c].total; // given
  }
  double others = 0.; // rounding of all totals but the least certain one
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
  if (!(missing > std::max(noted_imbalance * largest, noted_share * balance.size)))
    return;
  const double rounding = others + (totals.empty() ? 0. : *worst);
  const std::string text = imbalance_text(input, missing, largest, missing <= 10. * rounding);
  // Where all is at one value nothing flows but rounding.
  const bool nothing_flows = largest <= 10. * rounding && !problem.carried_values(exec).has_contrast();
  if (missing > std::max(largest_imbalance * largest, largest_share * balance.size) && !nothing_flows)
    results.failures.push_back(text);
  else
    results.notes.push_back(text);
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template void check_balance<SPACE>(const SPACE&, const Problem<SPACE>&, const io::Case&, const Solution<SPACE>&,     \
                                     std::vector<double>&, const std::vector<physics::NaturalTotals>&, Results&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
