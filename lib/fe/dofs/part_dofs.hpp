// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_DOFS_PART_DOFS_HPP
#define TESSERA_FE_DOFS_PART_DOFS_HPP

#include "comm/communicator.hpp"
#include "fe/dofs/dof_map.hpp"

namespace tessera::fe {

/// number_dofs() for a mesh that is distributed over the processes of `world`: the axis x = 0 is found with a rounding
/// tolerance from the size of the whole mesh. Collective.
template <class ExecutionSpace, int Dim, int Order>
DofMap<typename ExecutionSpace::memory_space>
number_part_dofs(const ExecutionSpace& exec, const comm::Communicator& world,
                 const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                 const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                 const std::vector<Constraint>& constraints,
                 const NodeClasses<typename ExecutionSpace::memory_space>& classes, Numbering numbering);

} // namespace tessera::fe

#endif
