// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_GRAPH_NEIGHBOURS_HPP
#define TESSERA_GRAPH_NEIGHBOURS_HPP

#include "core/types.hpp"

namespace tessera::graph {

/// Graph whose vertices have few neighbours each, as a table: [n_vertices][Width], padded with -1. Symmetric.
template <int Width, class MemorySpace> struct Neighbours {
  Array<const index_t* [Width], MemorySpace> table;

  index_t n_vertices() const { return static_cast<index_t>(table.extent(0)); }
};

} // namespace tessera::graph

#endif
