// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/problem/connected_parts.hpp"

#include "core/keep_alive.hpp"
#include "core/kokkos_ext/runtime.hpp"
#include "graph/disjoint_sets.hpp"

#include <algorithm>

namespace tessera::driver {

namespace {

template <class Space> struct UnknownItself {
  Array<index_t*, Space> parents;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { parents(i) = static_cast<index_t>(i); }
};

/// The unknowns of an element that no boundary determines.
template <class Space> struct OpenUnknowns {
  Array<const index_t*, Space> nodes;
  int nodes_per_element;
  fe::DofView<Space> dofs;
  Array<const group_t*, Space> node_boundary;
  int n_boundaries;
  /// -1: none.
  KOKKOS_FUNCTION index_t of(std::int64_t pair) const {
    const index_t node = nodes(pair);
    const index_t dof = dofs.node_dof(node);
    const bool is_open = dofs.is_tied(dof) || (dofs.is_regular(dof) && node_boundary(node) >= n_boundaries);
    return is_open ? dof : -1;
  }
  KOKKOS_FUNCTION index_t first_of(index_t e) const {
    index_t found = -1;
    for (int a = 0; a < nodes_per_element && found < 0; ++a)
      found = of(static_cast<std::int64_t>(e) * nodes_per_element + a);
    return found;
  }
};

template <class Space> struct JoinUnknowns {
  OpenUnknowns<Space> open;
  graph::DisjointSets<Space> sets;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    index_t first = -1;
    for (int a = 0; a < open.nodes_per_element; ++a) {
      const index_t own = open.of(static_cast<std::int64_t>(e) * open.nodes_per_element + a);
      if (first >= 0 && own >= 0)
        sets.join(first, own);
      first = first >= 0 ? first : own;
    }
  }
};

/// Makes each unknown's root its parent, and finds whether one is not 0: the root of unknown 0 is.
template <class Space> struct RootsOfUnknowns {
  graph::DisjointSets<Space> sets;
  Array<index_t*, Space> has_others; // [1]
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const index_t root = sets.find_root(i);
    if (load_shared(&sets.parents(i)) != root)
      Kokkos::atomic_store(&sets.parents(i), root);
    if (root != 0 && load_shared(&has_others(0)) == 0)
      Kokkos::atomic_store(&has_others(0), index_t(1));
  }
};

/// The smallest unknown of each element's part; the smallest and the largest of these.
template <class Space> struct RootsOfElements {
  OpenUnknowns<Space> open;
  graph::DisjointSets<Space> sets;
  Array<index_t*, Space> root;
  KOKKOS_FUNCTION void operator()(index_t e, index_t& low, index_t& high) const {
    const index_t first = open.first_of(e);
    root(e) = first < 0 ? -1 : sets.root_of(first);
    if (first < 0)
      return;
    low = root(e) < low ? root(e) : low;
    high = root(e) > high ? root(e) : high;
  }
};

template <class Space> struct MarkPartRoots {
  Array<const index_t*, Space> root;
  Array<index_t*, Space> is_root;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    if (root(e) >= 0)
      Kokkos::atomic_store(&is_root(root(e)), index_t(1));
  }
};

template <class Space> struct NumberOfRoot {
  Array<const index_t*, Space> numbers; // of roots
  index_t n_parts;
  KOKKOS_FUNCTION index_t operator()(index_t root) const {
    return root < 0 ? -1 : numbers(root) < n_parts ? numbers(root) : n_parts - 1;
  }
};

template <class Space> struct NumberElementsOfParts {
  NumberOfRoot<Space> number;
  Array<index_t*, Space> of_element; // roots on entry
  KOKKOS_FUNCTION void operator()(index_t e) const { of_element(e) = number(of_element(e)); }
};

/// Unknowns without an element of a part are their own roots, which no element has marked.
template <class Space> struct NumberUnknownsOfParts {
  NumberOfRoot<Space> number;
  Array<const index_t*, Space> is_root;
  graph::DisjointSets<Space> sets;
  Array<index_t*, Space> of_unknown;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const index_t root = sets.root_of(i);
    of_unknown(i) = is_root(root) > 0 ? number(root) : -1;
  }
};

template <class Space> struct PartOfElement {
  Array<const index_t*, Space> of_element;
  KOKKOS_FUNCTION index_t operator()(std::int64_t e) const { return of_element(e); }
};

template <class Space> struct TakeItems {
  Array<const std::int64_t*, Space> items;
  std::int64_t start;
  Array<index_t*, Space> taken;
  KOKKOS_FUNCTION void operator()(index_t i) const { taken(i) = static_cast<index_t>(items(start + i)); }
};

} // namespace

