// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "fe/transfer/nested_unknowns.hpp"

#include "core/algorithms/gather_rows.hpp"
#include "core/algorithms/list_marked.hpp"
#include "core/algorithms/lower_bound.hpp"
#include "core/algorithms/scan.hpp"
#include "core/error.hpp"
#include "core/keep_alive.hpp"
#include "core/tagged_loop.hpp"
#include "core/transfer/upload.hpp"
#include "fe/dofs/requested_numbers.hpp"
#include "fe/midpoints.hpp"

#include <algorithm>
#include <limits>

namespace tessera::fe {

namespace {

using Lists = std::vector<std::vector<std::int64_t>>;
constexpr index_t not_found = std::numeric_limits<index_t>::min();

/// Position of a value in an ascending list; the list's length if it is not there.
template <class List> KOKKOS_FUNCTION std::int64_t position_in(const List& list, index_t value) {
  const auto n = static_cast<std::int64_t>(list.extent(0));
  const std::int64_t position = lower_bound(list, std::int64_t(0), n, value);
  return position < n && list(position) == value ? position : n;
}

/// The kernels. The "source" of a vertex is the global index of its unknown, its bitwise complement if the vertex's
/// value has the opposite sign, and n_all if it is fixed. Sources are ordered by the part's vertices, followed by
/// requested nodes outside the part. If every process has the whole mesh, all vertices count as owned here, and
/// unknowns have global indices.
template <class Space> struct Nesting {
  DofKinds kinds;
  Array<const index_t*, Space> node_dof;
  Array<const signed char*, Space> node_sign; // empty: all 1
  PartVertices<Space> vertices;
  index_t n_vertices = 0;
  bool is_whole = false;
  OwnedUnknowns owned;
  index_t first_of_all = 0; // global index of the first owned unknown
  index_t n_all = 0;
  mesh::NestedNodes<Space> nodes;             // of owned vertices
  Array<const index_t* [2], Space> midpoints; // ends of the edge of each node of order 2; empty for order 1
  Array<index_t*, Space> first_node;          // lowest node, with sign 1, of each owned regular unknown
  Array<index_t*, Space> requested; // [n_vertices + 1], 1: a parent owned by another process; after the scan the number
                                    // of those before
  Array<index_t*, Space> list;      // the requested parents
  Array<index_t*, Space> shared;    // [n_free + 1], likewise for unknowns of owned vertices that other processes own
  Array<index_t*, Space> shared_list;
  Array<const index_t*, Space> shared_numbers; // their global indices
  Array<index_t*, Space> sources;
  Array<const index_t*, Space> answers; // sources of the requested nodes
  Array<index_t*, Space> tied_levels;   // [n_tied], from owned vertices
  linalg::NestedUnknowns<Space> result;

  struct FirstNodes {};
  struct MarkShared {};
  struct MarkRequested {};
  struct OwnedSources {};
  struct OtherSources {};
  struct TiedLevels {};
  struct Fill {};

  KOKKOS_FUNCTION bool is_owned(index_t dof) const { return dof >= owned.first && dof < owned.end; }
  KOKKOS_FUNCTION bool is_owned_vertex(index_t node) const {
    return node >= vertices.first_owned && node < vertices.first_owned + vertices.n_owned;
  }
  KOKKOS_FUNCTION bool is_negative(index_t node) const { return node_sign.extent(0) > 0 && node_sign(node) < 0; }
  KOKKOS_FUNCTION bool has_midpoints() const { return midpoints.extent(0) > 0; }
  /// Position of a node's parent among the sources; -1: none.
  KOKKOS_FUNCTION index_t parent(index_t node, int k) const {
    if (node >= n_vertices)
      return midpoints(node, k);
    return nodes.n_levels > 0 ? nodes.parents(node - vertices.first_owned, k) : -1;
  }
  KOKKOS_FUNCTION index_t n_coarser(index_t node) const {
    if (node >= n_vertices)
      return 0;
    return (nodes.n_levels > 0 ? nodes.n_coarser(node - vertices.first_owned) : 0) + (has_midpoints() ? 1 : 0);
  }

  KOKKOS_FUNCTION void operator()(FirstNodes, index_t node) const {
    const index_t dof = node_dof(node);
    if (kinds.is_regular(dof) && is_owned(dof))
      Kokkos::atomic_fetch_min(&first_node(dof - owned.first), node);
  }
  KOKKOS_FUNCTION void operator()(MarkShared, index_t i) const {
    const index_t dof = node_dof(vertices.first_owned + i);
    if (kinds.is_free(dof) && !is_owned(dof))
      Kokkos::atomic_exchange(&shared(dof), index_t(1)); // several threads write the same value
  }
  KOKKOS_FUNCTION void operator()(MarkRequested, index_t i) const { // i: an owned regular unknown
    for (int k = 0; k < 2; ++k) {
      const index_t position = parent(first_node(i), k);
      if (position >= 0 && position < n_vertices && !is_owned_vertex(position))
        Kokkos::atomic_exchange(&requested(position), index_t(1)); // several threads write the same value
    }
  }
  KOKKOS_FUNCTION index_t source_of_owned(index_t node) const {
    const index_t dof = node_dof(node);
    if (kinds.is_fixed(dof))
      return n_all;
    const index_t number = is_whole        ? dof
                           : is_owned(dof) ? first_of_all + (dof - owned.first)
                                           : shared_numbers(position_in(shared_list, dof));
    return is_negative(node) ? ~number : number;
  }
  KOKKOS_FUNCTION void operator()(OwnedSources, index_t i) const {
    sources(vertices.first_owned + i) = source_of_owned(vertices.first_owned + i);
  }
  KOKKOS_FUNCTION void operator()(OtherSources, index_t i) const { sources(list(i)) = answers(i); }
  KOKKOS_FUNCTION void operator()(TiedLevels, index_t i) const {
    const index_t node = vertices.first_owned + i;
    if (kinds.is_tied(node_dof(node)))
      Kokkos::atomic_fetch_max(&tied_levels(kinds.tied_index(node_dof(node))), n_coarser(node));
  }
  KOKKOS_FUNCTION void operator()(Fill, index_t i) const {
    result.ids(i) = first_of_all + i;
    const bool is_tied = kinds.is_tied(owned.first + i);
    const index_t node = is_tied ? -1 : first_node(i);
    result.n_coarser(i) = is_tied ? tied_levels(kinds.tied_index(owned.first + i)) : n_coarser(node);
    for (int k = 0; k < 2; ++k) {
      const index_t position = is_tied ? -1 : parent(node, k);
      result.parents(std::int64_t(2) * i + k) = position < 0 ? n_all
                                                : is_whole   ? source_of_owned(position)
                                                             : sources(position);
    }
  }
};

/// Sources of owned vertices, by global vertex indices.
template <class Space> struct AnswerSources {
  PartVertices<Space> vertices;
  Array<const index_t*, Space> sources;
  RequestedNumbers<Space> requested;
  Array<index_t*, Space> answers;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const index_t node = vertices.first_owned + i;
    const index_t number = vertices.numbers(node);
    for (index_t position = requested.position_of(number); requested.is_at(position, number); ++position)
      answers(requested.order(position)) = sources(node);
  }
};

template <class Space> struct NumberAt {
  Array<const index_t*, Space> numbers;
  KOKKOS_FUNCTION index_t operator()(index_t k) const { return numbers(k); }
};

template <class Space> struct LargestLevel {
  Array<const index_t*, Space> levels;
  KOKKOS_FUNCTION void operator()(index_t i, index_t& largest) const {
    largest = levels(i) > largest ? levels(i) : largest;
  }
};

/// Requests the sources of nodes, given by global index; owner[i] is the process of item i.
template <class ExecutionSpace>
std::vector<index_t> request_sources(const ExecutionSpace& exec, const comm::Communicator& world,
                                     const Nesting<typename ExecutionSpace::memory_space>& work,
                                     const std::vector<index_t>& numbers, const std::vector<int>& owner) {
  Lists wanted(static_cast<std::size_t>(world.size()));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    wanted[static_cast<std::size_t>(owner[i])].push_back(numbers[i]);
  Lists requested = world.exchange_lists(wanted);
  std::vector<index_t> all_requested;
  for (const std::vector<std::int64_t>& of_one : requested)
    for (const std::int64_t number : of_one)
      all_requested.push_back(static_cast<index_t>(number));
  using Space = typename ExecutionSpace::memory_space;
  const Array<const index_t*, Space> requested_numbers = uploaded(exec, "fe::asked_numbers", all_requested);
  const auto found = make_filled<Array<index_t*, ExecutionSpace>>(exec, "fe::answers", all_requested.size(), not_found);
  const auto in_order = order_requested(exec, all_requested.size(), NumberAt<Space>{requested_numbers});
  for_each("tessera::fe::answer_sources", exec, work.vertices.n_owned,
           AnswerSources<Space>{work.vertices, work.sources, in_order, found});
  const auto answers = tessera::to_host(exec, found);
  std::size_t position = 0;
  for (std::vector<std::int64_t>& of_one : requested)
    for (std::int64_t& entry : of_one) {
      entry = answers(position++);
      TESSERA_REQUIRE(entry != not_found, "A process was asked for a node that it does not have.");
    }
  const Lists replies = world.exchange_lists(requested);
  std::vector<index_t> result;
  std::vector<std::size_t> next(replies.size(), 0);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto process = static_cast<std::size_t>(owner[i]);
    result.push_back(static_cast<index_t>(replies[process][next[process]++]));
  }
  return result;
}

