// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/study/dry_run.hpp"

#include "driver/dg/dg_memory.hpp"
#include "driver/evaluation/quantity_notes.hpp"
#include "driver/plan/plan.hpp"
#include "driver/problem/problem_binding.hpp"
#include "io/mesh_source.hpp"
#include "io/output_check.hpp"
#include "io/resolved.hpp"

#include <iomanip>
#include <sstream>

namespace tessera::driver {

using assembly::Strategy;

namespace {

std::string dg_memory_text(const io::Case& input, int dimension, const MeshCounts& mesh) {
  if (input.mesh.agglomerate.mean_size > 0.)
    return "# Memory: not estimated, because the number of elements is known once the mesh is made.\n";
  const double n_simplices = static_cast<double>(mesh.elements);
  const double n_elements = input.mesh.agglomerate.asked() ? input.mesh.agglomerate.elements : n_simplices;
  const DgSizes sizes = expected_sizes(input.discretization, dimension, n_elements, n_simplices);
  std::ostringstream text;
  text << std::setprecision(15) << "# Elements: " << n_elements << " of " << n_simplices
       << (dimension == 2 ? " triangles" : " tetrahedra") << ", unknowns: at least " << sizes.assembly.unknowns << ".\n"
       << "# Memory, estimated: at least " << format_bytes(estimate_bytes(input, sizes))
       << " for the matrix and its solver.\n";
  return text.str();
}

} // namespace

std::string dry_run_text(const io::Case& input) {
  io::check_outputs(input, io::run_outputs(input));
  std::ostringstream text;
  text << io::resolved_text(input);
  for (const std::string& note : input.notes)
    text << "# Note: " << note << '\n';
  for (const std::string& note : quantity_notes(input))
    text << "# Note: " << note << '\n';
  check_reproducible(input);
  if (input.mesh.source == io::MeshSource::geometry) {
    text << "# Memory: not estimated, because the counts of the mesh are known once Gmsh has made it.\n";
    return text.str();
  }
  io::ImportedMesh imported;
  imported.dimension = input.mesh.dimension;
  if (input.mesh.source == io::MeshSource::file)
    imported = io::read_mesh(input.mesh);
  bind_problem(input, imported); // for its errors
  const bool on_gpu = input.execution.backend == "cuda" || input.execution.backend == "hip";
  const ProblemSize size = problem_size(input, imported, on_gpu);
  if (input.discretization.method == io::Method::dg) {
    text << dg_memory_text(input, imported.dimension, size.memory.final_mesh());
    return text.str();
  }
  const Plan plan = make_plan(input, size, -1.);
  text << "# Elements: " << size.memory.final_mesh().elements << ", nodes: " << size.work.unknowns
       << ", matrix entries: " << size.memory.n_matrix_entries() << " at most.\n"
       << "# Memory, estimated: "
       << needs_text(size, [&](Strategy strategy, double) { return fits_offsets(size.memory, strategy); }) << ".\n"
       << "# Strategy: " << io::name_of(plan.strategy) << (plan.reason.empty() ? "" : ": " + plan.reason) << ".\n";
  return text.str();
}

} // namespace tessera::driver
