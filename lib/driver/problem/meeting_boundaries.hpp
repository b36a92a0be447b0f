// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_PROBLEM_MEETING_BOUNDARIES_HPP
#define TESSERA_DRIVER_PROBLEM_MEETING_BOUNDARIES_HPP

#include "core/algorithms/grouped_items.hpp"
#include "core/algorithms/largest_entry.hpp"
#include "core/transfer/read_entries.hpp"
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

/// All facets of fixed boundaries with a node of another fixed boundary are in one class.
template <class Space, class FacetNodes> struct IsMeetingFacet {
  FacetNodes nodes;
  Array<const group_t*, Space> groups;
  Array<const group_t*, Space> node_constraint;
  Array<const int*, Space> constraint_of_group; // -1: none
  Array<const int*, Space> is_fixed;            // by constraint
  KOKKOS_FUNCTION index_t operator()(std::int64_t f) const {
    const int own = constraint_of_group(groups(f));
    bool meets = false;
    for (int a = 0; own >= 0 && a < static_cast<int>(nodes.extent(1)); ++a) {
      const auto other = static_cast<index_t>(node_constraint(nodes(f, a)));
      meets = meets || (other < static_cast<index_t>(is_fixed.extent(0)) && other != static_cast<index_t>(own) &&
                        is_fixed(other) != 0);
    }
    return meets ? 0 : -1;
  }
};

template <class Space> struct LargestMagnitude {
  Array<const double*, Space> values;
  KOKKOS_FUNCTION void operator()(index_t n, double& largest) const {
    const double magnitude = values(n) < 0. ? -values(n) : values(n);
    largest = magnitude > largest ? magnitude : largest;
  }
};

