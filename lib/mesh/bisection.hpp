// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_BISECTION_HPP
#define TESSERA_MESH_BISECTION_HPP

/// \file
/// Local refinement.

#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// Halves all edges of the marked elements (entries not 0, [n_elements]), and of others what conformity and shape need:
/// an element with a halved edge has its longest edge halved, too (M. C. Rivara, Int. J. Numer. Meth. Eng. 20, 1984).
/// Elements are cut at their halved edges, the longest first, lengths that are equal by the numbers of the edges; a
/// triangle becomes at most 4, a tetrahedron at most 8.
///
/// Nodes keep their numbers, midpoints follow in the order of their edges, on the true boundary where the edge belongs
/// to a curved facet. Children follow each other in the order of their parents; regions, groups and orientation are
/// kept. The mesh has no original numbers. It knows its nodes' parents in `mesh` (Mesh::node_parents), and those of no
/// coarser mesh. The same bits on every backend.
template <class ExecutionSpace, int Dim>
Mesh<Dim, typename ExecutionSpace::memory_space>
bisect_marked(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
              const Array<const std::uint8_t*, ExecutionSpace>& marked);

} // namespace tessera::mesh

#endif
