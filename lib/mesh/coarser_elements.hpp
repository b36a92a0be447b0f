// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_COARSER_ELEMENTS_HPP
#define TESSERA_MESH_COARSER_ELEMENTS_HPP

/// \file
/// The elements of the mesh that a mesh was uniformly refined from.

#include "mesh/children.hpp"
#include "mesh/mesh.hpp"

namespace tessera::mesh {

template <int Dim, class MemorySpace> struct CoarserElements {
  /// [n_coarse_elements], numbers in the coarser mesh (Mesh::node_parents), ascending: the orientation is lost.
  Array<index_t * [Dim + 1], MemorySpace> nodes;
  /// Elements of the finer mesh, ascending.
  Array<index_t * [Children<Dim>::count], MemorySpace> children;
};

/// Finds them from `mesh.node_parents.front()` alone, whatever order nodes and elements are in. Numbers them by their
/// child at the vertex of the lowest number. Throws an Error if the mesh is no uniform refinement; without children
/// only by the number of these vertices. `is_part`: of a process's part of a mesh (MeshPart::mesh), the elements all of
/// whose children it has, in the order of the whole, always with them.
///
/// Traffic: connectivity and parents twice, a mark per element, the result; for children a third time, with a search
/// for each.
template <class ExecutionSpace, int Dim>
CoarserElements<Dim, typename ExecutionSpace::memory_space>
find_coarser_elements(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                      bool with_children = true, bool is_part = false);

} // namespace tessera::mesh

#endif
