// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/mesh/prepare_mesh.hpp"

#include "core/place_text.hpp"
#include "driver/mesh/box_groups.hpp"
#include "driver/mesh/divide_mesh.hpp"
#include "driver/mesh/import.hpp"
#include "driver/mesh/mesh_surface.hpp"
#include "driver/mesh/mesh_transfer.hpp"
#include "driver/mesh/split_joints.hpp"
#include "driver/plan/parts_check.hpp"
#include "mesh/box.hpp"
#include "mesh/checks/checks.hpp"
#include "mesh/ordering.hpp"
#include "mesh/parts/refined_part.hpp"
#include "mesh/refine/refinement.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace tessera::driver {

namespace {

/// Checks and notes on facets that bound the mesh or a region: a small part of it, examined on the host.
template <class ExecutionSpace, int Dim>
void check_surface(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                   const mesh::FacetMarks<typename ExecutionSpace::memory_space>& marks,
                   const io::ImportedMesh& imported, Context& context) {
  const bool may_be_curved = needs_curved_elements(context.input) && imported.n_curved() == 0;
  const mesh::Surface<Dim> surface = mesh::collect_surface<ExecutionSpace, Dim>(exec, mesh, marks, may_be_curved);
  std::vector<std::string>& notes = context.notes;
  const io::MeshOptions& options = context.input.mesh;
  const std::string path = options.where.text() + ": " + options.path;
  const std::string touching = check_hanging_nodes(surface, imported, path);
  check_overlap(mesh::find_overlap(exec, mesh, surface), imported, path);
  if (!touching.empty())
    notes.push_back(touching);
  const std::string apart = narrow_gaps_note(surface, imported, context.input);
  if (!apart.empty())
    notes.push_back(apart);
  const std::string curved = may_be_curved ? curved_surfaces_note(surface, imported, context.input) : "";
  if (!curved.empty())
    notes.push_back(curved);
}

} // namespace

template <class ExecutionSpace, int Dim>
void check_refined(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                   const io::MeshOptions& options, const char* key) {
  const mesh::InvertedElements<Dim> inverted = mesh::find_inverted<ExecutionSpace, Dim>(exec, mesh);
  TESSERA_REQUIRE(
      inverted.count == 0, options.where.text()
                               << ": " << key
                               << ": the mesh is too coarse for its curved boundaries: with the new nodes upon them "
                               << inverted.count << " elements are inverted, the first at "
                               << place_text(&inverted.place[0], Dim)
                               << ". Make the mesh finer there, or keep straight facets by mesh.curved: false.");
}

void note_straight_edges(const mesh::StraightEdges& straight, int dimension, const char* key, const char* what,
                         std::vector<std::string>& notes) {
  if (!straight.any())
    return;
  std::ostringstream note;
  note << key << ": " << straight.n_elements << (straight.n_elements == 1 ? " element" : " elements") << " would be "
       << what << " by the new nodes on curved boundaries, so that edges there stay straight, up to "
       << std::setprecision(2) << straight.distance << " m off the boundary, at "
       << place_text(straight.place.data(), dimension) << ". Smaller elements follow it.";
  if (std::find(notes.begin(), notes.end(), note.str()) == notes.end())
    notes.push_back(note.str());
}

namespace {

/// A box in metres.
template <int Dim> struct Box {
  std::array<index_t, Dim> cells;
  std::array<double, Dim> lower;
  std::array<double, Dim> upper;
  explicit Box(const io::MeshOptions& options) {
    for (std::size_t d = 0; d < Dim; ++d) {
      cells[d] = options.box.cells[d];
      lower[d] = options.scale * options.box.lower[d];
      upper[d] = options.scale * options.box.upper[d];
    }
  }
};

/// The sides of a box that belong to given groups of the input.
mesh::WholeGroups sides_of_groups(const io::MeshOptions& options, const mesh::WholeGroups& groups) {
  if (options.groups.empty())
    return groups;
  const io::JoinedGroups joined = box_groups(options);
  if (joined.boundaries.number.empty())
    return groups;
  mesh::WholeGroups sides;
  for (std::size_t side = 0; side < joined.boundaries.number.size(); ++side)
    if (std::find(groups.boundaries.begin(), groups.boundaries.end(), joined.boundaries.number[side]) !=
        groups.boundaries.end())
      sides.boundaries.push_back(static_cast<group_t>(side));
  sides.regions = groups.regions;
  return sides;
}

/// Sets the groups of a box's sides to those of the input.
template <class ExecutionSpace, int Dim>
void group_sides(const ExecutionSpace& exec, Context& context,
                 mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  const io::MeshOptions& options = context.input.mesh;
  if (options.groups.empty())
    return;
  const io::JoinedGroups groups = box_groups(options);
  set_box_groups<ExecutionSpace, Dim>(exec, groups, mesh);
  context.notes.insert(context.notes.end(), groups.notes.begin(), groups.notes.end());
}

} // namespace

