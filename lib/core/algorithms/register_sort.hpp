// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_ALGORITHMS_REGISTER_SORT_HPP
#define TESSERA_CORE_ALGORITHMS_REGISTER_SORT_HPP

/// \file
/// Sorts a few numbers in the registers of one device thread.

#include "core/types.hpp"

#include <utility>

namespace tessera {

namespace detail {

/// Batcher's merge exchange (Knuth, The Art of Computer Programming 3, algorithm 5.2.2M) for N items.
template <int N> struct SortingNetwork {
  int n_pairs = 0;
  int low[N * N / 2 + 1] = {};
  int high[N * N / 2 + 1] = {};

  constexpr SortingNetwork() {
    int top = 1;
    while (2 * top < N)
      top *= 2;
    for (int p = top; p > 0; p /= 2) {
      int q = top;
      int r = 0;
      for (int d = p;; d = q - p, q /= 2, r = p) {
        for (int i = 0; i + d < N; ++i)
          if ((i & p) == r) {
            low[n_pairs] = i;
            high[n_pairs++] = i + d;
          }
        if (q == p)
          break;
      }
    }
  }
};

template <int N> struct SortingPairs { static constexpr SortingNetwork<N> network{}; };

template <int Low, int High, class T, int N> KOKKOS_INLINE_FUNCTION void sort_pair(T (&item)[N]) {
  const T a = item[Low];
  const T b = item[High];
  item[Low] = a < b ? a : b;
  item[High] = a < b ? b : a;
}

template <class T, int N, int... Pair>
KOKKOS_INLINE_FUNCTION void sort_pairs(T (&item)[N], std::integer_sequence<int, Pair...>) {
  (sort_pair<SortingPairs<N>::network.low[Pair], SortingPairs<N>::network.high[Pair]>(item), ...);
}

} // namespace detail

/// Sorts ascending by a sorting network: all compare-exchange steps have constant indices, so that the array stays in
/// registers.
template <class T, int N> KOKKOS_INLINE_FUNCTION void sort_in_registers(T (&item)[N]) {
  detail::sort_pairs(item, std::make_integer_sequence<int, detail::SortingPairs<N>::network.n_pairs>());
}

} // namespace tessera

#endif
