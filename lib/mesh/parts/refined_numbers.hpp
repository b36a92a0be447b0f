// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_PARTS_REFINED_NUMBERS_HPP
#define TESSERA_MESH_PARTS_REFINED_NUMBERS_HPP

/// \file
/// Global indices of the nodes of a refined mesh that is distributed over processes.

#include "comm/communicator.hpp"
#include "mesh/mesh.hpp"

#include <cstdint>
#include <vector>

namespace tessera::mesh {

/// Identifies a node of a refined mesh in all processes: the nodes of the coarsest mesh from
/// which it is interpolated, each encoded as its index times 2^32 plus its weight, largest first, padded with zeros.
/// With l refinements the weights add up to 2^l.
template <int Dim, class MemorySpace> using NodeIds = Array<std::int64_t * [Dim + 1], MemorySpace>;

/// First entry of the identifier of a node of the coarsest mesh, the only non-zero one.
KOKKOS_INLINE_FUNCTION std::int64_t id_of_coarsest(index_t number, int n_refinements) {
  return static_cast<std::int64_t>(number) << 32 | std::int64_t(1) << n_refinements;
}

/// Names of the nodes of a mesh with parents (Mesh::node_parents), [n_nodes]. `coarsest`: indices of the coarsest
/// mesh's nodes.
template <class ExecutionSpace, int Dim>
NodeIds<Dim, typename ExecutionSpace::memory_space>
make_node_ids(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
              const Array<const index_t*, ExecutionSpace>& coarsest);

/// Global indices of nodes. Each process owns its local nodes [first_owned, first_owned + n_owned), numbered globally
/// in the order of ranks; the indices of other nodes are requested from their owners by identifier. Collective. Throws
/// if there are more nodes than index_t can count.
template <class ExecutionSpace, int Dim>
Array<index_t*, ExecutionSpace> number_nodes(const ExecutionSpace& exec, const comm::Communicator& world,
                                             const NodeIds<Dim, typename ExecutionSpace::memory_space>& ids,
                                             const Array<int*, ExecutionSpace>& owner, index_t first_owned,
                                             index_t n_owned);

} // namespace tessera::mesh

#endif
