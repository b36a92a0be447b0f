// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_ROUNDED_HPP
#define TESSERA_CORE_KOKKOS_EXT_ROUNDED_HPP

#include <Kokkos_Macros.hpp>

namespace tessera {

/// The product `value`, which is rounded before it is added to another one. Needed where neighbouring sums and
/// differences of products are computed, as for complex numbers: GCC from version 12 on fuses them (vfmaddsub) despite
/// -ffp-contract=off.
template <class T> KOKKOS_FORCEINLINE_FUNCTION T rounded(T value) {
#if defined(__has_builtin) && !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
#if __has_builtin(__builtin_assoc_barrier)
  return __builtin_assoc_barrier(value);
#endif
#endif
  return value;
}

} // namespace tessera

#endif
