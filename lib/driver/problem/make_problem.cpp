// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/mesh/divide_mesh.hpp"
#include "driver/mesh/prepare_mesh.hpp"
#include "driver/problem/problem.hpp"
#include "driver/visit.hpp"

namespace tessera::driver {

namespace {

/// Groups all nodes of which are in every process's part of the mesh: the unknown of identified nodes belongs to one of
/// them, that of a floating body to the last process.
mesh::WholeGroups whole_groups(const ProblemBinding& binding, const comm::Communicator& world) {
  mesh::WholeGroups groups;
  for (const fe::PeriodicPair& pair : binding.periodic)
    groups.boundaries.insert(groups.boundaries.end(), {pair.group, pair.partner});
  if (world.rank() + 1 == world.size())
    for (const fe::Constraint& constraint : binding.constraints)
      if (constraint.is_tied)
        (constraint.is_region ? groups.regions : groups.boundaries).push_back(constraint.group);
  return groups;
}

} // namespace

template <class ExecutionSpace>
std::unique_ptr<Problem<ExecutionSpace>> make_problem(const ExecutionSpace& exec, const io::ImportedMesh& imported,
                                                      const ProblemBinding& binding, FormKind form,
                                                      mesh::CoarserMeshes coarser, Context& context,
                                                      PreparedMesh<typename ExecutionSpace::memory_space>* prepared) {
  std::unique_ptr<Problem<ExecutionSpace>> problem;
  const bool with_parents = coarser != mesh::CoarserMeshes::none;
  visit_discretization(imported.dimension, context.input.discretization.order.number, [&](auto dimension, auto order) {
    constexpr int Dim = decltype(dimension)::value;
    if (has_parts(context)) {
      const auto part =
          prepare_part<ExecutionSpace, Dim>(exec, imported, whole_groups(binding, context.world), coarser, context);
      problem = make_problem_on_part<ExecutionSpace, Dim, decltype(order)::value>(exec, part, binding, form, context);
      return;
    }
    using Mesh = mesh::Mesh<Dim, typename ExecutionSpace::memory_space>;
    const Mesh* there = nullptr;
    if (prepared != nullptr && (prepared->with_parents || !with_parents))
      there = std::get_if<Mesh>(&prepared->mesh);
    const Mesh mesh =
        there != nullptr ? *there : prepare_mesh<ExecutionSpace, Dim>(exec, imported, with_parents, context);
    if (prepared != nullptr && there == nullptr)
      *prepared = {mesh, with_parents};
    const auto on_mesh = [&](const Mesh& one) {
      return make_problem_on_mesh<ExecutionSpace, Dim, decltype(order)::value>(exec, one, binding, form, context);
    };
    if (!divides_by_metis(context)) {
      problem = on_mesh(mesh);
      return;
    }
    mesh::DividedMesh<Dim, typename ExecutionSpace::memory_space> divided;
    context.log.run(
        "mesh: divide", exec,
        [&] {
          const auto graph = mesh::element_graph<ExecutionSpace, Dim>(exec, mesh);
          divided = mesh::divide_mesh<ExecutionSpace, Dim>(exec, mesh, parts_for_processes(graph, {}, context),
                                                           context.world.size());
        },
        PhaseKind::with_host);
    problem = on_mesh(divided.mesh);
    problem->part_nodes = divided.first_node;
  });
  return problem;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template std::unique_ptr<Problem<SPACE>> make_problem<SPACE>(const SPACE&, const io::ImportedMesh&,                  \
                                                               const ProblemBinding&, FormKind, mesh::CoarserMeshes,   \
                                                               Context&, PreparedMesh<typename SPACE::memory_space>*);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