namespace {

std::vector<group_t> joint_groups(const io::ProblemOptions& problem, const io::ImportedMesh& imported) {
  std::vector<group_t> groups;
  for (const io::Boundary& boundary : problem.boundaries)
    if (boundary.kind == io::BoundaryKind::joint)
      for (std::size_t g = 0; g < imported.boundary_names.size(); ++g)
        if (imported.boundary_names[g] == boundary.group.name)
          groups.push_back(static_cast<group_t>(g));
  return groups;
}

/// The mesh, read or made, and checked; before refinement.
template <class ExecutionSpace, int Dim>
mesh::Mesh<Dim, typename ExecutionSpace::memory_space>
coarsest_mesh(const ExecutionSpace& exec, const io::ImportedMesh& imported, bool with_parents, Context& context) {
  using Space = typename ExecutionSpace::memory_space;
  const io::MeshOptions& options = context.input.mesh;
  const bool is_dg = context.input.discretization.method == io::Method::dg; // jumps everywhere
  mesh::Mesh<Dim, Space> mesh;
  if (options.source == io::MeshSource::box) {
    const Box<Dim> box(options);
    context.log.run("mesh: box", exec, [&] {
      mesh = mesh::make_box<Dim>(exec, box.cells, box.lower, box.upper);
      if (with_parents)
        mesh.node_parents = mesh::box_node_parents<Dim>(exec, box.cells);
      group_sides<ExecutionSpace, Dim>(exec, context, mesh);
    });
  } else {
    context.log.run(
        "mesh: upload", exec, [&] { mesh = upload_mesh<Dim>(exec, imported); }, PhaseKind::with_host);
    for (const std::string& note : shared_name_notes(imported))
      context.notes.push_back(note);
    mesh::FacetMarks<Space> marks;
    bool has_orphans = false;
    context.log.run("mesh: check", exec, [&] {
      const mesh::MeshReport report = mesh::check_mesh<ExecutionSpace, Dim>(exec, mesh, &marks);
      TESSERA_REQUIRE(!report.has_errors(), options.where.text() << ": " << options.path << ": " << report.errors());
      if (!report.warnings().empty())
        context.notes.push_back(report.warnings());
      has_orphans = report.orphan_nodes.any();
    });
    context.log.run(
        "mesh: surface", exec, [&] { check_surface<ExecutionSpace, Dim>(exec, mesh, marks, imported, context); },
        PhaseKind::with_host);
    if (io::has_joints(context.input.problem) && !is_dg) // after the checks, which would find its nodes twice
      context.log.run(
          "mesh: joints", exec,
          [&] { mesh = upload_mesh<Dim>(exec, split_joints(imported, joint_groups(context.input.problem, imported))); },
          PhaseKind::with_host);
    if (has_orphans)
      context.log.run("mesh: compact", exec, [&] { mesh = mesh::drop_orphan_nodes<ExecutionSpace, Dim>(exec, mesh); });
  }
  return mesh;
}

} // namespace

