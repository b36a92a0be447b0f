// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_REFINE_NESTED_NODES_HPP
#define TESSERA_MESH_REFINE_NESTED_NODES_HPP

/// \file
/// Nodes of nested meshes by their indices in the finest mesh.

#include "mesh/mesh.hpp"

#include <vector>

namespace tessera::mesh {

/// The coarser meshes that contain each node of a mesh. A node that is not in the next coarser mesh is the midpoint of
/// an edge there, whose ends are its parents: both are nodes of all meshes down to that one.
template <class MemorySpace> struct NestedNodes {
  int n_levels = 0;                         ///< number of coarser meshes
  Array<index_t*, MemorySpace> n_coarser;   ///< [n], number of coarser meshes that contain the node
  Array<index_t* [2], MemorySpace> parents; ///< [n], in the finest mesh; -1: the node is in the coarsest mesh
};

/// Nesting of all nodes of a mesh, from Mesh::node_parents.
template <class ExecutionSpace>
NestedNodes<typename ExecutionSpace::memory_space>
nest_nodes(const ExecutionSpace& exec,
           const std::vector<Array<index_t* [2], typename ExecutionSpace::memory_space>>& node_parents);

/// Nesting of the owned nodes of a process's part of a mesh. Parents are nodes of the part, or n_nodes + k for item k
/// of `outside`.
template <class MemorySpace> struct NestedPart : NestedNodes<MemorySpace> {
  std::vector<index_t> outside;       ///< numbers as in the part's original_node
  std::vector<int> owners_of_outside; ///< processes
};

} // namespace tessera::mesh

#endif
