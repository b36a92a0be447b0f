// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_GRAPH_COLOURING_VERTEX_COLORING_HPP
#define TESSERA_GRAPH_COLOURING_VERTEX_COLORING_HPP

/// \file
/// Colours of a graph's vertices, the same on every backend.

#include "core/parallel.hpp"

namespace tessera::graph {

/// Colours from 0 on, [n_vertices], different for neighbours. The graph is symmetric, in compressed rows; loops are
/// ignored. In rounds (M. T. Jones, P. E. Plassmann, SIAM J. Sci. Comput. 14, 1993): a vertex whose hashed index
/// exceeds those of its uncoloured neighbours takes the smallest colour that none of its neighbours has. The result
/// depends on the graph alone. Complete on return.
template <class ExecutionSpace>
Array<index_t*, ExecutionSpace> color_vertices(const ExecutionSpace& exec,
                                               const Array<const offset_t*, ExecutionSpace>& offsets,
                                               const Array<const index_t*, ExecutionSpace>& neighbors);

} // namespace tessera::graph

#endif
