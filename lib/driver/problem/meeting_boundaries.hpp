// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_MEETING_BOUNDARIES_HPP
#define TESSERA_DRIVER_PROBLEM_MEETING_BOUNDARIES_HPP

#include "core/algorithms/grouped_items.hpp"
#include "core/transfer/upload.hpp"
#include "driver/problem/binding/problem_binding.hpp"
#include "driver/problem/node_coordinates.hpp"
#include "driver/problem/shared_nodes.hpp"
#include "fe/function_space.hpp"
#include "mesh/mesh.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

namespace tessera::driver::detail {

/// Counts facets of fixed boundaries with a node of another fixed boundary.
template <class Space, class FacetNodes> struct MeetingFacets {
  FacetNodes nodes;
  Array<const group_t*, Space> groups;
  Array<const group_t*, Space> node_constraint;
  Array<const int*, Space> constraint_of_group; // -1: none
  Array<const int*, Space> is_fixed;            // by constraint
  KOKKOS_FUNCTION void operator()(index_t f, index_t& n_found) const {
    const int own = constraint_of_group(groups(f));
    bool meets = false;
    for (int a = 0; own >= 0 && a < static_cast<int>(nodes.extent(1)); ++a) {
      const auto other = static_cast<index_t>(node_constraint(nodes(f, a)));
      meets = meets || (other < static_cast<index_t>(is_fixed.extent(0)) && other != static_cast<index_t>(own) &&
                        is_fixed(other) != 0);
    }
    n_found += meets ? 1 : 0;
  }
};

template <class Space> struct LargestMagnitude {
  Array<const double*, Space> values;
  KOKKOS_FUNCTION void operator()(index_t n, double& largest) const {
    const double magnitude = values(n) < 0. ? -values(n) : values(n);
    largest = magnitude > largest ? magnitude : largest;
  }
};

template <class Space, class FacetNodes> struct TakeFacetConstraints {
  FacetNodes nodes;
  Array<const group_t*, Space> node_constraint;
  Array<group_t**, Space> constraints;
  KOKKOS_FUNCTION void operator()(index_t f) const {
    for (int a = 0; a < static_cast<int>(nodes.extent(1)); ++a)
      constraints(f, a) = node_constraint(nodes(f, a));
  }
};

/// All nodes of fixed boundaries are in one class.
template <class Space> struct IsFixedNode {
  Array<const group_t*, Space> node_constraint;
  Array<const int*, Space> is_fixed; // by constraint
  KOKKOS_FUNCTION index_t operator()(std::int64_t n) const {
    const group_t own = node_constraint(n);
    return own < is_fixed.extent(0) && is_fixed(own) != 0 ? 0 : -1;
  }
};

/// Finds nodes where boundaries of fixed values meet.
template <class ExecutionSpace, int Dim, int Order> class MeetingBoundaries {
  using Space = typename ExecutionSpace::memory_space;

public:
  MeetingBoundaries(const ExecutionSpace& exec, const mesh::Mesh<Dim, Space>& mesh,
                    const fe::FunctionSpace<Dim, Order, Space>& space, const Array<group_t*, Space>& node_constraint,
                    const ProblemBinding& binding)
      : exec_(exec), mesh_(mesh), space_(space), node_constraint_(node_constraint), binding_(binding),
        constraint_of_group_(mesh.boundary_names.size(), -1) {
    for (std::size_t c = 0; c < n_boundaries(); ++c)
      if (is_fixed_boundary(c))
        constraint_of_group_[binding_.constraints[c].group] = static_cast<int>(c);
  }

  std::size_t n_boundaries() const { return binding_.constraints.size(); }

  /// The constraint on each boundary, if it fixes values; else -1.
  const std::vector<int>& constraint_of_group() const { return constraint_of_group_; }

  /// Whether a facet of one boundary has a node of another.
  bool any() const {
    const auto n = static_cast<index_t>(mesh_.facet_groups.extent(0));
    index_t n_found = 0;
    if (n_boundaries() == 0)
      return false;
    const auto table = uploaded(exec_, "driver::constraints_of_boundaries", constraint_of_group_);
    const auto fixed = fixed_constraints();
    Kokkos::parallel_reduce("tessera::driver::meeting_boundaries",
                            Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec_, 0, n),
                            MeetingFacets<Space, decltype(space_.facet_nodes)>{space_.facet_nodes, mesh_.facet_groups,
                                                                               node_constraint_, table, fixed},
                            n_found); // waits: the tables may be freed
    return n_found > 0;
  }

  /// shared_nodes(), if some process has any. Collective.
  std::optional<SharedNodes> shared_nodes_of_all(const Array<const double*, ExecutionSpace>& nodal,
                                                 const comm::Communicator& world, std::vector<ValueJump>& jumps) const {
    if (world.largest(any() ? 1 : 0) == 0)
      return std::nullopt;
    return shared_nodes(nodal, world, jumps);
  }

