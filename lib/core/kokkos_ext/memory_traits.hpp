// SPDX-FileCopyrightText: Tessera authors
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TESSERA_CORE_KOKKOS_EXT_MEMORY_TRAITS_HPP
#define TESSERA_CORE_KOKKOS_EXT_MEMORY_TRAITS_HPP

/// \file
/// Memory traits of read-only arrays.

#include <Kokkos_Core.hpp>

namespace tessera {

/// Reads through the read-only cache of GPUs. An old Kokkos without the LDG intrinsic would use the texture units,
/// which are slower and limited to 2^28 entries.
#if defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_CUDA_LDG_INTRINSIC) && KOKKOS_VERSION < 40000
constexpr unsigned const_array_traits = 0;
#else
constexpr unsigned const_array_traits = Kokkos::RandomAccess;
#endif

} // namespace tessera

#endif
