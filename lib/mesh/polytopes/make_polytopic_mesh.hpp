// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_POLYTOPES_MAKE_POLYTOPIC_MESH_HPP
#define TESSERA_MESH_POLYTOPES_MAKE_POLYTOPIC_MESH_HPP

/// \file
/// Makes polytopic meshes from simplices.

#include "mesh/parts/dual_graph.hpp"
#include "mesh/parts/element_numbers.hpp"
#include "mesh/polytopes/polytopic_mesh.hpp"

namespace tessera::mesh {

/// Joins simplices with equal entries of `element_of`, [n_simplices], arbitrary numbers in [0, n_simplices), to
/// elements and numbers these by their first simplices. The parts must be connected and within one region each; throws
/// an error of kind input for numbers out of range. If several facets of the mesh define the group of a boundary face,
/// the last one is used. Uses only integers and limits, so that the result is the same on every backend.
template <class ExecutionSpace, int Dim>
PolytopicMesh<Dim, typename ExecutionSpace::memory_space>
make_polytopic_mesh(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                    const Array<const index_t*, ExecutionSpace>& element_of);

/// As above, with the dual graph of the simplices from build_dual_graph().
template <class ExecutionSpace, int Dim>
PolytopicMesh<Dim, typename ExecutionSpace::memory_space>
make_polytopic_mesh(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                    const graph::Incidence<typename ExecutionSpace::memory_space>& node_incidence,
                    const DualGraph<Dim, typename ExecutionSpace::memory_space>& dual,
                    const Array<const index_t*, ExecutionSpace>& element_of);

/// As above, for elements that keep their numbers, each of which has a simplex: from an agglomeration, from
/// simplicial_elements(), or in a process's part of a mesh, where they need not be connected.
template <class ExecutionSpace, int Dim>
PolytopicMesh<Dim, typename ExecutionSpace::memory_space>
make_polytopic_mesh(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                    const graph::Incidence<typename ExecutionSpace::memory_space>& node_incidence,
                    const DualGraph<Dim, typename ExecutionSpace::memory_space>& dual,
                    const ElementNumbers<ExecutionSpace>& numbers);

/// `element_of` for a mesh whose elements are its simplices.
template <class ExecutionSpace, int Dim>
Array<index_t*, ExecutionSpace> simplicial_elements(const ExecutionSpace& exec,
                                                    const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh);

} // namespace tessera::mesh

#endif
