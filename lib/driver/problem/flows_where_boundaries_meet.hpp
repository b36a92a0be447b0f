// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_FLOWS_WHERE_BOUNDARIES_MEET_HPP
#define TESSERA_DRIVER_PROBLEM_FLOWS_WHERE_BOUNDARIES_MEET_HPP

#include "driver/problem/meeting_boundaries.hpp"
#include "driver/problem/problem.hpp"
#include "physics/corner_flows.hpp"

#include <map>
#include <utility>
#include <vector>

namespace tessera::driver::detail {

/// What constraints of fixed boundaries and, behind them, strong conditions are to get beside the sums of their own
/// nodes; empty if none meet. Of `problem` with its mesh and space, or that on own elements; `visit` calls what it is
/// given with the form, without strong conditions. Collective.
template <class ExecutionSpace, int Dim, int Order, class Visit>
std::vector<double>
flows_where_boundaries_meet(const ExecutionSpace& exec, const Problem<ExecutionSpace>& problem,
                            const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                            const fe::FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                            const StrongConditions<ExecutionSpace>& strong,
                            const Array<const double*, ExecutionSpace>& nodal, const Visit& visit,
                            std::vector<ValueJump>& jumps) {
  using Space = typename ExecutionSpace::memory_space;
  const MeetingBoundaries<ExecutionSpace, Dim, Order> boundaries(exec, mesh, space, problem.dofs.node_constraint,
                                                                 strong, problem.binding);
  if (problem.world->largest(boundaries.any() ? 1 : 0) == 0)
    return {};
  const SharedNodes nodes = boundaries.shared_nodes(nodal, *problem.world, jumps);
  if (problem.binding.magnetic)
    return {}; // no quantity
  std::map<std::vector<int>, group_t> number_of_class;
  std::vector<std::vector<int>> of_class;
  std::vector<group_t> class_of_node(static_cast<std::size_t>(problem.n_space_nodes), fe::DofMap<Space>::unconstrained);
  for (const auto& [node, shared] : nodes) {
    const auto [at, is_new] = number_of_class.emplace(shared.constraints, static_cast<group_t>(number_of_class.size()));
    if (is_new)
      of_class.push_back(shared.constraints);
    class_of_node[static_cast<std::size_t>(node)] = at->second;
  }
  const auto n_classes = static_cast<index_t>(of_class.size());
  const Array<const group_t*, ExecutionSpace> classes = uploaded(exec, "driver::classes_of_nodes", class_of_node);
  std::vector<physics::SurfaceSide> sides;
  const auto n_sets = static_cast<int>(boundaries.n_boundaries());
  for (const mesh::FacetSides& facet : problem.facet_sides(exec, boundaries.constraint_of_group(), n_sets))
    for (int k = 0; k < 2; ++k)
      if (const index_t element = problem.own_place(facet.element[k]); element >= 0)
        sides.push_back({facet.set, element, facet.face[k]});
  std::vector<std::map<int, double>> flows(of_class.size());
  std::vector<double> all;
  visit([&](const auto& form) {
    all = physics::constraint_totals(exec, form, nodal, classes, n_classes);
    for (const physics::CornerFlow& corner : physics::corner_flows(exec, form, nodal, classes, n_classes, sides))
      flows[static_cast<std::size_t>(corner.node_class)][corner.surface] += corner.flow;
  });
  return shared_flows(boundaries.n_boundaries(), of_class, flows, all);
}

} // namespace tessera::driver::detail

#endif
