// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_DEVICE_VENDOR_QUEUED_SCAN_HPP
#define TESSERA_CORE_KOKKOS_EXT_DEVICE_VENDOR_QUEUED_SCAN_HPP

/// \file
/// The prefix sums of vendor_scan.hpp without a wait.

#include "core/kokkos_ext/spaces.hpp"

namespace tessera::detail {

/// Queues the work of vendor_exclusive_scan(); `total` points to memory of the space. `scratch` is enlarged if
/// necessary and must stay allocated until the queue is done. Returns false, queuing nothing, if the space has no
/// vendor scan.
template <class ExecutionSpace, class T>
bool queue_vendor_scan(const ExecutionSpace&, T*, std::int64_t, std::int64_t*, Array<char*, ExecutionSpace>&) {
  return false;
}

#if defined(TESSERA_CUDA_FORMS)
bool queue_vendor_scan(const CudaSpace& exec, std::int32_t* counts, std::int64_t n, std::int64_t* total,
                       Array<char*, CudaSpace>& scratch);
bool queue_vendor_scan(const CudaSpace& exec, std::int64_t* counts, std::int64_t n, std::int64_t* total,
                       Array<char*, CudaSpace>& scratch);
#endif

} // namespace tessera::detail

#endif
