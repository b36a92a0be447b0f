// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/parts/cut_part.hpp"

#include "core/algorithms/ascending.hpp"
#include "core/algorithms/gather_rows.hpp"
#include "core/algorithms/scan.hpp"
#include "core/algorithms/sort.hpp"
#include "core/keep_alive.hpp"
#include "core/tagged_loop.hpp"
#include "core/transfer/upload.hpp"
#include "mesh/checks/checks.hpp"
#include "mesh/facet_finder.hpp"
#include "mesh/mark_nodes.hpp"
#include "mesh/ordering.hpp"
#include "mesh/parts/part_selection.hpp"

#include <algorithm>
#include <limits>

namespace tessera::mesh {

namespace {

/// The one or two elements with each facet; -1: none.
template <int Dim, class Space> struct FindElements {
  FacetFinder<Dim, Space> finder;
  Array<const index_t* [Dim], Space> facets;
  Array<index_t* [2], Space> elements;
  KOKKOS_FUNCTION void operator()(index_t f) const {
    index_t found[2];
    int apexes[2];
    finder.find_sides(finder.facet_at(facets, f), found, apexes);
    for (int k = 0; k < 2; ++k)
      elements(f, k) = found[k];
  }
};

/// Marks owned nodes by 1.
template <class Space> struct MarkOwned {
  Array<const int*, Space> owner;
  int rank;
  Array<int*, Space> marks;
  KOKKOS_FUNCTION void operator()(index_t n) const { marks(n) = owner(n) == rank ? 1 : 0; }
};

/// Marks the unmarked nodes of elements that have a node with a lower mark.
template <int Dim, class Space> struct MarkAround {
  Array<const index_t * [Dim + 1], Space> elements;
  int mark;
  Array<int*, Space> marks;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    bool has_lower = false;
    for (int a = 0; a <= Dim; ++a) {
      const int lower = *static_cast<volatile int*>(&marks(elements(e, a))); // 0 or `mark` while others write
      has_lower = has_lower || (lower > 0 && lower < mark);
    }
    for (int a = 0; a <= Dim && has_lower; ++a)
      Kokkos::atomic_compare_exchange(&marks(elements(e, a)), 0, mark);
  }
};

template <class Space> struct FindSurrounded {
  Array<const int*, Space> marks;
  int last; // highest mark
  Array<const index_t*, Space> nodes;
  Array<std::uint8_t*, Space> is_surrounded;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    const int mark = marks(nodes(n));
    is_surrounded(n) = mark > 0 && mark <= last ? 1 : 0;
  }
};

/// Selects items with at least `n_needed` marked nodes.
template <int N, class Space> struct SelectMarked {
  Array<const index_t* [N], Space> nodes;
  Array<const int*, Space> marks;
  int n_needed;
  Array<index_t*, Space> items;
  KOKKOS_FUNCTION index_t count(std::int64_t i) const {
    int n_marked = 0;
    for (int a = 0; a < N; ++a)
      n_marked += marks(nodes(i, a)) != 0 ? 1 : 0;
    return n_marked >= n_needed ? 1 : 0;
  }
  KOKKOS_FUNCTION void write(std::int64_t i, index_t position, index_t n_entries) const {
    if (n_entries > 0)
      items(position) = static_cast<index_t>(i);
  }
};

template <class ExecutionSpace, class Selection>
Array<index_t*, ExecutionSpace> selected(const ExecutionSpace& exec, const char* label, Selection selection) {
  list_selected(
      exec, static_cast<std::int64_t>(selection.nodes.extent(0)), selection, "elements or facets of a process",
      [&](index_t total) { selection.items = make_array<Array<index_t*, ExecutionSpace>>(exec, label, total); });
  return selection.items;
}

/// Lowest node of the elements with each facet.
template <int Dim, class Space> struct LowestNodes {
  Array<const index_t* [2], Space> elements_of_facets;
  Array<const index_t * [Dim + 1], Space> elements;
  Array<index_t*, Space> lowest;
  KOKKOS_FUNCTION void operator()(index_t f) const {
    index_t found = std::numeric_limits<index_t>::max();
    for (int k = 0; k < 2; ++k)
      for (int a = 0; a <= Dim && elements_of_facets(f, k) >= 0; ++a)
        found = elements(elements_of_facets(f, k), a) < found ? elements(elements_of_facets(f, k), a) : found;
    lowest(f) = found;
  }
};

template <class Space> struct OwnerKeys {
  Array<const int*, Space> owner;
  Array<std::uint32_t*, Space> keys;
  KOKKOS_FUNCTION void operator()(index_t n) const { keys(n) = static_cast<std::uint32_t>(owner(n)); }
};

