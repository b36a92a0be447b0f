// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/study/dry_run.hpp"

#include "core/error.hpp"
#include "driver/advice/checks.hpp"
#include "driver/dg/dg_memory.hpp"
#include "driver/dg/given_parts.hpp"
#include "driver/mesh/box_groups.hpp"
#include "driver/mesh/import.hpp"
#include "driver/mesh/mesh_groups.hpp"
#include "driver/plan/plan.hpp"
#include "driver/problem/binding/problem_binding.hpp"
#include "driver/session.hpp"
#include "io/input/output_check.hpp"
#include "io/input/resolved.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace tessera::driver {

using assembly::Strategy;

namespace {

double measure(const io::MeshOptions& input, const io::ImportedMesh& imported) {
  double sum = 1.;
  if (input.source == io::MeshSource::box) {
    for (int d = 0; d < imported.dimension; ++d)
      sum *= input.scale * (input.box.upper[d] - input.box.lower[d]);
    return sum;
  }
  sum = 0.;
  const int n = imported.dimension + 1;
  for (std::size_t e = 0; e < imported.n_elements(); ++e)
    sum += simplex_measure(imported, &imported.elements[e * static_cast<std::size_t>(n)], n);
  return sum;
}

/// Number of elements requested by the input.
double n_dg_elements(const io::MeshOptions& options, const io::ImportedMesh& imported, double n_simplices) {
  const io::AgglomerationInput& requested = options.agglomerate;
  if (!requested.requested())
    return n_simplices;
  if (!requested.from.empty())
    return given_parts(options, imported,
                       static_cast<std::size_t>(n_simplices) >> (imported.dimension * options.refinements()))
        .n_parts;
  const double n =
      requested.elements > 0
          ? requested.elements
          : std::max(1., std::round(measure(options, imported) / std::pow(requested.mean_size, imported.dimension)));
  TESSERA_REQUIRE(n <= n_simplices, options.agglomerate_where.text()
                                        << ": " << n << " elements are requested, but the mesh has only " << n_simplices
                                        << (imported.dimension == 2 ? " triangles." : " tetrahedra."));
  return n;
}

std::string dg_memory_text(const io::Case& input, const io::ImportedMesh& imported, const MeshCounts& mesh) {
  const double n_simplices = static_cast<double>(mesh.elements);
  const double n_elements = n_dg_elements(input.mesh, imported, n_simplices);
  const DgSizes sizes = expected_sizes(input.discretization, imported.dimension, n_elements, n_simplices);
  std::ostringstream text;
  text << std::setprecision(15) << "# Elements: " << n_elements << " of " << n_simplices
       << (imported.dimension == 2 ? " triangles" : " tetrahedra") << ", unknowns: at least " << sizes.assembly.unknowns
       << ".\n"
       << "# Memory, estimated: at least " << format_bytes(estimate_bytes(input, sizes))
       << " for the matrix and its solver.\n";
  return text.str();
}

} // namespace

std::string dry_run_text(const io::Case& given, int n_processes) {
  io::Case input = given;
  Facts facts{input, n_processes};
  Notes notes;
  run_checks(Known::input, facts, notes);
  std::ostringstream text;
  text << io::resolved_text(input); // with wildcards as written
  const auto write_notes = [&] {
    for (const std::string& note : notes)
      text << "# Note: " << note << '\n';
    notes.clear();
  };
  if (input.mesh.source == io::MeshSource::geometry) {
    linear_shell_notes(facts, notes);
    write_notes();
    text << "# Memory: not estimated, because the counts of the mesh are known once Gmsh has made it. What a run tells "
            "of "
            "its groups, this one does not.\n";
    return text.str();
  }
  const io::ImportedMesh imported = read_mesh_of_case(input);
  facts.mesh = &imported;
  run_checks(Known::mesh, facts, notes);
  spread_materials(input, imported);
  const ProblemBinding binding = bind_problem(input, imported);
  const auto add = [&](const Notes& more) { notes.insert(notes.end(), more.begin(), more.end()); };
  add(imported.notes);
  facts.binding = &binding;
  run_checks(Known::binding, facts, notes);
  if (may_have_loose_parts(input))
    check_loose_parts(facts, notes);
  add(input.mesh.source == io::MeshSource::box ? box_groups(input.mesh).notes : shared_name_notes(imported));
  write_notes();
  const bool on_gpu = input.execution.backend != "serial" && input.execution.backend != "openmp";
  if (input.discretization.method == io::Method::dg) {
    text << dg_memory_text(input, imported, problem_size(input, imported, on_gpu).memory.final_mesh());
    return text.str();
  }
  const ProblemSize size = problem_size(input, imported, on_gpu, n_processes);
  const Plan plan = make_plan(input, size, -1.);
  facts.plan = &plan;
  run_checks(Known::plan, facts, notes);
  write_notes();
  const char* const of_part = size.memory.is_part ? " of the largest part" : "";
  text << "# Elements" << of_part << ": " << size.memory.final_mesh().elements << ", nodes: " << size.work.unknowns
       << ", matrix entries" << of_part << ": " << size.memory.n_matrix_entries() << " at most.\n"
       << "# Memory" << (n_processes > 1 ? " of each of " + std::to_string(n_processes) + " processes" : "")
       << ", estimated: "
       << needs_text(size, [&](Strategy strategy, double) { return fits_offsets(size.memory, strategy); }) << ".\n"
       << "# Strategy: " << io::name_of(plan.strategy) << (plan.reason.empty() ? "" : ": " + plan.reason) << ".\n";
  if (!plan.preconditioner_reason.empty())
    text << "# Preconditioner: " << io::name_of(plan.solver.preconditioner) << ": " << plan.preconditioner_reason
         << ".\n";
  return text.str();
}

} // namespace tessera::driver
