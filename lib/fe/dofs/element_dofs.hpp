// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_FE_DOFS_ELEMENT_DOFS_HPP
#define TESSERA_FE_DOFS_ELEMENT_DOFS_HPP

/// \file
/// The table of element to unknowns, from which patterns, lists and colours of a space are made.

#include "core/parallel.hpp"
#include "fe/dofs/dof_map.hpp"

#include <type_traits>

namespace tessera::fe {

/// Decodes an entry of an element's nodes: n, or ~n if the element's shape function has the opposite sign to the node's
/// (edge elements, whose edges are oriented).
KOKKOS_INLINE_FUNCTION constexpr index_t node_number(index_t entry) { return entry < 0 ? ~entry : entry; }

/// Unknowns of each element. Composed of the nodes of the elements and the unknowns of the nodes instead of stored:
/// both parts are read from caches more often than a third array would be. Other spaces supply other nodes; with
/// `HasOrientation` these are encoded as for node_number().
template <int NNodes, class MemorySpace, bool HasOrientation = false> struct ElementDofs : DofKinds {
  using memory_space = MemorySpace;
  static constexpr int n_nodes = NNodes;
  static constexpr bool on_host = uses_host_forms<MemorySpace>;

  Array<const index_t* [NNodes], MemorySpace> element_nodes;
  Array<const index_t*, MemorySpace> node_dof;

  KOKKOS_FUNCTION ElementDofs(const DofKinds& kinds, const Array<const index_t* [NNodes], MemorySpace>& nodes,
                              const Array<const index_t*, MemorySpace>& dofs)
      : DofKinds(kinds), element_nodes(nodes), node_dof(dofs) {}

  KOKKOS_FUNCTION index_t n_elements() const { return static_cast<index_t>(element_nodes.extent(0)); }
  /// Entry of local node a. Uses a compile-time stride: the rows of this array are contiguous, which a view's run-time
  /// stride does not show.
  KOKKOS_FUNCTION index_t node(index_t e, int a) const {
    return element_nodes.data()[static_cast<std::int64_t>(e) * NNodes + a];
  }
  KOKKOS_FUNCTION void nodes_of(index_t e, index_t (&n)[NNodes]) const {
    for (int a = 0; a < NNodes; ++a)
      n[a] = node(e, a);
  }
  KOKKOS_FUNCTION index_t dof_of_node(index_t entry) const {
    return node_dof(HasOrientation ? node_number(entry) : entry);
  }
  KOKKOS_FUNCTION index_t dof_of(index_t e, int a) const { return dof_of_node(node(e, a)); }
  KOKKOS_FUNCTION void dofs_of(index_t e, index_t (&dof)[NNodes]) const {
    for (int a = 0; a < NNodes; ++a)
      dof[a] = dof_of(e, a);
  }
  /// Unknowns of the nodes other than a, cyclically.
  KOKKOS_FUNCTION void other_dofs(index_t e, int a, index_t (&dof)[NNodes - 1]) const {
    for (int i = 0; i < NNodes - 1; ++i)
      dof[i] = dof_of(e, a + 1 + i < NNodes ? a + 1 + i : a + 1 + i - NNodes);
  }
};

namespace detail {
template <class Dofs> struct DecodeNodes {
  Dofs dofs;
  Array<index_t*, typename Dofs::memory_space> nodes;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    for (int a = 0; a < Dofs::n_nodes; ++a)
      nodes(static_cast<std::int64_t>(e) * Dofs::n_nodes + a) = node_number(dofs.node(e, a));
  }
};
} // namespace detail

/// The nodes of all elements, [n_elements * NNodes], decoded: the array of the table if it has no orientation, else a
/// copy.
template <class ExecutionSpace, int NNodes, bool HasOrientation>
Array<const index_t*, ExecutionSpace>
node_numbers(const ExecutionSpace& exec,
             const ElementDofs<NNodes, typename ExecutionSpace::memory_space, HasOrientation>& dofs) {
  const std::int64_t n = static_cast<std::int64_t>(dofs.n_elements()) * NNodes;
  if constexpr (HasOrientation) {
    const auto nodes = make_array<Array<index_t*, ExecutionSpace>>(exec, "fe::node_numbers", n);
    for_each("tessera::fe::decode_nodes", exec, dofs.n_elements(),
             detail::DecodeNodes<std::decay_t<decltype(dofs)>>{dofs, nodes});
    return nodes;
  } else {
    return Array<const index_t*, ExecutionSpace>(dofs.element_nodes.data(), n);
  }
}

} // namespace tessera::fe

#endif
