// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_ALGORITHMS_LOWER_BOUND_HPP
#define TESSERA_CORE_ALGORITHMS_LOWER_BOUND_HPP

#include "core/types.hpp"

namespace tessera {

/// Position of the first of the ascending entries [begin, end) that is not less than `value`; `end` if there is none.
/// The k-th entry is entries[k * stride].
template <class Entries, class Position, class Value>
KOKKOS_INLINE_FUNCTION Position lower_bound(const Entries& entries, Position begin, Position end, Value value,
                                            int stride = 1) {
  while (begin < end) {
    const Position middle = begin + (end - begin) / 2;
    if (entries[middle * stride] < value)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

} // namespace tessera

#endif
