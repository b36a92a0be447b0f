// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/parts/refined_part.hpp"

#include "core/algorithms/ascending.hpp"
#include "core/algorithms/gather_rows.hpp"
#include "core/algorithms/sort.hpp"
#include "core/keep_alive.hpp"
#include "core/transfer/upload.hpp"
#include "mesh/checks/checks.hpp"
#include "mesh/inverse_order.hpp"
#include "mesh/ordering.hpp"
#include "mesh/parts/curve_cuts.hpp"
#include "mesh/parts/cut_part.hpp"
#include "mesh/parts/part_rings.hpp"
#include "mesh/parts/part_selection.hpp"
#include "mesh/parts/refined_numbers.hpp"
#include "mesh/refine/children.hpp"
#include "mesh/refine/refinement.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace tessera::mesh {

namespace {

/// A coarse mesh, with the host data needed to cut it.
template <int Dim, class ExecutionSpace> struct CoarseMesh {
  using Space = typename ExecutionSpace::memory_space;
  Mesh<Dim, Space> mesh;
  std::vector<index_t> nodes;           // of elements, [n_elements * (Dim + 1)]
  std::vector<index_t> facet_elements;  // [n_facets * 2]
  std::vector<index_t> curved_elements; // of curved facets
  bool has_originals = false;           // whether indices of refined elements fit

  CoarseMesh(const ExecutionSpace& exec, const Mesh<Dim, Space>& coarse) : mesh(coarse) {
    const auto incidence = graph::build_incidence<ExecutionSpace>(
        exec, Array<const index_t*, ExecutionSpace>(mesh.elements.data(), mesh.elements.size()), Dim + 1, {},
        mesh.n_nodes());
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
    take_facets<ExecutionSpace, Dim>(exec, mesh, facets, curved, part);
    part = drop_orphan_nodes<ExecutionSpace, Dim>(exec, part);
    keep_alive(exec, elements, facets, curved);
    return part;
  }
};

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

template <class Space> struct CopyOwners {
  Array<const index_t*, Space> from;
  Array<int*, Space> to;
  KOKKOS_FUNCTION void operator()(index_t n) const { to(n) = from(n); }
};

template <class Space> struct OwnersOfPositions {
  Array<const std::uint64_t*, Space> keys;
  Array<const std::uint64_t*, Space> cuts;
  Array<int*, Space> owner;
  KOKKOS_FUNCTION void operator()(index_t n) const { owner(n) = process_at(cuts, keys(n)); }
};

/// The owner of the coarse node with the largest weight in a node's identifier: the closest one.
template <int Dim, class Space> struct OwnersOfClosest {
  NodeIds<Dim, Space> ids;
  Array<const index_t*, Space> owner_of_coarse;
  Array<int*, Space> owner;
  KOKKOS_FUNCTION void operator()(index_t n) const {
    std::int64_t closest = ids(n, 0);
    for (int k = 1; k <= Dim; ++k)
      closest = (ids(n, k) & 0xffffffff) > (closest & 0xffffffff) ? ids(n, k) : closest;
    owner(n) = owner_of_coarse(closest >> 32);
  }
};

/// Ownership of nodes: by position on the curve, or by the coarse nodes in their identifiers.
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
  /// `ids`: of all nodes, unless ownership is by position.
  Array<int*, ExecutionSpace> of_nodes(const ExecutionSpace& exec, const Array<std::uint64_t*, ExecutionSpace>& keys,
                                       const NodeIds<Dim, typename ExecutionSpace::memory_space>& ids) const {
    if (!by_coarse())
      return of_positions(exec, keys);
    const auto owner = make_array<Array<int*, ExecutionSpace>>(exec, "mesh::node_owners", ids.extent(0));
    for_each("tessera::mesh::owners_of_closest", exec, static_cast<std::int64_t>(ids.extent(0)),
             OwnersOfClosest<Dim, typename ExecutionSpace::memory_space>{ids, owner_of_coarse, owner});
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

/// Nesting of owned nodes in coarser meshes: first the refined meshes, then the coarse mesh that all processes have and
/// its coarser ones. Two items per node, with the parents outside the part.
template <int Dim, class Space> struct NestOwnedNodes {
  NestedNodes<Space> refined;              // of the refined elements, whose first nodes are those of the coarse ones
  NestedNodes<Space> coarse;               // of the coarse mesh
  Array<const index_t*, Space> of_part;    // refined node of each local node
  Array<const index_t*, Space> to_part;    // -1: not in the part
  Array<const index_t*, Space> numbers;    // in the coarse mesh, of refined nodes that it contains
  Array<const index_t*, Space> to_refined; // of the coarse mesh's nodes; -1: not there
  NodeIds<Dim, Space> ids;                 // of refined nodes
  Array<const int*, Space> owner;          // of refined nodes
  Array<const int*, Space> coarse_owner;   // of the coarse mesh's nodes
  index_t first_owned;
  index_t n_nodes; // of the part
  NestedNodes<Space> owned;
  NodeIds<Dim, Space> ids_outside;
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
  KOKKOS_FUNCTION index_t node_of(std::int64_t item) const { return of_part(first_owned + item / 2); }
  KOKKOS_FUNCTION index_t count(std::int64_t item) const {
    const index_t node = node_of(item);
    return has_parents(node) && in_part(parent(node, static_cast<int>(item % 2))) < 0 ? 1 : 0;
  }
  KOKKOS_FUNCTION void write(std::int64_t item, index_t rank, index_t) const {
    const index_t node = node_of(item);
    const auto i = static_cast<index_t>(item / 2);
    const auto k = static_cast<int>(item % 2);
    if (k == 0)
      owned.n_coarser(i) = is_new(node) ? refined.n_coarser(node) : refined.n_levels + n_below(node);
    owned.parents(i, k) = -1;
    if (!has_parents(node))
      return;
    const index_t found = parent(node, k);
    owned.parents(i, k) = in_part(found);
    if (owned.parents(i, k) >= 0)
      return;
    owned.parents(i, k) = n_nodes + rank;
    if (found >= 0) {
      owners_outside(rank) = owner(found);
      for (int d = 0; d <= Dim; ++d)
        ids_outside(rank, d) = ids(found, d);
      return;
    }
    const index_t number = coarse.parents(numbers(node), k);
    owners_outside(rank) = coarse_owner(number);
    ids_outside(rank, 0) = id_of_coarsest(number, refined.n_levels);
    for (int d = 1; d <= Dim; ++d)
      ids_outside(rank, d) = 0;
  }
};

/// Nests the owned nodes of a part; makes the data for parents outside the part.
template <int Dim, class ExecutionSpace>
void nest_owned_nodes(const ExecutionSpace& exec, NestOwnedNodes<Dim, typename ExecutionSpace::memory_space>& work,
                      index_t n_owned) {
  using Space = typename ExecutionSpace::memory_space;
  work.owned.n_levels = work.refined.n_levels + work.coarse.n_levels;
  work.owned.n_coarser = make_array<Array<index_t*, Space>>(exec, "mesh::coarser_meshes", n_owned);
  work.owned.parents = make_array<Array<index_t* [2], Space>>(exec, "mesh::nested_parents", n_owned);
  list_selected(exec, std::int64_t(2) * n_owned, work, "parents outside of a part", [&](index_t n_outside) {
    work.ids_outside = make_array<NodeIds<Dim, Space>>(exec, "mesh::ids_outside", n_outside);
    work.owners_outside = make_array<Array<int*, Space>>(exec, "mesh::owners_outside", n_outside);
  });
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

/// Some coarse elements, refined.
template <int Dim, class ExecutionSpace> struct RefinedPiece {
  using Space = typename ExecutionSpace::memory_space;
  Array<index_t*, ExecutionSpace> coarse_numbers; // in the coarse mesh, of the nodes that it contains
  Mesh<Dim, Space> mesh;
  NodeIds<Dim, Space> ids;
  Array<std::uint64_t*, ExecutionSpace> positions; // of nodes on the curve
};

template <int Dim, class ExecutionSpace>
RefinedPiece<Dim, ExecutionSpace>
refine_piece(const ExecutionSpace& exec, const CoarseMesh<Dim, ExecutionSpace>& coarse,
             const std::vector<index_t>& elements, int n_refinements, const MortonCurve<Dim>& curve, bool with_names) {
  RefinedPiece<Dim, ExecutionSpace> piece;
  if (!elements.empty()) {
    piece.mesh = coarse.some(exec, elements);
    piece.coarse_numbers = piece.mesh.original_node.extent(0) > 0
                               ? piece.mesh.original_node
                               : ascending(exec, "mesh::coarse_numbers", piece.mesh.n_nodes());
    piece.mesh.original_node = {};
    for (int level = 0; level < n_refinements; ++level)
      piece.mesh = refine_uniform<ExecutionSpace, Dim>(exec, piece.mesh, with_names);
    if (with_names)
      piece.ids = make_node_ids<ExecutionSpace, Dim>(exec, piece.mesh, piece.coarse_numbers);
  }
  piece.positions = node_positions<ExecutionSpace, Dim>(exec, piece.mesh, curve);
  return piece;
}

/// Coarse elements in which this process owns nodes: each process has refined those from `first` on, and tells the
/// owners.
template <int Dim, class ExecutionSpace>
std::vector<index_t> elements_with_owned_nodes(const ExecutionSpace& exec, const comm::Communicator& world,
                                               const Mesh<Dim, typename ExecutionSpace::memory_space>& refined,
                                               const Array<int*, ExecutionSpace>& owner, index_t first,
                                               index_t n_coarse) {
  std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(world.size()));
  if (n_coarse > 0) {
    const auto owns = make_array<Array<int**, ExecutionSpace>>(exec, "mesh::owners_of_coarse", n_coarse, world.size());
    fill(exec, owns, 0);
    for_each("tessera::mesh::mark_owners", exec, refined.n_elements(),
             MarkOwners<Dim, typename ExecutionSpace::memory_space>{refined.elements, owner,
                                                                    refined.n_elements() / n_coarse, owns});
    const auto host = tessera::to_host(exec, owns);
    for (index_t e = 0; e < n_coarse; ++e)
      for (std::size_t p = 0; p < lists.size(); ++p)
        if (host(e, p) != 0)
          lists[p].push_back(first + e);
  }
  std::vector<index_t> elements;
  for (const std::vector<std::int64_t>& list : world.exchange_lists(lists))
    elements.insert(elements.end(), list.begin(), list.end());
  return elements;
}

/// Adds coarse elements with nodes of whole groups, and rings around all; ascending.
template <int Dim, class ExecutionSpace>
std::vector<index_t> with_rings(const ExecutionSpace& exec, const CoarseMesh<Dim, ExecutionSpace>& coarse,
                                std::vector<index_t> taken, int n_rings, const WholeGroups& whole_groups) {
  constexpr std::size_t n_nodes = Dim + 1;
  if (whole_groups.any()) {
    const auto marks =
        make_filled<Array<index_t*, ExecutionSpace>>(exec, "mesh::marks_of_groups", coarse.mesh.n_nodes(), 0);
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

/// Determines the ownership of nodes, and the coarse elements that contain this process's part: refines an arbitrary
/// share of the coarse elements, to find the positions of their nodes on the curve.
template <int Dim, class ExecutionSpace>
std::vector<index_t> find_elements_of_part(const ExecutionSpace& exec, const comm::Communicator& world,
                                           const CoarseMesh<Dim, ExecutionSpace>& coarse, int n_refinements,
                                           const MortonCurve<Dim>& curve, const CutOptions& options,
                                           const std::vector<std::uint64_t>& cuts,
                                           Ownership<Dim, ExecutionSpace>& ownership) {
  const auto first_of = [&](int process) {
    return static_cast<index_t>(static_cast<std::int64_t>(coarse.mesh.n_elements()) * process / world.size());
  };
  const index_t first = first_of(options.rank);
  std::vector<index_t> share(static_cast<std::size_t>(first_of(options.rank + 1) - first));
  std::iota(share.begin(), share.end(), first);
  const auto piece = refine_piece(exec, coarse, share, n_refinements, curve, ownership.by_coarse());
  if (!ownership.by_coarse()) // nodes at the borders of shares count several times
    ownership.cuts = uploaded(exec, "mesh::curve_cuts",
                              cuts.empty() ? cut_at_nodes<ExecutionSpace, Dim>(exec, world, piece.positions) : cuts);
  const auto owner = ownership.of_nodes(exec, piece.positions, piece.ids);
  const std::vector<index_t> owned = elements_with_owned_nodes<Dim, ExecutionSpace>(
      exec, world, piece.mesh, owner, first, static_cast<index_t>(share.size()));
  keep_alive(exec, piece, owner);
  return with_rings(exec, coarse, owned, rings_around_part(n_refinements, options.n_layers), options.whole_groups);
}

/// Sets the global indices of the nodes of a part, and the nesting of its owned nodes if `nest` has coarser meshes.
template <int Dim, class ExecutionSpace>
void number_part(const ExecutionSpace& exec, const comm::Communicator& world,
                 const NodeIds<Dim, typename ExecutionSpace::memory_space>& ids,
                 NestOwnedNodes<Dim, typename ExecutionSpace::memory_space>& nest,
                 MeshPart<Dim, typename ExecutionSpace::memory_space>& part) {
  using Space = typename ExecutionSpace::memory_space;
  Mesh<Dim, Space>& mesh = part.mesh;
  const index_t n = mesh.n_nodes();
  NodeIds<Dim, Space> ids_of_part = gather_rows(exec, ids, Array<const index_t*, ExecutionSpace>(mesh.original_node));
  Array<int*, Space> owners = part.owner;
  const bool is_nested = nest.refined.n_levels + nest.coarse.n_levels > 0;
  if (is_nested) {
    nest.of_part = mesh.original_node;
    nest.to_part = inverse_of<ExecutionSpace>(exec, mesh.original_node, static_cast<index_t>(ids.extent(0)));
    nest.ids = ids;
    nest.first_owned = part.first_owned;
    nest.n_nodes = n;
    nest_owned_nodes<Dim, ExecutionSpace>(exec, nest, part.n_owned);
    static_cast<NestedNodes<Space>&>(part.nested) = nest.owned;
    ids_of_part = joined(exec, ids_of_part, nest.ids_outside);
    owners = joined(exec, part.owner, nest.owners_outside);
  }
  const auto numbers =
      number_nodes<ExecutionSpace, Dim>(exec, world, ids_of_part, owners, part.first_owned, part.n_owned);
  mesh.original_node = numbers;
  if (is_nested) {
    const auto on_host = tessera::to_host(exec, numbers);
    const auto owners_on_host = tessera::to_host(exec, nest.owners_outside);
    part.nested.outside.assign(on_host.data() + n, on_host.data() + on_host.extent(0));
    part.nested.owners_of_outside.assign(owners_on_host.data(), owners_on_host.data() + owners_on_host.extent(0));
    mesh.original_node = make_array<Array<index_t*, Space>>(exec, "mesh::original_node", n);
    copy(exec, mesh.original_node, Kokkos::subview(numbers, std::make_pair(index_t(0), n)));
  }
  keep_alive(exec, nest, ids_of_part, owners, numbers);
}

} // namespace

template <class ExecutionSpace, int Dim>
MeshPart<Dim, typename ExecutionSpace::memory_space>
make_refined_part(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& coarse,
                  int n_refinements, const comm::Communicator& world, int n_layers, const WholeGroups& whole_groups,
                  CoarserMeshes known, const std::vector<std::uint64_t>& given_cuts,
                  const std::vector<index_t>& owner_of_coarse) {
  using Space = typename ExecutionSpace::memory_space;
  CoarseMesh<Dim, ExecutionSpace> whole(exec, coarse);
  std::int64_t n_elements = coarse.n_elements();
  std::int64_t n_facets = coarse.n_facets();
  for (int level = 0; level < n_refinements; ++level) {
    n_elements *= Children<Dim>::count;
    n_facets *= Children<Dim>::count / 2;
  }
  whole.has_originals = n_elements <= std::numeric_limits<index_t>::max();

  const MortonCurve<Dim> curve = curve_through(bounds_of<ExecutionSpace, Dim>(exec, coarse));
  const CutOptions options{world.rank(), world.size(), n_layers, whole_groups, !owner_of_coarse.empty()};
  Ownership<Dim, ExecutionSpace> ownership;
  if (options.is_by_owner)
    ownership.owner_of_coarse = uploaded(exec, "mesh::owners_of_coarse_nodes", owner_of_coarse);
  const std::vector<index_t> taken =
      find_elements_of_part(exec, world, whole, n_refinements, curve, options, given_cuts, ownership);
  TESSERA_REQUIRE(!taken.empty(), "The mesh has too few nodes for " << options.n_parts << " processes: process "
                                                                    << options.rank << " of them has none.");
  auto piece = refine_piece(exec, whole, taken, n_refinements, curve, true);
  const auto owner = ownership.of_nodes(exec, piece.positions, piece.ids);
  keep_alive(exec, piece.positions);
  piece.positions = {};
  NestOwnedNodes<Dim, Space> nest;
  Array<const index_t* [2], Space> parents;
  if (known != CoarserMeshes::none) {
    const auto coarse_positions = node_positions<ExecutionSpace, Dim>(exec, coarse, curve);
    nest.refined = nest_nodes(exec, piece.mesh.node_parents);
    nest.coarse = nest_nodes(exec, coarse.node_parents);
    nest.numbers = piece.coarse_numbers;
    nest.to_refined = inverse_of<ExecutionSpace>(exec, piece.coarse_numbers, coarse.n_nodes());
    nest.owner = owner;
    nest.coarse_owner = ownership.of_coarse(exec, coarse_positions);
    keep_alive(exec, coarse_positions);
  }
  if (known == CoarserMeshes::elements && n_refinements > 0)
    parents = piece.mesh.node_parents.front();
  piece.mesh.node_parents.clear();

  MeshPart<Dim, Space> part = cut_part<ExecutionSpace, Dim>(exec, std::move(piece.mesh), owner, curve, options);
  part.n_nodes_of_all = static_cast<std::int64_t>(world.added(part.n_owned));
  part.n_elements_of_all = n_elements;
  part.n_facets_of_all = n_facets;
  if (!whole.has_originals)
    part.mesh.original_element = {};
  if (parents.extent(0) > 0)
    part.mesh.node_parents = {parents_in_part<ExecutionSpace>(exec, parents, part.mesh.original_node)};
  number_part<Dim, ExecutionSpace>(exec, world, piece.ids, nest, part);
  keep_alive(exec, piece, owner);
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
