// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_REFINE_COARSER_ELEMENTS_HPP
#define TESSERA_MESH_REFINE_COARSER_ELEMENTS_HPP

/// \file
/// The elements of the coarser mesh of which a mesh is the uniform refinement.

#include "mesh/mesh.hpp"
#include "mesh/refine/children.hpp"

namespace tessera::mesh {

template <int Dim, class MemorySpace> struct CoarserElements {
  /// [n_coarse_elements], node indices in the coarser mesh (Mesh::node_parents), ascending: the orientation is lost.
  Array<index_t * [Dim + 1], MemorySpace> nodes;
  /// Elements of the finer mesh, ascending.
  Array<index_t * [Children<Dim>::count], MemorySpace> children;
};

/// Finds the coarser elements from `mesh.node_parents.front()` only, for any order of nodes and elements. They are
/// numbered by their child at the vertex with the lowest index. Throws an Error if the mesh is not a uniform
/// refinement; without children only the number of these vertices is checked. `is_part`: for a process's part of a mesh
/// (MeshPart::mesh), finds the elements all of whose children are in the part, in global order, always with their
/// children.
///
/// Traffic: connectivity and parents twice, a mark per element, the result; for children a third time, with a search
/// for each.
template <class ExecutionSpace, int Dim>
CoarserElements<Dim, typename ExecutionSpace::memory_space>
find_coarser_elements(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                      bool with_children = true, bool is_part = false);

} // namespace tessera::mesh

#endif
