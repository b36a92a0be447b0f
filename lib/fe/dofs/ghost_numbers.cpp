// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "fe/dofs/ghost_numbers.hpp"

#include "core/transfer/upload.hpp"
#include "fe/dofs/requested_numbers.hpp"
#include "mesh/simplex.hpp"

#include <algorithm>
#include <type_traits>

namespace tessera::fe {

namespace {

/// Nodes of elements and their identifiers in all processes: the global indices of the ends of a node's edge, or twice
/// that of a vertex.
template <int Dim, class Space> struct NamedNodes {
  Array<const index_t*, Space> nodes;
  int nodes_per_element;
  Array<const index_t*, Space> node_dof;
  Array<const index_t*, Space> node_source; // empty: no nodes are identified
  PartVertices<Space> vertices;

  KOKKOS_FUNCTION index_t node(index_t e, int a) const {
    return nodes(static_cast<std::int64_t>(e) * nodes_per_element + a);
  }
  KOKKOS_FUNCTION index_t dof(index_t e, int a) const { return node_dof(node(e, a)); }
  /// Whether this node, and not one identified with it, gives the unknown its identifier.
  KOKKOS_FUNCTION bool has_id(index_t e, int a) const {
    return node_source.extent(0) == 0 || node_source(node(e, a)) == node(e, a);
  }
  KOKKOS_FUNCTION void ends(index_t e, int a, index_t& low, index_t& high) const {
    using Simplex = mesh::Simplex<Dim>;
    const index_t one = node(e, a <= Dim ? a : Simplex::edge_begin(a - Dim - 1));
    const index_t other = node(e, a <= Dim ? a : Simplex::edge_end(a - Dim - 1));
    low = one < other ? one : other;
    high = one < other ? other : one;
  }
  KOKKOS_FUNCTION std::int64_t id(index_t low, index_t high) const {
    return static_cast<std::int64_t>(vertices.numbers(low)) << 31 | vertices.numbers(high);
  }
};

/// One more than the largest regular unknown at vertices below `end`; 0 if there is none.
template <int Dim, class Space> struct UnknownsBelow {
  NamedNodes<Dim, Space> named;
  index_t n_regular;
  index_t end;
  KOKKOS_FUNCTION void operator()(index_t e, index_t& found) const {
    for (int a = 0; a < named.nodes_per_element; ++a) {
      index_t low = 0;
      index_t high = 0;
      named.ends(e, a, low, high);
      const index_t dof = named.dof(e, a);
      if (low < end && dof < n_regular && dof + 1 > found)
        found = dof + 1;
    }
  }
};

/// The same for order 1, whose nodes are the vertices.
template <class Space> struct UnknownsBelowVertex {
  Array<const index_t*, Space> node_dof;
  index_t n_regular;
  KOKKOS_FUNCTION void operator()(index_t vertex, index_t& found) const {
    const index_t dof = node_dof(vertex);
    if (dof < n_regular && dof + 1 > found)
      found = dof + 1;
  }
};

/// Marks owned nodes with fixed values; elements that share a node mark it repeatedly.
template <int Dim, class Space> struct MarkOwnedFixed {
  NamedNodes<Dim, Space> named;
  index_t n_free;
  Array<index_t*, Space> marks; // by node
  KOKKOS_FUNCTION void operator()(index_t e) const {
    const index_t first = named.vertices.first_owned;
    for (int a = 0; a < named.nodes_per_element; ++a) {
      index_t low = 0;
      index_t high = 0;
      named.ends(e, a, low, high);
      if (low >= first && low < first + named.vertices.n_owned && named.dof(e, a) >= n_free)
        Kokkos::atomic_fetch_max(&marks(named.node(e, a)), index_t(1)); // several threads write the same value
    }
  }
};
template <class Space> struct AddMarks {
  Array<const index_t*, Space> marks;
  KOKKOS_FUNCTION void operator()(std::int64_t n, std::int64_t& sum) const { sum += marks(n); }
};

/// Names and owners of the regular unknowns, other than owned ones, of elements at surrounded vertices.
template <int Dim, class Space> struct WriteGhostIds {
  NamedNodes<Dim, Space> named;
  index_t n_regular;
  OwnedUnknowns owned;
  Array<std::int64_t*, Space> ids; // [n_free]
  Array<int*, Space> owners;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    bool is_known = false;
    for (int a = 0; a <= Dim; ++a)
      is_known = is_known || is_surrounded(named.node(e, a));
    for (int a = 0; a < named.nodes_per_element && is_known; ++a) {
      const index_t dof = named.dof(e, a);
      if (dof >= n_regular || (dof >= owned.first && dof < owned.end) || !named.has_id(e, a))
        continue;
      index_t low = 0;
      index_t high = 0;
      named.ends(e, a, low, high);
      Kokkos::atomic_exchange(&ids(dof), named.id(low, high)); // several threads write the same value
      Kokkos::atomic_exchange(&owners(dof), named.vertices.owner(low));
    }
  }

private:
  KOKKOS_FUNCTION bool is_surrounded(index_t vertex) const {
    const PartVertices<Space>& vertices = named.vertices;
    if (vertices.is_surrounded.extent(0) > 0)
      return vertices.is_surrounded(vertex) == 1;
    return vertex >= vertices.first_owned && vertex < vertices.first_owned + vertices.n_owned;
  }
};

template <class Space> struct GatherIds {
  Array<const index_t*, Space> unknowns;
  Array<const std::int64_t*, Space> ids;
  Array<const int*, Space> owners;
  Array<std::int64_t*, Space> id; // of each unknown in the list
  Array<int*, Space> owner;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    id(i) = ids(unknowns(i));
    owner(i) = owners(unknowns(i));
  }
};

