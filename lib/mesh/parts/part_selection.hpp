// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_PARTS_PART_SELECTION_HPP
#define TESSERA_MESH_PARTS_PART_SELECTION_HPP

/// \file
/// Common parts of the functions that make a process's part of a mesh: lists of selected items, owned nodes and
/// elements.

#include "core/algorithms/lower_bound.hpp"
#include "core/algorithms/scan.hpp"
#include "core/keep_alive.hpp"
#include "core/tagged_loop.hpp"
#include "mesh/parts/mesh_part.hpp"

namespace tessera::mesh {

/// Process that owns a position on the curve. `cuts`: first position of each process, and the end.
template <class Cuts> KOKKOS_FUNCTION int process_at(const Cuts& cuts, std::uint64_t position) {
  const int n_processes = static_cast<int>(cuts.extent(0)) - 1;
  int process = 0;
  while (process + 1 < n_processes && position >= cuts(process + 1))
    ++process;
  return process;
}

/// Counts the entries that a selection makes for each item, then writes them to their positions in the list.
template <class Selection, class Space> struct Listing {
  Selection selection;
  Array<index_t*, Space> positions; // [n + 1]

  struct Count {};
  struct Write {};
  KOKKOS_FUNCTION void operator()(Count, std::int64_t i) const { positions(i) = selection.count(i); }
  KOKKOS_FUNCTION void operator()(Write, std::int64_t i) const {
    selection.write(i, positions(i), positions(i + 1) - positions(i));
  }
};

/// Lists the entries that a selection makes for n items. `count(i)` returns the number of entries of item i, and is
/// evaluated once; `allocate(total)` then allocates the selection's arrays, and `write(i, position, n_entries)` writes
/// the entries of each item. Needs temporary memory of an index per item. Returns the total, which index_t must be able
/// to count.
template <class ExecutionSpace, class Selection, class Allocate>
index_t list_selected(const ExecutionSpace& exec, std::int64_t n, Selection& selection, const char* what,
                      const Allocate& allocate) {
  using Work = Listing<Selection, typename ExecutionSpace::memory_space>;
  const auto positions = make_array<Array<index_t*, ExecutionSpace>>(exec, "mesh::places_in_list", n + 1);
  for_each_tagged<typename Work::Count, std::int64_t>("tessera::mesh::count_of_part", exec, n,
                                                      Work{selection, positions});
  const auto total = static_cast<index_t>(counts_to_offsets(exec, positions, n, what));
  allocate(total);
  for_each_tagged<typename Work::Write, std::int64_t>("tessera::mesh::list_part", exec, n, Work{selection, positions});
  keep_alive(exec, positions);
  return total;
}

/// Selects items whose first node is owned.
template <class Nodes, class Space> struct SelectOwned {
  Nodes nodes; // [n][n_nodes]
  int n_nodes;
  Array<const index_t*, Space> one_more; // a further node of each item, if not empty
  index_t first;
  index_t end;
  Array<index_t*, Space> owned;
  KOKKOS_FUNCTION index_t count(std::int64_t i) const {
    index_t lowest = one_more.extent(0) > 0 ? one_more(i) : nodes(i, 0);
    for (int a = 0; a < n_nodes; ++a)
      lowest = nodes(i, a) < lowest ? nodes(i, a) : lowest;
    return lowest >= first && lowest < end ? 1 : 0;
  }
  KOKKOS_FUNCTION void write(std::int64_t i, index_t position, index_t n_entries) const {
    if (n_entries > 0)
      owned(position) = static_cast<index_t>(i);
  }
};

template <class ExecutionSpace, class Nodes>
Array<index_t*, ExecutionSpace> owned_items(const ExecutionSpace& exec, const char* label, const Nodes& nodes,
                                            int n_nodes, const Array<const index_t*, ExecutionSpace>& one_more,
                                            index_t first, index_t n_owned) {
  SelectOwned<Nodes, typename ExecutionSpace::memory_space> owned{nodes, n_nodes, one_more, first, first + n_owned, {}};
  list_selected(exec, static_cast<std::int64_t>(nodes.extent(0)), owned, "own elements or facets of a process",
                [&](index_t total) { owned.owned = make_array<Array<index_t*, ExecutionSpace>>(exec, label, total); });
  return owned.owned;
}

/// First node of a process and of the next one, from the ascending owners.
template <class Space> struct FindOwned {
  Array<const int*, Space> owner;
  int process;
  Array<index_t*, Space> first; // [2]
  KOKKOS_FUNCTION void operator()(index_t k) const {
    first(k) = lower_bound(owner, index_t(0), static_cast<index_t>(owner.extent(0)), process + k);
  }
};

/// Sets the owned nodes of a part from the owners of all nodes, which ascend along the curve. Throws if there is none.
template <class ExecutionSpace, int Dim>
void set_owned_nodes(const ExecutionSpace& exec, MeshPart<Dim, typename ExecutionSpace::memory_space>& part, int rank,
                     int n_parts) {
  using Space = typename ExecutionSpace::memory_space;
  const auto first = make_array<Array<index_t*, Space>>(exec, "mesh::first_owned", 2);
  for_each("tessera::mesh::find_owned", exec, 2, FindOwned<Space>{part.owner, rank, first});
  const auto on_host = tessera::to_host(exec, first);
  part.first_owned = on_host(0);
  part.n_owned = on_host(1) - part.first_owned;
  TESSERA_REQUIRE(part.n_owned > 0, "The mesh has too few nodes for " << n_parts << " processes: process " << rank
                                                                      << " of them has none.");
}

} // namespace tessera::mesh

#endif
