// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_CHECKSUM_HPP
#define TESSERA_CORE_CHECKSUM_HPP

/// \file
/// Checksum of the bits of an array: compares results of different backends, thread counts and machines without writing
/// the values to a file.

#include "core/algorithms/mix_bits.hpp"
#include "core/parallel.hpp"

#include <cstring>

namespace tessera {

namespace detail {

template <class T> struct SumBits {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "numbers of 4 or 8 bytes");
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  const T* data;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& sum) const {
    Bits bits;
    std::memcpy(&bits, data + i, sizeof(Bits));
    sum += mix_bits(bits ^ mix_bits(static_cast<std::uint64_t>(i) + 0x9e3779b97f4a7c15ull));
  }
};

} // namespace detail

/// Checksum of the bits of a contiguous array and their positions. Integer sums modulo 2^64 do not depend on the order
/// of summation: equal arrays give equal checksums on every backend, different ones with a probability of 2^-64.
template <class ExecutionSpace, class ArrayType>
std::uint64_t checksum(const ExecutionSpace& exec, const ArrayType& array) {
  using T = typename ArrayType::non_const_value_type;
  const auto n = static_cast<std::int64_t>(array.span());
  std::uint64_t sum = 0;
  if (n > 0)
    Kokkos::parallel_reduce("tessera::core::checksum",
                            Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
                            detail::SumBits<T>{array.data()}, sum);
  exec.fence();
  return mix_bits(sum + static_cast<std::uint64_t>(n));
}

} // namespace tessera

#endif
