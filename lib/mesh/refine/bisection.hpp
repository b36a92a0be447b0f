// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_REFINE_BISECTION_HPP
#define TESSERA_MESH_REFINE_BISECTION_HPP

/// \file
/// Local refinement by bisection.

#include "mesh/mesh.hpp"

namespace tessera::mesh {

struct StraightEdges;

/// Bisects all edges of the marked elements (entries not 0, [n_elements]), and further edges required for conformity
/// and shape: if an edge of an element is bisected, so is its longest edge (M. C. Rivara, Int. J. Numer. Meth. Eng. 20,
/// 1984). Elements are cut at their bisected edges, the longest first, edges of equal length by index; a triangle is
/// cut into at most 4, a tetrahedron into at most 8.
///
/// Nodes keep their indices; midpoints follow in the order of their edges, on the true boundary if the edge belongs to
/// a curved facet. Children are in the order of their parents; regions, groups and orientation are preserved. The
/// result has no original numbers. It has the parents of its nodes in `mesh` (Mesh::node_parents), but not those of
/// coarser meshes. The bits are the same on every backend. `straight`: as for refine_uniform().
template <class ExecutionSpace, int Dim>
Mesh<Dim, typename ExecutionSpace::memory_space>
bisect_marked(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
              const Array<const std::uint8_t*, ExecutionSpace>& marked, StraightEdges* straight = nullptr);

} // namespace tessera::mesh

#endif