/// Numbers the nodes of a mesh process by process, each process's in the previous order.
template <int Dim, class ExecutionSpace>
Mesh<Dim, typename ExecutionSpace::memory_space>
ordered_by_owner(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                 const Array<int*, ExecutionSpace>& owner, int n_processes) {
  using Space = typename ExecutionSpace::memory_space;
  const auto keys = make_array<Array<std::uint32_t*, Space>>(exec, "mesh::owner_keys", mesh.n_nodes());
  const auto nodes = ascending(exec, "mesh::node_order", mesh.n_nodes());
  const auto elements = ascending(exec, "mesh::element_order", mesh.n_elements());
  for_each("tessera::mesh::owner_keys", exec, mesh.n_nodes(), OwnerKeys<Space>{owner, keys});
  sort_by_key(exec, keys, nodes, mesh.n_nodes(), bits_for(n_processes)); // stable
  const auto ordered = permute_mesh<ExecutionSpace, Dim>(exec, mesh, nodes, elements);
  keep_alive(exec, keys, nodes, elements);
  return ordered;
}

/// Marks owned nodes and those of whole groups by 1, then layer by layer the nodes around these by 2, 3, ...: one more
/// layer than the part has, as it has all facets at elements of the last layer, with their elements.
template <class ExecutionSpace, int Dim>
Array<int*, ExecutionSpace> mark_layers(const ExecutionSpace& exec,
                                        const Mesh<Dim, typename ExecutionSpace::memory_space>& piece,
                                        const Array<int*, ExecutionSpace>& owner, const CutOptions& options) {
  using Space = typename ExecutionSpace::memory_space;
  const auto marks = make_array<Array<int*, Space>>(exec, "mesh::marks_of_layers", piece.n_nodes());
  for_each("tessera::mesh::mark_owned", exec, piece.n_nodes(), MarkOwned<Space>{owner, options.rank, marks});
  mark_whole_groups<Dim, ExecutionSpace>(exec, piece, options.whole_groups, marks);
  for (int layer = 0; layer <= options.n_layers; ++layer)
    for_each("tessera::mesh::mark_around", exec, piece.n_elements(),
             MarkAround<Dim, Space>{piece.elements, layer + 2, marks});
  return marks;
}

/// The elements and facets of a mesh with marked nodes, and their nodes.
template <class ExecutionSpace, int Dim>
Mesh<Dim, typename ExecutionSpace::memory_space>
marked_mesh(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
            const Array<int*, ExecutionSpace>& marks) {
  using Space = typename ExecutionSpace::memory_space;
  using Numbers = Array<const index_t*, ExecutionSpace>;
  const Numbers elements =
      selected(exec, "mesh::elements_of_part", SelectMarked<Dim + 1, Space>{mesh.elements, marks, 1, {}});
  const Numbers facets = selected(exec, "mesh::facets_of_part", SelectMarked<Dim, Space>{mesh.facets, marks, 1, {}});
  const Numbers curved =
      selected(exec, "mesh::curved_facets_of_part", SelectMarked<Dim, Space>{mesh.curved.nodes, marks, 1, {}});
  Mesh<Dim, Space> cut = mesh;
  cut.elements = gather_rows(exec, mesh.elements, elements);
  cut.regions = gather_rows(exec, mesh.regions, elements);
  cut.original_element = gather_rows(exec, mesh.original_element, elements);
  take_facets<ExecutionSpace, Dim>(exec, mesh, facets, curved, cut);
  keep_alive(exec, elements, facets, curved);
  return drop_orphan_nodes<ExecutionSpace, Dim>(exec, cut);
}

