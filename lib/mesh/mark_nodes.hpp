// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_MARK_NODES_HPP
#define TESSERA_MESH_MARK_NODES_HPP

#include "core/parallel.hpp"

namespace tessera::mesh {

/// Raises marks(n) to the largest number that a table assigns to the groups of the elements or facets at node n.
/// Numbers are positive; 0: the group marks nothing. For kernels over elements or facets.
template <class Nodes, class Groups, class Space> struct MarkNodes {
  Nodes nodes; // [n][nodes per entity]
  Groups groups;
  Array<const index_t*, Space> number_of_group;
  Array<index_t*, Space> marks;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    const index_t number = number_of_group(groups(i));
    if (number == 0)
      return;
    for (int a = 0; a < static_cast<int>(nodes.extent(1)); ++a)
      Kokkos::atomic_fetch_max(&marks(nodes(i, a)), number); // independent of the order
  }
};

/// Marks the nodes of all elements or facets. Does not wait.
template <class ExecutionSpace, class Nodes, class Groups>
void mark_nodes(const ExecutionSpace& exec, const Nodes& nodes, const Groups& groups,
                const Array<index_t*, ExecutionSpace>& number_of_group, const Array<index_t*, ExecutionSpace>& marks) {
  for_each("tessera::mesh::mark_nodes", exec, static_cast<index_t>(nodes.extent(0)),
           MarkNodes<Nodes, Groups, typename ExecutionSpace::memory_space>{nodes, groups, number_of_group, marks});
}

} // namespace tessera::mesh

#endif
