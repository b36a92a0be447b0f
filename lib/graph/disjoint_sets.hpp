// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_GRAPH_DISJOINT_SETS_HPP
#define TESSERA_GRAPH_DISJOINT_SETS_HPP

#include "core/kokkos_ext/bits.hpp"
#include "core/parallel.hpp"

namespace tessera::graph {

/// Union-find for many threads: the larger of two roots is hooked to the smaller one with a parent that is not larger,
/// so that parents never exceed their children and the last root of a set is its smallest member, whatever the order of
/// threads. join() follows both paths in turn, always from the larger parent, as M. Rem's algorithm does (L. Dhulipala,
/// C. Hong, J. Shun, ConnectIt: a framework for static and incremental parallel graph connectivity algorithms, VLDB
/// 2020), with paths halved on the way: it ends where the paths meet, and members with one parent do not read their
/// root, which on a GPU all threads would read from one line of memory.
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
    while (true) {
      index_t of_a = load_shared(&parents(a));
      index_t of_b = load_shared(&parents(b));
      if (of_a == of_b)
        return;
      if (of_a < of_b) {
        index_t swapped = a;
        a = b;
        b = swapped;
        swapped = of_a;
        of_a = of_b;
        of_b = swapped;
      }
      if (of_a == a) { // a root, unless another thread has hooked it
        if (Kokkos::atomic_compare_exchange(&parents(a), a, of_b) == a)
          return;
        continue;
      }
      const index_t next = load_shared(&parents(of_a));
      if (next != of_a)
        Kokkos::atomic_fetch_min(&parents(a), next);
      a = of_a;
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
