// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_DRIVER_MESH_SORTED_VERTICES_HPP
#define TESSERA_DRIVER_MESH_SORTED_VERTICES_HPP

#include "core/types.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace tessera::driver {

/// Vertices of a facet in ascending order, a key to find it by; in 2D the first is -1.
using SortedVertices = std::array<index_t, 3>;

/// Sorted vertices of a facet or of a side of an element: `count` nodes from `first` on, without the one at `but`, if
/// that is below `count`.
inline SortedVertices sorted_vertices(const std::vector<index_t>& nodes, std::size_t first, std::size_t count,
                                      std::size_t but) {
  SortedVertices vertices{-1, -1, -1};
  std::size_t k = 0;
  for (std::size_t a = 0; a < count; ++a)
    if (a != but)
      vertices[k++] = nodes[first + a];
  std::sort(vertices.begin(), vertices.end());
  return vertices;
}

} // namespace tessera::driver

#endif
