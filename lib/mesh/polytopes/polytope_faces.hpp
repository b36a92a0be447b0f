// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_POLYTOPES_POLYTOPE_FACES_HPP
#define TESSERA_MESH_POLYTOPES_POLYTOPE_FACES_HPP

/// \file
/// Finds the faces of a polytopic mesh.

#include "graph/incidence.hpp"
#include "mesh/parts/dual_graph.hpp"
#include "mesh/polytopes/polytopic_mesh.hpp"

namespace tessera::mesh {

/// Faces of the elements of a mesh, which is complete except for these and the bounding boxes. If several facets of the
/// mesh define the group of a boundary face, the last one is used; facets between simplices belong to no boundary.
/// Waits.
template <class ExecutionSpace, int Dim>
Faces<Dim, typename ExecutionSpace::memory_space>
find_faces(const ExecutionSpace& exec, const PolytopicMesh<Dim, typename ExecutionSpace::memory_space>& mesh,
           const graph::Incidence<typename ExecutionSpace::memory_space>& node_incidence,
           const DualGraph<Dim, typename ExecutionSpace::memory_space>& dual);

} // namespace tessera::mesh

#endif
