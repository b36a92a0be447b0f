// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/checks/check_elements.hpp"

#include "core/keep_alive.hpp"
#include "core/tagged_loop.hpp"
#include "graph/components.hpp"

namespace tessera::mesh {

namespace {

template <int Dim, class Space> struct NeighboursInRegion {
  DualGraph<Dim, Space> dual;
  Array<const group_t*, Space> regions;
  Array<index_t * [Dim + 1], Space> table;
  KOKKOS_FUNCTION void operator()(index_t s) const {
    for (int f = 0; f <= Dim; ++f) {
      const index_t neighbour = dual.neighbour(s, f);
      table(s, f) = neighbour >= 0 && regions(neighbour) == regions(s) ? neighbour : -1;
    }
  }
};

template <class Space> struct CountPieces {
  Array<const index_t*, Space> element_of;
  Array<const group_t*, Space> regions;
  Array<const index_t*, Space> root;
  Array<index_t*, Space> n_pieces; // by element
  Array<index_t*, Space> lowest;   // region with the smallest number
  Array<index_t*, Space> highest;

  struct Simplices {};
  KOKKOS_FUNCTION void operator()(Simplices, index_t s) const {
    const index_t e = element_of(s);
    if (root(s) == s)
      Kokkos::atomic_fetch_add(&n_pieces(e), index_t(1));
    Kokkos::atomic_fetch_min(&lowest(e), static_cast<index_t>(regions(s)));
    Kokkos::atomic_fetch_max(&highest(e), static_cast<index_t>(regions(s)));
  }

  struct Empty {};
  struct Disconnected {};
  struct Mixed {};
  KOKKOS_FUNCTION void operator()(Empty, index_t e, index_t& n) const { n += n_pieces(e) == 0 ? 1 : 0; }
  // Pieces do not cross regions, so that they say nothing about mixed elements.
  KOKKOS_FUNCTION void operator()(Disconnected, index_t e, index_t& n) const {
    n += n_pieces(e) > 1 && lowest(e) == highest(e) ? 1 : 0;
  }
  KOKKOS_FUNCTION void operator()(Mixed, index_t e, index_t& n) const { n += lowest(e) < highest(e) ? 1 : 0; }

  template <class Tag, class ExecutionSpace>
  index_t count(const char* label, const ExecutionSpace& exec, index_t n_elements) const {
    index_t n = 0;
    Kokkos::parallel_reduce(
        label, Kokkos::RangePolicy<ExecutionSpace, Tag, Kokkos::IndexType<index_t>>(exec, 0, n_elements), *this, n);
    return n;
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
graph::Neighbours<Dim + 1, typename ExecutionSpace::memory_space>
neighbours_in_region(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                     const DualGraph<Dim, typename ExecutionSpace::memory_space>& dual) {
  using Space = typename ExecutionSpace::memory_space;
  const auto table = make_array<Array<index_t * [Dim + 1], Space>>(exec, "mesh::neighbours", mesh.n_elements());
  for_each("tessera::mesh::neighbours_in_region", exec, mesh.n_elements(),
           NeighboursInRegion<Dim, Space>{dual, mesh.regions, table});
  return {table};
}

template <class ExecutionSpace, int Dim>
ElementFaults check_elements(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                             const DualGraph<Dim, typename ExecutionSpace::memory_space>& dual,
                             const Array<const index_t*, ExecutionSpace>& element_of, index_t n_elements) {
  using Space = typename ExecutionSpace::memory_space;
  using Count = CountPieces<Space>;
  const index_t n = mesh.n_elements();
  const auto neighbours = neighbours_in_region(exec, mesh, dual);
  const auto parents = make_array<Array<index_t*, Space>>(exec, "mesh::piece_parents", n);
  const auto root = make_array<Array<index_t*, Space>>(exec, "mesh::piece_roots", n);
  graph::find_components(exec, neighbours, element_of, parents, root);
  Count count{element_of, mesh.regions, root, {}, {}, {}};
  count.n_pieces = make_filled<Array<index_t*, Space>>(exec, "mesh::n_pieces", n_elements, 0);
  count.lowest = make_filled<Array<index_t*, Space>>(exec, "mesh::lowest_regions", n_elements, 0xffff);
  count.highest = make_filled<Array<index_t*, Space>>(exec, "mesh::highest_regions", n_elements, 0);
  for_each_tagged<typename Count::Simplices>("tessera::mesh::count_pieces", exec, n, count);
  ElementFaults faults;
  faults.n_empty = count.template count<typename Count::Empty>("tessera::mesh::empty_elements", exec, n_elements);
  faults.n_disconnected =
      count.template count<typename Count::Disconnected>("tessera::mesh::disconnected_elements", exec, n_elements);
  faults.n_mixed = count.template count<typename Count::Mixed>("tessera::mesh::mixed_elements", exec, n_elements);
  keep_alive(exec, neighbours, parents, count);
  return faults;
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template graph::Neighbours<Dim + 1, Space::memory_space> neighbours_in_region(                                       \
      const Space&, const Mesh<Dim, Space::memory_space>&, const DualGraph<Dim, Space::memory_space>&);                \
  template ElementFaults check_elements(const Space&, const Mesh<Dim, Space::memory_space>&,                           \
                                        const DualGraph<Dim, Space::memory_space>&,                                    \
                                        const Array<const index_t*, Space>&, index_t);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::mesh
