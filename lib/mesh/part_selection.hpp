// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_MESH_PART_SELECTION_HPP
#define TESSERA_MESH_PART_SELECTION_HPP

/// \file
/// What the makers of a process's part of a mesh share: lists of what it takes, and its own nodes and elements.

#include "mesh/mesh_part.hpp"

namespace tessera::mesh {

/// Process that owns a position on the curve. `cuts`: first position of each, and the end.
template <class Cuts> KOKKOS_FUNCTION int process_at(const Cuts& cuts, std::uint64_t position) {
  const int n_processes = static_cast<int>(cuts.extent(0)) - 1;
  int process = 0;
  while (process + 1 < n_processes && position >= cuts(process + 1))
    ++process;
  return process;
}

/// Lists, by a scan, what a selection keeps: `count(i)` and `write(i, place)`.
template <class Selection> struct Listing {
  Selection selection;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& place, bool is_final) const {
    if (is_final)
      selection.write(i, place);
    place += selection.count(i);
  }
};
template <class Selection> struct Counting {
  Selection selection;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& sum) const { sum += selection.count(i); }
};

template <class ExecutionSpace, class Selection>
std::int64_t count_selected(const ExecutionSpace& exec, std::int64_t n, const Selection& selection) {
  std::int64_t count = 0;
  Kokkos::parallel_reduce("tessera::mesh::count_of_part",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
                          Counting<Selection>{selection}, count);
  exec.fence();
  return count;
}
template <class ExecutionSpace, class Selection>
void list_selected(const ExecutionSpace& exec, std::int64_t n, const Selection& selection) {
  Kokkos::parallel_scan("tessera::mesh::list_part",
                        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
                        Listing<Selection>{selection});
}

/// Nodes of lower processes.
template <class Space> struct OwnedBelow {
  Array<const int*, Space> owner;
  int process;
  KOKKOS_FUNCTION std::int64_t count(std::int64_t n) const { return owner(n) < process ? 1 : 0; }
};

/// Items whose first node is an own one.
template <class Nodes, class Space> struct SelectOwn {
  Nodes nodes; // [n][n_nodes]
  int n_nodes;
  Array<const index_t*, Space> one_more; // a further node of each, if not empty
  index_t first;
  index_t end;
  Array<index_t*, Space> own;
  KOKKOS_FUNCTION std::int64_t count(std::int64_t i) const {
    index_t lowest = one_more.extent(0) > 0 ? one_more(i) : nodes(i, 0);
    for (int a = 0; a < n_nodes; ++a)
      lowest = nodes(i, a) < lowest ? nodes(i, a) : lowest;
    return lowest >= first && lowest < end ? 1 : 0;
  }
  KOKKOS_FUNCTION void write(std::int64_t i, std::int64_t place) const {
    if (count(i) > 0)
      own(place) = static_cast<index_t>(i);
  }
};

template <class ExecutionSpace, class Nodes>
Array<index_t*, ExecutionSpace> own_items(const ExecutionSpace& exec, const char* label, const Nodes& nodes,
                                          int n_nodes, const Array<const index_t*, ExecutionSpace>& one_more,
                                          index_t first, index_t n_own) {
  SelectOwn<Nodes, typename ExecutionSpace::memory_space> own{nodes, n_nodes, one_more, first, first + n_own, {}};
  const auto n = static_cast<std::int64_t>(nodes.extent(0));
  own.own = make_array<Array<index_t*, ExecutionSpace>>(exec, label, count_selected(exec, n, own));
  list_selected(exec, n, own);
  return own.own;
}

/// The own nodes of a part from the owners of all, which the curve sorts. Throws if there is none.
template <class ExecutionSpace, int Dim>
void set_own_nodes(const ExecutionSpace& exec, MeshPart<Dim, typename ExecutionSpace::memory_space>& part, int rank,
                   int n_parts) {
  using Space = typename ExecutionSpace::memory_space;
  const auto below = [&](int process) {
    return static_cast<index_t>(count_selected(exec, part.mesh.n_nodes(), OwnedBelow<Space>{part.owner, process}));
  };
  part.first_own = below(rank);
  part.n_own = below(rank + 1) - part.first_own;
  TESSERA_REQUIRE(part.n_own > 0, "The mesh has too few nodes for " << n_parts << " processes: process " << rank
                                                                    << " of them has none.");
}

} // namespace tessera::mesh

#endif
