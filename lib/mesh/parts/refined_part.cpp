// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/parts/refined_part.hpp"

#include "core/algorithms/gather_rows.hpp"
#include "core/algorithms/scan.hpp"
#include "core/algorithms/sort.hpp"
#include "core/keep_alive.hpp"
#include "core/tagged_loop.hpp"
#include "core/upload.hpp"
#include "mesh/checks/checks.hpp"
#include "mesh/facet_finder.hpp"
#include "mesh/inverse_order.hpp"
#include "mesh/mark_nodes.hpp"
#include "mesh/ordering.hpp"
#include "mesh/parts/curve_cuts.hpp"
#include "mesh/parts/part_rings.hpp"
#include "mesh/parts/part_selection.hpp"
#include "mesh/parts/refined_numbers.hpp"
#include "mesh/refine/children.hpp"
#include "mesh/refine/refinement.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace tessera::mesh {

namespace {

template <class ExecutionSpace, int Dim>
graph::Incidence<typename ExecutionSpace::memory_space>
incidence_of(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  return graph::build_incidence<ExecutionSpace>(
      exec, Array<const index_t*, ExecutionSpace>(mesh.elements.data(), mesh.elements.size()), Dim + 1, {},
      mesh.n_nodes());
}

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

/// A coarse mesh, with the host data needed to cut it.
template <int Dim, class ExecutionSpace>
struct CoarseMesh {
  using Space = typename ExecutionSpace::memory_space;
  Mesh<Dim, Space> mesh;
  std::vector<index_t> nodes;           // of elements, [n_elements * (Dim + 1)]
  std::vector<index_t> facet_elements;  // [n_facets * 2]
  std::vector<index_t> curved_elements; // of curved facets
  bool has_originals = false;           // whether indices of refined elements fit

  CoarseMesh(const ExecutionSpace& exec, const Mesh<Dim, Space>& coarse, const graph::Incidence<Space>& incidence)
      : mesh(coarse) {
    const auto on_host = [&](const auto& array) {
      const auto host = tessera::to_host(exec, array);
      return std::vector<index_t>(host.data(), host.data() + host.size());
    };
    const auto elements_of = [&](const Array<index_t* [Dim], Space>& facets) {
      return on_host(elements_of_facets<ExecutionSpace, Dim>(exec, coarse, incidence, facets));
    };
    nodes = on_host(coarse.elements);
    facet_elements = elements_of(coarse.facets);
    curved_elements = elements_of(coarse.curved.nodes);
  }

  /// The submesh of some elements, ascending, with their facets. `original_node`: indices in the whole mesh, empty if
  /// all elements are taken.
  Mesh<Dim, Space> some(const ExecutionSpace& exec, const std::vector<index_t>& taken) const {
    std::vector<char> is_taken(static_cast<std::size_t>(mesh.n_elements()), 0);
    for (const index_t element : taken)
      is_taken[static_cast<std::size_t>(element)] = 1;
    const auto facets_of_taken = [&](const std::vector<index_t>& elements) {
      std::vector<index_t> facets;
      for (std::size_t f = 0; f < elements.size() / 2; ++f)
        for (std::size_t k = 2 * f; k < 2 * f + 2; ++k)
          if (elements[k] >= 0 && is_taken[static_cast<std::size_t>(elements[k])] != 0) {
            facets.push_back(static_cast<index_t>(f));
            break;
          }
      return facets;
    };
    const Array<const index_t*, ExecutionSpace> elements = uploaded(exec, "mesh::taken_elements", taken);
    const Array<const index_t*, ExecutionSpace> facets =
        uploaded(exec, "mesh::taken_facets", facets_of_taken(facet_elements));
    const Array<const index_t*, ExecutionSpace> curved =
        uploaded(exec, "mesh::taken_curved_facets", facets_of_taken(curved_elements));
    Mesh<Dim, Space> part = mesh;
    part.original_node = {};
    part.original_element = {};
    part.node_parents.clear();
    part.elements = gather_rows(exec, mesh.elements, elements);
    part.regions = gather_rows(exec, mesh.regions, elements);
    if (has_originals)
      part.original_element = mesh.original_element.extent(0) > 0 ? gather_rows(exec, mesh.original_element, elements)
                                                                  : uploaded(exec, "mesh::original_element", taken);
    take_facets(exec, mesh, facets, curved, part);
    part = drop_orphan_nodes<ExecutionSpace, Dim>(exec, part);
    keep_alive(exec, elements, facets, curved);
    return part;
  }

