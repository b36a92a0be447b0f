// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_NESTED_NODES_HPP
#define TESSERA_MESH_NESTED_NODES_HPP

/// \file
/// Nodes of nested meshes by their numbers in the finest of them.

#include "mesh/mesh.hpp"

#include <vector>

namespace tessera::mesh {

/// The coarser meshes that have each node of a mesh. One that the next coarser of them lacks is the midpoint of an edge
/// there, whose ends are its parents: both are nodes of all meshes down to that one.
template <class MemorySpace> struct NestedNodes {
  int n_levels = 0;                         ///< coarser meshes
  Array<index_t*, MemorySpace> n_coarser;   ///< [n], so many of the coarser meshes have it
  Array<index_t* [2], MemorySpace> parents; ///< [n], in the finest mesh; -1: the coarsest mesh has the node
};

/// Those of all nodes of a mesh from Mesh::node_parents.
template <class ExecutionSpace>
NestedNodes<typename ExecutionSpace::memory_space>
nest_nodes(const ExecutionSpace& exec,
           const std::vector<Array<index_t* [2], typename ExecutionSpace::memory_space>>& node_parents);

/// Parents of the own nodes of a process's part of a mesh: nodes of the part, or n_nodes + k of the part for item k
/// of those that lie outside of it.
template <class MemorySpace> struct NestedPart : NestedNodes<MemorySpace> {
  std::vector<index_t> outside;       ///< numbers as in original_node of the part
  std::vector<int> owners_of_outside; ///< processes
};

} // namespace tessera::mesh

#endif
