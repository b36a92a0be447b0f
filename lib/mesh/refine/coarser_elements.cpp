// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/refine/coarser_elements.hpp"

#include "core/algorithms/gather_rows.hpp"
#include "core/algorithms/scan.hpp"
#include "core/keep_alive.hpp"
#include "core/tagged_loop.hpp"
#include "graph/incidence.hpp"
#include "mesh/parts/part_selection.hpp"

namespace tessera::mesh {

namespace {

template <int Dim, class Space> struct CoarserFinder {
  static constexpr int n_vertices = Dim + 1;
  static constexpr int n_children = Children<Dim>::count;
  Array<const index_t* [n_vertices], Space> elements;
  Array<const index_t* [2], Space> parents;
  Array<offset_t*, Space> numbers; // by element: 1 if it represents its coarser element; after the scan the number of
                                   // those before
  Array<index_t* [n_vertices], Space> nodes;
  Array<index_t*, Space> lowest;  // vertex of each coarser element
  Array<offset_t*, Space> starts; // coarser elements by their lowest vertex
  Array<offset_t*, Space> listed;
  Array<index_t*, Space> n_found; // children of each coarser element found so far
  Array<index_t* [n_children], Space> children;
  Array<index_t*, Space> n_lost; // [1], number of elements without a coarser one; by Check 1 if there is any

  struct Mark {};
  struct Write {};
  struct Check {};
  struct Place {};
  struct Sort {};

  struct Vertices {
    index_t v[n_vertices]; // ascending
    int n_kept;            // number of nodes that are vertices; -1: the element is not part of a simplex
  };
  KOKKOS_FUNCTION Vertices vertices(index_t e) const {
    Vertices found{{}, 0};
    int n = 0;
    for (int a = 0; a < n_vertices; ++a) {
      const index_t node = elements(e, a);
      if (parents(node, 0) < 0) // not present in the part
        return {{}, -1};
      found.n_kept += parents(node, 0) == parents(node, 1) ? 1 : 0;
      for (int k = 0; k < 2; ++k) {
        const index_t parent = parents(node, k);
        int at = 0;
        while (at < n && found.v[at] < parent)
          ++at;
        if (at < n && found.v[at] == parent)
          continue;
        if (n == n_vertices)
          return {{}, -1};
        for (int i = n++; i > at; --i)
          found.v[i] = found.v[i - 1];
        found.v[at] = parent;
      }
    }
    if (n < n_vertices)
      found.n_kept = -1;
    return found;
  }
  /// Whether the element is the child at the lowest vertex, of which each coarser element has one: one node is that
  /// vertex, and the others lie between it and another vertex.
  KOKKOS_FUNCTION bool stands_for_all(index_t e) const {
    index_t lower[n_vertices];
    index_t vertex = -1;
    int n_kept = 0;
    for (int a = 0; a < n_vertices; ++a) {
      const index_t node = elements(e, a);
      const index_t first = parents(node, 0); // -1: not present in the part
      const index_t second = parents(node, 1);
      lower[a] = first < second ? first : second;
      if (first == second) {
        vertex = first;
        ++n_kept;
      }
    }
    bool is_lowest = n_kept == 1 && vertex >= 0;
    for (int a = 0; a < n_vertices; ++a)
      is_lowest = is_lowest && lower[a] == vertex;
    return is_lowest;
  }

  KOKKOS_FUNCTION void operator()(Mark, index_t e) const { numbers(e) = stands_for_all(e) ? 1 : 0; }
  KOKKOS_FUNCTION void operator()(Write, index_t e) const {
    const auto number = static_cast<index_t>(numbers(e));
    if (numbers(e + 1) == numbers(e))
      return;
    const Vertices found = vertices(e);
    for (int a = 0; a < n_vertices; ++a)
      nodes(number, a) = found.v[a];
    if (lowest.extent(0) > 0)
      lowest(number) = found.v[0];
  }
  /// Takes each element as one of consecutive children of its coarser element, as refinement writes them.
  KOKKOS_FUNCTION void operator()(Check, index_t e) const {
    const index_t coarse = e / n_children;
    const Vertices found = vertices(e);
    bool is_it = found.n_kept >= 0;
    for (int a = 0; a < n_vertices && is_it; ++a)
      is_it = nodes(coarse, a) == found.v[a];
    children(coarse, e % n_children) = e;
    if (!is_it)
      Kokkos::atomic_store(&n_lost(0), index_t(1));
  }
  KOKKOS_FUNCTION void operator()(Place, index_t e) const {
    const Vertices found = vertices(e);
    for (offset_t k = found.n_kept < 0 ? 0 : starts(found.v[0]); found.n_kept >= 0 && k < starts(found.v[0] + 1); ++k) {
      const auto coarse = static_cast<index_t>(listed(k));
      bool is_it = true;
      for (int a = 1; a < n_vertices; ++a)
        is_it = is_it && nodes(coarse, a) == found.v[a];
      if (!is_it)
        continue;
      const index_t position = Kokkos::atomic_fetch_add(&n_found(coarse), 1);
      if (position < n_children) {
        children(coarse, position) = e;
        return;
      }
    }
    Kokkos::atomic_add(&n_lost(0), 1);
  }
  KOKKOS_FUNCTION void operator()(Sort, index_t coarse) const {
    index_t own[n_children];
    for (int k = 0; k < n_children; ++k) {
      const index_t child = children(coarse, k);
      int at = k;
      for (; at > 0 && own[at - 1] > child; --at)
        own[at] = own[at - 1];
      own[at] = child;
    }
    for (int k = 0; k < n_children; ++k)
      children(coarse, k) = own[k];
  }
};

/// Selects coarser elements all of whose children are present.
template <class Space> struct SelectComplete {
  Array<const index_t*, Space> n_found;
  index_t n_children;
  Array<index_t*, Space> elements;
  KOKKOS_FUNCTION index_t count(std::int64_t e) const { return n_found(e) == n_children ? 1 : 0; }
  KOKKOS_FUNCTION void write(std::int64_t e, index_t position, index_t n_entries) const {
    if (n_entries > 0)
      elements(position) = static_cast<index_t>(e);
  }
};

template <class Space> struct LargestParent {
  Array<const index_t* [2], Space> parents;
  KOKKOS_FUNCTION void operator()(index_t node, index_t& largest) const {
    for (int k = 0; k < 2; ++k)
      largest = parents(node, k) > largest ? parents(node, k) : largest;
  }
};

/// Number of the coarser mesh's nodes. Waits if that is the coarsest mesh.
template <class ExecutionSpace, int Dim>
index_t n_coarser_nodes(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  using Space = typename ExecutionSpace::memory_space;
  if (mesh.node_parents.size() > 1)
    return static_cast<index_t>(mesh.node_parents[1].extent(0));
  index_t largest = -1;
  Kokkos::parallel_reduce("tessera::mesh::largest_parent",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, mesh.n_nodes()),
                          LargestParent<Space>{mesh.node_parents.front()}, Kokkos::Max<index_t>(largest)); // waits
  return largest + 1;
}

/// Whether the children of each coarser element are consecutive and in the order of the coarser elements, as refinement
/// writes them; then lists them.
template <class ExecutionSpace, class Finder>
bool takes_consecutive_children(const ExecutionSpace& exec, index_t n, Finder& finder) {
  using Space = typename ExecutionSpace::memory_space;
  finder.n_lost = make_filled<Array<index_t*, Space>>(exec, "mesh::lost_children", 1, 0);
  finder.children = make_array<decltype(finder.children)>(exec, "mesh::children", finder.nodes.extent(0));
  for (const index_t n_checked : {n < 4096 ? n : 4096, n}) { // a few first: ordered meshes have other children
    for_each_tagged<typename Finder::Check>("tessera::mesh::check_children", exec, n_checked, finder);
    if (read_entry(exec, finder.n_lost, 0) != 0) {
      finder.children = {};
      return false;
    }
  }
  return true;
}

/// Assigns the children, in any order, by the coarser elements at each lowest vertex, and counts elements that are not
/// children.
template <class ExecutionSpace, int Dim>
void place_children(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                    CoarserFinder<Dim, typename ExecutionSpace::memory_space>& finder) {
  using Space = typename ExecutionSpace::memory_space;
  using Finder = CoarserFinder<Dim, Space>;
  const auto n_coarse = static_cast<index_t>(finder.lowest.extent(0));
  const auto lists =
      graph::build_incidence<ExecutionSpace>(exec, finder.lowest, 1, Array<const index_t*, ExecutionSpace>(),
                                             n_coarser_nodes<ExecutionSpace, Dim>(exec, mesh));
  keep_alive(exec, finder);
  finder.numbers = Array<offset_t*, Space>();
  finder.starts = lists.offsets;
  finder.listed = lists.pairs;
  finder.n_found = make_filled<Array<index_t*, Space>>(exec, "mesh::children_found", n_coarse, 0);
  finder.n_lost = make_filled<Array<index_t*, Space>>(exec, "mesh::lost_children", 1, 0);
  finder.children = make_array<decltype(finder.children)>(exec, "mesh::children", n_coarse);
  for_each_tagged<typename Finder::Place>("tessera::mesh::place_children", exec, mesh.n_elements(), finder);
}

} // namespace