template <class ExecutionSpace>
Array<index_t*, ExecutionSpace> ConnectedParts<ExecutionSpace>::elements_of(const ExecutionSpace& exec,
                                                                            index_t part) const {
  const std::int64_t start = elements.host_starts[part];
  const auto size = static_cast<index_t>(elements.host_starts[part + 1] - start);
  const auto taken = make_array<Array<index_t*, ExecutionSpace>>(exec, "driver::elements_of_part", size);
  for_each("tessera::driver::elements_of_part", exec, size, TakeItems<Space>{elements.items, start, taken});
  return taken;
}

template <class ExecutionSpace>
ConnectedParts<ExecutionSpace>
find_connected_parts(const ExecutionSpace& exec,
                     const fe::ElementTable<typename ExecutionSpace::memory_space>& elements,
                     const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
                     const Array<const group_t*, ExecutionSpace>& node_boundary, int n_boundaries) {
  using Space = typename ExecutionSpace::memory_space;
  const auto n_elements = elements.n_elements();
  const auto parents = make_array<Array<index_t*, ExecutionSpace>>(exec, "driver::joined_unknowns", dofs.n_free);
  const graph::DisjointSets<Space> sets{parents};
  const OpenUnknowns<Space> open{elements.nodes, elements.nodes_per_element, fe::DofView<Space>(dofs), node_boundary,
                                 n_boundaries};
  stream("tessera::driver::single_unknowns", exec, dofs.n_free, UnknownItself<Space>{parents});
  for_each("tessera::driver::join_unknowns", exec, n_elements, JoinUnknowns<Space>{open, sets});
  const auto has_others =
      make_filled<Array<index_t*, ExecutionSpace>>(exec, "driver::has_several_roots", 1, index_t(0));
  for_each("tessera::driver::roots_of_unknowns", exec, dofs.n_free, RootsOfUnknowns<Space>{sets, has_others});
  ConnectedParts<ExecutionSpace> parts;
  if (read_entry(exec, has_others, 0) == 0) // one part, or no unknown: without another pass over the elements
    return parts;
  const auto roots = make_array<Array<index_t*, ExecutionSpace>>(exec, "driver::parts_of_elements", n_elements);
  index_t low = 0, high = 0;
  Kokkos::parallel_reduce("tessera::driver::roots_of_elements",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n_elements),
                          RootsOfElements<Space>{open, sets, roots}, Kokkos::Min<index_t>(low),
                          Kokkos::Max<index_t>(high));
  if (low >= high) // the other unknowns are in no part
    return parts;
  const auto is_root = make_filled<Array<index_t*, ExecutionSpace>>(exec, "driver::roots", dofs.n_free, index_t(0));
  const auto numbers = make_array<Array<index_t*, ExecutionSpace>>(exec, "driver::numbers_of_parts", dofs.n_free + 1);
  for_each("tessera::driver::mark_roots", exec, n_elements, MarkPartRoots<Space>{roots, is_root});
  copy(exec, Array<index_t*, ExecutionSpace>(Kokkos::subview(numbers, std::make_pair(index_t(0), dofs.n_free))),
       is_root);
  const std::int64_t n_found = counts_to_offsets(exec, numbers, dofs.n_free, "connected parts");
  parts.n = static_cast<index_t>(std::min<std::int64_t>(n_found, most_connected_parts));
  const NumberOfRoot<Space> number{numbers, parts.n};
  parts.of_unknown = make_array<Array<index_t*, ExecutionSpace>>(exec, "driver::parts_of_unknowns", dofs.n_free);
  for_each("tessera::driver::number_unknowns", exec, dofs.n_free,
           NumberUnknownsOfParts<Space>{number, is_root, sets, parts.of_unknown});
  for_each("tessera::driver::number_elements", exec, n_elements, NumberElementsOfParts<Space>{number, roots});
  parts.of_element = roots;
  parts.elements = group_items(exec, n_elements, parts.n, PartOfElement<Space>{roots}, "connected parts");
  exec.fence(); // the tables are freed
  return parts;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template struct ConnectedParts<SPACE>;                                                                               \
  template ConnectedParts<SPACE> find_connected_parts<SPACE>(                                                          \
      const SPACE&, const fe::ElementTable<SPACE::memory_space>&, const fe::DofMap<SPACE::memory_space>&,              \
      const Array<const group_t*, SPACE>&, int);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
