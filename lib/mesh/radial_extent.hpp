// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_RADIAL_EXTENT_HPP
#define TESSERA_MESH_RADIAL_EXTENT_HPP

#include "mesh/mesh.hpp"

#include <array>

namespace tessera::mesh {

/// Radial extent of a region, or of a boundary, about a point.
struct RadialExtent {
  double smallest = 0.; ///< distance of the nearest node, m
  double largest = 0.;  ///< distance of the farthest node, m
  double angle = 0.;    ///< rad, largest angle that an edge subtends at the point
  double measure = 0.;  ///< length (m), area (m^2) or volume (m^3)
  bool is_empty = true; ///< no element or facet; the other members are then 0
};

/// Extent of a region's elements.
template <class ExecutionSpace, int Dim>
RadialExtent region_extent(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                           group_t region, const std::array<double, Dim>& center);

/// Extent of a boundary's facets.
template <class ExecutionSpace, int Dim>
RadialExtent boundary_extent(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                             group_t boundary, const std::array<double, Dim>& center);

} // namespace tessera::mesh

#endif
