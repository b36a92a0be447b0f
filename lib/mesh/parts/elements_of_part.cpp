// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/parts/elements_of_part.hpp"

#include "core/algorithms/ascending.hpp"
#include "core/algorithms/lower_bound.hpp"
#include "core/algorithms/mix_bits.hpp"
#include "core/algorithms/sort.hpp"
#include "core/assert.hpp"
#include "core/keep_alive.hpp"
#include "core/transfer/upload.hpp"
#include "mesh/ordering.hpp"
#include "mesh/parts/part_selection.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tessera::mesh {

namespace {

template <int Dim, class Elements> KOKKOS_FUNCTION index_t lowest_node(const Elements& elements, index_t e) {
  index_t lowest = elements(e, 0);
  for (int a = 1; a <= Dim; ++a)
    lowest = elements(e, a) < lowest ? elements(e, a) : lowest;
  return lowest;
}

template <int Dim, class Space> struct LowestNodesOfElements {
  Array<const index_t * [Dim + 1], Space> elements;
  Array<std::uint32_t*, Space> keys;
  Array<index_t*, Space> order;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    keys(e) = static_cast<std::uint32_t>(lowest_node<Dim>(elements, e));
    order(e) = e;
  }
};
template <class Space> struct CountBelow {
  Array<const std::uint32_t*, Space> keys;
  std::uint32_t end;
  KOKKOS_FUNCTION void operator()(index_t e, index_t& count) const { count += keys(e) < end ? 1 : 0; }
};

/// Sorts the elements; returns how many have a lowest node before `end`.
template <class ExecutionSpace, int Dim>
index_t sort_elements(const ExecutionSpace& exec, index_t end, Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n = mesh.n_elements();
  const auto keys = make_array<Array<std::uint32_t*, Space>>(exec, "mesh::lowest_node_keys", n);
  const auto order = make_array<Array<index_t*, Space>>(exec, "mesh::element_order", n);
  for_each("tessera::mesh::lowest_nodes_of_elements", exec, n,
           LowestNodesOfElements<Dim, Space>{mesh.elements, keys, order});
  index_t n_below = 0;
  Kokkos::parallel_reduce("tessera::mesh::elements_below",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n),
                          CountBelow<Space>{keys, static_cast<std::uint32_t>(end)}, n_below);
  exec.fence();
  sort_by_key(exec, keys, order, n, bits_for(mesh.n_nodes()));
  const auto nodes = ascending(exec, "mesh::node_order", mesh.n_nodes());
  const bool has_nodes = mesh.original_node.extent(0) > 0;
  mesh = permute_mesh(exec, mesh, nodes, order);
  if (!has_nodes)
    mesh.original_node = {}; // unchanged
  keep_alive(exec, keys, order, nodes);
  return n_below;
}

/// Global indices of an element's nodes, ascending, which identify the element.
template <int Dim, class Space> struct ElementId {
  Array<const index_t * [Dim + 1], Space> elements;
  Array<const index_t*, Space> numbers;
  KOKKOS_FUNCTION void operator()(index_t e, index_t (&id)[Dim + 1]) const {
    for (int a = 0; a <= Dim; ++a) {
      const index_t number = numbers(elements(e, a));
      int b = a;
      for (; b > 0 && id[b - 1] > number; --b)
        id[b] = id[b - 1];
      id[b] = number;
    }
  }
};

/// Names of listed elements, and the owners of their lowest nodes.
template <int Dim, class Space> struct ListIds {
  ElementId<Dim, Space> id_of;
  Array<const int*, Space> node_owner;
  Array<const index_t*, Space> listed;
  Array<index_t * [Dim + 1], Space> ids;
  Array<int*, Space> owners;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    index_t id[Dim + 1];
    id_of(listed(i), id);
    for (int a = 0; a <= Dim; ++a)
      ids(i, a) = id[a];
    owners(i) = node_owner(lowest_node<Dim>(id_of.elements, listed(i)));
  }
};

