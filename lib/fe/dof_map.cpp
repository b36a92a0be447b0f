// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "core/reduce.hpp"
#include "core/scan.hpp"
#include "fe/function_space.hpp"

#include <algorithm>
#include <limits>

namespace tessera::fe {

namespace {

/// Marks the nodes of facets or elements whose group has a constraint; the largest index wins, in any order of threads.
template <class Nodes, class Groups, class Space> struct MarkNodes {
  Nodes nodes; // [n][nodes per entity]
  Groups groups;
  Array<const index_t*, Space> constraint_of_group; // index + 1, 0: none
  Array<index_t*, Space> mark;                      // [n_nodes], same coding

  KOKKOS_FUNCTION void operator()(index_t i) const {
    const index_t constraint = constraint_of_group(groups(i));
    if (constraint == 0)
      return;
    for (int a = 0; a < static_cast<int>(nodes.extent(1)); ++a)
      Kokkos::atomic_fetch_max(&mark(nodes(i, a)), constraint);
  }
};

template <int Dim, class Space> struct LargestX {
  ConstArray<const double* [Dim], Space> coordinates;
  KOKKOS_FUNCTION void operator()(index_t n, double& largest) const {
    const double x = coordinates(n, 0) < 0. ? -coordinates(n, 0) : coordinates(n, 0);
    largest = x > largest ? x : largest;
  }
};

template <int Dim, class Space> struct MarkAxis {
  ConstArray<const double* [Dim], Space> coordinates;
  double tolerance;
  index_t constraint; // index + 1
  Array<index_t*, Space> mark;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    if (coordinates(n, 0) <= tolerance && mark(n) < constraint)
      mark(n) = constraint;
  }
};

template <class Space> struct CountKinds {
  Array<const index_t*, Space> mark;
  Array<const index_t*, Space> shared_of_constraint; // -1: fixed values
  Array<index_t*, Space> plain;                      // 1 for an unconstrained node, [n + 1]
  Array<index_t*, Space> fixed;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    plain(n) = mark(n) == 0 ? 1 : 0;
    fixed(n) = mark(n) != 0 && shared_of_constraint(mark(n) - 1) < 0 ? 1 : 0;
  }
};

template <class Space> struct SetDofs {
  Array<const index_t*, Space> mark;
  Array<const index_t*, Space> shared_of_constraint;
  Array<const index_t*, Space> plain;
  Array<const index_t*, Space> fixed;
  index_t n_plain;
  index_t n_free;
  Array<index_t*, Space> node_dof;
  Array<group_t*, Space> node_constraint;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    const index_t constraint = mark(n) - 1;
    node_constraint(n) = constraint < 0 ? DofMap<Space>::unconstrained : static_cast<group_t>(constraint);
    if (constraint < 0)
      node_dof(n) = plain(n);
    else if (shared_of_constraint(constraint) >= 0)
      node_dof(n) = n_plain + shared_of_constraint(constraint);
    else
      node_dof(n) = n_free + fixed(n);
  }
};

template <class Space> struct Expand {
  Array<const index_t*, Space> node_dof;
  Array<const double*, Space> unknowns;
  Array<const double*, Space> fixed_values;
  Array<double*, Space> nodal;
  index_t n_free;
  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    const index_t dof = node_dof(n);
    nodal(n) = dof < n_free ? unknowns(dof) : fixed_values(dof - n_free);
  }
};

template <class Space> struct Restrict {
  Array<const index_t*, Space> node_dof;
  Array<const double*, Space> nodal;
  Array<double*, Space> unknowns;
  index_t n_plain;
  index_t n_free;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    const index_t dof = node_dof(n);
    if (dof < n_plain)
      unknowns(dof) = nodal(n);
    else if (dof < n_free)
      Kokkos::atomic_fetch_max(&unknowns(dof), nodal(n)); // the largest, whatever the order of threads
  }
};

template <class Space> struct CountBound {
  Array<const group_t*, Space> node_constraint;
  group_t constraint;
  KOKKOS_FUNCTION void operator()(std::int64_t n, double (&term)[1]) const {
    term[0] = node_constraint(n) == constraint ? 1. : 0.;
  }
};

template <class ExecutionSpace> auto upload(const ExecutionSpace& exec, const std::vector<index_t>& values) {
  auto array = make_array<Array<index_t*, ExecutionSpace>>(exec, "fe::constraint_table", values.size());
  Kokkos::View<const index_t*, HostMemory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(values.data(), values.size());
  Kokkos::deep_copy(exec, array, host);
  exec.fence(); // the host vector may go
  return array;
}

} // namespace

