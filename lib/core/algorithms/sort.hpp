// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_ALGORITHMS_SORT_HPP
#define TESSERA_CORE_ALGORITHMS_SORT_HPP

/// \file
/// Stable sort of integer keys with a payload.

#include "core/parallel.hpp"

namespace tessera {

/// Number of bits that hold the values 0 .. count - 1, at least one.
inline int bits_for(std::int64_t count) {
  int bits = 1;
  while (bits < 63 && (std::int64_t(1) << bits) < count)
    ++bits;
  return bits;
}

/// Sorts the first `n` entries of `keys` ascending and permutes `payload` likewise. Stable, so the result is unique on
/// every backend. Sorts by the lowest `key_bits` bits only: the fewer, the faster. Needs temporary memory for a second
/// copy of both arrays. `Key` is std::uint32_t or std::uint64_t, `Payload` std::int32_t or std::int64_t.
template <class ExecutionSpace, class Key, class Payload>
void sort_by_key(const ExecutionSpace& exec,
                 const Kokkos::View<Key*, Kokkos::LayoutRight, typename ExecutionSpace::memory_space>& keys,
                 const Kokkos::View<Payload*, Kokkos::LayoutRight, typename ExecutionSpace::memory_space>& payload,
                 std::int64_t n, int key_bits);

/// Like sort_by_key, without a payload.
template <class ExecutionSpace, class Key>
void sort_keys(const ExecutionSpace& exec,
               const Kokkos::View<Key*, Kokkos::LayoutRight, typename ExecutionSpace::memory_space>& keys,
               std::int64_t n, int key_bits);

} // namespace tessera

#endif
