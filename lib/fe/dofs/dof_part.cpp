// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "fe/dofs/dof_part.hpp"

#include "core/algorithms/cut_by_work.hpp"
#include "core/algorithms/scan.hpp"
#include "core/keep_alive.hpp"
#include "core/transfer/upload.hpp"

namespace tessera::fe {

namespace {

template <class Space> struct Pairs {
  Array<const index_t*, Space> nodes;
  Array<const index_t*, Space> node_dof;
  int nodes_per_element;
  KOKKOS_FUNCTION index_t dof(index_t e, int a) const {
    return node_dof(nodes(static_cast<std::int64_t>(e) * nodes_per_element + a));
  }
};

template <class Space> struct CountPairs {
  Pairs<Space> pairs;
  index_t n_free;
  Array<std::int64_t*, Space> counts;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    for (int a = 0; a < pairs.nodes_per_element; ++a)
      if (pairs.dof(e, a) < n_free)
        Kokkos::atomic_fetch_add(&counts(pairs.dof(e, a)), std::int64_t(1));
  }
};

template <class Space> struct MarkElements {
  Pairs<Space> pairs;
  index_t first;
  index_t end;
  Array<index_t*, Space> marks;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    bool is_kept = false;
    for (int a = 0; a < pairs.nodes_per_element; ++a)
      is_kept = is_kept || (pairs.dof(e, a) >= first && pairs.dof(e, a) < end);
    marks(e) = is_kept ? 1 : 0;
  }
};

/// Lists the elements counted by a scan of marks, and marks their unknowns.
template <class Space> struct ListElements {
  Pairs<Space> pairs;
  Array<const index_t*, Space> offsets;
  index_t n_free;
  Array<index_t*, Space> elements;
  Array<index_t*, Space> marks; // of unknowns
  KOKKOS_FUNCTION void operator()(index_t e) const {
    if (offsets(e + 1) == offsets(e))
      return;
    elements(offsets(e)) = e;
    for (int a = 0; a < pairs.nodes_per_element; ++a)
      if (pairs.dof(e, a) < n_free)
        Kokkos::atomic_fetch_max(&marks(pairs.dof(e, a)), index_t(1)); // several threads write the same value
  }
};

template <class Space> struct MarkCoupled {
  Array<const index_t*, Space> unknowns; // each once
  Array<index_t*, Space> marks;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { marks(unknowns(i)) = 1; }
};

template <class Space> struct ListGhosts {
  Array<const index_t*, Space> numbers;
  index_t first;
  index_t end;
  Array<std::int64_t*, Space> ghosts;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const bool is_owned = i >= first && i < end;
    if (!is_owned && numbers(i + 1) > numbers(i))
      ghosts(numbers(i) - (i < first ? 0 : end - first)) = i;
  }
};

template <class Space> struct NumberNodes {
  Array<const index_t*, Space> whole;
  Array<const index_t*, Space> numbers;
  index_t n_free; // of the global numbering
  index_t n_free_of_part;
  Array<index_t*, Space> node_dof;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    const index_t dof = whole(n);
    node_dof(n) = dof < n_free ? numbers(dof) : dof - n_free + n_free_of_part;
  }
};

template <class Space> struct CopyTotals {
  Array<const double*, Space> whole;
  Array<const index_t*, Space> numbers;
  index_t n_regular; // of the global numbering
  index_t n_regular_of_part;
  Array<double*, Space> totals;
  KOKKOS_FUNCTION void operator()(index_t t) const {
    const index_t number = numbers(n_regular + t);
    if (numbers(n_regular + t + 1) > number)
      totals(number - n_regular_of_part) = whole(t);
  }
};

} // namespace