/// Hashed identifiers of the requested elements, to be sorted.
template <int Dim, class Space> struct HashIds {
  Array<const index_t * [Dim + 1], Space> requested;
  Array<std::uint64_t*, Space> keys;
  Array<index_t*, Space> order;
  KOKKOS_FUNCTION static std::uint64_t hash(const index_t (&id)[Dim + 1]) {
    std::uint64_t key = 0;
    for (int a = 0; a <= Dim; ++a)
      key = mix_bits(key + static_cast<std::uint64_t>(id[a]) + 1);
    return key;
  }
  KOKKOS_FUNCTION void operator()(index_t i) const {
    index_t id[Dim + 1];
    for (int a = 0; a <= Dim; ++a)
      id[a] = requested(i, a);
    keys(i) = hash(id);
    order(i) = i;
  }
};

/// Finds the owned elements among the requested ones, which may be repeated.
template <int Dim, class Space> struct FindRequested {
  ElementId<Dim, Space> id_of;
  index_t first_owned;
  Array<const index_t*, Space> answered;
  Array<const index_t * [Dim + 1], Space> requested;
  Array<const std::uint64_t*, Space> keys; // ascending
  Array<const index_t*, Space> order;
  Array<index_t*, Space> found;
  KOKKOS_FUNCTION void operator()(index_t k) const {
    index_t id[Dim + 1];
    id_of(first_owned + k, id);
    const std::uint64_t key = HashIds<Dim, Space>::hash(id);
    const auto n = static_cast<index_t>(keys.extent(0));
    for (index_t position = lower_bound(keys, index_t(0), n, key); position < n && keys(position) == key; ++position) {
      const index_t i = order(position);
      bool is_same = true; // false: another identifier with the same key
      for (int a = 0; a <= Dim; ++a)
        is_same = is_same && requested(i, a) == id[a];
      if (is_same)
        found(i) = answered(k);
    }
  }
};

