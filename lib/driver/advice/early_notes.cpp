// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/advice/early_notes.hpp"

#include "driver/advice/axis_notes.hpp"
#include "driver/evaluation/quantity_notes.hpp"
#include "driver/mesh/box_groups.hpp"
#include "driver/mesh/mesh_notes.hpp"

namespace tessera::driver {

std::vector<std::string> notes_of_input(const io::Case& input) {
  std::vector<std::string> notes = input.notes;
  for (const std::string& note : quantity_notes(input))
    notes.push_back(note);
  return notes;
}

std::vector<std::string> notes_of_groups(const io::Case& input, const io::ImportedMesh& imported) {
  const bool is_box = input.mesh.source == io::MeshSource::box;
  std::vector<std::string> notes = axis_notes(input, is_box ? box_of_one_cell(input.mesh) : imported);
  for (const std::string& note : linear_shell_notes(input, imported.dimension))
    notes.push_back(note);
  return notes;
}

std::vector<std::string> notes_of_plan(const io::Case& input, const Plan& plan, int n_processes) {
  std::vector<std::string> notes;
  if (input.solver.multigrid_given && plan.solver.preconditioner != io::Preconditioner::multigrid)
    notes.push_back("solver.multigrid is not used: auto chose " + io::name_of(plan.solver.preconditioner) + ", " +
                    plan.preconditioner_reason + '.');
  if (input.assembly.coloring != io::Coloring::node_claims && !assembly::uses_coloring(plan.strategy))
    notes.push_back("assembly.coloring has no effect: the strategy '" + io::name_of(plan.strategy) +
                    "' uses no colours.");
  if (plan.reproducible && n_processes > 1 && assembly::uses_coloring(plan.strategy))
    notes.push_back("execution.reproducible: each of the " + std::to_string(n_processes) +
                    " processes colours its own elements, so that the bits of '" + io::name_of(plan.strategy) +
                    "' depend on their number. Those of row-gather do not.");
  return notes;
}

} // namespace tessera::driver
