// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "driver/problem/carried_values.hpp"

#include "graph/disjoint_sets.hpp"

namespace tessera::driver {

namespace {

template <class Space> struct Identity {
  Array<index_t*, Space> parents;
  KOKKOS_FUNCTION void operator()(index_t n) const { parents(n) = n; }
};

template <class Space> struct JoinNodes {
  Array<const double*, Space> coefficient;
  double threshold;
  Array<const index_t*, Space> nodes;
  int nodes_per_element;
  graph::DisjointSets<Space> sets;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    if (coefficient(e) < threshold)
      return;
    const std::int64_t first = static_cast<std::int64_t>(e) * nodes_per_element;
    for (int a = 1; a < nodes_per_element; ++a)
      sets.join(nodes(first), nodes(first + a));
  }
};

template <class Space> struct JoinPeriodic {
  Array<const index_t*, Space> node_source;
  graph::DisjointSets<Space> sets;
  KOKKOS_FUNCTION void operator()(index_t n) const { sets.join(n, node_source(n)); }
};

/// The smallest and the largest boundary in each set.
template <class Space> struct BoundariesOfSets {
  Array<const group_t*, Space> node_boundary;
  int n_boundaries;
  graph::DisjointSets<Space> sets;
  Array<int*, Space> smallest, largest; // of roots
  KOKKOS_FUNCTION void operator()(index_t n) const {
    const int own = node_boundary(n);
    if (own >= n_boundaries)
      return;
    const index_t root = sets.root_of(n);
    Kokkos::atomic_fetch_min(&smallest(root), own);
    Kokkos::atomic_fetch_max(&largest(root), own);
  }
};

/// Assigns nodes without a boundary the only boundary of their set; counts them.
template <class Space> struct Carry {
  graph::DisjointSets<Space> sets;
  Array<const int*, Space> smallest, largest;
  int n_boundaries;
  Array<group_t*, Space> node_boundary;
  KOKKOS_FUNCTION void operator()(index_t n, index_t& n_carried) const {
    const index_t root = sets.root_of(n);
    if (smallest(root) != largest(root) || node_boundary(n) < n_boundaries)
      return;
    node_boundary(n) = static_cast<group_t>(smallest(root));
    ++n_carried;
  }
};

template <class Space> struct CountAntiperiodic {
  Array<const index_t*, Space> node_source;
  KOKKOS_FUNCTION void operator()(index_t n, index_t& found) const { found += node_source(n) < 0 ? 1 : 0; }
};

template <class ExecutionSpace> auto range(const ExecutionSpace& exec, std::size_t n) {
  return Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, static_cast<index_t>(n));
}

} // namespace

template <class ExecutionSpace>
Array<group_t*, ExecutionSpace>
carry_boundaries(const ExecutionSpace& exec, const Array<const double*, ExecutionSpace>& coefficient, double smallest,
                 double largest, const fe::ElementTable<typename ExecutionSpace::memory_space>& elements,
                 const fe::DofMap<typename ExecutionSpace::memory_space>& dofs,
                 const Array<const group_t*, ExecutionSpace>& node_boundary, int n_boundaries) {
  using Space = typename ExecutionSpace::memory_space;
  TESSERA_REQUIRE(smallest > 0., "The smallest coefficient of carry_boundaries() is "
                                     << smallest << "; thresholds are multiples of it, so it must be above 0.");
  const auto n = static_cast<index_t>(dofs.node_dof.extent(0));
  const bool is_periodic = dofs.node_source.extent(0) > 0;
  if (is_periodic) {
    index_t n_found = 0;
    Kokkos::parallel_reduce("tessera::driver::count_antiperiodic", range(exec, dofs.node_source.extent(0)),
                            CountAntiperiodic<Space>{dofs.node_source}, n_found);
    if (n_found > 0)
      return {};
  }
  const auto boundaries = make_array<Array<group_t*, ExecutionSpace>>(exec, "driver::carried_boundaries", n);
  copy(exec, boundaries, node_boundary);
  const auto parents = make_array<Array<index_t*, ExecutionSpace>>(exec, "driver::conductors", n);
  const auto first = make_array<Array<int*, ExecutionSpace>>(exec, "driver::first_boundaries", n);
  const auto last = make_array<Array<int*, ExecutionSpace>>(exec, "driver::last_boundaries", n);
  const graph::DisjointSets<Space> sets{parents};
  index_t n_carried = 0;
  for (double threshold = 1e3 * smallest; threshold <= largest; threshold *= 100.) {
    for_each("tessera::driver::single_nodes", exec, n, Identity<Space>{parents});
    for_each("tessera::driver::join_nodes", exec, static_cast<index_t>(coefficient.extent(0)),
             JoinNodes<Space>{coefficient, threshold, elements.nodes, elements.nodes_per_element, sets});
    if (is_periodic)
      for_each("tessera::driver::join_periodic", exec, n, JoinPeriodic<Space>{dofs.node_source, sets});
    fill(exec, first, n_boundaries);
    fill(exec, last, -1);
    for_each("tessera::driver::boundaries_of_conductors", exec, n,
             BoundariesOfSets<Space>{node_boundary, n_boundaries, sets, first, last});
    index_t n_found = 0;
    Kokkos::parallel_reduce("tessera::driver::carry", range(exec, parents.extent(0)),
                            Carry<Space>{sets, first, last, n_boundaries, boundaries}, n_found);
    n_carried += n_found;
  }
  exec.fence(); // the tables are freed
  return n_carried > 0 ? boundaries : Array<group_t*, ExecutionSpace>();
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template Array<group_t*, SPACE> carry_boundaries<SPACE>(                                                             \
      const SPACE&, const Array<const double*, SPACE>&, double, double, const fe::ElementTable<SPACE::memory_space>&,  \
      const fe::DofMap<SPACE::memory_space>&, const Array<const group_t*, SPACE>&, int);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::driver
