// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_VENDOR_SCAN_HPP
#define TESSERA_CORE_KOKKOS_EXT_VENDOR_SCAN_HPP

/// \file
/// Device-wide prefix sums and grouping by vendors (NVIDIA: cub), compiled once. They return false where the space has
/// none, for the caller's portable way.

#include "core/kokkos_ext/spaces.hpp"

namespace tessera::detail {

/// Replaces counts[0..n) by their exclusive prefix sum and sets counts[n] and `total` to the sum, taken in 64 bits (an
/// overflow of 32-bit counts is then seen by the caller). Waits.
template <class ExecutionSpace, class T>
bool vendor_exclusive_scan(const ExecutionSpace&, T*, std::int64_t, std::int64_t&) {
  return false;
}

/// Stable grouping: `order` receives 0..n-1 sorted by key, starts[k] (on the host) the first place of key k, for k in
/// [0, n_keys]. Waits.
template <class ExecutionSpace>
bool vendor_group(const ExecutionSpace&, const std::uint16_t*, index_t, int, index_t*, std::vector<index_t>&) {
  return false;
}

#if defined(KOKKOS_ENABLE_CUDA)
bool vendor_exclusive_scan(const CudaSpace& exec, std::int32_t* counts, std::int64_t n, std::int64_t& total);
bool vendor_exclusive_scan(const CudaSpace& exec, std::int64_t* counts, std::int64_t n, std::int64_t& total);
bool vendor_group(const CudaSpace& exec, const std::uint16_t* keys, index_t n, int n_keys, index_t* order,
                  std::vector<index_t>& starts);
#endif

} // namespace tessera::detail

#endif
