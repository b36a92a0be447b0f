// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_ALGORITHMS_MIX_BITS_HPP
#define TESSERA_CORE_ALGORITHMS_MIX_BITS_HPP

#include <cstdint>

namespace tessera {

/// Final mixer of SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014): each bit of `x` changes about half of
/// the result's bits. For hosts and kernels.
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

} // namespace tessera

#endif