  static void take_facets(const ExecutionSpace& exec, const Mesh<Dim, Space>& from,
                          const Array<const index_t*, ExecutionSpace>& facets,
                          const Array<const index_t*, ExecutionSpace>& curved, Mesh<Dim, Space>& to) {
    to.facets = gather_rows(exec, from.facets, facets);
    to.facet_groups = gather_rows(exec, from.facet_groups, facets);
    to.curved.nodes = gather_rows(exec, from.curved.nodes, curved);
    to.curved.patch = gather_rows(exec, from.curved.patch, curved);
    to.curved.position = gather_rows(exec, from.curved.position, curved);
  }
};

template <class ExecutionSpace, int Dim>
Mesh<Dim, typename ExecutionSpace::memory_space> refined(const ExecutionSpace& exec,
                                                         Mesh<Dim, typename ExecutionSpace::memory_space> mesh,
                                                         int n_refinements, bool with_parents) {
  mesh.original_node = {};
  for (int level = 0; level < n_refinements; ++level)
    mesh = refine_uniform<ExecutionSpace, Dim>(exec, mesh, with_parents);
  return mesh;
}

/// Cuts the curve into ranges with about equal numbers of nodes. Nodes that several processes count, at the borders of
/// their shares, are counted several times.
template <class ExecutionSpace, int Dim>
std::vector<std::uint64_t> cut_at_nodes(const ExecutionSpace& exec, const comm::Communicator& world,
                                        const Array<std::uint64_t*, ExecutionSpace>& keys) {
  constexpr int n_bits = Dim * curve_bits<Dim>;
  const auto n = static_cast<std::int64_t>(keys.extent(0));
  const auto sorted = make_array<Array<std::uint64_t*, ExecutionSpace>>(exec, "mesh::sorted_positions", n);
  copy(exec, sorted, keys);
  sort_keys(exec, sorted, n, n_bits);
  return cut_curve<ExecutionSpace>(exec, world, {sorted, {}}, n_bits);
}

/// Marks the processes that own nodes of each coarse element, [n][n_processes].
template <int Dim, class Space> struct MarkOwners {
  Array<const index_t * [Dim + 1], Space> elements;
  Array<const int*, Space> owner;
  index_t n_children; // per coarse element
  Array<int**, Space> owns;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    for (int a = 0; a <= Dim; ++a)
      Kokkos::atomic_exchange(&owns(e / n_children, owner(elements(e, a))), 1);
  }
};

/// Marks owned nodes by 1.
template <class Space> struct MarkOwn {
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

/// Selects items with a marked node.
template <int N, class Space> struct SelectMarked {
  Array<const index_t* [N], Space> nodes;
  Array<const int*, Space> marks;
  Array<index_t*, Space> items;
  KOKKOS_FUNCTION index_t count(std::int64_t i) const {
    bool is_marked = false;
    for (int a = 0; a < N; ++a)
      is_marked = is_marked || marks(nodes(i, a)) != 0;
    return is_marked ? 1 : 0;
  }
  KOKKOS_FUNCTION void write(std::int64_t i, index_t place, index_t n_entries) const {
    if (n_entries > 0)
      items(place) = static_cast<index_t>(i);
  }
};
template <int N, class ExecutionSpace>
Array<index_t*, ExecutionSpace> marked_items(const ExecutionSpace& exec, const char* label,
                                             const Array<const index_t* [N], ExecutionSpace>& nodes,
                                             const Array<int*, ExecutionSpace>& marks) {
  SelectMarked<N, typename ExecutionSpace::memory_space> selection{nodes, marks, {}};
  list_selected(
      exec, static_cast<std::int64_t>(nodes.extent(0)), selection, "elements or facets of a process",
      [&](index_t total) { selection.items = make_array<Array<index_t*, ExecutionSpace>>(exec, label, total); });
  return selection.items;
}

template <class Space> struct CopyOwners {
  Array<const index_t*, Space> from;
  Array<int*, Space> to;
  KOKKOS_FUNCTION void operator()(index_t n) const { to(n) = from(n); }
};

/// Items in order, with the owners as keys if there are any.
template <class Space> struct BeginOrder {
  Array<const int*, Space> owner;
  Array<std::uint32_t*, Space> keys;
  Array<index_t*, Space> items;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    if (keys.extent(0) > 0)
      keys(i) = static_cast<std::uint32_t>(owner(i));
    items(i) = i;
  }
};

