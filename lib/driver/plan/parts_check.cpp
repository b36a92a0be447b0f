// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/plan/parts_check.hpp"

#include "io/input/physics_traits.hpp"
#include "io/mesh_files/coarser_meshes.hpp"

#include <algorithm>

namespace tessera::driver {

std::string why_not_in_parts(const io::Case& input) {
  if (input.mesh.agglomerate.requested() && input.execution.reproducible)
    return "mesh.agglomerate and execution.reproducible: true, because each process joins the simplices of its part, "
           "so that elements and results depend on the number of processes";
  if (!input.mesh.agglomerate.from.empty())
    return "mesh.agglomerate.from";
  if (input.mesh.ordering != io::Ordering::morton)
    return "mesh.ordering: none";
  if (input.execution.partition == io::Partition::metis && input.discretization.method == io::Method::dg)
    return "execution.partition: metis for discretization.method: dg";
  if (input.execution.partition == io::Partition::metis && input.mesh.source == io::MeshSource::box &&
      input.mesh.refinements() == 0)
    return "execution.partition: metis of a box without mesh.refine, of which nothing coarser is there to be divided";
  return "";
}

bool has_shared_unknowns(const io::ProblemOptions& options) {
  using Kind = io::BoundaryKind;
  const auto& boundaries = options.boundaries;
  return std::any_of(boundaries.begin(), boundaries.end(), [](const io::Boundary& boundary) {
    return boundary.kind == Kind::floating || boundary.kind == Kind::periodic || boundary.kind == Kind::antiperiodic;
  });
}

bool takes_coarser_elements(const io::Case& input, io::Preconditioner preconditioner, FormKind form, bool has_matrix) {
  return (!has_matrix || form == FormKind::closed) && preconditioner == io::Preconditioner::multigrid &&
         input.discretization.order.number == 1 &&
         io::why_multigrid_needs_matrix(input.mesh, 1, input.solver.multigrid).empty();
}

int layers_around_part(const io::Case& input, bool with_coarser_elements) {
  if (input.discretization.method == io::Method::dg)
    return 1; // ghosts across facets, and their neighbours: the penalty uses the surface of elements
  const io::OutputOptions& output = input.output;
  const bool recovers_paths =
      input.discretization.order.number == 1 && (!output.lines.empty() || !output.surfaces.empty());
  if (output.recovered || recovers_paths ||
      std::any_of(output.probes.begin(), output.probes.end(), [](const io::Probe& probe) { return probe.recovered; })) {
    // Nodes of owned elements are one layer away; recovery patches extend up to four further elements
    // (physics/estimates/recovery_impl.hpp), which are two cells of a box: crossing a cell takes two triangles or three
    // tetrahedra.
    const bool has_cells = input.mesh.source == io::MeshSource::box && input.mesh.refinements() == 0;
    return has_cells ? 3 : 5;
  }
  const bool has_averages =
      std::find(output.fields.begin(), output.fields.end(), io::Field::gradient) != output.fields.end();
  // All elements that contain a point in an owned element are in the part, so that one process has the first of them.
  const bool has_points = !output.probes.empty() || !output.lines.empty() || !input.problem.point_sources.empty();
  if (!output.bodies.empty()) // a body next to a vertex that shares a facet with one of an owned element
    return 3;
  return has_averages || has_points || with_coarser_elements ? 1 : 0;
}

} // namespace tessera::driver
