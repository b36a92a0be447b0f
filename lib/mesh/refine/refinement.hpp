// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_REFINE_REFINEMENT_HPP
#define TESSERA_MESH_REFINE_REFINEMENT_HPP

/// \file
/// Uniform refinement.

#include "mesh/mesh.hpp"

namespace tessera::mesh {

struct StraightEdges;

/// Cuts every triangle into 4 and every tetrahedron into 8 at the midpoints of their edges. Node n_nodes + k is the
/// midpoint of edge k of build_edges(), moved to the true boundary if the edge belongs to a curved facet; the children
/// of element e are the elements 4 e .. or 8 e .., those of a facet f the facets 2 f .. or 4 f ... Regions and boundary
/// groups are preserved, and so is positive orientation unless a curved boundary is meshed coarsely, which
/// find_inverted() detects.
///
/// Tetrahedra follow J. Bey, Tetrahedral grid refinement, Computing 55 (1995): the inner octahedron is always cut along
/// the diagonal between the midpoints of the local edges (0,2) and (1,3), so that any number of refinements makes at
/// most three shapes from each tetrahedron. If Bey's children have negative measure, their local nodes 0 and 2 are
/// exchanged: later diagonals depend on the pairs (0,2) and (1,3) only, so that the shapes are the same.
///
/// If the mesh has original numbers, children of element e get that of e times 4 or 8 plus the child's index, and
/// midpoints follow the largest original number of a node in the order of their edges.
///
/// `with_parents`: the refined mesh stores its nodes' parents (Mesh::node_parents) and those of coarser meshes.
/// `straight`: edges whose midpoints on a curved boundary would invert elements stay straight, and are recorded here;
/// null: the inverted elements remain.
template <class ExecutionSpace, int Dim>
Mesh<Dim, typename ExecutionSpace::memory_space>
refine_uniform(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
               bool with_parents = false, StraightEdges* straight = nullptr);

} // namespace tessera::mesh

#endif
