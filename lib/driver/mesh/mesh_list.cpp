// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/place_text.hpp"
#include "driver/driver.hpp"
#include "driver/mesh/import.hpp"
#include "driver/mesh/mesh_groups.hpp"
#include "driver/mesh/mesh_transfer.hpp"
#include "driver/mesh/prepare_mesh.hpp"
#include "driver/session.hpp"
#include "driver/visit.hpp"
#include "io/input/input_text.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace tessera::driver {

namespace {

std::string number(double value, int digits = 4) {
  std::ostringstream text;
  text << std::setprecision(digits) << value;
  return text.str();
}

/// Text for the bounding box of a MeshGroup or io::MeshEntity.
template <class Thing> std::string box_text(const Thing& thing, int dimension) {
  const auto n = static_cast<std::size_t>(dimension);
  double farthest = 0., extent = 0.;
  for (std::size_t d = 0; d < n; ++d) {
    farthest = std::max({farthest, std::fabs(thing.lowest[d]), std::fabs(thing.highest[d])});
    extent = std::max(extent, thing.highest[d] - thing.lowest[d]);
  }
  const int digits = digits_of_places(farthest, extent, 4);
  std::string text;
  for (std::size_t d = 0; d < n; ++d)
    text +=
        (d > 0 ? " x " : "") + ("[" + number(thing.lowest[d], digits)) + ", " + number(thing.highest[d], digits) + "]";
  return text;
}

const char* unit_of(int dimension) { return dimension == 1 ? "m" : dimension == 2 ? "m^2" : "m^3"; }

void print_groups(const std::vector<MeshGroup>& groups, bool regions, int dimension, io::Console& console) {
  const int size = regions ? dimension : dimension - 1;
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
  console.table({regions ? "region" : "boundary", regions ? "elements" : "facets", unit_of(size), "from, to [m]",
                 regions ? "touches" : "of region"},
                rows);
  if (regions && n_outer > 0)
    console.line("  " + io::format_count(n_outer) +
                 " faces at the outside belong to no boundary: there, the natural condition holds.");
}

/// Maximum number of printed volumes, surfaces or curves: a screen or two.
constexpr std::size_t most_entities = 100;

std::string numbers_text(const std::vector<int>& numbers) {
  std::vector<std::string> texts;
  for (const int number : numbers)
    texts.push_back(std::to_string(number));
  return io::joined(texts);
}

/// Prints the volumes, surfaces or curves of a geometry, including those in no group.
void print_entities(const io::ImportedMesh& mesh, int dimension, io::Console& console) {
  const char* const names[] = {"", "curve", "surface", "volume"};
  std::vector<std::vector<std::string>> rows;
  std::size_t n_left_out = 0;
  for (const io::MeshEntity& entity : mesh.entities) {
    if (entity.dimension != dimension)
      continue;
    if (rows.size() == most_entities) {
      ++n_left_out;
      continue;
    }
    rows.push_back({std::to_string(entity.number), entity.name.empty() ? "-" : io::printable(entity.name, 60),
                    entity.groups.empty() ? "-" : io::printable(io::joined(entity.groups), 60),
                    io::format_count(entity.n_elements), number(entity.measure),
                    entity.n_elements > 0 ? box_text(entity, mesh.dimension) : "", numbers_text(entity.neighbours)});
  }
  if (rows.empty())
    return;
  const std::string touched =
      dimension == mesh.dimension ? std::string("touches") : std::string("of ") + names[dimension + 1];
  const char* const elements[] = {"elements", "facets", "edges"};
  console.table({names[dimension], "name", "in group", elements[mesh.dimension - dimension], unit_of(dimension),
                 "from, to [m]", touched},
                rows);
  if (n_left_out > 0)
    console.line("  " + io::format_count(static_cast<std::int64_t>(n_left_out)) +
                 " more, of higher numbers, are left out: a list has the first " + std::to_string(most_entities) + ".");
}

} // namespace

void list_mesh(const io::Case& requested) {
  io::Case input = requested;
  input.mesh.refine = 0;
  input.mesh.levels = 0;
  input.mesh.ordering = io::Ordering::none;
  io::Console console(false);
  PhaseLog log;
  log.set_listener(console.listener());
  std::vector<std::string> notes = input.notes;
  Context context{input, console, log, notes};
  KokkosSession session(input, {input.execution.backend}, context);
  io::ImportedMesh mesh = import_mesh(input, context, false, true);
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
  for (int d = mesh.dimension; d >= 1; --d)
    print_entities(mesh, d, console);
  for (const std::string& note : notes)
    console.line("note: " + note);
}

} // namespace tessera::driver
