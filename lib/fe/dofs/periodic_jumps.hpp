// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_DOFS_PERIODIC_JUMPS_HPP
#define TESSERA_FE_DOFS_PERIODIC_JUMPS_HPP

/// \file
/// Periodic boundaries at which the solution differs by a constant: u(group) = u(partner) + jump.
///
/// The unknown of a class of identified nodes is the value of one of them, its source; the others differ from it by
/// known amounts. Assemblers move these to the right-hand side (assembly/jump_loads.hpp).

#include "fe/dofs/dof_map.hpp"

#include <vector>

namespace tessera::fe {

/// [n_nodes], by how much the value of each node exceeds that of its source (DofMap::node_source). `jumps`: of each
/// pair; none may be antiperiodic. Throws if the jumps along a closed chain of pairs do not add up to zero.
template <class ExecutionSpace, int Dim, int Order>
Array<double*, typename ExecutionSpace::memory_space>
jumps_of_nodes(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
               const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
               const std::vector<PeriodicPair>& pairs, const std::vector<double>& jumps,
               const DofMap<typename ExecutionSpace::memory_space>& dofs);

/// Fixes the value of the source of a boundary group's first node, and with it of its class. Returns the source.
template <class ExecutionSpace, int Dim, int Order>
index_t pin_first_node(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                       const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                       const PeriodicPair& pair, NodeClasses<typename ExecutionSpace::memory_space>& classes);

/// Adds the jumps to values at nodes that are those of the nodes' unknowns: at free nodes only.
template <class ExecutionSpace>
void add_jumps(const ExecutionSpace& exec, const DofMap<typename ExecutionSpace::memory_space>& dofs,
               const Array<const double*, ExecutionSpace>& jumps, const Array<double*, ExecutionSpace>& nodal);

/// Adds the jumps to the fixed values, which are those of the nodes' sources; a pinned class has the value 0.
template <class ExecutionSpace>
void add_jumps_to_fixed(const ExecutionSpace& exec, const DofMap<typename ExecutionSpace::memory_space>& dofs,
                        const Array<const double*, ExecutionSpace>& jumps);

} // namespace tessera::fe

#endif
