// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_REFINED_NUMBERS_HPP
#define TESSERA_MESH_REFINED_NUMBERS_HPP

/// \file
/// Numbers of the nodes of a refined mesh of which each process has a part.

#include "comm/communicator.hpp"
#include "mesh/mesh.hpp"

#include <cstdint>
#include <vector>

namespace tessera::mesh {

/// What names a node of a refined mesh in all processes: the nodes of the coarsest mesh that it lies between, each as
/// its number times 2^32 plus its weight, largest first, then zeros. With l refinements the weights add up to 2^l.
template <int Dim, class MemorySpace> using NodeNames = Array<std::int64_t * [Dim + 1], MemorySpace>;

/// First entry of the name of a coarsest mesh's node, the only one that is not zero.
KOKKOS_INLINE_FUNCTION std::int64_t name_of_coarsest(index_t number, int n_refinements) {
  return static_cast<std::int64_t>(number) << 32 | std::int64_t(1) << n_refinements;
}

/// Names of the nodes of a mesh with parents (Mesh::node_parents), [n_nodes]. `coarsest`: the numbers of the coarsest
/// mesh's nodes.
template <class ExecutionSpace, int Dim>
NodeNames<Dim, typename ExecutionSpace::memory_space>
name_nodes(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
           const Array<const index_t*, ExecutionSpace>& coarsest);

/// Numbers nodes among those of all processes, which own [first_own, first_own + n_own) of theirs each, in the order of
/// ranks; those of others are asked of their owners by name. Collective. More nodes than an index counts are an error.
template <class ExecutionSpace, int Dim>
Array<index_t*, ExecutionSpace> number_nodes(const ExecutionSpace& exec, const comm::Communicator& world,
                                             const NodeNames<Dim, typename ExecutionSpace::memory_space>& names,
                                             const Array<int*, ExecutionSpace>& owner, index_t first_own,
                                             index_t n_own);

} // namespace tessera::mesh

#endif