  /// Nodes of facets that belong to another of these boundaries. A facet in two boundaries is counted for neither.
  /// `jumps` gets the pairs whose values differ, without duplicates; such nodes are not shared. Only facet data are
  /// copied to the host.
  SharedNodes shared_nodes(const Array<const double*, ExecutionSpace>& nodal, const comm::Communicator& world,
                           std::vector<ValueJump>& jumps) const {
    const auto facet_nodes = tessera::to_host(exec_, space_.facet_nodes);
    const auto groups = tessera::to_host(exec_, mesh_.facet_groups);
    const auto taken = make_array<Array<group_t**, ExecutionSpace>>(exec_, "driver::constraints_of_facets",
                                                                    groups.extent(0), facet_nodes.extent(1));
    for_each("tessera::driver::take_facet_constraints", exec_, static_cast<index_t>(groups.extent(0)),
             TakeFacetConstraints<Space, decltype(space_.facet_nodes)>{space_.facet_nodes, node_constraint_, taken});
    const auto constraints = tessera::to_host(exec_, taken);
    const auto vertices_of = [&](std::size_t f) {
      std::array<index_t, Dim> vertices{};
      for (std::size_t a = 0; a < Dim; ++a)
        vertices[a] = facet_nodes(f, a);
      std::sort(vertices.begin(), vertices.end());
      return vertices;
    };
    std::vector<std::array<index_t, Dim>> fixed;
    for (std::size_t f = 0; f < groups.extent(0); ++f)
      if (constraint_of_group_[groups(f)] >= 0)
        fixed.push_back(vertices_of(f));
    std::sort(fixed.begin(), fixed.end());
    const double tolerance = 1e-9 * largest(nodal); // expressions of two boundaries differ by rounding

    std::vector<Meeting> meetings;
    for (std::size_t f = 0; f < groups.extent(0); ++f)
      for (std::size_t a = 0; constraint_of_group_[groups(f)] >= 0 && a < facet_nodes.extent(1); ++a) {
        const int facet = constraint_of_group_[groups(f)];
        const index_t node = facet_nodes(f, a);
        const std::size_t own = constraints(f, a);
        if (own == static_cast<std::size_t>(facet) || own >= n_boundaries() || !is_fixed_boundary(own))
          continue;
        const auto same = std::equal_range(fixed.begin(), fixed.end(), vertices_of(f));
        if (same.second - same.first == 1)
          meetings.push_back({node, facet, static_cast<int>(own)});
      }
    std::vector<index_t> met;
    for (const Meeting& meeting : meetings)
      met.push_back(meeting.node);
    const std::vector<std::array<double, 3>> at = coordinates_of_nodes(exec_, space_.coordinates, met);
    const auto values = rows_on_host(exec_, nodal, met);
    SharedNodes found;
    for (std::size_t i = 0; i < meetings.size(); ++i)
      add(meetings[i], at[i], values(i), tolerance, found, jumps);
    if (world.size() > 1) { // other processes may have the facets of a node
      const auto fixed_nodes =
          group_items(exec_, static_cast<std::int64_t>(node_constraint_.extent(0)), 1,
                      IsFixedNode<Space>{node_constraint_, fixed_constraints()}, "nodes of fixed boundaries");
      const auto numbers = tessera::to_host(exec_, fixed_nodes.items);
      const std::vector<index_t> nodes(numbers.data(), numbers.data() + numbers.extent(0));
      complete_shared_nodes(world, nodes, coordinates_of_nodes(exec_, space_.coordinates, nodes), found);
      complete_jumps(world, jumps);
    }
    return found;
  }

private:
  /// 1 for each fixed boundary.
  Array<const int*, Space> fixed_constraints() const {
    std::vector<int> is_fixed;
    for (std::size_t c = 0; c < n_boundaries(); ++c)
      is_fixed.push_back(is_fixed_boundary(c) ? 1 : 0);
    return uploaded(exec_, "driver::fixed_constraints", is_fixed);
  }
  bool is_fixed_boundary(std::size_t c) const {
    const fe::Constraint& given = binding_.constraints[c];
    return !given.is_region && !given.is_axis && !given.is_tied;
  }

  double value_of(int boundary, const std::array<double, 3>& at) const {
    return binding_.fixed_values[static_cast<std::size_t>(boundary)](at[0], at[1], at[2]);
  }

  /// A node of a facet with another boundary.
  struct Meeting {
    index_t node;
    int facet;
    int own;
  };

  /// `nodal`: the value at the node.
  void add(const Meeting& meeting, const std::array<double, 3>& at, double nodal, double tolerance, SharedNodes& found,
           std::vector<ValueJump>& jumps) const {
    const auto [node, facet, own] = meeting;
    if (!(std::abs(value_of(facet, at) - nodal) <= tolerance))
      return add_jump({std::min(facet, own), std::max(facet, own), at}, jumps);
    SharedNode& shared = found[node];
    shared.at = at;
    add_constraint(facet, shared);
    add_constraint(own, shared);
  }

  double largest(const Array<const double*, ExecutionSpace>& nodal) const {
    double found = 0.;
    Kokkos::parallel_reduce("tessera::driver::largest_value",
                            Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(
                                exec_, 0, static_cast<index_t>(nodal.extent(0))),
                            LargestMagnitude<Space>{nodal}, Kokkos::Max<double>(found));
    return found;
  }

  const ExecutionSpace& exec_;
  const mesh::Mesh<Dim, Space>& mesh_;
  const fe::FunctionSpace<Dim, Order, Space>& space_;
  Array<group_t*, Space> node_constraint_;
  const ProblemBinding& binding_;
  std::vector<int> constraint_of_group_;
};

} // namespace tessera::driver::detail

#endif