template <class ExecutionSpace, int Dim>
mesh::MeshPart<Dim, typename ExecutionSpace::memory_space>
prepare_part(const ExecutionSpace& exec, const io::ImportedMesh& imported, const mesh::WholeGroups& whole,
             mesh::CoarserMeshes coarser, Context& context, const std::vector<std::uint64_t>& cuts) {
  using Part = mesh::MeshPart<Dim, typename ExecutionSpace::memory_space>;
  const io::MeshOptions& options = context.input.mesh;
  const int n_layers = layers_around_part(context.input, coarser == mesh::CoarserMeshes::elements);
  Part part;
  if (options.source == io::MeshSource::box && options.refinements() == 0) { // without the whole mesh
    const Box<Dim> box(options);
    context.log.run("mesh: part of box", exec, [&] {
      part = mesh::make_box_part<Dim>(exec, box.cells, box.lower, box.upper, context.world.rank(), context.world.size(),
                                      n_layers, sides_of_groups(options, whole), coarser, cuts);
      group_sides<ExecutionSpace, Dim>(exec, context, part.mesh);
    });
    return part;
  }
  const auto coarsest =
      coarsest_mesh<ExecutionSpace, Dim>(exec, imported, coarser != mesh::CoarserMeshes::none, context);
  std::vector<index_t> owners; // of coarse nodes; each process gets the nodes around its own
  if (divides_by_metis(context))
    context.log.run(
        "mesh: divide", exec, [&] { owners = processes_of_nodes<Dim>(exec, coarsest, context); }, PhaseKind::with_host);
  context.log.run("mesh: part", exec, [&] {
    part = mesh::make_refined_part<ExecutionSpace, Dim>(exec, coarsest, options.refinements(), context.world, n_layers,
                                                        whole, coarser, cuts, owners);
  });
  if (options.refinements() > 0 && part.mesh.curved.n_facets() > 0)
    context.log.run("mesh: check refined", exec,
                    [&] { check_refined<ExecutionSpace, Dim>(exec, part.mesh, options, "mesh.refine"); });
  return part;
}

template <class ExecutionSpace, int Dim>
mesh::Mesh<Dim, typename ExecutionSpace::memory_space>
prepare_mesh(const ExecutionSpace& exec, const io::ImportedMesh& imported, bool with_parents, Context& context) {
  const io::MeshOptions& options = context.input.mesh;
  auto mesh = coarsest_mesh<ExecutionSpace, Dim>(exec, imported, with_parents, context);
  // The same curve as for parts of the mesh (make_refined_part), even if refinement extends beyond it.
  const auto curve = mesh::curve_through(mesh::bounds_of<ExecutionSpace, Dim>(exec, mesh));
  std::int64_t n_refined = mesh.n_elements();
  for (int level = 0; level < options.refinements(); ++level) // reported before hours of work
    n_refined = checked_index(n_refined * (Dim == 2 ? 4 : 8), "mesh.refine: elements");
  if (options.refinements() > 0)
    context.log.run("mesh: refine", exec, [&] {
      mesh::StraightEdges straight;
      for (int level = 0; level < options.refinements(); ++level)
        mesh = mesh::refine_uniform<ExecutionSpace, Dim>(exec, mesh, with_parents, &straight);
      note_straight_edges(straight, Dim, "mesh.refine", "inverted", context.notes);
    });
  if (options.refinements() > 0 && mesh.curved.n_facets() > 0)
    context.log.run("mesh: check refined", exec,
                    [&] { check_refined<ExecutionSpace, Dim>(exec, mesh, options, "mesh.refine"); });
  if (options.ordering == io::Ordering::morton)
    context.log.run("mesh: order", exec, [&] { mesh = mesh::order_mesh<ExecutionSpace, Dim>(exec, mesh, curve); });
  return mesh;
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template mesh::Mesh<DIM, typename SPACE::memory_space> prepare_mesh<SPACE, DIM>(                                     \
      const SPACE&, const io::ImportedMesh&, bool, Context&);                                                          \
  template mesh::MeshPart<DIM, typename SPACE::memory_space> prepare_part<SPACE, DIM>(                                 \
      const SPACE&, const io::ImportedMesh&, const mesh::WholeGroups&, mesh::CoarserMeshes, Context&,                  \
      const std::vector<std::uint64_t>&);                                                                              \
  template void check_refined<SPACE, DIM>(const SPACE&, const mesh::Mesh<DIM, typename SPACE::memory_space>&,          \
                                          const io::MeshOptions&, const char*);
#define TESSERA_INSTANTIATE(SPACE) TESSERA_INSTANTIATE_DIM(SPACE, 2) TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
