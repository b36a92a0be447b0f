// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "io/mesh_files/mesh_file.hpp"

#include "core/kokkos_ext/device/free_memory.hpp"
#include "driver/driver.hpp"
#include "driver/mesh/import.hpp"
#include "driver/mesh/mesh_transfer.hpp"
#include "driver/mesh/prepare_mesh.hpp"
#include "driver/plan/plan.hpp"
#include "driver/session.hpp"
#include "driver/visit.hpp"
#include "io/atomic_file.hpp"
#include "io/input/output_check.hpp"

#include <algorithm>

namespace tessera::driver {

void make_mesh_file(const io::Case& requested, const std::string& path) {
  io::Case input = requested;
  require_no_adaptation(input, "mesh");
  io::check_output_file(input, path, "-o");
  io::check_writable(path);
  io::Console console(false);
  PhaseLog log;
  log.set_listener(console.listener());
  std::vector<std::string> notes = input.notes;
  Context context{input, console, log, notes};
  KokkosSession session(input, {input.execution.backend}, context);
  const io::ImportedMesh imported = import_mesh(input, context, true);
  take_levels(input, imported);
  std::vector<io::Boundary>& boundaries = input.problem.boundaries; // the file has joints as interfaces
  boundaries.erase(
      std::remove_if(boundaries.begin(), boundaries.end(),
                     [](const io::Boundary& boundary) { return boundary.kind == io::BoundaryKind::joint; }),
      boundaries.end());
  session.start(imported);
  visit_backend(input.execution.backend, [&](const auto& exec) {
    using ExecutionSpace = std::decay_t<decltype(exec)>;
    const ProblemSize size = problem_size(input, imported, !is_host_space<ExecutionSpace>);
    require_memory(input, estimate_mesh_file_memory(size.memory), free_memory(exec), "This mesh");
    visit_dimension(imported.dimension, [&](auto dimension) {
      const auto mesh = prepare_mesh<ExecutionSpace, decltype(dimension)::value>(exec, imported, false, context);
      log.run(
          "output: mesh", exec, [&] { io::write_mesh_file(path, download_mesh(exec, mesh)); }, PhaseKind::with_host);
      console.line("Wrote " + path + ": " + io::format_count(mesh.n_nodes()) + " nodes, " +
                   io::format_count(mesh.n_elements()) + " elements.");
    });
  });
  for (const std::string& note : notes)
    console.line("note: " + note);
  console.phase_table(log.phases());
}

} // namespace tessera::driver
