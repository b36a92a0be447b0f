// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_TRANSFER_NESTED_UNKNOWNS_HPP
#define TESSERA_FE_TRANSFER_NESTED_UNKNOWNS_HPP

/// \file
/// Interpolation between the unknowns of nested meshes; each process makes the rows of its owned unknowns only.

#include "comm/communicator.hpp"
#include "fe/dofs/ghost_numbers.hpp"
#include "linalg/nested_unknowns.hpp"
#include "mesh/refine/nested_nodes.hpp"

#include <cstdint>
#include <vector>

namespace tessera::fe {

/// Describes the owned unknowns by those of coarser levels, with the levels of make_prolongations(): for order 2 the
/// unknowns of order 1 on the same mesh, then those of the coarser meshes in `nodes` (none if it is empty).
/// linalg::coarsen() makes the rows of the interpolations from the result. `owned`, `offsets`: as for number_ghosts().
/// Collective: sends requests to the owners of parents.
template <class ExecutionSpace, int Dim, int Order>
linalg::NestedUnknowns<typename ExecutionSpace::memory_space>
nest_unknowns(const ExecutionSpace& exec, const comm::Communicator& world,
              const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
              const DofMap<typename ExecutionSpace::memory_space>& dofs,
              const mesh::NestedPart<typename ExecutionSpace::memory_space>& nodes,
              const PartVertices<typename ExecutionSpace::memory_space>& vertices, const OwnedUnknowns& owned,
              const std::vector<std::int64_t>& offsets);

/// The same if every process has the whole mesh: no requests are needed. Collective only to find the number of levels.
template <class ExecutionSpace, int Dim, int Order>
linalg::NestedUnknowns<typename ExecutionSpace::memory_space>
nest_unknowns_of_whole(const ExecutionSpace& exec, const comm::Communicator& world,
                       const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                       const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                       const DofMap<typename ExecutionSpace::memory_space>& dofs, const OwnedUnknowns& owned);

/// The same starting from the next coarser level (CoarserUnknowns).
template <class ExecutionSpace, int Dim, int Order>
linalg::NestedUnknowns<typename ExecutionSpace::memory_space>
nest_unknowns_below(const ExecutionSpace& exec, const comm::Communicator& world,
                    const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                    const DofMap<typename ExecutionSpace::memory_space>& coarser, const OwnedUnknowns& owned);

} // namespace tessera::fe

#endif
