// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_FUNCTION_SPACE_HPP
#define TESSERA_FE_FUNCTION_SPACE_HPP

/// \file
/// Continuous Lagrange space on a mesh: its nodes, and the map from nodes to unknowns with the constraints.

#include "fe/lagrange.hpp"
#include "mesh/mesh.hpp"

#include <vector>

namespace tessera::fe {

/// Nodes of a Lagrange space. Node numbers: the mesh's nodes, then (order 2) n_mesh_nodes + edge number.
template <int Dim, int Order, class MemorySpace> struct FunctionSpace {
  using memory_space = MemorySpace;
  using element = Lagrange<Dim, Order>;
  static constexpr int nodes_per_facet = Order == 1 ? Dim : (Dim == 2 ? 3 : 6);

  Array<index_t * [element::n_nodes], MemorySpace> element_nodes; ///< [n_elements][n_nodes]; order 1: the mesh's array
  Array<index_t* [nodes_per_facet], MemorySpace> facet_nodes;     ///< [n_facets][..], vertices first
  Array<double* [Dim], MemorySpace> coordinates;                  ///< of all nodes, [n_nodes][Dim], metres
  index_t n_vertices = 0;

  index_t n_nodes() const { return static_cast<index_t>(coordinates.extent(0)); }
  index_t n_elements() const { return static_cast<index_t>(element_nodes.extent(0)); }
};

/// Numbers the nodes of a space on the device.
template <int Order, class ExecutionSpace, int Dim>
FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>
make_space(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh);

/// Constraint on the nodes of a group.
struct Constraint {
  bool is_region = false; ///< all nodes of a region (a body) instead of a boundary group
  bool is_axis = false;   ///< all nodes on the axis x = 0 (up to rounding) instead of a group
  group_t group = 0;
  bool is_tied = false; ///< one unknown for all nodes (equipotential body) instead of fixed values
  double total = 0.;    ///< of a tied unknown: given total of the residual (the body's charge, in C)
};

/// Classes of identified nodes (fe/periodic.hpp); no array if there are none.
template <class MemorySpace> struct NodeClasses {
  /// [n_nodes]: 2 * root, root being the smallest node of the class, or 2 * root + 1 when the value is opposite to the
  /// root's; ~root in a class whose values are opposite to themselves, that is zero.
  Array<index_t*, MemorySpace> label;
  bool has_signs = false; ///< some pair is antiperiodic

  bool empty() const { return label.extent(0) == 0; }
  KOKKOS_FUNCTION static index_t root(index_t label) { return label < 0 ? ~label : label >> 1; }
  KOKKOS_FUNCTION static bool is_opposite(index_t label) { return label >= 0 && (label & 1) != 0; }
  KOKKOS_FUNCTION static bool is_zero(index_t label) { return label < 0; }
};

/// Which unknown a node belongs to. Unknowns: the regular ones in the order of their nodes, then one per tied
/// constraint. A node whose `node_dof` is n_free + k has the fixed value fixed_values[k]. Identified nodes have one
/// unknown, or fixed values each.
template <class MemorySpace> struct DofMap {
  using memory_space = MemorySpace;
  static constexpr group_t unconstrained = 0xffff;

  Array<index_t*, MemorySpace> node_dof;        ///< [n_nodes]
  Array<group_t*, MemorySpace> node_constraint; ///< [n_nodes], index of the constraint or `unconstrained`
  Array<double*, MemorySpace> fixed_values;     ///< [n_fixed]
  Array<double*, MemorySpace> tied_totals;      ///< [n_tied]
  /// [n_nodes], 1 or -1: the value of a free node is that of its unknown times this; 1 at fixed nodes. Empty without
  /// antiperiodic boundaries.
  Array<signed char*, MemorySpace> node_sign;
  /// [n_nodes]: node whose value this one takes (often itself), ~node: with the opposite sign. Empty without periodic
  /// boundaries.
  Array<index_t*, MemorySpace> node_source;
  index_t n_regular = 0;
  index_t n_free = 0;
  index_t n_tied() const { return n_free - n_regular; }
  index_t n_fixed() const { return static_cast<index_t>(fixed_values.extent(0)); }
};

/// Copy of a dof map on the host.
template <class ExecutionSpace>
DofMap<HostMemory> to_host(const ExecutionSpace& exec, const DofMap<typename ExecutionSpace::memory_space>& dofs) {
  DofMap<HostMemory> host;
  host.node_dof = tessera::to_host(exec, dofs.node_dof);
  host.node_constraint = tessera::to_host(exec, dofs.node_constraint);
  host.fixed_values = tessera::to_host(exec, dofs.fixed_values);
  host.tied_totals = tessera::to_host(exec, dofs.tied_totals);
  host.node_sign = tessera::to_host(exec, dofs.node_sign);
  host.node_source = tessera::to_host(exec, dofs.node_source);
  host.n_regular = dofs.n_regular;
  host.n_free = dofs.n_free;
  return host;
}

/// Numbers the unknowns on the device. Where constraints meet at a node, the later one in the list applies. Fixed
/// values are left at zero, for the caller to set. Constraints without nodes get no unknowns or values; tied ones must
/// have nodes. A constraint on one of several identified nodes applies to all.
template <class ExecutionSpace, int Dim, int Order>
DofMap<typename ExecutionSpace::memory_space>
number_dofs(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
            const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
            const std::vector<Constraint>& constraints,
            const NodeClasses<typename ExecutionSpace::memory_space>& classes = {});

/// Finds which of the constraints 0 .. n_constraints - 1 bind a node.
template <class ExecutionSpace>
std::vector<bool> constraints_with_nodes(const ExecutionSpace& exec,
                                         const DofMap<typename ExecutionSpace::memory_space>& dofs,
                                         std::size_t n_constraints);

/// Inverse of expand(): values of the unknowns from nodal values; a tied unknown takes the value of one of its nodes,
/// identified nodes take that of the smallest.
template <class ExecutionSpace>
void restrict_to_unknowns(const ExecutionSpace& exec, const DofMap<typename ExecutionSpace::memory_space>& dofs,
                          const Array<const double*, ExecutionSpace>& nodal,
                          const Array<double*, ExecutionSpace>& unknowns);

/// Computes the values nodal[n] of all nodes from unknowns and fixed values.
template <class ExecutionSpace>
void expand(const ExecutionSpace& exec, const DofMap<typename ExecutionSpace::memory_space>& dofs,
            const Array<const double*, ExecutionSpace>& unknowns, const Array<double*, ExecutionSpace>& nodal);

} // namespace tessera::fe

#endif
