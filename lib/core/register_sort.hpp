// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_REGISTER_SORT_HPP
#define TESSERA_CORE_REGISTER_SORT_HPP

/// \file
/// Sorting of a few numbers by one thread of a device.

#include "core/kokkos_ext/compiler.hpp"
#include "core/types.hpp"

namespace tessera {

/// Ascending, by odd-even transposition: neighbours are compared and exchanged, all with constant indices, so that the
/// array stays in registers.
template <class T, int N> KOKKOS_INLINE_FUNCTION void sort_in_registers(T (&item)[N]) {
  TESSERA_UNROLL
  for (int round = 0; round < N; ++round) {
    TESSERA_UNROLL
    for (int pair = 0; pair < N / 2; ++pair) {
      const int i = 2 * pair + (round & 1);
      if (i + 1 < N) {
        const T a = item[i];
        const T b = item[i + 1];
        item[i] = a < b ? a : b;
        item[i + 1] = a < b ? b : a;
      }
    }
  }
}

} // namespace tessera

#endif
