// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_OVERLAPS_HPP
#define TESSERA_MESH_OVERLAPS_HPP

/// \file
/// Finds elements that overlap without sharing a facet or node there, which checks of neighbours miss.

#include "mesh/surface.hpp"

#include <array>
#include <optional>

namespace tessera::mesh {

/// An open facet that passes through the inside of an element.
template <int Dim> struct Overlap {
  index_t element = 0;             ///< the smallest one
  index_t other = 0;               ///< the element of the facet
  std::array<double, Dim> place{}; ///< m, of a point on the facet inside of the element
};

/// Returns the first overlap, or none. Where the number of elements that cover a place changes from one to two there is
/// an open facet, part of which is inside of an element: so a few points of every open facet are searched in all
/// elements, in n log n for n open facets and one step per element. Misses only overlaps between these points.
/// `surface` is that of `mesh`, whose elements have a positive measure.
template <class ExecutionSpace, int Dim>
std::optional<Overlap<Dim>> find_overlap(const ExecutionSpace& exec,
                                         const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                                         const Surface<Dim>& surface);

} // namespace tessera::mesh

#endif
