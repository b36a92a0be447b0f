// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/algorithms/scan.hpp"
#include "core/keep_alive.hpp"
#include "mesh/checks/checks.hpp"

namespace tessera::mesh {

namespace {

template <int Dim, class Space> struct MarkUsedNodes {
  Array<const index_t * [Dim + 1], Space> elements;
  Array<index_t*, Space> used;
  KOKKOS_FUNCTION void operator()(index_t element) const {
    for (int a = 0; a <= Dim; ++a)
      Kokkos::atomic_exchange(&used(elements(element, a)), index_t(1));
  }
};

template <int Dim, class Space> struct CompactNodes {
  Array<const index_t*, Space> new_number; // one entry more than nodes
  Array<const double* [Dim], Space> coordinates;
  Array<const index_t*, Space> original;
  bool has_original;
  Array<double* [Dim], Space> new_coordinates;
  Array<index_t*, Space> new_original;
  KOKKOS_FUNCTION void operator()(index_t node) const {
    const index_t to = new_number(node);
    if (new_number(node + 1) == to)
      return;
    for (int d = 0; d < Dim; ++d)
      new_coordinates(to, d) = coordinates(node, d);
    new_original(to) = has_original ? original(node) : node;
  }
};

template <int Size, class Space> struct RenumberNodes {
  Array<const index_t*, Space> new_number;
  Array<const index_t* [Size], Space> from;
  Array<index_t* [Size], Space> to;
  KOKKOS_FUNCTION void operator()(index_t i, index_t& lost) const {
    for (int a = 0; a < Size; ++a) {
      const index_t node = from(i, a);
      to(i, a) = new_number(node);
      if (new_number(node + 1) == new_number(node))
        ++lost;
    }
  }
};

template <int Size, class ExecutionSpace>
index_t renumber(const char* label, const ExecutionSpace& exec, const Array<index_t*, ExecutionSpace>& new_number,
                 const Array<index_t* [Size], ExecutionSpace>& from, const Array<index_t* [Size], ExecutionSpace>& to) {
  index_t lost = 0;
  Kokkos::parallel_reduce(
      label,
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, static_cast<index_t>(from.extent(0))),
      RenumberNodes<Size, typename ExecutionSpace::memory_space>{new_number, from, to}, lost);
  exec.fence();
  return lost;
}

} // namespace

template <class ExecutionSpace, int Dim>
Mesh<Dim, typename ExecutionSpace::memory_space>
drop_orphan_nodes(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  using Space = typename ExecutionSpace::memory_space;
  const auto new_number = make_filled<Array<index_t*, Space>>(exec, "mesh::new_number", mesh.n_nodes() + 1, 0);
  for_each("tessera::mesh::mark_used_nodes", exec, mesh.n_elements(),
           MarkUsedNodes<Dim, Space>{mesh.elements, new_number});
  const index_t n_used = static_cast<index_t>(counts_to_offsets(exec, new_number, mesh.n_nodes(), "nodes in use"));
  if (n_used == mesh.n_nodes())
    return mesh;

  Mesh<Dim, Space> compact = mesh;
  compact.coordinates = make_array<decltype(compact.coordinates)>(exec, "mesh::coordinates", n_used);
  compact.original_node = make_array<Array<index_t*, Space>>(exec, "mesh::original_node", n_used);
  compact.elements = make_array<decltype(compact.elements)>(exec, "mesh::elements", mesh.n_elements());
  compact.facets = make_array<decltype(compact.facets)>(exec, "mesh::facets", mesh.n_facets());
  for_each("tessera::mesh::compact_nodes", exec, mesh.n_nodes(),
           CompactNodes<Dim, Space>{new_number, mesh.coordinates, mesh.original_node, mesh.original_node.extent(0) > 0,
                                    compact.coordinates, compact.original_node});
  renumber<Dim + 1>("tessera::mesh::renumber_elements", exec, new_number, mesh.elements, compact.elements);
  const index_t lost = renumber<Dim>("tessera::mesh::renumber_facets", exec, new_number, mesh.facets, compact.facets);
  TESSERA_REQUIRE(lost == 0,
                  "Nodes that are in no element cannot be left out: boundary facets use " << lost << " of them.");
  compact.curved = renumber_curved<ExecutionSpace, Dim>(exec, mesh.curved, new_number);
  return compact;
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template Mesh<Dim, Space::memory_space> drop_orphan_nodes(const Space&, const Mesh<Dim, Space::memory_space>&);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::mesh
