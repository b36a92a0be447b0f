// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/evaluation/quantity_notes.hpp"

#include "driver/evaluation/paths/shell_notes.hpp"
#include "driver/plan/quantity_list.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace tessera::driver {

namespace {

using io::Boundary;
using io::BoundaryKind;
using io::Quantity;

/// Current densities, charge densities and boundary data that are sources of the field.
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

/// Below this fraction of the larger total a difference of the totals is an error of discretisation and solver.
constexpr double balance_tolerance = 1e-3;

} // namespace

std::vector<std::string> other_charges(const io::Case& input) {
  const io::ProblemOptions& problem = input.problem;
  std::vector<std::string> others = given_sources(problem, "the charge density", "the surface charge");
  const auto is_asked = [&](const Boundary& boundary) {
    const auto& asked = input.output.conductors;
    return asked.empty() || std::any_of(asked.begin(), asked.end(),
                                        [&](const io::GroupName& name) { return name.name == boundary.group.name; });
  };
  for (const Boundary& boundary : problem.boundaries) {
    if (boundary.kind == BoundaryKind::robin)
      others.push_back("the robin condition of '" + boundary.group.name + "'");
    if (is_asked(boundary))
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

namespace {

void note_capacitance(const io::Case& input, std::vector<std::string>& notes) {
  const std::vector<std::string> others = other_charges(input);
  if (others.empty())
    return;
  notes.push_back(
      "capacitance: the charge depends not only on the voltage between both conductors, but "
      "also on " +
      io::joined(others) +
      ". It is the quotient of this run's charge and voltage, and neither a property of the geometry nor an "
      "entry of the capacitance matrix.");
}

void note_inductance(const io::Case& input, std::vector<std::string>& notes) {
  const io::ProblemOptions& problem = input.problem;
  std::vector<std::string> others = given_sources(problem, "the current density", "the tangential field");
  for (const io::Material& material : problem.materials)
    if (material.magnet)
      others.push_back("the magnet '" + material.region.name + "'");
  for (const Boundary& boundary : problem.boundaries)
    if (boundary.kind == BoundaryKind::value && !is_zero(boundary.value))
      others.push_back("the vector potential of '" + boundary.group.name + "'");
  if (problem.coils.size() > 1)
    others.push_back("the currents of the other coils");
  if (others.empty())
    return;
  notes.push_back(
      "inductance: the flux linkage of a coil contains not only the flux of its current, but also that of " +
      io::joined(others) + ", so linkage per current is not a self-inductance here.");
}

/// Notes that the field at a point or line source is unbounded, and so is its energy. `kind`: "point".
void note_lumped_sources(const io::Case& input, const std::string& kind, std::vector<std::string>& notes) {
  const std::string key = "(problem." + kind + "_sources)";
  if (input.mesh.adapt.asked())
    notes.push_back(
        "mesh.adapt: the error in the energy has no bound at " + kind + " sources " + key +
        ", so that most elements are refined there, and the estimate does not represent the error elsewhere.");
  std::vector<std::string> asked;
  for (const Quantity quantity : {Quantity::energy, Quantity::coenergy, Quantity::losses})
    if (wants(input, quantity))
      asked.push_back(io::name_of(quantity, input.problem.physics));
  if (asked.empty())
    return;
  notes.push_back(io::joined(asked) + ": around a " + kind +
                  " source the field has no bound and its energy none either. What " +
                  "the run gives is that of the mesh, and grows as the elements there shrink " + key + ".");
}

} // namespace

std::vector<std::string> quantity_notes(const io::Case& input) {
  std::vector<std::string> notes;
  if (wants(input, Quantity::capacitance))
    note_capacitance(input, notes);
  if (wants(input, Quantity::inductance))
    note_inductance(input, notes);
  note_shells(input, notes);
  if (!input.problem.point_sources.empty())
    note_lumped_sources(input, "point", notes);
  if (!input.problem.line_sources.empty())
    note_lumped_sources(input, "line", notes);
  return notes;
}

} // namespace tessera::driver
