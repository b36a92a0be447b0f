// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/advice/checks.hpp"
#include "driver/evaluation/conductor_pair.hpp"
#include "driver/evaluation/paths/shell_notes.hpp"
#include "driver/plan/plan.hpp"
#include "driver/plan/quantity_list.hpp"
#include "driver/problem/binding/input_values.hpp"
#include "io/input/temperature.hpp"

#include <algorithm>
#include <array>

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

/// Whether the value at a point is chosen by a condition on its position.
bool may_jump_in_space(const io::Scalar& scalar) {
  if (scalar.is_constant)
    return false;
  using physics::Opcode;
  constexpr std::array<Opcode, 14> jumps{Opcode::floor,      Opcode::ceil,       Opcode::sign,    Opcode::step,
                                         Opcode::less,       Opcode::less_equal, Opcode::greater, Opcode::greater_equal,
                                         Opcode::equal,      Opcode::not_equal,  Opcode::select,  Opcode::logical_not,
                                         Opcode::logical_or, Opcode::logical_and};
  const physics::Expression expression = to_expression(scalar);
  const std::vector<physics::Instruction>& code = expression.code();
  return (expression.depends_on(Opcode::x) || expression.depends_on(Opcode::y) || expression.depends_on(Opcode::z)) &&
         std::any_of(code.begin(), code.end(), [&](const physics::Instruction& instruction) {
           return std::find(jumps.begin(), jumps.end(), instruction.op) != jumps.end();
         });
}

/// Fields are recovered from the elements of a region, on both sides of a jump within it.
void note_jumps_within_regions(const io::Case& input, Notes& notes) {
  std::vector<std::string> paths;
  for (const io::Line& line : input.output.lines)
    paths.push_back("line '" + line.name + "'");
  for (const io::SurfaceInput& surface : input.output.surfaces)
    paths.push_back("surface '" + surface.name + "'");
  if (paths.empty() || input.discretization.method != io::Method::cg || io::depends_on_temperature(input.problem))
    return;
  for (const io::Material& material : input.problem.materials) {
    const auto jumps = [](const std::vector<io::Scalar>& entries) {
      return std::any_of(entries.begin(), entries.end(), may_jump_in_space);
    };
    if (jumps(material.coefficient.diagonal) || jumps(material.coefficient.off_diagonal))
      notes.push_back(
          io::joined(paths) + ": the " + io::traits_of(input.problem.physics).coefficient + " of '" +
          material.region.name +
          "' may jump, by a condition in its expression. Where a line or surface meets a jump within a "
          "region, fluxes and averages of fields are of first order in the size of the elements, and extremes can be "
          "off by the ratio of the jump. Give each side of it a region.");
  }
}

} // namespace

void quantity_notes(const Facts& facts, Notes& notes) {
  const io::Case& input = facts.input;
  if (wants(input, Quantity::capacitance))
    note_capacitance(input, notes);
  if (wants(input, Quantity::inductance))
    note_inductance(input.problem, notes);
  note_shells(input, notes);
  note_jumps_within_regions(input, notes);
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