/// Global indices of unknowns of owned vertices that other processes own: identified and tied ones.
template <class ExecutionSpace, class Ask>
void number_shared(const ExecutionSpace& exec, const comm::Communicator& world,
                   Nesting<typename ExecutionSpace::memory_space>& work, const Ask& ask) {
  using Numbers = Array<index_t*, typename ExecutionSpace::memory_space>;
  using Work = Nesting<typename ExecutionSpace::memory_space>;
  work.shared = make_filled<Numbers>(exec, "fe::shared_unknowns", work.kinds.n_free + 1, 0);
  for_each_tagged<typename Work::MarkShared>("tessera::fe::mark_shared", exec, work.vertices.n_owned, work);
  const std::int64_t n_shared = counts_to_offsets(exec, work.shared, work.kinds.n_free, "shared unknowns");
  work.shared_list = list_marked(exec, "fe::shared_unknowns", work.shared, work.kinds.n_free, n_shared);
  if (world.largest(n_shared) == 0)
    return;
  const auto on_host = tessera::to_host(exec, work.shared_list);
  std::vector<index_t> numbers;
  for (const std::int64_t number : ask(std::vector<std::int64_t>(on_host.data(), on_host.data() + n_shared)))
    numbers.push_back(static_cast<index_t>(number));
  work.shared_numbers = uploaded(exec, "fe::shared_numbers", numbers);
}

