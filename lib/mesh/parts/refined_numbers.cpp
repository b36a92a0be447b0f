// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/parts/refined_numbers.hpp"

#include "core/keep_alive.hpp"
#include "core/transfer/rows_on_host.hpp"
#include "core/transfer/upload.hpp"

#include <algorithm>
#include <array>

namespace tessera::mesh {

namespace {

template <int Dim, class Space> struct WriteCoarsestIds {
  Array<const index_t*, Space> numbers;
  NodeIds<Dim, Space> ids;
  KOKKOS_FUNCTION void operator()(index_t node) const {
    ids(node, 0) = id_of_coarsest(numbers(node), 0);
    for (int k = 1; k <= Dim; ++k)
      ids(node, k) = 0;
  }
};

/// The sum of the parents' identifiers.
template <int Dim, class Space> struct WriteChildIds {
  Array<const index_t* [2], Space> parents;
  NodeIds<Dim, Space> coarse;
  NodeIds<Dim, Space> fine;
  KOKKOS_FUNCTION static std::int64_t number(std::int64_t entry) { return entry == 0 ? -1 : entry >> 32; }
  KOKKOS_FUNCTION void operator()(index_t node) const {
    int i = 0;
    int j = 0;
    for (int k = 0; k <= Dim; ++k) {
      const std::int64_t a = i <= Dim ? coarse(parents(node, 0), i) : 0;
      const std::int64_t b = j <= Dim ? coarse(parents(node, 1), j) : 0;
      std::int64_t sum = 0;
      if (number(a) >= number(b)) {
        sum = a;
        ++i;
      }
      if (number(b) >= number(a)) {
        sum = number(a) == number(b) && a != 0 ? a + (b & 0xffffffff) : b;
        ++j;
      }
      fine(node, k) = sum;
    }
  }
};

/// Finds owned nodes by identifier, counted from the first owned one.
template <int Dim, class Space> struct FindIds {
  NodeIds<Dim, Space> ids;
  index_t first_owned;
  Array<const std::int64_t*, Space> requested; // ascending, Dim + 1 entries each
  std::int64_t n_requested;
  Array<index_t*, Space> answers;
  KOKKOS_FUNCTION bool is_below(std::int64_t k, index_t node) const { // whether the k-th request is below the node
    for (int d = 0; d <= Dim; ++d)
      if (requested(k * (Dim + 1) + d) != ids(node, d))
        return requested(k * (Dim + 1) + d) < ids(node, d);
    return false;
  }
  KOKKOS_FUNCTION bool is_same(std::int64_t k, index_t node) const {
    bool same = true;
    for (int d = 0; d <= Dim; ++d)
      same = same && requested(k * (Dim + 1) + d) == ids(node, d);
    return same;
  }
  KOKKOS_FUNCTION void operator()(index_t i) const {
    std::int64_t first = 0;
    std::int64_t end = n_requested;
    while (first < end) {
      const std::int64_t middle = (first + end) / 2;
      if (is_below(middle, first_owned + i))
        first = middle + 1;
      else
        end = middle;
    }
    if (first < n_requested && is_same(first, first_owned + i))
      answers(first) = i;
  }
};

template <class Space> struct FillNumbers {
  index_t first_owned;
  index_t n_owned;
  std::int64_t offset;
  Array<const index_t*, Space> others;
  Array<index_t*, Space> numbers;
  KOKKOS_FUNCTION void operator()(index_t node) const {
    if (node < first_owned)
      numbers(node) = others(node);
    else if (node < first_owned + n_owned)
      numbers(node) = static_cast<index_t>(offset + (node - first_owned));
    else
      numbers(node) = others(node - n_owned);
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
NodeIds<Dim, typename ExecutionSpace::memory_space>
make_node_ids(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
              const Array<const index_t*, ExecutionSpace>& coarsest) {
  using Space = typename ExecutionSpace::memory_space;
  using Ids = NodeIds<Dim, Space>;
  Ids ids = make_array<Ids>(exec, "mesh::node_names", coarsest.extent(0));
  for_each("tessera::mesh::name_coarsest", exec, static_cast<std::int64_t>(coarsest.extent(0)),
           WriteCoarsestIds<Dim, Space>{coarsest, ids});
  for (auto parents = mesh.node_parents.rbegin(); parents != mesh.node_parents.rend(); ++parents) {
    const Ids fine = make_array<Ids>(exec, "mesh::node_names", parents->extent(0));
    for_each("tessera::mesh::name_children", exec, static_cast<std::int64_t>(parents->extent(0)),
             WriteChildIds<Dim, Space>{*parents, ids, fine});
    keep_alive(exec, ids);
    ids = fine;
  }
  return ids;
}

template <class ExecutionSpace, int Dim>
Array<index_t*, ExecutionSpace> number_nodes(const ExecutionSpace& exec, const comm::Communicator& world,
                                             const NodeIds<Dim, typename ExecutionSpace::memory_space>& ids,
                                             const Array<int*, ExecutionSpace>& owner, index_t first_owned,
                                             index_t n_owned) {
  using Space = typename ExecutionSpace::memory_space;
  using Id = std::array<std::int64_t, Dim + 1>;
  const auto n = static_cast<index_t>(ids.extent(0));
  const std::vector<std::int64_t> offsets = world.offsets_of(n_owned);
  checked_index(offsets.back(), "nodes of all processes");

  std::vector<index_t> others;
  for (index_t i = 0; i < first_owned; ++i)
    others.push_back(i);
  for (index_t i = first_owned + n_owned; i < n; ++i)
    others.push_back(i);
  const auto ids_of_others = rows_on_host(exec, ids, others);
  const auto owner_of_others = rows_on_host(exec, owner, others);
  std::vector<std::vector<std::int64_t>> wanted(static_cast<std::size_t>(world.size()));
  for (std::size_t i = 0; i < others.size(); ++i)
    for (int d = 0; d <= Dim; ++d)
      wanted[static_cast<std::size_t>(owner_of_others(i))].push_back(ids_of_others(i, d));
  const std::vector<std::vector<std::int64_t>> requested = world.exchange_lists(wanted);

  const auto id_at = [](const std::vector<std::int64_t>& list, std::size_t i) {
    Id id;
    std::copy_n(list.begin() + static_cast<std::ptrdiff_t>(i * id.size()), id.size(), id.begin());
    return id;
  };
  std::vector<Id> sorted;
  for (const std::vector<std::int64_t>& list : requested)
    for (std::size_t i = 0; i < list.size() / (Dim + 1); ++i)
      sorted.push_back(id_at(list, i));
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<std::int64_t> entries;
  for (const Id& id : sorted)
    entries.insert(entries.end(), id.begin(), id.end());
  const auto found = make_filled<Array<index_t*, Space>>(exec, "mesh::found_names", sorted.size(), -1);
  const auto requested_ids = uploaded(exec, "mesh::requested_ids", entries);
  for_each("tessera::mesh::find_names", exec, n_owned,
           FindIds<Dim, Space>{ids, first_owned, requested_ids, static_cast<std::int64_t>(sorted.size()), found});
  const auto answers = tessera::to_host(exec, found);
  std::vector<std::vector<std::int64_t>> replies(requested.size());
  for (std::size_t r = 0; r < requested.size(); ++r)
    for (std::size_t i = 0; i < requested[r].size() / (Dim + 1); ++i) {
      const auto position = std::lower_bound(sorted.begin(), sorted.end(), id_at(requested[r], i)) - sorted.begin();
      TESSERA_REQUIRE(answers(position) >= 0, "A process was asked for a node that it does not have.");
      replies[r].push_back(answers(position));
    }
  const std::vector<std::vector<std::int64_t>> numbers = world.exchange_lists(replies);

  std::vector<index_t> numbers_of_others;
  std::vector<std::size_t> next(numbers.size(), 0);
  for (std::size_t i = 0; i < others.size(); ++i) {
    const auto process = static_cast<std::size_t>(owner_of_others(i));
    numbers_of_others.push_back(static_cast<index_t>(offsets[process] + numbers[process][next[process]++]));
  }
  const auto result = make_array<Array<index_t*, ExecutionSpace>>(exec, "mesh::original_node", n);
  const auto uploaded_numbers = uploaded(exec, "mesh::numbers_of_others", numbers_of_others);
  for_each("tessera::mesh::fill_numbers", exec, n,
           FillNumbers<Space>{first_owned, n_owned, offsets[static_cast<std::size_t>(world.rank())], uploaded_numbers,
                              result});
  keep_alive(exec, uploaded_numbers);
  return result;
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template NodeIds<DIM, SPACE::memory_space> make_node_ids<SPACE, DIM>(                                                \
      const SPACE&, const Mesh<DIM, SPACE::memory_space>&, const Array<const index_t*, SPACE>&);                       \
  template Array<index_t*, SPACE> number_nodes<SPACE, DIM>(const SPACE&, const comm::Communicator&,                    \
                                                           const NodeIds<DIM, SPACE::memory_space>&,                   \
                                                           const Array<int*, SPACE>&, index_t, index_t);
#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  TESSERA_INSTANTIATE_DIM(SPACE, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::mesh
