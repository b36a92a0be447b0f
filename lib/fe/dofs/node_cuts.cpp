// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "fe/dofs/node_cuts.hpp"

#include "mesh/simplex.hpp"

#include <algorithm>
#include <limits>

namespace tessera::fe {

namespace {

/// The vertex of the mesh with which the unknown of a local node is numbered.
template <int Dim> index_t lower_vertex(const index_t* nodes, int a) {
  using Simplex = mesh::Simplex<Dim>;
  if (a <= Dim)
    return nodes[a];
  return std::min(nodes[Simplex::edge_begin(a - Dim - 1)], nodes[Simplex::edge_end(a - Dim - 1)]);
}

} // namespace

template <class ExecutionSpace>
std::vector<std::int64_t> unknowns_of_parts(const ExecutionSpace& exec,
                                            const DofMap<typename ExecutionSpace::memory_space>& dofs,
                                            const ElementTable<typename ExecutionSpace::memory_space>& table,
                                            int dimension, const std::vector<index_t>& first_node) {
  const auto nodes = tessera::to_host(exec, table.nodes);
  const auto node_dof = tessera::to_host(exec, dofs.node_dof);
  // Identified nodes have the position of the lowest of them, as the numbers of unknowns do.
  std::vector<index_t> vertex(static_cast<std::size_t>(dofs.n_regular), std::numeric_limits<index_t>::max());
  for (index_t e = 0; e < table.n_elements(); ++e) {
    const index_t* const of_element = nodes.data() + static_cast<std::int64_t>(e) * table.nodes_per_element;
    for (int a = 0; a < table.nodes_per_element; ++a) {
      const index_t dof = node_dof(of_element[a]);
      if (!dofs.is_regular(dof))
        continue;
      index_t& lowest = vertex[static_cast<std::size_t>(dof)];
      lowest = std::min(lowest, dimension == 2 ? lower_vertex<2>(of_element, a) : lower_vertex<3>(of_element, a));
    }
  }
  std::vector<std::int64_t> cuts;
  for (const index_t first : first_node)
    cuts.push_back(std::count_if(vertex.begin(), vertex.end(), [&](index_t v) { return v < first; }));
  cuts.back() = dofs.n_free;
  for (std::size_t r = 0; r + 1 < cuts.size(); ++r)
    TESSERA_REQUIRE(cuts[r] < cuts[r + 1], "execution.partition: METIS left process "
                                               << r << " without unknowns (of " << dofs.n_free
                                               << "). Use morton, or fewer processes.");
  return cuts;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template std::vector<std::int64_t> unknowns_of_parts(const SPACE&, const DofMap<typename SPACE::memory_space>&,      \
                                                       const ElementTable<typename SPACE::memory_space>&, int,         \
                                                       const std::vector<index_t>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::fe
