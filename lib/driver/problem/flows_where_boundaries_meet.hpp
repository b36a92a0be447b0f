// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_FLOWS_WHERE_BOUNDARIES_MEET_HPP
#define TESSERA_DRIVER_PROBLEM_FLOWS_WHERE_BOUNDARIES_MEET_HPP

#include "driver/problem/meeting_boundaries.hpp"
#include "driver/problem/problem.hpp"
#include "physics/fields/corner_flows.hpp"

#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace tessera::driver::detail {

template <class Space> struct SetClasses {
  Array<const index_t*, Space> nodes;
  Array<const group_t*, Space> of_nodes;
  Array<group_t*, Space> node_class;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { node_class(nodes(i)) = of_nodes(i); }
};

/// What constraints of fixed boundaries get in addition to the sums over their nodes; empty if none meet. `boundaries`:
/// those of `problem`, or of that on owned elements; `visit` calls its argument with the form. Collective.
template <class ExecutionSpace, int Dim, int Order, class Visit>
std::vector<double> flows_where_boundaries_meet(const ExecutionSpace& exec, const Fields<ExecutionSpace>& problem,
                                                const MeetingBoundaries<ExecutionSpace, Dim, Order>& boundaries,
                                                const Array<const double*, ExecutionSpace>& nodal, const Visit& visit,
                                                std::vector<ValueJump>& jumps) {
  using Space = typename ExecutionSpace::memory_space;
  const std::optional<SharedNodes> nodes = boundaries.shared_nodes_of_all(nodal, *problem.world, jumps);
  if (!nodes || problem.binding.magnetic)
    return {}; // not defined for magnetic problems
  std::map<std::vector<int>, group_t> number_of_class;
  std::vector<std::vector<int>> of_class;
  std::vector<index_t> numbers;
  std::vector<group_t> classes_of_numbers;
  for (const auto& [node, shared] : *nodes) {
    const auto [at, is_new] = number_of_class.emplace(shared.constraints, static_cast<group_t>(number_of_class.size()));
    if (is_new)
      of_class.push_back(shared.constraints);
    numbers.push_back(node);
    classes_of_numbers.push_back(at->second);
  }
  const auto n_classes = static_cast<index_t>(of_class.size());
  const auto node_class = make_filled<Array<group_t*, ExecutionSpace>>(
      exec, "driver::classes_of_nodes", problem.n_space_nodes, fe::DofMap<Space>::unconstrained);
  const auto of_numbers = uploaded(exec, "driver::classes_of_shared_nodes", classes_of_numbers);
  const auto shared_nodes = uploaded(exec, "driver::shared_nodes", numbers);
  for_each("tessera::driver::set_classes", exec, static_cast<std::int64_t>(numbers.size()),
           SetClasses<Space>{shared_nodes, of_numbers, node_class});
  const Array<const group_t*, ExecutionSpace> classes = node_class;
  const auto n_sets = static_cast<int>(boundaries.n_boundaries());
  const auto facets = problem.facet_sides(exec, boundaries.constraint_of_group(), n_sets);
  std::vector<index_t> elements; // two per facet
  for (const mesh::FacetSides& facet : facets)
    elements.insert(elements.end(), std::begin(facet.element), std::end(facet.element));
  const std::vector<index_t> positions = problem.owned_positions(exec, elements);
  std::vector<physics::SurfaceSide> sides;
  for (std::size_t i = 0; i < positions.size(); ++i)
    if (positions[i] >= 0)
      sides.push_back({facets[i / 2].set, positions[i], facets[i / 2].face[i % 2]});
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
