// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/mesh/mesh_notes.hpp"

#include <algorithm>

namespace tessera::driver {

std::vector<std::string> shared_name_notes(const io::ImportedMesh& imported) {
  std::vector<std::string> notes;
  for (const std::string& name : imported.boundary_names)
    if (std::find(imported.region_names.begin(), imported.region_names.end(), name) != imported.region_names.end())
      notes.push_back("'" + name +
                      "' is the name of a boundary and of a region of the mesh: under problem.boundaries it means the "
                      "boundary.");
  return notes;
}

std::vector<std::string> linear_shell_notes(const io::Case& input, int dimension) {
  std::vector<std::string> notes;
  const io::ProblemOptions& problem = input.problem;
  const bool is_space = dimension == 3 || problem.symmetry == io::Symmetry::axisymmetric;
  if (input.discretization.order.number > 1 || !is_space || problem.physics == io::Physics::magnetostatics)
    return notes;
  for (const io::Material& material : problem.materials)
    if (material.shell)
      notes.push_back(
          "The shell '" + material.region.name +
          "' has elements of order 1, which are inaccurate where it represents infinity: elements of a tenth of the "
          "radius cause errors of a tenth, half as large with half the size. Use discretization.order: 2, "
          "with curved elements.");
  return notes;
}

} // namespace tessera::driver
