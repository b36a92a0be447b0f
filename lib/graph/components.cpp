// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#include "graph/components.hpp"

#include "graph/disjoint_sets.hpp"

namespace tessera::graph {

namespace {

/// The initial parent of each vertex is its smallest neighbour, if smaller than the vertex: few roots remain to be
/// hooked.
template <int Width, class Space> struct FirstParents {
  Neighbours<Width, Space> neighbours;
  Array<const index_t*, Space> parts;
  Array<index_t*, Space> parents;
  KOKKOS_FUNCTION void operator()(index_t v) const {
    index_t parent = v;
    for (int k = 0; k < Width; ++k) {
      const index_t other = neighbours.table(v, k);
      if (other >= 0 && other < parent && parts(other) == parts(v))
        parent = other;
    }
    parents(v) = parent;
  }
};

template <int Width, class Space> struct HookRoots {
  Neighbours<Width, Space> neighbours;
  Array<const index_t*, Space> parts;
  DisjointSets<Space> sets;
  KOKKOS_FUNCTION void operator()(index_t v) const {
    for (int k = 0; k < Width; ++k) {
      const index_t other = neighbours.table(v, k);
      if (other >= 0 && other <= v && parts(other) == parts(v))
        sets.join(v, other);
    }
  }
};

template <class Space> struct FollowParents {
  DisjointSets<Space> sets;
  Array<index_t*, Space> root;
  KOKKOS_FUNCTION void operator()(index_t v) const { root(v) = sets.root_of(v); }
};

} // namespace

template <class ExecutionSpace, int Width>
void find_components(const ExecutionSpace& exec,
                     const Neighbours<Width, typename ExecutionSpace::memory_space>& neighbours,
                     const Array<const index_t*, ExecutionSpace>& parts, const Array<index_t*, ExecutionSpace>& parents,
                     const Array<index_t*, ExecutionSpace>& root) {
  using Space = typename ExecutionSpace::memory_space;
  const index_t n = neighbours.n_vertices();
  for_each("tessera::graph::first_parents", exec, n, FirstParents<Width, Space>{neighbours, parts, parents});
  for_each("tessera::graph::hook_roots", exec, n, HookRoots<Width, Space>{neighbours, parts, {parents}});
  for_each("tessera::graph::follow_parents", exec, n, FollowParents<Space>{{parents}, root});
}

#define TESSERA_INSTANTIATE_WIDTH(Space, Width)                                                                        \
  template void find_components(const Space&, const Neighbours<Width, Space::memory_space>&,                           \
                                const Array<const index_t*, Space>&, const Array<index_t*, Space>&,                    \
                                const Array<index_t*, Space>&);
#define TESSERA_INSTANTIATE(Space)                                                                                     \
  TESSERA_INSTANTIATE_WIDTH(Space, 3)                                                                                  \
  TESSERA_INSTANTIATE_WIDTH(Space, 4)
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE
#undef TESSERA_INSTANTIATE_WIDTH

} // namespace tessera::graph