/// The polytope of each simplex of a part, whose owned simplices are contiguous.
template <class Space> struct NumberPolytopes {
  Array<const index_t*, Space> of_owned; // numbered from 0
  Array<const index_t*, Space> of_others;
  index_t first_owned_simplex;
  index_t first_owned;
  Array<index_t*, Space> element_of;
  KOKKOS_FUNCTION void operator()(index_t s) const {
    const auto n_owned = static_cast<index_t>(of_owned.extent(0));
    const index_t k = s - first_owned_simplex;
    element_of(s) = k < 0 ? of_others(s) : k < n_owned ? first_owned + of_owned(k) : of_others(s - n_owned);
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
Mesh<Dim, typename ExecutionSpace::memory_space>
sort_by_lowest_nodes(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh) {
  auto sorted = mesh;
  sort_elements<ExecutionSpace, Dim>(exec, 0, sorted);
  return sorted;
}

template <class ExecutionSpace, int Dim>
index_t sort_by_lowest_nodes(const ExecutionSpace& exec, MeshPart<Dim, typename ExecutionSpace::memory_space>& part) {
  using Space = typename ExecutionSpace::memory_space;
  const bool has_originals = part.mesh.original_element.extent(0) > 0;
  const index_t first = sort_elements<ExecutionSpace, Dim>(exec, part.first_owned, part.mesh);
  if (!has_originals)
    part.mesh.original_element = {};
  const auto n_owned = static_cast<index_t>(part.owned_elements.extent(0));
  const auto owned = make_array<Array<index_t*, Space>>(exec, "mesh::owned_elements", n_owned);
  const auto all = ascending(exec, "mesh::element_numbers", part.mesh.n_elements());
  copy(exec, owned, Kokkos::subview(all, std::make_pair(first, first + n_owned)));
  keep_alive(exec, all);
  part.owned_elements = owned;
  return first;
}

template <class ExecutionSpace, int Dim>
std::vector<OwnerAnswer> request_owners(const ExecutionSpace& exec, const comm::Communicator& world,
                                        const MeshPart<Dim, typename ExecutionSpace::memory_space>& part,
                                        index_t first_owned, const Array<const index_t*, ExecutionSpace>& answered,
                                        const std::vector<index_t>& elements) {
  using Space = typename ExecutionSpace::memory_space;
  using Ids = Array<index_t * [Dim + 1], Space>;
  constexpr std::size_t width = Dim + 1;
  const ElementId<Dim, Space> id_of{part.mesh.elements, part.mesh.original_node};
  const auto listed = uploaded(exec, "mesh::elements_of_others", elements);
  const auto ids = make_array<Ids>(exec, "mesh::ids_of_others", elements.size());
  const auto owners = make_array<Array<int*, Space>>(exec, "mesh::owners_of_others", elements.size());
  for_each("tessera::mesh::name_elements", exec, static_cast<index_t>(elements.size()),
           ListIds<Dim, Space>{id_of, part.owner, listed, ids, owners});
  const auto id = tessera::to_host(exec, ids);
  const auto owner = tessera::to_host(exec, owners);
  std::vector<std::vector<std::int64_t>> wanted(static_cast<std::size_t>(world.size()));
  for (std::size_t i = 0; i < elements.size(); ++i)
    for (std::size_t a = 0; a < width; ++a)
      wanted[static_cast<std::size_t>(owner(i))].push_back(id(i, a));
  const std::vector<std::vector<std::int64_t>> requested = world.exchange_lists(wanted);

  std::vector<index_t> flat;
  for (const std::vector<std::int64_t>& list : requested)
    flat.insert(flat.end(), list.begin(), list.end());
  const auto n_requested = static_cast<index_t>(flat.size() / width);
  const auto requested_ids = make_array<Ids>(exec, "mesh::requested_ids", n_requested);
  upload(exec, requested_ids, flat);
  const auto keys = make_array<Array<std::uint64_t*, Space>>(exec, "mesh::asked_keys", n_requested);
  const auto order = make_array<Array<index_t*, Space>>(exec, "mesh::asked_order", n_requested);
  for_each("tessera::mesh::hash_names", exec, n_requested, HashIds<Dim, Space>{requested_ids, keys, order});
  sort_by_key(exec, keys, order, n_requested, 64);
  const auto found = make_filled<Array<index_t*, Space>>(exec, "mesh::asked_elements", n_requested, -1);
  for_each("tessera::mesh::find_requested", exec, static_cast<index_t>(part.owned_elements.extent(0)),
           FindRequested<Dim, Space>{id_of, first_owned, answered, requested_ids, keys, order, found});
  const auto numbers = tessera::to_host(exec, found); // waits
  const index_t* next_number = numbers.data();
  std::vector<std::vector<std::int64_t>> answers;
  for (const std::vector<std::int64_t>& list : requested) {
    answers.emplace_back(next_number, next_number + list.size() / width);
    next_number += list.size() / width;
    TESSERA_REQUIRE(std::find_if(answers.back().begin(), answers.back().end(),
                                 [](std::int64_t number) { return number < 0; }) == answers.back().end(),
                    "A process was asked for an element that it does not have.");
  }
  const std::vector<std::vector<std::int64_t>> given = world.exchange_lists(answers);
  std::vector<OwnerAnswer> result;
  std::vector<std::size_t> next(given.size(), 0);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto process = static_cast<std::size_t>(owner(i));
    result.push_back({owner(i), static_cast<index_t>(given[process][next[process]++])});
  }
  return result;
}

template <class ExecutionSpace, int Dim>
PolytopesOfPart<ExecutionSpace>
polytopes_of_part(const ExecutionSpace& exec, const comm::Communicator& world,
                  const MeshPart<Dim, typename ExecutionSpace::memory_space>& part, index_t first_owned,
                  const Array<const index_t*, ExecutionSpace>& owned_element_of, index_t n_owned_elements) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t end_owned = first_owned + static_cast<index_t>(owned_element_of.extent(0));
  std::vector<index_t> requested;
  for (index_t s = 0; s < first_owned; ++s)
    requested.push_back(s);
  for (index_t s = end_owned; s < part.mesh.n_elements(); ++s)
    requested.push_back(s);
  const std::vector<OwnerAnswer> answered =
      request_owners<ExecutionSpace, Dim>(exec, world, part, first_owned, owned_element_of, requested);
  PolytopesOfPart<ExecutionSpace> result;
  result.others = answered;
  const auto is_less = [](const OwnerAnswer& a, const OwnerAnswer& b) {
    return a.owner != b.owner ? a.owner < b.owner : a.value < b.value;
  };
  const auto is_same = [](const OwnerAnswer& a, const OwnerAnswer& b) {
    return a.owner == b.owner && a.value == b.value;
  };
  std::vector<OwnerAnswer>& others = result.others;
  std::sort(others.begin(), others.end(), is_less);
  others.erase(std::unique(others.begin(), others.end(), is_same), others.end());
  const auto first_above = std::lower_bound(others.begin(), others.end(), OwnerAnswer{world.rank(), 0}, is_less);
  result.first_owned = static_cast<index_t>(first_above - others.begin());
  result.n_owned = n_owned_elements;
  result.numbers.n_elements = static_cast<index_t>(others.size()) + n_owned_elements;
  std::vector<index_t> of_others; // of the requested simplices
  for (const OwnerAnswer& answer : answered) {
    const auto position = std::lower_bound(others.begin(), others.end(), answer, is_less);
    of_others.push_back(static_cast<index_t>(position - others.begin()) +
                        (answer.owner < world.rank() ? 0 : n_owned_elements));
  }
  const auto element_of = make_array<Array<index_t*, Space>>(exec, "mesh::element_of", part.mesh.n_elements());
  const auto numbers_of_others = uploaded(exec, "mesh::polytopes_of_others", of_others);
  for_each("tessera::mesh::number_polytopes", exec, part.mesh.n_elements(),
           NumberPolytopes<Space>{owned_element_of, numbers_of_others, first_owned, result.first_owned, element_of});
  keep_alive(exec, numbers_of_others);
  result.numbers.element_of = element_of;
  return result;
}

