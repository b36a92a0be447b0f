// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_REFINE_STRAIGHT_EDGES_HPP
#define TESSERA_MESH_REFINE_STRAIGHT_EDGES_HPP

/// \file
/// Edges on curved boundaries that stay straight, because their midpoints upon the boundary would fold elements.

#include "mesh/mesh.hpp"
#include "mesh/refine/bisected_simplex.hpp"

#include <array>
#include <cstdint>

namespace tessera::mesh {

/// What straight edges lose of the shape.
struct StraightEdges {
  index_t n_elements = 0;        ///< that would be folded
  double distance = 0.;          ///< m, largest one of a midpoint from the curved boundary
  std::array<double, 3> place{}; ///< m, of the edge with this distance
  bool any() const { return n_elements > 0; }
};

/// Moves the marked midpoints from the curved boundary to the middles of their edges, and records the farthest of them.
/// `coordinates`: of the vertices, followed by the midpoints.
template <class ExecutionSpace, int Dim>
void straighten(const ExecutionSpace& exec, const EdgeMidpoints<typename ExecutionSpace::memory_space>& midpoints,
                index_t n_vertices, const Array<const std::uint8_t*, ExecutionSpace>& marked,
                const Array<double* [Dim], ExecutionSpace>& coordinates, StraightEdges& straight);

/// Straightens edges of `fine`, a mesh with midpoints as nodes from `n_vertices` on, until none of its elements is
/// inverted or, where all midpoints of an inverted element are straight, nothing changes. Curved facets with such
/// midpoints are dropped: later refinements keep them straight.
template <class ExecutionSpace, int Dim>
void unfold(const ExecutionSpace& exec, const EdgeMidpoints<typename ExecutionSpace::memory_space>& midpoints,
            index_t n_vertices, Mesh<Dim, typename ExecutionSpace::memory_space>& fine, StraightEdges& straight);

} // namespace tessera::mesh

#endif