/// Lower vertex of an identifier, a global index.
template <class Space> struct LowerVertex {
  Array<const std::int64_t*, Space> ids;
  KOKKOS_FUNCTION index_t operator()(index_t k) const { return static_cast<index_t>(ids(k) >> 31); }
};

/// Finds the requests at owned vertices, so that only few nodes of elements have to be searched for.
template <class Space> struct FindRequested {
  PartVertices<Space> vertices;
  RequestedNumbers<Space> lower;
  Array<index_t*, Space> first; // first request at each owned vertex; -1: none
  KOKKOS_FUNCTION void operator()(index_t i) const {
    const index_t number = vertices.numbers(vertices.first_owned + i);
    const index_t position = lower.position_of(number);
    first(i) = lower.is_at(position, number) ? position : -1;
  }
};

/// Answers requests by identifier with owned unknowns, counted from the first owned one.
template <int Dim, class Space> struct Answer {
  NamedNodes<Dim, Space> named;
  OwnedUnknowns owned;
  FindRequested<Space> found;
  Array<const std::int64_t*, Space> requested;
  Array<std::int64_t*, Space> answers;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    const PartVertices<Space>& vertices = named.vertices;
    for (int a = 0; a < named.nodes_per_element; ++a) {
      index_t low = 0;
      index_t high = 0;
      named.ends(e, a, low, high);
      const bool is_owned = low >= vertices.first_owned && low < vertices.first_owned + vertices.n_owned;
      index_t position = is_owned ? found.first(low - vertices.first_owned) : -1;
      if (position < 0)
        continue;
      const index_t dof = named.dof(e, a);
      if (dof < owned.first || dof >= owned.end || !named.has_id(e, a))
        continue;
      const std::int64_t id = named.id(low, high);
      for (; found.lower.is_at(position, vertices.numbers(low)); ++position) {
        const std::int32_t k = found.lower.order(position);
        if (requested(k) == id)
          // several threads write the same value
          Kokkos::atomic_exchange(&answers(k), static_cast<std::int64_t>(dof - owned.first));
      }
    }
  }
};

template <int Dim, class Space>
NamedNodes<Dim, Space> named_nodes(const DofMap<Space>& dofs, const ElementTable<Space>& table,
                                   const PartVertices<Space>& vertices) {
  return {table.nodes, table.nodes_per_element, dofs.node_dof, dofs.node_source, vertices};
}

template <int Dim, class ExecutionSpace>
index_t unknowns_below(const ExecutionSpace& exec, const DofMap<typename ExecutionSpace::memory_space>& dofs,
                       const ElementTable<typename ExecutionSpace::memory_space>& table,
                       const PartVertices<typename ExecutionSpace::memory_space>& vertices, index_t end) {
  using Space = typename ExecutionSpace::memory_space;
  index_t found = 0;
  const auto reduce = [&](index_t n, const auto& functor) {
    Kokkos::parallel_reduce("tessera::fe::unknowns_below",
                            Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n), functor,
                            Kokkos::Max<index_t>(found));
    exec.fence();
  };
  if (table.nodes_per_element == Dim + 1)
    reduce(end, UnknownsBelowVertex<Space>{dofs.node_dof, dofs.n_regular});
  else
    reduce(table.n_elements(), UnknownsBelow<Dim, Space>{named_nodes<Dim>(dofs, table, vertices), dofs.n_regular, end});
  return std::max(found, index_t(0)); // the reduction's initial value if there are no elements
}

