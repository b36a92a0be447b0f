// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_DOFS_DOF_MAP_HPP
#define TESSERA_FE_DOFS_DOF_MAP_HPP

/// \file
/// Map from the nodes of a space to its unknowns, with the constraints.

#include "fe/dofs/periodic.hpp"
#include "fe/function_space.hpp"

#include <string>
#include <vector>

namespace tessera::fe {

/// Constraint on the nodes of a group.
struct Constraint {
  bool is_region = false; ///< all nodes of a region (a body) instead of those of a boundary group
  bool is_axis = false;   ///< all nodes on the axis x = 0 (up to rounding) instead of a group
  group_t group = 0;
  bool is_tied = false; ///< one unknown for all nodes (equipotential body) instead of fixed values
  double total = 0.;    ///< of a tied unknown: prescribed total of the residual (the body's charge, in C)
  std::string where;    ///< place in the input, for messages; may be empty
};

/// Meaning of an index in `node_dof`: indices below n_regular are unknowns of one node, or of several identified nodes;
/// indices from n_regular to n_free are tied unknowns, one per tied constraint; n_free + k is the fixed value k.
struct DofKinds {
  index_t n_regular = 0;
  index_t n_free = 0; ///< number of unknowns

  KOKKOS_FUNCTION bool is_regular(index_t dof) const { return dof < n_regular; }
  KOKKOS_FUNCTION bool is_tied(index_t dof) const { return dof >= n_regular && dof < n_free; }
  KOKKOS_FUNCTION bool is_free(index_t dof) const { return dof < n_free; }
  KOKKOS_FUNCTION bool is_fixed(index_t dof) const { return dof >= n_free; }
  KOKKOS_FUNCTION index_t tied_index(index_t dof) const { return dof - n_regular; } ///< of a tied unknown, from 0
  KOKKOS_FUNCTION index_t fixed_index(index_t dof) const { return dof - n_free; }   ///< of a fixed value, from 0
  KOKKOS_FUNCTION index_t n_tied() const { return n_free - n_regular; }
};

/// Order of the regular unknowns.
enum class Numbering {
  by_nodes,            ///< the order of their nodes: vertices, then (order 2) edges
  edges_after_vertices ///< each vertex is followed by its edges to vertices with larger indices
};

/// Map from the nodes of a space to its unknowns. Identified nodes share one unknown, or have a fixed value each. A
/// node carries one degree of freedom: a point of a Lagrange element, or an edge of an edge element.
template <class MemorySpace> struct DofMap : DofKinds {
  using memory_space = MemorySpace;
  static constexpr group_t unconstrained = 0xffff;

  Array<index_t*, MemorySpace> node_dof;        ///< [n_nodes]
  Array<group_t*, MemorySpace> node_constraint; ///< [n_nodes], index of the constraint or `unconstrained`
  Array<double*, MemorySpace> fixed_values;     ///< [n_fixed]
  Array<double*, MemorySpace> tied_totals;      ///< [n_tied]
  /// [n_nodes], 1 or -1: the value of a free node is this sign times the value of its unknown; 1 at fixed nodes. Empty
  /// without antiperiodic boundaries.
  Array<signed char*, MemorySpace> node_sign;
  /// [n_nodes]: the node whose value this node takes (usually itself), bitwise complement: sign flipped. Empty without
  /// periodic boundaries.
  Array<index_t*, MemorySpace> node_source;

  index_t n_fixed() const { return static_cast<index_t>(fixed_values.extent(0)); }
};

/// The part of a dof map that kernels read.
template <class MemorySpace> struct DofView : DofKinds {
  Array<const index_t*, MemorySpace> node_dof;
  Array<const double*, MemorySpace> fixed_values;
  Array<const signed char*, MemorySpace> node_sign; ///< empty without antiperiodic boundaries

  explicit DofView(const DofMap<MemorySpace>& dofs)
      : DofKinds(dofs), node_dof(dofs.node_dof), fixed_values(dofs.fixed_values), node_sign(dofs.node_sign) {}

  KOKKOS_FUNCTION double fixed_value(index_t dof) const { return fixed_values(fixed_index(dof)); }
  KOKKOS_FUNCTION double sign(index_t n) const { return node_sign.extent(0) > 0 ? node_sign(n) : 1.; }
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
  static_cast<DofKinds&>(host) = dofs;
  return host;
}

/// Numbers the unknowns on the device. If several constraints apply to a node, the last one in the list is used. Fixed
/// values are left at zero, to be set by the caller. Constraints without nodes get no unknowns or values; tied ones
/// must have nodes. A constraint on one of several identified nodes applies to all.
template <class ExecutionSpace, int Dim, int Order>
DofMap<typename ExecutionSpace::memory_space>
number_dofs(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
            const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
            const std::vector<Constraint>& constraints,
            const NodeClasses<typename ExecutionSpace::memory_space>& classes = {},
            Numbering numbering = Numbering::by_nodes);

/// Finds which of the constraints 0 .. n_constraints - 1 bind a node.
template <class ExecutionSpace>
std::vector<bool> constraints_with_nodes(const ExecutionSpace& exec,
                                         const DofMap<typename ExecutionSpace::memory_space>& dofs,
                                         std::size_t n_constraints);

/// Inverse of expand(): values of the unknowns from nodal values; a tied unknown takes the value of one of its nodes,
/// identified nodes take that of the smallest of them.
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