/// Lists the elements and facets of a part that its process owns.
template <class ExecutionSpace, int Dim>
void list_owned_items(const ExecutionSpace& exec, MeshPart<Dim, typename ExecutionSpace::memory_space>& part) {
  using Space = typename ExecutionSpace::memory_space;
  const Mesh<Dim, Space>& mesh = part.mesh;
  part.owned_elements =
      owned_items(exec, "mesh::owned_elements", Array<const index_t * [Dim + 1], Space>(mesh.elements), Dim + 1,
                  Array<const index_t*, ExecutionSpace>(), part.first_owned, part.n_owned);
  WholeGroups all;
  for (std::size_t group = 0; group < mesh.boundary_names.size(); ++group)
    all.boundaries.push_back(static_cast<group_t>(group));
  const auto marks = make_filled<Array<int*, Space>>(exec, "mesh::marks_of_facets", mesh.n_nodes(), 0);
  mark_whole_groups<Dim, ExecutionSpace>(exec, mesh, all, marks);
  Mesh<Dim, Space> near; // the elements that may have facets: few
  near.coordinates = mesh.coordinates;
  const Array<const index_t*, ExecutionSpace> listed =
      selected(exec, "mesh::elements_at_facets", SelectMarked<Dim + 1, Space>{mesh.elements, marks, Dim, {}});
  near.elements = gather_rows(exec, mesh.elements, listed);
  const auto incidence = graph::build_incidence<ExecutionSpace>(
      exec, Array<const index_t*, ExecutionSpace>(near.elements.data(), near.elements.size()), Dim + 1, {},
      mesh.n_nodes());
  const auto elements = elements_of_facets<ExecutionSpace, Dim>(exec, near, incidence, mesh.facets);
  const auto lowest = make_array<Array<index_t*, Space>>(exec, "mesh::lowest_nodes", mesh.n_facets());
  for_each("tessera::mesh::lowest_nodes", exec, mesh.n_facets(),
           LowestNodes<Dim, Space>{elements, near.elements, lowest});
  part.owned_facets = owned_items(exec, "mesh::owned_facets", Array<const index_t* [Dim], Space>(mesh.facets), Dim,
                                  Array<const index_t*, ExecutionSpace>(lowest), part.first_owned, part.n_owned);
  keep_alive(exec, marks, listed, near, incidence, elements, lowest);
}

/// Parents of the nodes of a part in the mesh before the last refinement, of whose nodes the part may lack some.
template <class Space> struct ParentsInPart {
  Array<const index_t* [2], Space> of_piece;
  Array<const index_t*, Space> of_part;
  Array<index_t*, Space> numbers; // of coarse nodes: 1 if the part has it; then the number of those before
  Array<index_t* [2], Space> parents;

  struct Mark {};
  struct Find {};

  KOKKOS_FUNCTION index_t parent(index_t n, int k) const { return of_piece(of_part(n), k); }
  KOKKOS_FUNCTION void operator()(Mark, index_t n) const {
    if (parent(n, 0) == parent(n, 1))
      numbers(parent(n, 0)) = 1;
  }
  KOKKOS_FUNCTION void operator()(Find, index_t n) const {
    bool has_both = true;
    for (int k = 0; k < 2; ++k) {
      has_both = has_both && numbers(parent(n, k) + 1) > numbers(parent(n, k));
      parents(n, k) = numbers(parent(n, k));
    }
    if (!has_both)
      parents(n, 0) = parents(n, 1) = -1;
  }
};

} // namespace

template <int Dim, class ExecutionSpace>
void mark_whole_groups(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                       const WholeGroups& groups, const Array<index_t*, ExecutionSpace>& marks) {
  const auto table_of = [&](const char* label, const std::vector<group_t>& taken, std::size_t n_groups) {
    std::vector<index_t> is_taken(std::max<std::size_t>(n_groups, 1), 0);
    for (const group_t group : taken)
      is_taken.at(group) = 1;
    return uploaded(exec, label, is_taken);
  };
  const auto boundaries = table_of("mesh::whole_boundaries", groups.boundaries, mesh.boundary_names.size());
  const auto regions = table_of("mesh::whole_regions", groups.regions, mesh.region_names.size());
  if (!groups.boundaries.empty())
    mark_nodes(exec, mesh.facets, mesh.facet_groups, boundaries, marks);
  if (!groups.regions.empty())
    mark_nodes(exec, mesh.elements, mesh.regions, regions, marks);
  keep_alive(exec, boundaries, regions);
}

template <class ExecutionSpace, int Dim>
MeshPart<Dim, typename ExecutionSpace::memory_space>
cut_part(const ExecutionSpace& exec, Mesh<Dim, typename ExecutionSpace::memory_space> piece,
         const Array<int*, ExecutionSpace>& owner, const MortonCurve<Dim>& curve, const CutOptions& options) {
  using Space = typename ExecutionSpace::memory_space;
  using Numbers = Array<const index_t*, ExecutionSpace>;
  MeshPart<Dim, Space> part;
  part.curve = curve;
  const auto marks = mark_layers<ExecutionSpace, Dim>(exec, piece, owner, options);
  piece = marked_mesh<ExecutionSpace, Dim>(exec, piece, marks);
  part.mesh = order_mesh<ExecutionSpace, Dim>(exec, piece, curve);
  if (options.is_by_owner)
    part.mesh = ordered_by_owner<Dim, ExecutionSpace>(
        exec, part.mesh, gather_rows(exec, owner, Numbers(part.mesh.original_node)), options.n_parts);
  const Mesh<Dim, Space>& mesh = part.mesh;
  part.owner = gather_rows(exec, owner, Numbers(mesh.original_node));
  set_owned_nodes(exec, part, options.rank, options.n_parts);
  part.is_surrounded = make_array<decltype(part.is_surrounded)>(
      exec, "mesh::surrounded_nodes", options.n_layers > 0 || options.whole_groups.any() ? mesh.n_nodes() : 0);
  if (part.is_surrounded.extent(0) > 0)
    for_each("tessera::mesh::find_surrounded", exec, mesh.n_nodes(),
             FindSurrounded<Space>{marks, options.n_layers + 1, mesh.original_node, part.is_surrounded});
  list_owned_items<ExecutionSpace, Dim>(exec, part);
  keep_alive(exec, marks, piece);
  return part;
}

