// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_CHECKS_OVERLAPS_HPP
#define TESSERA_MESH_CHECKS_OVERLAPS_HPP

/// \file
/// Finds elements that overlap without sharing a facet or node there, which checks of neighbours do not detect.

#include "mesh/surface.hpp"

#include <array>
#include <optional>

namespace tessera::mesh {

/// An open facet that passes through the interior of an element.
template <int Dim> struct Overlap {
  index_t element = 0;             ///< the one with the smallest index
  index_t other = 0;               ///< the element of the facet
  std::array<double, Dim> place{}; ///< m, a point on the facet inside the element
};

/// Returns the first overlap, or none. Where the number of elements that cover a point changes from one to two there is
/// an open facet, part of which is inside an element: therefore a few points of every open facet are searched in all
/// elements, in n log n for n open facets plus one step per element. Misses only overlaps between these points.
/// `surface` belongs to `mesh`, whose elements have positive measures.
template <class ExecutionSpace, int Dim>
std::optional<Overlap<Dim>> find_overlap(const ExecutionSpace& exec,
                                         const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                                         const Surface<Dim>& surface);

} // namespace tessera::mesh

#endif
