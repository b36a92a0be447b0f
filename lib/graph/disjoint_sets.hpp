// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_GRAPH_DISJOINT_SETS_HPP
#define TESSERA_GRAPH_DISJOINT_SETS_HPP

#include "core/kokkos_ext/bits.hpp"
#include "core/parallel.hpp"

namespace tessera::graph {

/// Union-find for many threads, in the manner of J. Jaiganesh, M. Burtscher, A high-performance connected components
/// implementation for GPUs, HPDC 2018. join() hooks the larger of two roots to the smaller one, so that parents never
/// exceed their children and the last root of a set is its smallest member, whatever the order of threads.
template <class Space> struct DisjointSets {
  Array<index_t*, Space> parents; ///< [n_members], each initially its own parent

  /// Returns the root, shortening the path to it; a root's parent is not changed.
  KOKKOS_FUNCTION index_t find_root(index_t v) const {
    index_t parent = load_shared(&parents(v));
    while (parent != v) {
      const index_t next = load_shared(&parents(parent));
      if (next != parent)
        Kokkos::atomic_fetch_min(&parents(v), next);
      v = parent;
      parent = next;
    }
    return v;
  }

  KOKKOS_FUNCTION void join(index_t a, index_t b) const {
    index_t large = find_root(a);
    index_t small = find_root(b);
    while (large != small) {
      if (large < small) {
        const index_t swapped = large;
        large = small;
        small = swapped;
      }
      const index_t found = Kokkos::atomic_compare_exchange(&parents(large), large, small);
      if (found == large)
        return;
      large = find_root(found);
      small = find_root(small);
    }
  }

  /// Walks to the root without changing parents; for use after all joins.
  KOKKOS_FUNCTION index_t root_of(index_t v) const {
    while (parents(v) != v)
      v = parents(v);
    return v;
  }
};

} // namespace tessera::graph

#endif
