// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/discretization.hpp"
#include "driver/driver.hpp"
#include "driver/mesh/import.hpp"
#include "driver/mesh/mesh_groups.hpp"
#include "driver/mesh/mesh_transfer.hpp"
#include "driver/mesh/prepare_mesh.hpp"
#include "driver/session.hpp"
#include "io/input_text.hpp"

#include <iomanip>
#include <sstream>

namespace tessera::driver {

namespace {

std::string number(double value) {
  std::ostringstream text;
  text << std::setprecision(4) << value;
  return text.str();
}

std::string box_text(const MeshGroup& group, int dimension) {
  std::string text;
  for (int d = 0; d < dimension; ++d)
    text += (d > 0 ? " x " : "") + ("[" + number(group.lowest[d])) + ", " + number(group.highest[d]) + "]";
  return text;
}

void print_groups(const std::vector<MeshGroup>& groups, bool regions, int dimension, io::Console& console) {
  const int size = regions ? dimension : dimension - 1;
  const std::string unit = size == 1 ? "m" : size == 2 ? "m^2" : "m^3";
  std::vector<std::vector<std::string>> rows;
  std::int64_t n_outer = 0;
  for (const MeshGroup& group : groups) {
    if (group.is_region != regions)
      continue;
    n_outer += group.n_outer_facets;
    const std::vector<std::string> neighbours(group.neighbours.begin(), group.neighbours.end());
    rows.push_back({io::printable(group.name, 60), io::format_count(group.n_elements), number(group.measure),
                    group.n_elements > 0 ? box_text(group, dimension) : "", io::joined(neighbours)});
  }
  console.table({regions ? "region" : "boundary", regions ? "elements" : "facets", unit, "from, to [m]",
                 regions ? "touches" : "of region"},
                rows);
  if (regions && n_outer > 0)
    console.line("  " + io::format_count(n_outer) +
                 " faces at the outside belong to no boundary: there, the natural condition holds.");
}

} // namespace

void list_mesh(const io::Case& asked) {
  io::Case input = asked;
  input.mesh.refine = 0;
  input.mesh.ordering = io::Ordering::none;
  io::Console console(false);
  PhaseLog log;
  log.set_listener(console.listener());
  std::vector<std::string> notes = input.notes;
  Context context{input, console, log, notes};
  KokkosSession session(input, {input.execution.backend}, context);
  io::ImportedMesh mesh = import_mesh(input, context);
  if (input.mesh.source == io::MeshSource::box) { // made on the device
    session.start(mesh);
    visit_backend(input.execution.backend, [&](const auto& exec) {
      using ExecutionSpace = std::decay_t<decltype(exec)>;
      visit_dimension(mesh.dimension, [&](auto dimension) {
        mesh =
            download_mesh(exec, prepare_mesh<ExecutionSpace, decltype(dimension)::value>(exec, mesh, false, context));
      });
    });
  }
  const std::vector<MeshGroup> groups = mesh_groups(mesh);
  console.line(io::format_count(static_cast<std::int64_t>(mesh.n_nodes())) + " nodes, " +
               io::format_count(static_cast<std::int64_t>(mesh.n_elements())) +
               (mesh.dimension == 2 ? " triangles" : " tetrahedra"));
  print_groups(groups, true, mesh.dimension, console);
  print_groups(groups, false, mesh.dimension, console);
  for (const std::string& note : notes)
    console.line("note: " + note);
}

} // namespace tessera::driver