/// Counts the facets of fixed boundaries with each of some sets of Dim vertices. The sets ascend, as do their vertices.
template <int Dim, class Space, class FacetNodes> struct CountSameFacets {
  FacetNodes nodes; // vertices first
  Array<const group_t*, Space> groups;
  Array<const int*, Space> constraint_of_group; // -1: none
  Array<const index_t*, Space> sets;            // [n_sets * Dim]
  Array<index_t*, Space> counts;                // [n_sets]
  KOKKOS_FUNCTION void operator()(index_t f) const {
    if (constraint_of_group(groups(f)) < 0)
      return;
    index_t own[Dim];
    for (int a = 0; a < Dim; ++a) { // sorted by insertion
      int place = a;
      for (; place > 0 && own[place - 1] > nodes(f, a); --place)
        own[place] = own[place - 1];
      own[place] = nodes(f, a);
    }
    index_t low = 0;
    for (index_t high = static_cast<index_t>(counts.extent(0)); low < high;) {
      const index_t middle = low + (high - low) / 2;
      if (compared(middle, own) < 0)
        low = middle + 1;
      else
        high = middle;
    }
    if (low < static_cast<index_t>(counts.extent(0)) && compared(low, own) == 0)
      Kokkos::atomic_inc(&counts(low));
  }

private:
  /// Negative if the set is before the other, 0 if they are equal.
  KOKKOS_FUNCTION int compared(index_t set, const index_t (&other)[Dim]) const {
    int result = 0;
    for (int a = 0; a < Dim && result == 0; ++a) {
      const index_t own = sets(static_cast<std::int64_t>(set) * Dim + a);
      result = own < other[a] ? -1 : own > other[a] ? 1 : 0;
    }
    return result;
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

  /// Nodes of facets that belong to another of these boundaries, if some process has any. A facet in two boundaries is
  /// counted for neither. `jumps` gets the pairs whose values differ, without duplicates; such nodes are not shared.
  /// Only facets with such nodes are copied to the host. Collective.
  std::optional<SharedNodes> shared_nodes_of_all(const Array<const double*, ExecutionSpace>& nodal,
                                                 const comm::Communicator& world, std::vector<ValueJump>& jumps) const {
    const std::vector<index_t> facets = meeting_facets();
    if (world.largest(facets.empty() ? 0 : 1) == 0)
      return std::nullopt;
    return shared_nodes(facets, nodal, world, jumps);
  }

private:
  using Vertices = std::array<index_t, Dim>;

  /// Facets of one boundary with a node of another, ascending.
  std::vector<index_t> meeting_facets() const {
    if (n_boundaries() == 0)
      return {};
    const auto table = uploaded(exec_, "driver::constraints_of_boundaries", constraint_of_group_);
    const auto found =
        group_items(exec_, static_cast<std::int64_t>(mesh_.facet_groups.extent(0)), 1,
                    IsMeetingFacet<Space, decltype(space_.facet_nodes)>{space_.facet_nodes, mesh_.facet_groups,
                                                                        node_constraint_, table, fixed_constraints()},
                    "facets where boundaries meet"); // waits: the tables may be freed
    const auto numbers = tessera::to_host(exec_, found.items);
    return {numbers.data(), numbers.data() + numbers.extent(0)};
  }

  SharedNodes shared_nodes(const std::vector<index_t>& facets, const Array<const double*, ExecutionSpace>& nodal,
                           const comm::Communicator& world, std::vector<ValueJump>& jumps) const {
    const auto facet_nodes = rows_on_host(exec_, space_.facet_nodes, facets);
    const auto groups = rows_on_host(exec_, mesh_.facet_groups, facets);
    const std::vector<group_t> constraints =
        read_entries(exec_, node_constraint_,
                     std::vector<std::int64_t>(facet_nodes.data(), facet_nodes.data() + facet_nodes.size()));
    std::vector<Vertices> vertices(facets.size());
    for (std::size_t f = 0; f < facets.size(); ++f) {
      for (std::size_t a = 0; a < Dim; ++a)
        vertices[f][a] = facet_nodes(f, a);
      std::sort(vertices[f].begin(), vertices[f].end());
    }
    std::vector<Vertices> sets = vertices;
    std::sort(sets.begin(), sets.end());
    sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
    const std::vector<index_t> n_same = fixed_facets_with(sets);
    // Expressions of two boundaries differ by rounding.
    const double tolerance =
        1e-9 * largest_of_items("tessera::driver::largest_value", exec_, 0, static_cast<index_t>(nodal.extent(0)),
                                LargestMagnitude<Space>{nodal}, 0.);

    std::vector<Meeting> meetings;
    for (std::size_t f = 0; f < facets.size(); ++f)
      for (std::size_t a = 0; a < facet_nodes.extent(1); ++a) {
        const int facet = constraint_of_group_[groups(f)];
        const std::size_t own = constraints[f * facet_nodes.extent(1) + a];
        if (own == static_cast<std::size_t>(facet) || own >= n_boundaries() || !is_fixed_boundary(own))
          continue;
        const auto set = std::lower_bound(sets.begin(), sets.end(), vertices[f]) - sets.begin();
        if (n_same[static_cast<std::size_t>(set)] == 1)
          meetings.push_back({facet_nodes(f, a), facet, static_cast<int>(own)});
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

  /// Number of facets of fixed boundaries with each of some sets of vertices, which ascend.
  std::vector<index_t> fixed_facets_with(const std::vector<Vertices>& sets) const {
    std::vector<index_t> numbers;
    for (const Vertices& set : sets)
      numbers.insert(numbers.end(), set.begin(), set.end());
    const auto table = uploaded(exec_, "driver::constraints_of_boundaries", constraint_of_group_);
    const auto on_device = uploaded(exec_, "driver::vertices_of_facets", numbers);
    const auto counts =
        make_filled<Array<index_t*, ExecutionSpace>>(exec_, "driver::same_facets", sets.size(), index_t(0));
    if (!sets.empty())
      for_each("tessera::driver::count_same_facets", exec_, static_cast<index_t>(mesh_.facet_groups.extent(0)),
               CountSameFacets<Dim, Space, decltype(space_.facet_nodes)>{space_.facet_nodes, mesh_.facet_groups, table,
                                                                         on_device, counts});
    const auto host = tessera::to_host(exec_, counts); // waits: the tables may be freed
    return {host.data(), host.data() + host.extent(0)};
  }

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

  const ExecutionSpace& exec_;
  const mesh::Mesh<Dim, Space>& mesh_;
  const fe::FunctionSpace<Dim, Order, Space>& space_;
  Array<group_t*, Space> node_constraint_;
  const ProblemBinding& binding_;
  std::vector<int> constraint_of_group_;
};

} // namespace tessera::driver::detail

#endif
