// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_DEVICE_VENDOR_STATUS_HPP
#define TESSERA_CORE_KOKKOS_EXT_DEVICE_VENDOR_STATUS_HPP

/// \file
/// Turns status codes of vendors' functions into errors.

#include "core/error.hpp"
#include "core/kokkos_ext/spaces.hpp"

namespace tessera::detail {

#if defined(KOKKOS_ENABLE_CUDA)
/// Throws unless `what` succeeded.
inline void require_success(cudaError_t status, const char* what) {
  TESSERA_REQUIRE_KIND(status == cudaSuccess, ErrorKind::resource,
                       what << " failed on the device: " << cudaGetErrorString(status) << ".");
}
#endif

#if defined(KOKKOS_ENABLE_HIP)
inline void require_success(hipError_t status, const char* what) {
  TESSERA_REQUIRE_KIND(status == hipSuccess, ErrorKind::resource,
                       what << " failed on the device: " << hipGetErrorString(status) << ".");
}
#endif

} // namespace tessera::detail

#endif