template <class Space> struct OwnersOfPositions {
  Array<const std::uint64_t*, Space> keys;
  Array<const std::uint64_t*, Space> cuts;
  Array<int*, Space> owner;
  KOKKOS_FUNCTION void operator()(index_t n) const { owner(n) = process_at(cuts, keys(n)); }
};

/// The owner of the coarse node with the largest weight in a node's name: the closest one.
template <int Dim, class Space> struct OwnersOfClosest {
  NodeNames<Dim, Space> names;
  Array<const index_t*, Space> owner_of_coarse;
  Array<int*, Space> owner;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    std::int64_t closest = names(n, 0);
    for (int k = 1; k <= Dim; ++k)
      closest = (names(n, k) & 0xffffffff) > (closest & 0xffffffff) ? names(n, k) : closest;
    owner(n) = owner_of_coarse(closest >> 32);
  }
};

/// Ownership of nodes: by position on the curve, or by the coarse nodes in their names.
template <int Dim, class ExecutionSpace> struct Ownership {
  Array<std::uint64_t*, ExecutionSpace> cuts;
  Array<index_t*, ExecutionSpace> owner_of_coarse; // empty: by position

  bool by_coarse() const { return owner_of_coarse.extent(0) > 0; }
  Array<int*, ExecutionSpace> of_positions(const ExecutionSpace& exec,
                                           const Array<std::uint64_t*, ExecutionSpace>& keys) const {
    const auto owner = make_array<Array<int*, ExecutionSpace>>(exec, "mesh::node_owners", keys.extent(0));
    for_each("tessera::mesh::owners_of_positions", exec, static_cast<std::int64_t>(keys.extent(0)),
             OwnersOfPositions<typename ExecutionSpace::memory_space>{keys, cuts, owner});
    return owner;
  }
  /// `names`: of all nodes, unless ownership is by position.
  Array<int*, ExecutionSpace> of_nodes(const ExecutionSpace& exec, const Array<std::uint64_t*, ExecutionSpace>& keys,
                                       const NodeNames<Dim, typename ExecutionSpace::memory_space>& names) const {
    if (!by_coarse())
      return of_positions(exec, keys);
    const auto owner = make_array<Array<int*, ExecutionSpace>>(exec, "mesh::node_owners", names.extent(0));
    for_each("tessera::mesh::owners_of_closest", exec, static_cast<std::int64_t>(names.extent(0)),
             OwnersOfClosest<Dim, typename ExecutionSpace::memory_space>{names, owner_of_coarse, owner});
    return owner;
  }
  Array<int*, ExecutionSpace> of_coarse(const ExecutionSpace& exec,
                                        const Array<std::uint64_t*, ExecutionSpace>& keys) const {
    if (!by_coarse())
      return of_positions(exec, keys);
    const auto owner = make_array<Array<int*, ExecutionSpace>>(exec, "mesh::node_owners", keys.extent(0));
    for_each("tessera::mesh::owners_of_coarse", exec, static_cast<std::int64_t>(keys.extent(0)),
             CopyOwners<typename ExecutionSpace::memory_space>{owner_of_coarse, owner});
    return owner;
  }
};

/// 0, 1, ...
template <class ExecutionSpace> Array<index_t*, ExecutionSpace> in_order(const ExecutionSpace& exec, index_t n) {
  const auto items = make_array<Array<index_t*, ExecutionSpace>>(exec, "mesh::in_order", n);
  for_each("tessera::mesh::begin_order", exec, n, BeginOrder<typename ExecutionSpace::memory_space>{{}, {}, items});
  return items;
}

