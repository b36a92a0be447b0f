// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "mesh/refine/nested_nodes.hpp"

#include "core/keep_alive.hpp"
#include "core/tagged_loop.hpp"

namespace tessera::mesh {

namespace {

template <class Space> struct Nest {
  NestedNodes<Space> nested;
  int level = 0;
  Array<const index_t* [2], Space> parents; // of the level's nodes, among those of the next coarser level
  Array<index_t*, Space> node;              // index in the finest mesh of each of the level's nodes
  Array<index_t*, Space> coarse;            // the same for the next coarser level

  struct Keep {};
  struct SetParents {};

  KOKKOS_FUNCTION bool is_kept(index_t n) const { return parents(n, 0) == parents(n, 1); }
  KOKKOS_FUNCTION void operator()(Keep, index_t n) const {
    if (!is_kept(n))
      return;
    const index_t finest = level == 0 ? n : node(n);
    coarse(parents(n, 0)) = finest;
    nested.n_coarser(finest) = level + 1;
  }
  KOKKOS_FUNCTION void operator()(SetParents, index_t n) const {
    for (int k = 0; k < 2 && !is_kept(n); ++k)
      nested.parents(level == 0 ? n : node(n), k) = coarse(parents(n, k));
  }
};

template <class Space> struct CountKept {
  Array<const index_t* [2], Space> parents;
  KOKKOS_FUNCTION void operator()(index_t n, index_t& count) const { count += parents(n, 0) == parents(n, 1) ? 1 : 0; }
};

} // namespace

template <class ExecutionSpace>
NestedNodes<typename ExecutionSpace::memory_space>
nest_nodes(const ExecutionSpace& exec,
           const std::vector<Array<index_t* [2], typename ExecutionSpace::memory_space>>& node_parents) {
  using Space = typename ExecutionSpace::memory_space;
  using Work = Nest<Space>;
  using Numbers = Array<index_t*, Space>;
  NestedNodes<Space> nested;
  if (node_parents.empty())
    return nested;
  nested.n_levels = static_cast<int>(node_parents.size());
  nested.n_coarser = make_filled<Numbers>(exec, "mesh::coarser_meshes", node_parents.front().extent(0), 0);
  nested.parents =
      make_filled<Array<index_t* [2], Space>>(exec, "mesh::nested_parents", node_parents.front().extent(0), -1);
  Work work;
  work.nested = nested;
  std::vector<Numbers> in_use;
  for (std::size_t l = 0; l < node_parents.size(); ++l) {
    const auto n = static_cast<index_t>(node_parents[l].extent(0));
    work.parents = node_parents[l];
    index_t n_coarse = 0;
    if (l + 1 < node_parents.size())
      n_coarse = static_cast<index_t>(node_parents[l + 1].extent(0));
    else
      Kokkos::parallel_reduce("tessera::mesh::count_coarse_nodes",
                              Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, 0, n),
                              CountKept<Space>{work.parents}, n_coarse); // waits
    work.coarse = make_array<Numbers>(exec, "mesh::coarse_nodes", n_coarse);
    for_each_tagged<typename Work::Keep>("tessera::mesh::keep_nodes", exec, n, work);
    for_each_tagged<typename Work::SetParents>("tessera::mesh::set_parents", exec, n, work);
    in_use.push_back(work.coarse);
    work.node = work.coarse;
    ++work.level;
  }
  keep_alive(exec, in_use);
  return nested;
}

#define TESSERA_INSTANTIATE(SPACE)                                                                                     \
  template NestedNodes<SPACE::memory_space> nest_nodes(const SPACE&,                                                   \
                                                       const std::vector<Array<index_t* [2], SPACE::memory_space>>&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

} // namespace tessera::mesh