std::vector<double> request_rows(const comm::Communicator& world, const std::vector<OwnerAnswer>& polytopes,
                                 std::size_t width, const OwnedRows& owned_rows) {
  std::vector<std::vector<std::int64_t>> wanted(static_cast<std::size_t>(world.size()));
  for (const OwnerAnswer& polytope : polytopes)
    wanted[static_cast<std::size_t>(polytope.owner)].push_back(polytope.value);
  std::vector<std::vector<std::int64_t>> requested = world.exchange_lists(wanted);
  std::vector<index_t> of_all;
  for (const std::vector<std::int64_t>& list : requested)
    of_all.insert(of_all.end(), list.begin(), list.end());
  const std::vector<double> rows_of_all = owned_rows(of_all);
  TESSERA_ASSERT(rows_of_all.size() == of_all.size() * width);
  const double* next_row = rows_of_all.data();
  for (std::vector<std::int64_t>& list : requested) {
    list.resize(list.size() * width);
    if (!list.empty())
      std::memcpy(list.data(), next_row, list.size() * sizeof(double));
    next_row += list.size();
  }
  const std::vector<std::vector<std::int64_t>> given = world.exchange_lists(requested);
  std::vector<double> rows(polytopes.size() * width);
  std::vector<std::size_t> next(given.size(), 0);
  for (std::size_t i = 0; i < polytopes.size(); ++i) {
    const auto process = static_cast<std::size_t>(polytopes[i].owner);
    std::memcpy(rows.data() + i * width, given[process].data() + width * next[process]++, width * sizeof(double));
  }
  return rows;
}

#define TESSERA_INSTANTIATE_DIM(Space, Dim)                                                                            \
  template Mesh<Dim, Space::memory_space> sort_by_lowest_nodes(const Space&, const Mesh<Dim, Space::memory_space>&);   \
  template index_t sort_by_lowest_nodes(const Space&, MeshPart<Dim, Space::memory_space>&);                            \
  template std::vector<OwnerAnswer> request_owners(const Space&, const comm::Communicator&,                            \
                                                   const MeshPart<Dim, Space::memory_space>&, index_t,                 \
                                                   const Array<const index_t*, Space>&, const std::vector<index_t>&);  \
  template PolytopesOfPart<Space> polytopes_of_part(const Space&, const comm::Communicator&,                           \
                                                    const MeshPart<Dim, Space::memory_space>&, index_t,                \
                                                    const Array<const index_t*, Space>&, index_t);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_DIM(Space, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(Space, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::mesh