template <class ExecutionSpace>
Array<index_t* [2], typename ExecutionSpace::memory_space>
parents_in_part(const ExecutionSpace& exec,
                const Array<const index_t* [2], typename ExecutionSpace::memory_space>& of_piece,
                const Array<const index_t*, typename ExecutionSpace::memory_space>& of_part) {
  using Space = typename ExecutionSpace::memory_space;
  using Work = ParentsInPart<Space>;
  const auto n = static_cast<index_t>(of_part.extent(0));
  const auto n_piece = static_cast<std::int64_t>(of_piece.extent(0)); // at least the number of coarse nodes
  const Work work{of_piece, of_part, make_filled<Array<index_t*, Space>>(exec, "mesh::coarse_numbers", n_piece + 1, 0),
                  make_array<Array<index_t* [2], Space>>(exec, "mesh::node_parents", n)};
  for_each_tagged<typename Work::Mark>("tessera::mesh::mark_coarse_nodes", exec, n, work);
  counts_to_offsets(exec, work.numbers, n_piece, "nodes of a coarser mesh");
  for_each_tagged<typename Work::Find>("tessera::mesh::coarse_parents", exec, n, work);
  keep_alive(exec, work);
  return work.parents;
}

template <class ExecutionSpace, int Dim>
void take_facets(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& from,
                 const Array<const index_t*, ExecutionSpace>& facets,
                 const Array<const index_t*, ExecutionSpace>& curved,
                 Mesh<Dim, typename ExecutionSpace::memory_space>& to) {
  to.facets = gather_rows(exec, from.facets, facets);
  to.facet_groups = gather_rows(exec, from.facet_groups, facets);
  to.curved.nodes = gather_rows(exec, from.curved.nodes, curved);
  to.curved.patch = gather_rows(exec, from.curved.patch, curved);
  to.curved.position = gather_rows(exec, from.curved.position, curved);
}

template <class ExecutionSpace, int Dim>
Array<index_t* [2], typename ExecutionSpace::memory_space>
elements_of_facets(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                   const graph::Incidence<typename ExecutionSpace::memory_space>& incidence,
                   const Array<const index_t* [Dim], ExecutionSpace>& facets) {
  using Space = typename ExecutionSpace::memory_space;
  const auto elements = make_array<Array<index_t* [2], Space>>(exec, "mesh::elements_of_facets", facets.extent(0));
  for_each("tessera::mesh::find_elements_of_facets", exec, static_cast<std::int64_t>(facets.extent(0)),
           FindElements<Dim, Space>{FacetFinder<Dim, Space>(mesh, incidence), facets, elements});
  return elements;
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template void mark_whole_groups<DIM, SPACE>(const SPACE&, const Mesh<DIM, SPACE::memory_space>&, const WholeGroups&, \
                                              const Array<index_t*, SPACE>&);                                          \
  template MeshPart<DIM, SPACE::memory_space> cut_part<SPACE, DIM>(const SPACE&, Mesh<DIM, SPACE::memory_space>,       \
                                                                   const Array<int*, SPACE>&, const MortonCurve<DIM>&, \
                                                                   const CutOptions&);                                 \
  template void take_facets<SPACE, DIM>(const SPACE&, const Mesh<DIM, SPACE::memory_space>&,                           \
                                        const Array<const index_t*, SPACE>&, const Array<const index_t*, SPACE>&,      \
                                        Mesh<DIM, SPACE::memory_space>&);                                              \
  template Array<index_t* [2], SPACE::memory_space> elements_of_facets<SPACE, DIM>(                                    \
      const SPACE&, const Mesh<DIM, SPACE::memory_space>&, const graph::Incidence<SPACE::memory_space>&,               \
      const Array<const index_t* [DIM], SPACE>&);
#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  TESSERA_INSTANTIATE_DIM(SPACE, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(SPACE, 3)                                                                                    \
  template Array<index_t* [2], SPACE::memory_space> parents_in_part(                                                   \
      const SPACE&, const Array<const index_t* [2], SPACE::memory_space>&,                                             \
      const Array<const index_t*, SPACE::memory_space>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::mesh