template <class ExecutionSpace>
DofPart<typename ExecutionSpace::memory_space>
make_dof_part(const ExecutionSpace& exec, const DofMap<typename ExecutionSpace::memory_space>& whole,
              const ElementTable<typename ExecutionSpace::memory_space>& table, index_t first, index_t end,
              const std::vector<index_t>& coupled) {
  using Space = typename ExecutionSpace::memory_space;
  const Pairs<Space> pairs{table.nodes, whole.node_dof, table.nodes_per_element};
  const index_t n_elements = table.n_elements();
  DofPart<Space> part;
  const auto positions = make_array<Array<index_t*, Space>>(exec, "fe::elements_of_part", n_elements + 1);
  for_each("tessera::fe::mark_elements_of_part", exec, n_elements, MarkElements<Space>{pairs, first, end, positions});
  const std::int64_t n_kept = counts_to_offsets(exec, positions, n_elements, "elements of a part");
  part.elements = make_array<decltype(part.elements)>(exec, "fe::part_elements", n_kept);
  const auto numbers = make_filled<Array<index_t*, Space>>(exec, "fe::unknowns_of_part", whole.n_free + 1, 0);
  for_each("tessera::fe::list_elements_of_part", exec, n_elements,
           ListElements<Space>{pairs, positions, whole.n_free, part.elements, numbers});
  const auto others = uploaded(exec, "fe::coupled_unknowns", coupled);
  for_each("tessera::fe::mark_coupled_unknowns", exec, static_cast<std::int64_t>(coupled.size()),
           MarkCoupled<Space>{others, numbers});
  const auto n_unknowns = static_cast<index_t>(counts_to_offsets(exec, numbers, whole.n_free, "unknowns of a part"));
  part.first_owned = read_entry(exec, numbers, first);
  part.n_owned = read_entry(exec, numbers, end) - part.first_owned;
  part.first = first;
  TESSERA_REQUIRE(part.n_owned == end - first, "A process owns an unknown that no element has.");

  const auto ghosts = make_array<Array<std::int64_t*, Space>>(exec, "fe::ghosts", n_unknowns - part.n_owned);
  for_each("tessera::fe::list_ghosts", exec, whole.n_free, ListGhosts<Space>{numbers, first, end, ghosts});
  const auto host = tessera::to_host(exec, ghosts);
  part.ghosts.assign(host.data(), host.data() + host.extent(0));

  DofMap<Space>& dofs = part.dofs;
  dofs = whole;
  dofs.n_free = n_unknowns;
  dofs.n_regular = read_entry(exec, numbers, whole.n_regular);
  dofs.node_dof = make_array<decltype(dofs.node_dof)>(exec, "fe::node_dof_of_part", whole.node_dof.extent(0));
  for_each("tessera::fe::number_nodes_of_part", exec, static_cast<index_t>(whole.node_dof.extent(0)),
           NumberNodes<Space>{whole.node_dof, numbers, whole.n_free, dofs.n_free, dofs.node_dof});
  dofs.tied_totals = make_array<decltype(dofs.tied_totals)>(exec, "fe::tied_totals_of_part", dofs.n_tied());
  for_each("tessera::fe::tied_totals_of_part", exec, whole.n_tied(),
           CopyTotals<Space>{whole.tied_totals, numbers, whole.n_regular, dofs.n_regular, dofs.tied_totals});
  keep_alive(exec, positions, numbers, others);
  return part;
}

template <class ExecutionSpace>
std::vector<std::int64_t> cut_unknowns(const ExecutionSpace& exec,
                                       const DofMap<typename ExecutionSpace::memory_space>& dofs,
                                       const ElementTable<typename ExecutionSpace::memory_space>& table, int n_parts) {
  using Space = typename ExecutionSpace::memory_space;
  TESSERA_REQUIRE(n_parts <= dofs.n_free,
                  n_parts << " processes are more than the problem has unknowns (" << dofs.n_free << ").");
  const auto offsets = make_filled<Array<std::int64_t*, Space>>(exec, "fe::pairs_of_unknowns", dofs.n_free + 1, 0);
  for_each("tessera::fe::count_pairs", exec, table.n_elements(),
           CountPairs<Space>{{table.nodes, dofs.node_dof, table.nodes_per_element}, dofs.n_free, offsets});
  counts_to_offsets(exec, offsets, dofs.n_free, "pairs of elements and unknowns");
  return cut_by_work(exec, offsets, n_parts);
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template DofPart<typename SPACE::memory_space> make_dof_part(                                                        \
      const SPACE&, const DofMap<typename SPACE::memory_space>&, const ElementTable<typename SPACE::memory_space>&,    \
      index_t, index_t, const std::vector<index_t>&);                                                                  \
  template std::vector<std::int64_t> cut_unknowns(const SPACE&, const DofMap<typename SPACE::memory_space>&,           \
                                                  const ElementTable<typename SPACE::memory_space>&, int);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::fe
