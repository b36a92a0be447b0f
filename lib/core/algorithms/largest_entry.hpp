// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_ALGORITHMS_LARGEST_ENTRY_HPP
#define TESSERA_CORE_ALGORITHMS_LARGEST_ENTRY_HPP

#include "core/parallel.hpp"

namespace tessera {

namespace detail {
template <class Space> struct LargestEntry {
  Array<const double*, Space> values;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double& largest) const {
    largest = values(i) > largest ? values(i) : largest;
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

} // namespace tessera

#endif