/// Numbers the nodes of a mesh process by process, each process's in the previous order.
template <int Dim, class ExecutionSpace>
Mesh<Dim, typename ExecutionSpace::memory_space>
ordered_by_owner(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                 const Array<int*, ExecutionSpace>& owner, int n_processes) {
  using Space = typename ExecutionSpace::memory_space;
  const auto keys = make_array<Array<std::uint32_t*, Space>>(exec, "mesh::owner_keys", mesh.n_nodes());
  const auto nodes = make_array<Array<index_t*, Space>>(exec, "mesh::node_order", mesh.n_nodes());
  const auto elements = in_order(exec, mesh.n_elements());
  for_each("tessera::mesh::begin_order", exec, mesh.n_nodes(), BeginOrder<Space>{owner, keys, nodes});
  sort_by_key(exec, keys, nodes, mesh.n_nodes(), bits_for(n_processes)); // stable
  const auto ordered = permute_mesh<ExecutionSpace, Dim>(exec, mesh, nodes, elements);
  keep_alive(exec, keys, nodes, elements);
  return ordered;
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

/// Marks the nodes of whole groups by 1.
template <int Dim, class ExecutionSpace>
void mark_whole_groups(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                       const WholeGroups& groups, const Array<int*, ExecutionSpace>& marks) {
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

/// Nesting of owned nodes in coarser meshes: first the refined meshes, then the coarse mesh that all processes have and
/// its coarser ones. Two items per node, with the parents outside the part.
template <int Dim, class Space> struct NestOwnNodes {
  NestedNodes<Space> refined;              // of the refined elements, whose first nodes are those of the coarse ones
  NestedNodes<Space> coarse;               // of the coarse mesh
  Array<const index_t*, Space> of_part;    // refined node of each local node
  Array<const index_t*, Space> to_part;    // -1: not in the part
  Array<const index_t*, Space> numbers;    // in the coarse mesh, of refined nodes that it contains
  Array<const index_t*, Space> to_refined; // of the coarse mesh's nodes; -1: not there
  NodeNames<Dim, Space> names;             // of refined nodes
  Array<const int*, Space> owner;          // of refined nodes
  Array<const int*, Space> coarse_owner;   // of the coarse mesh's nodes
  index_t first_own;
  index_t n_nodes; // of the part
  NestedNodes<Space> own;
  NodeNames<Dim, Space> names_outside;
  Array<int*, Space> owners_outside;

  /// Whether the node was added by refinement.
  KOKKOS_FUNCTION bool is_new(index_t node) const {
    return refined.n_levels > 0 && refined.n_coarser(node) < refined.n_levels;
  }
  /// Number of meshes coarser than the coarse mesh that contain a node of it.
  KOKKOS_FUNCTION int n_below(index_t node) const { return coarse.n_levels == 0 ? 0 : coarse.n_coarser(numbers(node)); }
  KOKKOS_FUNCTION bool has_parents(index_t node) const { return is_new(node) || n_below(node) < coarse.n_levels; }
  /// Refined node of a parent; -1: none.
  KOKKOS_FUNCTION index_t parent(index_t node, int k) const {
    return is_new(node) ? refined.parents(node, k) : to_refined(coarse.parents(numbers(node), k));
  }
  KOKKOS_FUNCTION index_t in_part(index_t refined_node) const { return refined_node < 0 ? -1 : to_part(refined_node); }
  KOKKOS_FUNCTION index_t node_of(std::int64_t item) const { return of_part(first_own + item / 2); }
  KOKKOS_FUNCTION index_t count(std::int64_t item) const {
    const index_t node = node_of(item);
    return has_parents(node) && in_part(parent(node, static_cast<int>(item % 2))) < 0 ? 1 : 0;
  }
  KOKKOS_FUNCTION void write(std::int64_t item, index_t rank, index_t) const {
    const index_t node = node_of(item);
    const auto i = static_cast<index_t>(item / 2);
    const auto k = static_cast<int>(item % 2);
    if (k == 0)
      own.n_coarser(i) = is_new(node) ? refined.n_coarser(node) : refined.n_levels + n_below(node);
    own.parents(i, k) = -1;
    if (!has_parents(node))
      return;
    const index_t found = parent(node, k);
    own.parents(i, k) = in_part(found);
    if (own.parents(i, k) >= 0)
      return;
    own.parents(i, k) = n_nodes + rank;
    if (found >= 0) {
      owners_outside(rank) = owner(found);
      for (int d = 0; d <= Dim; ++d)
        names_outside(rank, d) = names(found, d);
      return;
    }
    const index_t number = coarse.parents(numbers(node), k);
    owners_outside(rank) = coarse_owner(number);
    names_outside(rank, 0) = name_of_coarsest(number, refined.n_levels);
    for (int d = 1; d <= Dim; ++d)
      names_outside(rank, d) = 0;
  }
};

/// Nests the owned nodes of a part; makes the data for parents outside the part.
template <int Dim, class ExecutionSpace>
void nest_own_nodes(const ExecutionSpace& exec, NestOwnNodes<Dim, typename ExecutionSpace::memory_space>& work,
                    index_t n_own) {
  using Space = typename ExecutionSpace::memory_space;
  work.own.n_levels = work.refined.n_levels + work.coarse.n_levels;
  work.own.n_coarser = make_array<Array<index_t*, Space>>(exec, "mesh::coarser_meshes", n_own);
  work.own.parents = make_array<Array<index_t* [2], Space>>(exec, "mesh::nested_parents", n_own);
  list_selected(exec, std::int64_t(2) * n_own, work, "parents outside of a part", [&](index_t n_outside) {
    work.names_outside = make_array<NodeNames<Dim, Space>>(exec, "mesh::names_outside", n_outside);
    work.owners_outside = make_array<Array<int*, Space>>(exec, "mesh::owners_outside", n_outside);
  });
}

/// Parents of the nodes of a part in the mesh before the last refinement, of whose nodes the part may lack some.
template <class Space> struct ParentsInPart {
  Array<const index_t* [2], Space> of_refined; // of all refined nodes; empty: not asked for
  Array<const index_t*, Space> of_part;        // refined node of each of the part
  Array<index_t*, Space> numbers;              // of coarse nodes: 1 if the part has it; then the number of those before
  Array<index_t* [2], Space> parents;

  struct Mark {};
  struct Find {};

  KOKKOS_FUNCTION index_t parent(index_t n, int k) const { return of_refined(of_part(n), k); }
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

template <class ExecutionSpace>
Array<index_t* [2], typename ExecutionSpace::memory_space>
find_coarse_parents(const ExecutionSpace& exec,
                    const Array<const index_t*, typename ExecutionSpace::memory_space>& of_part,
                    ParentsInPart<typename ExecutionSpace::memory_space>& work) {
  using Space = typename ExecutionSpace::memory_space;
  using Work = ParentsInPart<Space>;
  const auto n = static_cast<index_t>(of_part.extent(0));
  const auto n_refined = static_cast<std::int64_t>(work.of_refined.extent(0)); // at least the number of coarse nodes
  work.of_part = of_part;
  work.numbers = make_filled<Array<index_t*, Space>>(exec, "mesh::coarse_numbers", n_refined + 1, 0);
  work.parents = make_array<Array<index_t* [2], Space>>(exec, "mesh::node_parents", n);
  for_each_tagged<typename Work::Mark>("tessera::mesh::mark_coarse_nodes", exec, n, work);
  counts_to_offsets(exec, work.numbers, n_refined, "nodes of a coarser mesh");
  for_each_tagged<typename Work::Find>("tessera::mesh::coarse_parents", exec, n, work);
  keep_alive(exec, work);
  return work.parents;
}

/// Appends the rows of one array to those of another.
template <class ExecutionSpace, class Rows>
Rows joined(const ExecutionSpace& exec, const Rows& first, const Rows& second) {
  const Rows all = make_array<Rows>(exec, "mesh::joined_rows", first.extent(0) + second.extent(0));
  const auto put = [&](const Rows& rows, std::size_t begin) {
    const std::size_t width = first.size() / std::max<std::size_t>(first.extent(0), 1);
    using T = typename Rows::value_type;
    const Array<T*, ExecutionSpace> to(all.data() + begin * width, rows.size());
    copy(exec, to, Array<T*, ExecutionSpace>(rows.data(), rows.size()));
  };
  put(first, 0);
  put(second, first.extent(0));
  return all;
}

/// Coarse elements with owned nodes, determined by every process for all, or with nodes of whole groups, and rings
/// around them; ascending.
template <int Dim, class ExecutionSpace>
std::vector<index_t> taken_elements(const ExecutionSpace& exec, const comm::Communicator& world,
                                    const CoarseMesh<Dim, ExecutionSpace>& coarse,
                                    const Mesh<Dim, typename ExecutionSpace::memory_space>& block,
                                    const Array<int*, ExecutionSpace>& owner, index_t first, index_t n_block,
                                    int n_rings, const WholeGroups& whole_groups) {
  using Space = typename ExecutionSpace::memory_space;
  std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(world.size()));
  if (n_block > 0) {
    const auto owns = make_array<Array<int**, Space>>(exec, "mesh::owners_of_coarse", n_block, world.size());
    fill(exec, owns, 0);
    for_each("tessera::mesh::mark_owners", exec, block.n_elements(),
             MarkOwners<Dim, Space>{block.elements, owner, block.n_elements() / n_block, owns});
    const auto host = tessera::to_host(exec, owns);
    for (index_t e = 0; e < n_block; ++e)
      for (std::size_t p = 0; p < lists.size(); ++p)
        if (host(e, p) != 0)
          lists[p].push_back(first + e);
  }
  constexpr std::size_t n_nodes = Dim + 1;
  std::vector<index_t> taken;
  for (const std::vector<std::int64_t>& list : world.exchange_lists(lists))
    taken.insert(taken.end(), list.begin(), list.end());
  if (whole_groups.any()) {
    const auto marks = make_filled<Array<int*, Space>>(exec, "mesh::marks_of_groups", coarse.mesh.n_nodes(), 0);
    mark_whole_groups<Dim, ExecutionSpace>(exec, coarse.mesh, whole_groups, marks);
    const auto is_marked = tessera::to_host(exec, marks);
    for (std::size_t i = 0; i < coarse.nodes.size(); ++i)
      if (is_marked(coarse.nodes[i]) != 0)
        taken.push_back(static_cast<index_t>(i / n_nodes)); // with duplicates until the first ring
  }
  for (int ring = 0; ring < n_rings; ++ring) {
    std::vector<char> is_near(static_cast<std::size_t>(coarse.mesh.n_nodes()), 0);
    for (const index_t element : taken)
      for (std::size_t a = 0; a < n_nodes; ++a)
        is_near[static_cast<std::size_t>(coarse.nodes[static_cast<std::size_t>(element) * n_nodes + a])] = 1;
    taken.clear();
    for (std::size_t e = 0; e < coarse.nodes.size() / n_nodes; ++e)
      for (std::size_t a = 0; a < n_nodes; ++a)
        if (is_near[static_cast<std::size_t>(coarse.nodes[e * n_nodes + a])] != 0) {
          taken.push_back(static_cast<index_t>(e));
          break;
        }
  }
  return taken;
}

} // namespace

template <class ExecutionSpace, int Dim>
MeshPart<Dim, typename ExecutionSpace::memory_space>
make_refined_part(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& coarse,
                  int n_refinements, const comm::Communicator& world, int n_layers, const WholeGroups& whole_groups,
                  CoarserMeshes known, const std::vector<std::uint64_t>& given_cuts,
                  const std::vector<index_t>& owner_of_coarse) {
  using Space = typename ExecutionSpace::memory_space;
  const int rank = world.rank();
  MeshPart<Dim, Space> part;
  CoarseMesh<Dim, ExecutionSpace> whole(exec, coarse, incidence_of<ExecutionSpace, Dim>(exec, coarse));
  part.n_elements_of_all = coarse.n_elements();
  part.n_facets_of_all = coarse.n_facets();
  for (int level = 0; level < n_refinements; ++level) {
    part.n_elements_of_all *= Children<Dim>::count;
    part.n_facets_of_all *= Children<Dim>::count / 2;
  }
  whole.has_originals = part.n_elements_of_all <= std::numeric_limits<index_t>::max();

  // An arbitrary share of the coarse elements, to find the positions of their nodes on the curve.
  const auto first_of = [&](int process) {
    return static_cast<index_t>(static_cast<std::int64_t>(coarse.n_elements()) * process / world.size());
  };
  std::vector<index_t> share;
  for (index_t e = first_of(rank); e < first_of(rank + 1); ++e)
    share.push_back(e);
  const MortonCurve<Dim> curve = curve_through(bounds_of<ExecutionSpace, Dim>(exec, coarse));
  part.curve = curve;
  const auto numbers_of_some = [&](const Mesh<Dim, Space>& some) { // in the coarse mesh
    return some.original_node.extent(0) > 0 ? some.original_node : in_order(exec, some.n_nodes());
  };
  Ownership<Dim, ExecutionSpace> ownership;
  std::vector<index_t> taken;
  {
    Mesh<Dim, Space> block;
    NodeNames<Dim, Space> names_of_block;
    if (!share.empty()) {
      const Mesh<Dim, Space> some = whole.some(exec, share);
      block = refined<ExecutionSpace, Dim>(exec, some, n_refinements, !owner_of_coarse.empty());
      if (!owner_of_coarse.empty())
        names_of_block = name_nodes<ExecutionSpace, Dim>(exec, block, numbers_of_some(some));
    }
    const auto keys = node_positions<ExecutionSpace, Dim>(exec, block, curve);
    if (!owner_of_coarse.empty())
      ownership.owner_of_coarse = uploaded(exec, "mesh::owners_of_coarse_nodes", owner_of_coarse);
    else
      ownership.cuts = uploaded(exec, "mesh::curve_cuts",
                                given_cuts.empty() ? cut_at_nodes<ExecutionSpace, Dim>(exec, world, keys) : given_cuts);
    const auto owner = ownership.of_nodes(exec, keys, names_of_block);
    taken = taken_elements<Dim, ExecutionSpace>(exec, world, whole, block, owner, first_of(rank),
                                                static_cast<index_t>(share.size()),
                                                rings_around_part(n_refinements, n_layers), whole_groups);
    keep_alive(exec, keys, block, names_of_block, owner);
  }
  TESSERA_REQUIRE(!taken.empty(), "The mesh has too few nodes for " << world.size() << " processes: process " << rank
                                                                    << " of them has none.");

  NodeNames<Dim, Space> names;
  Array<int*, Space> owner; // of the refined nodes
  NestOwnNodes<Dim, Space> nest;
  ParentsInPart<Space> parents;
  Array<int*, Space> marks; // 1: own nodes, 2, ...: layers around
  {
    const Mesh<Dim, Space> coarse_part = whole.some(exec, taken);
    const Array<index_t*, Space> coarse_numbers = numbers_of_some(coarse_part);
    Mesh<Dim, Space> fine = refined<ExecutionSpace, Dim>(exec, coarse_part, n_refinements, true);
    names = name_nodes<ExecutionSpace, Dim>(exec, fine, coarse_numbers);
    const auto keys = node_positions<ExecutionSpace, Dim>(exec, fine, curve);
    owner = ownership.of_nodes(exec, keys, names);
    if (known != CoarserMeshes::none) {
      nest.refined = nest_nodes(exec, fine.node_parents);
      nest.coarse = nest_nodes(exec, coarse.node_parents);
      nest.numbers = coarse_numbers;
      nest.to_refined = inverse_of<ExecutionSpace>(exec, coarse_numbers, coarse.n_nodes());
      nest.owner = owner;
    }
    if (known == CoarserMeshes::elements && n_refinements > 0)
      parents.of_refined = fine.node_parents.front();
    fine.node_parents.clear();
    marks = make_array<Array<int*, Space>>(exec, "mesh::marks_of_layers", fine.n_nodes());
    for_each("tessera::mesh::mark_own", exec, fine.n_nodes(), MarkOwn<Space>{owner, rank, marks});
    mark_whole_groups<Dim, ExecutionSpace>(exec, fine, whole_groups, marks);
    for (int layer = 0; layer <= n_layers; ++layer)
      for_each("tessera::mesh::mark_around", exec, fine.n_elements(),
               MarkAround<Dim, Space>{fine.elements, layer + 2, marks});
    using Nodes = Array<const index_t* [Dim], ExecutionSpace>;
    const Array<const index_t*, ExecutionSpace> elements = marked_items<Dim + 1>(
        exec, "mesh::elements_of_part", Array<const index_t * [Dim + 1], ExecutionSpace>(fine.elements), marks);
    const Array<const index_t*, ExecutionSpace> facets =
        marked_items<Dim>(exec, "mesh::facets_of_part", Nodes(fine.facets), marks);
    const Array<const index_t*, ExecutionSpace> curved =
        marked_items<Dim>(exec, "mesh::curved_facets_of_part", Nodes(fine.curved.nodes), marks);
    Mesh<Dim, Space> cut = fine;
    cut.elements = gather_rows(exec, fine.elements, elements);
    cut.regions = gather_rows(exec, fine.regions, elements);
    cut.original_element = gather_rows(exec, fine.original_element, elements);
    CoarseMesh<Dim, ExecutionSpace>::take_facets(exec, fine, facets, curved, cut);
    cut = drop_orphan_nodes<ExecutionSpace, Dim>(exec, cut);
    part.mesh = order_mesh<ExecutionSpace, Dim>(exec, cut, curve);
    if (ownership.by_coarse())
      part.mesh = ordered_by_owner<Dim, ExecutionSpace>(
          exec, part.mesh, gather_rows(exec, owner, Array<const index_t*, ExecutionSpace>(part.mesh.original_node)),
          world.size());
    keep_alive(exec, keys, elements, facets, curved, cut, fine, coarse_numbers);
  }
  Mesh<Dim, Space>& mesh = part.mesh;
  if (!whole.has_originals)
    mesh.original_element = {};
  part.owner = gather_rows(exec, owner, Array<const index_t*, ExecutionSpace>(mesh.original_node));
  set_own_nodes(exec, part, rank, world.size());
  part.n_nodes_of_all = static_cast<std::int64_t>(world.added(part.n_own));
  // Up to here original_node is the node of the refined elements.
  part.is_surrounded = make_array<decltype(part.is_surrounded)>(
      exec, "mesh::surrounded_nodes", n_layers > 0 || whole_groups.any() ? mesh.n_nodes() : 0);
  if (part.is_surrounded.extent(0) > 0)
    for_each("tessera::mesh::find_surrounded", exec, mesh.n_nodes(),
             FindSurrounded<Space>{marks, n_layers + 1, mesh.original_node, part.is_surrounded});
  NodeNames<Dim, Space> names_of_part =
      gather_rows(exec, names, Array<const index_t*, ExecutionSpace>(mesh.original_node));
  Array<int*, Space> owners = part.owner;
  if (parents.of_refined.extent(0) > 0)
    mesh.node_parents = {find_coarse_parents<ExecutionSpace>(exec, mesh.original_node, parents)};
  const bool is_nested = known != CoarserMeshes::none && nest.refined.n_levels + nest.coarse.n_levels > 0;
  if (is_nested) {
    nest.of_part = mesh.original_node;
    nest.to_part = inverse_of<ExecutionSpace>(exec, mesh.original_node, static_cast<index_t>(names.extent(0)));
    nest.names = names;
    const auto coarse_positions = node_positions<ExecutionSpace, Dim>(exec, coarse, curve);
    nest.coarse_owner = ownership.of_coarse(exec, coarse_positions);
    keep_alive(exec, coarse_positions);
    nest.first_own = part.first_own;
    nest.n_nodes = mesh.n_nodes();
    nest_own_nodes<Dim, ExecutionSpace>(exec, nest, part.n_own);
    static_cast<NestedNodes<Space>&>(part.nested) = nest.own;
    names_of_part = joined(exec, names_of_part, nest.names_outside);
    owners = joined(exec, part.owner, nest.owners_outside);
  }
  const auto numbers =
      number_nodes<ExecutionSpace, Dim>(exec, world, names_of_part, owners, part.first_own, part.n_own);
  keep_alive(exec, nest, names_of_part, owners);
  mesh.original_node = numbers;
  if (is_nested) {
    const auto n_outside = static_cast<index_t>(nest.owners_outside.extent(0));
    const auto on_host = tessera::to_host(exec, numbers);
    const auto owners_on_host = tessera::to_host(exec, nest.owners_outside);
    part.nested.outside.assign(on_host.data() + mesh.n_nodes(), on_host.data() + mesh.n_nodes() + n_outside);
    part.nested.owners_of_outside.assign(owners_on_host.data(), owners_on_host.data() + n_outside);
    mesh.original_node = make_array<Array<index_t*, Space>>(exec, "mesh::original_node", mesh.n_nodes());
    copy(exec, mesh.original_node, Kokkos::subview(numbers, std::make_pair(index_t(0), mesh.n_nodes())));
    keep_alive(exec, numbers);
  }

  const graph::Incidence<Space> incidence = incidence_of<ExecutionSpace, Dim>(exec, mesh);
  const auto elements = elements_of_facets<ExecutionSpace, Dim>(exec, mesh, incidence, mesh.facets);
  const auto lowest = make_array<Array<index_t*, Space>>(exec, "mesh::lowest_nodes", mesh.n_facets());
  for_each("tessera::mesh::lowest_nodes", exec, mesh.n_facets(),
           LowestNodes<Dim, Space>{elements, mesh.elements, lowest});
  part.own_elements = own_items(exec, "mesh::own_elements", Array<const index_t * [Dim + 1], Space>(mesh.elements),
                                Dim + 1, Array<const index_t*, ExecutionSpace>(), part.first_own, part.n_own);
  part.own_facets = own_items(exec, "mesh::own_facets", Array<const index_t* [Dim], Space>(mesh.facets), Dim,
                              Array<const index_t*, ExecutionSpace>(lowest), part.first_own, part.n_own);
  keep_alive(exec, owner, names, marks, incidence, elements, lowest);
  return part;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template MeshPart<2, SPACE::memory_space> make_refined_part<SPACE, 2>(                                               \
      const SPACE&, const Mesh<2, SPACE::memory_space>&, int, const comm::Communicator&, int, const WholeGroups&,      \
      CoarserMeshes, const std::vector<std::uint64_t>&, const std::vector<index_t>&);                                  \
  template MeshPart<3, SPACE::memory_space> make_refined_part<SPACE, 3>(                                               \
      const SPACE&, const Mesh<3, SPACE::memory_space>&, int, const comm::Communicator&, int, const WholeGroups&,      \
      CoarserMeshes, const std::vector<std::uint64_t>&, const std::vector<index_t>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::mesh