/// Number of coarser levels that have each tied unknown: the levels that contain any of its nodes. Collective with
/// parts of a mesh.
template <class ExecutionSpace>
void find_tied_levels(const ExecutionSpace& exec, const comm::Communicator& world,
                      Nesting<typename ExecutionSpace::memory_space>& work) {
  using Numbers = Array<index_t*, typename ExecutionSpace::memory_space>;
  work.tied_levels = make_filled<Numbers>(exec, "fe::levels_of_tied", work.kinds.n_tied(), 0);
  if (work.kinds.n_tied() == 0)
    return;
  for_each_tagged<typename Nesting<typename ExecutionSpace::memory_space>::TiedLevels>(
      "tessera::fe::levels_of_tied", exec, work.vertices.n_owned, work);
  if (work.is_whole)
    return;
  const auto owned = tessera::to_host(exec, work.tied_levels);
  std::vector<index_t> levels;
  for (index_t i = 0; i < work.kinds.n_tied(); ++i)
    levels.push_back(world.largest(owned(i)));
  upload(exec, work.tied_levels, levels);
}

/// Sets the data of the level's owned unknowns, and finds their nodes.
template <class ExecutionSpace>
void begin_nesting(const ExecutionSpace& exec, const DofMap<typename ExecutionSpace::memory_space>& dofs,
                   const OwnedUnknowns& owned, Nesting<typename ExecutionSpace::memory_space>& work) {
  using Space = typename ExecutionSpace::memory_space;
  work.kinds = dofs;
  work.node_dof = dofs.node_dof;
  work.node_sign = dofs.node_sign;
  work.owned = owned;
  const auto n_nodes = static_cast<index_t>(dofs.node_dof.extent(0));
  const index_t n_regular = std::max(std::min(owned.end, dofs.n_regular) - owned.first, 0);
  work.first_node = make_filled<Array<index_t*, Space>>(exec, "fe::first_nodes", n_regular, n_nodes);
  for_each_tagged<typename Nesting<Space>::FirstNodes>("tessera::fe::first_nodes", exec, n_nodes, work);
}