template <class ExecutionSpace, int Dim>
CoarserElements<Dim, typename ExecutionSpace::memory_space>
find_coarser_elements(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                      bool with_children, bool is_part) {
  using Space = typename ExecutionSpace::memory_space;
  using Finder = CoarserFinder<Dim, Space>;
  TESSERA_REQUIRE(!mesh.node_parents.empty(), "The mesh has no coarser one.");
  const index_t n = mesh.n_elements();
  with_children = with_children || is_part; // children show which elements are complete
  Finder finder;
  finder.elements = mesh.elements;
  finder.parents = mesh.node_parents.front();
  finder.numbers = make_array<Array<offset_t*, Space>>(exec, "mesh::coarser_numbers", n + 1);
  for_each_tagged<typename Finder::Mark>("tessera::mesh::mark_coarser", exec, n, finder);
  const auto n_coarse = static_cast<index_t>(counts_to_offsets(exec, finder.numbers, n, "elements of a coarser mesh"));
  finder.nodes = make_array<decltype(finder.nodes)>(exec, "mesh::coarser_elements", n_coarse);
  if (with_children)
    finder.lowest = make_array<Array<index_t*, Space>>(exec, "mesh::lowest_vertices", n_coarse);
  for_each_tagged<typename Finder::Write>("tessera::mesh::write_coarser", exec, n, finder);
  if (with_children && !is_part && static_cast<std::int64_t>(n_coarse) * Children<Dim>::count == n &&
      takes_consecutive_children(exec, n, finder)) {
    keep_alive(exec, finder);
    return {finder.nodes, finder.children};
  }
  if (with_children)
    place_children<ExecutionSpace, Dim>(exec, mesh, finder);
  if (is_part) {
    SelectComplete<Space> complete{finder.n_found, Children<Dim>::count, {}};
    list_selected(exec, n_coarse, complete, "elements of a coarser part", [&](index_t total) {
      complete.elements = make_array<Array<index_t*, Space>>(exec, "mesh::complete_elements", total);
    });
    const Array<const index_t*, ExecutionSpace> elements = complete.elements;
    finder.nodes = gather_rows(exec, finder.nodes, elements);
    finder.children = gather_rows(exec, finder.children, elements);
    const auto n_complete = static_cast<index_t>(elements.extent(0));
    for_each_tagged<typename Finder::Sort>("tessera::mesh::sort_children", exec, n_complete, finder);
    keep_alive(exec, finder, complete);
    return {finder.nodes, finder.children};
  }
  const bool is_refinement = (!with_children || read_entry(exec, finder.n_lost, 0) == 0) &&
                             static_cast<std::int64_t>(n_coarse) * Children<Dim>::count == n;
  TESSERA_REQUIRE(is_refinement,
                  "The mesh of " << n << " elements is no uniform refinement of one of " << n_coarse << " elements.");
  if (with_children)
    for_each_tagged<typename Finder::Sort>("tessera::mesh::sort_children", exec, n_coarse, finder);
  keep_alive(exec, finder);
  return {finder.nodes, finder.children};
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template CoarserElements<Dim, Space::memory_space> find_coarser_elements<Space, Dim>(                                \
      const Space&, const Mesh<Dim, Space::memory_space>&, bool, bool);
#define TESSERA_INSTANTIATE(Space) TESSERA_INSTANTIATE_DIM(Space, 2) TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::mesh
