// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_SURFACE_HPP
#define TESSERA_MESH_SURFACE_HPP

/// \file
/// Finds the facets that bound the mesh or a region, and checks that every facet joins two elements properly.

#include "graph/incidence.hpp"
#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// Bits of an element, [n_elements]; bit f of each group of four refers to the facet opposite local vertex f.
template <class MemorySpace> using FacetMarks = Array<std::uint16_t*, MemorySpace>;

namespace facet_mark {
constexpr int open = 0;      ///< in no other element
constexpr int interface = 4; ///< the other element is in another region
constexpr int crowded = 8;   ///< in three or more elements; marked in the one with the smallest index
constexpr int folded = 12;   ///< both elements are on the same side; marked in the one with the smaller index
} // namespace facet_mark

/// Marks the facets of elements of positive measure.
template <class ExecutionSpace, int Dim>
FacetMarks<typename ExecutionSpace::memory_space>
mark_facets(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
            const graph::Incidence<typename ExecutionSpace::memory_space>& node_incidence);

/// Facets that bound the mesh or, optionally, a region, on the host. A facet between two regions is listed twice, once
/// for each side.
template <int Dim> struct Surface {
  Array<index_t* [Dim], HostMemory> nodes;        ///< [n_facets][Dim], oriented outwards (2D: the element is on the
                                                  ///< left)
  Array<double * [Dim * Dim], HostMemory> points; ///< m, of the nodes, [n_facets][node][direction]
  Array<index_t*, HostMemory> elements;           ///< [n_facets], the element with the facet
  Array<group_t*, HostMemory> regions;            ///< [n_facets], of that element
  Array<std::uint8_t*, HostMemory> is_open;       ///< [n_facets], 1: facet of one element only

  index_t n_facets() const { return static_cast<index_t>(elements.extent(0)); }
};

/// Collects the marked facets on the device and copies them to the host: a small part of a mesh.
template <class ExecutionSpace, int Dim>
Surface<Dim> collect_surface(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                             const FacetMarks<typename ExecutionSpace::memory_space>& marks, bool with_interfaces);

} // namespace tessera::mesh

#endif
