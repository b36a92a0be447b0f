// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/conductor_pair.hpp"

#include "driver/plan/quantity_list.hpp"
#include "io/input/physics_traits.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace tessera::driver {

namespace {

using io::Boundary;
using io::BoundaryKind;
using io::Quantity;

/// Below this fraction of the larger total a difference of the totals is an error of discretisation and solver.
constexpr double balance_tolerance = 1e-3;

} // namespace

std::vector<std::string> given_sources(const io::ProblemOptions& problem, const char* source, const char* flux) {
  std::vector<std::string> found;
  for (const io::Source& entry : problem.sources)
    if (!is_zero(entry.density) || entry.total.value_or(0.) != 0.)
      found.push_back(std::string(source) + " of '" + entry.region.name + "'");
  for (const io::PointSourceInput& entry : problem.point_sources)
    if (entry.strength != 0.)
      found.push_back("the point source '" + entry.name.name + "'");
  for (const io::LineSourceInput& entry : problem.line_sources)
    if (entry.density != 0.)
      found.push_back("the line source '" + entry.name.name + "'");
  for (const Boundary& boundary : problem.boundaries)
    if (boundary.kind == BoundaryKind::flux && !is_zero(boundary.value))
      found.push_back(std::string(flux) + " of '" + boundary.group.name + "'");
  return found;
}

std::vector<std::string> other_charges(const io::Case& input) {
  const io::ProblemOptions& problem = input.problem;
  std::vector<std::string> others = given_sources(problem, "the charge density", "the surface charge");
  const auto is_requested = [&](const Boundary& boundary) {
    const auto& requested = input.output.conductors;
    return requested.empty() || std::any_of(requested.begin(), requested.end(), [&](const io::GroupName& name) {
             return name.name == boundary.group.name;
           });
  };
  for (const Boundary& boundary : problem.boundaries) {
    if (boundary.kind == BoundaryKind::robin)
      others.push_back("the robin condition of '" + boundary.group.name + "'");
    if (is_requested(boundary))
      continue;
    if (boundary.kind == BoundaryKind::value || (boundary.kind == BoundaryKind::floating && boundary.total != 0.))
      others.push_back("conductor '" + boundary.group.name + "'");
  }
  return others;
}

bool is_balanced(const ConductorPair& pair, double others) {
  return std::fabs(pair.first_total + pair.second_total + others) <=
         balance_tolerance * std::max(std::fabs(pair.first_total), std::fabs(pair.second_total));
}

std::string unbalanced_note(const io::Case& input, const std::string& name, const ConductorPair& pair,
                            const std::string& counted) {
  if (is_balanced(pair) || (wants(input, Quantity::capacitance) && !other_charges(input).empty()))
    return "";
  const io::PhysicsTraits::Named& total = io::traits_of(input.problem).total;
  std::ostringstream note;
  note << std::setprecision(4) << name << ": " << total.name << '.' << pair.first << " and " << total.name << '.'
       << pair.second << " do not add up to zero, but are " << pair.first_total << " and " << pair.second_total << ' '
       << total.unit << ": sources, other boundaries or the space outside contribute. It is the quotient by that of '"
       << counted << "', not a property of this pair only.";
  return note.str();
}

} // namespace tessera::driver
