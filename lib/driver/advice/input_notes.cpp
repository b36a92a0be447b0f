// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/advice/checks.hpp"
#include "driver/evaluation/conductor_pair.hpp"
#include "driver/evaluation/paths/shell_notes.hpp"
#include "driver/plan/plan.hpp"
#include "driver/plan/quantity_list.hpp"

#include <algorithm>

namespace tessera::driver {

namespace {

using io::Boundary;
using io::BoundaryKind;
using io::Quantity;

void note_capacitance(const io::Case& input, Notes& notes) {
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

void note_inductance(const io::ProblemOptions& problem, Notes& notes) {
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
void note_lumped_sources(const io::Case& input, const std::string& kind, Notes& notes) {
  const std::string key = "(problem." + kind + "_sources)";
  if (input.mesh.adapt.requested())
    notes.push_back(
        "mesh.adapt: the error in the energy has no bound at " + kind + " sources " + key +
        ", so that most elements are refined there, and the estimate does not represent the error elsewhere.");
  std::vector<std::string> requested;
  for (const Quantity quantity : {Quantity::energy, Quantity::coenergy, Quantity::losses})
    if (wants(input, quantity))
      requested.push_back(io::name_of(quantity, input.problem.physics));
  if (requested.empty())
    return;
  notes.push_back(io::joined(requested) + ": around a " + kind +
                  " source the field has no bound and its energy none either. What " +
                  "the run gives is that of the mesh, and grows as the elements there shrink " + key + ".");
}

} // namespace

void quantity_notes(const Facts& facts, Notes& notes) {
  const io::Case& input = facts.input;
  if (wants(input, Quantity::capacitance))
    note_capacitance(input, notes);
  if (wants(input, Quantity::inductance))
    note_inductance(input.problem, notes);
  note_shells(input, notes);
  if (!input.problem.point_sources.empty())
    note_lumped_sources(input, "point", notes);
  if (!input.problem.line_sources.empty())
    note_lumped_sources(input, "line", notes);
}

void note_idle_threads(const io::Case& input, const std::vector<std::string>& backends, Notes& notes) {
  if (input.execution.threads != 0 && std::find(backends.begin(), backends.end(), "openmp") == backends.end())
    notes.push_back("execution.threads: " + std::to_string(input.execution.threads) +
                    " has no effect; it is for the backend openmp.");
}

void linear_shell_notes(const Facts& facts, Notes& notes) {
  const io::Case& input = facts.input;
  const io::ProblemOptions& problem = input.problem;
  const int dimension = facts.mesh != nullptr ? facts.mesh->dimension : input.mesh.dimension;
  const bool is_space = dimension == 3 || problem.symmetry == io::Symmetry::axisymmetric;
  if (input.discretization.order.number > 1 || !is_space || io::has_vector_potential(problem.physics))
    return;
  for (const io::Material& material : problem.materials)
    if (material.shell)
      notes.push_back(
          "The shell '" + material.region.name +
          "' has elements of order 1, which are inaccurate where it represents infinity: elements of a tenth of the "
          "radius cause errors of a tenth, half as large with half the size. Use discretization.order: 2, "
          "with curved elements.");
}

void plan_notes(const Facts& facts, Notes& notes) {
  const io::Case& input = facts.input;
  const Plan& plan = *facts.plan;
  if (input.solver.multigrid_given && plan.solver.preconditioner != io::Preconditioner::multigrid)
    notes.push_back("solver.multigrid is not used: auto chose " + io::name_of(plan.solver.preconditioner) + ", " +
                    plan.preconditioner_reason + '.');
  if (input.assembly.coloring != io::Coloring::node_claims && !assembly::uses_coloring(plan.strategy))
    notes.push_back("assembly.coloring has no effect: the strategy '" + io::name_of(plan.strategy) +
                    "' uses no colours.");
  if (plan.reproducible && facts.n_processes > 1 && assembly::uses_coloring(plan.strategy))
    notes.push_back("execution.reproducible: each of the " + std::to_string(facts.n_processes) +
                    " processes colours its own elements, so that the bits of '" + io::name_of(plan.strategy) +
                    "' depend on their number. Those of row-gather do not.");
}

} // namespace tessera::driver
