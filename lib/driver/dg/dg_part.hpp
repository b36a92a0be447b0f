// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_DG_DG_PART_HPP
#define TESSERA_DRIVER_DG_DG_PART_HPP

#include "driver/dg/dg_problem.hpp"
#include "mesh/mesh_part.hpp"

namespace tessera::driver {

/// Cuts a problem on a process's part of the mesh, which mesh::sort_by_lowest_nodes() has sorted, with `first_own` as
/// its first own simplex, down to what the process needs: the form of own elements and ghosts, own simplices, numbers
/// of all. The part has all neighbours of own elements and of ghosts. Collective: asks the owners of ghosts.
template <int Dim, class ExecutionSpace>
void cut_to_part(const ExecutionSpace& exec, const comm::Communicator& world,
                 const mesh::MeshPart<Dim, typename ExecutionSpace::memory_space>& part, index_t first_own,
                 DgProblem<Dim, ExecutionSpace>& problem);

} // namespace tessera::driver

#endif