template <int Dim, class ExecutionSpace>
std::vector<std::int64_t> numbers_by_owners(const ExecutionSpace& exec, const comm::Communicator& world,
                                            const DofMap<typename ExecutionSpace::memory_space>& dofs,
                                            const ElementTable<typename ExecutionSpace::memory_space>& table,
                                            const PartVertices<typename ExecutionSpace::memory_space>& vertices,
                                            const OwnedUnknowns& owned, const std::vector<std::int64_t>& offsets,
                                            const std::vector<std::int64_t>& unknowns) {
  using Space = typename ExecutionSpace::memory_space;
  const auto named = named_nodes<Dim>(dofs, table, vertices);
  const auto ids = make_filled<Array<std::int64_t*, Space>>(exec, "fe::ids_of_ghosts", dofs.n_free, -1);
  const auto owners = make_filled<Array<int*, Space>>(exec, "fe::owners_of_ghosts", dofs.n_free, 0);
  for_each("tessera::fe::name_ghosts", exec, table.n_elements(),
           WriteGhostIds<Dim, Space>{named, dofs.n_regular, owned, ids, owners});
  const std::size_t n_unknowns = unknowns.size();
  const auto numbers_here =
      uploaded(exec, "fe::unknowns_of_others", std::vector<index_t>(unknowns.begin(), unknowns.end()));
  const auto ids_of_these = make_array<Array<std::int64_t*, Space>>(exec, "fe::ids_of_others", n_unknowns);
  const auto owners_of_these = make_array<Array<int*, Space>>(exec, "fe::owners_of_others", n_unknowns);
  for_each("tessera::fe::gather_names", exec, static_cast<std::int64_t>(n_unknowns),
           GatherIds<Space>{numbers_here, ids, owners, ids_of_these, owners_of_these});
  const auto id = tessera::to_host(exec, ids_of_these);
  const auto owner = tessera::to_host(exec, owners_of_these);
  std::vector<std::vector<std::int64_t>> wanted(static_cast<std::size_t>(world.size()));
  for (std::size_t i = 0; i < n_unknowns; ++i)
    if (id(i) >= 0)
      wanted[static_cast<std::size_t>(owner(i))].push_back(id(i));
  std::vector<std::vector<std::int64_t>> requested = world.exchange_lists(wanted);

  std::vector<std::int64_t> all_requested;
  for (const std::vector<std::int64_t>& list : requested)
    all_requested.insert(all_requested.end(), list.begin(), list.end());
  const Array<const std::int64_t*, Space> requested_ids = uploaded(exec, "fe::requested_ids", all_requested);
  const auto found = make_filled<Array<std::int64_t*, Space>>(exec, "fe::answers", all_requested.size(), -1);
  const FindRequested<Space> positions{
      vertices, order_requested(exec, all_requested.size(), LowerVertex<Space>{requested_ids}),
      make_array<Array<index_t*, Space>>(exec, "fe::requested_positions", vertices.n_owned)};
  for_each("tessera::fe::find_requested", exec, vertices.n_owned, positions);
  for_each("tessera::fe::answer", exec, table.n_elements(),
           Answer<Dim, Space>{named, owned, positions, requested_ids, found});
  const auto answers = tessera::to_host(exec, found);
  std::size_t position = 0;
  for (std::vector<std::int64_t>& list : requested)
    for (std::int64_t& entry : list) {
      entry = answers(position++);
      TESSERA_REQUIRE(entry >= 0, "A process was asked for an unknown that it does not have.");
    }
  const std::vector<std::vector<std::int64_t>> numbers = world.exchange_lists(requested);

  std::vector<std::int64_t> result;
  std::vector<std::size_t> next(numbers.size(), 0);
  std::int64_t last = -1;
  for (std::size_t i = 0; i < n_unknowns; ++i) {
    if (unknowns[i] >= dofs.n_regular) { // tied: among the last unknowns of all
      result.push_back(offsets.back() - (dofs.n_free - unknowns[i]));
      continue;
    }
    if (id(i) < 0) {
      result.push_back(-1);
      continue;
    }
    const auto process = static_cast<std::size_t>(owner(i));
    result.push_back(offsets[process] + numbers[process][next[process]++]);
    TESSERA_REQUIRE(result.back() > last, "Ghosts are not in the order of all unknowns.");
    last = result.back();
  }
  return result;
}

} // namespace

