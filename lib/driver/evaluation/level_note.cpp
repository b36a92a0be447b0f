// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/level_note.hpp"

#include "core/kokkos_ext/runtime.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>

namespace tessera::driver {

namespace {

constexpr double doubtful = 1e-4; ///< fraction of the solution's range: typical discretisation error

/// Whether linear Robin conditions alone fix the solution. The coefficients of far-field conditions are of the size of
/// conduction.
bool is_held_by_robin_alone(const ProblemBinding& binding) {
  if (binding.magnetic)
    return false;
  const auto& constraints = binding.constraints;
  const auto& natural = binding.problem.natural;
  const auto is_zero = [](const physics::Expression& value) { return value.is_constant() && value.value() == 0.; };
  return std::all_of(constraints.begin(), constraints.end(),
                     [](const fe::Constraint& constraint) { return constraint.is_tied; }) &&
         std::none_of(binding.periodic.begin(), binding.periodic.end(),
                      [](const fe::PeriodicPair& pair) { return pair.is_antiperiodic; }) &&
         std::all_of(
             natural.begin(), natural.end(),
             [&](const physics::NaturalData& data) { return !data.is_asymptotic && is_zero(data.emissivity); }) &&
         std::any_of(natural.begin(), natural.end(),
                     [&](const physics::NaturalData& data) { return !is_zero(data.alpha); });
}

/// Inflow through natural conditions for a constant solution.
template <class ExecutionSpace>
double inflow_at(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, double value) {
  const auto nodal = make_array<linalg::Vector<ExecutionSpace>>(exec, "driver::constant_solution",
                                                                static_cast<std::size_t>(problem.n_space_nodes));
  fill(exec, nodal, value);
  double inflow = 0.;
  for (const physics::NaturalTotals& total : problem.natural_totals(exec, nodal))
    inflow += total.inflow;
  keep_alive(exec, nodal);
  return inflow;
}

/// Range of the solution's values and of the reference values of Robin conditions.
template <class ExecutionSpace>
double range_of(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem,
                const linalg::ConstVector<ExecutionSpace>& nodal) {
  std::vector<double> values;
  for (const physics::RegionValues& region : problem.region_values(exec, nodal))
    if (region.measure > 0.)
      values.insert(values.end(), {region.smallest, region.largest});
  for (const physics::NaturalData& data : problem.binding.problem.natural)
    if (data.reference.is_constant() && !(data.alpha.is_constant() && data.alpha.value() == 0.))
      values.push_back(data.reference.value());
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return values.empty() ? 0. : *high - *low;
}

} // namespace

template <class ExecutionSpace>
std::string level_note(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem, const io::Case& input,
                       const Solution<ExecutionSpace>& solution) {
  const solvers::PcgResult& solver = solution.report.solver.linear;
  if (!solution.report.solver.converged() || !is_held_by_robin_alone(problem.binding))
    return "";
  const double conductance = inflow_at(exec, problem, 0.) - inflow_at(exec, problem, 1.);
  const double unbalanced = std::fabs(problem.totals(exec, solution.nodal, TotalsOf::all).inflow.front());
  const double error = unbalanced / conductance;
  const double range = range_of(exec, problem, solution.nodal);
  if (!(error > doubtful * range))
    return "";
  const io::PhysicsTraits& traits = io::traits_of(input.problem);
  const std::string condition = io::name_of(io::BoundaryKind::robin, input.problem.physics);
  std::ostringstream note;
  note << std::setprecision(2) << "The " << traits.solution.name << " is uncertain by about " << error << ' '
       << traits.solution.unit << " everywhere, compared to differences of " << range << ' ' << traits.solution.unit
       << ": nothing but '" << condition << "' fixes it, whose coefficients are very small against conduction. ";
  // The error is proportional to the residual until that is dominated by the rounding of the system, or of the sum over
  // its rows.
  const double tolerance = input.solver.relative_tolerance;
  const double enough = tolerance * doubtful * range / error;
  const double rounding = 10. * std::numeric_limits<double>::epsilon() * solver.rhs_norm;
  if (enough * solver.rhs_norm > rounding && solver.true_residual <= 10. * tolerance * solver.rhs_norm &&
      unbalanced > rounding * std::sqrt(problem.summary.n_unknowns))
    note << "solver.relative_tolerance: " << std::setprecision(1) << enough << " would do.";
  else
    note << "This is rounding, which no tolerance lowers: fix the " << traits.solution.name
         << " at a boundary and add the difference that the coefficients make of the total flow.";
  return note.str();
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template std::string level_note<SPACE>(const SPACE&, const Fields<SPACE>&, const io::Case&, const Solution<SPACE>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