template <class ExecutionSpace, int Dim, int Order>
DofMap<typename ExecutionSpace::memory_space>
number_dofs(const ExecutionSpace& exec, const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
            const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
            const std::vector<Constraint>& constraints) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n_nodes = space.n_nodes();
  auto mark = make_filled<Array<index_t*, Space>>(exec, "fe::constraint_mark", n_nodes, 0);

  std::vector<index_t> shared_of_constraint;
  std::vector<index_t> of_boundary(std::max<std::size_t>(mesh.boundary_names.size(), 1), 0);
  std::vector<index_t> of_region(std::max<std::size_t>(mesh.region_names.size(), 1), 0);
  std::vector<double> totals;
  bool any_region = false;
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    shared_of_constraint.push_back(constraints[c].is_shared ? static_cast<index_t>(totals.size()) : -1);
    if (constraints[c].is_shared)
      totals.push_back(constraints[c].total);
    if (constraints[c].is_axis)
      continue;
    (constraints[c].is_region ? of_region : of_boundary).at(constraints[c].group) = static_cast<index_t>(c) + 1;
    any_region = any_region || constraints[c].is_region;
  }
  shared_of_constraint.push_back(-1); // never empty
  const auto shared_table = upload(exec, shared_of_constraint);

  for_each("tessera::fe::mark_boundary_nodes", exec, mesh.n_facets(),
           MarkNodes<decltype(space.facet_nodes), decltype(mesh.facet_groups), Space>{
               space.facet_nodes, mesh.facet_groups, upload(exec, of_boundary), mark});
  if (any_region)
    for_each("tessera::fe::mark_region_nodes", exec, mesh.n_elements(),
             MarkNodes<decltype(space.element_nodes), decltype(mesh.regions), Space>{space.element_nodes, mesh.regions,
                                                                                     upload(exec, of_region), mark});

  for (std::size_t c = 0; c < constraints.size(); ++c)
    if (constraints[c].is_axis) {
      double largest = 0.;
      Kokkos::parallel_reduce("tessera::fe::largest_x",
                              Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n_nodes),
                              LargestX<Dim, Space>{space.coordinates}, Kokkos::Max<double>(largest));
      for_each("tessera::fe::mark_axis", exec, n_nodes,
               MarkAxis<Dim, Space>{space.coordinates, 1e-12 * largest, static_cast<index_t>(c) + 1, mark});
    }

  auto plain = make_array<Array<index_t*, Space>>(exec, "fe::plain_numbers", n_nodes + 1);
  auto fixed = make_array<Array<index_t*, Space>>(exec, "fe::fixed_numbers", n_nodes + 1);
  for_each("tessera::fe::count_dofs", exec, n_nodes, CountKinds<Space>{mark, shared_table, plain, fixed});
  DofMap<Space> dofs;
  dofs.n_plain = static_cast<index_t>(counts_to_offsets(exec, plain, n_nodes, "unknowns"));
  const auto n_fixed = counts_to_offsets(exec, fixed, n_nodes, "fixed nodes");
  dofs.n_free = dofs.n_plain + static_cast<index_t>(totals.size());
  dofs.node_dof = make_array<Array<index_t*, Space>>(exec, "fe::node_dof", n_nodes);
  dofs.node_constraint = make_array<Array<group_t*, Space>>(exec, "fe::node_constraint", n_nodes);
  dofs.fixed_values = make_filled<Array<double*, Space>>(exec, "fe::fixed_values", n_fixed, 0.);
  dofs.shared_totals = make_array<Array<double*, Space>>(exec, "fe::shared_totals", totals.size());
  if (!totals.empty()) {
    Kokkos::View<const double*, HostMemory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(totals.data(), totals.size());
    Kokkos::deep_copy(exec, dofs.shared_totals, host);
  }
  for_each(
      "tessera::fe::set_dofs", exec, n_nodes,
      SetDofs<Space>{mark, shared_table, plain, fixed, dofs.n_plain, dofs.n_free, dofs.node_dof, dofs.node_constraint});
  exec.fence(); // the host copy of the totals may go
  return dofs;
}

template <class ExecutionSpace>
void expand(const ExecutionSpace& exec, const DofMap<typename ExecutionSpace::memory_space>& dofs,
            const Array<const double*, ExecutionSpace>& unknowns, const Array<double*, ExecutionSpace>& nodal) {
  using Space = typename ExecutionSpace::memory_space;
  stream("tessera::fe::expand", exec, static_cast<std::int64_t>(nodal.extent(0)),
         Expand<Space>{dofs.node_dof, unknowns, dofs.fixed_values, nodal, dofs.n_free});
}

template <class ExecutionSpace>
index_t n_bound_nodes(const ExecutionSpace& exec, const DofMap<typename ExecutionSpace::memory_space>& dofs,
                      group_t constraint) {
  using Space = typename ExecutionSpace::memory_space;
  return static_cast<index_t>(ordered_sum("tessera::fe::count_bound_nodes", exec,
                                          static_cast<std::int64_t>(dofs.node_constraint.extent(0)),
                                          CountBound<Space>{dofs.node_constraint, constraint}));
}

template <class ExecutionSpace>
void restrict_to_unknowns(const ExecutionSpace& exec, const DofMap<typename ExecutionSpace::memory_space>& dofs,
                          const Array<const double*, ExecutionSpace>& nodal,
                          const Array<double*, ExecutionSpace>& unknowns) {
  using Space = typename ExecutionSpace::memory_space;
  fill(exec, unknowns, -std::numeric_limits<double>::max());
  for_each("tessera::fe::restrict", exec, static_cast<std::int64_t>(nodal.extent(0)),
           Restrict<Space>{dofs.node_dof, nodal, unknowns, dofs.n_plain, dofs.n_free});
}

#define TESSERA_INSTANTIATE_CASE(SPACE, DIM, ORDER)                                                                    \
  template DofMap<typename SPACE::memory_space> number_dofs<SPACE, DIM, ORDER>(                                        \
      const SPACE&, const mesh::Mesh<DIM, typename SPACE::memory_space>&,                                              \
      const FunctionSpace<DIM, ORDER, typename SPACE::memory_space>&, const std::vector<Constraint>&);
#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 2)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 2)                                                                                \
  template index_t n_bound_nodes<SPACE>(const SPACE&, const DofMap<typename SPACE::memory_space>&, group_t);           \
  template void restrict_to_unknowns<SPACE>(const SPACE&, const DofMap<typename SPACE::memory_space>&,                 \
                                            const Array<const double*, SPACE>&, const Array<double*, SPACE>&);         \
  template void expand<SPACE>(const SPACE&, const DofMap<typename SPACE::memory_space>&,                               \
                              const Array<const double*, SPACE>&, const Array<double*, SPACE>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::fe