/// Writes the result from the sources. Collective; waits.
template <class ExecutionSpace>
linalg::NestedUnknowns<typename ExecutionSpace::memory_space>
end_nesting(const ExecutionSpace& exec, const comm::Communicator& world,
            Nesting<typename ExecutionSpace::memory_space>& work) {
  using Space = typename ExecutionSpace::memory_space;
  using Numbers = Array<index_t*, Space>;
  find_tied_levels(exec, world, work);
  const index_t n_owned = work.owned.end - work.owned.first;
  linalg::NestedUnknowns<Space>& result = work.result;
  result.n_finest = work.n_all;
  result.ids = make_array<Numbers>(exec, "fe::ids_of_unknowns", n_owned);
  result.n_coarser = make_array<Numbers>(exec, "fe::coarser_levels", n_owned);
  result.parents = make_array<Numbers>(exec, "fe::parents_of_unknowns", std::int64_t(2) * n_owned);
  result.numbers = make_array<Numbers>(exec, "fe::numbers_of_unknowns", n_owned);
  result.first_id = work.first_of_all;
  for_each_tagged<typename Nesting<Space>::Fill>("tessera::fe::fill_nested", exec, n_owned, work);
  index_t n_levels = 0; // levels that have any unknown
  Kokkos::parallel_reduce("tessera::fe::largest_level",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n_owned),
                          LargestLevel<Space>{result.n_coarser}, Kokkos::Max<index_t>(n_levels)); // waits
  result.n_levels = static_cast<int>(world.largest(std::max(n_levels, index_t(0))));
  keep_alive(exec, work);
  return result;
}

/// For a level whose vertices are those of the first of the nested meshes.
template <class ExecutionSpace>
linalg::NestedUnknowns<typename ExecutionSpace::memory_space>
nest_whole(const ExecutionSpace& exec, const comm::Communicator& world,
           const std::vector<Array<index_t* [2], typename ExecutionSpace::memory_space>>& node_parents,
           index_t n_vertices, const Array<const index_t* [2], typename ExecutionSpace::memory_space>& midpoints,
           const DofMap<typename ExecutionSpace::memory_space>& dofs, const OwnedUnknowns& owned) {
  Nesting<typename ExecutionSpace::memory_space> work;
  work.is_whole = true;
  work.n_vertices = work.vertices.n_owned = n_vertices;
  work.first_of_all = owned.first;
  work.n_all = dofs.n_free;
  work.nodes = mesh::nest_nodes(exec, node_parents);
  work.midpoints = midpoints;
  begin_nesting(exec, dofs, owned, work);
  return end_nesting(exec, world, work);
}

} // namespace

template <class ExecutionSpace, int Dim, int Order>
linalg::NestedUnknowns<typename ExecutionSpace::memory_space>
nest_unknowns_of_whole(const ExecutionSpace& exec, const comm::Communicator& world,
                       const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                       const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
                       const DofMap<typename ExecutionSpace::memory_space>& dofs, const OwnedUnknowns& owned) {
  Array<const index_t* [2], typename ExecutionSpace::memory_space> midpoints;
  if constexpr (Order == 2)
    midpoints = parents_of_midpoints<ExecutionSpace, Dim>(exec, space);
  return nest_whole(exec, world, mesh.node_parents, mesh.n_nodes(), midpoints, dofs, owned);
}

template <class ExecutionSpace, int Dim, int Order>
linalg::NestedUnknowns<typename ExecutionSpace::memory_space>
nest_unknowns_below(const ExecutionSpace& exec, const comm::Communicator& world,
                    const mesh::Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
                    const DofMap<typename ExecutionSpace::memory_space>& coarser, const OwnedUnknowns& owned) {
  auto node_parents = mesh.node_parents;
  if (Order == 1) // the level's nodes are those of the next coarser mesh
    node_parents.erase(node_parents.begin());
  return nest_whole(exec, world, node_parents, static_cast<index_t>(coarser.node_dof.extent(0)), {}, coarser, owned);
}

