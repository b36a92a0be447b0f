// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_ALGORITHMS_LARGEST_ENTRY_HPP
#define TESSERA_CORE_ALGORITHMS_LARGEST_ENTRY_HPP

/// \file
/// Largest values, which do not depend on the order of items.

#include "core/kokkos_ext/lanes.hpp"
#include "core/parallel.hpp"

namespace tessera {

namespace detail {
template <class Space> struct LargestEntry {
  Array<const double*, Space> values;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double& largest) const {
    largest = values(i) > largest ? values(i) : largest;
  }
};
/// The largest value of each chunk of items, by neighbouring threads that look at neighbouring items.
template <int Lanes, class Functor, class Space> struct LargestOfChunk {
  static constexpr std::int64_t size = 8 * Lanes;
  Functor functor;
  index_t begin;
  std::int64_t n;
  double least;
  Array<double*, Space> largest;
  KOKKOS_FUNCTION void operator()(std::int64_t chunk, int lane, bool exists) const {
    const std::int64_t last = (chunk + 1) * size < n ? (chunk + 1) * size : n;
    double own = least;
    for (std::int64_t i = chunk * size + lane; exists && i < last; i += Lanes)
      functor(begin + static_cast<index_t>(i), own);
    own = largest_of_lanes<Lanes>(own);
    if (exists && lane == 0)
      largest(chunk) = own;
  }
};
} // namespace detail

/// The largest of `least` and the first n entries of an array. Waits.
template <class ExecutionSpace>
double largest_entry(const char* label, const ExecutionSpace& exec,
                     const Array<const double*, typename ExecutionSpace::memory_space>& values, std::int64_t n,
                     double least) {
  double largest = least;
  Kokkos::parallel_reduce(label, Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
                          detail::LargestEntry<typename ExecutionSpace::memory_space>{values},
                          Kokkos::Max<double>(largest));
  return largest > least ? largest : least;
}

/// The largest of `least` and the values of the items [begin, end): `functor(i, largest)` raises `largest` to that of
/// item i. Waits. On devices with more threads than Kokkos starts for a reduction, so that they hide more latency.
template <class ExecutionSpace, class Functor>
double largest_of_items(const char* label, const ExecutionSpace& exec, index_t begin, index_t end,
                        const Functor& functor, double least) {
  using Space = typename ExecutionSpace::memory_space;
  if constexpr (has_lanes<ExecutionSpace>) {
    using Chunk = detail::LargestOfChunk<lanes_in<ExecutionSpace, 32>, Functor, Space>;
    const std::int64_t n = end > begin ? static_cast<std::int64_t>(end) - begin : 0;
    const std::int64_t n_chunks = (n + Chunk::size - 1) / Chunk::size;
    const auto largest = make_array<Array<double*, Space>>(exec, "core::largest_of_chunks", n_chunks);
    for_each_lane<lanes_in<ExecutionSpace, 32>>(label, exec, n_chunks, Chunk{functor, begin, n, least, largest});
    return largest_entry(label, exec, Array<const double*, Space>(largest), n_chunks, least);
  } else {
    double largest = least;
    Kokkos::parallel_reduce(label, Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<index_t>>(exec, begin, end),
                            functor, Kokkos::Max<double>(largest));
    return largest > least ? largest : least;
  }
}

} // namespace tessera

#endif
