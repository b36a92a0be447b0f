// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_DEVICE_VENDOR_SCAN_HPP
#define TESSERA_CORE_KOKKOS_EXT_DEVICE_VENDOR_SCAN_HPP

/// \file
/// Device-wide prefix sums by vendors (NVIDIA: cub), compiled once. They return false if the space has no vendor scan;
/// the caller then uses a portable one.

#include "core/kokkos_ext/spaces.hpp"

namespace tessera::detail {

/// Replaces counts[0..n) by their exclusive prefix sum and sets counts[n] and `total` to the sum, computed in 64 bits,
/// so that the caller can detect an overflow of 32-bit counts. Waits.
template <class ExecutionSpace, class T>
bool vendor_exclusive_scan(const ExecutionSpace&, T*, std::int64_t, std::int64_t&) {
  return false;
}

#if defined(TESSERA_CUDA_FORMS)
bool vendor_exclusive_scan(const CudaSpace& exec, std::int32_t* counts, std::int64_t n, std::int64_t& total);
bool vendor_exclusive_scan(const CudaSpace& exec, std::int64_t* counts, std::int64_t n, std::int64_t& total);
#endif

} // namespace tessera::detail

#endif