template <class ExecutionSpace, int Dim, int Order>
linalg::NestedUnknowns<typename ExecutionSpace::memory_space>
nest_unknowns(const ExecutionSpace& exec, const comm::Communicator& world,
              const FunctionSpace<Dim, Order, typename ExecutionSpace::memory_space>& space,
              const DofMap<typename ExecutionSpace::memory_space>& dofs,
              const mesh::NestedPart<typename ExecutionSpace::memory_space>& nodes,
              const PartVertices<typename ExecutionSpace::memory_space>& vertices, const OwnedUnknowns& owned,
              const std::vector<std::int64_t>& offsets) {
  using Space = typename ExecutionSpace::memory_space;
  using Work = Nesting<Space>;
  using Numbers = Array<index_t*, Space>;
  Work work;
  work.vertices = vertices;
  const auto n_vertices = static_cast<index_t>(vertices.numbers.extent(0));
  work.n_vertices = n_vertices;
  work.first_of_all = static_cast<index_t>(offsets[static_cast<std::size_t>(world.rank())]);
  work.n_all = static_cast<index_t>(offsets.back());
  work.nodes = nodes;
  if constexpr (Order == 2)
    work.midpoints = parents_of_midpoints<ExecutionSpace, Dim>(exec, space);
  begin_nesting(exec, dofs, owned, work);
  number_shared(exec, world, work, [&](const std::vector<std::int64_t>& unknowns) {
    const ElementTable<Space> table{
        Array<const index_t*, Space>(space.element_nodes.data(), space.element_nodes.size()),
        FunctionSpace<Dim, Order, Space>::element::n_nodes};
    return number_ghosts<ExecutionSpace>(exec, world, dofs, table, Dim, vertices, owned, offsets, unknowns);
  });

  work.sources = make_filled<Numbers>(exec, "fe::sources_of_vertices",
                                      static_cast<std::size_t>(n_vertices) + nodes.outside.size(), work.n_all);
  for_each_tagged<typename Work::OwnedSources>("tessera::fe::owned_sources", exec, vertices.n_owned, work);
  work.requested = make_filled<Numbers>(exec, "fe::parents_of_others", n_vertices + 1, 0);
  for_each_tagged<typename Work::MarkRequested>("tessera::fe::mark_parents", exec,
                                                static_cast<std::int64_t>(work.first_node.extent(0)), work);
  const std::int64_t n_requested = counts_to_offsets(exec, work.requested, n_vertices, "parents of other processes");
  work.list = list_marked(exec, "fe::parents_of_others", work.requested, n_vertices, n_requested);
  const Array<const index_t*, ExecutionSpace> items = work.list;
  const auto requested_numbers = tessera::to_host(exec, gather_rows(exec, vertices.numbers, items));
  const auto requested_owners = tessera::to_host(exec, gather_rows(exec, vertices.owner, items));
  std::vector<index_t> numbers(requested_numbers.data(), requested_numbers.data() + n_requested);
  std::vector<int> owners(requested_owners.data(), requested_owners.data() + n_requested);
  numbers.insert(numbers.end(), nodes.outside.begin(), nodes.outside.end());
  owners.insert(owners.end(), nodes.owners_of_outside.begin(), nodes.owners_of_outside.end());
  std::vector<index_t> answers = request_sources(exec, world, work, numbers, owners);
  const std::vector<index_t> outside(answers.begin() + n_requested, answers.end());
  answers.resize(static_cast<std::size_t>(n_requested));
  work.answers = uploaded(exec, "fe::sources_of_others", answers);
  for_each_tagged<typename Work::OtherSources>("tessera::fe::other_sources", exec, n_requested, work);
  upload(exec, Numbers(work.sources.data() + n_vertices, outside.size()), outside);
  return end_nesting(exec, world, work);
}

#define TESSERA_INSTANTIATE_CASE(SPACE, DIM, ORDER)                                                                    \
  template linalg::NestedUnknowns<SPACE::memory_space> nest_unknowns<SPACE, DIM, ORDER>(                               \
      const SPACE&, const comm::Communicator&, const FunctionSpace<DIM, ORDER, SPACE::memory_space>&,                  \
      const DofMap<SPACE::memory_space>&, const mesh::NestedPart<SPACE::memory_space>&,                                \
      const PartVertices<SPACE::memory_space>&, const OwnedUnknowns&, const std::vector<std::int64_t>&);               \
  template linalg::NestedUnknowns<SPACE::memory_space> nest_unknowns_of_whole<SPACE, DIM, ORDER>(                      \
      const SPACE&, const comm::Communicator&, const mesh::Mesh<DIM, SPACE::memory_space>&,                            \
      const FunctionSpace<DIM, ORDER, SPACE::memory_space>&, const DofMap<SPACE::memory_space>&,                       \
      const OwnedUnknowns&);                                                                                           \
  template linalg::NestedUnknowns<SPACE::memory_space> nest_unknowns_below<SPACE, DIM, ORDER>(                         \
      const SPACE&, const comm::Communicator&, const mesh::Mesh<DIM, SPACE::memory_space>&,                            \
      const DofMap<SPACE::memory_space>&, const OwnedUnknowns&);
#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 2, 2)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 1)                                                                                \
  TESSERA_INSTANTIATE_CASE(SPACE, 3, 2)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::fe
