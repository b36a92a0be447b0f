// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_GRAPH_PARTITION_METIS_HPP
#define TESSERA_GRAPH_PARTITION_METIS_HPP

/// \file
/// Partitions of graphs by METIS, on the host; without Kokkos.

#include "core/index.hpp"

#include <cstdint>
#include <vector>

namespace tessera::graph {

/// Version of this build's METIS, "5.1.0"; empty without METIS.
const char* metis_version();

/// Part of each vertex, in [0, n_parts), by METIS's multilevel k-way method (Karypis, Kumar, SIAM J. Sci. Comput. 20,
/// 1998) with its default options; the result is reproducible. Vertex v has the neighbours [offsets(v), offsets(v + 1))
/// of `neighbours`; the graph is symmetric and has no loops. Parts have about equal sums of `weights` or, if these are
/// empty, numbers of vertices; they may be empty or disconnected. Throws an error of kind input in a build without
/// METIS, and of kind resource if METIS runs out of memory.
std::vector<index_t> metis_parts(const std::vector<index_t>& offsets, const std::vector<index_t>& neighbours,
                                 index_t n_parts, const std::vector<std::int64_t>& weights = {});

} // namespace tessera::graph

#endif
