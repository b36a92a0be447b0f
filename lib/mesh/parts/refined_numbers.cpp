// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/parts/refined_numbers.hpp"

#include "core/keep_alive.hpp"
#include "core/rows_on_host.hpp"
#include "core/upload.hpp"

#include <algorithm>
#include <array>

namespace tessera::mesh {

namespace {

template <int Dim, class Space> struct NameCoarsest {
  Array<const index_t*, Space> numbers;
  NodeNames<Dim, Space> names;
  KOKKOS_FUNCTION void operator()(index_t node) const {
    names(node, 0) = name_of_coarsest(numbers(node), 0);
    for (int k = 1; k <= Dim; ++k)
      names(node, k) = 0;
  }
};

/// The sum of the parents' identifiers.
template <int Dim, class Space> struct NameChildren {
  Array<const index_t* [2], Space> parents;
  NodeNames<Dim, Space> coarse;
  NodeNames<Dim, Space> fine;
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
template <int Dim, class Space> struct FindNames {
  NodeNames<Dim, Space> names;
  index_t first_own;
  Array<const std::int64_t*, Space> asked; // ascending, Dim + 1 entries each
  std::int64_t n_asked;
  Array<index_t*, Space> answers;
  KOKKOS_FUNCTION bool is_below(std::int64_t k, index_t node) const { // whether the k-th request is below the node
    for (int d = 0; d <= Dim; ++d)
      if (asked(k * (Dim + 1) + d) != names(node, d))
        return asked(k * (Dim + 1) + d) < names(node, d);
    return false;
  }
  KOKKOS_FUNCTION bool is_same(std::int64_t k, index_t node) const {
    bool same = true;
    for (int d = 0; d <= Dim; ++d)
      same = same && asked(k * (Dim + 1) + d) == names(node, d);
    return same;
  }
  KOKKOS_FUNCTION void operator()(index_t i) const {
    std::int64_t first = 0;
    std::int64_t end = n_asked;
    while (first < end) {
      const std::int64_t middle = (first + end) / 2;
      if (is_below(middle, first_own + i))
        first = middle + 1;
      else
        end = middle;
    }
    if (first < n_asked && is_same(first, first_own + i))
      answers(first) = i;
  }
};

template <class Space> struct FillNumbers {
  index_t first_own;
  index_t n_own;
  std::int64_t offset;
  Array<const index_t*, Space> others;
  Array<index_t*, Space> numbers;
  KOKKOS_FUNCTION void operator()(index_t node) const {
    if (node < first_own)
      numbers(node) = others(node);
    else if (node < first_own + n_own)
      numbers(node) = static_cast<index_t>(offset + (node - first_own));
    else
      numbers(node) = others(node - n_own);
  }
};

} // namespace

template <class ExecutionSpace, int Dim>
NodeNames<Dim, typename ExecutionSpace::memory_space>
name_nodes(const ExecutionSpace& exec, const Mesh<Dim, typename ExecutionSpace::memory_space>& mesh,
           const Array<const index_t*, ExecutionSpace>& coarsest) {
  using Space = typename ExecutionSpace::memory_space;
  using Names = NodeNames<Dim, Space>;
  Names names = make_array<Names>(exec, "mesh::node_names", coarsest.extent(0));
  for_each("tessera::mesh::name_coarsest", exec, static_cast<std::int64_t>(coarsest.extent(0)),
           NameCoarsest<Dim, Space>{coarsest, names});
  for (auto parents = mesh.node_parents.rbegin(); parents != mesh.node_parents.rend(); ++parents) {
    const Names fine = make_array<Names>(exec, "mesh::node_names", parents->extent(0));
    for_each("tessera::mesh::name_children", exec, static_cast<std::int64_t>(parents->extent(0)),
             NameChildren<Dim, Space>{*parents, names, fine});
    keep_alive(exec, names);
    names = fine;
  }
  return names;
}

template <class ExecutionSpace, int Dim>
Array<index_t*, ExecutionSpace> number_nodes(const ExecutionSpace& exec, const comm::Communicator& world,
                                             const NodeNames<Dim, typename ExecutionSpace::memory_space>& names,
                                             const Array<int*, ExecutionSpace>& owner, index_t first_own,
                                             index_t n_own) {
  using Space = typename ExecutionSpace::memory_space;
  using Name = std::array<std::int64_t, Dim + 1>;
  const auto n = static_cast<index_t>(names.extent(0));
  const std::vector<std::int64_t> offsets = world.offsets_of(n_own);
  checked_index(offsets.back(), "nodes of all processes");

  std::vector<index_t> others;
  for (index_t i = 0; i < first_own; ++i)
    others.push_back(i);
  for (index_t i = first_own + n_own; i < n; ++i)
    others.push_back(i);
  const auto names_of_others = rows_on_host(exec, names, others);
  const auto owner_of_others = rows_on_host(exec, owner, others);
  std::vector<std::vector<std::int64_t>> wanted(static_cast<std::size_t>(world.size()));
  for (std::size_t i = 0; i < others.size(); ++i)
    for (int d = 0; d <= Dim; ++d)
      wanted[static_cast<std::size_t>(owner_of_others(i))].push_back(names_of_others(i, d));
  const std::vector<std::vector<std::int64_t>> asked = world.exchange_lists(wanted);

  const auto name_at = [](const std::vector<std::int64_t>& list, std::size_t i) {
    Name name;
    std::copy_n(list.begin() + static_cast<std::ptrdiff_t>(i * name.size()), name.size(), name.begin());
    return name;
  };
  std::vector<Name> sorted;
  for (const std::vector<std::int64_t>& list : asked)
    for (std::size_t i = 0; i < list.size() / (Dim + 1); ++i)
      sorted.push_back(name_at(list, i));
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<std::int64_t> entries;
  for (const Name& name : sorted)
    entries.insert(entries.end(), name.begin(), name.end());
  const auto found = make_filled<Array<index_t*, Space>>(exec, "mesh::found_names", sorted.size(), -1);
  const auto asked_names = uploaded(exec, "mesh::asked_names", entries);
  for_each("tessera::mesh::find_names", exec, n_own,
           FindNames<Dim, Space>{names, first_own, asked_names, static_cast<std::int64_t>(sorted.size()), found});
  const auto answers = tessera::to_host(exec, found);
  std::vector<std::vector<std::int64_t>> replies(asked.size());
  for (std::size_t r = 0; r < asked.size(); ++r)
    for (std::size_t i = 0; i < asked[r].size() / (Dim + 1); ++i) {
      const auto place = std::lower_bound(sorted.begin(), sorted.end(), name_at(asked[r], i)) - sorted.begin();
      TESSERA_REQUIRE(answers(place) >= 0, "A process was asked for a node that it does not have.");
      replies[r].push_back(answers(place));
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
  for_each(
      "tessera::mesh::fill_numbers", exec, n,
      FillNumbers<Space>{first_own, n_own, offsets[static_cast<std::size_t>(world.rank())], uploaded_numbers, result});
  keep_alive(exec, uploaded_numbers);
  return result;
}

#define TESSERA_INSTANTIATE_DIM(SPACE, DIM)                                                                            \
  template NodeNames<DIM, SPACE::memory_space> name_nodes<SPACE, DIM>(                                                 \
      const SPACE&, const Mesh<DIM, SPACE::memory_space>&, const Array<const index_t*, SPACE>&);                       \
  template Array<index_t*, SPACE> number_nodes<SPACE, DIM>(const SPACE&, const comm::Communicator&,                    \
                                                           const NodeNames<DIM, SPACE::memory_space>&,                 \
                                                           const Array<int*, SPACE>&, index_t, index_t);
#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  TESSERA_INSTANTIATE_DIM(SPACE, 2)                                                                                    \
  TESSERA_INSTANTIATE_DIM(SPACE, 3)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_DIM

} // namespace tessera::mesh
