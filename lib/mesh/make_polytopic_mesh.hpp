// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_MAKE_POLYTOPIC_MESH_HPP
#define TESSERA_MESH_MAKE_POLYTOPIC_MESH_HPP

/// \file
/// Makes polytopic meshes of simplices.

#include "mesh/dual_graph.hpp"
#include "mesh/element_numbers.hpp"
#include "mesh/polytopic_mesh.hpp"

namespace tessera::mesh {

/// Joins simplices with equal entries of `element_of`, [n_simplices], any numbers in [0, n_simplices), to elements and
/// numbers these by their first simplices. The parts must be connected and within one region each;
/// numbers out of range are an error of kind input. Where several facets of the mesh name a boundary face, the group of
/// the last one holds. Everything is integers and limits, so the result is the same on every backend.
template <class ExecutionSpace, int Dim>
PolytopicMesh<Dim, typename ExecutionSpace::memory_space>
make_polytopic_mesh(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                    const Array<const index_t*, ExecutionSpace>& element_of);

/// As above, with the graph of neighbouring simplices that build_dual_graph() has made.
template <class ExecutionSpace, int Dim>
PolytopicMesh<Dim, typename ExecutionSpace::memory_space>
make_polytopic_mesh(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                    const graph::Incidence<typename ExecutionSpace::memory_space>& node_incidence,
                    const DualGraph<Dim, typename ExecutionSpace::memory_space>& dual,
                    const Array<const index_t*, ExecutionSpace>& element_of);

/// As above, of elements that keep their numbers, each of which has a simplex: of an agglomeration, of
/// simplicial_elements(), or of a process's part of a mesh, where they need not be connected.
template <class ExecutionSpace, int Dim>
PolytopicMesh<Dim, typename ExecutionSpace::memory_space>
make_polytopic_mesh(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                    const graph::Incidence<typename ExecutionSpace::memory_space>& node_incidence,
                    const DualGraph<Dim, typename ExecutionSpace::memory_space>& dual,
                    const ElementNumbers<ExecutionSpace>& numbers);

/// `element_of` of a mesh whose elements are its simplices.
template <class ExecutionSpace, int Dim>
Array<index_t*, ExecutionSpace> simplicial_elements(const ExecutionSpace& exec,
                                                    const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh);

} // namespace tessera::mesh

#endif