template <class ExecutionSpace>
OwnedUnknowns find_owned_unknowns(const ExecutionSpace& exec, const DofMap<typename ExecutionSpace::memory_space>& dofs,
                                  const ElementTable<typename ExecutionSpace::memory_space>& table, int dimension,
                                  const PartVertices<typename ExecutionSpace::memory_space>& vertices) {
  const auto below = [&](index_t end) {
    return dimension == 2 ? unknowns_below<2>(exec, dofs, table, vertices, end)
                          : unknowns_below<3>(exec, dofs, table, vertices, end);
  };
  const index_t first = below(vertices.first_owned);
  return {first, vertices.is_last ? dofs.n_free : std::max(first, below(vertices.first_owned + vertices.n_owned))};
}

template <class ExecutionSpace>
std::int64_t count_owned_fixed(const ExecutionSpace& exec, const DofMap<typename ExecutionSpace::memory_space>& dofs,
                               const ElementTable<typename ExecutionSpace::memory_space>& table, int dimension,
                               const PartVertices<typename ExecutionSpace::memory_space>& vertices) {
  using Space = typename ExecutionSpace::memory_space;
  const auto n_nodes = static_cast<std::int64_t>(dofs.node_dof.extent(0));
  const auto marks = make_filled<Array<index_t*, Space>>(exec, "fe::owned_fixed", n_nodes, 0);
  const auto mark = [&](auto dim) {
    constexpr int Dim = decltype(dim)::value;
    for_each("tessera::fe::mark_owned_fixed", exec, table.n_elements(),
             MarkOwnedFixed<Dim, Space>{named_nodes<Dim>(dofs, table, vertices), dofs.n_free, marks});
  };
  if (dimension == 2)
    mark(std::integral_constant<int, 2>());
  else
    mark(std::integral_constant<int, 3>());
  std::int64_t count = 0;
  Kokkos::parallel_reduce("tessera::fe::count_owned_fixed",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, n_nodes),
                          AddMarks<Space>{marks}, count);
  exec.fence();
  return count;
}

template <class ExecutionSpace>
std::vector<std::int64_t> number_ghosts(const ExecutionSpace& exec, const comm::Communicator& world,
                                        const DofMap<typename ExecutionSpace::memory_space>& dofs,
                                        const ElementTable<typename ExecutionSpace::memory_space>& table, int dimension,
                                        const PartVertices<typename ExecutionSpace::memory_space>& vertices,
                                        const OwnedUnknowns& owned, const std::vector<std::int64_t>& offsets,
                                        const std::vector<std::int64_t>& unknowns) {
  return dimension == 2 ? numbers_by_owners<2>(exec, world, dofs, table, vertices, owned, offsets, unknowns)
                        : numbers_by_owners<3>(exec, world, dofs, table, vertices, owned, offsets, unknowns);
}

template <class ExecutionSpace>
PartUnknowns number_others(const ExecutionSpace& exec, const comm::Communicator& world,
                           const DofMap<typename ExecutionSpace::memory_space>& dofs,
                           const ElementTable<typename ExecutionSpace::memory_space>& table, int dimension,
                           const PartVertices<typename ExecutionSpace::memory_space>& vertices,
                           const OwnedUnknowns& owned, const std::vector<std::int64_t>& offsets) {
  std::vector<std::int64_t> unknowns;
  for (index_t dof = 0; dof < owned.first; ++dof)
    unknowns.push_back(dof);
  for (index_t dof = owned.end; dof < dofs.n_free; ++dof)
    unknowns.push_back(dof);
  return {owned, number_ghosts(exec, world, dofs, table, dimension, vertices, owned, offsets, unknowns)};
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template PartUnknowns number_others(                                                                                 \
      const SPACE&, const comm::Communicator&, const DofMap<typename SPACE::memory_space>&,                            \
      const ElementTable<typename SPACE::memory_space>&, int, const PartVertices<typename SPACE::memory_space>&,       \
      const OwnedUnknowns&, const std::vector<std::int64_t>&);                                                         \
  template OwnedUnknowns find_owned_unknowns(const SPACE&, const DofMap<typename SPACE::memory_space>&,                \
                                             const ElementTable<typename SPACE::memory_space>&, int,                   \
                                             const PartVertices<typename SPACE::memory_space>&);                       \
  template std::int64_t count_owned_fixed(const SPACE&, const DofMap<typename SPACE::memory_space>&,                   \
                                          const ElementTable<typename SPACE::memory_space>&, int,                      \
                                          const PartVertices<typename SPACE::memory_space>&);                          \
  template std::vector<std::int64_t> number_ghosts(                                                                    \
      const SPACE&, const comm::Communicator&, const DofMap<typename SPACE::memory_space>&,                            \
      const ElementTable<typename SPACE::memory_space>&, int, const PartVertices<typename SPACE::memory_space>&,       \
      const OwnedUnknowns&, const std::vector<std::int64_t>&, const std::vector<std::int64_t>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)

} // namespace tessera::fe
