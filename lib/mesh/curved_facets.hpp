// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_CURVED_FACETS_HPP
#define TESSERA_MESH_CURVED_FACETS_HPP

/// \file
/// The true shape of curved boundaries and interfaces, by patches.

#include "core/parallel.hpp"

namespace tessera::mesh {

template <class MemorySpace> struct EdgeMidpoints;

/// Facets whose vertices lie on a curved boundary or interface. A patch is the polynomial surface that represents one
/// facet of the coarsest mesh, by its values at the equidistant lattice of Lagrange interpolation of `degree`.
/// Refinement cuts facets, not patches: a facet stores the positions of its vertices in its patch.
template <int Dim, class MemorySpace> struct CurvedFacets {
  static constexpr int max_degree = 4;

  /// Points of a patch: lattice point i of an edge at the barycentric coordinates (degree - i, i) / degree; of a
  /// triangle (degree - i - j, i, j) / degree, i running first.
  static constexpr int n_points(int degree) { return Dim == 2 ? degree + 1 : (degree + 1) * (degree + 2) / 2; }

  int degree = 0;                           ///< 0: no facet is curved
  Array<double*, MemorySpace> points;       ///< metres, [n_patches][n_points(degree)][Dim]
  Array<index_t* [Dim], MemorySpace> nodes; ///< of each facet, [n_facets][Dim]
  Array<index_t*, MemorySpace> patch;       ///< of each facet, [n_facets]
  Array<double * [Dim * Dim], MemorySpace>
      position; ///< barycentric coordinates of each vertex in the patch, [..][Dim][Dim]

  index_t n_facets() const { return static_cast<index_t>(patch.extent(0)); }
};

/// Moves the midpoints of edges of curved facets from the chord to the patch, if they are nodes. An edge of two curved
/// facets uses the patch of the first, so that the result has the same bits on every backend.
template <class ExecutionSpace, int Dim>
void place_midpoints(const ExecutionSpace& exec, const CurvedFacets<Dim, typename ExecutionSpace::memory_space>& curved,
                     const EdgeMidpoints<typename ExecutionSpace::memory_space>& midpoints,
                     const Array<double* [Dim], ExecutionSpace>& coordinates);

/// The facets of a mesh refined by refine_uniform(), where every edge has a midpoint.
template <class ExecutionSpace, int Dim>
CurvedFacets<Dim, typename ExecutionSpace::memory_space>
refine_curved(const ExecutionSpace& exec, const CurvedFacets<Dim, typename ExecutionSpace::memory_space>& curved,
              const EdgeMidpoints<typename ExecutionSpace::memory_space>& midpoints);

/// The facets of a mesh refined by bisect_marked(), cut like those of groups.
template <class ExecutionSpace, int Dim>
CurvedFacets<Dim, typename ExecutionSpace::memory_space>
cut_curved(const ExecutionSpace& exec, const CurvedFacets<Dim, typename ExecutionSpace::memory_space>& curved,
           const EdgeMidpoints<typename ExecutionSpace::memory_space>& midpoints);

/// The same facets with node n renumbered to new_number(n).
template <class ExecutionSpace, int Dim>
CurvedFacets<Dim, typename ExecutionSpace::memory_space>
renumber_curved(const ExecutionSpace& exec, const CurvedFacets<Dim, typename ExecutionSpace::memory_space>& curved,
                const Array<const index_t*, ExecutionSpace>& new_number);

/// The lattice points of each facet as a separate patch, [n_facets * n_points(degree) * Dim].
template <class ExecutionSpace, int Dim>
Array<double*, typename ExecutionSpace::memory_space>
curved_lattice(const ExecutionSpace& exec, const CurvedFacets<Dim, typename ExecutionSpace::memory_space>& curved);

} // namespace tessera::mesh

#endif
