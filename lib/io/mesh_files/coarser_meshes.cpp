// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/mesh_files/coarser_meshes.hpp"

namespace tessera::io {

bool has_coarser_meshes(const MeshOptions& mesh) {
  if (mesh.refinements() > 0)
    return true;
  if (mesh.source != MeshSource::box)
    return false;
  for (int d = 0; d < mesh.dimension; ++d) { // as in mesh::box_node_parents()
    const int cells = mesh.box.cells[static_cast<std::size_t>(d)];
    if (cells % 2 != 0 || cells / 2 < 2)
      return false;
  }
  return true;
}

std::string why_multigrid_needs_matrix(const MeshOptions& mesh, int order, const solvers::MultigridOptions& multigrid) {
  if (multigrid.type == solvers::MultigridType::algebraic)
    return "as type algebraic makes its levels from the entries of one";
  if (order == 2)
    return "";
  if (mesh.adapt.requested())
    return "as meshes of mesh.adapt have no coarser ones";
  if (!has_coarser_meshes(mesh))
    return "as there is no coarser mesh: mesh.refine makes some, and so do even numbers of cells (from 4 on) of a box";
  return "";
}

} // namespace tessera::io
