// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_NESTED_UNKNOWNS_HPP
#define TESSERA_FE_NESTED_UNKNOWNS_HPP

/// \file
/// Interpolation between the unknowns of nested meshes, of which each process makes that of its own ones alone.

#include "comm/communicator.hpp"
#include "fe/ghost_numbers.hpp"
#include "linalg/nested_unknowns.hpp"
#include "mesh/nested_nodes.hpp"

#include <cstdint>
#include <vector>

namespace tessera::fe {

/// The own unknowns in terms of those of coarser levels, which are those of make_prolongations(): for order 2 the
/// unknowns of order 1 on the same mesh, then those of the coarser meshes that `nodes` tells of (none if it is empty).
/// linalg::coarsen() makes the rows of the interpolations from it. `own`, `offsets`: as for number_ghosts().
/// Collective: asks the owners of parents.
template <class ExecutionSpace, int Dim, int Order>
linalg::NestedUnknowns<typename ExecutionSpace::memory_space>
nest_unknowns(const ExecutionSpace& exec, const comm::Communicator& world,
              const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
              const DofMap<typename ExecutionSpace::memory_space>& dofs,
              const mesh::NestedPart<typename ExecutionSpace::memory_space>& nodes,
              const PartVertices<typename ExecutionSpace::memory_space>& vertices, const OwnUnknowns& own,
              const std::vector<std::int64_t>& offsets);

/// The same where every process has the whole mesh: nobody is asked. Collective: for the number of levels alone.
template <class ExecutionSpace, int Dim, int Order>
linalg::NestedUnknowns<typename ExecutionSpace::memory_space>
nest_unknowns_of_whole(const ExecutionSpace& exec, const comm::Communicator& world,
                       const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                       const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                       const DofMap<typename ExecutionSpace::memory_space>& dofs, const OwnUnknowns& own);

/// The same from the next coarser level on (CoarserUnknowns).
template <class ExecutionSpace, int Dim, int Order>
linalg::NestedUnknowns<typename ExecutionSpace::memory_space>
nest_unknowns_below(const ExecutionSpace& exec, const comm::Communicator& world,
                    const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                    const DofMap<typename ExecutionSpace::memory_space>& coarser, const OwnUnknowns& own);

} // namespace tessera::fe

#endif
