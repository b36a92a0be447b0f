// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_GRAPH_COMPONENTS_HPP
#define TESSERA_GRAPH_COMPONENTS_HPP

/// \file
/// Connected components.

#include "core/parallel.hpp"
#include "graph/neighbours.hpp"

namespace tessera::graph {

/// Writes to root(v), [n_vertices], the smallest vertex connected to v by edges between vertices of equal `parts`,
/// [n_vertices]. By union-find, in the manner of J. Jaiganesh, M. Burtscher, A high-performance connected components
/// implementation for GPUs, HPDC 2018. `parents`, [n_vertices], is temporary memory. Does not wait.
template <class ExecutionSpace, int Width>
void find_components(const ExecutionSpace& exec,
                     const Neighbours<Width, typename ExecutionSpace::memory_space>& neighbours,
                     const Array<const index_t*, ExecutionSpace>& parts, const Array<index_t*, ExecutionSpace>& parents,
                     const Array<index_t*, ExecutionSpace>& root);

} // namespace tessera::graph

#endif
